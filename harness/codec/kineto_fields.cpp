#include "harness/codec/kineto_fields.h"

#include <array>

#include "harness/codec/own_trace_facts.h"

namespace traceml {
namespace {

struct NamedField {
  std::string_view key;
  Field field;
};

constexpr std::array<NamedField, 8> kHeader = {{{"traceEvents", Field::kTraceEvents},
                                                {"distributedInfo", Field::kDistributedInfo},
                                                {"deviceProperties", Field::kDeviceProperties},
                                                {"baseTimeNanoseconds", Field::kBaseNanoseconds},
                                                {"with_stack", Field::kWithStack},
                                                {"record_shapes", Field::kRecordShapes},
                                                {"profile_memory", Field::kProfileMemory},
                                                {kOwnTraceKey, Field::kOwn}}};
constexpr std::array<NamedField, 2> kDistributed = {
    {{"rank", Field::kRank}, {"world_size", Field::kWorldSize}}};
constexpr std::array<NamedField, 8> kEvent = {{{"ph", Field::kPhase},
                                               {"cat", Field::kCategory},
                                               {"name", Field::kName},
                                               {"pid", Field::kProcess},
                                               {"tid", Field::kThread},
                                               {"ts", Field::kStart},
                                               {"dur", Field::kDuration},
                                               {"args", Field::kArgs}}};
constexpr std::array<NamedField, 20> kArgs = {{{"stream", Field::kStream},
                                               {"correlation", Field::kCorrelation},
                                               {"device", Field::kDeviceId},
                                               {"grid", Field::kGrid},
                                               {"block", Field::kBlock},
                                               {"bytes", Field::kBytes},
                                               {"name", Field::kThreadName},
                                               {"graph node id", Field::kGraphNode},
                                               {"Collective name", Field::kCollective},
                                               {"Process Group Name", Field::kGroup},
                                               {"Seq", Field::kSequence},
                                               {"In msg nelems", Field::kElementsIn},
                                               {"Out msg nelems", Field::kElementsOut},
                                               {"Group size", Field::kGroupSize},
                                               {"dtype", Field::kType},
                                               {"Input Dims", Field::kInputDims},
                                               {"Total Allocated", Field::kMemoryAllocated},
                                               {"Total Reserved", Field::kMemoryReserved},
                                               {"Device Id", Field::kMemoryDevice},
                                               {"Device Type", Field::kMemoryKind}}};

template <std::size_t N>
Field field_in(const std::array<NamedField, N>& fields, std::string_view key) {
  for (const NamedField& one : fields) {
    if (one.key == key) return one.field;
  }
  return Field::kOther;
}

}  // namespace

Field header_field(std::string_view key) {
  return field_in(kHeader, key);
}

Field distributed_field(std::string_view key) {
  return field_in(kDistributed, key);
}

Field event_field(std::string_view key) {
  return field_in(kEvent, key);
}

Field args_field(std::string_view key) {
  return field_in(kArgs, key);
}

std::string* text_of(Field field, KinetoEvent* event) {
  switch (field) {
    case Field::kPhase:
      return &event->phase;
    case Field::kCategory:
      return &event->category;
    case Field::kName:
      return &event->name;
    case Field::kProcess:
      return &event->process;
    case Field::kThread:
      return &event->thread;
    case Field::kThreadName:
      return &event->thread_name;
    case Field::kDeviceId:
      return &event->device;
    case Field::kStream:
      return &event->stream;
    case Field::kCollective:
      return &event->collective.operation;
    case Field::kGroup:
      return &event->collective.group;
    case Field::kType:
      return &event->collective.type;
    default:
      return nullptr;
  }
}

std::optional<std::int64_t>* number_of(Field field, KinetoEvent* event) {
  switch (field) {
    case Field::kCorrelation:
      return &event->correlation;
    case Field::kBytes:
      return &event->bytes;
    case Field::kGraphNode:
      return &event->graph_node;
    case Field::kSequence:
      return &event->collective.sequence;
    case Field::kElementsIn:
      return &event->collective.elements_in;
    case Field::kElementsOut:
      return &event->collective.elements_out;
    case Field::kMemoryAllocated:
      return &event->memory_allocated;
    case Field::kMemoryReserved:
      return &event->memory_reserved;
    case Field::kMemoryDevice:
      return &event->memory_device;
    case Field::kMemoryKind:
      return &event->memory_kind;
    default:
      return nullptr;
  }
}

}  // namespace traceml
