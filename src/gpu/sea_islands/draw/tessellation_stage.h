// Tessellation: thread groups of LS waves (vertices into LDS) and HS waves (control points off chip, factors into their ring),
// then the fixed-function tessellator. The results are the points of the patches' domains, on which VS or ES runs as domain
// shader. Sea Islands 3D/Compute Register Reference: VGT_LS_HS_CONFIG, VGT_TF_*, VGT_HS_OFFCHIP_PARAM, VGT_HOS_*; what the waves
// start with and the factors' layout: Mesa 22.3.6 src/gallium/drivers/radeonsi/si_shader_llvm_tess.c.
#pragma once
#include <span>
#include <vector>

#include "gpu/sea_islands/draw/draw_context.h"
#include "gpu/sea_islands/draw/stage_vertices.h"
#include "pipeline/front/tessellator.h"

namespace Atoll::sea_islands {

// The tessellated patches of a thread group.
struct TessellatedGroup {
  DomainPoints points;
  StagePrimitives primitives;  // their numbers are places in `points`
};

class TessellationStage {
public:
  // False: the context is lost.
  bool prepare(DrawContext& context, const StageSelection& stages);
  // Vertices of a patch.
  unsigned patch_vertices() const { return inputs_; }
  // Patches that run() takes at most.
  size_t max_patches() const { return size_t(groups_) * patches_; }
  pipeline::Topology topology() const;

  // The patches' vertices, patch_vertices() for each; the patches are numbered from `first_patch` on. Groups in the patches'
  // order.
  bool run(std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_patch, std::vector<TessellatedGroup>& groups);

private:
  bool run_group(unsigned worker, unsigned group, std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_patch,
                 TessellatedGroup& result);
  bool tessellate(unsigned group, uint32_t patches, uint32_t first_patch, TessellatedGroup& result);

  DrawContext* context_ = nullptr;
  WaveSetup ls_, hs_;
  VertexLoading loading_;
  pipeline::TessellatorState state_;
  unsigned inputs_ = 3, outputs_ = 3, patches_ = 1;                // control points of a patch; patches of a thread group
  unsigned hull_waves_ = 1;                                        // of a whole thread group
  unsigned groups_ = 1;                                            // that have room in the rings at once
  uint32_t lds_bytes_ = 0, offchip_bytes_ = 0, factor_bytes_ = 0;  // of a thread group
  uint64_t factors_ = 0;                                           // address of their ring
  float least_ = 0, most_ = 64;                                    // factors above zero are held between them
  bool control_words_ = false, offchip_ = false, group_size_ = false;
};

}  // namespace Atoll::sea_islands
