#include "harness/plan/environment.h"

namespace traceml {

namespace {

std::string fact(const Environment& environment, const std::string& key) {
  const auto found = environment.facts.find(key);
  return found == environment.facts.end() ? "" : found->second;
}

void remove_all(std::string* text, const std::string& part) {
  for (auto at = text->find(part); at != std::string::npos; at = text->find(part)) {
    text->erase(at, part.size());
  }
}

// "AMD EPYC 7763" of "AMD EPYC 7763 64-Core Processor".
std::string short_model(std::string model) {
  for (const char* mark : {"(R)", "(TM)", " Processor"}) remove_all(&model, mark);
  model = model.substr(0, model.find(" @ "));
  if (model.ends_with(" CPU")) model.resize(model.size() - 4);
  if (model.ends_with("-Core")) model = model.substr(0, model.rfind(' '));
  return model;
}

}  // namespace

std::string short_form(const Environment& environment) {
  std::string line;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) line += (line.empty() ? "" : ", ") + part;
  };
  const std::string device = fact(environment, "device");
  if (device != "cpu") add(device);
  const std::string driver = fact(environment, "driver");
  if (!device.empty() && device != "cpu" && !driver.empty()) add("driver " + driver);
  if (!device.empty() && device != "cpu") add(fact(environment, "precision"));
  const std::string model = short_model(fact(environment, "cpu_model"));
  const std::string cores = fact(environment, "cores_allowed");
  if (!cores.empty()) {
    add(cores + (model.empty() ? "" : " x " + model) + (cores == "1" ? " core" : " cores"));
  } else {
    add(model);
  }
  add(fact(environment, "mpi"));
  const std::string torch = fact(environment, "libtorch");
  if (!torch.empty()) add("libtorch " + torch);
  const std::string nccl = fact(environment, "nccl");
  if (!nccl.empty()) add("NCCL " + nccl);
  return line.empty() ? "unknown machine" : line;
}

}  // namespace traceml
