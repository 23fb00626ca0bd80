#include "workloads/input/dataset.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "workloads/input/dataset_list.h"
#include "workloads/input/file_reader.h"
#include "workloads/input/image.h"

namespace traceml {

namespace {

namespace fs = std::filesystem;

bool is_jpeg_name(const fs::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".jpg" || extension == ".jpeg";
}

DatasetList read_list(const fs::path& folder, const std::string& name) {
  FileReader reader(folder);
  std::string text;
  try {
    const auto bytes = reader.read(name);
    text.assign(bytes.begin(), bytes.end());
  } catch (const ImageError& error) {
    throw RunError(fmt::format("{} of the data set {}", name, error.what()));
  }
  return name.ends_with(".json") ? read_json_list(text, name) : read_text_list(text, name);
}

// One directory listing for each class is cheaper than a stat of each file.
void check_files_exist(const fs::path& folder, const std::string& list,
                       const DatasetList& listing) {
  for (const auto& [name, paths] : listing) {
    std::set<std::string> there;
    std::error_code error;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(folder / "images" / name, error)) {
      there.insert("images/" + name + "/" + entry.path().filename().string());
    }
    for (const std::string& path : paths) {
      if (!there.contains(path)) {
        throw RunError(fmt::format("{} of the data set {} names {}, but there is no such file",
                                   list, folder.string(), path));
      }
    }
  }
}

DatasetList list_class_folders(const fs::path& folder) {
  DatasetList listing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || name.starts_with(".")) continue;
    std::vector<std::string>& paths = listing[name];
    for (const fs::directory_entry& file : fs::directory_iterator(entry.path())) {
      if (!file.is_directory() && is_jpeg_name(file.path())) {
        paths.push_back(name + "/" + file.path().filename().string());
      }
    }
    if (paths.empty()) {
      throw RunError(fmt::format(
          "the data set {} has neither meta/train.json nor meta/train.txt, so {}/ is taken for a "
          "class, but it holds no .jpg or .jpeg file",
          folder.string(), name));
    }
  }
  return listing;
}

DatasetList list_files(const fs::path& folder) {
  for (const std::string list : {"meta/train.json", "meta/train.txt"}) {
    if (!fs::is_regular_file(folder / list)) continue;
    DatasetList listing = read_list(folder, list);
    check_files_exist(folder, list, listing);
    return listing;
  }
  return list_class_folders(folder);
}

}  // namespace

Dataset load_dataset(const std::filesystem::path& folder) {
  if (!fs::is_directory(folder)) {
    throw UsageError(
        fmt::format("there is no data set folder {}; name a folder with images, or make one with "
                    "traceml-bench datagen",
                    folder.string()));
  }
  Dataset dataset;
  dataset.folder = folder;
  try {
    for (auto& [name, paths] : list_files(folder)) {
      const auto label = static_cast<std::int32_t>(dataset.classes.size());
      dataset.classes.push_back(name);
      std::sort(paths.begin(), paths.end());
      for (std::string& path : paths) dataset.samples.push_back({std::move(path), label});
    }
  } catch (const fs::filesystem_error& error) {
    throw RunError(
        fmt::format("cannot list the data set {}: {}", folder.string(), error.code().message()));
  }
  if (dataset.samples.empty()) {
    throw UsageError(
        fmt::format("the data set {} holds no images; it needs images/CLASS/ID.jpg "
                    "with a list in meta/, or a folder of .jpg files for each class",
                    folder.string()));
  }
  return dataset;
}

std::int64_t warm_cache(const Dataset& dataset, const std::function<void()>& progress) {
  FileReader reader(dataset.folder);
  std::int64_t bytes = 0;
  for (const Sample& sample : dataset.samples) {
    bytes += static_cast<std::int64_t>(reader.read(sample.path).size());
    if (progress) progress();
  }
  return bytes;
}

}  // namespace traceml
