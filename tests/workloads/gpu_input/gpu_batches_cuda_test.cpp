#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "tests/gpu_test.h"
#include "tests/workloads/input/test_images.h"
#include "workloads/gpu_input/cuda_memory.h"
#include "workloads/gpu_input/gpu_batches.h"
#include "workloads/input/datagen.h"
#include "workloads/input/make_batch_source.h"

namespace traceml {
namespace {

constexpr int kBatch = 48;
constexpr int kSize = 224;
constexpr std::uint64_t kSeed = 5;

struct Setting {
  Decode decode = Decode::kGpu;
  double share = 0;
  SampleType dtype = SampleType::kUint8;
  OnError on_error = OnError::kStop;
  int workers = 1;
};

class GpuBatches : public testing::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    check_cuda(cudaSetDevice(0));
    stream_ = make_gpu_stream();
  }

  static InputConfig input_of(const Setting& setting, const TestFolder& folder) {
    InputConfig input;
    input.dataset_path = folder.path().string();
    input.workers = setting.workers;
    input.dtype = setting.dtype;
    input.on_error = setting.on_error;
    input.decode = setting.decode;
    if (setting.decode == Decode::kGpu) input.hardware_share = setting.share;
    return input;
  }

  static WorkloadConfig workload(int batch = kBatch) {
    WorkloadConfig config;
    config.batch_size = batch;
    config.image_size = kSize;
    return config;
  }

  std::unique_ptr<GpuBatchSource> open(const Setting& setting, const TestFolder& folder,
                                       int batch = kBatch) {
    return make_gpu_batches(input_of(setting, folder), workload(batch), kSeed, Rank{0}, 1,
                            std::make_shared<const Dataset>(load_dataset(folder.path())),
                            {0, {reinterpret_cast<std::uintptr_t>(stream_.get())}});
  }

  static std::unique_ptr<BatchSource> open_on_cpu(const Setting& setting, const TestFolder& folder,
                                                  int batch = kBatch) {
    return make_batch_source(input_of(setting, folder), workload(batch), kSeed, Rank{0}, 1,
                             std::make_shared<const Dataset>(load_dataset(folder.path())));
  }

  GpuBatch take(GpuBatchSource& source) {
    const GpuBatch batch = source.next();
    if (source.decodes_on_queue()) source.decode(batch);
    return batch;
  }

  template <typename Value>
  std::vector<Value> copy_of(const void* device, std::size_t count) {
    std::vector<Value> host(count);
    check_cuda(cudaMemcpyAsync(host.data(), device, count * sizeof(Value), cudaMemcpyDeviceToHost,
                               stream_.get()));
    check_cuda(cudaStreamSynchronize(stream_.get()));
    return host;
  }

  // Mean absolute difference of each row from the CPU's, over some batches; labels must be equal.
  template <typename Value>
  std::vector<double> differences(const Setting& setting, const TestFolder& folder, int batches,
                                  int batch_size = kBatch) {
    const auto gpu = open(setting, folder, batch_size);
    const auto cpu = open_on_cpu(setting, folder, batch_size);
    gpu->start(0);
    cpu->start(0);
    std::vector<double> rows;
    constexpr std::size_t kValues = std::size_t{kSize} * kSize * 3;
    for (int k = 0; k < batches; ++k) {
      const GpuBatch on_gpu = take(*gpu);
      const HostBatch on_cpu = cpu->next();
      EXPECT_EQ(on_gpu.sequence, on_cpu.sequence);
      const auto count = static_cast<std::size_t>(batch_size);
      const auto pixels = copy_of<Value>(on_gpu.images, kValues * count);
      const auto labels = copy_of<std::int64_t>(on_gpu.labels, count);
      const auto* expected = static_cast<const Value*>(on_cpu.images);
      for (std::size_t row = 0; row < count; ++row) {
        EXPECT_EQ(labels[row], on_cpu.labels[row]) << "batch " << k << ", row " << row;
        double sum = 0;
        for (std::size_t i = row * kValues; i < (row + 1) * kValues; ++i) {
          sum += std::abs(static_cast<double>(pixels[i]) - static_cast<double>(expected[i]));
        }
        rows.push_back(sum / kValues);
      }
      gpu->release(on_gpu);
      cpu->release(on_cpu);
    }
    gpu->park();
    cpu->park();
    counters_ = gpu->counters();
    replaced_ = gpu->replaced_files();
    cpu_replaced_ = cpu->replaced_files();
    return rows;
  }

  static double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  static double most(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
  }

  static const TestFolder& photographs() {
    static const TestFolder kFolder;
    static const bool kMade = [] {
      DatagenOptions options;
      options.folder = kFolder.path() / "set";
      options.classes = 6;
      options.images = 192;
      options.seed = 3;
      make_dataset(options);
      for (const auto& part : {"images", "meta"}) {
        std::filesystem::rename(kFolder.path() / "set" / part, kFolder.path() / part);
      }
      return true;
    }();
    static_cast<void>(kMade);
    return kFolder;
  }

  bool has_engines() const { return find_gpu_decoding(0).engines > 0; }

  GpuStream stream_;
  std::map<std::string, std::int64_t> counters_;
  std::vector<std::string> replaced_;
  std::vector<std::string> cpu_replaced_;
};

TEST_F(GpuBatches, HoldTheCpusCropsAndFlipsWithAlmostTheSamePixelsAtEveryShare) {
  for (const double share : {0.0, 0.5, 1.0}) {
    if (share > 0 && !has_engines()) continue;
    const auto rows = differences<std::uint8_t>({.share = share, .workers = 3}, photographs(), 6);
    std::printf(
        "share %.1f: mean difference %.3f, worst row %.3f of 255; %d by engines, %d by "
        "CUDA\n",
        share, mean(rows), most(rows), static_cast<int>(counters_["samples_hardware"]),
        static_cast<int>(counters_["samples_cuda"]));
    EXPECT_LT(mean(rows), 1.5) << "share " << share;
    EXPECT_LT(most(rows), 4.0) << "share " << share << ": another crop or flip is 20 and more";
    EXPECT_EQ(counters_["samples_delivered"], 6 * kBatch);
    EXPECT_EQ(counters_["samples_hardware"], static_cast<int>(6 * kBatch * share));
    EXPECT_EQ(counters_["samples_cuda"], 6 * kBatch - counters_["samples_hardware"]);
  }
}

TEST_F(GpuBatches, AreNormalisedAsTheCpusFloats) {
  const double share = has_engines() ? 0.5 : 0.0;
  const auto rows =
      differences<float>({.share = share, .dtype = SampleType::kFloat32}, photographs(), 2);
  EXPECT_LT(mean(rows), 1.5 / 255 / 0.224);
  EXPECT_LT(most(rows), 4.0 / 255 / 0.224);
}

TEST_F(GpuBatches, OfTheNaiveWayAreTheSame) {
  const auto rows = differences<std::uint8_t>({.decode = Decode::kGpuNaive}, photographs(), 3);
  EXPECT_LT(mean(rows), 1.5);
  EXPECT_LT(most(rows), 4.0);
  EXPECT_EQ(counters_["samples_cuda"], 3 * kBatch);
  EXPECT_EQ(counters_["samples_delivered"], 3 * kBatch);
}

TEST_F(GpuBatches, OfOddSizesAreComplete) {
  const double share = has_engines() ? 0.6 : 0.0;
  for (const int batch : {1, 37, 130}) {
    const auto rows = differences<std::uint8_t>({.share = share}, photographs(), 2, batch);
    EXPECT_LT(most(rows), 4.0) << batch;
  }
}

TEST_F(GpuBatches, BeginWhereTheyAreToldTo) {
  const auto source = open({}, photographs());
  source->start(0);
  for (int k = 0; k < 3; ++k) source->release(source->next());
  const GpuBatch third = source->next();
  EXPECT_EQ(third.sequence, 3);
  const auto pixels = copy_of<std::uint8_t>(third.images, std::size_t{kBatch} * kSize * kSize * 3);
  source->release(third);
  source->park();
  source->start(3);
  const GpuBatch again = source->next();
  const auto same = copy_of<std::uint8_t>(again.images, pixels.size());
  const auto differing = static_cast<std::int64_t>(pixels.size()) -
                         std::inner_product(same.begin(), same.end(), pixels.begin(),
                                            std::int64_t{0}, std::plus<>(), std::equal_to<>());
  EXPECT_EQ(differing, 0) << "of " << pixels.size() << " bytes";
  source->release(again);
  source->park();
}

// What engines or nvJPEG do not take goes to the next one that does.
TEST_F(GpuBatches, HoldFilesOfEveryForm) {
  const std::vector<std::pair<const char*, TestJpeg>> forms = {
      {"grey", {.colour = TestColour::kGrey}},       {"progressive", {.progressive = true}},
      {"4:4:4", {.luma_across = 1, .luma_down = 1}}, {"4:2:2", {.luma_across = 2, .luma_down = 1}},
      {"4:4:0", {.luma_across = 1, .luma_down = 2}}, {"4:1:1", {.luma_across = 4, .luma_down = 1}}};
  constexpr int kFiles = 6;
  for (const auto& [name, form] : forms) {
    const TestFolder folder;
    for (int i = 0; i < kFiles; ++i) {
      TestJpeg file = form;
      file.key = static_cast<std::uint64_t>(i) + 1;
      file.width = 200 + 31 * i;
      file.height = 260 - 17 * i;
      folder.write("c/" + std::to_string(i) + ".jpg", make_jpeg(file));
    }
    for (const double share : {0.0, 1.0}) {
      if (share > 0 && !has_engines()) continue;
      const auto rows = differences<std::uint8_t>({.share = share}, folder, 1, kFiles);
      std::printf("%s, share %.0f: mean %.3f, worst %.3f; %d by engines, %d by CUDA\n", name, share,
                  mean(rows), most(rows), static_cast<int>(counters_["samples_hardware"]),
                  static_cast<int>(counters_["samples_cuda"]));
      EXPECT_LT(mean(rows), 1.5) << name << ", share " << share;
      EXPECT_EQ(counters_["samples_grey"], form.colour == TestColour::kGrey ? kFiles : 0);
    }
  }
}

TEST_F(GpuBatches, OfFilesFarLargerThanUsualAreRight) {
  const TestFolder folder;
  for (int i = 0; i < 4; ++i) {
    const auto bytes = make_jpeg({.width = 3000, .height = 2000, .key = 40U + i});
    folder.write("c/" + std::to_string(i) + ".jpg", bytes);
  }
  for (const double share : {0.0, 1.0}) {
    if (share > 0 && !has_engines()) continue;
    EXPECT_LT(mean(differences<std::uint8_t>({.share = share}, folder, 2, 4)), 1.5) << share;
  }
}

// A truncated, an empty, a foreign and a CMYK file.
void add_bad_files(const TestFolder& folder) {
  auto cut = make_jpeg({.width = 300, .height = 300, .key = 77});
  cut.resize(cut.size() / 2);
  folder.write("class_0/cut.jpg", cut);
  folder.write("class_1/empty.jpg", std::string());
  folder.write("class_1/text.jpg", std::string("no picture"));
  folder.write("class_0/cmyk.jpg", make_jpeg({.colour = TestColour::kCmyk, .key = 78}));
}

TEST_F(GpuBatches, ReplaceBadFilesAsTheCpuDoes) {
  const TestFolder folder;
  write_plain_tree(folder, 2, 28);
  add_bad_files(folder);
  for (const Setting& setting :
       {Setting{.on_error = OnError::kReplace},
        Setting{.share = has_engines() ? 1.0 : 0.0, .on_error = OnError::kReplace},
        Setting{.decode = Decode::kGpuNaive, .on_error = OnError::kReplace}}) {
    const auto rows = differences<std::uint8_t>(setting, folder, 2, 16);
    EXPECT_LT(mean(rows), 2.5) << "tiny images, magnified";
    EXPECT_EQ(counters_["samples_replaced"], 4);
    std::sort(replaced_.begin(), replaced_.end());
    std::sort(cpu_replaced_.begin(), cpu_replaced_.end());
    EXPECT_EQ(replaced_, cpu_replaced_);
  }
}

TEST_F(GpuBatches, StopAtABadFileAndNameIt) {
  const TestFolder folder;
  write_plain_tree(folder, 2, 7);
  auto cut = make_jpeg({.width = 300, .height = 300, .key = 77});
  cut.resize(cut.size() / 2);
  folder.write("class_0/cut.jpg", cut);
  for (const Decode decode : {Decode::kGpu, Decode::kGpuNaive}) {
    const auto source = open({.decode = decode}, folder, 8);
    source->start(0);
    try {
      take(*source);
      ADD_FAILURE() << "the bad file was overlooked";
    } catch (const RunError& error) {
      EXPECT_NE(std::string(error.what()).find("class_0/cut.jpg is truncated"), std::string::npos)
          << error.what();
    }
  }
}

TEST_F(GpuBatches, TellWhatTheyCost) {
  const auto source = open({.share = has_engines() ? 0.5 : 0.0}, photographs());
  source->record(3);
  source->start(0);
  for (int k = 0; k < 4; ++k) source->release(source->next());
  source->park();
  const std::vector<InputRecord> records = source->records();
  ASSERT_EQ(records.size(), 3U);
  for (const InputRecord& record : records) {
    EXPECT_GT(record.read, Nanos{0});
    EXPECT_GT(record.decode, Nanos{0});
    EXPECT_GE(record.ready, record.begun);
    EXPECT_GE(record.taken, record.asked);
    EXPECT_GE(record.slot_wait, Nanos{0});
    ASSERT_EQ(record.engine_wait.has_value(), has_engines());
    if (record.engine_wait) EXPECT_GT(*record.engine_wait, Nanos{0});
    EXPECT_TRUE(record.slowest_file.ends_with(".jpg"));
  }
  EXPECT_EQ(source->facts().substr(0, 7), "nvJPEG ");
}

}  // namespace
}  // namespace traceml
