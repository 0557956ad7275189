#include "gpu/sea_islands/compute/dispatch.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/sea_islands/compute/compute_groups.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "gpu/sea_islands/state/field_lists.h"
#include "isa/gfx7/registers.h"
#include "pipeline/workers.h"

namespace Atoll::sea_islands {
namespace {

constexpr uint32_t lds_granule = 512;       // bytes
constexpr uint32_t scratch_granule = 1024;  // bytes: 256 dwords

// False: there is nothing to run, or the context is lost.
bool read_grid(ShaderContext& c, const DispatchCall& call, Grid& g) {
  using Initiator = COMPUTE_DISPATCH_INITIATOR;
  const RegisterFile& r = c.registers;
  if (!Initiator::COMPUTE_SHADER_EN::get(call.initiator)) {
    c.unknown("dispatch without COMPUTE_SHADER_EN");
    return false;
  }
  gpu::amd::GridRegisters given;
  for (unsigned axis = 0; axis < 3; axis++) {
    given.start[axis] = GroupStarts::get(r, axis);
    given.full[axis] = FullGroupThreads::get(r, axis), given.partial[axis] = PartialGroupThreads::get(r, axis);
  }
  const uint64_t threads = gpu::amd::read_extent<Initiator>(c, call, given, max_threads, g);
  if (!threads) return false;
  g.max_waves = uint32_t((threads + wave_lanes - 1) / wave_lanes);

  const auto rsrc1 = r.read<COMPUTE_PGM_RSRC1>();
  const auto rsrc2 = r.read<COMPUTE_PGM_RSRC2>();
  using One = COMPUTE_PGM_RSRC1;
  using Two = COMPUTE_PGM_RSRC2;
  g.vgprs = std::min((One::VGPRS::get(rsrc1) + 1) * 4, gfx7::kVgprCount);
  g.mode = One::FLOAT_MODE::get(rsrc1) | (One::DX10_CLAMP::get(rsrc1) ? uint32_t(gfx7::MODE_DX10_CLAMP) : 0) |
           (One::IEEE_MODE::get(rsrc1) ? uint32_t(gfx7::MODE_IEEE) : 0);
  g.mode |= (Two::EXCP_EN::get(rsrc2) | Two::EXCP_EN_MSB::get(rsrc2) << 7) << gfx7::MODE_EXCP_EN_SHIFT;
  g.sgprs = One::SGPRS::get(rsrc1);
  g.privileged = One::PRIV::get(rsrc1);
  g.traps.read<stages::CS>(c, g.mode);
  g.ordered = Initiator::ORDERED_APPEND_ENBL::get(call.initiator);
  g.ordered_groups = Initiator::ORDERED_APPEND_MODE::get(call.initiator);
  g.user_sgprs = std::min(Two::USER_SGPR::get(rsrc2), 16u);
  for (unsigned n = 0; n < 16; n++) g.user_data[n] = r.whole<COMPUTE_USER_DATA>(n);
  g.identifier_sgprs = Two::TGID_X_EN::get(rsrc2) | Two::TGID_Y_EN::get(rsrc2) << 1 | Two::TGID_Z_EN::get(rsrc2) << 2;
  g.size_sgpr = Two::TG_SIZE_EN::get(rsrc2);
  g.scratch_sgpr = Two::SCRATCH_EN::get(rsrc2);
  g.identifier_vgprs = std::min(Two::TIDIG_COMP_CNT::get(rsrc2), 2u);
  g.lds_bytes = std::min(Two::LDS_SIZE::get(rsrc2) * lds_granule, max_lds);
  const auto ring = r.read<COMPUTE_TMPRING_SIZE>();
  g.scratch_bytes = COMPUTE_TMPRING_SIZE::WAVESIZE::get(ring) * scratch_granule;

  // With 64-bit addresses only the top three bits count, and 4 GiB of LDS are followed by 4 GiB of private memory (Linux
  // kfd_device_queue_manager_cik.c, compute_sh_mem_bases_64bit).
  g.flat_high = r.get<SH_MEM_BASES::PRIVATE_BASE>() >> 13 << 29;
  g.flat_scratch_base = uint64_t(r.whole<SH_HIDDEN_PRIVATE_BASE_VMID>()) << 8;

  auto shader = c.shaders->find(program_address<stages::CS>(r), g.privileged);
  if (!shader) return c.lose(fmt::format("compute shader: {}", shader.error().message));
  g.shader = std::move(*shader);
  return true;
}

}  // namespace

bool dispatch(ShaderContext& c, DispatchState& state, const DispatchCall& call) {
  Grid grid;
  if (!read_grid(c, call, grid)) return !c.lost();
  auto along = [&](int axis) { return grid.end[axis] - grid.begin[axis]; };
  if (!c.within(c.budget.groups(along(0), along(1), along(2)))) return false;
  if (!waves_may_start(c)) return false;
  unsigned runners = c.workers && !c.options.deterministic ? c.workers->count() : 1;
  uint32_t resident = max_waves(c.chip) / grid.max_waves;  // work-groups at once, as the chip has room for
  if (grid.scratch_sgpr && grid.scratch_bytes) {
    // The driver's scratch buffer has room for so many waves at once.
    uint32_t waves = c.registers.get<COMPUTE_TMPRING_SIZE::WAVES>();
    if (waves < grid.max_waves)
      return c.lose(fmt::format("work-groups of {} waves, scratch memory for {}", grid.max_waves, waves));
    runners = std::min(runners, waves / grid.max_waves);
    resident = std::min(resident, waves / grid.max_waves);
    const uint64_t bytes = uint64_t(waves) * grid.scratch_bytes;
    if (grid.flat_scratch_base && c.space.contains(grid.flat_scratch_base, bytes, true))
      grid.scratch = c.space.host(grid.flat_scratch_base);
  }
  runners = unsigned(std::min<uint64_t>(runners, grid.groups()));
  QueueEnvironment environment(c, true);
  uint32_t ids = c.registers.get<GDS_COMPUTE_MAX_WAVE_ID::MAX_WAVE_ID>() + 1;
  wave::WaveOrder order(state.order % ids, ids);
  GroupRun run{c, grid, environment, order, runners, std::max(resident, runners)};
  if (grid.ordered) {
    if (ids < (grid.ordered_groups ? 1 : grid.max_waves))
      return c.lose(fmt::format("work-groups of {} waves, ordered append with {} wave ids", grid.max_waves, ids));
    environment.keep_order(0, order);
  }
  if (runners > 1)
    c.workers->run_together(runners, [&](unsigned, unsigned part) { run_groups(run, part); });
  else
    run_groups(run, 0);
  if (run.stopped && !c.lost()) c.lose_stopped();
  state.order = order.next_id();
  c.statistics += run.counters;
  state.invocations += run.threads;
  return !c.lost();
}

}  // namespace Atoll::sea_islands
