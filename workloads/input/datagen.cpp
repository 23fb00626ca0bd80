#include "workloads/input/datagen.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/core/error.h"
#include "harness/runner/allowed_cores.h"
#include "workloads/input/cpu_time.h"
#include "workloads/input/file_reader.h"
#include "workloads/input/jpeg_decoder.h"
#include "workloads/input/photo_file.h"
#include "workloads/input/random.h"

namespace traceml {

namespace {

namespace fs = std::filesystem;

constexpr int kMostTimedImages = 200;

struct Entry {
  std::string name;  // CLASS/ID
  int class_index = 0;
  bool training = false;
  std::uint64_t key = 0;  // of its content
};

struct FileFacts {
  std::int64_t bytes = 0;
  std::int64_t pixels = 0;
};

int test_images(const DatagenOptions& options) {
  return options.test_images.value_or(options.images / 3);
}

void check(const DatagenOptions& options) {
  if (options.classes < 1 || options.images < options.classes) {
    throw UsageError(fmt::format(
        "datagen: {} images cannot fill {} classes; ask for at least one image and one class, and "
        "for an image of each class",
        options.images, options.classes));
  }
  if (test_images(options) < 0) {
    throw UsageError("datagen: the number of test images is negative");
  }
  if (options.long_side < kLeastLongSide || options.long_side > kMostLongSide) {
    throw UsageError(fmt::format("datagen: a long side of {} pixels; choose {} to {}",
                                 options.long_side, kLeastLongSide, kMostLongSide));
  }
  std::error_code ignored;
  if (fs::exists(options.folder, ignored) && !fs::is_empty(options.folder, ignored)) {
    throw UsageError(fmt::format("datagen: {} exists and is not empty; choose another folder",
                                 options.folder.string()));
  }
}

// Padded, so that the names sort as their numbers do.
std::string class_name(const DatagenOptions& options, int index) {
  const std::size_t digits = std::max<std::size_t>(3, std::to_string(options.classes - 1).size());
  return fmt::format("class_{:0{}}", index, digits);
}

// What a file holds depends on the seed and its own number, not on how many others there are.
std::vector<Entry> list_entries(const DatagenOptions& options) {
  std::vector<Entry> entries;
  const int total = options.images + test_images(options);
  for (int i = 0; i < total; ++i) {
    const bool training = i < options.images;
    const int number = training ? i : i - options.images;
    const int set = training ? 1 : 2;
    const int index = number % options.classes;
    entries.push_back({fmt::format("{}/{}{:06}", class_name(options, index), set, number), index,
                       training,
                       join_keys(join_keys(options.seed, static_cast<std::uint64_t>(set)),
                                 static_cast<std::uint64_t>(number))});
  }
  return entries;
}

void write_file(const fs::path& path, const char* bytes, std::size_t count) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes, static_cast<std::streamsize>(count));
  file.close();
  if (!file) throw RunError(fmt::format("datagen: cannot write {}", path.string()));
}

void write_text(const fs::path& path, const std::string& text) {
  write_file(path, text.data(), text.size());
}

// Makes all images; what one thread throws ends the others and is thrown here.
std::vector<FileFacts> write_images(const DatagenOptions& options,
                                    const std::vector<Entry>& entries) {
  std::vector<FileFacts> facts(entries.size());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      PhotoFile photo;
      for (std::size_t i = next++; i < entries.size(); i = next++) {
        const Entry& entry = entries[i];
        const std::span<const std::uint8_t> file = photo.make(options.long_side, entry.key);
        facts[i] = {static_cast<std::int64_t>(file.size()),
                    static_cast<std::int64_t>(photo.size().width) * photo.size().height};
        write_file(options.folder / "images" / (entry.name + ".jpg"),
                   reinterpret_cast<const char*>(file.data()), file.size());
      }
    } catch (...) {
      next = entries.size();
      const std::lock_guard lock(failure_mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  const int count = options.threads > 0 ? options.threads : allowed_core_count();
  for (int i = 1; i < count; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return facts;
}

void write_lists(const DatagenOptions& options, const std::vector<Entry>& entries) {
  const fs::path meta = options.folder / "meta";
  for (const bool training : {true, false}) {
    nlohmann::json lists = nlohmann::json::object();
    for (int c = 0; c < options.classes; ++c)
      lists[class_name(options, c)] = nlohmann::json::array();
    for (const Entry& entry : entries) {
      if (entry.training == training)
        lists[class_name(options, entry.class_index)].push_back(entry.name);
    }
    std::string lines;
    for (const auto& list : lists) {
      for (const auto& name : list) lines += name.get<std::string>() + "\n";
    }
    const std::string stem = training ? "train" : "test";
    write_text(meta / (stem + ".json"), lists.dump() + "\n");
    write_text(meta / (stem + ".txt"), lines);
  }
  std::string classes;
  std::string labels;
  for (int c = 0; c < options.classes; ++c) {
    classes += class_name(options, c) + "\n";
    labels += "Class " + class_name(options, c).substr(6) + "\n";
  }
  write_text(meta / "classes.txt", classes);
  write_text(meta / "labels.txt", labels);
}

double decode_time_us(const DatagenOptions& options, const std::vector<Entry>& entries) {
  FileReader reader(options.folder);
  JpegDecoder decoder;
  const std::size_t count = std::min<std::size_t>(entries.size(), kMostTimedImages);
  double spent_us = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const std::uint8_t> file = reader.read("images/" + entries[i].name + ".jpg");
    const double start_us = thread_cpu_us();
    const ImageSize size = decoder.read_header(file).size;
    decoder.decode({0, 0, size.width, size.height});
    spent_us += thread_cpu_us() - start_us;
  }
  return spent_us / static_cast<double>(count);
}

}  // namespace

DatagenSummary make_dataset(const DatagenOptions& options) {
  check(options);
  const std::vector<Entry> entries = list_entries(options);
  try {
    for (int c = 0; c < options.classes; ++c) {
      fs::create_directories(options.folder / "images" / class_name(options, c));
    }
    fs::create_directories(options.folder / "meta");
  } catch (const fs::filesystem_error& error) {
    throw RunError(fmt::format("datagen: cannot make {}: {}", options.folder.string(),
                               error.code().message()));
  }
  const std::vector<FileFacts> facts = write_images(options, entries);
  write_lists(options, entries);

  DatagenSummary summary;
  summary.classes = options.classes;
  summary.images = static_cast<std::int64_t>(facts.size());
  double pixels = 0;
  double squares = 0;
  for (const FileFacts& file : facts) {
    summary.total_bytes += file.bytes;
    pixels += static_cast<double>(file.pixels);
    squares += static_cast<double>(file.bytes) * static_cast<double>(file.bytes);
  }
  const auto count = static_cast<double>(facts.size());
  summary.mean_bytes = static_cast<double>(summary.total_bytes) / count;
  summary.deviation_bytes =
      std::sqrt(std::max(0.0, squares / count - summary.mean_bytes * summary.mean_bytes));
  summary.bits_per_pixel = 8 * static_cast<double>(summary.total_bytes) / pixels;
  summary.decode_us = decode_time_us(options, entries);
  return summary;
}

std::string describe(const DatagenSummary& summary) {
  return fmt::format(
      "{} images of {} classes, {:.1f} MB\n"
      "file size: mean {:.1f} KB, standard deviation {:.1f} KB, {:.2f} bits per pixel\n"
      "decode, whole image, one core of this machine: {:.0f} us per image\n",
      summary.images, summary.classes, static_cast<double>(summary.total_bytes) / 1e6,
      summary.mean_bytes / 1e3, summary.deviation_bytes / 1e3, summary.bits_per_pixel,
      summary.decode_us);
}

}  // namespace traceml
