// Exports of geometry waves as the pipeline's vertices and primitives. PA_CL_VS_OUT_CNTL, SPI_SHADER_POS_FORMAT,
// SPI_SHADER_IDX_FORMAT, VGT_GS_OUT_PRIM_TYPE: Mesa 25.0.7 src/amd/registers/gfx12.json; the contents of exports: ac_nir_export.c
// (ac_nir_export_position: point size, edge flag, rate of shading, layer and viewport of the second one), ac_nir_lower_ngg.c, ac_nir_lower_ngg_mesh.c
// (ms_prim_exp_arg_ch2); RDNA4 ISA 14.3.
#pragma once
#include <array>
#include <cstdint>

#include "gpu/gfx12/draw/draw_context.h"
#include "gpu/gfx12/draw/shading_rates.h"
#include "gpu/gfx12/shaders/waves.h"
#include "pipeline/front/assembly.h"
#include "pipeline/front/depth_form.h"
#include "pipeline/front/discard_band.h"
#include "pipeline/stages.h"

namespace Atoll::gfx12 {

// An export, wherever it was left: a row of lanes for each source that was enabled.
struct ExportRows {
  uint32_t enabled = 0;
  const uint32_t* source[4] = {};
};
ExportRows rows_of(wave::Wave& wave, uint32_t target);
// Clears those of the first `count` lanes that have not exported to the target: an earlier wave's values stand there.
void clear_lanes_without_export(wave::Wave& wave, uint32_t target, unsigned count);

class PrimitiveExports {
public:
  void prepare(DrawContext& context, bool provoking_last);

  // Exports of positions behind the first, by their targets: which one has what.
  uint32_t targets() const { return targets_; }
  // The first `count` lanes of an export of positions (POS0 + n) to vertices.
  void to_vertices(uint32_t target, const ExportRows& rows, unsigned count, pipeline::Vertex* vertices) const;
  // When all exports of these vertices are there.
  void finish(unsigned count, pipeline::Vertex* vertices) const;

  // A primitive's word as an Assembled with its corners' slots from `first_slot` on. False: there is none (a null primitive, or one of
  // vertices that are not there).
  bool to_primitive(uint32_t word, uint32_t first_slot, unsigned vertices, pipeline::Assembled& primitive) const;
  // The values in a primitive's second word (mesh shaders): layer, viewport and rate of shading.
  static pipeline::PrimitiveValues values_of(uint32_t second_word) {
    return {second_word & 0x1fff, second_word >> 20 & 15, primitive_rate(rate_of(second_word >> 28))};
  }
  bool has_values() const { return two_words_; }

private:
  enum Place : uint8_t { position, misc, distances_low, distances_high, nothing };
  std::array<Place, 4> place_{};     // by export
  std::array<uint8_t, 4> format_{};  // SPI_SHADER_POS_FORMAT
  uint32_t targets_ = 1;
  bool point_size_ = false, edge_flag_ = false, layer_ = false, viewport_ = false, kill_flag_ = false, rate_ = false;
  uint32_t user_clip_planes_ = 0;
  std::array<std::array<float, 4>, 6> planes_{};
  pipeline::DiscardBand band_;
  pipeline::DepthForm depth_form_ = pipeline::DepthForm::as_xy;
  pipeline::PrimitiveKind kind_ = pipeline::PrimitiveKind::triangle;
  bool rectangles_ = false, edges_given_ = false, provoking_last_ = false, two_words_ = false;
};

}  // namespace Atoll::gfx12
