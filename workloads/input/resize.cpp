#include "workloads/input/resize.h"

namespace traceml {

namespace {

constexpr int kChannels = 3;

}  // namespace

Resizer::Resizer(ImageSize target, const ResizeKernels& kernels)
    : target_(target),
      kernels_(&kernels),
      stride_((static_cast<std::size_t>(target.width) * kChannels + 31) / 32 * 32 + kReadPadding),
      narrowed_(stride_ * kUsualSide) {
  across_.compute(kUsualSide, target.width, false);
  down_.compute(kUsualSide, target.height, false);
}

void Resizer::resize(const ImageView& source, bool mirrored, std::uint8_t* target) {
  resize(source, {0, 0, static_cast<double>(source.width), static_cast<double>(source.height)},
         mirrored, target);
}

void Resizer::resize(const ImageView& source, const Window& part, bool mirrored,
                     std::uint8_t* target) {
  across_.compute(source.width, part.left, part.width, target_.width, mirrored);
  down_.compute(source.height, part.top, part.height, target_.height, false);
  make_room(narrowed_, stride_ * static_cast<std::size_t>(source.height));
  kernels_->horizontal(source.pixels, source.stride, source.height, across_.table(),
                       narrowed_.data(), stride_);
  kernels_->vertical(narrowed_.data(), stride_, target_.width * kChannels, down_.table(), target);
}

}  // namespace traceml
