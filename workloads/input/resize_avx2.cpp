// Compiled with -mavx2, so no inline function of another header may be called here: the linker
// might keep this file's copy of it for the whole program.

#include <immintrin.h>

#include "workloads/input/resize_kernels.h"

namespace traceml {

namespace {

constexpr int kPixelBytes = 3;
constexpr int kGroup = 4;  // pixels of a row that one 16-byte load covers
constexpr int kGroupBytes = kGroup * kPixelBytes;
constexpr int kChunk = 32;  // bytes of a row in the vertical pass

__m256i load_two_rows(const std::uint8_t* upper, const std::uint8_t* lower) {
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(upper));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lower));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

// Two neighbouring weights in every 32-bit lane.
__m256i weight_pair(const std::int16_t* weights) {
  std::int32_t pair;
  __builtin_memcpy(&pair, weights, sizeof pair);
  return _mm256_set1_epi32(pair);
}

struct HorizontalPass {
  const AxisTable& axis;
  __m256i half;
  __m128i shift;
  // Bytes r0 g0 b0 r1 g1 b1 ... as int16 pairs (r0 r1) (g0 g1) (b0 b1) (0 0): pixels 0, 1 and 2, 3.
  __m256i pixels_01;
  __m256i pixels_23;

  explicit HorizontalPass(const AxisTable& table)
      : axis(table),
        half(_mm256_set1_epi32(1 << (table.precision - 1))),
        shift(_mm_cvtsi32_si128(table.precision)),
        pixels_01(_mm256_broadcastsi128_si256(
            _mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1))),
        pixels_23(_mm256_broadcastsi128_si256(
            _mm_setr_epi8(6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1))) {}

  // Output i of two rows as int32 r g b 0 each. Reads whole groups: the weights behind the last tap
  // are zero.
  template <int kGroups>
  __m256i pixel(const std::uint8_t* upper, const std::uint8_t* lower, int i, int groups) const {
    const std::int64_t offset = static_cast<std::int64_t>(axis.first[i]) * kPixelBytes;
    const std::int16_t* weights = axis.weights + static_cast<std::int64_t>(i) * axis.taps;
    const std::uint8_t* a = upper + offset;
    const std::uint8_t* b = lower + offset;
    __m256i sum = half;
    const int count = kGroups > 0 ? kGroups : groups;
    for (int g = 0; g < count; ++g, a += kGroupBytes, b += kGroupBytes, weights += kGroup) {
      const __m256i bytes = load_two_rows(a, b);
      const __m256i first =
          _mm256_madd_epi16(_mm256_shuffle_epi8(bytes, pixels_01), weight_pair(weights));
      const __m256i second =
          _mm256_madd_epi16(_mm256_shuffle_epi8(bytes, pixels_23), weight_pair(weights + 2));
      sum = _mm256_add_epi32(sum, _mm256_add_epi32(first, second));
    }
    return _mm256_sra_epi32(sum, shift);
  }

  // Both rows, four outputs at a time; writes up to 13 bytes behind the last output.
  template <int kGroups>
  void rows(const std::uint8_t* upper, const std::uint8_t* lower, std::uint8_t* upper_out,
            std::uint8_t* lower_out, int groups) const {
    const __m256i drop_fourth = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    for (int i = 0; i < axis.outputs; i += kGroup) {
      const __m256i p01 = _mm256_packs_epi32(pixel<kGroups>(upper, lower, i, groups),
                                             pixel<kGroups>(upper, lower, i + 1, groups));
      const __m256i p23 = _mm256_packs_epi32(pixel<kGroups>(upper, lower, i + 2, groups),
                                             pixel<kGroups>(upper, lower, i + 3, groups));
      const __m256i packed = _mm256_shuffle_epi8(_mm256_packus_epi16(p01, p23), drop_fourth);
      const std::int64_t out = static_cast<std::int64_t>(i) * kPixelBytes;
      _mm_storeu_si128(reinterpret_cast<__m128i*>(upper_out + out), _mm256_castsi256_si128(packed));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(lower_out + out),
                       _mm256_extracti128_si256(packed, 1));
    }
  }
};

template <int kGroups>
void all_rows(const HorizontalPass& pass, int groups, const std::uint8_t* source,
              std::size_t source_stride, int rows, std::uint8_t* target,
              std::size_t target_stride) {
  for (int y = 0; y < rows; y += 2) {
    const int next = y + 1 < rows ? y + 1 : y;
    pass.rows<kGroups>(source + y * source_stride, source + next * source_stride,
                       target + y * target_stride, target + next * target_stride, groups);
  }
}

void horizontal(const std::uint8_t* source, std::size_t source_stride, int rows,
                const AxisTable& axis, std::uint8_t* target, std::size_t target_stride) {
  const HorizontalPass pass(axis);
  int most = 0;
  for (int i = 0; i < axis.outputs; ++i) most = axis.count[i] > most ? axis.count[i] : most;
  const int groups = (most + kGroup - 1) / kGroup;
  switch (groups) {
    case 1:
      return all_rows<1>(pass, groups, source, source_stride, rows, target, target_stride);
    case 2:
      return all_rows<2>(pass, groups, source, source_stride, rows, target, target_stride);
    default:
      return all_rows<0>(pass, groups, source, source_stride, rows, target, target_stride);
  }
}

// Taps of one output row, two at a time; an odd last one is paired with itself at weight zero.
struct VerticalTaps {
  const std::uint8_t* rows;
  std::size_t stride;
  const std::int16_t* weights;
  int count;

  __m256i chunk(std::int64_t x, __m256i half, __m128i shift) const {
    const __m256i zero = _mm256_setzero_si256();
    __m256i sum[4] = {half, half, half, half};
    for (int k = 0; k < count; k += 2) {
      const std::uint8_t* upper = rows + k * stride + x;
      const std::uint8_t* lower = k + 1 < count ? upper + stride : upper;
      const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(upper));
      const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lower));
      const __m256i low = _mm256_unpacklo_epi8(a, b);
      const __m256i high = _mm256_unpackhi_epi8(a, b);
      const __m256i pair = weight_pair(weights + k);
      const auto add = [&](int part, __m256i bytes) {
        sum[part] = _mm256_add_epi32(sum[part], _mm256_madd_epi16(bytes, pair));
      };
      add(0, _mm256_unpacklo_epi8(low, zero));
      add(1, _mm256_unpackhi_epi8(low, zero));
      add(2, _mm256_unpacklo_epi8(high, zero));
      add(3, _mm256_unpackhi_epi8(high, zero));
    }
    for (__m256i& part : sum) part = _mm256_sra_epi32(part, shift);
    return _mm256_packus_epi16(_mm256_packs_epi32(sum[0], sum[1]),
                               _mm256_packs_epi32(sum[2], sum[3]));
  }
};

void vertical(const std::uint8_t* source, std::size_t source_stride, int row_bytes,
              const AxisTable& axis, std::uint8_t* target) {
  const __m256i half = _mm256_set1_epi32(1 << (axis.precision - 1));
  const __m128i shift = _mm_cvtsi32_si128(axis.precision);
  for (int i = 0; i < axis.outputs; ++i, target += row_bytes) {
    const VerticalTaps taps{source + axis.first[i] * source_stride, source_stride,
                            axis.weights + static_cast<std::int64_t>(i) * axis.taps, axis.count[i]};
    int x = 0;
    for (; x + kChunk <= row_bytes; x += kChunk) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + x), taps.chunk(x, half, shift));
    }
    if (x < row_bytes) {
      alignas(32) std::uint8_t tail[kChunk];
      _mm256_store_si256(reinterpret_cast<__m256i*>(tail), taps.chunk(x, half, shift));
      __builtin_memcpy(target + x, tail, static_cast<std::size_t>(row_bytes - x));
    }
  }
}

}  // namespace

const ResizeKernels& avx2_kernels() {
  static constexpr ResizeKernels kKernels{"avx2", horizontal, vertical};
  return kKernels;
}

}  // namespace traceml
