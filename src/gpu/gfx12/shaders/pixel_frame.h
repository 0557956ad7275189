// The code round a pixel shader whose waves write their pixels themselves (pixel/framed_program.h): it loads the input VGPRs from
// the payload and writes the exports to the targets, for one state of the pipeline. Also the facts of a program that this needs
// before it runs.
#pragma once
#include <array>
#include <vector>

#include "gpu/amd/draw/pixel_frame.h"
#include "gpu/gfx12/shaders/exec_moves.h"
#include "isa/rdna4/registers.h"
#include "pixel/framed_program.h"
#include "pixel/target_write.h"

namespace Atoll::gfx12 {

// An instruction all of whose operands that are taken from lanes of a quad are parameters as DS_PARAM_LOAD has left them.
struct ParameterUse {
  uint64_t pc = 0;
  uint8_t first = 0, third = 0;  // channels (attribute * 4 + channel) of sources 0 and 2
  bool operator==(const ParameterUse&) const = default;
};

struct PixelFrame {
  // The place of a wave's payload, for both sizes: behind its registers.
  static constexpr uint32_t payload_cell = (rdna4::register_file_end(true) + 127) / 128 * 128;
  bool wave64 = true;
  gpu::amd::FrameInputs inputs;
  uint8_t samples = 1;
  bool second_pass = false;    // pixels are written in a second pass (pixel/framed_program.h)
  bool one_primitive = false;  // for waves all of whose quads are of one
  bool skips_exports = false;  // there is nothing that exports go to: no lane is killed by not exporting
  // An export of DUAL_SOURCE0 has both sources, the colour in one lane of a pair, the second source in the other.
  using Export = gpu::amd::FrameExport;
  struct Target {
    Export colour;
    pixel::TargetState state;  // where it is written
    bool operator==(const Target& o) const { return colour == o.colour && (!colour.is_made || state == o.state); }
  };
  std::array<Target, 8> targets;
  // Channels of attributes (attribute * 4 + channel) whose parameters stand in cells by quad behind the payload, not in LDS.
  static constexpr size_t most_parameters = 64;
  std::vector<uint8_t> parameters;
  std::vector<ParameterUse> uses;  // of these, in rising order
  // Writes of EXEC that change nothing: in waves of whole blocks, and where nobody can tell in all (exec_moves.h).
  std::vector<uint64_t> exec_moves;
  bool moves_unseen = false;
  bool leaves_exec() const { return one_primitive || moves_unseen; }
  static constexpr uint32_t parameter_cell(size_t channel, unsigned part) {
    constexpr uint32_t begin = payload_cell + (sizeof(pipeline::QuadPayload) + 127) / 128 * 128, bytes = pipeline::max_quads * 4;
    return begin + uint32_t(channel * 3 + part) * bytes;
  }
  static constexpr uint32_t cells_end =
      payload_cell + (sizeof(pipeline::QuadPayload) + 127) / 128 * 128 + most_parameters * 3 * pipeline::max_quads * 4;
  // By export target, a bit: what the program exports to, and of these what not all of its exports set the same dwords of (the others are
  // 0, not what an earlier wave left there).
  uint32_t exported = 0, uneven = 0;
  bool operator==(const PixelFrame&) const = default;
};

// Frames of the host level in use.
pixel::Frame make_frame(std::shared_ptr<const PixelFrame> state);

// Facts of a pixel shader that are known before it runs.
struct PixelProgram {
  std::vector<uint8_t> attributes_read;  // by DS_PARAM_LOAD: attribute * 4 + channel, each once, in rising order
  uint32_t exported = 0, uneven = 0;     // as PixelFrame has them
  std::array<uint8_t, rdna4::export_targets_end> enabled{};  // by export target: dwords that any export sets
  bool can_be_framed = false;                                // nothing goes back to the first instruction
  bool changes_mode = false;                                 // of floats
  bool touches_share = false;                                // LDS, where parameters stand, otherwise than by DS_PARAM_LOAD
  std::vector<ParameterUse> uses;                            // of parameters, in rising order
  int parameters_sgpr = -1;      // M0 is a copy of what the wave begins with there, at every DS_PARAM_LOAD; -1: who knows
  uint32_t exported_by_all = 0;  // by export target, a bit: every lane that a wave starts with exports there
  ExecMoves exec_moves;          // `unseen` where all `uses` are replaced
  bool only_reads = false;       // memory, and does nothing that tells when it runs: its waves may run later than the draw
};
PixelProgram pixel_program(const wave::Program& program, uint64_t entry, unsigned lanes);

}  // namespace Atoll::gfx12
