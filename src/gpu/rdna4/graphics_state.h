// The initial registers of a graphics wave. RDNA4 ISA 3.5, tables 9 to 11 and the tables of 3.5.4; names of the PS's
// terms and the bits of SPI_PS_INPUT_ENA: there, and Mesa src/amd/registers/gfx12.json. Values only: who runs the wave writes them.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/expected.h"
#include "wave/wave.h"

namespace Atoll::rdna4 {

// The value of a register that differs by lane: none (0), one for all lanes, or one a lane.
using LaneValues = std::vector<uint32_t>;

// --- pixel waves (3.5.3.1, 3.5.4.1)

// VGPRs that the hardware can load, in their order; each bit of SPI_PS_INPUT_ENA stands for one to three of them.
enum class PixelTerm : uint8_t {
  persp_sample_i,
  persp_sample_j,
  persp_center_i,
  persp_center_j,
  persp_centroid_i,
  persp_centroid_j,
  persp_pull_i_over_w,
  persp_pull_j_over_w,
  persp_pull_one_over_w,
  linear_sample_i,
  linear_sample_j,
  linear_center_i,
  linear_center_j,
  linear_centroid_i,
  linear_centroid_j,
  line_stipple,
  pos_x,
  pos_y,
  pos_z,
  pos_w,
  front_face,
  ancillary,
  sample_coverage,
  pos_fixed,
};
inline constexpr unsigned pixel_term_count = 24;
std::string_view name_of(PixelTerm term);
// The bit of SPI_PS_INPUT_ENA that loads it.
unsigned input_bit_of(PixelTerm term);

// A channel of an attribute for each primitive of the wave: P0, P1 - P0 and P2 - P0, as words.
struct PixelParameter {
  unsigned attribute = 0, channel = 0;
  std::vector<std::array<uint32_t, 3>> primitives = {};
};

struct PixelStart {
  // SPI_PS_INPUT_ENA and SPI_PS_INPUT_ADDR: what is loaded, and what has a VGPR (a bit of ENA is one of ADDR). 0: ADDR is ENA.
  uint32_t input_ena = 0, input_addr = 0;
  std::array<LaneValues, pixel_term_count> terms = {};
  uint32_t new_primitive =
      0;  // a bit for each quad of lanes that begins another primitive than the quad before (bit 0 is implied)
  bool bc_optimize = false;
  uint32_t lds_offset = 0;  // of the parameters, a multiple of 128
  std::vector<PixelParameter> parameters = {};
  std::optional<uint32_t> wave_id = {};           // {ps_wave_id[9:0], ps_wave_index[5:0]}: an SGPR if WAVE_CNT_EN is set
  std::optional<uint32_t> provoking_vertex = {};  // 2 bits a primitive: an SGPR if LOAD_PROVOKING_VTX is set
};

// How many primitives a wave's quads are of.
unsigned primitives_of(const PixelStart& start, unsigned lanes);
// Bytes of LDS, from its beginning on, up to the last parameter.
uint64_t parameter_bytes(const PixelStart& start, unsigned lanes);
// Parameters to their places (12.2.1). An error: one that does not fit, or of another number of primitives than the wave has.
Expected<void> place_parameters(const PixelStart& start, unsigned lanes, std::span<uint8_t> lds);

// --- geometry waves: ES and GS merged; NGG and mesh shaders (table 10)

struct GeometryStart {
  uint64_t address = 0;  // s[0:1], which drivers use for what they like (Mesa: a table of descriptors)
  bool mesh = false;     // FAST_LAUNCH 2
  // Not of mesh shaders: of the group, and of this wave.
  uint32_t group_primitives = 0, group_vertices = 0, ordered_wave_id = 0;
  uint32_t primitives = 0, vertices = 0;
  uint32_t off_chip = 0;
  // For mesh shaders.
  std::array<uint32_t, 3> group_id = {};

  uint32_t waves_in_group = 1, wave_in_group = 0;
  uint32_t attribute_ring = 0;           // in units of 512 bytes
  std::array<LaneValues, 7> vgprs = {};  // v0 to v6 (3.5.4): the primitive, its id, adjacency, then the vertex's
};
// v0 of a primitive: numbers of its vertices in the group, edge flags, GS instance.
constexpr uint32_t primitive_word(uint32_t a, uint32_t b, uint32_t c, uint32_t edges = 0, uint32_t instance = 0) {
  return (a & 0xff) | (edges & 1) << 8 | (b & 0xff) << 9 | (edges >> 1 & 1) << 17 | (c & 0xff) << 18 | (edges >> 2 & 1) << 26 |
         instance << 27;
}

// --- hull waves: LS and HS merged (table 11)

struct HullStart {
  uint64_t address = 0;  // s[0:1]
  uint32_t off_chip = 0, factor_ring = 0;
  bool first_wave = false;
  uint32_t group_size = 0, patches = 0, hull_vertices = 0,
           vertices = 0;  // of s3: LSHS_TGSIZE, patches, control points and vertices
  uint32_t wave_in_group = 0;
  std::array<LaneValues, 4> vgprs = {};  // patch id; relative patch id | control point << 8; vertex; instance
};

// --- any

using GraphicsStart = std::variant<PixelStart, GeometryStart, HullStart>;

struct GraphicsState {
  uint64_t exec = 0;
  uint32_t sgpr_count = 0;
  std::array<uint32_t, 40> sgprs = {};
  struct Vgpr {
    uint32_t number;
    LaneValues values;
  };
  std::vector<Vgpr> vgprs = {};
  uint32_t status = 0;
};

// `exec`: the lanes that are active; none given: all of a pixel or a mesh wave, as many as there are vertices or primitives of the others.
// An error names the value that its field cannot hold, or the list that has not as many as lanes.
Expected<GraphicsState> graphics_state(const GraphicsStart& start, std::span<const uint32_t> user_sgprs, unsigned lanes,
                                       std::optional<uint64_t> exec = {}, bool skip_export = false);

// Writes it into a wave that is otherwise as it should be; the wave may export.
void write_state(const GraphicsState& state, wave::Wave& wave);

}  // namespace Atoll::rdna4
