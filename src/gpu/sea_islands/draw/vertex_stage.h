// The VS stage as the pipeline calls it: waves of 64 vertices, their positions and parameters taken from what they export.
// Sea Islands 3D/Compute Register Reference: SPI_SHADER_PGM_*_VS, SPI_VS_OUT_CONFIG, PA_CL_VS_OUT_CNTL; which SGPRs hold what:
// Mesa 22.3.6 src/gallium/drivers/radeonsi/si_shader.c (declare_streamout_params).
#pragma once
#include "gpu/sea_islands/draw/draw_context.h"
#include "gpu/sea_islands/draw/stage_vertices.h"
#include "pipeline/front/depth_form.h"
#include "pipeline/front/discard_band.h"
#include "pipeline/stages.h"

namespace Atoll::sea_islands {

class VertexStage : public pipeline::VertexStage {
public:
  // False: the context is lost.
  bool prepare(DrawContext& context, const StageSelection& stages);
  // For a draw of the state: with its user data, as the registers have them.
  void begin(QueueEnvironment& environment);
  // VertexKind::domain: the points that the batches' numbers mean.
  void set_domain(const DomainPoints& points) { loading_.domain = &points; }
  // VertexKind::copy: the LDS of the subgroup whose vertices it runs on.
  void set_lds(std::span<uint8_t> lds) { lds_ = lds; }
  unsigned attribute_count() const override { return parameters_; }
  unsigned batch_size() const override { return 64; }
  bool shade(unsigned worker, const pipeline::VertexBatch& batch, pipeline::Vertex* vertices, float* attributes) override;

  // One wave for its stores to stream-out buffers alone: the batch's vertices (64 at most) of `stream` are written from
  // `write_index` on.
  bool stream_out(const pipeline::VertexBatch& batch, unsigned stream, uint32_t write_index);
  bool streams_out() const { return streamout_; }
  // True if its waves may run before those of pixels that wait: they change nothing.
  bool only_reads() const { return !setup_.traps.present && setup_.shader->only_reads(); }

private:
  // The wave's start; `written` of its vertices may go to stream-out buffers.
  wave::Wave& start(unsigned worker, const pipeline::VertexBatch& batch, unsigned stream, uint32_t written, uint32_t write_index);

  DrawContext* context_ = nullptr;
  QueueEnvironment* environment_ = nullptr;
  WaveSetup setup_;
  VertexLoading loading_;
  unsigned parameters_ = 0;
  registers::access::Word<PA_CL_VS_OUT_CNTL> out_{0};
  std::array<uint8_t, 4> position_formats_{};  // SPI_SHADER_POS_FORMAT, by export
  uint32_t user_clip_planes_ = 0;
  pipeline::DiscardBand discard_;
  pipeline::DepthForm depth_form_ = pipeline::DepthForm::as_xy;
  std::span<uint8_t> lds_;
  bool offchip_ = false;         // takes the offset of the hull shader's outputs
  bool streamout_ = false;       // the program stores to stream-out buffers
  uint8_t streamout_bases_ = 0;  // bit n: the offset of buffer n stands in an SGPR
};

}  // namespace Atoll::sea_islands
