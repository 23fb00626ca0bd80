// decode_folder [--shrink SIDE OUT] FOLDER ...: what the JPEG files below a folder cost to decode
// here, one line for each folder, in processor time: images, mean size, bits per pixel, whole
// decode, crop + decode + resize to 224. With --shrink it first writes every photograph of the
// folders, made SIDE pixels long and re-encoded at quality 90, 4:2:0, to OUT, and measures that:
// how datagen's images are held against real photographs (workloads/input/DECISIONS.md).

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "workloads/input/cpu_time.h"
#include "workloads/input/file_reader.h"
#include "workloads/input/jpeg_decoder.h"
#include "workloads/input/jpeg_encoder.h"
#include "workloads/input/random_resized_crop.h"
#include "workloads/input/resize.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 5;
constexpr int kTarget = 224;
constexpr double kFittedBits = 1.72;  // bits per pixel of datagen's images at 512 pixels

std::vector<fs::path> jpeg_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".jpg") files.push_back(fs::relative(entry.path(), folder));
  }
  std::sort(files.begin(), files.end());
  return files;
}

void shrink(const fs::path& folder, int side, const fs::path& out) {
  FileReader reader(folder);
  JpegDecoder decoder;
  JpegEncoder encoder;
  fs::create_directories(out);
  for (const fs::path& file : jpeg_files(folder)) {
    const ImageSize from = decoder.read_header(reader.read(file.string())).size;
    const int longest = std::max(from.width, from.height);
    if (longest < side) continue;
    const ImageSize to{std::max(1, from.width * side / longest),
                       std::max(1, from.height * side / longest)};
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(to.width) * to.height * 3);
    Resizer(to).resize(decoder.decode({0, 0, from.width, from.height}), false, pixels.data());
    const std::span<const std::uint8_t> bytes = encoder.encode(pixels, to, PixelForm::kRgb, 90);
    std::ofstream(out / file.filename(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
}

// Of one file, summed over the rounds.
struct Cost {
  double bytes = 0;
  double pixels = 0;
  double whole_us = 0;
  double crops_us = 0;

  void add(const Cost& other) {
    bytes += other.bytes;
    pixels += other.pixels;
    whole_us += other.whole_us;
    crops_us += other.crops_us;
  }
};

std::vector<Cost> measure_files(const fs::path& folder) {
  const std::vector<fs::path> files = jpeg_files(folder);
  std::vector<Cost> costs(files.size());
  FileReader reader(folder);
  JpegDecoder decoder;
  Resizer resizer({kTarget, kTarget});
  std::vector<std::uint8_t> target(static_cast<std::size_t>(kTarget) * kTarget * 3);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::span<const std::uint8_t> file = reader.read(files[i].string());
      const double start = thread_cpu_us();
      const ImageSize size = decoder.read_header(file).size;
      decoder.decode({0, 0, size.width, size.height});
      const double between = thread_cpu_us();
      Random random = sample_random(1, round, static_cast<std::int64_t>(i));
      decoder.read_header(file);
      resizer.resize(decoder.decode(random_resized_crop(size, random)), random.coin(),
                     target.data());
      costs[i].add({static_cast<double>(file.size()), static_cast<double>(size.width) * size.height,
                    between - start, thread_cpu_us() - between});
    }
  }
  return costs;
}

// The cost of a whole decode in ns per pixel at `bits` bits per pixel: least squares over the
// files.
double fitted_ns_per_pixel(const std::vector<Cost>& costs, double bits) {
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (const Cost& cost : costs) {
    const double density = 8 * cost.bytes / cost.pixels;
    const double time = 1e3 * cost.whole_us / cost.pixels;
    x += density;
    y += time;
    xx += density * density;
    xy += density * time;
  }
  const auto n = static_cast<double>(costs.size());
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return y / n + slope * (bits - x / n);
}

void measure(const fs::path& folder) {
  const std::vector<Cost> costs = measure_files(folder);
  Cost sum;
  for (const Cost& cost : costs) sum.add(cost);
  const double count = kRounds * static_cast<double>(costs.size());
  fmt::print(
      "{}: {} images, {:.1f} KB, {:.0f} pixels, {:.2f} bits/pixel, whole decode {:.0f} us "
      "({:.2f} ns/pixel; at {} bits/pixel {:.2f}), crop + decode + resize {:.0f} us ({:.0f}/s)\n",
      folder.filename().string(), costs.size(), sum.bytes / count / 1e3, sum.pixels / count,
      8 * sum.bytes / sum.pixels, sum.whole_us / count, 1e3 * sum.whole_us / sum.pixels,
      kFittedBits, fitted_ns_per_pixel(costs, kFittedBits), sum.crops_us / count,
      1e6 * count / sum.crops_us);
}

int run(std::vector<std::string> arguments) {
  if (arguments.size() > 3 && arguments[0] == "--shrink") {
    const fs::path out = arguments[2];
    for (std::size_t i = 3; i < arguments.size(); ++i) {
      shrink(arguments[i], std::stoi(arguments[1]), out);
    }
    arguments = {out.string()};
  }
  for (const std::string& folder : arguments) measure(folder);
  return arguments.empty() ? value_of(ExitCode::kUsage) : 0;
}

}  // namespace
}  // namespace traceml

int main(int argc, char** argv) {
  try {
    return traceml::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "decode_folder: {}\n", error.what());
    return 1;
  }
}
