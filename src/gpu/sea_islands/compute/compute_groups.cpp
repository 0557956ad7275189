#include "gpu/sea_islands/compute/compute_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/amd/images.h"
#include "isa/gfx7/registers.h"
#include "wave/work_group.h"

namespace Atoll::sea_islands {
namespace {

using wave::Stop;
using wave::Wave;

struct Free {
  void operator()(void* p) const { std::free(p); }
};
// Zero bytes, aligned to 128, of which only what is touched takes memory.
struct Bytes {
  std::unique_ptr<void, Free> owner;
  uint8_t* data = nullptr;
  void reserve(size_t bytes) {
    owner.reset(std::calloc(1, bytes + 128));
    data = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(owner.get()) + 127) / 128 * 128);
  }
};

// Turns in which a work-group's waves do nothing but sleep, after which others may need the thread more.
constexpr uint32_t max_yields = 64;
constexpr size_t wave_bytes = (gfx7::register_file_end + 127) / 128 * 128;

// A work-group, or room for one. Waves are used again as they are: what a wave may read is set or cleared when it starts.
struct Group {
  Bytes waves_storage, lds;
  uint32_t capacity = 0;  // waves

  wave::WorkGroup group;
  std::vector<Wave*> waves;
  std::array<uint32_t, 3> id{};  // in the grid
  uint32_t threads = 0, slot = 0;
  uint64_t first_number = 0;          // of its waves in the order
  std::shared_ptr<Shader> elsewhere;  // where a wave of it was last, but for the kernel
  size_t waiting = 0;                 // while it is put aside: a wave that waits

  void reserve(uint32_t wanted) {
    if (!lds.data) lds.reserve(max_lds + 128);
    if (wanted <= capacity) return;
    capacity = wanted;
    waves_storage.reserve(wave_bytes * capacity);
  }
  Wave& wave(uint32_t n) { return *reinterpret_cast<Wave*>(waves_storage.data + wave_bytes * n); }
};
using GroupPointer = std::unique_ptr<Group>;

// Kept from dispatch to dispatch.
thread_local GroupPointer own_group;

void start_wave(GroupRun& run, Group& group, const uint32_t (&id)[3], const uint32_t (&size)[3], uint32_t n, uint32_t count) {
  const Grid& g = run.grid;
  Wave& w = *new (&group.wave(n)) Wave;
  group.waves[n] = &w;
  w.window = run.c.space.base(), w.window_bytes = run.c.space.size();
  w.lds = group.lds.data, w.lds_bytes = g.lds_bytes;
  w.stop_flag = &run.c.stop;
  w.environment = &run.environment;
  w.textures = &run.c.images->texture_slots();
  w.group = &group.group;
  w.lanes = wave_lanes;
  w.index = n;
  w.pc = g.shader->address;
  w.inspected = false;
  w.privileged = g.privileged;
  if (g.flat_high) w.flat_shared_high = g.flat_high, w.flat_private_high = g.flat_high + 1;
  w.flat_scratch_cell = gfx7::scalar_cell(gfx7::FLAT_SCRATCH_LO);
  w.flat_scratch_base = g.flat_scratch_base;
  std::memset(wave::bytes_of(w, wave::register_file_offset), 0, gfx7::vgpr_cell(g.vgprs) - wave::register_file_offset);
  std::memset(wave::bytes_of(w, gfx7::export_control_begin), 0, gfx7::export_control_end - gfx7::export_control_begin);

  uint32_t sgpr = 0;
  auto put = [&](uint32_t value) { wave::word_of(w, gfx7::scalar_cell(sgpr++)) = value; };
  for (uint32_t u = 0; u < g.user_sgprs; u++) put(g.user_data[u]);
  for (unsigned axis = 0; axis < 3; axis++)
    if (g.identifier_sgprs >> axis & 1) put(id[axis]);
  // The group's waves in 5:0, the ordered append term in 16:6 (LLVM AMDGPUUsage, "Work-Group Info"), which without an order is
  // the wave's number in the group (Mesa ac_nir: subgroup id); bit 31 of the first.
  uint32_t term = g.ordered ? run.order.id_of(group.first_number + (g.ordered_groups ? 0 : n)) & 0x7ff : n;
  if (g.size_sgpr) put((n == 0 ? 1u << 31 : 0) | term << 6 | count);
  const uint64_t scratch = uint64_t(group.slot * g.max_waves + n) * g.scratch_bytes;
  if (g.scratch_sgpr) put(uint32_t(scratch));
  // Not what a wave before left there, which depends on the number of threads: zeros, as on RDNA4.
  if (g.scratch) std::memset(g.scratch + scratch, 0, g.scratch_bytes);

  uint32_t total = size[0] * size[1] * size[2], first = n * wave_lanes, lanes = std::min(total - first, wave_lanes);
  uint64_t exec = lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
  wave::word_of(w, gfx7::scalar_cell(gfx7::EXEC_LO)) = uint32_t(exec);
  wave::word_of(w, gfx7::scalar_cell(gfx7::EXEC_HI)) = uint32_t(exec >> 32);
  wave::word_of(w, gfx7::mode_cell) = g.mode;
  wave::word_of(w, gfx7::vgpr_count_cell) = g.vgprs;
  wave::word_of(w, gfx7::sgpr_allocation_cell) = g.sgprs;
  wave::word_of(w, gfx7::lds_allocation_cell) = g.lds_bytes;
  g.traps.give_to(w);
  uint32_t x = first % size[0], y = first / size[0] % size[1], z = first / size[0] / size[1];
  for (uint32_t lane = 0; lane < lanes; lane++) {
    const uint32_t thread[3] = {x, y, z};
    for (uint32_t v = 0; v <= g.identifier_vgprs && v < g.vgprs; v++)
      wave::word_of(w, gfx7::lane_cell(gfx7::vgpr_cell(v), lane)) = thread[v];
    if (++x == size[0]) {
      x = 0;
      if (++y == size[1]) y = 0, z++;
    }
  }
}

struct Place {
  uint32_t id[3], size[3], threads, waves;
};
Place place_of(const Grid& g, uint64_t n) {
  const uint64_t extent[3] = {g.end[0] - g.begin[0], g.end[1] - g.begin[1], g.end[2] - g.begin[2]};
  Place p{.id = {g.begin[0] + uint32_t(n % extent[0]), g.begin[1] + uint32_t(n / extent[0] % extent[1]),
                 g.begin[2] + uint32_t(n / extent[0] / extent[1])},
          .size = {},
          .threads = 1,
          .waves = 0};
  for (unsigned axis = 0; axis < 3; axis++) p.threads *= p.size[axis] = g.threads(axis, p.id[axis]);
  p.waves = (p.threads + wave_lanes - 1) / wave_lanes;
  return p;
}

// One thread's part of a dispatch.
struct Part {
  SharedRange::Stretch groups;
  uint64_t threads = 0;  // of work-groups that ended
  wave::Counters counters;
};

enum class Next : uint8_t { Taken, Full, None };
// The next work-group's place in the grid, and its number in the order. Full: no room among the wave ids.
Next take_next(GroupRun& run, Part& part, Place& place, uint64_t& number) {
  if (!run.grid.ordered) {
    uint64_t n;
    if (!run.unordered.take(part.groups, n)) return Next::None;
    place = place_of(run.grid, n);
    return Next::Taken;
  }
  std::lock_guard lock(run.launch);
  const uint64_t n = run.next;
  if (n >= run.grid.groups()) return Next::None;
  place = place_of(run.grid, n);
  uint32_t numbers = run.grid.ordered_groups ? 1 : place.waves;
  if (!run.order.has_room(numbers)) return Next::Full;
  number = run.order.launch();
  for (uint32_t more = 1; more < numbers; more++) run.order.launch();
  run.next++;
  return Next::Taken;
}

void start_group(GroupRun& run, Group& group, const Place& place, uint64_t number) {
  std::memset(group.lds.data, 0, run.grid.lds_bytes);
  group.first_number = number;
  group.group.grid = run.grid.ordered ? nullptr : &run.unordered;
  group.threads = place.threads;
  group.id = {place.id[0], place.id[1], place.id[2]};
  group.waves.resize(place.waves);
  for (uint32_t n = 0; n < place.waves; n++) start_wave(run, group, place.id, place.size, n, place.waves);
}

// A wave that has ended gives way to the waves behind it.
void finish_ended(GroupRun& run, Group& group, bool all) {
  if (!run.grid.ordered) return;
  if (run.grid.ordered_groups) {
    if (all) run.order.finish(group.first_number);
    return;
  }
  for (size_t n = 0; n < group.waves.size(); n++)
    if (all || is_over(group.group, n)) run.order.finish(group.first_number + n);
}

enum class Outcome : uint8_t { Ended, Waits, Interrupted, Lost };
Outcome go_on(GroupRun& run, Part& part, Group& group, bool begins) {
  wave::Executor& executor = *run.grid.shader->executor;
  auto end = begins ? executor.run_group(group.group, group.waves, max_yields)
                    : executor.resume_group(group.group, group.waves, max_yields);
  while (end.stop == Stop::Elsewhere) {
    Wave& w = *group.waves[end.wave];
    if (!run_elsewhere(run.c, *run.grid.shader, w, group.elsewhere, "compute")) return Outcome::Lost;
    if (w.stop == Stop::End) leave(group.group, end.wave);
    end = executor.resume_group(group.group, group.waves, max_yields);
  }
  if (end.stop == Stop::Wait || end.stop == Stop::Yield) {
    finish_ended(run, group, false);
    group.waiting = end.wave;
    return Outcome::Waits;
  }
  for (Wave* w : group.waves) part.counters.add(*w);
  part.threads += group.threads;
  advance(run.c);
  if (end.stop == Stop::End) {
    finish_ended(run, group, true);
    return Outcome::Ended;
  }
  if (end.stop == Stop::Interrupted) return Outcome::Interrupted;
  Wave& w = *group.waves[end.wave];
  w.stop = end.stop;
  lose_by_fault(run.c, w, "compute", run.grid.shader->address, group.id);
  return Outcome::Lost;
}

// Changes when a wave of it gets on.
uint64_t state_of(const Group& group) {
  uint64_t sum = group.group.ended;
  for (Wave* w : group.waves) sum = sum * 31 + w->pc + (uint64_t(wave::word_of(*w, gfx7::gws_wait_cell)) << 32);
  return sum;
}

// The queue is to stop, and work-groups of this thread wait for others: that is why.
void lose_waiting(GroupRun& run, const std::vector<GroupPointer>& aside) {
  const Wave& w = *aside[0]->waves[aside[0]->waiting];
  const wave::Program& program = *run.grid.shader->program;
  std::string text = program.contains(w.pc) ? program.isa().text(program.decoded(*program.at(w.pc))) : std::string("?");
  run.c.lose(
      fmt::format("compute shader at 0x{:x}: {} work-groups of a thread wait, one at instruction 0x{:x} '{}': the GPU hangs",
                  run.grid.shader->address, aside.size(), w.pc - run.grid.shader->address, text));
}

}  // namespace

void run_groups(GroupRun& run, uint32_t runner) {
  if (!own_group) own_group = std::make_unique<Group>();
  GroupPointer fresh = std::move(own_group);
  fresh->slot = runner;
  std::vector<GroupPointer> aside, spare;
  Part part;
  bool more = true;
  for (unsigned idle = 0; !run.failed.load(std::memory_order_relaxed);) {
    if (run.c.stop.load(std::memory_order_relaxed)) {
      run.stopped = true;
      if (!aside.empty()) lose_waiting(run, aside);
      break;
    }
    bool progress = false;
    for (size_t n = 0; n < aside.size();) {
      uint64_t before = state_of(*aside[n]);
      Outcome outcome = go_on(run, part, *aside[n], false);
      if (outcome == Outcome::Lost) run.failed = true;
      if (outcome == Outcome::Ended) {
        spare.push_back(std::move(aside[n]));
        aside.erase(aside.begin() + ptrdiff_t(n));
        progress = true;
      } else {
        progress |= before != state_of(*aside[n]);
        n++;
      }
    }
    if (run.failed) break;
    if (!fresh && !spare.empty()) {
      fresh = std::move(spare.back());
      spare.pop_back();
    }
    if (!fresh && more) {
      uint32_t slot = run.runners + run.slots.fetch_add(1);
      if (slot < run.resident) {
        fresh = std::make_unique<Group>();
        fresh->slot = slot;
      } else {
        run.slots.fetch_sub(1);
      }
    }
    Place place;
    uint64_t number = 0;
    if (fresh && more) {
      Next next = take_next(run, part, place, number);
      more = next != Next::None;
      if (next == Next::Taken) {
        progress = true;
        fresh->reserve(run.grid.max_waves);
        start_group(run, *fresh, place, number);
        Outcome outcome = go_on(run, part, *fresh, true);
        if (outcome == Outcome::Lost) run.failed = true;
        if (outcome == Outcome::Waits) aside.push_back(std::exchange(fresh, nullptr));
      }
    }
    if (!more && aside.empty()) break;
    idle = progress ? 0 : idle + 1;
    if (idle) pause_waiting(idle);
  }
  if (!fresh && !spare.empty()) fresh = std::move(spare.back());
  if (!fresh && !aside.empty()) fresh = std::move(aside.back());
  own_group = std::move(fresh);
  std::lock_guard lock(run.launch);
  run.counters += part.counters;
  run.threads += part.threads;
}

}  // namespace Atoll::sea_islands
