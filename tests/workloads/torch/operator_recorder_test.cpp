#include "workloads/torch/operator_recorder.h"

#include <gmock/gmock.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>

namespace traceml {
namespace {

using ::testing::IsEmpty;

class OperatorRecorderTest : public ::testing::Test {
 protected:
  static const OperatorSpan* find(const OperatorEvents& events, const std::string& name) {
    const auto found =
        std::find_if(events.spans.begin(), events.spans.end(),
                     [&](const OperatorSpan& span) { return events.names[span.name] == name; });
    return found == events.spans.end() ? nullptr : &*found;
  }
  static std::string dims_of(const OperatorEvents& events, const OperatorSpan& span) {
    return events.names[*span.dims];
  }

  std::unique_ptr<OperatorTrace> recorder_ = make_operator_recorder();
  torch::Tensor weight_ = torch::ones({3, 4}, torch::requires_grad());
  torch::Tensor input_ = torch::ones({2, 3});
};

TEST_F(OperatorRecorderTest, KeepsNameSizesAndWhatLiesInside) {
  recorder_->begin(1);
  torch::linear(input_, weight_.t());
  const OperatorEvents events = recorder_->end();
  const OperatorSpan* outer = find(events, "aten::linear");
  const OperatorSpan* inner = find(events, "aten::matmul");
  if (inner == nullptr) inner = find(events, "aten::mm");
  ASSERT_TRUE(outer != nullptr && inner != nullptr);
  EXPECT_EQ(dims_of(events, *outer), "[[2,3],[4,3],[]]");
  EXPECT_GE(inner->start, outer->start);
  EXPECT_LE(inner->start + inner->duration, outer->start + outer->duration);
  EXPECT_EQ(events.threads.at(outer->thread).thread, std::to_string(::gettid()));
  EXPECT_EQ(events.dropped, 0);
}

TEST_F(OperatorRecorderTest, ABackwardOperatorHasTheSequenceNumberOfItsForwardOne) {
  recorder_->begin(1);
  torch::mm(input_, weight_).sum().backward();
  const OperatorEvents events = recorder_->end();
  const OperatorSpan* forward = find(events, "aten::mm");
  const OperatorSpan* backward = find(events, "MmBackward0");
  ASSERT_TRUE(forward != nullptr && backward != nullptr);
  EXPECT_TRUE(forward->sequence.has_value());
  EXPECT_EQ(forward->sequence, backward->sequence);
}

TEST_F(OperatorRecorderTest, KeepsTheOperatorsOfOtherThreadsAsTheirs) {
  recorder_->begin(1);
  torch::mm(input_, weight_);
  std::thread other([&] { torch::mm(input_, weight_); });
  other.join();
  const OperatorEvents events = recorder_->end();
  ASSERT_EQ(events.threads.size(), 2u);
  std::set<ThreadIndex> threads;
  for (const OperatorSpan& span : events.spans) threads.insert(span.thread);
  EXPECT_EQ(threads.size(), 2u);
  EXPECT_NE(events.threads[0].thread, events.threads[1].thread);
}

TEST_F(OperatorRecorderTest, ListsOfTensorsAreListsOfSizes) {
  recorder_->begin(1);
  torch::cat({input_, input_});
  const OperatorEvents events = recorder_->end();
  const OperatorSpan* cat = find(events, "aten::cat");
  ASSERT_NE(cat, nullptr);
  EXPECT_EQ(dims_of(events, *cat), "[[[2,3],[2,3]],[]]");
}

TEST_F(OperatorRecorderTest, IsOffBeforeBeginAndAfterEnd) {
  torch::mm(input_, weight_);
  recorder_->begin(1);
  EXPECT_THAT(recorder_->end().spans, IsEmpty());
  EXPECT_FALSE(at::hasGlobalCallbacks());
  torch::mm(input_, weight_);
  recorder_->begin(1);
  EXPECT_TRUE(at::hasGlobalCallbacks());
  EXPECT_THAT(recorder_->end().spans, IsEmpty());
}

TEST_F(OperatorRecorderTest, ARecorderThatGoesTakesItsCallbacksAlong) {
  recorder_->begin(1);
  recorder_.reset();
  EXPECT_FALSE(at::hasGlobalCallbacks());
}

TEST_F(OperatorRecorderTest, OperatorsBeyondTheRoomAreCounted) {
  recorder_->begin(1);
  input_.add_(1);  // and what is inside
  const auto each = static_cast<std::int64_t>(recorder_->end().spans.size());
  recorder_->begin(1);
  for (int i = 0; i < 9000; ++i) input_.add_(1);
  const OperatorEvents events = recorder_->end();
  EXPECT_GT(events.dropped, 0);
  EXPECT_EQ(static_cast<std::int64_t>(events.spans.size()) + events.dropped, 9000 * each);
}

}  // namespace
}  // namespace traceml
