// The pixel shader's part of a draw's state: the initial values of its waves, and the meaning of their exports. It is found once
// for draws whose state is the same (draw_state.h). SPI_PS_*, SPI_BARYC_CNTL, SPI_INTERP_CONTROL_0, SPI_SHADER_*_FORMAT: Mesa
// 25.0.7 src/amd/registers/gfx12.json; the registers that they load: RDNA4 ISA 3.5.3.1, 3.5.4.1, 12.2.1.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "gpu/amd/draw/pixel_exports.h"
#include "gpu/amd/draw/pixel_inputs.h"
#include "gpu/gfx12/shaders/waves.h"
#include "pipeline/stages.h"
#include "pipeline/state.h"
#include "pixel/direct_programs.h"

namespace Atoll::gfx12 {

// The source of the parameters of an attribute's channel, or of one half of it.
struct PixelTerm {
  enum Source : uint8_t {
    constant,  // `value`
    smooth,    // the vertices'
    flat,      // the provoking vertex's, the same everywhere
    vertices,  // the vertices' as they are, no differences
    own,       // the primitive's
    sprite_s,  // the place in a point
    sprite_t,
  } source = constant;
  uint32_t value = 0;
};

// One channel of an attribute that the program reads.
struct PixelChannel {
  uint8_t attribute = 0, channel = 0;  // of the program
  uint16_t parameter = 0;              // word of a vertex's attributes, or of the primitive's own
  bool halves = false;                 // two numbers of 16 bits
  std::array<PixelTerm, 2> terms;      // of the whole; or of the low and the high half
  std::array<PixelTerm, 2> on_points;  // the same, on points
};

// P0, P10 and P20 of a channel, as words.
std::array<uint32_t, 3> parameters_of(const PixelChannel& channel, const pipeline::PrimitiveAttributes& primitive);

// Programs of waves that write their pixels themselves, as a stage was told that it has them.
struct DirectPrograms : pixel::DirectPrograms {
  bool changes_mode = false;  // the shader does
  bool cells = false;         // parameters stand in cells (PixelFrame::parameters)
};

struct PixelState : gpu::amd::PixelInputs, gpu::amd::PixelExports {
  WaveSetup setup;                     // of waves whose pixels the pipeline writes; user data are a draw's
  bool is_coarse = false;              // its pixels may be coarse ones
  bool is_ordered = false;             // no two pixels of a wave are the same (PRIMITIVE_ORDERED_PIXEL_SHADER)
  bool loads_provoking = false;        // LOAD_PROVOKING_VTX
  uint32_t lds_bytes = 0;              // that a wave has for itself, before the parameters
  unsigned attributes = 0;             // that have parameters
  bool inner_coverage = false;         // a wave starts with that of pixels which lie inside of their triangle
  bool coverage_before_tests = false;  // of a wave's start: early tests take nothing from it
  uint32_t depth_format = 0;           // SPI_SHADER_EX_FORMAT of MRTZ
  uint8_t writes_always = 0;           // by target: pipeline::PixelStage::writes_always()
  std::vector<PixelChannel> channels;  // as PixelProgram::attributes_read has them
  // Programs of the last draw that asked for them (PixelStage::begin_direct). Only the thread that executes draws looks here.
  mutable std::shared_ptr<const DirectPrograms> direct;

  // Nothing takes exports (Mesa 25.0.7 si_state_shaders.cpp, si_shader_ps: "The hw will skip export instructions").
  bool skips_exports() const;
  // True if its waves may run later than the draw: they change nothing but targets, and ask for no order and no time.
  bool may_wait() const;
  // Tells whether blocks that a primitive covers whole are all alike, and whether all of its pixels are, when its attributes are
  // the same everywhere.
  Likeness likeness() const;
  bool same_in_blocks() const { return setup.wide() && likeness().by_lane; }
  bool uniform_pixels() const { return likeness().everywhere; }
  // True if each primitive's pixels are all alike, whatever its vertices have.
  bool same_in_primitives() const;
};
// `vertex_attributes`: attributes that each vertex has, as primitives' own have where they have any. False: the context is lost.
bool find_pixel_state(ShaderContext& context, const pipeline::Rasterization& raster, unsigned vertex_attributes,
                      PixelState& state);

}  // namespace Atoll::gfx12
