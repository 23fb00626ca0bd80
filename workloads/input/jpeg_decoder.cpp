#include "workloads/input/jpeg_decoder.h"

// jpeglib.h uses FILE without including it.
#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

// After jpeglib.h: the message codes depend on its JPEG_LIB_VERSION (62 on Debian, 80 on Ubuntu).
#include <jerror.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.h"

namespace traceml {

namespace {

constexpr int kChannels = 3;
// Fancy upsampling of the chroma looks at neighbours; with this margin the crop's edges do not
// differ from a full decode.
constexpr int kMargin = 2;
constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;
constexpr int kMostRowsPerCall = 16;
constexpr std::uint8_t kMarker = 0xff;
constexpr std::uint8_t kStartOfImage = 0xd8;
constexpr std::uint8_t kEndOfImage = 0xd9;

bool means_truncated(int code) {
  return code == JWRN_JPEG_EOF || code == JERR_INPUT_EOF;
}

// libjpeg goes on after a warning, with invented pixels unless it is one of these.
bool is_harmless(int code) {
  return code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
}

}  // namespace

// longjmp() leaves libjpeg's C frames and one of the guarded_* functions below, which hold nothing
// with a destructor; they return false then.
struct JpegDecoder::State {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  std::jmp_buf escape{};
  int error_code = 0;
  std::array<char, JMSG_LENGTH_MAX> message{};
  bool complete = false;  // the file ends with an end-of-image marker
  JDIMENSION left = 0;    // of the decoded columns
  JDIMENSION width = 0;   // decoded columns
  std::vector<std::uint8_t> pixels;

  [[noreturn]] static void escape_with_message(j_common_ptr common) {
    auto* state = static_cast<State*>(common->client_data);
    state->error_code = common->err->msg_code;
    (*common->err->format_message)(common, state->message.data());
    std::longjmp(state->escape, 1);
  }

  static void refuse_damage(j_common_ptr common, int level) {
    if (level < 0 && !is_harmless(common->err->msg_code)) escape_with_message(common);
  }

  bool guarded_create() {
    if (setjmp(escape) != 0) return false;
    jpeg_create_decompress(&jpeg);
    return true;
  }

  bool guarded_header(const std::uint8_t* bytes, unsigned long count) {
    if (setjmp(escape) != 0) return false;
    jpeg_abort_decompress(&jpeg);
    jpeg_mem_src(&jpeg, bytes, count);
    jpeg_read_header(&jpeg, TRUE);
    return true;
  }

  // Starts the output at row `top` and columns left .. left + width, widened to whole blocks.
  bool guarded_start(JDIMENSION top, int denominator) {
    if (setjmp(escape) != 0) return false;
    jpeg.scale_num = 1;
    jpeg.scale_denom = static_cast<unsigned int>(denominator);
    jpeg.out_color_space = JCS_RGB;
    jpeg.dct_method = JDCT_ISLOW;
    jpeg.do_fancy_upsampling = TRUE;
    jpeg_start_decompress(&jpeg);
    if (width < jpeg.output_width) jpeg_crop_scanline(&jpeg, &left, &width);
    if (top > 0) jpeg_skip_scanlines(&jpeg, top);
    return true;
  }

  // pixels has room for one row more.
  bool guarded_rows(JDIMENSION rows, std::size_t stride) {
    if (setjmp(escape) != 0) return false;
    JDIMENSION done = 0;
    while (done < rows) {
      JSAMPROW targets[kMostRowsPerCall];
      const JDIMENSION wanted = std::min<JDIMENSION>(rows - done, kMostRowsPerCall);
      for (JDIMENSION i = 0; i < wanted; ++i) targets[i] = pixels.data() + (done + i) * stride;
      done += jpeg_read_scanlines(&jpeg, targets, wanted);
    }
    if (!complete) {
      // Skipping the rest would not decode it.
      JSAMPROW scratch = pixels.data() + rows * stride;
      while (jpeg.output_scanline < jpeg.output_height) jpeg_read_scanlines(&jpeg, &scratch, 1);
      jpeg_finish_decompress(&jpeg);
    }
    jpeg_abort_decompress(&jpeg);
    return true;
  }

  [[noreturn]] void fail() {
    jpeg_abort_decompress(&jpeg);
    throw ImageError(fmt::format("is {} ({})",
                                 means_truncated(error_code) ? "truncated" : "a corrupt JPEG file",
                                 message.data()));
  }

  [[noreturn]] void refuse(const std::string& how) {
    jpeg_abort_decompress(&jpeg);
    throw ImageError(how);
  }
};

JpegDecoder::JpegDecoder() : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.jpeg.err = jpeg_std_error(&state.errors);
  state.errors.error_exit = State::escape_with_message;
  state.errors.emit_message = State::refuse_damage;
  state.jpeg.client_data = &state;
  if (!state.guarded_create()) throw RunError(fmt::format("libjpeg: {}", state.message.data()));
  constexpr std::size_t kUsualRow = kUsualSide * kChannels;
  state.pixels.resize(kUsualRow * (kUsualSide + 1) + kReadPadding);
}

JpegDecoder::~JpegDecoder() {
  jpeg_destroy_decompress(&state_->jpeg);
}

JpegHeader JpegDecoder::read_header(std::span<const std::uint8_t> file) {
  State& state = *state_;
  if (file.empty()) throw ImageError("is empty");
  if (file.size() < 2 || file[0] != kMarker || file[1] != kStartOfImage) {
    throw ImageError("is not a JPEG file");
  }
  state.complete = file[file.size() - 2] == kMarker && file[file.size() - 1] == kEndOfImage;
  if (!state.guarded_header(file.data(), file.size())) state.fail();
  const jpeg_decompress_struct& jpeg = state.jpeg;
  if (jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK) {
    state.refuse("is a CMYK file; convert it to RGB or grey");
  }
  if (jpeg.num_components != 1 && jpeg.num_components != kChannels) {
    state.refuse(
        fmt::format("has {} colour components; convert it to RGB or grey", jpeg.num_components));
  }
  const auto pixels = static_cast<std::int64_t>(jpeg.image_width) * jpeg.image_height;
  if (pixels > kMostPixels) {
    state.refuse(fmt::format("claims {} x {} pixels; at most {} million are decoded",
                             jpeg.image_width, jpeg.image_height, kMostPixels / 1'000'000));
  }
  return {{static_cast<int>(jpeg.image_width), static_cast<int>(jpeg.image_height)},
          jpeg.num_components == 1};
}

ImageView JpegDecoder::decode(const Crop& crop) {
  return decode_part(crop, 1);
}

ImageView JpegDecoder::decode_scaled(const Crop& crop, int denominator, Window* window) {
  const auto up = [denominator](int pixels) { return (pixels + denominator - 1) / denominator; };
  const int left = crop.left / denominator;
  const int top = crop.top / denominator;
  const double unit = 1.0 / denominator;
  *window = {crop.left * unit - left, crop.top * unit - top, crop.width * unit, crop.height * unit};
  return decode_part(
      {left, top, up(crop.left + crop.width) - left, up(crop.top + crop.height) - top},
      denominator);
}

// `crop`: in pixels of the scaled image.
ImageView JpegDecoder::decode_part(const Crop& crop, int denominator) {
  State& state = *state_;
  const int image_width =
      (static_cast<int>(state.jpeg.image_width) + denominator - 1) / denominator;
  const int left = std::max(0, crop.left - kMargin);
  const int top = std::max(0, crop.top - kMargin);
  state.left = static_cast<JDIMENSION>(left);
  state.width =
      static_cast<JDIMENSION>(std::min(image_width, crop.left + crop.width + kMargin) - left);
  if (!state.guarded_start(static_cast<JDIMENSION>(top), denominator)) state.fail();

  const std::size_t stride = static_cast<std::size_t>(state.width) * kChannels;
  const int rows = crop.top + crop.height - top;
  make_room(state.pixels, stride * static_cast<std::size_t>(rows + 1) + kReadPadding);
  if (!state.guarded_rows(static_cast<JDIMENSION>(rows), stride)) state.fail();

  const std::size_t offset = static_cast<std::size_t>(crop.top - top) * stride +
                             (static_cast<std::size_t>(crop.left) - state.left) * kChannels;
  return {state.pixels.data() + offset, crop.width, crop.height, stride};
}

}  // namespace traceml
