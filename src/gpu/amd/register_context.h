// The part of a queue's context that AMD's families have in common: its memory, reports and limits with the chip's registers and the
// threads that work is shared among. A family derives its own (state/register_context.h), to which its floors add more.
#pragma once
#include "gpu/amd/not_yet.h"
#include "gpu/amd/register_file.h"
#include "gpu/chips/chip.h"
#include "gpu/device/queue_state.h"

namespace Atoll::pipeline {
class Workers;
}

namespace Atoll::gpu::amd {

struct RegisterContext : QueueState {
  // `registers`: with the values that they start with. `not_yet`: of the chip.
  RegisterContext(const Chip& chip, QueueKind kind, AddressSpace& space, const Options& options, std::atomic<int>& stop,
                  RegisterFile registers, const NotYet& not_yet);

  const Chip& chip;
  const QueueKind kind;
  RegisterFile registers;
  const NotYet& not_yet;
  const unsigned threads;                // to share work among, at least 1
  pipeline::Workers* workers = nullptr;  // of the device; null on queues that do not draw

  // Draws the pixels of deferred draws (pipeline/tiles/scene.h) and stores the cached blocks of targets (pipeline/tiles/tile_cache.h).
  // Call it before anything looks at memory or changes it: the command processor does so before every packet except where
  // packet_table.cpp says otherwise. False: the context is lost, by a deferred draw.
  bool write_back_targets();
  uint64_t write_backs = 0;  // how often it was called

  // The GPU's clock, counting as the crystal does (amdgpu's gpu_counter_freq). Under determinism a count of the times it was
  // asked.
  uint64_t clock();

private:
  std::atomic<uint64_t> clock_reads_{0};
};

}  // namespace Atoll::gpu::amd
