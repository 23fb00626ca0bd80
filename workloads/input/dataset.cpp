#include "workloads/input/dataset.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "workloads/input/csv_list.h"
#include "workloads/input/dataset_list.h"
#include "workloads/input/file_reader.h"
#include "workloads/input/image.h"
#include "workloads/input/shown_entry.h"

namespace traceml {

namespace {

namespace fs = std::filesystem;

bool is_jpeg_name(const fs::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".jpg" || extension == ".jpeg";
}

std::string read_text(const fs::path& folder, const std::string& name) {
  FileReader reader(folder);
  try {
    const auto bytes = reader.read(name);
    return {bytes.begin(), bytes.end()};
  } catch (const ImageError& error) {
    throw RunError(fmt::format("{} of the data set {}", name, error.what()));
  }
}

DatasetList read_list(const fs::path& folder, const std::string& name) {
  const std::string text = read_text(folder, name);
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

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with(".");
}

// Every JPEG file at any depth below folder/name; links to folders are followed.
std::vector<std::string> images_below(const fs::path& folder, const std::string& name) {
  constexpr int kDeepest = 32;
  std::vector<std::string> paths;
  const auto options = fs::directory_options::follow_directory_symlink;
  fs::recursive_directory_iterator entry(folder / name, options);
  for (; entry != fs::recursive_directory_iterator(); ++entry) {
    if (is_hidden(entry->path())) {
      entry.disable_recursion_pending();
    } else if (entry->is_directory()) {
      if (entry.depth() < kDeepest) continue;
      throw RunError(
          fmt::format("the class {} of the data set {} is nested deeper than {} folders; does a "
                      "link in it lead back?",
                      name, folder.string(), kDeepest));
    } else if (is_jpeg_name(entry->path())) {
      paths.push_back(entry->path().lexically_relative(folder).generic_string());
    }
  }
  return paths;
}

DatasetList list_class_folders(const fs::path& folder) {
  DatasetList listing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory() || is_hidden(entry.path())) continue;
    const std::string name = entry.path().filename().string();
    std::vector<std::string>& paths = listing[name] = images_below(folder, name);
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

Dataset load_folder(const fs::path& folder) {
  Dataset dataset;
  dataset.folder = folder;
  for (auto& [name, paths] : list_files(folder)) {
    const auto label = static_cast<std::int32_t>(dataset.classes.size());
    dataset.classes.push_back(name);
    std::sort(paths.begin(), paths.end());
    for (std::string& path : paths) dataset.samples.push_back({std::move(path), label});
  }
  if (dataset.samples.empty()) {
    throw UsageError(
        fmt::format("the data set {} holds no images; it needs images/CLASS/ID.jpg "
                    "with a list in meta/, a folder of .jpg files for each class, or a CSV list of "
                    "path,label named in its place",
                    folder.string()));
  }
  return dataset;
}

// One listing for each folder is cheaper than a stat of each file.
void check_listed_files(const fs::path& folder, const std::string& name, const CsvList& list) {
  std::map<fs::path, std::set<std::string>> folders;
  for (const ListedSample& listed : list.samples) {
    const fs::path path = folder / listed.sample.path;
    auto [known, is_new] = folders.try_emplace(path.parent_path());
    if (is_new) {
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(path.parent_path(), error)) {
        known->second.insert(entry.path().filename().string());
      }
    }
    if (!known->second.contains(path.filename().string())) {
      throw RunError(fmt::format("{}:{} of the data set names {}, but there is no such file", name,
                                 listed.line, shown_entry(listed.sample.path)));
    }
  }
}

Dataset load_csv_list(const fs::path& file) {
  const std::string name = file.filename().string();
  Dataset dataset;
  dataset.folder = file.has_parent_path() ? file.parent_path() : ".";
  CsvList list = read_csv_list(read_text(dataset.folder, name), name);
  check_listed_files(dataset.folder, name, list);
  dataset.classes = std::move(list.classes);
  for (ListedSample& listed : list.samples) dataset.samples.push_back(std::move(listed.sample));
  const auto by_path = [](const Sample& a, const Sample& b) { return a.path < b.path; };
  std::sort(dataset.samples.begin(), dataset.samples.end(), by_path);
  if (dataset.samples.empty()) {
    throw UsageError(
        fmt::format("the data set {} lists no images; it needs a line path,label for "
                    "each",
                    file.string()));
  }
  return dataset;
}

}  // namespace

Dataset load_dataset(const std::filesystem::path& path) {
  try {
    if (fs::is_directory(path)) return load_folder(path);
    if (fs::is_regular_file(path)) return load_csv_list(path);
  } catch (const fs::filesystem_error& error) {
    throw RunError(
        fmt::format("cannot list the data set {}: {}", path.string(), error.code().message()));
  }
  throw UsageError(
      fmt::format("there is no data set folder {}; name a folder with images or a CSV list of "
                  "path,label, or make one with traceml-bench datagen",
                  path.string()));
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

bool prepare_cold_reading(const Dataset& dataset) {
  const int folder = open(dataset.folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (folder >= 0) {
    syncfs(folder);
    close(folder);
  }
  FileReader reader(dataset.folder);
  const std::optional<bool> stays = reader.stays_in_cache(dataset.samples.front().path);
  if (!stays || !*stays) return stays.has_value();
  throw RunError(fmt::format(
      "input.cache is cold, but files of the data set {} stay in memory when they are dropped from "
      "the page cache (tmpfs, or a file system that keeps them); put it on a disk, or set "
      "input.cache: warm",
      dataset.folder.filename().string()));
}

}  // namespace traceml
