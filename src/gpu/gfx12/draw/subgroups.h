// The geometry engine's division of a draw's primitives before any wave runs: subgroups of vertices, and of primitives between
// them, for one group of waves each. GE_CNTL, GE_NGG_SUBGRP_CNTL, VGT_GS_INSTANCE_CNT: Mesa 25.0.7 src/amd/registers/gfx12.json
// and gfx10_shader_ngg.c, gfx10_ngg_calculate_subgroup_info; what primitives look like to waves: RDNA4 ISA 3.5.4.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace Atoll::gfx12 {

struct SubgroupLimits {
  unsigned vertices = 256, primitives = 256;  // before instances of the geometry shader; at most 256
  unsigned corners = 3;                       // vertices of a primitive, adjacent ones included: 1 to 6
  unsigned instances = 1;                     // of the geometry shader, for each primitive
  bool instance_alone = false;                // each in a subgroup of its own (EN_MAX_VERT_OUT_PER_GS_INSTANCE)
  bool breaks_at_instances = false;           // BREAK_SUBGRP_AT_EOI: those of the draw
  // NGG_DISABLE_PROVOK_REUSE: no two primitives of a subgroup have the same provoking vertex. The corner that is a primitive's.
  bool own_provoking = false;
  unsigned provoking_corner = 0;
};

struct Subgroup {
  uint32_t first_vertex = 0, vertices = 0;       // places in SubgroupList's lists of vertices
  uint32_t first_primitive = 0, primitives = 0;  // and of primitives, the geometry shader's instances counted
};

struct SubgroupList {
  std::vector<Subgroup> groups;
  std::vector<uint32_t> vertex;      // of each vertex, the slot that add() was given
  std::vector<uint32_t> word;        // v0: places in the subgroup, edge flags, the geometry shader's instance
  std::vector<uint32_t> identifier;  // v1
  std::vector<uint32_t> adjacent;    // v2, where primitives have more than three vertices
  std::vector<uint8_t> goes_on;      // lines: of the strip that the one before is of
  void clear();
};

class SubgroupBuilder {
public:
  explicit SubgroupBuilder(const SubgroupLimits& limits) : limits_(limits) {}
  // Subgroups go into `list` from here on; slots of vertices are below `slots`.
  void begin(SubgroupList& list, size_t slots);
  // Bit n of `edges`: the edge from corner n to the next is drawn (of triangles).
  void add(std::span<const uint32_t> corners, uint32_t identifier, unsigned edges, bool goes_on);
  void end_instance() {
    if (limits_.breaks_at_instances) end();
  }
  // The subgroup at hand is complete.
  void end();

private:
  void add_to_subgroup(std::span<const uint32_t> corners, uint32_t identifier, unsigned edges, bool goes_on,
                       unsigned first_instance, unsigned end_instance);
  uint32_t place(uint32_t slot, bool provoking);
  void next_generation();

  const SubgroupLimits limits_;
  SubgroupList* list_ = nullptr;
  Subgroup open_;
  std::vector<uint32_t> places_;  // by slot: generation << 9 | place in the subgroup
  uint32_t generation_ = 0;
  std::array<bool, 512> provokes_{};  // by place
};

}  // namespace Atoll::gfx12
