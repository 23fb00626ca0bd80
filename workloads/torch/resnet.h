#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workloads/torch/network.h"

namespace traceml {

// ResNet as in torchvision ("v1.5": the stride lies on the 3x3 convolution of a bottleneck), with
// its state-dict names and initialisation: convolutions normal with variance 2 / fan_out (He et al.
// 2015), batch norm 1 and 0, fc uniform within 1 / sqrt(fan_in). The weights depend on `seed`
// alone. On the CPU, contiguous. `model`: resnet18 | 34 | 50 | 101 | 152; throws UsageError for
// another.
std::shared_ptr<Network> make_resnet(const std::string& model, int classes, std::uint64_t seed);

}  // namespace traceml
