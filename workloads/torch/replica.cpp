#include "workloads/torch/replica.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "harness/core/error.h"

namespace traceml {
namespace {

void convert_to_channels_last(const Network& network) {
  const torch::NoGradGuard no_grad;
  for (at::Tensor& parameter : network.parameters()) {
    if (parameter.dim() == 4) {
      parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
    }
  }
}

// Rank 0's values replace this rank's.
void broadcast_from_rank_zero(const at::Tensor& flat, Transport& transport) {
  const auto size = flat.nbytes();
  std::string mine;
  if (transport.rank() == Rank{0}) {
    const at::Tensor host = flat.cpu();
    mine.assign(static_cast<const char*>(host.const_data_ptr()), size);
  }
  std::string bytes = transport.broadcast(mine);
  if (bytes.size() != size) {
    throw RunError("rank 0 sent weights of " + std::to_string(bytes.size()) +
                   " bytes where this rank's model has " + std::to_string(size) +
                   "; start all ranks with the same config and binary");
  }
  const torch::NoGradGuard no_grad;
  flat.copy_(at::from_blob(bytes.data(), flat.sizes(), at::TensorOptions().dtype(at::kFloat)));
}

// FNV-1a on 64-bit words, folded after each so that high bits reach low ones.
std::uint64_t digest_of(const void* data, std::size_t bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto* at_byte = static_cast<const char*>(data);
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at_byte + i, std::min(sizeof(word), bytes - i));
    hash = (hash ^ word) * 0x100000001b3U;
    hash ^= hash >> 32U;
  }
  return hash;
}

}  // namespace

Replica::Replica(std::shared_ptr<Network> network, const WorkloadConfig& config, at::Device device,
                 Transport& transport, Collective& collective, DeviceQueue queue)
    : config_(config), network_(std::move(network)) {
  network_->to(device);
  network_->train();
  if (config.memory_format == MemoryFormat::kChannelsLast) convert_to_channels_last(*network_);
  std::vector<at::Tensor> parameters = network_->parameters();
  for (const at::Tensor& parameter : parameters) parameter_count_ += parameter.numel();
  std::reverse(parameters.begin(), parameters.end());  // as backward finishes them
  sgd_ = std::make_unique<FlatSgd>(parameters, config.optimizer);
  broadcast_from_rank_zero(sgd_->parameters(), transport);
  if (config.precision == Precision::kBf16) {
    bf16_ = std::make_unique<Bf16Weights>(*network_, parameters, *sgd_);
  }
  buckets_ =
      std::make_unique<GradientBuckets>(parameters, *sgd_, config.bucket_mb, collective, queue);
  snapshot_ = std::make_unique<Snapshot>(*network_, *sgd_);
}

bool Replica::serves(const WorkloadConfig& config) const {
  WorkloadConfig with_our_batch = config;
  with_our_batch.batch_size = config_.batch_size;
  with_our_batch.image_size = config_.image_size;
  return with_our_batch == config_;
}

std::uint64_t Replica::digest() const {
  const at::Tensor host = sgd_->parameters().cpu();
  return digest_of(host.const_data_ptr(), host.nbytes());
}

}  // namespace traceml
