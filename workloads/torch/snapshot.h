#pragma once

#include <torch/torch.h>

#include <vector>

#include "workloads/torch/flat_sgd.h"
#include "workloads/torch/network.h"

namespace traceml {

// The whole state of a training, taken when made: parameters, momenta and buffers (running
// statistics of batch norm). Gradients are zero between steps and need no copy.
class Snapshot {
 public:
  Snapshot(const Network& network, const FlatSgd& flat);

  // Bit for bit, whatever the state is now (NaN included); gradients become zero. The network and
  // buffers must be those of the snapshot.
  void restore() const;

 private:
  struct Saved {
    at::Tensor live;
    at::Tensor copy;
  };
  std::vector<Saved> saved_;
  at::Tensor gradients_;
};

}  // namespace traceml
