#pragma once
// The commented config that `traceml-bench init` writes: small enough to end within minutes on the
// machine that it is written for.

#include <cstdint>
#include <string>

namespace traceml {

struct FirstConfigFacts {
  int cores = 1;          // that this process may use
  std::string dataset{};  // as the config shall name it; empty: one that is still to be made
  std::string folder{};   // of the config file, with its '/'; empty: where it is written
  int classes = 4;
  std::int64_t images = 300;  // to train on
};

// How it is split over the machine: at most two ranks, a core each for training where there are as
// many, the rest for loaders.
int ranks_of(const FirstConfigFacts& facts);

// The file's text: YAML that `check` accepts once the data set is there.
std::string first_config(const FirstConfigFacts& facts);

}  // namespace traceml
