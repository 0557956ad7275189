// The pixel shader's part of a draw's state: the initial values of its waves, and the meaning of their exports. It is found once
// for draws whose state is the same (draw_state.h). Sea Islands 3D/Compute Register Reference: SPI_PS_INPUT_*, SPI_BARYC_CNTL,
// SPI_INTERP_CONTROL_0, SPI_SHADER_*_FORMAT; the order of VGPRs: Mesa 22.3.6 src/amd/common/ac_shader_args.h and
// src/gallium/drivers/radeonsi/si_shader_llvm_ps.c.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "gpu/sea_islands/draw/shader_stages.h"
#include "pipeline/stages.h"
#include "pipeline/state.h"
#include "pixel/direct_programs.h"

namespace Atoll::sea_islands {

// Inputs in the order of their VGPRs: the bits of SPI_PS_INPUT_ENA and SPI_PS_INPUT_ADDR.
enum PixelInput : unsigned {
  PERSP_SAMPLE,
  PERSP_CENTER,
  PERSP_CENTROID,
  PERSP_PULL_MODEL,
  LINEAR_SAMPLE,
  LINEAR_CENTER,
  LINEAR_CENTROID,
  LINE_STIPPLE_TEX,
  POS_X,
  POS_Y,
  POS_Z,
  POS_W,
  FRONT_FACE,
  ANCILLARY,
  SAMPLE_COVERAGE,
  POS_FIXED_PT,
  kPixelInputs,
};
inline constexpr unsigned input_vgprs[kPixelInputs] = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};

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

struct PixelState {
  WaveSetup setup;  // of waves whose pixels the pipeline writes; user data are a draw's
  uint8_t barycentrics = 0;
  bool wants_depth = false;
  bool position_is_corner = false, front_face_all_bits = false;
  enum class Place { centre, centroid, sample } place = Place::centre;  // of the position that the program gets
  uint32_t ordered_waves = 0;                                           // with WAVE_CNT_EN: how many numbers waves have
  uint32_t lds_bytes = 0;                                               // that a wave has for itself
  uint32_t coverage_seen = 1, coverage_exported = 1;  // the samples whose coverage a wave starts with, and exports
  uint32_t detail_to_exposed = 0;                     // how more samples become those that are seen
  uint32_t enabled = 0;                               // inputs, by number
  uint32_t export_format[8] = {};                     // SPI_SHADER_EX_FORMAT, of the program's colour exports
  bool depth_exported = false, stencil_exported = false, stencil_op_exported = false, mask_exported = false;
  static constexpr uint8_t no_target = 0xff;
  uint8_t target_of[8] = {};  // of the program's colour exports, in their order
  bool dual_source = false;
  int vgpr_of[16];              // where an input VGPR stands; -1: not loaded
  bool no_perspective = false;  // PERSP_CORR_DIS
  unsigned set_of[7] = {};      // the pipeline's barycentric set behind input bit n
  std::vector<PixelChannel> channels;
  std::array<std::array<pipeline::SamplePosition, 16>, 4> samples;  // by pixel of a quad
  // Programs of the last draw that asked for them (PixelStage::begin_direct). Only the thread that executes draws looks here.
  mutable std::shared_ptr<const DirectPrograms> direct;

  // True if its waves may run later than the draw: they change nothing but targets, and ask for no order and no time.
  bool may_wait() const { return !ordered_waves && !setup.traps.present && setup.shader->only_reads(); }
  // True if blocks that a primitive covers whole are all alike when its attributes are the same everywhere.
  bool same_in_blocks() const;
  // By target: all pixels are written that a primitive covers.
  uint8_t writes_always() const;
  // True if all pixels of a primitive whose attributes are the same everywhere come out alike, and no wave can be told from
  // another.
  bool pixels_alike() const;
};
// False: the context is lost.
bool find_pixel_state(ShaderContext& context, const pipeline::Rasterization& raster, PixelState& state);

}  // namespace Atoll::sea_islands
