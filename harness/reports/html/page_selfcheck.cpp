#include "harness/core/error.h"
#include "harness/reports/html/page_data.h"

namespace traceml {
namespace {

void write_claim(const RunClaim& claim, JsonWriter* json) {
  json->begin_object();
  json->member("outcome", name_of(claim.outcome));
  json->member("direction", name_of(claim.direction));
  json->member("estimate", claim.estimate);
  json->member("lower", claim.lower);
  json->member("upper", claim.upper);
  json->end_object();
}

void write_arm(const ClaimsOfArm& arm, JsonWriter* json) {
  json->begin_object();
  json->member("name", arm.arm);
  json->key("runs");
  json->begin_array();
  for (const RunClaim& claim : arm.runs) write_claim(claim, json);
  json->end_array();
  json->end_object();
}

std::vector<std::pair<std::string, std::string>> facts_of(const SelfcheckReport& report) {
  std::vector<std::pair<std::string, std::string>> facts = selfcheck_facts(report, "");
  for (auto& [label, text] : facts) {
    if (label == "!") label = "unfinished";
  }
  return facts;
}

const char* state_of(const SelfcheckReport& report) {
  const int code = exit_code_of(report);
  return code == 0 ? "pass" : code == value_of(ExitCode::kRegression) ? "fail" : "inconclusive";
}

}  // namespace

std::string selfcheck_page_data(const SelfcheckReport& report) {
  const SelfcheckSummary& summary = report.summary;
  JsonWriter json;
  json.begin_object();
  json.member("schema", "traceml-bench/page/1");
  json.member("kind", "selfcheck");
  json.member("name", selfcheck_subject(report));
  json.key("verdict");
  json.begin_object();
  json.member("state", state_of(report));
  json.member("line", render_selfcheck_line(report));
  json.member("exit_code", exit_code_of(report));
  json.end_object();
  json.member("against", report.request.arm);
  json.member("margin", summary.delta);
  write_facts("facts", facts_of(report), &json);
  write_facts("machine", {report.profile.machine.begin(), report.profile.machine.end()}, &json);
  json.key("claims");
  json.begin_array();
  for (const ClaimsOfArm& arm : summary.arms) write_arm(arm, &json);
  json.end_array();
  json.key("tables");
  json.begin_array();
  for (const Table& table : selfcheck_tables(report)) write_table(table, &json);
  json.end_array();
  json.end_object();
  return json.text();
}

}  // namespace traceml
