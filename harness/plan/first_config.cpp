#include "harness/plan/first_config.h"

#include <algorithm>
#include <cctype>

#include "harness/plan/figures.h"

namespace traceml {

namespace {

constexpr int kMostRanks = 2;
constexpr int kMostWorkers = 8;
constexpr const char* kMadeHere = "data/food101-like";

int workers_of(const FirstConfigFacts& facts) {
  return std::clamp(facts.cores / ranks_of(facts) - 1, 1, kMostWorkers);
}

// Half of what each rank's share of the data set allows, so that an epoch has two batches or more.
std::int64_t batch_size_of(const FirstConfigFacts& facts) {
  constexpr std::int64_t kUsual = 8;
  return std::clamp<std::int64_t>(facts.images / ranks_of(facts) / 2, 1, kUsual);
}

// A plain scalar where YAML reads it as it is written, else in single quotes.
std::string yaml_text(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '.' || c == '_' || c == '-';
  });
  if (plain && !text.empty() &&
      (std::isalpha(text.front()) != 0 || text.front() == '/' || text.starts_with("./") ||
       text.starts_with("../"))) {
    return text;
  }
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

std::string head(const FirstConfigFacts& facts, const std::string& dataset) {
  const std::string start = "#   mpirun -n " + std::to_string(ranks_of(facts)) +
                            " --bind-to none traceml-bench THIS_FILE\n";
  std::string text = "# Written by traceml-bench init for " + std::to_string(facts.cores) +
                     (facts.cores == 1 ? " core" : " cores") +
                     ". Every key: traceml-bench check --keys\n";
  if (facts.dataset.empty()) {
    text += "#   traceml-bench datagen " + facts.folder + dataset + " --classes " +
            std::to_string(facts.classes) + " --images " + std::to_string(facts.images) + "\n";
  }
  return text + "#   traceml-bench check THIS_FILE -n " + std::to_string(ranks_of(facts)) + "\n" +
         start;
}

}  // namespace

int ranks_of(const FirstConfigFacts& facts) {
  return std::clamp(facts.cores, 1, kMostRanks);
}

std::string first_config(const FirstConfigFacts& facts) {
  const std::string dataset = facts.dataset.empty() ? kMadeHere : facts.dataset;
  const std::string found = facts.dataset.empty()
                                ? "made by the datagen line above"
                                : with_thousands(facts.images) + " images to train on, " +
                                      std::to_string(facts.classes) + " classes";
  return head(facts, dataset) + R"(name: first
question: Does the loader keep the ranks fed, and what does the instrumentation cost?
seed: 7                  # of the order of arms, the weights and the samples

workload:
  model: resnet18        # resnet18 | 34 | 50 | 101 | 152
  classes: )" +
         std::to_string(facts.classes) + R"(
  image_size: 64         # pixels, square; 224 is usual on a GPU
  batch_size: )" +
         std::to_string(batch_size_of(facts)) +
         R"(          # images per rank and step
  device: auto
  optimizer: {lr: 0.01, momentum: 0.9}

input:
  dataset: )" +
         yaml_text(dataset) + "   # " + found + R"(
  workers: )" +
         std::to_string(workers_of(facts)) +
         R"(             # decode threads of each rank; 0 decodes on the training thread
  prefetch: 2            # batches ready per rank
  dtype: uint8           # uint8 is normalised on the device; float32 by the workers

measure:
  steps: 8               # per window
  max_blocks: 10         # looks after 6 and 10 blocks; each block runs every arm once

arms:
  reference: {input: {source: synthetic}}   # the same step without input
  shipped: {}                               # the keys above as they stand
  # deeper: {input: {prefetch: 4}}          # compare a change like this

gates:
  - {compare: shipped, against: reference, min_fraction: 0.8}
  - {overhead_of: events, on: shipped, max_overhead: 10%}
  # - {compare: deeper, against: shipped, max_regression: 5%}
)";
}

}  // namespace traceml
