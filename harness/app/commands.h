#pragma once

#include "harness/app/command_line.h"

namespace traceml {

// Each runs one command and returns the process's exit code. Errors are thrown
// (harness/core/error.h), except by run, which must agree on them with the other ranks.
int run_command(const RunArguments& arguments);
int launch_command(const LaunchArguments& arguments);
int selfcheck_command(const SelfcheckArguments& arguments);
int report_command(const ReportArguments& arguments);
int compare_command(const CompareArguments& arguments);
int baseline_command(const BaselineArguments& arguments);
int history_command(const HistoryArguments& arguments);
int check_command(const CheckArguments& arguments);
int datagen_command(const DatagenArguments& arguments);
int init_command(const InitArguments& arguments);
int doctor_command(const DoctorArguments& arguments);
int explain_command(const ExplainArguments& arguments);

}  // namespace traceml
