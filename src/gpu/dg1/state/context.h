// The state that one queue of a DG1 keeps from submission to submission: a context of the kernel driver has one for each of its
// engines, and commands of one batch rely on state that an earlier batch set.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/chips/chip.h"
#include "gpu/device/queue_state.h"
#include "gpu/dg1/state/graphics_state.h"
#include "gpu/dg1/state/registers.h"
#include "gpu/dg1/threads/environment.h"
#include "gpu/dg1/threads/kernels.h"
#include "gpu/dg1/threads/surface_state.h"
#include "isa/xe_lp/thread_context.h"
#include "memory/aliases.h"
#include "pipeline/draw.h"
#include "pipeline/workers.h"
#include "registers/dg1.h"

namespace Atoll::dg1 {

inline constexpr uint64_t address_mask = (uint64_t(1) << Sections::address_bits) - 1;

// A canonical address without the copies of its bit 47.
constexpr uint64_t stripped(uint64_t address) { return address & address_mask; }

// STATE_BASE_ADDRESS and what else says where offsets count from.
struct BaseAddresses {
  uint64_t general = 0, surface = 0, dynamic = 0, indirect = 0, instruction = 0, bindless_surface = 0;
  bool binding_table_pool_enabled = false;
  uint64_t binding_table_pool = 0;
};

// MEDIA_VFE_STATE, MEDIA_CURBE_LOAD, MEDIA_INTERFACE_DESCRIPTOR_LOAD: what GPGPU_WALKER starts threads from.
struct MediaState {
  uint64_t scratch_offset = 0;  // from the general base
  uint32_t scratch_bytes = 0;   // of a thread; 0: none
  std::vector<uint8_t> curbe;
  std::vector<uint32_t> descriptors;  // INTERFACE_DESCRIPTOR_DATA, 8 dwords each
};

class TargetCache;  // draw/targets.h

// A fast clear of a render target that nobody has drawn into since, by the surface state that it came with (draw/fills.h).
struct FastClear {
  SurfaceWords state{};
  uint32_t layers = 0;
  uint64_t address = 0;     // where its colour was read last
  bool recoloured = false;  // a command has written there since
  static constexpr uint64_t colour_bytes = 16;
};

// A whole level and layer of a depth buffer that 3DSTATE_WM_HZ_OP cleared and nobody has written since (draw/fills.h).
struct DepthClear {
  uint64_t base = 0;
  uint32_t format = 0, pitch = 0, level = 0, layer = 0;
  unsigned samples = 1;
  uint32_t value = 0;  // bits of 3DSTATE_CLEAR_PARAMS' float
};

struct Context : gpu::QueueState {
  Context(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options, std::atomic<int>& stop)
      : QueueState(space, options, stop),
        chip(chip),
        kind(kind),
        registers(chip.crystal_clock, options.deterministic),
        kernels(space, options.engine, options.findings) {
    tell_programs(kernels);
  }

  // "render", "blitter": whose commands the queue takes.
  const char* engine() const { return kind == gpu::QueueKind::copy ? "blitter" : "render"; }
  // GPU memory at a canonical address.
  bool load(uint64_t address, void* to, size_t bytes, const char* what) { return read(stripped(address), to, bytes, what); }
  // The same of a structure, of which whoever watches is told by its name.
  template <size_t dwords>
  bool load_state(std::string_view structure, uint64_t address, uint32_t (&to)[dwords], const char* what) {
    if (!load(address, to, sizeof to, what)) return false;
    tell_use(structure, address, to);
    return true;
  }
  bool store(uint64_t address, const void* from, size_t bytes, const char* what) {
    for (FastClear& clear : fast_clears)
      clear.recoloured |= clear.address < address + bytes && address < clear.address + FastClear::colour_bytes;
    return write(stripped(address), from, bytes, what);
  }

  // The address of the binding table that a command or descriptor points to.
  uint64_t binding_table(uint64_t pointer) {
    if (registers.read(mmio::gt_mode) & mmio::wide_binding_tables) pointer <<= 3;
    return (bases.binding_table_pool_enabled ? bases.binding_table_pool : bases.surface) + pointer;
  }

  // The state around the threads of any dispatch. `samplers`: from the dynamic base.
  xe_lp::ThreadContext thread_context(uint64_t binding_table_pointer, uint64_t samplers) {
    xe_lp::ThreadContext context;
    context.surface_state_base = bases.surface;
    context.binding_table = binding_table(binding_table_pointer);
    context.bindless_surface_base = bases.bindless_surface;
    context.dynamic_state_base = bases.dynamic;
    context.sampler_states = bases.dynamic + samplers;
    context.general_state_base = bases.general;
    context.instruction_base = bases.instruction;
    return context;
  }

  const gpu::Chip& chip;
  const gpu::QueueKind kind;
  Registers registers;
  BaseAddresses bases;
  MediaState media;
  uint32_t noop_predicate = 0;  // MI_SET_PREDICATE
  GraphicsState graphics;
  Kernels kernels;
  std::unique_ptr<pipeline::Workers> workers;  // made with the first walker or draw
  void make_workers() {
    if (workers) return;
    workers = std::make_unique<pipeline::Workers>(options.deterministic ? 1 : options.threads);
    workers->look_at(options.pixel_watch);
  }
  std::shared_ptr<TargetCache> targets;  // of draws
  std::vector<FastClear> fast_clears;
  std::vector<DepthClear> depth_clears;
  pipeline::LineProgress lines_end;  // of the last draw of stippled lines
  std::shared_ptr<Aliases> aliases;  // what tables of tiled resources say (state/tiled_resources.h)
  ThreadEnvironment* environment = nullptr;
};

}  // namespace Atoll::dg1
