// The pixel shader's part of a draw's state: the initial values of its waves, and the meaning of their exports. It is found once
// for draws whose state is the same (draw_state.h). Sea Islands 3D/Compute Register Reference: SPI_PS_INPUT_CNTL,
// SPI_INTERP_CONTROL_0.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "gpu/amd/draw/pixel_exports.h"
#include "gpu/amd/draw/pixel_inputs.h"
#include "gpu/sea_islands/draw/shader_stages.h"
#include "pipeline/stages.h"
#include "pipeline/state.h"
#include "pixel/direct_programs.h"

namespace Atoll::sea_islands {

// One channel of an attribute that the program reads.
struct PixelChannel {
  enum Source : uint8_t { smooth, flat, constant, sprite_s, sprite_t } source;
  uint8_t attribute, channel;  // of the program
  uint16_t parameter;          // float index in a vertex's attributes
  bool wraps;                  // smooth: from vertex to vertex the short way round
  float value;                 // of a constant
  Source sprite;               // on points, instead of `source`
  float sprite_value;
};

// Programs of waves that write their pixels themselves, as a stage was told that it has them.
struct DirectPrograms : pixel::DirectPrograms {
  bool changes_mode = false;  // the shader does
};

struct PixelState : gpu::amd::PixelInputs, gpu::amd::PixelExports {
  WaveSetup setup;             // of waves whose pixels the pipeline writes; user data are a draw's
  uint32_t ordered_waves = 0;  // with WAVE_CNT_EN: how many numbers waves have
  uint32_t lds_bytes = 0;      // that a wave has for itself
  std::vector<PixelChannel> channels;
  // Programs of the last draw that asked for them (PixelStage::begin_direct). Only the thread that executes draws looks here.
  mutable std::shared_ptr<const DirectPrograms> direct;

  // True if its waves may run later than the draw: they change nothing but targets, and ask for no order and no time.
  bool may_wait() const { return !ordered_waves && !setup.traps.present && setup.shader->only_reads(); }
  // True if blocks that a primitive covers whole are uniform when its attributes are the same everywhere.
  bool same_in_blocks() const;
  // By target: all pixels are written that a primitive covers.
  uint8_t writes_always() const;
  // True if all pixels of a primitive whose attributes are the same everywhere come out alike, and no wave can be told from
  // another.
  bool uniform_pixels() const;
};
// False: the context is lost.
bool find_pixel_state(ShaderContext& context, const pipeline::Rasterization& raster, PixelState& state);

}  // namespace Atoll::sea_islands
