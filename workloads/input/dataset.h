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
  std::string path;        // relative to the data set's folder
  std::int32_t label = 0;  // index into Dataset::classes
};

// The files to train on. Samples are sorted by path, so that the order does not depend on the file
// system or on the form of the list.
struct Dataset {
  std::filesystem::path folder;
  std::vector<std::string> classes;  // sorted: the label of a class is its index
  std::vector<Sample> samples;
};

// By folder, as input.dataset_path names it.
using DataSets = std::map<std::string, std::shared_ptr<const Dataset>>;

// Food-101's tree (images/CLASS/ID.jpg, the training files listed in meta/train.json, else
// meta/train.txt) where `folder` has such a list; else every .jpg and .jpeg file of a folder for
// each class. Opens no image. Throws RunError: no such folder, no images, a listed file that is not
// there, a list that cannot be read.
Dataset load_dataset(const std::filesystem::path& folder);

// Reads every file once, so that it lies in the page cache, and calls `progress`, if given, after
// each. Returns the bytes read. Throws RunError.
std::int64_t warm_cache(const Dataset& dataset, const std::function<void()>& progress = {});

}  // namespace traceml
