#include "workloads/input/jpeg_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "tests/workloads/input/test_images.h"
#include "workloads/input/random.h"

namespace traceml {

void PrintTo(const TestJpeg& jpeg, std::ostream* out) {
  *out << jpeg.width << "x" << jpeg.height << " luma " << jpeg.luma_across << "x" << jpeg.luma_down
       << (jpeg.progressive ? " progressive" : "")
       << (jpeg.colour == TestColour::kGrey ? " grey" : "");
}

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Bytes = std::vector<std::uint8_t>;

Bytes decoded(JpegDecoder& decoder, const Bytes& file, const Crop& crop) {
  decoder.read_header(file);
  return packed(decoder.decode(crop));
}

Bytes whole(const Bytes& file) {
  JpegDecoder decoder;
  const ImageSize size = decoder.read_header(file).size;
  return packed(decoder.decode({0, 0, size.width, size.height}));
}

Bytes cut_out(const Bytes& pixels, int image_width, const Crop& crop) {
  Bytes result;
  for (int y = crop.top; y < crop.top + crop.height; ++y) {
    const auto begin =
        pixels.begin() + (static_cast<std::ptrdiff_t>(y) * image_width + crop.left) * 3;
    result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(crop.width) * 3);
  }
  return result;
}

// The sentence about a bad file; empty if it could be decoded.
std::string complaint(const Bytes& file, const Crop& crop = {0, 0, 8, 8}) {
  JpegDecoder decoder;
  try {
    decoder.read_header(file);
    decoder.decode(crop);
  } catch (const ImageError& error) {
    return error.what();
  }
  return "";
}

Bytes first_part(const Bytes& file, double fraction) {
  return {file.begin(),
          file.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(file.size()) * fraction)};
}

class CropDecode : public ::testing::TestWithParam<TestJpeg> {};

TEST_P(CropDecode, EqualsTheCropOfAFullDecode) {
  const TestJpeg options = GetParam();
  const Bytes file = make_jpeg(options);
  const Bytes full = whole(file);
  ASSERT_EQ(full.size(), static_cast<std::size_t>(options.width) * options.height * 3);
  JpegDecoder decoder;
  Random random(static_cast<std::uint64_t>(options.width));
  for (int i = 0; i < 150; ++i) {
    Crop crop;
    crop.width = 1 + random.below(options.width);
    crop.height = 1 + random.below(options.height);
    crop.left = random.below(options.width - crop.width + 1);
    crop.top = random.below(options.height - crop.height + 1);
    ASSERT_EQ(decoded(decoder, file, crop), cut_out(full, options.width, crop))
        << crop.left << "," << crop.top << " " << crop.width << "x" << crop.height;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Forms, CropDecode,
    ::testing::Values(TestJpeg{.width = 203, .height = 155}, TestJpeg{.width = 128, .height = 96},
                      TestJpeg{.width = 203, .height = 155, .luma_down = 1},
                      TestJpeg{.width = 203, .height = 155, .luma_across = 1},
                      TestJpeg{.width = 203, .height = 155, .luma_across = 1, .luma_down = 1},
                      TestJpeg{.width = 203, .height = 155, .progressive = true},
                      TestJpeg{.width = 202,
                               .height = 131,
                               .colour = TestColour::kGrey,
                               .luma_across = 1,
                               .luma_down = 1},
                      TestJpeg{.width = 9, .height = 7}, TestJpeg{.width = 1, .height = 1}));

TEST(JpegDecoder, WidensGreyToThreeEqualChannels) {
  const Bytes file = make_jpeg({.colour = TestColour::kGrey, .luma_across = 1, .luma_down = 1});
  JpegDecoder decoder;
  EXPECT_TRUE(decoder.read_header(file).grey);
  const Bytes pixels = packed(decoder.decode({3, 5, 20, 10}));
  bool varies = false;
  for (std::size_t i = 0; i < pixels.size(); i += 3) {
    ASSERT_EQ(pixels[i], pixels[i + 1]);
    ASSERT_EQ(pixels[i], pixels[i + 2]);
    varies = varies || pixels[i] != pixels[0];
  }
  EXPECT_TRUE(varies);
}

TEST(JpegDecoder, NamesWhatIsWrongWithAFile) {
  const Bytes good = make_jpeg({.width = 160, .height = 120});
  EXPECT_EQ(complaint(good), "");
  EXPECT_EQ(complaint({}), "is empty");
  EXPECT_EQ(complaint({0xff}), "is not a JPEG file");
  EXPECT_EQ(complaint({0x89, 'P', 'N', 'G', 0x0d, 0x0a}), "is not a JPEG file");
  EXPECT_THAT(complaint(make_jpeg({.colour = TestColour::kCmyk, .luma_across = 1, .luma_down = 1})),
              StartsWith("is a CMYK file"));
  EXPECT_THAT(complaint(make_jpeg({.colour = TestColour::kYcck, .luma_across = 1, .luma_down = 1})),
              StartsWith("is a CMYK file"));
}

TEST(JpegDecoder, FindsACutAnywhereInTheFileEvenBelowTheCrop) {
  for (const bool progressive : {false, true}) {
    const Bytes good = make_jpeg({.width = 160, .height = 120, .progressive = progressive});
    for (const double fraction : {0.02, 0.1, 0.3, 0.6, 0.9, 0.99}) {
      EXPECT_THAT(complaint(first_part(good, fraction)), StartsWith("is truncated")) << fraction;
    }
    const Bytes without_end(good.begin(), good.end() - 2);
    EXPECT_THAT(complaint(without_end), StartsWith("is truncated"));
  }
}

TEST(JpegDecoder, AcceptsBytesBehindTheEndOfTheImage) {
  Bytes file = make_jpeg({.width = 160, .height = 120});
  const Bytes pixels = whole(file);
  file.insert(file.end(), {1, 2, 3, 4, 5});
  EXPECT_EQ(complaint(file), "");
  EXPECT_EQ(whole(file), pixels);
}

TEST(JpegDecoder, CallsDamagedEntropyDataCorrupt) {
  Bytes file = make_jpeg({.width = 160, .height = 120});
  // A marker in the middle of the data ends it too early.
  file[file.size() / 2] = 0xff;
  file[file.size() / 2 + 1] = 0xda;
  EXPECT_THAT(complaint(file, {0, 0, 160, 120}), StartsWith("is a corrupt JPEG file"));
}

TEST(JpegDecoder, CallsABrokenHeaderCorrupt) {
  EXPECT_THAT(complaint({0xff, 0xd8, 0xff, 0xdb, 0x00, 0x01, 0xff, 0xd9}),
              AllOf(StartsWith("is a corrupt JPEG file"), Not(HasSubstr("\n"))));
}

// Overwrites the image size in the frame header.
Bytes claiming(Bytes file, int width, int height) {
  for (std::size_t i = 0; i + 9 < file.size(); ++i) {
    if (file[i] != 0xff || file[i + 1] != 0xc0) continue;
    file[i + 5] = static_cast<std::uint8_t>(height >> 8);
    file[i + 6] = static_cast<std::uint8_t>(height);
    file[i + 7] = static_cast<std::uint8_t>(width >> 8);
    file[i + 8] = static_cast<std::uint8_t>(width);
    return file;
  }
  return {};
}

TEST(JpegDecoder, RefusesDimensionsThatWouldFillTheMemory) {
  const Bytes good = make_jpeg({.width = 160, .height = 120});
  EXPECT_EQ(complaint(claiming(good, 65000, 65000)),
            "claims 65000 x 65000 pixels; at most 67 million are decoded");
  EXPECT_NE(complaint(claiming(good, 0, 0)), "");
}

TEST(JpegDecoder, GoesOnWithTheNextFileAfterABadOne) {
  const Bytes good = make_jpeg({.width = 160, .height = 120});
  const Bytes pixels = whole(good);
  const Bytes damaged = first_part(good, 0.5);
  JpegDecoder decoder;
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(decoder.read_header(first_part(good, 0.02)), ImageError);
    decoder.read_header(damaged);
    EXPECT_THROW(decoder.decode({0, 0, 160, 120}), ImageError);
    decoder.read_header(good);  // and not decoded
    EXPECT_EQ(decoded(decoder, good, {0, 0, 160, 120}), pixels);
  }
}

TEST(JpegDecoder, SurvivesEveryOverwrittenByte) {
  const Bytes good = make_jpeg({.width = 48, .height = 40});
  JpegDecoder decoder;
  Random random(5);
  int decoded_anyway = 0;
  for (std::size_t i = 2; i < good.size(); ++i) {
    Bytes file = good;
    file[i] = static_cast<std::uint8_t>(random.below(256));
    try {
      const ImageSize size = decoder.read_header(file).size;
      const ImageView view = decoder.decode(
          {size.width / 3, size.height / 3, 1 + size.width / 3, 1 + size.height / 3});
      decoded_anyway += packed(view).empty() ? 0 : 1;
    } catch (const ImageError&) {
    }
  }
  EXPECT_GT(decoded_anyway, 0);
}

}  // namespace
}  // namespace traceml
