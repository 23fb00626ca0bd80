#include "harness/plan/model_flops.h"

#include <array>
#include <string_view>

namespace traceml {

namespace {

struct Shape {
  std::string_view model;
  bool bottleneck = false;
  std::array<int, 4> blocks{};
};

constexpr std::array<Shape, 5> kShapes = {{{"resnet18", false, {2, 2, 2, 2}},
                                           {"resnet34", false, {3, 4, 6, 3}},
                                           {"resnet50", true, {3, 4, 6, 3}},
                                           {"resnet101", true, {3, 4, 23, 3}},
                                           {"resnet152", true, {3, 8, 36, 3}}}};

// Adds up convolutions, each padded by half its kernel.
class Layers {
 public:
  explicit Layers(int image_size) : side_(image_size) {}

  // Leaves the side of its output behind.
  void convolve(std::int64_t kernel, std::int64_t in, std::int64_t out, std::int64_t stride) {
    shrink(stride);
    macs_ += kernel * kernel * in * out * side_ * side_;
  }

  // With a kernel of 3 or 7 and half of it as padding, or a 1x1 kernel: the same side.
  void shrink(std::int64_t stride) { side_ = (side_ - 1) / stride + 1; }

  void block(const Shape& shape, std::int64_t in, std::int64_t width, std::int64_t stride) {
    const std::int64_t out = out_of(shape, width);
    const std::int64_t side = side_;
    if (shape.bottleneck) {
      convolve(1, in, width, 1);
      convolve(3, width, width, stride);
      convolve(1, width, out, 1);
    } else {
      convolve(3, in, width, stride);
      convolve(3, width, width, 1);
    }
    if (stride == 1 && in == out) return;
    side_ = side;
    convolve(1, in, out, stride);  // of the identity path
  }

  static std::int64_t out_of(const Shape& shape, std::int64_t width) {
    return shape.bottleneck ? 4 * width : width;
  }

  std::int64_t macs() const { return macs_; }

 private:
  std::int64_t side_;
  std::int64_t macs_ = 0;
};

struct Peaks {
  std::string_view device;
  double bf16, tf32, fp32;  // TFLOP/s
  const char* source;
};

constexpr const char* kHopper = "NVIDIA H100 and H200 data sheets, SXM, without sparsity";
constexpr const char* kAmpere = "NVIDIA A100 data sheet, without sparsity";
constexpr std::array<Peaks, 7> kPeaks = {{{"NVIDIA H200", 989.4, 494.7, 66.9, kHopper},
                                          {"NVIDIA H100 80GB HBM3", 989.4, 494.7, 66.9, kHopper},
                                          {"NVIDIA A100-SXM4-40GB", 312, 156, 19.5, kAmpere},
                                          {"NVIDIA A100-SXM4-80GB", 312, 156, 19.5, kAmpere},
                                          {"NVIDIA A100-PCIE-40GB", 312, 156, 19.5, kAmpere},
                                          {"NVIDIA A100-PCIE-80GB", 312, 156, 19.5, kAmpere},
                                          {"NVIDIA A100 80GB PCIe", 312, 156, 19.5, kAmpere}}};

}  // namespace

std::optional<std::int64_t> forward_macs(const std::string& model, int classes, int image_size) {
  for (const Shape& shape : kShapes) {
    if (shape.model != model) continue;
    Layers layers(image_size);
    layers.convolve(7, 3, 64, 2);
    layers.shrink(2);  // max pooling
    std::int64_t in = 64, width = 64;
    for (std::size_t group = 0; group < shape.blocks.size(); ++group, width *= 2) {
      for (int block = 0; block < shape.blocks[group]; ++block) {
        layers.block(shape, in, width, block == 0 && group > 0 ? 2 : 1);
        in = Layers::out_of(shape, width);
      }
    }
    return layers.macs() + in * classes;
  }
  return std::nullopt;
}

std::optional<double> training_flop_per_image(const WorkloadConfig& workload) {
  constexpr double kFlopPerMac = 2, kForwardAndBackward = 3;
  const auto macs = forward_macs(workload.model, workload.classes, workload.image_size);
  if (!macs) return std::nullopt;
  return kFlopPerMac * kForwardAndBackward * static_cast<double>(*macs);
}

std::optional<DensePeak> dense_peak(const std::string& device, Precision precision) {
  for (const Peaks& peaks : kPeaks) {
    if (peaks.device != device) continue;
    const double tflop_per_s = precision == Precision::kBf16   ? peaks.bf16
                               : precision == Precision::kTf32 ? peaks.tf32
                                                               : peaks.fp32;
    return DensePeak{tflop_per_s, peaks.source};
  }
  return std::nullopt;
}

}  // namespace traceml
