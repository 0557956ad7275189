// Loads and stores of compiled code: those of the region's plan in line, behind one guard a group; a failed guard restarts the
// chunk in its slow version, where every access is a call. Code for every form in line would triple the compile time. Host
// addresses are made by HostAddresses alone.
#pragma once
#include <map>
#include <vector>

#include "wave/jit/host_addresses.h"
#include "wave/jit/register_values.h"

namespace Atoll::wave {

class MemoryLowering {
public:
  using V = llvm::Value*;
  MemoryLowering(FunctionBuilder& f, RegisterValues& r, const std::vector<V>& values)
      : f_(f), b_(f.ir), r_(r), values_(values), addresses_(f.ir, f.like.lanes, f.width) {}

  // check_region() has passed the region with this plan; null: the code touches no memory.
  void begin(const CodeRegion& region, const AccessPlan* plan);
  // Once in the function's first block, where it touches memory at all.
  void find_memories();
  // `slow`: where a failed guard goes; null: this is the version without guards.
  // `any_lane_first`: lanes at the chunk's start may be off where it runs, often.
  void begin_body(llvm::BasicBlock* slow, bool any_lane_first = false);
  // Memory accesses from here on are in a loop of one function (loops.h).
  void in_loop() { in_loop_ = true; }

  V scalar_load(size_t n, const Node& node);
  V load(size_t n, const Node& node);
  void store(size_t n, const Node& node);
  // Textures (texel_lowering.cpp).
  V find_texture(const Node& node);
  V texture_word(const Node& node);
  V texel_part(const Node& node);
  V texel_offset(const Node& node);
  V texel(const Node& node);
  void set_texel(const Node& node);
  V expect(const Node& node);
  V shared_word(const Node& node);
  V quad_lane(const Node& node);
  V whole_lanes(const Node& node);
  V lane_place(uint64_t cell, V lane) { return addresses_.lane_place(f_.wave, cell, lane); }
  // Pixels of targets (pixel_lowering.cpp).
  V pixels(const Node& node);
  void set_pixels(const Node& node);
  // i64: where the words by quad begin of a wave whose first pixel of what is fed is the scalar `first` (wave/fed_pixels.h), in bytes
  // from those of all.
  V fed_from(int first);
  V constant_word(const Node& node);
  V constant_scalar(const Node& node);

private:
  FunctionBuilder& f_;
  llvm::IRBuilder<>& b_;
  RegisterValues& r_;
  const std::vector<V>& values_;  // by node
  HostAddresses addresses_;
  const CodeRegion* region_ = nullptr;
  const AccessPlan* plan_ = nullptr;
  llvm::BasicBlock* slow_ = nullptr;
  bool any_lane_first_ = false, in_loop_ = false;
  std::vector<HostAddresses::Proof> proofs_;  // of the plan's groups, as far as their guards stand
  struct ChunkLevel {
    V level = nullptr, is_one = nullptr;  // that of the first active lane (i32); whether the others have it (i1)
  };
  std::map<int, ChunkLevel> levels_;  // by node, in the body that is being built
  std::map<size_t, V> parts_;         // the same, of texels: made ahead of their nodes
  std::map<size_t, V> blocks_;        // the same, of loads side by side
  const TexelPlaces& places_of(int texture) const;

  const HostAddresses::Proof& guarded(int group);
  V live_lanes(int condition);
  // A load of lanes that stand anywhere.
  V gather(size_t n, const MemoryAccess& access, const HostAddresses::Proof& proof, V live);
  V row_or_gather(size_t n, const MemoryAccess& access, const HostAddresses::Proof& proof, V live);
  V first_live(V live);
  // The dwords side by side that an instruction loads in each lane, together: from the first of its loads on. 0: not so.
  unsigned dwords_together(size_t n) const;
  void load_blocks(size_t n, unsigned dwords, const HostAddresses::Proof& proof, V live);
  bool runs_round() const;
  // The places of the chunk's quads in their target; `row` (i1): one behind the other.
  struct PixelPlaces {
    llvm::SmallVector<V, 16> quad;
    V row = nullptr;
  };
  PixelPlaces pixel_places(const PixelWords& which, int first);
  void need_here(V loaded);
  V slow_load(const Node& node, V low, V high);
  void slow_store(const Node& node, V low, V high, V value);
  // The stores of an instruction that wait for the last one.
  struct SlowStore {
    const Node* node;
    V low, high, value, live;
  };
  std::vector<SlowStore> waiting_;
  struct HelperPart;
  HelperPart helper_part(V live, unsigned from);
};

}  // namespace Atoll::wave
