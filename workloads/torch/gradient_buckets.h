#pragma once

#include <torch/torch.h>

#include <vector>

#include "harness/ports/collective.h"
#include "workloads/torch/flat_sgd.h"

namespace traceml {

// Cuts the flat gradient buffer into buckets. While backward still runs, as soon as the last
// gradient of a bucket is final, its gradients are copied into the flat buffer, in one call, given
// up, and the bucket is handed to the Collective, always in the order 0, 1, 2, ...
class GradientBuckets {
 public:
  // `parameters` in the order of the flat buffer, which is about the order in which backward
  // finishes them. A bucket is closed once it holds bucket_mib MiB, the first once it holds 1 MiB
  // (or bucket_mib, if less): exchange begins early. Sets one hook on each parameter; the
  // parameters must not be used in a backward after this object is gone. `queue` is where the
  // training's device work goes, {} on a CPU.
  GradientBuckets(const std::vector<at::Tensor>& parameters, const FlatSgd& flat, double bucket_mib,
                  Collective& collective, DeviceQueue queue = {});
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  // After backward: hands over what backward did not reach, with gradients of zero, then waits (in
  // `queue`) until every bucket holds its mean. Throws RunError if a collective failed.
  void finish_step();

  // The buckets in hand-over order.
  const std::vector<BucketView>& views() const { return views_; }

  // Called by the hooks: a gradient of this bucket is final.
  void gradient_ready(std::size_t bucket);

 private:
  struct Members {
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> homes;  // of their gradients, in the flat buffer
  };

  void gather(const Members& bucket);
  void hand_over_next();

  Collective& collective_;
  DeviceQueue queue_;
  std::vector<BucketView> views_;
  std::vector<Members> members_;
  std::vector<std::size_t> missing_;  // gradients that this step still lacks, for each bucket
  std::size_t next_ = 0;
};

}  // namespace traceml
