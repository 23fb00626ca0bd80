#include "workloads/input/jpeg_encoder.h"

// jpeglib.h uses FILE without including it.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include <array>
#include <string>
#include <utility>

#include "harness/core/error.h"

namespace traceml {

// longjmp() leaves libjpeg's C frames and guarded_encode(), which holds nothing with a destructor.
struct JpegEncoder::State {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  std::jmp_buf escape{};
  std::array<char, JMSG_LENGTH_MAX> message{};
  unsigned char* bytes = nullptr;  // malloc
  unsigned long count = 0;

  [[noreturn]] static void escape_with_message(j_common_ptr common) {
    auto* state = static_cast<State*>(common->client_data);
    (*common->err->format_message)(common, state->message.data());
    std::longjmp(state->escape, 1);
  }

  bool guarded_create() {
    if (setjmp(escape) != 0) return false;
    jpeg_create_compress(&jpeg);
    return true;
  }

  bool guarded_encode(const std::uint8_t* pixels, ImageSize size, PixelForm form, int quality) {
    if (setjmp(escape) != 0) return false;
    jpeg_mem_dest(&jpeg, &bytes, &count);
    jpeg.image_width = static_cast<JDIMENSION>(size.width);
    jpeg.image_height = static_cast<JDIMENSION>(size.height);
    jpeg.input_components = 3;
    jpeg.in_color_space = form == PixelForm::kRgb ? JCS_RGB : JCS_YCbCr;
    jpeg_set_defaults(&jpeg);  // 4:2:0
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    const std::size_t stride = static_cast<std::size_t>(size.width) * 3;
    while (jpeg.next_scanline < jpeg.image_height) {
      auto* row = const_cast<JSAMPROW>(pixels + jpeg.next_scanline * stride);
      jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    return true;
  }
};

JpegEncoder::JpegEncoder() : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.jpeg.err = jpeg_std_error(&state.errors);
  state.errors.error_exit = State::escape_with_message;
  state.jpeg.client_data = &state;
  if (!state.guarded_create()) throw RunError(std::string("libjpeg: ") + state.message.data());
}

JpegEncoder::~JpegEncoder() {
  jpeg_destroy_compress(&state_->jpeg);
  std::free(state_->bytes);
}

std::span<const std::uint8_t> JpegEncoder::encode(std::span<const std::uint8_t> pixels,
                                                  ImageSize size, PixelForm form, int quality) {
  State& state = *state_;
  // jpeg_mem_dest() allocates anew.
  std::free(std::exchange(state.bytes, nullptr));
  state.count = 0;
  if (!state.guarded_encode(pixels.data(), size, form, quality)) {
    jpeg_abort_compress(&state.jpeg);
    throw RunError(std::string("cannot encode an image: ") + state.message.data());
  }
  return {state.bytes, state.count};
}

}  // namespace traceml
