#include "trace/submitted_streams.h"

#include <cstring>

#include "gpu/chips/chip.h"

namespace Atoll::trace {

using namespace registers;

void SubmittedBuffers::begin_submission(const AddressSpace& space) {
  space_ = &space;
  called_.clear();
  kept_dwords_ = 0;
}

std::optional<std::vector<uint32_t>> SubmittedBuffers::read(uint64_t address, uint64_t dwords) const {
  address &= ~uint64_t(3);
  if (dwords > max_dwords || !space_->contains(address, dwords * 4)) return {};
  std::vector<uint32_t> words(dwords);
  if (dwords) std::memcpy(words.data(), space_->host(address), dwords * 4);
  return words;
}

StreamWalk::Buffer* SubmittedBuffers::find(const IndirectBuffer& called) {
  auto [at, fresh] = called_.try_emplace({called.address, called.dwords});
  if (fresh) {
    at->second.name = fmt::format("{:#x}", called.address);
    kept_dwords_ += called.dwords;
    auto words = kept_dwords_ <= max_dwords ? read(called.address, called.dwords) : std::nullopt;
    if (words) at->second.words = std::move(*words);
  }
  return &at->second;
}

Expected<std::unique_ptr<gpu::Queue>> LookingDevice::make_queue(gpu::QueueKind kind, AddressSpace& space) {
  struct Queue : gpu::Queue {
    LookingDevice& device;
    gpu::QueueKind kind;
    AddressSpace& space;
    Queue(LookingDevice& d, gpu::QueueKind k, AddressSpace& s) : device(d), kind(k), space(s) {}
    Expected<void> run(std::span<const gpu::CommandBuffer> buffers) override {
      device.submission(kind, space, buffers);
      return {};
    }
    gpu::Statistics statistics() const override { return {}; }
  };
  return std::make_unique<Queue>(*this, kind, space);
}

const char* ring_name(gpu::QueueKind kind) {
  static constexpr const char* names[] = {"graphics", "compute", "copy"};
  return names[size_t(kind)];
}

const char* engine_name(gpu::QueueKind kind) { return kind == gpu::QueueKind::copy ? "blitter" : "render"; }

const Family* stream_family(std::string_view gpu) {
  const gpu::Chip* chip = gpu::find_chip(gpu);
  if (!chip) return nullptr;
  const Family* family = find_family(chip->registers);
  return family && (family->pm4 != Pm4Dialect::None || !family->commands.empty()) ? family : nullptr;
}

RegisterUsage::Walk::Walk(const Family& family, std::string gpu)
    : StreamWalk(family, {gpu::Limits{}.packets, gpu::Limits{}.buffers}), counter(family, std::move(gpu)) {}

RegisterUsage::Batches::Batches(const Family& family, UsageCounter& to) : BatchWalk(family, gpu::Limits{}.packets), counter(to) {}

void RegisterUsage::Batches::command(const Command& row, uint64_t, std::span<const uint32_t> words, size_t) {
  counter.command(row, words);
}

RegisterUsage::RegisterUsage(const Family& family, std::string gpu)
    : walk_(family, std::move(gpu)), batches_(family, walk_.counter), intel_(!family.commands.empty()) {}

void RegisterUsage::submission(gpu::QueueKind kind, const AddressSpace& space, std::span<const gpu::CommandBuffer> buffers) {
  std::lock_guard lock(mutex_);
  walk_.buffers.begin_submission(space);
  walk_.forget_calls();
  walk_.counter.begin_submission(ring_name(kind));
  auto read = [&](uint64_t address, uint32_t* to, uint32_t dwords) {
    if (!space.contains(address, uint64_t(dwords) * 4)) return false;
    std::memcpy(to, space.host(address), size_t(dwords) * 4);
    return true;
  };
  for (auto& b : buffers) {
    if (intel_) {
      batches_.walk(fmt::format("{:#x}", b.address), b.address, b.dwords, engine_name(kind), read);
      continue;
    }
    if (kind == gpu::QueueKind::copy) {
      walk_.counter.problem("buffers of the copy engine, which write no registers");
      continue;
    }
    if (auto words = walk_.buffers.read(b.address, b.dwords))
      walk_.walk(fmt::format("{:#x}", b.address), *words);
    else
      walk_.counter.problem("a buffer that is not mapped");
  }
}

Usage RegisterUsage::usage() const {
  std::lock_guard lock(mutex_);
  return walk_.counter.usage();
}

}  // namespace Atoll::trace
