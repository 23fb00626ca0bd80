#include "harness/runner/add_operators.h"

#include <algorithm>
#include <map>

namespace traceml {
namespace {

ThreadIndex thread_of(const HostThread& thread, std::vector<HostThread>* threads) {
  const auto found = std::find_if(threads->begin(), threads->end(), [&](const HostThread& one) {
    return one.thread == thread.thread;
  });
  if (found != threads->end()) return static_cast<ThreadIndex>(found - threads->begin());
  threads->push_back(thread);
  return static_cast<ThreadIndex>(threads->size() - 1);
}

std::vector<NameIndex> names_in(const std::vector<std::string>& names,
                                std::vector<std::string>* all) {
  std::map<std::string, NameIndex> known;
  for (std::size_t i = 0; i < all->size(); ++i) {
    known.emplace((*all)[i], static_cast<NameIndex>(i));
  }
  std::vector<NameIndex> indices;
  for (const std::string& name : names) {
    const auto [place, is_new] = known.try_emplace(name, static_cast<NameIndex>(all->size()));
    if (is_new) all->push_back(name);
    indices.push_back(place->second);
  }
  return indices;
}

}  // namespace

void add_operators(const OperatorEvents& operators, RunTrace* trace) {
  TimelineEvents& events = trace->events;
  std::vector<ThreadIndex> threads;
  for (const HostThread& thread : operators.threads) {
    threads.push_back(thread_of(thread, &events.threads));
  }
  const std::vector<NameIndex> names = names_in(operators.names, &events.names);
  trace->operators.reserve(operators.spans.size());
  for (OperatorSpan span : operators.spans) {
    span.thread = threads[span.thread];
    span.name = names[span.name];
    if (span.dims) span.dims = names[*span.dims];
    trace->operators.push_back(span);
  }
  events.facts.record_shapes = true;
  events.facts.own->operators = static_cast<std::int64_t>(operators.spans.size());
  events.facts.own->dropped_operators = operators.dropped;
}

}  // namespace traceml
