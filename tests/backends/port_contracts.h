#pragma once
// One suite for every Transport and every Collective: port_contracts.cpp is compiled into the test
// program of each back-end, which says what worlds it has.

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "harness/ports/collective.h"
#include "harness/ports/transport.h"

namespace traceml {

using RankBody = std::function<void(Transport&, Collective&)>;

// Where the buckets of a world lie: on the host unless it says otherwise.
class BucketMemory {
 public:
  virtual ~BucketMemory() = default;
  virtual DeviceQueue queue() const { return {}; }
  // A copy of `size` bytes, which lives as long as this; complete in queue().
  virtual void* hold(const void* bytes, std::size_t size);
  // What lies there once queue() has done its work.
  virtual void read(const void* held, void* to, std::size_t size);

 private:
  std::vector<std::unique_ptr<std::byte[]>> held_;
};

struct WorldCase {
  std::string name;
  bool exchanges = true;       // false: one rank alone, whose collective has nothing to do
  std::string clock = "host";  // of its records
  std::function<std::unique_ptr<BucketMemory>()> memory = [] {
    return std::make_unique<BucketMemory>();
  };
  // Runs the body on every rank that this process holds, with a fresh collective.
  std::function<void(const RankBody&)> run;
  std::string needs = {};    // "gpu", "gpu2": nothing where it is empty
  std::string why_not = {};  // not empty: what it needs is not here
};

inline void PrintTo(const WorldCase& world, std::ostream* out) {
  *out << world.name;
}

// Defined by each test program.
std::vector<WorldCase> world_cases();

}  // namespace traceml
