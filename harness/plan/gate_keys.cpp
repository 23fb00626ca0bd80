#include "harness/plan/gate_keys.h"

#include <utility>

#include "harness/core/error.h"
#include "harness/plan/value_forms.h"

namespace traceml {

namespace {

constexpr double kDefaultRegression = 0.02;
constexpr double kDefaultOverhead = 0.01;

template <class T>
GateKey make_key(const char* name, const ValueForm<T>& form, const char* help,
                 std::optional<T> GateDraft::*member) {
  GateKey key;
  key.name = name;
  key.help = help;
  key.form = form.form;
  key.set = [read = form.read, member](GateDraft& draft,
                                       const std::string& text) -> std::optional<std::string> {
    auto reading = read(text);
    if (!reading.value) return reading.fault;
    draft.*member = std::move(*reading.value);
    return std::nullopt;
  };
  key.get = [print = form.print, member](const GateDraft& draft) -> std::optional<std::string> {
    const std::optional<T>& value = draft.*member;
    if (!value) return std::nullopt;
    return print(*value);
  };
  return key;
}

// Names the keys that a gate may not mix.
void check_combination(const GateDraft& draft, const std::string& where) {
  const bool overhead = draft.overhead_of || draft.on || draft.max_overhead;
  const bool comparison =
      draft.compare || draft.against || draft.min_fraction || draft.max_regression;
  const auto fail = [&](const std::string& what) { throw UsageError(where + ": " + what); };
  if (draft.escalate_after && draft.inconclusive_passes.value_or(false)) {
    fail("escalate_after has nothing to escalate with inconclusive: pass; leave one of them out");
  }
  if (overhead && comparison) {
    fail("a gate has either compare and against, or overhead_of and on; write two gates");
  }
  if (!overhead && !comparison) fail("a gate needs compare and against, or overhead_of and on");
  if (overhead && (!draft.overhead_of || !draft.on)) {
    fail("an overhead gate needs overhead_of: MODE and on: ARM");
  }
  if (comparison && (!draft.compare || !draft.against)) {
    fail("a gate that compares needs compare: ARM and against: ARM");
  }
  if (draft.min_fraction && draft.max_regression) {
    fail("a gate has min_fraction or max_regression, not both; write two gates");
  }
  if (comparison && *draft.compare == *draft.against) {
    fail("compares the arm " + shown(*draft.compare) + " with itself; name two arms");
  }
}

}  // namespace

const std::vector<GateKey>& gate_keys() {
  static const std::vector<GateKey> keys = [] {
    const auto mode =
        choice_form<Instrument>({{"events", Instrument::kEvents}, {"host", Instrument::kHost}}, {});
    const auto inconclusive = choice_form<bool>({{"fail", false}, {"pass", true}}, {});
    return std::vector<GateKey>{
        make_key("compare", identifier_form(), "arm that is judged", &GateDraft::compare),
        make_key("against", identifier_form(), "arm that it is held against", &GateDraft::against),
        make_key("min_fraction", fraction_form(), "throughput of the input-free arm to keep",
                 &GateDraft::min_fraction),
        make_key("max_regression", margin_form(), "slower than this fails; left out: 2%",
                 &GateDraft::max_regression),
        make_key("overhead_of", mode, "instrumentation that is judged against none",
                 &GateDraft::overhead_of),
        make_key("on", identifier_form(), "arm that is run with it and without", &GateDraft::on),
        make_key("max_overhead", margin_form(), "cost above this fails; left out: 1%",
                 &GateDraft::max_overhead),
        make_key("inconclusive", inconclusive, "what no verdict counts as; left out: fail",
                 &GateDraft::inconclusive_passes),
        make_key("escalate_after", integer_form(2, 100),
                 "so many runs without a verdict in a row fail; left out: never",
                 &GateDraft::escalate_after),
    };
  }();
  return keys;
}

const GateKey* find_gate_key(const std::string& name) {
  for (const GateKey& key : gate_keys()) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

GateConfig finish_gate(const GateDraft& draft, const std::string& where) {
  check_combination(draft, where);
  GateConfig gate;
  gate.where = where;
  gate.inconclusive_passes = draft.inconclusive_passes.value_or(false);
  gate.escalate_after = draft.escalate_after;
  if (draft.overhead_of) {
    gate.kind = GateKind::kMaxOverhead;
    gate.candidate = *draft.on;
    gate.overhead_of = draft.overhead_of;
    gate.delta = draft.max_overhead.value_or(kDefaultOverhead);
    return gate;
  }
  gate.candidate = *draft.compare;
  gate.baseline = *draft.against;
  gate.min_fraction = draft.min_fraction;
  gate.kind = draft.min_fraction ? GateKind::kMinFraction : GateKind::kMaxRegression;
  gate.delta = draft.min_fraction ? 1 / *draft.min_fraction - 1
                                  : draft.max_regression.value_or(kDefaultRegression);
  return gate;
}

GateDraft draft_of(const GateConfig& gate) {
  GateDraft draft;
  draft.inconclusive_passes = gate.inconclusive_passes;
  draft.escalate_after = gate.escalate_after;
  if (gate.kind == GateKind::kMaxOverhead) {
    draft.overhead_of = gate.overhead_of;
    draft.on = gate.candidate;
    draft.max_overhead = gate.delta;
    return draft;
  }
  draft.compare = gate.candidate;
  draft.against = gate.baseline;
  if (gate.kind == GateKind::kMinFraction) {
    draft.min_fraction = gate.min_fraction;
  } else {
    draft.max_regression = gate.delta;
  }
  return draft;
}

}  // namespace traceml
