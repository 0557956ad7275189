// The code round a pixel shader whose waves write their pixels themselves (pixel/framed_program.h): it loads the input VGPRs from
// the payload and writes the exports to the targets, for one state of the pipeline.
#pragma once
#include <array>

#include "gpu/amd/draw/pixel_frame.h"
#include "isa/gfx7/registers.h"
#include "pixel/framed_program.h"
#include "pixel/target_write.h"

namespace Atoll::sea_islands {

// The place of a wave's payload: behind its registers.
inline constexpr uint32_t quad_payload_cell = (gfx7::register_file_end + 127) / 128 * 128;

struct PixelFrame {
  gpu::amd::FrameInputs inputs;
  uint8_t samples = 1;
  bool second_pass = false;    // pixels are written in a second pass (pixel/framed_program.h)
  bool one_primitive = false;  // for waves all of whose quads are of one
  using Export = gpu::amd::FrameExport;
  struct Target {
    Export colour, second_source;
    pixel::TargetState state;  // where it is written
    bool operator==(const Target& o) const {
      return colour == o.colour && second_source == o.second_source && (!colour.is_made || state == o.state);
    }
  };
  std::array<Target, 8> targets;
  bool operator==(const PixelFrame&) const = default;
};

// Frames of the host level in use.
pixel::Frame make_frame(std::shared_ptr<const PixelFrame> state);

// Facts of a program's colour exports that are known before it runs.
struct ColourExports {
  struct Target {
    bool found = false, same = true;  // same: all exports to it have the same shape
    bool halves = false;
    unsigned enabled = 0;
  };
  std::array<Target, 8> colour;
  bool can_be_framed = false;  // nothing goes back to the first instruction
  bool changes_mode = false;   // of floats
};
ColourExports colour_exports(const wave::Program& program, uint64_t entry);

}  // namespace Atoll::sea_islands
