#pragma once
// How much arithmetic a training step needs, and how much of it a device can do: for model FLOP
// utilisation. Pure.

#include <cstdint>
#include <optional>
#include <string>

#include "harness/plan/config.h"

namespace traceml {

// Multiply-accumulates of the forward pass of one image: the convolutions (k * k * in * out *
// height
// * width of the output) and the last layer of torchvision's ResNets, as
// workloads/torch/resnet.cpp builds them; norms, activations and pooling are left out. ResNet-50 at
// 224 px with 1000 classes: 4.089e9. nullopt for a model that trains nothing.
std::optional<std::int64_t> forward_macs(const std::string& model, int classes, int image_size);

// 2 FLOP a multiply-accumulate; backward is twice forward (the gradients of inputs and weights).
std::optional<double> training_flop_per_image(const WorkloadConfig& workload);

// Of dense arithmetic, by the vendor's data sheet.
struct DensePeak {
  double tflop_per_s = 0;
  const char* source = "";
};

// `device` as the driver names it, exactly: another form factor or a part of a GPU (MIG) has
// another peak. nullopt for a device that is not listed.
std::optional<DensePeak> dense_peak(const std::string& device, Precision precision);

}  // namespace traceml
