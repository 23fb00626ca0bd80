#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace traceml {

struct Sample {
  std::string path;        // relative to the data set's folder, or absolute
  std::int32_t label = 0;  // index into Dataset::classes
};

// The files to train on. Samples are sorted by path, so that the order does not depend on the file
// system or on the form of the list.
struct Dataset {
  std::filesystem::path folder;      // of a list: the one that it lies in
  std::vector<std::string> classes;  // sorted: the label of a class is its index
  std::vector<Sample> samples;
};

// By folder, as input.dataset_path names it.
using DataSets = std::map<std::string, std::shared_ptr<const Dataset>>;

// A folder: Food-101's tree (images/CLASS/ID.jpg, the training files listed in meta/train.json,
// else meta/train.txt) where it has such a list; else a folder for each class, every .jpg and .jpeg
// file at any depth below it. A file: a list of path,label (csv_list.h), paths relative to its
// folder. Names that begin with a dot are passed over. Opens no image. Throws UsageError: nothing
// there, no images; RunError: a listed file that is not there, a list that cannot be read.
Dataset load_dataset(const std::filesystem::path& path);

// Reads every file once, so that it lies in the page cache, and calls `progress`, if given, after
// each. Returns the bytes read. Throws RunError.
std::int64_t warm_cache(const Dataset& dataset, const std::function<void()>& progress = {});

// Before cold reading: what was written to the file system reaches storage, so that it can be
// dropped from the page cache. Returns whether dropping is seen to work; false where the file
// system does not say. Throws RunError where files stay in memory whatever is done (tmpfs).
bool prepare_cold_reading(const Dataset& dataset);

}  // namespace traceml
