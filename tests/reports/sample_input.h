#pragma once

#include "harness/reports/report_input.h"
#include "tests/codec/sample_runs.h"

namespace traceml::testing {

inline ReportInput input_of(const Sample& sample) {
  return {sample.info, sample.plan, sample.summary, "results/food101-resnet18-20261129T181500", {}};
}

}  // namespace traceml::testing
