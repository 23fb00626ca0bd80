// The only test of this room that needs libtorch, which defines what "antialiased bilinear" means.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "workloads/input/random.h"
#include "workloads/input/resize.h"

namespace traceml {
namespace {

std::int64_t differing_samples(ImageSize source, ImageSize target, std::uint64_t key) {
  const at::Tensor image = at::empty({1, 3, source.height, source.width}, at::kByte)
                               .contiguous(at::MemoryFormat::ChannelsLast);
  const auto bytes = static_cast<std::size_t>(source.width) * source.height * 3;
  std::vector<std::uint8_t> pixels(bytes + kReadPadding);
  Random random(key);
  for (std::uint8_t& value : pixels) value = static_cast<std::uint8_t>(random.below(256));
  std::copy_n(pixels.data(), bytes, image.data_ptr<std::uint8_t>());
  const at::Tensor expected =
      at::_upsample_bilinear2d_aa(image, {target.height, target.width}, false)
          .contiguous(at::MemoryFormat::ChannelsLast);

  std::int64_t differing = 0;
  for (int i = 0; i < runnable_kernels().count; ++i) {
    Resizer resizer(target, *runnable_kernels().variants[i]);
    std::vector<std::uint8_t> actual(static_cast<std::size_t>(target.width) * target.height * 3);
    const ImageView view{pixels.data(), source.width, source.height,
                         static_cast<std::size_t>(source.width) * 3};
    resizer.resize(view, false, actual.data());
    for (std::size_t k = 0; k < actual.size(); ++k) {
      if (actual[k] != expected.data_ptr<std::uint8_t>()[k]) ++differing;
    }
  }
  return differing;
}

TEST(ResizeAgainstLibtorch, GivesItsBytesForTwoHundredRandomSizes) {
  Random random(2026);
  for (int i = 0; i < 200; ++i) {
    const ImageSize source{1 + random.below(600), 1 + random.below(600)};
    const int side = 1 + random.below(300);
    const ImageSize target = i % 2 == 0 ? ImageSize{224, 224} : ImageSize{side, side};
    EXPECT_EQ(differing_samples(source, target, static_cast<std::uint64_t>(i)), 0)
        << source.width << "x" << source.height << " to " << target.width;
  }
}

TEST(ResizeAgainstLibtorch, GivesItsBytesForLargePhotographs) {
  EXPECT_EQ(differing_samples({2048, 1536}, {224, 224}, 1), 0);
  EXPECT_EQ(differing_samples({1733, 2048}, {32, 32}, 2), 0);
}

}  // namespace
}  // namespace traceml
