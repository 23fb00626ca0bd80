#include "workloads/gpu_input/recycled_memory.h"

#include <gtest/gtest.h>

#include "tests/gpu_test.h"

namespace traceml {
namespace {

class RecycledMemoryOnGpu : public testing::GpuTest {};

TEST_F(RecycledMemoryOnGpu, HandsOutAgainWhatWasGivenBackOnlyAfterItWasRecycled) {
  RecycledMemory memory(MemoryKind::kPinned);
  void* const first = memory.take(100'000);
  memory.give_back(first);
  void* const second = memory.take(100'000);
  EXPECT_NE(second, first) << "queued work may still use it";
  memory.recycle();
  EXPECT_EQ(memory.take(70'000), first) << "of the same power of two";
  EXPECT_NE(memory.take(100'000), second) << "it was not given back";
  EXPECT_EQ(memory.pieces(), 3U);
}

TEST_F(RecycledMemoryOnGpu, SpeaksNvjpegsLanguage) {
  RecycledMemory memory(MemoryKind::kDevice);
  void* piece = nullptr;
  EXPECT_EQ(RecycledMemory::allocate(&memory, &piece, 1, nullptr), 0);
  EXPECT_NE(piece, nullptr);
  EXPECT_EQ(RecycledMemory::release(&memory, piece, 1, nullptr), 0);
  EXPECT_NE(RecycledMemory::allocate(&memory, &piece, std::size_t{1} << 50, nullptr), 0);
}

}  // namespace
}  // namespace traceml
