// Tessellation before NGG: groups of merged LS and HS waves (vertices into LDS, control points off chip, factors into their ring, or a
// message that they are all alike), then the fixed-function tessellator. The results are points of the patches' domains, on which NGG waves
// run as domain shader. VGT_LS_HS_CONFIG, VGT_PRIMITIVE_TYPE.NUM_INPUT_CP, VGT_TF_*, VGT_HS_OFFCHIP_PARAM, VGT_HOS_*: Mesa 25.0.7
// src/amd/registers/gfx12.json; the factors' layout and HS_TESSFACTOR: ac_nir_lower_tess_io_to_mem.c; how waves start: RDNA4 ISA 3.5,
// table 11.
#pragma once
#include <span>
#include <vector>

#include "gpu/gfx12/draw/draw_context.h"
#include "gpu/gfx12/shaders/waves.h"
#include "pipeline/front/tessellator.h"
#include "pipeline/state.h"

namespace Atoll::gfx12 {

// The tessellator's output for the patches of one group.
struct TessellatedPatches {
  std::vector<float> u, v;
  std::vector<uint32_t> relative_patch, patch;  // of each point: in the group, in the draw's instance
  std::vector<uint32_t> corner;                 // of the primitives, `corners` each: places among the points
  std::vector<uint32_t> primitive_patch;        // of each primitive, its patch in the draw's instance
  unsigned corners = 3;
  uint32_t off_chip = 0;  // of the group's control points in their buffer, bytes
  void clear();
};

class HullStage {
public:
  // False: the context is lost.
  bool prepare(DrawContext& context);
  // For a draw of the state: with its user data, as the registers have them.
  void begin() { read_user_data<stages::HS>(context_->registers, setup_); }
  // Vertices of a patch.
  unsigned patch_vertices() const { return inputs_; }
  // Patches that run() takes at most.
  size_t most_patches() const { return size_t(groups_) * patches_; }

  // The patches' vertices, patch_vertices() for each; the patches are numbered from `first_patch` on. One after the other of `groups`
  // gets what became of a group's patches; `count` says how many did. False: the context is lost.
  bool run(std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_patch, std::vector<TessellatedPatches>& groups,
           size_t& count);

private:
  class Environment;
  bool run_group(unsigned group, std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_patch,
                 TessellatedPatches& result);
  bool tessellate(unsigned group, uint32_t patches, uint32_t first_patch, const Environment& outcome, TessellatedPatches& result);

  DrawContext* context_ = nullptr;
  WaveSetup setup_;
  pipeline::TessellatorState state_;
  uint64_t first_sgprs_ = 0;                                        // s[0:1]
  unsigned inputs_ = 3, outputs_ = 3, patches_ = 1;                 // control points of a patch; patches of a group
  unsigned groups_ = 1;                                             // that have room in the rings at once
  uint32_t lds_bytes_ = 0, off_chip_bytes_ = 0, factor_bytes_ = 0;  // of a group
  uint64_t factors_ = 0;                                            // address of their ring
  float least_ = 0, most_ = 64;                                     // factors above zero are held between them
};

}  // namespace Atoll::gfx12
