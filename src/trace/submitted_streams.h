// A submission's command buffers, read from memory before the GPU reads them.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device/device.h"
#include "registers/batch_walk.h"
#include "registers/stream_walk.h"
#include "registers/usage.h"

namespace Atoll::trace {

// The words of a submission's buffers. Unmapped parts are left out, and take no memory.
class SubmittedBuffers {
public:
  static constexpr uint64_t max_dwords = gpu::Limits{}.dwords;

  void begin_submission(const AddressSpace& space);
  // Nothing if a part of it is not mapped.
  std::optional<std::vector<uint32_t>> read(uint64_t address, uint64_t dwords) const;
  // A buffer that a packet calls; without words if it is not mapped. It stays until the next submission begins.
  registers::StreamWalk::Buffer* find(const registers::IndirectBuffer& called);

private:
  const AddressSpace* space_ = nullptr;
  std::map<std::pair<uint64_t, uint32_t>, registers::StreamWalk::Buffer> called_;
  uint64_t kept_dwords_ = 0;  // in called_: the same memory may be called in as many sizes as there are
};

// A GPU that only looks at what it is given, for recordings.
class LookingDevice : public gpu::Device {
public:
  explicit LookingDevice(std::string name) : name_(std::move(name)) {}
  virtual void submission(gpu::QueueKind kind, AddressSpace& space, std::span<const gpu::CommandBuffer> buffers) = 0;

  std::string_view name() const override { return name_; }
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind kind, AddressSpace& space) override;
  uint32_t read_register(uint32_t) override { return 0; }
  void write_register(uint32_t, uint32_t) override {}
  void attach(AddressSpace&) override {}
  std::string report() const override { return {}; }

private:
  const std::string name_;
};

// "graphics", "compute", "copy"
const char* ring_name(gpu::QueueKind kind);

// The engine that a queue's batches are for, as commands.json names it.
const char* engine_name(gpu::QueueKind kind);

// The registers that the GPU's command processor has; null for a GPU whose streams cannot be read.
const registers::Family* stream_family(std::string_view gpu);

// Counts what submissions write, from any thread.
class RegisterUsage {
public:
  RegisterUsage(const registers::Family& family, std::string gpu);
  void submission(gpu::QueueKind kind, const AddressSpace& space, std::span<const gpu::CommandBuffer> buffers);
  registers::Usage usage() const;

private:
  struct Walk : registers::StreamWalk {
    SubmittedBuffers buffers;
    registers::UsageCounter counter;

    Walk(const registers::Family& family, std::string gpu);
    Buffer* find(const registers::IndirectBuffer& called) override { return buffers.find(called); }
    void packet(const registers::StreamPacket& packet, const Place&) override { counter.packet(packet); }
    void problem(const std::string&, size_t, const std::string& text) override { counter.problem(text); }
  };
  struct Batches : registers::BatchWalk {
    registers::UsageCounter& counter;

    Batches(const registers::Family& family, registers::UsageCounter& to);
    void command(const registers::Command& row, uint64_t, std::span<const uint32_t> words, size_t) override;
    void problem(const std::string&, uint64_t, const std::string& text) override { counter.problem(text); }
  };
  mutable std::mutex mutex_;
  Walk walk_;
  Batches batches_;
  const bool intel_;  // streams are batches of Intel's command streamers
};

}  // namespace Atoll::trace
