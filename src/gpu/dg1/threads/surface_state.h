// RENDER_SURFACE_STATE and SAMPLER_STATE of Gen12 as dwords. Their fields are described in
// registers/dg1/commands.json.
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

// The surface of texels as they stand, of one whose sRGB texels the sampler leaves so (SAMPLER_STATE, SRGB DECODE).
SurfaceWords without_srgb(SurfaceWords words);

}  // namespace Atoll::dg1
