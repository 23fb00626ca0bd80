#pragma once
// One suite for every Transport and every Collective: port_contracts.cpp is compiled into the test
// program of each back-end, which says what worlds it has.

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "harness/ports/collective.h"
#include "harness/ports/transport.h"

namespace traceml {

using RankBody = std::function<void(Transport&, Collective&)>;

struct WorldCase {
  std::string name;
  bool exchanges = true;  // false: one rank alone, whose collective has nothing to do
  // Runs the body on every rank that this process holds, with a fresh collective.
  std::function<void(const RankBody&)> run;
};

inline void PrintTo(const WorldCase& world, std::ostream* out) {
  *out << world.name;
}

// Defined by each test program.
std::vector<WorldCase> world_cases();

}  // namespace traceml
