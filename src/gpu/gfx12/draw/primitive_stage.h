// A draw's primitives, from indices to what is rasterized: the geometry engine's subgroups, each of which a group of waves works on
// (NGG), and what these export. One kind of waves has all shapes: vertices that pass through, culling with compaction in LDS, geometry
// shaders. VGT_SHADER_STAGES_EN, GE_CNTL, GE_NGG_SUBGRP_CNTL, GE_MAX_OUTPUT_PER_SUBGROUP, SPI_SHADER_GS_OUT_CONFIG_PS: Mesa 25.0.7
// src/amd/registers/gfx12.json, gfx10_shader_ngg.c, radv_shader.c; how waves start: RDNA4 ISA 3.5, table 10.
#pragma once
#include <array>
#include <span>

#include "gpu/gfx12/draw/attribute_ring.h"
#include "gpu/gfx12/draw/draw_context.h"
#include "gpu/gfx12/draw/hull_stage.h"
#include "gpu/gfx12/draw/primitive_exports.h"
#include "gpu/gfx12/draw/subgroups.h"
#include "gpu/gfx12/shaders/waves.h"
#include "pipeline/draws/given_primitives.h"

namespace Atoll::gfx12 {

class PrimitiveStage {
public:
  // Reads the registers. False: the context is lost.
  bool prepare(DrawContext& context);
  // Attributes of each vertex: the n-th of the ring is the n-th of the pipeline's vertices (four words as they are).
  unsigned attribute_count() const { return ring_.attributes(); }

  // The primitives of a draw of the state, with the user data that the registers have now. False: the context is lost, or the draw is
  // stopped.
  bool run(const pipeline::Vertices& vertices, const pipeline::Assembly& assembly, pipeline::GivenDraw& into,
           pipeline::Counters& counters);

  // Groups of mesh shaders (GS_FAST_LAUNCH). False: as above.
  bool run_groups(const std::array<uint32_t, 3>& groups, pipeline::GivenDraw& into, pipeline::Counters& counters);

private:
  struct Round;  // subgroups that run together, and what they left
  struct Left {  // by one of them
    uint32_t first_vertex = 0, first_primitive = 0, primitives = 0;
    uint32_t asked = 0;  // of mesh shaders: primitives, those that are null as well
  };
  class Environment;
  class MeshEnvironment;
  bool run_assembled(const pipeline::Vertices& vertices, const pipeline::Assembly& assembly, Round& round);
  bool run_whole_primitives(const pipeline::Vertices& vertices, const pipeline::Assembly& assembly, Round& round);
  bool run_patches(const pipeline::Vertices& vertices, const pipeline::Assembly& assembly, Round& round);
  bool run_tessellated(std::span<const TessellatedPatches> groups, const pipeline::Assembly& assembly, Round& round);
  bool run_round(Round& round);
  // The list's groups from `first` to `end`, which may leave so many vertices and primitives.
  bool run_groups_of_round(Round& round, size_t first, size_t end, uint32_t vertices, uint32_t primitives);
  bool give(Round& round, std::span<const Left> groups);  // to the pipeline
  bool run_mesh_group(Round& round, unsigned worker, unsigned number, const uint32_t (&id)[3]);
  bool run_subgroup(Round& round, unsigned worker, unsigned number);
  void load_wave(const Round& round, const Subgroup& group, wave::Wave& wave, unsigned number, unsigned waves,
                 uint32_t ring_offset, uint32_t ordered_id) const;
  void take_exports(Round& round, const Subgroup& group, std::span<wave::Wave* const> waves, unsigned vertices,
                    unsigned primitives, unsigned number, const float* own) const;
  unsigned most_vertices(const Subgroup& group) const;  // that it may leave
  unsigned most_primitives(const Subgroup& group) const;
  SubgroupLimits limits(const pipeline::Assembly& assembly, unsigned corners) const;

  DrawContext* context_ = nullptr;
  WaveSetup setup_;
  AttributeRing ring_;
  PrimitiveExports exports_;
  HullStage hull_stage_;
  uint64_t first_sgprs_ = 0;  // s[0:1]
  bool hull_ = false, geometry_ = false, asks_ = true, numbers_waves_ = false;
  unsigned geometry_vgprs_ = 1, vertex_vgprs_ = 1;  // loaded from v0 on, from v3 on
  unsigned vertices_ = 256, primitives_ = 256;      // of a subgroup
  unsigned instances_ = 1, amplification_ = 1, most_out_ = 256;
  bool instance_alone_ = false, breaks_at_instances_ = false, own_provoking_ = false;
  uint32_t lds_bytes_ = 0;
  bool mesh_ = false, exports_own_ = false;      // own: primitives have attributes, too
  std::array<uint32_t, 2> group_size_ = {1, 1};  // of mesh shaders, threads in x and y
  unsigned group_threads_ = 1;
};

}  // namespace Atoll::gfx12
