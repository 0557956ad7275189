#include "gpu/sea_islands/dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "gpu/sea_islands/environment.h"
#include "gpu/sea_islands/shaders.h"
#include "isa/gcn2/registers.h"
#include "pipeline/workers.h"
#include "registers/sea_islands.h"
#include "wave/work_group.h"

namespace Atoll::sea_islands {
namespace {

using wave::Stop;
using wave::Wave;

constexpr unsigned wave_lanes = 64;
constexpr uint32_t most_threads = 2048;  // of a work-group
constexpr uint32_t lds_granule = 512;    // bytes
constexpr uint32_t most_lds = 65536;
constexpr uint32_t scratch_granule = 1024;  // bytes: 256 dwords

// What all work-groups of a dispatch share.
struct Grid {
  std::shared_ptr<Shader> shader;
  uint32_t begin[3], end[3];     // work-groups
  uint32_t full[3], partial[3];  // threads of a group, and of the last one of a direction
  uint32_t user_data[16];
  uint32_t user_sgprs = 0, vgprs = 4, mode = 0, lds_bytes = 0, scratch_bytes = 0, most_waves = 0;
  uint32_t identifier_sgprs = 0;  // bit n: TGID n is loaded
  bool size_sgpr = false, scratch_sgpr = false;
  uint32_t identifier_vgprs = 0;  // thread identifiers loaded beside x
  uint32_t flat_high = 0;         // upper half of the flat aperture of LDS, private memory's is the next; 0: there are none
  uint64_t flat_scratch_base = 0;

  uint64_t groups() const { return uint64_t(end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]); }
  uint32_t threads(unsigned axis, uint32_t group) const { return group + 1 == end[axis] ? partial[axis] : full[axis]; }
};

// False: there is nothing to run, or the context is lost.
bool read_grid(Context& c, const DispatchCall& call, Grid& g) {
  using Initiator = COMPUTE_DISPATCH_INITIATOR;
  const Registers& r = c.registers;
  if (!Initiator::COMPUTE_SHADER_EN::get(call.initiator)) {
    c.unknown("dispatch without COMPUTE_SHADER_EN");
    return false;
  }
  const uint32_t starts[3] = {r[COMPUTE_START_X::address()], r[COMPUTE_START_Y::address()], r[COMPUTE_START_Z::address()]};
  const uint32_t sizes[3] = {r[COMPUTE_NUM_THREAD_X::address()], r[COMPUTE_NUM_THREAD_Y::address()],
                             r[COMPUTE_NUM_THREAD_Z::address()]};
  uint64_t threads = 1;
  for (unsigned axis = 0; axis < 3; axis++) {
    using Size = COMPUTE_NUM_THREAD_X;
    uint32_t full = Size::NUM_THREAD_FULL::get(sizes[axis]), partial = full, count = call.groups[axis];
    if (full == 0) return c.lose(fmt::format("work-groups of 0 threads in direction {}", "xyz"[axis]));
    if (Initiator::USE_THREAD_DIMENSIONS::get(call.initiator)) {
      if (count % full) partial = count % full;
      count = count / full + (count % full != 0);
    } else if (Initiator::PARTIAL_TG_EN::get(call.initiator)) {
      if (uint32_t given = Size::NUM_THREAD_PARTIAL::get(sizes[axis])) partial = given;
    }
    g.full[axis] = full, g.partial[axis] = partial;
    // Sizes in the packet are where the grid ends, not how far it reaches from its start (Mesa radv_cmd_buffer.c).
    g.begin[axis] = Initiator::FORCE_START_AT_000::get(call.initiator) ? 0 : starts[axis];
    g.end[axis] = count;
    if (g.begin[axis] >= g.end[axis]) return false;
    threads *= std::max(full, partial);
    if (threads > most_threads) return c.lose(fmt::format("work-groups of more than {} threads", most_threads));
  }
  g.most_waves = uint32_t((threads + wave_lanes - 1) / wave_lanes);

  uint32_t rsrc1 = r[COMPUTE_PGM_RSRC1::address()], rsrc2 = r[COMPUTE_PGM_RSRC2::address()];
  using One = COMPUTE_PGM_RSRC1;
  using Two = COMPUTE_PGM_RSRC2;
  g.vgprs = std::min((One::VGPRS::get(rsrc1) + 1) * 4, gcn2::kVgprCount);
  g.mode = One::FLOAT_MODE::get(rsrc1) | (One::DX10_CLAMP::get(rsrc1) ? uint32_t(gcn2::MODE_DX10_CLAMP) : 0) |
           (One::IEEE_MODE::get(rsrc1) ? uint32_t(gcn2::MODE_IEEE) : 0);
  g.user_sgprs = std::min(Two::USER_SGPR::get(rsrc2), 16u);
  for (unsigned n = 0; n < 16; n++) g.user_data[n] = r[COMPUTE_USER_DATA::address(n)];
  g.identifier_sgprs = Two::TGID_X_EN::get(rsrc2) | Two::TGID_Y_EN::get(rsrc2) << 1 | Two::TGID_Z_EN::get(rsrc2) << 2;
  g.size_sgpr = Two::TG_SIZE_EN::get(rsrc2);
  g.scratch_sgpr = Two::SCRATCH_EN::get(rsrc2);
  g.identifier_vgprs = std::min(Two::TIDIG_COMP_CNT::get(rsrc2), 2u);
  g.lds_bytes = std::min(Two::LDS_SIZE::get(rsrc2) * lds_granule, most_lds);
  uint32_t ring = r[COMPUTE_TMPRING_SIZE::address()];
  g.scratch_bytes = COMPUTE_TMPRING_SIZE::WAVESIZE::get(ring) * scratch_granule;

  // With 64-bit addresses only the top three bits count, and 4 GiB of LDS are followed by 4 GiB of private memory (Linux
  // kfd_device_queue_manager_cik.c, compute_sh_mem_bases_64bit).
  g.flat_high = SH_MEM_BASES::PRIVATE_BASE::get(r[SH_MEM_BASES::address()]) >> 13 << 29;
  g.flat_scratch_base = uint64_t(r[SH_HIDDEN_PRIVATE_BASE_VMID::address()]) << 8;

  uint64_t program = (uint64_t(r[COMPUTE_PGM_HI::address()] & 0xff) << 32 | r[COMPUTE_PGM_LO::address()]) << 8;
  auto shader = c.shaders->find(program);
  if (!shader) return c.lose(fmt::format("compute shader: {}", shader.error().message));
  g.shader = std::move(*shader);
  return true;
}

struct Free {
  void operator()(uint8_t* p) const { std::free(p); }
};
using Storage = std::unique_ptr<uint8_t, Free>;

constexpr size_t wave_bytes = (gcn2::register_file_end + 127) / 128 * 128;

// What a thread keeps from dispatch to dispatch: the waves of one work-group and its LDS. Waves are used again as they are: what
// a wave may read is set or cleared when it starts.
struct ThreadStorage {
  Storage waves, lds;
  uint32_t count = 0;

  void reserve(uint32_t wanted) {
    if (!lds) {
      lds.reset(static_cast<uint8_t*>(std::aligned_alloc(128, most_lds + 128)));
      std::memset(lds.get(), 0, most_lds + 128);
    }
    if (wanted <= count) return;
    count = wanted;
    waves.reset(static_cast<uint8_t*>(std::aligned_alloc(128, wave_bytes * count)));
    std::memset(waves.get(), 0, wave_bytes * count);
  }
  Wave& wave(uint32_t n) { return *reinterpret_cast<Wave*>(waves.get() + wave_bytes * n); }
};
thread_local ThreadStorage thread_storage;

// A dispatch in progress on several threads.
struct Run {
  Context& c;
  const Grid& grid;
  QueueEnvironment& environment;
  uint32_t runners;  // work-groups at once
  std::atomic<uint64_t> next{0};
  std::atomic<bool> failed{false};
  std::atomic<uint64_t> waves{0}, threads{0}, compiled{0}, called{0}, interpreted{0};
};

void start_wave(Run& run, Wave& w, wave::WorkGroup& group, const uint32_t (&id)[3], const uint32_t (&size)[3], uint32_t n,
                uint32_t count, uint32_t runner, uint8_t* lds) {
  const Grid& g = run.grid;
  new (&w) Wave;
  w.window = run.c.space.base(), w.window_bytes = run.c.space.size();
  w.lds = lds, w.lds_bytes = g.lds_bytes;
  w.stop_flag = &run.c.stop;
  w.environment = &run.environment;
  w.group = &group;
  w.lanes = wave_lanes;
  w.index = n;
  w.pc = g.shader->address;
  w.inspected = false;
  if (g.flat_high) w.flat_shared_high = g.flat_high, w.flat_private_high = g.flat_high + 1;
  w.flat_scratch_cell = gcn2::scalar_cell(gcn2::FLAT_SCRATCH_LO);
  w.flat_scratch_base = g.flat_scratch_base;
  std::memset(wave::bytes_of(w, wave::register_file_offset), 0, gcn2::vgpr_cell(g.vgprs) - wave::register_file_offset);
  std::memset(wave::bytes_of(w, gcn2::export_control_begin), 0, gcn2::export_control_end - gcn2::export_control_begin);

  uint32_t sgpr = 0;
  auto put = [&](uint32_t value) { wave::word_of(w, gcn2::scalar_cell(sgpr++)) = value; };
  for (uint32_t u = 0; u < g.user_sgprs; u++) put(g.user_data[u]);
  for (unsigned axis = 0; axis < 3; axis++)
    if (g.identifier_sgprs >> axis & 1) put(id[axis]);
  // The group's waves in 5:0, this one's number in 11:6 (Mesa ac_nir: subgroup id), bit 31 of the first.
  if (g.size_sgpr) put((n == 0 ? 1u << 31 : 0) | n << 6 | count);
  if (g.scratch_sgpr) put((runner * g.most_waves + n) * g.scratch_bytes);

  uint32_t total = size[0] * size[1] * size[2], first = n * wave_lanes, lanes = std::min(total - first, wave_lanes);
  uint64_t exec = lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
  wave::word_of(w, gcn2::scalar_cell(gcn2::EXEC_LO)) = uint32_t(exec);
  wave::word_of(w, gcn2::scalar_cell(gcn2::EXEC_HI)) = uint32_t(exec >> 32);
  wave::word_of(w, gcn2::mode_cell) = g.mode;
  wave::word_of(w, gcn2::vgpr_count_cell) = g.vgprs;
  wave::word_of(w, gcn2::lds_allocation_cell) = g.lds_bytes;
  uint32_t x = first % size[0], y = first / size[0] % size[1], z = first / size[0] / size[1];
  for (uint32_t lane = 0; lane < lanes; lane++) {
    const uint32_t thread[3] = {x, y, z};
    for (uint32_t v = 0; v <= g.identifier_vgprs && v < g.vgprs; v++)
      wave::word_of(w, gcn2::lane_cell(gcn2::vgpr_cell(v), lane)) = thread[v];
    if (++x == size[0]) {
      x = 0;
      if (++y == size[1]) y = 0, z++;
    }
  }
}

// One work-group. False: it did not come to its end.
bool run_group(Run& run, const uint32_t (&id)[3], uint32_t runner) {
  const Grid& g = run.grid;
  ThreadStorage& storage = thread_storage;
  const uint32_t size[3] = {g.threads(0, id[0]), g.threads(1, id[1]), g.threads(2, id[2])};
  uint32_t total = size[0] * size[1] * size[2], count = (total + wave_lanes - 1) / wave_lanes;
  std::memset(storage.lds.get(), 0, g.lds_bytes);
  wave::WorkGroup group;
  Wave* waves[most_threads / wave_lanes];
  for (uint32_t n = 0; n < count; n++) {
    waves[n] = &storage.wave(n);
    start_wave(run, *waves[n], group, id, size, n, count, runner, storage.lds.get());
  }
  auto end = g.shader->executor->run_group(group, std::span(waves, count));
  uint64_t compiled = 0, called = 0, interpreted = 0;
  for (uint32_t n = 0; n < count; n++)
    compiled += waves[n]->compiled, called += waves[n]->called, interpreted += waves[n]->interpreted;
  run.compiled += compiled, run.called += called, run.interpreted += interpreted;
  run.waves += count, run.threads += total;
  if (end.stop == Stop::End) return true;
  Wave& w = *waves[end.wave];
  w.stop = end.stop;
  return lose_by_fault(run.c, w, "compute", g.shader->address, {id[0], id[1], id[2]});
}

void take_groups(Run& run, uint32_t runner) {
  const Grid& g = run.grid;
  thread_storage.reserve(g.most_waves);
  const uint64_t extent[3] = {g.end[0] - g.begin[0], g.end[1] - g.begin[1], g.end[2] - g.begin[2]}, groups = g.groups();
  while (!run.failed.load(std::memory_order_relaxed)) {
    uint64_t n = run.next.fetch_add(1, std::memory_order_relaxed);
    if (n >= groups) return;
    const uint32_t id[3] = {g.begin[0] + uint32_t(n % extent[0]), g.begin[1] + uint32_t(n / extent[0] % extent[1]),
                            g.begin[2] + uint32_t(n / extent[0] / extent[1])};
    if (run.c.stop.load(std::memory_order_relaxed)) {
      run.failed = true;
      run.c.lose_stopped();
    } else if (!run_group(run, id, runner)) {
      run.failed = true;
    }
  }
}

}  // namespace

bool dispatch(Context& c, const DispatchCall& call) {
  Grid grid;
  if (!read_grid(c, call, grid)) return !c.lost();
  uint64_t groups = grid.groups();
  unsigned runners = c.workers && !c.options.deterministic ? c.workers->count() : 1;
  if (grid.scratch_sgpr && grid.scratch_bytes) {
    // The driver's scratch buffer has room for so many waves at once.
    uint32_t waves = COMPUTE_TMPRING_SIZE::WAVES::get(c.registers[COMPUTE_TMPRING_SIZE::address()]);
    if (waves < grid.most_waves)
      return c.lose(fmt::format("work-groups of {} waves, scratch memory for {}", grid.most_waves, waves));
    runners = std::min(runners, waves / grid.most_waves);
  }
  runners = unsigned(std::min<uint64_t>(runners, groups));
  QueueEnvironment environment(c, true);
  Run run{c, grid, environment, runners};
  if (runners > 1)
    c.workers->share(runners, [&](unsigned, unsigned part) { take_groups(run, part); });
  else
    take_groups(run, 0);
  c.statistics.waves += run.waves;
  c.statistics.compiled += run.compiled, c.statistics.called += run.called, c.statistics.interpreted += run.interpreted;
  c.compute_invocations += run.threads;
  return !c.lost();
}

}  // namespace Atoll::sea_islands
