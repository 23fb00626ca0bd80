#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace traceml {

struct DatagenOptions {
  std::filesystem::path folder;  // made; must not exist or must be empty
  int classes = 101;
  int images = 1000;               // to train on, spread evenly over the classes
  std::optional<int> test_images;  // nullopt: a third of `images`, Food-101's 750 to 250
  int long_side = 512;             // pixels of the longer side of every image
  std::uint64_t seed = 0;
  int threads = 0;  // 0: one for each core this process may use
};

struct DatagenSummary {
  int classes = 0;
  std::int64_t images = 0;  // training and test
  std::int64_t total_bytes = 0;
  double mean_bytes = 0;       // of a file
  double deviation_bytes = 0;  // standard deviation
  double bits_per_pixel = 0;   // all bits over all pixels
  // Mean whole decode on this machine, processor time of one thread, up to 200 images.
  double decode_us = 0;
};

// Makes a data set shaped like Food-101: images/CLASS/ID.jpg and meta/{train,test}.{json,txt},
// meta/{classes,labels}.txt. Shapes as Food-101's mixture, JPEG quality 90, 4:2:0, photographs'
// statistics; file sizes lognormal about the mean of photographs of that size (49.5 KB at 512
// pixels). Every file depends on the options above `threads` alone. Throws UsageError for options
// that cannot be met and RunError where a file cannot be written.
DatagenSummary make_dataset(const DatagenOptions& options);

// For a terminal: several lines, each ends with a newline.
std::string describe(const DatagenSummary& summary);

}  // namespace traceml
