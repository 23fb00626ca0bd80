#pragma once
// Keys of a Chrome trace as Kineto writes them, and where their values go. For kineto_trace.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/codec/kineto_event.h"

namespace traceml {

enum class Field : std::uint8_t {
  kOther,
  // of the header
  kTraceEvents,
  kDistributedInfo,
  kDeviceProperties,
  kBaseNanoseconds,
  kWithStack,
  kRecordShapes,
  kProfileMemory,
  kOwn,  // of a trace that this harness wrote
  kRank,
  kWorldSize,
  kDeviceName,
  // of an event
  kPhase,
  kCategory,
  kName,
  kProcess,
  kThread,
  kStart,
  kDuration,
  kArgs,
  // of its args
  kThreadName,
  kDeviceId,
  kStream,
  kCorrelation,
  kBytes,
  kGraphNode,
  kGrid,
  kBlock,
  kCollective,
  kGroup,
  kSequence,
  kElementsIn,
  kElementsOut,
  kGroupSize,
  kType,
  kInputDims,
  kMemoryAllocated,
  kMemoryReserved,
  kMemoryDevice,
  kMemoryKind
};

Field header_field(std::string_view key);
Field distributed_field(std::string_view key);
Field event_field(std::string_view key);
Field args_field(std::string_view key);

// Where a text, or a whole number, of an event goes; null for other fields.
std::string* text_of(Field field, KinetoEvent* event);
std::optional<std::int64_t>* number_of(Field field, KinetoEvent* event);

}  // namespace traceml
