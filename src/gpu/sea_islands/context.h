// What one queue of a Sea Islands chip works with: its registers, the memory it sees, what packets have set, what was counted and
// met unknown, and why it was lost. Packets, draws and dispatches get it by reference.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "gpu/device/device.h"
#include "gpu/sea_islands/state.h"
#include "memory/address_space.h"
#include "pipeline/draw.h"

namespace Atoll::sea_islands {

struct Chip;        // chips.h
class ShaderCache;  // shaders.h
class TargetCache;  // targets.h

struct Context {
  Context(const Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options, std::atomic<int>& stop);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Chip& chip;
  const gpu::QueueKind kind;
  AddressSpace& space;
  const gpu::Options& options;
  std::atomic<int>& stop;  // the device's: raised, whatever runs ends soon
  const unsigned threads;  // to share work among, at least 1
  Registers registers;
  pipeline::Workers* workers = nullptr;  // of the device; null on queues that do not draw
  std::shared_ptr<ShaderCache> shaders;
  std::shared_ptr<TargetCache> targets;  // of the submission that target_submission names
  uint64_t target_submission = 0;

  // Set by INDEX_BASE, INDEX_BUFFER_SIZE, INDEX_TYPE, NUM_INSTANCES, SET_BASE.
  uint64_t index_base = 0;
  uint32_t index_limit = 0;  // indices in the buffer
  uint32_t index_type = 0;   // as VGT_DMA_INDEX_TYPE
  uint32_t instances = 1;
  uint64_t indirect_base = 0;  // of DRAW_INDIRECT and DISPATCH_INDIRECT

  // SET_PREDICATION: predicated packets are passed over while `predicate_fails`.
  bool predicate_fails = false;

  gpu::Statistics statistics;
  pipeline::Counters counters;  // of all draws: occlusion and pipeline statistics
  uint64_t compute_invocations = 0;

  // Where the command processor is: for reports.
  const char* packet = "";      // its name
  uint64_t packet_address = 0;  // GPU address of its header
  std::string place() const;    // "DRAW_INDEX_2 at 0x100240000"

  // Counts something that is not understood: unknown("CB format 31"). Where: the packet at hand. Any thread. Under --strict
  // the context is lost with it.
  void unknown(std::string what);

  // The context is lost: the first report stays. Any thread. Always false, so that `return context.lose(...)` reads well.
  bool lose(std::string report);
  bool lost() const { return lost_.load(std::memory_order_relaxed); }
  std::string report() const;

  // Host memory of a GPU range that is mapped whole, else null and the context is lost: `what` names the access in the report.
  uint8_t* memory(uint64_t address, uint64_t bytes, bool write, const char* what);

private:
  mutable std::mutex mutex_;
  std::atomic<bool> lost_{false};
  std::string report_;
  std::map<std::string, size_t> unknown_index_;
};

}  // namespace Atoll::sea_islands
