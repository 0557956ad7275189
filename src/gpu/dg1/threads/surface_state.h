// RENDER_SURFACE_STATE and SAMPLER_STATE of Gen12 as dwords. Where their fields stand: registers/dg1/commands.json.
#pragma once
#include <array>
#include <cstdint>

#include "registers/dg1.h"

namespace Atoll::dg1 {

using SurfaceState = structures::RENDER_SURFACE_STATE;
using SurfaceType = SurfaceState::Surface_Type;
using TileMode = SurfaceState::Tile_Mode;
using ChannelSelect = SurfaceState::Shader_Channel_Select_Red;  // all four have its values
using AuxiliaryMode = SurfaceState::Auxiliary_Surface_Mode;
using SamplerState = structures::SAMPLER_STATE;
using AddressMode = SamplerState::TCX_Address_Control_Mode;  // all three axes have its values
using MapFilter = SamplerState::Min_Mode_Filter;             // and that of magnification
using MipFilter = SamplerState::Mip_Mode_Filter;

using SurfaceWords = std::array<uint32_t, SurfaceState::dwords>;
using SamplerWords = std::array<uint32_t, SamplerState::dwords>;

// Whether a coordinate goes through a mode that no texture here has.
inline bool has_unknown_wrap(const SamplerWords& words) {
  return SamplerState::TCX_Address_Control_Mode::get(words) == AddressMode::MIRROR_101 ||
         SamplerState::TCY_Address_Control_Mode::get(words) == AddressMode::MIRROR_101 ||
         SamplerState::TCZ_Address_Control_Mode::get(words) == AddressMode::MIRROR_101;
}

}  // namespace Atoll::dg1
