// Cutting code into regions: stretches of steps that compiled code can run as
//   prologue: scalar operations, once;  chunk loop: lane operations, for W lanes at a time;  epilogue: scalar operations that
//   need what the lanes made (masks).
// A wave executes an instruction on all lanes before the next; a chunk loop does not. So a region ends
//   - before a lane operation that needs a scalar made from lanes (a v_cmp feeding a v_cndmask is no such thing: masks stay
//     per lane), and after EXEC is written,
//   - per memory space, before any access that would come after a store or any store that would come after an access: early lanes
//     must not store what late lanes have yet to read. Private memory is each lane's own: there only a store after a load ends a
//     region, so that a region can be run again from its start (after a failed guess, a NaN, a fault),
//   - before a lane operation that would follow one on the whole wave (CallWhole, WriteLane, Atomic: after all lanes, in the epilogue),
//     and before an atomic where lanes have done anything: what they give it could not be found again after a NaN,
//   - before a step that the JIT calls, unless nothing but called steps follows; at branch targets, at barriers, where the
//     float mode changes.
// If lanes take values of lanes of another chunk (MoveLanes, PickLanes), a region runs on all lanes at once, in the program's
// order, and has no memory accesses of lanes (`whole`; whole_lowering.cpp). Such stretches are kept short: values of all lanes
// take many of the host's registers. A region that branches back to its own start on scalars, and stores nothing, is a loop
// inside the chunk loop.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "wave/interpreter/level.h"
#include "wave/jit/recorder.h"

namespace Atoll::wave {

enum class RegionKind : uint8_t { Compiled, Called };

// Cells of lane registers, of a file of bytes of dwords; no set at all stands for every one.
using LiveLanes = std::optional<std::set<uint64_t>>;

struct CodeRegion {
  RegionKind kind = RegionKind::Compiled;
  uint64_t pc = 0;       // GPU address of the first step
  uint64_t next_pc = 0;  // after the last step
  std::vector<const Step*> steps;
  std::vector<Node> nodes;
  std::vector<bool> late;  // a node: belongs to the epilogue
  bool self_loop = false;
  bool whole = false;        // on all lanes at once
  std::vector<size_t> loop;  // regions that a loop entered here goes through, this one first; empty: none (loops.h)
  LiveLanes live;            // lane registers (cells) that something may read from here on
  LiveLanes left;            // of a file of bytes: the same behind the region
  // Lane registers written, but on no way from here read, or only after they are overwritten.
  std::set<uint64_t> dead;
  std::vector<const Step*> tail;  // steps called after everything else of the region is done
  FloatClass float_class = FloatClass::None;
  bool has_code = false;  // made before: the compiler leaves it out
};

struct RegionSet {
  std::vector<CodeRegion> regions;
  std::unique_ptr<Recorder> recorder;  // owns what nodes point to
};

// True for operations of regions that go over the wave chunk by chunk only: lookups and writes of textures and targets, work done
// once for all lanes, and guesses about scalars.
inline bool is_by_chunks(Op op) {
  switch (op) {
    case Op::KeepLanes:
    case Op::Atomic:
    case Op::CallWhole:
    case Op::Texture:
    case Op::Texel:
    case Op::SharedWord:
    case Op::Expect:
    case Op::ReadPixels:
    case Op::WritePixels:
    case Op::WriteTexel: return true;
    default: return false;
  }
}

// True if the host's mode, while the region runs, is the one for f32: such regions may be joined, and jump to each other.
inline bool runs_in_f32_mode(const CodeRegion& region, const FloatMode& mode) {
  return !classes_differ(mode) || region.float_class == FloatClass::F32 || region.float_class == FloatClass::None;
}

// Lanes of a chunk: of a vector of words of the host's. (Values of twice as many are two of the host's registers each, and take LLVM
// 3.6 times as long to translate.)
inline int chunk_lanes() { return host_level() == Level::Avx512 ? 16 : host_level() == Level::Avx2 ? 8 : 4; }

// The regions reachable from `entry` over direct branches, up to about `limit` instructions; beyond that code is entered anew.
RegionSet cut_regions(const Program& program, uint64_t entry, const Wave& like, const FloatMode& mode, size_t limit);

}  // namespace Atoll::wave
