// Texture filtering over lanes: OpenGL 4.6 core profile 8.14 (minification: level of detail, wrap modes, filters), 8.15
// (magnification), 8.23 (comparison); EXT_texture_filter_anisotropic, AMD_seamless_cubemap_per_texture, ARB_texture_gather.
// Weights of linear filters have `fraction_bits` bits, as on GPUs.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>

#include "surface/texture.h"

namespace Atoll::surface {

// Coordinates are converted to multiples of 2^-8 texel before they choose texels and weights; the fraction between two levels
// has as many bits. D3D 11.3 (functional specification 7.18.8, 7.18.16.1) asks for at least 8 of every GPU, and AMD's GPUs
// have 8.
inline constexpr unsigned fraction_bits = 8;
inline constexpr int fixed_one = 1 << fraction_bits;

// "Half border": as clamp to border, but coordinates are clamped to [0, 1] first, so that a linear filter reaches half-way
// into it (GL_CLAMP) and a nearest one not at all. "Mirror once": of the coordinate's absolute value.
// In the order of CLAMP_S (R5xx: TX_FILTER0) and CLAMP_X (Sea Islands: SQ_IMG_SAMP_WORD0).
enum class Wrap : uint8_t {
  repeat,
  mirror,
  clamp_to_edge,
  mirror_once_to_edge,
  clamp_half_border,
  mirror_once_half_border,
  clamp_to_border,
  mirror_once_to_border,
  mirror_once_skips_edge,  // about the middle of the outermost texels, each way once, then to edge (Intel: MIRROR_101)
};
inline constexpr int wrap_count = int(Wrap::mirror_once_to_border) + 1;  // (the last one is the reference's alone)

// four_taps: FourTaps of one component, of the others linear.
enum class Filter : uint8_t { nearest, linear, four_taps };
enum class MipFilter : uint8_t { none, nearest, linear };
enum class SliceFilter : uint8_t { as_others, nearest, linear };  // of a volume's third axis
enum class Reduction : uint8_t { average, minimum, maximum };     // of the texels that a filter reaches
enum class Comparison : uint8_t { never, less, equal, less_equal, greater, not_equal, greater_equal, always };

// A filter of four texels each way of two axes: their weights, where the second one's middle lies so many eighths of a texel before
// the coordinate. (R5xx: TX_FILTER4)
struct FourTaps {
  static constexpr int phases = 9;
  std::array<std::array<std::array<float, 4>, phases>, 2> weight{};  // of columns, of rows
};

struct Sampler {
  std::array<Wrap, 3> wrap = {Wrap::repeat, Wrap::repeat, Wrap::repeat};
  Filter min_filter = Filter::linear, mag_filter = Filter::linear;
  SliceFilter slice_filter = SliceFilter::as_others;
  MipFilter mip_filter = MipFilter::none;
  Reduction reduction = Reduction::average;
  float lod_bias = 0, lod_min = -1000, lod_max = 1000;
  // The half level by which MipFilter::nearest rounds is added before the clamps, which the level's fraction is cut off behind
  // (Sea Islands: MIP_POINT_PRECLAMP). Otherwise it is added to what the clamps leave.
  bool half_before_clamps = false;
  unsigned max_anisotropy = 1;  // 1 (off) to 16 taps along the footprint's longer axis
  // Reference OP texel's first field, 1.0 or 0.0 each, filtered; the result goes through the format's order.
  bool compare = false;
  Comparison comparison = Comparison::less_equal;
  Colour border = {0, 0, 0, 0};  // red, green, blue, alpha as a shader sees them: after the format's order
  bool unnormalized = false;     // s and t (and r) are in texels; wraps other than clamps are taken as clamp to edge
  bool seamless_cube = true;     // filters go on over a face's edges; otherwise `wrap` holds at them
  // Coordinates are rounded to fixed point: to nearest, or (TRUNC_COORD) downwards.
  bool truncate_coordinates = false;
  // Floats that come out as denormals are zeros of their sign.
  bool flush_denormals = false;
  // Truncates coordinates for nearest filters alone.
  bool truncate_nearest = false;
  // The same by axis (a bit each), for magnified and minified samples, in place of both (Intel: Address Mag and Min Filter
  // Rounding Enable).
  struct Truncated {
    uint8_t magnified = 0, minified = 0;
    bool operator==(const Truncated&) const = default;
  };
  std::optional<Truncated> truncated = {};
  // Texels are minified above this level of detail; whether it is compared before its clamps, and whether magnified samples take
  // their levels by `mip_filter` as well, not the base level alone (Intel: Base Mip Level, LOD PreClamp Mode, LOD Clamp
  // Magnification Mode).
  float base_level = 0;
  bool compares_unclamped = false, magnified_has_levels = true;
  // Faces of cubes that are the border's colour, a bit each.
  uint8_t missing_faces = 0;
  // Fractions of linear filters only 0 or 1/2 (R5xx: TX_FILTER1 MC_COORD_TRUNCATE).
  bool half_fractions = false;
  // The fraction between two levels is stretched: max(0, min(1, f * mip_slope - mip_cut)) (R5xx: TX_FILTER1 TRI_PERF).
  float mip_slope = 1, mip_cut = 0;
  std::shared_ptr<const FourTaps> four_taps = {};
  uint8_t four_taps_components = 0;  // bit 0 red, 3 alpha, as a shader sees them
  // Texels that have this colour, which is as `border`: SampleLanes::meets_key is told, or they are zeros.
  std::optional<Colour> key = {};
  bool key_is_zero = false;
  // The same for texels whose fields are within these, in 255ths; `order`: the format's fields that are their red to alpha
  // (Intel: 3DSTATE_CHROMA_KEY).
  struct KeyRange {
    std::array<uint8_t, 4> least{}, most{};
    Order order = natural_order;
    bool operator==(const KeyRange&) const = default;
  };
  std::optional<KeyRange> key_range = {};
  // A result's alpha is the sum of the weights in the filter: with border texels as all others, or without them, in which case
  // they have no colour either (Intel: Return Filter Weight for Null, and for Border Texels). Not for integers.
  enum class AlphaIsWeight : uint8_t { no, of_all, without_border };
  AlphaIsWeight alpha_is_weight = AlphaIsWeight::no;
  // Added to results, in steps of a unorm format, before they are truncated to whole steps. Nothing: they stay as filters leave them.
  std::optional<float> step_rounding = {};
  // The upper bits of red and blue texels of 8 bits are turned (R5xx: SWAP_YUV).
  bool turns_chroma = false;

  // True if any of these, or a filter of four texels, takes part.
  bool is_special() const {
    return min_filter == Filter::four_taps || mag_filter == Filter::four_taps || key || step_rounding || turns_chroma ||
           truncated || base_level > 0 || compares_unclamped || missing_faces || key_range ||
           alpha_is_weight != AlphaIsWeight::no || std::ranges::find(wrap, Wrap::mirror_once_skips_edge) != wrap.end();
  }
};

enum class LodMode : uint8_t {
  implicit,     // from the differences in the quad
  bias,         // implicit plus lod[]
  level,        // lod[]
  zero,         // level 0
  derivatives,  // dx[], dy[]
};

// The coordinates and operands of each lane's sample. Lanes 4q to 4q + 3 are a quad: top left, top right, bottom left, bottom right; differences are
// taken between its active and helper lanes (as far as they are there), one level of detail a quad.
struct SampleLanes {
  unsigned lanes = max_lanes;
  uint64_t active = 0;
  uint64_t helpers = 0;  // further lanes that have coordinates: they count for differences, and get no result
  // Floats' bits. Null ones read as 0. Cubes: the direction s, t, r; or, if `faces`, s and t on a face, which `layer` names.
  const uint32_t* s = nullptr;
  const uint32_t* t = nullptr;
  const uint32_t* r = nullptr;
  const uint32_t* layer = nullptr;  // float: layer of an array, cube of a cube array; rounded to nearest even and clamped
  bool faces = false;               // cubes: layer[] is face + 8 * cube (Sea Islands: V_CUBEID_F32)
  float face_base = 0;              // with `faces`: s and t of a face run from here to here + 1 (1 on Sea Islands)
  LodMode lod_mode = LodMode::implicit;
  const uint32_t* lod = nullptr;                    // float: bias or level
  const uint32_t* lod_clamp = nullptr;              // float: the level of detail is at least this
  std::array<const uint32_t*, 3> dx = {}, dy = {};  // floats: derivatives of s, t, r (with `faces`: of s and t on the face)
  const uint32_t* reference = nullptr;              // float: of comparisons
  const uint32_t* offsets = nullptr;                // texels: signed 6 bits each of x, y, z at bits 0, 8, 16
  unsigned gather_component = 0;                    // of gather: red 0 to alpha 3, after the format's order
  bool gather_from_nearest = false;                 // gather: begins with the texel that a nearest filter would take
  uint64_t* meets_key = nullptr;                    // sample: gets the lanes that met a texel of Sampler::key
};

// Samples: result[c][lane], floats' bits (integers where the format has them: such textures are not filtered).
void sample(const Texture& texture, const Sampler& sampler, const SampleLanes& call, std::array<Lanes, 4>& result);
// One component (or, with sampler.compare, the comparison) of the four texels that a linear filter would take from one level:
// result 0 to 3 are bottom left, bottom right, top right, top left, y growing downwards in memory: (i0, j1) (i1, j1) (i1, j0)
// (i0, j0).
void gather(const Texture& texture, const Sampler& sampler, const SampleLanes& call, std::array<Lanes, 4>& result);
// result[0]: the level that sample would take, clamped to those there are and (MipFilter::nearest) rounded; result[1]: as
// computed, with the biases, unclamped. Floats; 2 and 3 become 0.
void query_lod(const Texture& texture, const Sampler& sampler, const SampleLanes& call, std::array<Lanes, 4>& result);

}  // namespace Atoll::surface
