#pragma once

#include <torch/torch.h>

#include <vector>

#include "harness/ports/collective.h"
#include "workloads/torch/flat_sgd.h"

namespace traceml {

// Cuts the flat gradient buffer into buckets and hands each to the Collective while backward still
// runs, as soon as its last gradient is final, always in the order 0, 1, 2, ...
class GradientBuckets {
 public:
  // `parameters` in the order of the flat buffer, which is about the order in which backward
  // finishes them. A bucket is closed once it holds bucket_mib MiB, the first once it holds 1 MiB
  // (or bucket_mib, if less): exchange begins early. Sets one hook on each parameter; the
  // parameters must not be used in a backward after this object is gone.
  GradientBuckets(const std::vector<at::Tensor>& parameters, const FlatSgd& flat, double bucket_mib,
                  Collective& collective);
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  // After backward: hands over what backward did not reach, then waits until every bucket holds
  // its mean. Throws RunError if a collective failed.
  void finish_step();

  // The buckets in hand-over order.
  const std::vector<BucketView>& views() const { return views_; }

  // Called by the hooks: a gradient of this bucket is final.
  void gradient_ready(std::size_t bucket);

 private:
  void hand_over_next();

  Collective& collective_;
  std::vector<BucketView> views_;
  std::vector<int> sizes_;    // parameters in each bucket
  std::vector<int> missing_;  // gradients that this step still lacks, for each bucket
  std::size_t next_ = 0;
};

}  // namespace traceml
