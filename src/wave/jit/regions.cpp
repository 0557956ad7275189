#include "wave/jit/regions.h"

#include <algorithm>
#include <set>

#include "wave/jit/liveness.h"
#include "wave/jit/loops.h"

namespace Atoll::wave {
namespace {

struct SpaceUse {
  bool loaded = false, stored = false;
};

// Keeps what a region under construction has done so far; decides whether one more step fits.
struct Progress {
  std::set<uint64_t> lane_made;     // cells of masks written from lanes
  std::set<uint64_t> scalar_read;   // scalar cells read
  std::set<uint64_t> late_written;  // scalar cells written in the epilogue
  SpaceUse global, lds, scratch;
  bool signalled = false;  // a barrier
  bool lane_steps = false, epilogue = false, stored = false;
  std::set<uint64_t> lanes_written;   // lane registers
  std::set<uint64_t> lane_read;       // lane registers of which the prologue reads a lane
  std::set<uint64_t> atomic_results;  // lane registers that atomics write
  bool only_atomics = false;          // nothing else is in the epilogue
  bool whole = false;                 // all lanes at once
  size_t since_moved = 0;             // steps since the last that moved lanes
};

// A region on all lanes at once begins at most so many steps before the first move and ends so many after the last.
constexpr size_t steps_before_moves = 16, steps_after_moves = 24;

// True if lanes take values of lanes of other chunks.
bool crosses_chunks(const std::vector<Node>& nodes, size_t first) {
  return std::any_of(nodes.begin() + std::ptrdiff_t(first), nodes.end(), [](const Node& x) {
    return x.op == Op::PickLanes ||
           (x.op == Op::MoveLanes && !stays_in_chunk(*static_cast<const LaneMap*>(x.extra), chunk_lanes()));
  });
}

bool overlaps(const std::set<uint64_t>& cells, uint64_t cell, bool wide_masks) {
  return cells.count(cell) || (wide_masks && cells.count(cell - 4));
}

// A step that reads a word as a scalar and writes the same word as a mask could not be run again from its middle: it is called.
bool reads_what_it_makes(const std::vector<Node>& nodes, size_t first) {
  std::set<uint64_t> read;
  for (size_t n = first; n < nodes.size(); n++) {
    if (nodes[n].op == Op::ReadScalar) read.insert(nodes[n].imm);
    if (nodes[n].op == Op::WriteMask && (read.count(nodes[n].imm) || read.count(nodes[n].imm + 4))) return true;
  }
  return false;
}

// LLVM 19 ends the process ("cannot select BLENDV") over conversions of halves on hosts before AVX2 where the rounding is one's own
// and all of a wave's lanes are together: such steps are called.
bool beyond_code_generator(const std::vector<Node>& nodes, size_t first, const FloatMode& mode) {
  if (host_level() != HostLevel::Baseline || mode.round32 == Rounding::NearestEven) return false;
  return std::any_of(nodes.begin() + std::ptrdiff_t(first), nodes.end(),
                     [](const Node& x) { return x.op == Op::CvtF32F16 || x.op == Op::CvtF16F32; });
}

enum class Fit { Yes, Late, Atomic, No };

// Says if nodes [first, end) of one step can join the region, and if only as part of its epilogue.
Fit fits(const std::vector<Node>& nodes, size_t first, const Progress& p, uint32_t active_cell, bool wide) {
  bool lanes = false, needs_late = false, scalar_load = false, atomic = false, writes_lanes = false, memory = false,
       samples = false;
  for (size_t n = first; n < nodes.size(); n++) {
    const Node& x = nodes[n];
    // (every adaptor leaves a constant mask)
    lanes |= (is_lanes(x.type) && x.op != Op::Const) || x.op == Op::WriteLanes || x.op == Op::WriteMask || x.op == Op::Store ||
             x.op == Op::WriteRegion || x.op == Op::WritePixels || x.op == Op::WriteTexel || x.op == Op::WriteWhole;
    writes_lanes |= x.op == Op::WriteLanes || x.op == Op::WriteMask || x.op == Op::WritePixels || x.op == Op::WriteTexel ||
                    x.op == Op::WriteWhole;
    memory |= x.op == Op::Load || x.op == Op::Store || x.op == Op::Texel || x.op == Op::WriteTexel || x.op == Op::SharedWord;
    switch (x.op) {
      // An atomic's result is not written yet where the lanes of another one are prepared.
      case Op::ReadLanes:
      case Op::ReadWhole:
        if (p.atomic_results.count(x.imm)) return Fit::No;
        break;
      case Op::WriteLanes:
      case Op::WriteWhole:
        if (p.lane_read.count(x.imm)) return Fit::No;  // run again, the prologue would read another value
        break;
      case Op::ReadLane:
        if (p.lanes_written.count(x.imm)) needs_late = true;
        break;
      case Op::WriteLane:
      case Op::CallWhole: needs_late = true; break;
      case Op::Atomic: atomic = true; break;
      case Op::ReadScalar:
        if (overlaps(p.lane_made, x.imm, wide)) needs_late = true;
        break;
      case Op::WriteScalar:
        if (overlaps(p.lane_made, x.imm, wide)) needs_late = true;
        if ((x.imm == active_cell || (wide && x.imm == active_cell + 4)) && p.lane_steps) needs_late = true;
        break;
      case Op::WriteMask:
        if (p.scalar_read.count(x.imm) || (wide && p.scalar_read.count(x.imm + 4))) return Fit::No;
        break;
      case Op::SignalBarrier:
      case Op::WaitBarrier:
        needs_late = true;  // after all stores
        break;
      case Op::ScalarLoad: scalar_load = true; break;
      case Op::Load:
      case Op::Store: {
        Space space = static_cast<const MemoryAccess*>(x.extra)->space;
        bool store = x.op == Op::Store;
        auto clash = [&](const SpaceUse& use) { return store ? use.loaded || use.stored : use.stored; };
        if ((space == Space::Global || space == Space::Flat) && clash(p.global)) return Fit::No;
        if ((space == Space::Lds || space == Space::Flat) && clash(p.lds)) return Fit::No;
        if ((space == Space::Scratch || space == Space::Flat) && store && p.scratch.loaded) return Fit::No;
        if (space == Space::Flat && !store && p.scratch.stored) return Fit::No;
        break;
      }
      case Op::Texel:
        if (p.global.stored) return Fit::No;
        break;
      case Op::WriteTexel:  // what the region has read of memory it would read otherwise
        if (p.global.loaded || p.global.stored) return Fit::No;
        break;
      case Op::SharedWord:
        if (p.lds.stored) return Fit::No;
        break;
      // Levels of detail are computed for all of the wave's quads at once from registers as the region finds them (quad_values.h).
      case Op::Texture: samples = true; break;
      case Op::QuadLane:
        if (const int read = samples ? register_read(nodes, x.a) : -1;
            read >= 0 && p.lanes_written.count(nodes[size_t(read)].imm))
          return Fit::No;
        break;
      default: break;
    }
  }
  if (atomic) {  // what lanes give it cannot be found again once they have done anything
    const bool follows = !p.lane_steps && (!p.epilogue || p.only_atomics);
    return needs_late || scalar_load || writes_lanes || memory || !follows ? Fit::No : Fit::Atomic;
  }
  needs_late |= p.epilogue;
  if (scalar_load && (p.global.stored || needs_late)) return Fit::No;
  if (!needs_late) return Fit::Yes;
  return lanes ? Fit::No : Fit::Late;
}

// The same for a region on all lanes at once. It loads only memory that is moved between lanes, through the checked accesses.
Fit fits_whole(const std::vector<Node>& nodes, size_t first, const Progress& p, bool moves) {
  if (p.since_moved > steps_after_moves) return Fit::No;
  for (size_t n = first; n < nodes.size(); n++) switch (nodes[n].op) {
      case Op::Load:
        if (!moves) return Fit::No;
        break;
      case Op::Store:
      case Op::WriteLane:
      case Op::SignalBarrier:
      case Op::WaitBarrier: return Fit::No;
      default:
        if (is_by_chunks(nodes[n].op)) return Fit::No;
    }
  return Fit::Yes;
}

// True if the region so far may become one on all lanes at once.
bool may_become_whole(const CodeRegion& region, const std::vector<Node>& nodes, size_t end, const Progress& p) {
  if (p.epilogue || region.steps.size() > steps_before_moves) return false;
  const std::vector<Node> before(nodes.begin(), nodes.begin() + std::ptrdiff_t(end));
  return fits_whole(before, 0, p, false) == Fit::Yes;
}

// Regions of a file of bytes run in the order of the program. They end only at their greatest length and for memory, which has to be
// as it was when they are run again. Stores may follow each other: their data comes from registers that are as they were, and from
// memory that none of them writes.
Fit fits_in_order(const std::vector<Node>& nodes, size_t first, const Progress& p) {
  constexpr size_t most_nodes = 4000;
  if (nodes.size() > most_nodes) return Fit::No;
  for (size_t n = first; n < nodes.size(); n++) {
    const Node& x = nodes[n];
    if (x.op == Op::ScalarLoad && (p.global.stored || p.signalled)) return Fit::No;
    if (x.op == Op::Texture && p.signalled) return Fit::No;  // where it is not found, all is done again
    if (x.op == Op::Texel && (p.global.stored || p.signalled)) return Fit::No;
    if (x.op == Op::WriteTexel && (p.global.loaded || p.signalled)) return Fit::No;
    if (x.op != Op::Load && x.op != Op::Store) continue;
    const Space space = static_cast<const MemoryAccess*>(x.extra)->space;
    const SpaceUse& use = space == Space::Lds ? p.lds : p.global;
    if (p.signalled || (x.op == Op::Store ? use.loaded : use.stored)) return Fit::No;
  }
  return Fit::Yes;
}

// Does a branch of such a region to itself make it a loop? Nothing of it is seen before it is left, so that it can be run again.
bool loops_in_order(const CodeRegion& r, const Progress& p) {
  if (r.nodes.empty() || r.nodes.back().op != Op::JumpIf || r.nodes.back().imm != r.pc || p.stored || p.signalled) return false;
  return std::none_of(r.nodes.begin(), r.nodes.end(), [](const Node& x) {
    return x.op == Op::Texture || x.op == Op::Expect || x.op == Op::WritePixels || x.op == Op::ReadPixels;
  });
}

void take(const std::vector<Node>& nodes, size_t first, Progress& p, Fit fit) {
  // (every adaptor leaves a constant mask)
  if (std::all_of(nodes.begin() + std::ptrdiff_t(first), nodes.end(), [](const Node& x) { return x.op == Op::Const; })) return;
  const bool late = fit == Fit::Late;
  for (size_t n = first; n < nodes.size(); n++) {
    const Node& x = nodes[n];
    if (x.op == Op::WriteLanes || x.op == Op::WriteMask || x.op == Op::Store || x.op == Op::Load || x.op == Op::WriteRegion ||
        x.op == Op::WritePixels || x.op == Op::WriteTexel || x.op == Op::WriteWhole)
      p.lane_steps = true;
    p.signalled |= x.op == Op::SignalBarrier;
    if (x.op == Op::ReadScalar) p.scalar_read.insert(x.imm);
    if (x.op == Op::WriteMask) p.lane_made.insert(x.imm);
    if (x.op == Op::WriteScalar && late) p.late_written.insert(x.imm);
    if (x.op == Op::Texel) p.global.loaded = true;
    if (x.op == Op::WriteTexel) p.global.stored = p.stored = true;
    if (x.op == Op::SharedWord) p.lds.loaded = true;
    if (x.op == Op::WriteLanes || x.op == Op::WriteWhole) p.lanes_written.insert(x.imm);
    if (x.op == Op::ReadLane && !late && !p.whole) p.lane_read.insert(x.imm);
    if (x.op == Op::Atomic) {
      const auto& call = *static_cast<const AtomicCall*>(x.extra);
      for (unsigned r = 0; r < call.results; r++) p.atomic_results.insert(call.result[r]), p.lanes_written.insert(call.result[r]);
    }
    if (x.op == Op::Load || x.op == Op::Store) {
      Space space = static_cast<const MemoryAccess*>(x.extra)->space;
      auto use = [&](SpaceUse& s) { (x.op == Op::Store ? s.stored : s.loaded) = true; };
      if (space == Space::Global || space == Space::Flat) use(p.global);
      if (space == Space::Lds || space == Space::Flat) use(p.lds);
      if (space == Space::Scratch || space == Space::Flat) use(p.scratch);
      p.stored |= x.op == Op::Store;
    }
  }
  p.only_atomics = fit == Fit::Atomic && (p.only_atomics || !p.epilogue);
  p.epilogue |= late || fit == Fit::Atomic;
}

// A step's writes to targets and images come after all else that it does, except its jump: until then compiled code may leave (for a
// NaN's bits) and its nodes run again, and an earlier write would be blended twice.
void write_texels_last(std::vector<Node>& nodes, size_t first) {
  auto writes = [](const Node& x) { return x.op == Op::WritePixels || x.op == Op::WriteTexel; };
  if (std::none_of(nodes.begin() + std::ptrdiff_t(first), nodes.end(), writes)) return;
  const std::vector<Node> before(nodes.begin() + std::ptrdiff_t(first), nodes.end());
  std::vector<int> place(before.size());
  size_t at = first;
  for (int rank : {0, 1, 2})
    for (size_t n = 0; n < before.size(); n++)
      if (rank == (writes(before[n]) ? 1 : before[n].op >= Op::Jump ? 2 : 0)) place[n] = int(at++);
  for (size_t n = 0; n < before.size(); n++) {
    Node& x = nodes[size_t(place[n])] = before[n];
    for (int* operand : {&x.a, &x.b, &x.c, &x.d})
      if (*operand >= int(first)) *operand = place[size_t(*operand) - first];
  }
}

// Does a self-branch make this region a loop that may run inside the chunk loop?
bool loops_on_scalars(const CodeRegion& r, const Progress& p, uint32_t active_cell) {
  if (r.nodes.empty() || r.nodes.back().op != Op::JumpIf || r.nodes.back().imm != r.pc || p.epilogue || p.stored || !p.lane_steps)
    return false;
  std::set<uint64_t> read, written, set_as_scalar;
  for (const Node& x : r.nodes) {
    if (x.op == Op::WriteRegion || x.op == Op::ReadRegion || x.op == Op::Texture || x.op == Op::Expect) return false;
    if (x.op == Op::ReadWhole || x.op == Op::WriteWhole) return false;  // of what memory has, which a round before has changed
    if (x.op == Op::WriteScalar && x.imm == active_cell) return false;
    if (x.op == Op::WriteMask && x.imm == active_cell) return false;
    if (x.op == Op::ReadScalar) read.insert(x.imm);
    if (x.op == Op::WriteMask) written.insert(x.imm);
    if (x.op == Op::WriteScalar) set_as_scalar.insert(x.imm);
  }
  // A mask made in one iteration must not be a scalar in the next, nor be set both ways: lanes would read the wrong one.
  return std::none_of(written.begin(), written.end(), [&](uint64_t cell) {
    return read.count(cell) || read.count(cell + 4) || set_as_scalar.count(cell) || set_as_scalar.count(cell + 4);
  });
}

// The code that can be reached from the entry, instructions by address, and the targets of branches and what follows jumps: no
// region runs over a leader.
struct ReachedCode {
  std::set<uint64_t> leaders, instructions;
};
ReachedCode reach(const Program& program, uint64_t entry, size_t limit) {
  ReachedCode found{{entry}, {}};
  std::vector<uint64_t> todo{entry};
  size_t count = 0;
  while (!todo.empty() && count < limit) {
    uint64_t pc = todo.back();
    todo.pop_back();
    while (program.contains(pc) && found.instructions.insert(pc).second && count++ < limit) {
      const Step& step = program.decoded(*program.at(pc));
      pc = step.next_pc();
      if (step.flow == Flow::Branch || step.flow == Flow::Conditional) {
        found.leaders.insert(step.target);
        todo.push_back(step.target);
      }
      if (step.flow != Flow::Next && step.flow != Flow::Goes) found.leaders.insert(pc);
      if (step.flow == Flow::Branch || step.flow == Flow::Indirect || step.flow == Flow::End) break;
    }
  }
  return found;
}

// The same for all regions of a program.
struct Cutting {
  const Program& program;
  const ReachedCode& code;
  const RegisterFile& file;
  const FloatMode& mode;
  const bool mixed;  // f32 has another mode than f64 and f16
  Recorder& recorder;
};

// True if a step whose nodes begin at `first` has to be its region's last: lanes after a new active mask would need it; targets cannot
// be written again; and whatever the table says of its flow, a step that jumps or stops ends a region.
bool ends_region(const Cutting& c, size_t first, bool whole, bool lanes_before) {
  bool last = false;
  for (size_t n = first; n < c.recorder.nodes.size(); n++) {
    const Node& x = c.recorder.nodes[n];
    const bool active = x.imm == c.file.active_cell || (c.recorder.wide && x.imm == c.file.active_cell + 4);
    last |= (x.op == Op::WriteMask && active) || x.op == Op::WritePixels || x.op == Op::WriteTexel || x.op >= Op::Jump;
    last |= whole && lanes_before && x.op == Op::WriteScalar && active;
  }
  return last;
}

// Adds steps from region.pc on for as long as they can be compiled together. Returns the address behind the last.
uint64_t add_steps(const Cutting& c, CodeRegion& region, Progress& progress) {
  const RegisterFile& file = c.file;
  Recorder& recorder = c.recorder;
  uint64_t at = region.pc;
  while (c.program.contains(at) && c.code.instructions.count(at)) {
    const Step& step = c.program.decoded(*c.program.at(at));
    if (at != region.pc && c.code.leaders.count(at)) break;
    size_t before = recorder.nodes.size();
    // With byte-addressed registers a step that changes their mode is compiled: it says that it goes elsewhere.
    auto leaves = [&] {
      return std::any_of(recorder.nodes.begin() + std::ptrdiff_t(before), recorder.nodes.end(),
                         [](const Node& x) { return x.op == Op::JumpTo; });
    };
    if (!recorder.record(step, uint32_t(region.steps.size())) || (step.ends_region && !(file.whole_wave && leaves())) ||
        (file.whole_wave ? beyond_code_generator(recorder.nodes, before, c.mode) : reads_what_it_makes(recorder.nodes, before))) {
      recorder.nodes.resize(before);
      if (!region.steps.empty()) {
        if (step.ends_region || c.mixed || (step.flow != Flow::Next && step.flow != Flow::Stop)) break;
        region.tail.push_back(&step);
        at += step.words * 4u;
        if (step.flow == Flow::Stop) break;
        continue;
      }
      region.kind = RegionKind::Called;
      region.steps.push_back(&step);
      region.float_class = step.float_class;
      at = step.next_pc();
      break;
    }
    if (!region.tail.empty()) {
      recorder.nodes.resize(before);
      break;
    }
    write_texels_last(recorder.nodes, before);
    if (c.mixed && step.float_class != FloatClass::None) {
      if (region.float_class != FloatClass::None && region.float_class != step.float_class) {
        recorder.nodes.resize(before);
        break;
      }
      region.float_class = step.float_class;
    }
    const bool crosses = !file.whole_wave && crosses_chunks(recorder.nodes, before);
    if (crosses && !progress.whole && may_become_whole(region, recorder.nodes, before, progress)) progress.whole = true;
    Fit fit = file.whole_wave  ? fits_in_order(recorder.nodes, before, progress)
              : progress.whole ? fits_whole(recorder.nodes, before, progress, crosses)
              : crosses        ? Fit::No
                               : fits(recorder.nodes, before, progress, file.active_cell, recorder.wide);
    if (fit == Fit::No && !region.steps.empty()) {
      recorder.nodes.resize(before);
      break;
    }
    progress.since_moved = crosses ? 0 : progress.since_moved + 1;
    const bool lanes_before = progress.lane_steps;
    take(recorder.nodes, before, progress, fit);
    region.late.resize(recorder.nodes.size(), fit == Fit::Late);
    for (size_t n = before; n < recorder.nodes.size(); n++)
      if (recorder.nodes[n].op == Op::Atomic) region.late[n] = true;
    region.steps.push_back(&step);
    at = step.next_pc();
    if (step.flow != Flow::Next && step.flow != Flow::Goes) break;
    if (ends_region(c, before, progress.whole, lanes_before)) break;
  }
  return at;
}

}  // namespace

RegionSet cut_regions(const Program& program, uint64_t entry, const Wave& like, const FloatMode& mode, size_t limit) {
  RegionSet set;
  RegisterFile file = program.isa().register_file();
  set.recorder = std::make_unique<Recorder>(like, mode, file);
  set.recorder->program = &program;
  const ReachedCode code = reach(program, entry, limit);
  const Cutting cutting{program, code, file, mode, classes_differ(mode), *set.recorder};
  std::set<uint64_t> begun;
  std::vector<uint64_t> todo(code.leaders.begin(), code.leaders.end());
  while (!todo.empty()) {
    uint64_t pc = todo.back();
    todo.pop_back();
    if (!code.instructions.count(pc) || !begun.insert(pc).second) continue;
    CodeRegion region;
    region.pc = pc;
    Progress progress;
    set.recorder->nodes.clear();
    region.next_pc = add_steps(cutting, region, progress);
    if (region.kind == RegionKind::Compiled) {
      region.nodes = set.recorder->nodes;
      region.late.resize(region.nodes.size(), false);
      region.whole = progress.whole;
      region.self_loop = file.whole_wave  ? loops_in_order(region, progress)
                         : progress.whole ? false
                                          : loops_on_scalars(region, progress, file.active_cell);
    }
    if (!region.steps.empty()) {
      const Step& last = region.tail.empty() ? *region.steps.back() : *region.tail.back();
      if (last.flow != Flow::Branch && last.flow != Flow::Indirect && last.flow != Flow::End) todo.push_back(region.next_pc);
      set.regions.push_back(std::move(region));
    }
  }
  if (file.whole_wave) {
    find_dead_bytes(set.regions, like.inspected);
  } else {
    find_dead_registers(set.regions, file, like.inspected);
    find_loops(set.regions, entry, like.lanes, mode);
  }
  return set;
}

}  // namespace Atoll::wave
