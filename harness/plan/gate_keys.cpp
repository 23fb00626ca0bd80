#include "harness/plan/gate_keys.h"

#include <algorithm>
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

// "[commit, driver]": some of treatment_fields(), each once.
ValueForm<std::vector<std::string>> treatment_form() {
  const std::string known = [] {
    std::string names;
    for (const std::string& name : treatment_fields()) names += (names.empty() ? "" : ", ") + name;
    return names;
  }();
  ValueForm<std::vector<std::string>> form;
  form.form = "list of " + known;
  form.read = [known](const std::string& text) -> Reading<std::vector<std::string>> {
    const std::vector<std::string>& fields = treatment_fields();
    std::vector<std::string> names;
    std::string rest = text.substr(1, text.size() - 2);
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(", "), rest.size());
      const std::string name = rest.substr(0, comma);
      rest.erase(0, comma + 2);
      if (std::find(fields.begin(), fields.end(), name) == fields.end()) {
        return {std::nullopt, "names " + shown(name) + "; allowed: " + known};
      }
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        return {std::nullopt, "names " + shown(name) + " twice"};
      }
      names.push_back(name);
    }
    return {names, ""};
  };
  form.print = [](const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return "[" + list + "]";
  };
  return form;
}

ValueForm<std::string> store_form() {
  ValueForm<std::string> form = line_form();
  form.form = "folder of stored campaigns, as {stored: baselines/food101}";
  form.read = [read = form.read](const std::string& text) {
    return text.empty() ? Reading<std::string>{std::nullopt, "is empty; name a folder"}
                        : read(text);
  };
  return form;
}

// What only gates against stored campaigns may say.
void check_stored(const GateDraft& draft, const std::string& where) {
  const auto fail = [&](const std::string& what) { throw UsageError(where + ": " + what); };
  if (!draft.stored) {
    if (draft.treatment) fail("treatment goes with against: {stored: ...}; leave it out");
    if (draft.reference_margin) {
      fail("reference_margin goes with against: {stored: ...}; leave it out");
    }
    if (draft.confirm_on_fail) {
      fail("confirm_on_fail goes with against: {stored: ...}; leave it out");
    }
    return;
  }
  if (draft.min_fraction) {
    fail(
        "stored campaigns are held to max_regression, not min_fraction; a fraction of the "
        "reference is a gate against that arm");
  }
}

// Names the keys that a gate may not mix.
void check_combination(const GateDraft& draft, const std::string& where) {
  const bool overhead = draft.overhead_of || draft.on || draft.max_overhead;
  const bool comparison =
      draft.compare || draft.against || draft.stored || draft.min_fraction || draft.max_regression;
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
  if (comparison && (!draft.compare || (!draft.against && !draft.stored))) {
    fail("a gate that compares needs compare: ARM and against: ARM");
  }
  if (draft.min_fraction && draft.max_regression) {
    fail("a gate has min_fraction or max_regression, not both; write two gates");
  }
  if (comparison && draft.compare == draft.against) {
    fail("compares the arm " + shown(*draft.compare) + " with itself; name two arms");
  }
}

}  // namespace

const std::vector<std::string>& treatment_fields() {
  static const std::vector<std::string> fields = {"driver",   "nccl",      "mpi",   "cuda",
                                                  "libtorch", "container", "commit"};
  return fields;
}

const std::vector<GateKey>& gate_keys() {
  static const std::vector<GateKey> keys = [] {
    const auto mode = choice_form<Instrument>({{"events", Instrument::kEvents},
                                               {"host", Instrument::kHost},
                                               {"cupti", Instrument::kCupti}},
                                              {});
    const auto inconclusive = choice_form<bool>({{"fail", false}, {"pass", true}}, {});
    std::vector<GateKey> made = {
        make_key("compare", identifier_form(), "arm that is judged", &GateDraft::compare),
        make_key("against", identifier_form(), "arm that it is held against", &GateDraft::against),
        make_key("stored", store_form(),
                 "campaigns of other nights that it is held against; for `launch`",
                 &GateDraft::stored),
        make_key("min_fraction", fraction_form(), "throughput of the input-free arm to keep",
                 &GateDraft::min_fraction),
        make_key("max_regression", margin_form(), "slower than this fails; left out: 2%",
                 &GateDraft::max_regression),
        make_key("overhead_of", mode, "instrumentation that is judged against none",
                 &GateDraft::overhead_of),
        make_key("on", identifier_form(), "arm that is run with it and without", &GateDraft::on),
        make_key("max_overhead", margin_form(), "cost above this fails; left out: 1%",
                 &GateDraft::max_overhead),
        make_key(
            "inconclusive", inconclusive,
            "what no verdict counts as; fail: a failure in junit.xml too; left out: exit 11 alone",
            &GateDraft::inconclusive_passes),
        make_key("escalate_after", integer_form(2, 100),
                 "so many runs without a verdict in a row fail; left out: never",
                 &GateDraft::escalate_after),
        make_key("treatment", treatment_form(),
                 "of a gate on stored campaigns: software that may differ, since it is judged",
                 &GateDraft::treatment),
        make_key("reference_margin", margin_form(),
                 "of a gate on stored campaigns: a reference slower than this fails; left out: 8%",
                 &GateDraft::reference_margin),
        make_key("confirm_on_fail", choice_form<bool>({{"true", true}, {"false", false}}, {}),
                 "of a gate on stored campaigns: true: what fails is measured again, and fails if "
                 "that does",
                 &GateDraft::confirm_on_fail),
    };
    for (GateKey& key : made) {
      if (key.name == "stored") key.inside = "against";
      key.list = key.name == "treatment";
    }
    return made;
  }();
  return keys;
}

const GateKey* find_gate_key(const std::string& name, const std::string& inside) {
  for (const GateKey& key : gate_keys()) {
    if (key.name == name && key.inside == inside) return &key;
  }
  return nullptr;
}

GateConfig finish_gate(const GateDraft& draft, const std::string& where) {
  check_combination(draft, where);
  check_stored(draft, where);
  GateConfig gate;
  gate.where = where;
  gate.inconclusive_passes = draft.inconclusive_passes.value_or(false);
  gate.inconclusive_fails = !draft.inconclusive_passes.value_or(true);
  gate.escalate_after = draft.escalate_after;
  if (draft.overhead_of) {
    gate.kind = GateKind::kMaxOverhead;
    gate.candidate = *draft.on;
    gate.overhead_of = draft.overhead_of;
    gate.delta = draft.max_overhead.value_or(kDefaultOverhead);
    return gate;
  }
  gate.candidate = *draft.compare;
  gate.baseline = draft.against.value_or("");
  gate.stored = draft.stored.value_or("");
  gate.treatment = draft.treatment.value_or(std::vector<std::string>());
  gate.reference_margin = draft.reference_margin;
  gate.confirm_on_fail = draft.confirm_on_fail.value_or(false);
  gate.min_fraction = draft.min_fraction;
  gate.kind = draft.min_fraction ? GateKind::kMinFraction : GateKind::kMaxRegression;
  gate.delta = draft.min_fraction ? 1 / *draft.min_fraction - 1
                                  : draft.max_regression.value_or(kDefaultRegression);
  return gate;
}

GateDraft draft_of(const GateConfig& gate) {
  GateDraft draft;
  if (gate.inconclusive_passes || gate.inconclusive_fails) {
    draft.inconclusive_passes = gate.inconclusive_passes;
  }
  draft.escalate_after = gate.escalate_after;
  if (gate.kind == GateKind::kMaxOverhead) {
    draft.overhead_of = gate.overhead_of;
    draft.on = gate.candidate;
    draft.max_overhead = gate.delta;
    return draft;
  }
  draft.compare = gate.candidate;
  if (gate.stored.empty()) {
    draft.against = gate.baseline;
  } else {
    draft.stored = gate.stored;
  }
  if (!gate.treatment.empty()) draft.treatment = gate.treatment;
  draft.reference_margin = gate.reference_margin;
  if (gate.confirm_on_fail) draft.confirm_on_fail = true;
  if (gate.kind == GateKind::kMinFraction) {
    draft.min_fraction = gate.min_fraction;
  } else {
    draft.max_regression = gate.delta;
  }
  return draft;
}

}  // namespace traceml
