// The PS stage as the pipeline calls it: waves of 16 quads, what they start with, their exports as colours, depth and masks.
// Sea Islands 3D/Compute Register Reference: SPI_PS_INPUT_*, SPI_BARYC_CNTL, SPI_INTERP_CONTROL_0, SPI_SHADER_*_FORMAT; the order
// of VGPRs: Mesa 22.3.6 src/amd/common/ac_shader_args.h and src/gallium/drivers/radeonsi/si_shader_llvm_ps.c.
#pragma once
#include <optional>
#include <vector>

#include "gpu/sea_islands/draw/shader_stages.h"
#include "gpu/sea_islands/shaders/pixel_frame.h"
#include "pipeline/stages.h"
#include "pipeline/state.h"
#include "wave/counters.h"

namespace Atoll::sea_islands {

class PixelStage : public pipeline::PixelStage {
public:
  PixelStage() = default;
  PixelStage(const PixelStage&) = delete;
  PixelStage& operator=(const PixelStage&) = delete;
  ~PixelStage() override;
  // False: the context is lost. What its waves have to report goes to `reports`.
  bool prepare(ShaderContext& context, QueueEnvironment& environment, gpu::Reports::Kept& reports,
               const pipeline::Rasterization& raster);
  // Whether its waves may run later than the draw: they change nothing but targets, and ask for no order and no time.
  bool may_wait() const;
  // Whether all pixels of a primitive whose attributes are the same everywhere come out alike, and no wave can be told from another.
  bool pixels_alike() const;
  unsigned batch_size() const override { return pipeline::max_pixels; }
  uint8_t barycentrics() const override { return barycentrics_; }
  bool wants_depth() const override { return wants_depth_; }
  bool wants_centroids() const override { return place_ == Place::centroid; }
  bool wants_line_coordinate() const override;
  void take_up(unsigned worker) override { workers_[worker].whole_wave = false; }
  bool shade(unsigned worker, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) override;
  pipeline::DirectKinds begin_direct(const pipeline::DirectOutputs& outputs) override;
  bool shade_direct(unsigned worker, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) override;

private:
  ShaderContext* context_ = nullptr;
  QueueEnvironment* environment_ = nullptr;
  gpu::Reports::Kept* reports_ = nullptr;
  WaveSetup setup_;                        // of waves whose pixels the pipeline writes
  std::array<WaveSetup, 3> direct_setup_;  // and of those that do it themselves, by pipeline::DirectKind
  struct alignas(64) PerWorker {
    wave::Counters counters;  // added to the queue's when the draw is done
    // All quads of the worker's wave have the attributes of this primitive of this segment.
    bool whole_wave = false;
    pipeline::PrimitiveAttributes primitive;
    uint32_t segment = 0;
    std::vector<uint8_t> lds;  // of a wave
  };
  std::vector<PerWorker> workers_;
  std::array<std::array<pipeline::SamplePosition, 16>, 4> samples_;  // by pixel of a quad
  uint8_t barycentrics_ = 0;
  bool wants_depth_ = false;
  bool position_is_corner_ = false, front_face_all_bits_ = false;
  enum class Place { centre, centroid, sample } place_ = Place::centre;  // of the position that the program gets
  std::optional<wave::WaveOrder> order_;                                 // with WAVE_CNT_EN
  uint32_t lds_bytes_ = 0;                                               // that a wave has for itself
  uint32_t coverage_seen_ = 1, coverage_exported_ = 1;  // the samples whose coverage a wave starts with, and exports
  uint32_t detail_to_exposed_ = 0;                      // how more samples become those that are seen
  uint32_t enabled_ = 0;                                // inputs, by number
  uint32_t export_format_[8] = {};                      // SPI_SHADER_EX_FORMAT, of the program's colour exports
  bool depth_exported_ = false, stencil_exported_ = false, stencil_op_exported_ = false, mask_exported_ = false;
  uint8_t target_of_[8] = {};  // of the program's colour exports, in their order
  bool dual_source_ = false;
  bool alpha_to_coverage_ = false, fills_ = false, changes_mode_ = false;  // of waves that write their pixels themselves

  wave::Wave& begin_wave(unsigned worker, const WaveSetup& setup, const pipeline::PixelBatch& batch, uint64_t& number);
  bool end_wave(unsigned worker, const WaveSetup& setup, wave::Wave& wave, uint64_t number);
  uint32_t facing_word(bool front) const;
  uint32_t exposed(uint32_t coverage) const;
  pipeline::PixelWay make_pixel_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const;
  bool same_in_blocks() const;
  std::optional<PixelFrame::Export> framed_export(uint8_t number) const;

  // Where an input VGPR stands; -1: not loaded.
  int vgpr_of_[16];
  bool no_perspective_ = false;  // PERSP_CORR_DIS
  unsigned set_of_[7] = {};      // the pipeline's barycentric set behind input bit n

  // One channel of an attribute that the program reads.
  struct Channel {
    enum Source : uint8_t { smooth, flat, constant, sprite_s, sprite_t } source;
    uint8_t attribute, channel;  // of the program
    uint16_t parameter;          // float index in a vertex's attributes
    bool wraps;                  // smooth: from vertex to vertex the short way round
    float value;                 // of a constant
    Source sprite;               // on points, instead of `source`
    float sprite_value;
  };
  std::vector<Channel> channels_;
  // The place in the primitive: of a point, or of any with generated coordinates.
  static bool is_place(Channel::Source source) { return source == Channel::sprite_s || source == Channel::sprite_t; }

  void prepare_channels(const RegisterFile& registers, unsigned parameters);
  void fill_attributes(unsigned worker, wave::Wave& wave, const pipeline::PixelBatch& batch);
  void fill_vgprs(wave::Wave& wave, const pipeline::PixelBatch& batch) const;
  void take_exports(wave::Wave& wave, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) const;
  void take_depth(wave::Wave& wave, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) const;
};

}  // namespace Atoll::sea_islands
