#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "tests/workloads/input/test_images.h"
#include "workloads/input/decode_scale.h"
#include "workloads/input/jpeg_decoder.h"
#include "workloads/input/photo_file.h"
#include "workloads/input/random.h"
#include "workloads/input/random_resized_crop.h"
#include "workloads/input/sample_pipeline.h"

namespace traceml {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr ImageSize kTarget{224, 224};

TEST(DecodeDenominator, LeavesAtLeastAsManyPixelsAsTheTargetHas) {
  const ImageSize photo{4000, 3000};
  EXPECT_EQ(decode_denominator(photo, {0, 0, 3000, 1791}, kTarget), 4);
  EXPECT_EQ(decode_denominator(photo, {0, 0, 1792, 1792}, kTarget), 8);
  EXPECT_EQ(decode_denominator(photo, {0, 0, 4000, 895}, kTarget), 2) << "the shorter side decides";
  EXPECT_EQ(decode_denominator(photo, {0, 0, 448, 448}, kTarget), 2);
  EXPECT_EQ(decode_denominator(photo, {0, 0, 447, 3000}, kTarget), 1);
}

TEST(DecodeDenominator, IsOneForImagesOfFood101sSizeWhateverTheTarget) {
  EXPECT_EQ(decode_denominator({512, 512}, {0, 0, 512, 512}, kTarget), 1);
  EXPECT_EQ(decode_denominator({512, 384}, {0, 0, 512, 384}, {16, 16}), 1);
  EXPECT_EQ(decode_denominator({513, 384}, {0, 0, 513, 384}, {16, 16}), 8);
}

// A part of packed pixels that are `width` wide.
Bytes cut_out(const Bytes& pixels, int width, const Crop& crop) {
  Bytes result;
  for (int y = crop.top; y < crop.top + crop.height; ++y) {
    const auto begin = pixels.begin() + (static_cast<std::ptrdiff_t>(y) * width + crop.left) * 3;
    result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(crop.width) * 3);
  }
  return result;
}

TEST(ScaledDecode, OfACropEqualsTheCropOfTheScaledImage) {
  const std::vector<TestJpeg> forms = {
      {.width = 403, .height = 355},
      {.width = 403, .height = 355, .luma_down = 1},
      {.width = 403, .height = 355, .luma_across = 1, .luma_down = 1},
      {.width = 403, .height = 355, .progressive = true},
      {.width = 402, .height = 331, .colour = TestColour::kGrey, .luma_across = 1, .luma_down = 1}};
  JpegDecoder decoder;
  Random random(5);
  for (const TestJpeg& form : forms) {
    const Bytes file = make_jpeg(form);
    for (const int denominator : {2, 4, 8}) {
      Window window;
      decoder.read_header(file);
      const ImageView whole =
          decoder.decode_scaled({0, 0, form.width, form.height}, denominator, &window);
      EXPECT_EQ(whole.width, (form.width + denominator - 1) / denominator);
      EXPECT_EQ(window.width, static_cast<double>(form.width) / denominator);
      const int width = whole.width;
      const Bytes full = packed(whole);
      for (int i = 0; i < 10; ++i) {
        Crop crop;
        crop.width = 1 + random.below(form.width);
        crop.height = 1 + random.below(form.height);
        crop.left = random.below(form.width - crop.width + 1);
        crop.top = random.below(form.height - crop.height + 1);
        decoder.read_header(file);
        const ImageView view = decoder.decode_scaled(crop, denominator, &window);
        const Crop touched{crop.left / denominator, crop.top / denominator, view.width,
                           view.height};
        ASSERT_EQ(packed(view), cut_out(full, width, touched)) << denominator << " " << i;
        EXPECT_EQ((touched.left + window.left) * denominator, crop.left);
        EXPECT_EQ((touched.top + window.top) * denominator, crop.top);
        EXPECT_GE(view.width, window.left + window.width);
        EXPECT_LT(view.width, window.left + window.width + 1);
      }
    }
  }
}

std::shared_ptr<const Dataset> photo_of(const TestFolder& folder, int long_side) {
  PhotoFile photo;
  folder.write("a/photo.jpg", photo.make(long_side, 3));
  return std::make_shared<const Dataset>(load_dataset(folder.path()));
}

// Differences of all values of `crops` samples with scaled decoding against without, ascending.
std::vector<int> differences(const std::shared_ptr<const Dataset>& dataset, int size, int crops,
                             int* scaled) {
  SamplePipeline full(dataset, size, SampleType::kUint8);
  SamplePipeline fast(dataset, size, SampleType::kUint8, Cache::kWarm, ScaledDecode::kAuto);
  StageWatch no_watch;
  std::vector<int> all;
  Bytes expected(bytes_per_sample(size, SampleType::kUint8));
  Bytes row(expected.size());
  for (int i = 0; i < crops; ++i) {
    const Random random = sample_random(1, i, 0);
    EXPECT_FALSE(full.make(0, random, expected.data(), no_watch).scaled);
    *scaled += fast.make(0, random, row.data(), no_watch).scaled ? 1 : 0;
    for (std::size_t k = 0; k < row.size(); ++k) all.push_back(std::abs(row[k] - expected[k]));
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(ScaledDecode, LeavesImagesOfFood101sSizeBitByBitAsTheyAre) {
  TestFolder folder;
  int scaled = 0;
  EXPECT_EQ(differences(photo_of(folder, 512), 32, 30, &scaled).back(), 0);
  EXPECT_EQ(scaled, 0);
}

// Measured: mean 0.39, 3 at 99 %, 23 at most (of 255). What libjpeg keeps of each block are its low
// frequencies, which is near to the means of its pixels and not equal to them: edges differ, areas
// do not. A crop that begins up to a pixel of the scaled image off differs by more than this.
TEST(ScaledDecode, DiffersLittleFromTheFullPathInLargeImages) {
  TestFolder folder;
  int scaled = 0;
  const std::vector<int> found = differences(photo_of(folder, 1600), 96, 20, &scaled);
  EXPECT_GE(scaled, 18);
  const double mean =
      std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(found.size());
  EXPECT_LT(mean, 0.6);
  EXPECT_LE(found[found.size() - found.size() / 100], 5);
  EXPECT_LE(found.back(), 40);
}

}  // namespace
}  // namespace traceml
