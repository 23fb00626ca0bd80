#include "workloads/torch/snapshot.h"

namespace traceml {

Snapshot::Snapshot(const Network& network, const FlatSgd& flat) : gradients_(flat.gradients()) {
  const torch::NoGradGuard no_grad;
  const auto save = [this](const at::Tensor& live) { saved_.push_back({live, live.clone()}); };
  save(flat.parameters());
  save(flat.momenta());
  for (const at::Tensor& buffer : network.buffers()) save(buffer);
}

void Snapshot::restore() const {
  const torch::NoGradGuard no_grad;
  for (const Saved& each : saved_) each.live.copy_(each.copy);
  gradients_.zero_();
}

}  // namespace traceml
