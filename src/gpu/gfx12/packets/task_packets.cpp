// Task shaders: groups that a compute queue runs, each of which leaves a payload and says how many groups of mesh shaders it wants; a
// graphics queue of the same gang runs these. Both meet in a ring of entries in memory, of 16 bytes: groups along x, y and z, then a word
// of two bits. The ready bit, which the task shader writes last, is the entry's number divided by the ring's length, so that it turns with
// each passage; the end bit marks the entry behind the last one of a packet. Mesa 25.0.7 ac_nir_lower_taskmesh_io_to_mem.c
// (task_draw_ready_bit, task_ring_entry_index); PAL src/core/hw/gfxip/gfx12/gfx12ShaderRing.h (ControlBufferLayout, DrawDataRingLayout).
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "gpu/amd/packets/indirect_draws.h"
#include "gpu/amd/packets/waiting.h"
#include "gpu/gfx12/packets/packet_handlers.h"

namespace Atoll::gfx12 {

using namespace packets;

namespace {

constexpr uint64_t entry_bytes = 16;
constexpr uint32_t ready_bit = 1, end_bit = 2;

// The memory at the address that DISPATCH_TASK_STATE_INIT gives. The numbers of entries never wrap; drivers begin with the ring's
// length, so that cleared entries are ready for nobody.
struct ControlWords {
  uint32_t write[2], read[2], released[2];  // numbers of entries: the next to write, to read, and the first that is in use
  uint32_t length;
  uint32_t base[2];
};
static_assert(sizeof(ControlWords) == 36);

struct TaskRing {
  uint64_t write = 0, read = 0, released = 0, length = 0, base = 0;

  uint64_t address(uint64_t number) const { return base + number % length * entry_bytes; }
  uint32_t ready(uint64_t number) const { return uint32_t(number / length & 1); }
};

constexpr uint64_t write_at = offsetof(ControlWords, write), read_at = offsetof(ControlWords, read),
                   released_at = offsetof(ControlWords, released);

bool open_ring(Context& c, TaskRing& ring) {
  if (!c.task_control) return c.lose("a draw of task shaders without DISPATCH_TASK_STATE_INIT");
  ControlWords words;
  if (!c.read(c.task_control, &words, sizeof words, "control words of task shaders")) return false;
  auto number = [](const uint32_t(&of)[2]) { return gpu::amd::address_of(of[0], of[1]); };
  ring = {number(words.write), number(words.read), number(words.released), words.length, number(words.base)};
  if (!std::has_single_bit(words.length)) return c.lose(fmt::format("a ring of {} entries of task shaders", words.length));
  return true;
}

// Waits until `released` leaves room for entry `write`. False: the context is lost.
bool wait_for_room(Context& c, TaskRing& ring) {
  return gpu::amd::wait_until(c, [&] {
    return ring.write - ring.released < ring.length ||
           !c.read(c.task_control + released_at, &ring.released, 8, "control words of task shaders") ||
           ring.write - ring.released < ring.length;
  });
}

// One dispatch's groups, as many at once as the ring has room for. Each has the same number in its user data, the first group's entry.
bool run_tasks(Context& c, TaskRing& ring, uint32_t entry_register, DispatchCall call) {
  gpu::amd::set_user_register<Pm4>(c, entry_register, uint32_t(ring.write));
  call.room = [&](uint64_t wanted) -> uint64_t {
    if (!wait_for_room(c, ring)) return 0;
    const uint64_t here = std::min(wanted, ring.length - (ring.write - ring.released));
    ring.write += here;
    return here;
  };
  run_dispatch(c, call);
  return !c.lost();
}

// The entry behind the last one.
void end_packet(Context& c, TaskRing& ring) {
  if (!wait_for_room(c, ring)) return;
  const uint32_t word = end_bit | ring.ready(ring.write);
  std::atomic_thread_fence(std::memory_order_release);
  if (!c.write(ring.address(ring.write) + 12, &word, 4, "end of task shaders")) return;
  ring.write++;
  c.write(c.task_control + write_at, &ring.write, 8, "control words of task shaders");
}

bool is_compute_queue(Context& c, const char* packet) {
  if (c.kind != gpu::QueueKind::compute) c.unknown(fmt::format("{} on a queue that is none of compute", packet));
  return c.kind == gpu::QueueKind::compute;
}

}  // namespace

void dispatch_task_state_init(CommandProcessor& cp, Body body) {
  cp.c.task_control =
      address_of(DISPATCH_TASK_STATE_INIT::CONTROL_BUF_ADDR_LO::CONTROL_BUF_ADDR_LO_::get(body[0]) << 8, body[1] & 0xffff);
}

void dispatch_taskmesh_direct_ace(CommandProcessor& cp, Body body) {
  Context& c = cp.c;
  TaskRing ring;
  if (!is_compute_queue(c, "DISPATCH_TASKMESH_DIRECT_ACE") || !open_ring(c, ring)) return;
  if (run_tasks(c, ring, body[4] & 0xffff, {.groups = {body[0], body[1], body[2]}, .initiator = Initiator(body[3])}))
    end_packet(c, ring);
}

// Rows of {x, y, z}, as DISPATCH_MESH_INDIRECT_MULTI has them; the groups of all rows follow each other in the ring.
void dispatch_taskmesh_indirect_multi_ace(CommandProcessor& cp, Body body) {
  using Packet = DISPATCH_TASKMESH_INDIRECT_MULTI_ACE;
  using Mode = Packet::THREAD_TRACE_MARKER_ENABLE;
  Context& c = cp.c;
  TaskRing ring;
  if (!is_compute_queue(c, "DISPATCH_TASKMESH_INDIRECT_MULTI_ACE") || !open_ring(c, ring)) return;
  uint32_t count = body[5];
  if (Mode::COUNT_INDIRECT_ENABLE::get(body[3])) {
    uint32_t most;
    if (!c.read(address_of(body[6] & ~3u, body[7] & 0xffff), &most, 4, "count of draws")) return;
    count = std::min(count, most);
  }
  const uint64_t rows = address_of(body[0] & ~3u, body[1] & 0xffff);
  for (uint32_t n = 0; n < count; n++) {
    if (!c.within(c.budget.packets())) return;
    c.progress.fetch_add(1, std::memory_order_relaxed);
    if (c.stop.load(std::memory_order_relaxed)) return void(c.lose_stopped());
    DispatchCall call{.initiator = Initiator(body[9])};
    if (!c.read(rows + uint64_t(n) * body[8], call.groups, 12, "arguments of a draw")) return;
    if (Mode::COMPUTE_XYZ_DIM_ENABLE::get(body[3])) gpu::amd::set_user_registers<Pm4>(c, body[4] & 0xffff, call.groups);
    if (Mode::DRAW_INDEX_ENABLE::get(body[3])) gpu::amd::set_user_register<Pm4>(c, Mode::DISPATCH_INDEX_LOC::get(body[3]), n);
    if (!run_tasks(c, ring, body[2] & 0xffff, call)) return;
  }
  end_packet(c, ring);
}

// Draws the entries that one packet of the compute queue leaves, as they become ready.
void dispatch_taskmesh_gfx(CommandProcessor& cp, Body body) {
  using Packet = DISPATCH_TASKMESH_GFX;
  using Location = Packet::CONTROL;
  Context& c = cp.c;
  TaskRing ring;
  if (c.kind != gpu::QueueKind::graphics) return c.unknown("DISPATCH_TASKMESH_GFX on a queue that does not draw");
  if (!open_ring(c, ring)) return;
  for (bool ended = false; !ended;) {
    if (!c.within(c.budget.packets())) return;
    uint32_t word = 0;
    const bool ready = gpu::amd::wait_until(c, [&] {
      return !c.read(ring.address(ring.read) + 12, &word, 4, "entry of task shaders") ||
             (word & ready_bit) == ring.ready(ring.read);
    });
    if (!ready) return;
    std::atomic_thread_fence(std::memory_order_acquire);
    c.progress.fetch_add(1, std::memory_order_relaxed);
    ended = word & end_bit;
    DrawCall call{.mesh = true};
    if (!ended) {
      if (!c.read(ring.address(ring.read), call.groups, 12, "entry of task shaders")) return;
      gpu::amd::set_user_register<Pm4>(c, Location::RING_ENTRY_LOC::get(body[0]), uint32_t(ring.read));
      if (Packet::BOTTOM_OF_PIPE_TS_AFTER_DRAW::XYZ_DIM_ENABLE::get(body[1]))
        gpu::amd::set_user_registers<Pm4>(c, Location::XYZ_DIM_LOC::get(body[0]), call.groups);
      if (call.groups[0] && call.groups[1] && call.groups[2]) run_draw(c, call);
    }
    ring.read++;
    // The mesh shaders have read their payload when the draw is done.
    std::atomic_thread_fence(std::memory_order_release);
    if (c.lost() || !c.write(c.task_control + read_at, &ring.read, 8, "control words of task shaders") ||
        !c.write(c.task_control + released_at, &ring.read, 8, "control words of task shaders"))
      return;
  }
}

}  // namespace Atoll::gfx12
