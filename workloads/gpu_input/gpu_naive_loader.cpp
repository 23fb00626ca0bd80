#include "workloads/gpu_input/gpu_naive_loader.h"

#include <algorithm>

#include "harness/core/error.h"

namespace traceml {

namespace {

constexpr int kHeldByConsumer = 2;
constexpr std::size_t kUsualFile = std::size_t{128} << 10;

// Memory that a file is read into and kept in.
class KeptRoom final : public FileRoom {
 public:
  explicit KeptRoom(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}
  std::uint8_t* room_for(std::size_t bytes) override {
    make_room(bytes_, bytes);
    return bytes_.data();
  }

 private:
  std::vector<std::uint8_t>& bytes_;
};

}  // namespace

GpuNaiveLoader::GpuNaiveLoader(const GpuLoaderOptions& options, const SampleOrder& order,
                               std::shared_ptr<const Dataset> dataset,
                               std::shared_ptr<const NvjpegSession> session)
    : GpuLoaderBase(options, order, std::move(dataset), kHeldByConsumer, 1, 1),
      rows_(static_cast<std::size_t>(ring_.slots())),
      decoder_(session, dataset_, options.cache, 1, training()) {
  const auto batch = static_cast<std::size_t>(options.batch_size);
  for (Slot& slot : rows_) {
    slot.files.resize(batch);
    for (ReadFile& file : slot.files) file.bytes.resize(kUsualFile);
    slot.facts.resize(batch);
    slot.times.resize(batch);
  }
  for (int i = 0; i < options.workers; ++i) {
    readers_.push_back(std::make_unique<FileReader>(dataset_->folder, options.cache));
  }
  threads_.start(options.workers, options.cores,
                 [this](int i) { work(*readers_[static_cast<std::size_t>(i)]); });
}

GpuNaiveLoader::~GpuNaiveLoader() {
  threads_.end();
  static_cast<void>(cudaDeviceSynchronize());
}

void GpuNaiveLoader::park() {
  park_workers();
  check_cuda(cudaStreamSynchronize(training()));
}

void GpuNaiveLoader::work(FileReader& reader) {
  Nanos idle_since{};
  while (const std::optional<WorkUnit> unit = ring_.take()) {
    read_unit(reader, *unit);
    if (records_.on()) {
      StageTimes& times = slot_at(unit->slot).times[static_cast<std::size_t>(unit->first_row)];
      times.slot_wait = times.begun - std::max(idle_since, started_);
      idle_since = times.done;
    }
    ring_.done(*unit);
  }
}

// The file of the unit's one row. What is wrong with it is found when it is decoded.
void GpuNaiveLoader::read_unit(FileReader& reader, const WorkUnit& unit) {
  Slot& slot = slot_at(unit.slot);
  const auto row = static_cast<std::size_t>(unit.first_row);
  slot.facts[row] = {};
  slot.times[row] = {};
  StageWatch watch;
  if (records_.on()) watch = {*options_.clock, &slot.times[row]};
  ReadFile& file = slot.files[row];
  const std::int64_t sample = order_.sample(order_.position(first_ + unit.batch, unit.first_row));
  watch.is_of(sample);
  try {
    KeptRoom room(file.bytes);
    file.size = reader.read(dataset_->samples[static_cast<std::size_t>(sample)].path, room).size();
  } catch (const ImageError&) {
    file.size = 0;  // decode() reads it again and says why
  } catch (const std::exception& error) {
    slot.facts[row].problem = error.what();
    slot.facts[row].fatal = true;
  }
  watch.end(&StageTimes::read);
  watch.end_sample();
}

GpuBatch GpuNaiveLoader::next() {
  const GpuBatch batch = take();
  delivered(batch, slot_at(batch.slot).times);
  return batch;
}

void GpuNaiveLoader::decode(const GpuBatch& batch) {
  Slot& slot = slot_at(batch.slot);
  for (int row = 0; row < options_.batch_size; ++row) decode_row(batch, row, slot);
  totals_.add(slot.facts);
}

void GpuNaiveLoader::decode_row(const GpuBatch& batch, int row, Slot& slot) {
  const auto index = static_cast<std::size_t>(row);
  RowFacts& facts = slot.facts[index];
  if (facts.fatal) throw RunError(facts.problem);
  CropResizeRequest crops;
  slots_.aim(batch.slot, &crops);
  decoder_.begin();
  const ReadFile& file = slot.files[index];
  bool is_read = file.size > 0;
  const SampleTries tries{order_, *dataset_, options_.on_error, options_.seed};
  const auto make = [&](std::int64_t sample, Random random) {
    CropImage image;
    image.row = row;
    image.label = dataset_->samples[static_cast<std::size_t>(sample)].label;
    StageWatch unwatched;
    const GpuSampleFacts made =
        is_read ? decoder_.decode({file.bytes.data(), file.size}, random, image, nullptr, &crops)
                : decoder_.make(sample, random, image, nullptr, &crops, unwatched);
    facts.grey = made.grey;
    by_cuda_ += made.by == DecodedBy::kCuda ? 1 : 0;
  };
  tries.first_made(batch.sequence, row, &facts, make, [&is_read] { is_read = false; });
  queue_crop_resize(crops, options_.place.training);
}

void GpuNaiveLoader::release(const GpuBatch& batch) {
  give_back(batch);
}

std::map<std::string, std::int64_t> GpuNaiveLoader::counters() const {
  std::map<std::string, std::int64_t> counters = totals_.counters();
  counters["samples_cuda"] = by_cuda_;
  return counters;
}

}  // namespace traceml
