// RENDER_SURFACE_STATE and SAMPLER_STATE of Gen12: where fields stand, and what they mean as src/surface has it. Positions: Mesa
// 22.3.6 src/intel/genxml/gen12.xml; PRM volume 2d, the structures of these names.
#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace Atoll::dg1 {

struct StateField {
  uint8_t word, low, size;
  constexpr uint32_t get(std::span<const uint32_t> words) const {
    return words[word] >> low & (size == 32 ? ~0u : (1u << size) - 1);
  }
  constexpr void set(std::span<uint32_t> words, uint32_t value) const {
    const uint32_t mask = size == 32 ? ~0u : (1u << size) - 1;
    words[word] = (words[word] & ~(mask << low)) | (value & mask) << low;
  }
};

using SurfaceWords = std::array<uint32_t, 16>;
using SamplerWords = std::array<uint32_t, 4>;

namespace surface_state {
inline constexpr StateField cube_faces{0, 0, 6}, tile_mode{0, 12, 2}, horizontal_alignment{0, 14, 2},
    vertical_alignment{0, 16, 2}, format{0, 18, 10}, array{0, 28, 1}, type{0, 29, 3};
inline constexpr StateField qpitch{1, 0, 15}, base_mip_level{1, 19, 5};
inline constexpr StateField width{2, 0, 14}, height{2, 16, 14};
inline constexpr StateField pitch{3, 0, 18}, depth{3, 21, 11};
inline constexpr StateField samples{4, 3, 3}, interleaved_samples{4, 6, 1}, extent{4, 7, 11}, least_element{4, 18, 11};
inline constexpr StateField mip_count{5, 0, 4}, least_lod{5, 4, 4}, tail_lod{5, 8, 4}, tiled_resource{5, 18, 2},
    y_offset{5, 21, 3}, x_offset{5, 25, 7};
inline constexpr StateField auxiliary_mode{6, 0, 3}, resource_least_lod{7, 0, 12};
inline constexpr StateField select_alpha{7, 16, 3}, select_blue{7, 19, 3}, select_green{7, 22, 3}, select_red{7, 25, 3};
inline constexpr StateField address_low{8, 0, 32}, address_high{9, 0, 32};
enum Type : uint8_t { ONE, TWO, THREE, CUBE, BUFFER, STRUCTURED, RESERVED, NONE };
enum Tiling : uint8_t { LINEAR, RESERVED_TILING, X_MAJOR, Y_MAJOR };
enum Select : uint8_t { SELECT_ZERO, SELECT_ONE, SELECT_RED = 4, SELECT_GREEN, SELECT_BLUE, SELECT_ALPHA };
// What the auxiliary surface holds (Intel's media-driver, mhw_state_heap_hwcmd_g12_X.h, AUXILIARY_SURFACE_MODE).
enum AuxiliaryMode : uint8_t { AUX_NONE, AUX_CCS_D, AUX_APPEND, AUX_MCS_LCE = 4, AUX_CCS_E };
inline constexpr uint32_t RAW = 0x1ff;
}  // namespace surface_state

namespace sampler_state {
inline constexpr StateField anisotropic_algorithm{0, 0, 1}, lod_bias{0, 1, 13}, min_filter{0, 14, 3}, mag_filter{0, 17, 3},
    mip_filter{0, 20, 2}, border_mode{0, 29, 1}, disable{0, 31, 1};
inline constexpr StateField cube_mode{1, 0, 1}, shadow{1, 1, 3}, max_lod{1, 8, 12}, min_lod{1, 20, 12};
inline constexpr StateField border{2, 6, 18};
inline constexpr StateField wrap_r{3, 0, 3}, wrap_t{3, 3, 3}, wrap_s{3, 6, 3}, reduction_enable{3, 9, 1}, unnormalized{3, 10, 1},
    round_r_min{3, 13, 1}, round_r_mag{3, 14, 1}, round_v_min{3, 15, 1}, round_v_mag{3, 16, 1}, round_u_min{3, 17, 1},
    round_u_mag{3, 18, 1}, max_anisotropy{3, 19, 3}, reduction{3, 22, 2};
enum Filter : uint8_t { NEAREST, LINEAR_FILTER, ANISOTROPIC, MONO = 6 };
enum MipFilter : uint8_t { MIP_NONE, MIP_NEAREST, MIP_LINEAR = 3 };
enum Wrap : uint8_t { REPEAT, MIRROR, CLAMP_TO_EDGE, CUBE_WRAP, CLAMP_TO_BORDER, MIRROR_ONCE, HALF_BORDER, MIRROR_101 };
}  // namespace sampler_state

}  // namespace Atoll::dg1
