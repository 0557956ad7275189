// What one queue of a Sea Islands chip works with: its registers, the memory it sees, what packets have set, what was counted and
// met unknown, and why it was lost. Packets, draws and dispatches get it by reference.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "gpu/chips/chip.h"
#include "gpu/device/budget.h"
#include "gpu/device/device.h"
#include "gpu/sea_islands/state.h"
#include "memory/address_space.h"
#include "memory/fault.h"
#include "pipeline/draw.h"
#include "wave/global_share.h"

namespace Atoll::sea_islands {

struct ChipConfig;  // chip_config.h
class Images;       // images.h
class ShaderCache;  // shaders.h
class ShaderFiles;  // shader_files.h
class TargetCache;  // targets.h

struct Context {
  Context(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options, std::atomic<int>& stop);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const gpu::Chip& chip;
  const ChipConfig& config;
  const gpu::QueueKind kind;
  AddressSpace& space;
  const gpu::Options& options;
  std::atomic<int>& stop;             // raised (gpu/device/watch.h says by whom), whatever runs ends soon
  std::atomic<uint64_t> progress{0};  // packets begun, waves and tiles ended so far, for who watches
  const unsigned threads;             // to share work among, at least 1
  RegisterFile registers;
  pipeline::Workers* workers = nullptr;  // of the device; null on queues that do not draw
  std::shared_ptr<ShaderCache> shaders;
  ShaderFiles* shader_files = nullptr;  // of the device; null: programs are not written to files
  const std::unique_ptr<Images> images;
  std::shared_ptr<TargetCache> targets;
  wave::GlobalShare* share = nullptr;    // of the device: GDS and GWS
  wave::GlobalPart global_part() const;  // what of it the queue has: GDS_VMID0_*, GDS_GWS_VMID0
  uint32_t compute_order = 0;            // waves launched so far with ORDERED_APPEND_ENBL, modulo their ids

  // Set by INDEX_BASE, INDEX_BUFFER_SIZE, INDEX_TYPE, NUM_INSTANCES, SET_BASE.
  uint64_t index_base = 0;
  uint32_t index_limit = 0;  // indices in the buffer
  uint32_t index_type = 0;   // INDEX_TYPE of VGT_INDEX_TYPE and VGT_DMA_INDEX_TYPE, whichever was written last
  uint32_t index_swap = 0;   // SWAP_MODE of the latter
  uint32_t instances = 1;
  uint64_t indirect_base = 0;  // of DRAW_INDIRECT and DISPATCH_INDIRECT

  // SET_PREDICATION: predicated packets are passed over while `predicate_fails`.
  bool predicate_fails = false;
  bool predicate_visible = true;  // what the queries so far say

  gpu::Budget budget;  // of the submission at hand
  // Whether there is room for what was just counted: `within(budget.packets())`. False: there is not, and the context is lost.
  bool within(bool room) { return room || lose(budget.report()); }

  gpu::Statistics statistics;
  pipeline::Counters counters;  // of all draws: occlusion and pipeline statistics
  uint64_t compute_invocations = 0;
  // PIPELINESTAT_START and _STOP: statistics are those counted between. What was counted before the last start or stop.
  bool statistics_run = true;
  pipeline::Counters statistics_base, statistics_sum;
  uint64_t compute_base = 0, compute_sum = 0;
  // Streams 0 to 3: primitives written to stream-out buffers, and that would have been with room for all.
  uint64_t streamout_written[4] = {}, streamout_needed[4] = {};
  uint32_t streamout_vertices[4] = {};  // of each stream, written since a buffer's offset was set

  // After a draw or dispatch, with its number on this queue; may be empty.
  std::function<void(uint64_t number)> after_draw;

  // Where the command processor is: for reports.
  const char* packet = "";      // its name
  uint64_t packet_address = 0;  // GPU address of its header
  std::string place() const;    // "DRAW_INDEX_2 at 0x100240000"

  // Counts something that is not understood: unknown("CB format 31"). Where: the packet at hand. Any thread. Under --strict
  // the context is lost with it.
  void unknown(std::string what);

  // The context is lost: the first report stays. Any thread. Always false, so that `return context.lose(...)` reads well.
  bool lose(std::string report);
  bool lose(std::string report, gpu::Fault fault);
  bool lost() const { return lost_.load(std::memory_order_relaxed); }
  std::string report() const;
  std::optional<gpu::Fault> fault() const;  // of the program that lost it

  // Copies out of and into GPU memory; false: some of it is not mapped (so), and the context is lost. `what` names the access in
  // the report. Aligned 4 and 8 bytes are one access.
  bool read(uint64_t address, void* to, size_t bytes, const char* what);
  bool write(uint64_t address, const void* from, size_t bytes, const char* what);
  // Runs `access`, which touches GPU memory at [address, address + bytes) and owns nothing that a fault would leave behind;
  // false: another thread unmapped it meanwhile, and the context is lost. Not on threads other than the queue's.
  template <class Access>
  bool guarded(uint64_t address, uint64_t bytes, const char* what, Access access) {
    if (!recovery) return access(), true;
    if (sigsetjmp(recovery->environment, 0)) return unmapped(address, bytes, what);
    recovery->activate();
    access();
    recovery->deactivate();
    return true;
  }
  FaultRecovery* recovery = nullptr;  // while the queue runs

  // Loses the context because `stop` is raised. Always false.
  bool lose_stopped();

  // The GPU's clock, counting as the crystal does (amdgpu's gpu_counter_freq). Under determinism a count of the times it was
  // asked.
  uint64_t clock();

  // Host memory of a GPU range that is mapped whole, else null and the context is lost: `what` names the access in the report.
  uint8_t* memory(uint64_t address, uint64_t bytes, bool write, const char* what);

private:
  bool unmapped(uint64_t address, uint64_t bytes, const char* what);

  mutable std::mutex mutex_;
  std::atomic<uint64_t> clock_reads_{0};
  std::atomic<bool> lost_{false};
  std::string report_;
  std::optional<gpu::Fault> fault_;
  std::map<std::string, size_t> unknown_index_;
};

}  // namespace Atoll::sea_islands
