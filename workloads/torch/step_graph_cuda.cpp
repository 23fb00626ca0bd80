#include "workloads/torch/step_graph_cuda.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "workloads/torch/cuda_event_cuda.h"

namespace traceml {
namespace {

// A border of the captured step. With events: the node that records it, and the event that the node
// records where a launch has none for it.
struct CapturedBorder {
  Phase phase;
  TorchEvent own;
  std::int64_t nodes_before = 0;
  cudaGraphNode_t node = nullptr;
};

// Of the graph that the current stream is being captured into.
std::int64_t nodes_so_far() {
  cudaStreamCaptureStatus status{};
  cudaGraph_t graph = nullptr;
  C10_CUDA_CHECK(cudaStreamGetCaptureInfo(c10::cuda::getCurrentCUDAStream(), &status, nullptr,
                                          &graph, nullptr, nullptr, nullptr));
  std::size_t count = 0;
  if (graph != nullptr) C10_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  return static_cast<std::int64_t>(count);
}

// Notes where phases begin and, with events, puts an event record into the graph there. The end of
// the last one is marked behind the launch.
class CapturingMarks final : public PhaseMarks {
 public:
  explicit CapturingMarks(bool with_events) : with_events_(with_events) {}

  void enter(Phase phase) noexcept override {
    try {
      const std::int64_t before = nodes_so_far();
      if (!with_events_) {
        borders.push_back({phase, nullptr, before});
        return;
      }
      TorchEvent event = make_torch_event(cudaEventDefault);
      C10_CUDA_CHECK(cudaEventRecordWithFlags(event.get(), c10::cuda::getCurrentCUDAStream(),
                                              cudaEventRecordExternal));
      borders.push_back({phase, std::move(event), before});
    } catch (const std::exception& failure) {
      error = failure.what();
    }
  }
  void leave() noexcept override {}

  std::vector<CapturedBorder> borders;
  std::string error;

 private:
  bool with_events_;
};

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  C10_CUDA_CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
  return nodes;
}

void find_nodes(cudaGraph_t graph, std::vector<CapturedBorder>& borders) {
  for (const cudaGraphNode_t node : nodes_of(graph)) {
    cudaGraphNodeType type{};
    C10_CUDA_CHECK(cudaGraphNodeGetType(node, &type));
    if (type != cudaGraphNodeTypeEventRecord) continue;
    cudaEvent_t event = nullptr;
    C10_CUDA_CHECK(cudaGraphEventRecordNodeGetEvent(node, &event));
    const auto border = std::find_if(borders.begin(), borders.end(),
                                     [event](const auto& each) { return each.own.get() == event; });
    if (border != borders.end()) border->node = node;
  }
  for (const CapturedBorder& border : borders) {
    if (border.own && border.node == nullptr)
      throw RunError("a border of the captured step has no graph node");
  }
}

class CudaStepGraph final : public StepGraph {
 public:
  CudaStepGraph(const StepBody& body, bool with_events) {
    CapturingMarks marks(with_events);
    graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    loss_ = body(&marks);
    graph_.capture_end();
    if (!marks.error.empty()) throw RunError("capturing a step's borders: " + marks.error);
    borders_ = std::move(marks.borders);
    find_nodes(graph_.raw_cuda_graph(), borders_);
    graph_.instantiate();
  }

  void launch(PhaseMarks* marks) override {
    if (marks != nullptr) announce(*marks);
    graph_.replay();
  }

  const at::Tensor& loss() const override { return loss_; }

  std::vector<GraphBorder> borders() const override {
    std::vector<GraphBorder> all;
    for (const CapturedBorder& border : borders_)
      all.push_back({border.phase, border.nodes_before});
    return all;
  }

 private:
  void announce(PhaseMarks& marks) {
    for (const CapturedBorder& border : borders_) {
      auto* event = reinterpret_cast<cudaEvent_t>(marks.enter_in_graph(border.phase));
      if (border.node == nullptr) continue;
      C10_CUDA_CHECK(cudaGraphExecEventRecordNodeSetEvent(
          graph_.raw_cuda_graph_exec(), border.node, event == nullptr ? border.own.get() : event));
    }
  }

  at::cuda::CUDAGraph graph_{/*keep_graph=*/true};
  std::vector<CapturedBorder> borders_;
  at::Tensor loss_;
};

}  // namespace

std::unique_ptr<StepGraph> capture_step(const StepBody& body, bool with_events) {
  return std::make_unique<CudaStepGraph>(body, with_events);
}

}  // namespace traceml
