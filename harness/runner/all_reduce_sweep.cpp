#include "harness/runner/all_reduce_sweep.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "harness/core/error.h"

namespace traceml {
namespace {

class HostSweepMemory final : public SweepMemory {
 public:
  explicit HostSweepMemory(std::int64_t max_bytes)
      : values_(static_cast<std::size_t>(max_bytes) / sizeof(float)) {}

  DeviceQueue queue() const override { return {}; }
  void* data() override { return values_.data(); }
  void write(const std::vector<float>& values) override {
    std::copy(values.begin(), values.end(), values_.begin());
  }
  void read(std::vector<float>* values) override {
    std::copy_n(values_.begin(), values->size(), values->begin());
  }
  void finish() override {}

 private:
  std::vector<float> values_;
};

// What rank `rank` puts into element `i`; the mean over ranks is that of a rank in the middle.
float element(std::size_t i, double rank) {
  return static_cast<float>(static_cast<double>(i % 251) + 1 + rank);
}

void fill(std::vector<float>& values, double rank) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element(i, rank);
}

std::int64_t wrong_in(const std::vector<float>& values, double mean_rank) {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float expected = element(i, mean_rank);
    // A NaN is wrong, too.
    wrong += !(std::abs(values[i] - expected) <= 1e-5f * expected);
  }
  return wrong;
}

// One rank's part of a row, as bytes.
struct Part {
  std::int64_t wrong = 0;
  std::int64_t nanos[kSweepRepetitions] = {};
};

std::string bytes_of(const Part& part) {
  std::string bytes(sizeof part, '\0');
  std::memcpy(bytes.data(), &part, sizeof part);
  return bytes;
}

SweepRow row_of(std::int64_t bytes, const std::vector<std::string>& ranks) {
  SweepRow row;
  row.bytes = bytes;
  std::vector<std::int64_t> slowest(kSweepRepetitions, 0);
  for (const std::string& text : ranks) {
    Part part;
    if (text.size() != sizeof part) throw RunError("a rank runs another version of traceml-bench");
    std::memcpy(&part, text.data(), sizeof part);
    row.wrong += part.wrong;
    for (std::size_t i = 0; i < slowest.size(); ++i) {
      slowest[i] = std::max(slowest[i], part.nanos[i]);
    }
  }
  const auto middle = slowest.begin() + kSweepRepetitions / 2;
  std::nth_element(slowest.begin(), middle, slowest.end());
  row.time = Nanos{*middle};
  return row;
}

}  // namespace

std::unique_ptr<SweepMemory> make_host_sweep_memory(std::int64_t max_bytes) {
  return std::make_unique<HostSweepMemory>(max_bytes);
}

std::vector<std::int64_t> sweep_sizes(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = least; size <= most; size *= 4) sizes.push_back(size);
  return sizes;
}

std::vector<SweepRow> sweep_all_reduce(Transport& transport, Collective& collective,
                                       HostClock& clock, SweepMemory& memory,
                                       const std::vector<std::int64_t>& sizes) {
  std::vector<SweepRow> rows;
  for (const std::int64_t bytes : sizes) {
    std::vector<float> values(static_cast<std::size_t>(bytes) / sizeof(float));
    const auto once = [&] {
      collective.all_reduce_mean({.bucket = 0,
                                  .data = memory.data(),
                                  .count = static_cast<std::int64_t>(values.size()),
                                  .type = ElementType::kFloat32,
                                  .queue = memory.queue()});
      collective.wait(memory.queue());
      memory.finish();
    };
    fill(values, transport.rank().value);
    memory.write(values);
    once();
    memory.read(&values);
    Part part;
    part.wrong = wrong_in(values, (transport.world_size() - 1) / 2.0);
    for (int i = 1; i < kSweepWarmUps; ++i) once();  // the mean of means stays what it is
    for (std::int64_t& nanos : part.nanos) {
      transport.barrier();
      const Nanos begun = clock.now();
      once();
      nanos = (clock.now() - begun).count();
    }
    const std::vector<std::string> parts = transport.gather(bytes_of(part));
    if (transport.rank() == Rank{0}) rows.push_back(row_of(bytes, parts));
  }
  return rows;
}

}  // namespace traceml
