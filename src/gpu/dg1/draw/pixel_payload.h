// The registers of a pixel thread when it begins: its header, the pixels' positions, barycentrics and further inputs by pixel,
// then constants and the attributes' planes. Mesa 22.3.6 brw_fs.cpp (setup_fs_payload_gfx6), brw_fs_nir.cpp, brw_compiler.h
// (brw_wm_prog_data_reg_blocks and the kernels of each width).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/dg1/draw/attributes.h"
#include "gpu/dg1/state/graphics_state.h"
#include "isa/xe_lp/executable.h"
#include "pipeline/stages.h"

namespace Atoll::dg1 {

inline constexpr unsigned register_words = xe_lp::kRegisterBytes / 4;

// The inputs that a draw's pixel threads have, and their registers.
struct PixelPayload {
  static constexpr unsigned most_registers = xe_lp::kRegisters;
  unsigned width = 0;        // pixels: 8, 16, 32
  uint8_t barycentrics = 0;  // bits of Barycentric Interpolation Mode
  bool depth = false, w = false, coverage = false;
  // Registers of planes, behind what pixels have each: of depth and 1/w, of barycentrics times 1/w, of barycentrics that are linear on the
  // screen; and one of the places of samples.
  bool depth_plane = false, perspective_planes = false, linear_planes = false, sample_places = false;
  bool own_coverage = false;    // coverage is the primitive's, whatever early tests leave of it
  bool inner_coverage = false;  // coverage is that of pixels which lie inside of their triangle
  bool zw_at_centroid = false;  // depth and W
  bool coarse = false;          // the shader is of coarse pixels: their size stands where the sample's number does
  // A register behind the coverage: the sizes of coarse pixels that are asked for, as floats, across from dword 0 on and down from dword 4
  // on, one for each quad.
  bool requested_sizes = false;
  enum class Offsets : uint8_t { none, centroid, sample } offsets = Offsets::none;
  unsigned setup = 0;               // the register in which constants begin, behind them the planes
  std::vector<uint32_t> constants;  // whole registers' worth
  unsigned planes = 0;              // registers
  // Positions of 1, 2, 4, 8 or 16 samples: sixteenths of a pixel from its top left corner, x and y.
  std::array<std::array<uint8_t, 2>, 16> samples{};

  bool has_planes() const { return depth_plane || perspective_planes || linear_planes || sample_places; }
  // The size of the payload from r0 up to its first missing register; what stands behind that gap is not counted.
  uint32_t contiguous_bytes() const;
  unsigned registers() const { return setup + unsigned(constants.size()) / 8 + planes; }
};

// The kernel that runs threads of so many pixels, of 3DSTATE_PS's three; -1: none does.
int kernel_of_width(const GraphicsState& state, unsigned width);
// The kernel's start, from the instruction base.
std::optional<uint64_t> kernel_start(const GraphicsState& state, unsigned width);
// The widest threads that are enabled; 0: none are.
unsigned widest_threads(const GraphicsState& state);

// False: `problem` names the command and the field that make no payload.
bool find_payload(const GraphicsState& state, const AttributeMap& attributes, unsigned width, std::vector<uint32_t> constants,
                  PixelPayload& payload, std::string& problem);

// The pipeline's set of barycentrics for each bit n of Barycentric Interpolation Mode.
inline constexpr std::array<pipeline::BarycentricSet, 6> payload_sets = {
    pipeline::PERSPECTIVE_CENTRE, pipeline::PERSPECTIVE_CENTROID, pipeline::PERSPECTIVE_SAMPLE,
    pipeline::LINEAR_CENTRE,      pipeline::LINEAR_CENTROID,      pipeline::LINEAR_SAMPLE};

// The planes of a primitive's attributes as registers have them: of each component the differences along the second and third vertex,
// a dword that means nothing, and the first vertex's value.
void make_planes(const AttributeMap& map, const pipeline::PrimitiveAttributes& primitive, std::span<uint32_t> words);

// A thread's pixels: quads `first` to first + quads - 1 of the batch, all of one primitive.
struct ThreadPixels {
  const pipeline::PixelBatch& batch;
  unsigned first = 0, quads = 0;
  bool every_lane = false;  // Vector Mask Enable: of a quad with a pixel that is drawn all lanes run

  // Lanes that are drawn, and those that run.
  uint32_t drawn() const;
  uint32_t running() const;
};
// `registers`: those of the file, from r0 on. r0 itself is the dispatch's (threads/thread_start.h), but for what it says of pixels.
void fill_payload(const PixelPayload& payload, const ThreadPixels& pixels, std::span<const uint32_t> planes, uint32_t* registers);
// Its constants and planes alone.
void fill_setup(const PixelPayload& payload, std::span<const uint32_t> planes, uint32_t* registers);
// The primitive's part of a register of positions: facing, array index and viewport.
uint32_t facing_and_layer(const pipeline::PrimitiveAttributes& primitive);

}  // namespace Atoll::dg1
