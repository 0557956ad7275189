// SURFACE_FORMAT as src/surface has formats. A name lists its fields from bit 0 up. Those without such a row have one that says why:
// which of them the sampler, typed messages and vertex fetch take is in Mesa's isl_format.c (format_info, columns smpl, TW, TR and VB).
// YCRCB formats give Cr, Y and Cb as red, green and blue (Mesa: anv_formats.c, ycbcr_formats; the order of their bytes: NEO's
// surface_formats.cpp and cl_intel_packed_yuv).
#include "isa/xe_lp/surface_format.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "registers/dg1.h"

namespace Atoll::xe_lp {
namespace {

using surface::Layout;
using surface::Number;
using surface::Order;
using surface::Select;
using Name = dg1::SURFACE_FORMAT;

constexpr auto f0 = Select::field_0, f1 = Select::field_1, f2 = Select::field_2, f3 = Select::field_3;
constexpr auto zero = Select::zero, one = Select::one;
constexpr Order natural = surface::natural_order, bgra = surface::bgra_order;
constexpr Order bgrx{f2, f1, f0, one}, opaque{f0, f1, f2, one}, abgr{f3, f2, f1, f0};
constexpr Order luminance{f0, f0, f0, one}, luminance_alpha{f0, f0, f0, f1}, intensity{f0, f0, f0, f0},
    alpha{zero, zero, zero, f0};
constexpr Order first{f0, zero, zero, one}, second_green{zero, f1, zero, one};

struct Row {
  uint32_t code;
  Layout layout;
  Number number;
  Order order;
};
constexpr Row rows[] = {
    {Name::R32G32B32A32_FLOAT, Layout::bits_32_32_32_32, Number::floating, natural},
    {Name::R32G32B32A32_SINT, Layout::bits_32_32_32_32, Number::sint, natural},
    {Name::R32G32B32A32_UINT, Layout::bits_32_32_32_32, Number::uint, natural},
    {Name::R32G32B32A32_UNORM, Layout::bits_32_32_32_32, Number::unorm, natural},
    {Name::R32G32B32A32_SNORM, Layout::bits_32_32_32_32, Number::snorm, natural},
    {Name::R32G32B32X32_FLOAT, Layout::bits_32_32_32_32, Number::floating, opaque},
    {Name::R32G32B32A32_SSCALED, Layout::bits_32_32_32_32, Number::sscaled, natural},
    {Name::R32G32B32A32_USCALED, Layout::bits_32_32_32_32, Number::uscaled, natural},
    {Name::R32G32B32_FLOAT, Layout::bits_32_32_32, Number::floating, natural},
    {Name::R32G32B32_SINT, Layout::bits_32_32_32, Number::sint, natural},
    {Name::R32G32B32_UINT, Layout::bits_32_32_32, Number::uint, natural},
    {Name::R32G32B32_UNORM, Layout::bits_32_32_32, Number::unorm, natural},
    {Name::R32G32B32_SNORM, Layout::bits_32_32_32, Number::snorm, natural},
    {Name::R32G32B32_SSCALED, Layout::bits_32_32_32, Number::sscaled, natural},
    {Name::R32G32B32_USCALED, Layout::bits_32_32_32, Number::uscaled, natural},
    {Name::R16G16B16A16_UNORM, Layout::bits_16_16_16_16, Number::unorm, natural},
    {Name::R16G16B16A16_SNORM, Layout::bits_16_16_16_16, Number::snorm, natural},
    {Name::R16G16B16A16_SINT, Layout::bits_16_16_16_16, Number::sint, natural},
    {Name::R16G16B16A16_UINT, Layout::bits_16_16_16_16, Number::uint, natural},
    {Name::R16G16B16A16_FLOAT, Layout::bits_16_16_16_16, Number::floating, natural},
    {Name::R32G32_FLOAT, Layout::bits_32_32, Number::floating, natural},
    {Name::R32G32_SINT, Layout::bits_32_32, Number::sint, natural},
    {Name::R32G32_UINT, Layout::bits_32_32, Number::uint, natural},
    {Name::R32_FLOAT_X8X24_TYPELESS, Layout::bits_32_8_24, Number::depth_stencil, first},
    {Name::X32_TYPELESS_G8X24_UINT, Layout::bits_32_8_24, Number::depth_stencil, second_green},
    {Name::L32A32_FLOAT, Layout::bits_32_32, Number::floating, luminance_alpha},
    {Name::R32G32_UNORM, Layout::bits_32_32, Number::unorm, natural},
    {Name::R32G32_SNORM, Layout::bits_32_32, Number::snorm, natural},
    {Name::R16G16B16X16_UNORM, Layout::bits_16_16_16_16, Number::unorm, opaque},
    {Name::R16G16B16X16_FLOAT, Layout::bits_16_16_16_16, Number::floating, opaque},
    {Name::A32X32_FLOAT, Layout::bits_32_32, Number::floating, alpha},
    {Name::L32X32_FLOAT, Layout::bits_32_32, Number::floating, luminance},
    {Name::I32X32_FLOAT, Layout::bits_32_32, Number::floating, intensity},
    {Name::R16G16B16A16_SSCALED, Layout::bits_16_16_16_16, Number::sscaled, natural},
    {Name::R16G16B16A16_USCALED, Layout::bits_16_16_16_16, Number::uscaled, natural},
    {Name::R32G32_SSCALED, Layout::bits_32_32, Number::sscaled, natural},
    {Name::R32G32_USCALED, Layout::bits_32_32, Number::uscaled, natural},
    {Name::B8G8R8A8_UNORM, Layout::bits_8_8_8_8, Number::unorm, bgra},
    {Name::B8G8R8A8_UNORM_SRGB, Layout::bits_8_8_8_8, Number::srgb, bgra},
    {Name::R10G10B10A2_UNORM, Layout::bits_10_10_10_2, Number::unorm, natural},
    {Name::R10G10B10A2_UINT, Layout::bits_10_10_10_2, Number::uint, natural},
    {Name::R8G8B8A8_UNORM, Layout::bits_8_8_8_8, Number::unorm, natural},
    {Name::R8G8B8A8_UNORM_SRGB, Layout::bits_8_8_8_8, Number::srgb, natural},
    {Name::R8G8B8A8_SNORM, Layout::bits_8_8_8_8, Number::snorm, natural},
    {Name::R8G8B8A8_SINT, Layout::bits_8_8_8_8, Number::sint, natural},
    {Name::R8G8B8A8_UINT, Layout::bits_8_8_8_8, Number::uint, natural},
    {Name::R16G16_UNORM, Layout::bits_16_16, Number::unorm, natural},
    {Name::R16G16_SNORM, Layout::bits_16_16, Number::snorm, natural},
    {Name::R16G16_SINT, Layout::bits_16_16, Number::sint, natural},
    {Name::R16G16_UINT, Layout::bits_16_16, Number::uint, natural},
    {Name::R16G16_FLOAT, Layout::bits_16_16, Number::floating, natural},
    {Name::B10G10R10A2_UNORM, Layout::bits_10_10_10_2, Number::unorm, bgra},
    {Name::R11G11B10_FLOAT, Layout::bits_11_11_10, Number::floating, natural},
    {Name::R32_SINT, Layout::bits_32, Number::sint, natural},
    {Name::R32_UINT, Layout::bits_32, Number::uint, natural},
    {Name::R32_FLOAT, Layout::bits_32, Number::floating, natural},
    {Name::R24_UNORM_X8_TYPELESS, Layout::bits_24_8, Number::depth_stencil, first},
    {Name::X24_TYPELESS_G8_UINT, Layout::bits_24_8, Number::depth_stencil, second_green},
    {Name::L32_UNORM, Layout::bits_32, Number::unorm, luminance},
    {Name::A32_UNORM, Layout::bits_32, Number::unorm, alpha},
    {Name::L16A16_UNORM, Layout::bits_16_16, Number::unorm, luminance_alpha},
    {Name::I24X8_UNORM, Layout::bits_24_8, Number::depth_stencil, intensity},
    {Name::L24X8_UNORM, Layout::bits_24_8, Number::depth_stencil, luminance},
    {Name::A24X8_UNORM, Layout::bits_24_8, Number::depth_stencil, alpha},
    {Name::I32_FLOAT, Layout::bits_32, Number::floating, intensity},
    {Name::L32_FLOAT, Layout::bits_32, Number::floating, luminance},
    {Name::A32_FLOAT, Layout::bits_32, Number::floating, alpha},
    {Name::B8G8R8X8_UNORM, Layout::bits_8_8_8_8, Number::unorm, bgrx},
    {Name::B8G8R8X8_UNORM_SRGB, Layout::bits_8_8_8_8, Number::srgb, bgrx},
    {Name::R8G8B8X8_UNORM, Layout::bits_8_8_8_8, Number::unorm, opaque},
    {Name::R8G8B8X8_UNORM_SRGB, Layout::bits_8_8_8_8, Number::srgb, opaque},
    {Name::R9G9B9E5_SHAREDEXP, Layout::bits_9_9_9_e5, Number::floating, natural},
    {Name::B10G10R10X2_UNORM, Layout::bits_10_10_10_2, Number::unorm, bgrx},
    {Name::L16A16_FLOAT, Layout::bits_16_16, Number::floating, luminance_alpha},
    {Name::R32_UNORM, Layout::bits_32, Number::unorm, natural},
    {Name::R32_SNORM, Layout::bits_32, Number::snorm, natural},
    {Name::R10G10B10X2_USCALED, Layout::bits_10_10_10_2, Number::uscaled, opaque},
    {Name::R8G8B8A8_SSCALED, Layout::bits_8_8_8_8, Number::sscaled, natural},
    {Name::R8G8B8A8_USCALED, Layout::bits_8_8_8_8, Number::uscaled, natural},
    {Name::R16G16_SSCALED, Layout::bits_16_16, Number::sscaled, natural},
    {Name::R16G16_USCALED, Layout::bits_16_16, Number::uscaled, natural},
    {Name::R32_SSCALED, Layout::bits_32, Number::sscaled, natural},
    {Name::R32_USCALED, Layout::bits_32, Number::uscaled, natural},
    {Name::B5G6R5_UNORM, Layout::bits_5_6_5, Number::unorm, bgrx},
    {Name::B5G6R5_UNORM_SRGB, Layout::bits_5_6_5, Number::srgb, bgrx},
    {Name::B5G5R5A1_UNORM, Layout::bits_5_5_5_1, Number::unorm, bgra},
    {Name::B5G5R5A1_UNORM_SRGB, Layout::bits_5_5_5_1, Number::srgb, bgra},
    {Name::B4G4R4A4_UNORM, Layout::bits_4_4_4_4, Number::unorm, bgra},
    {Name::B4G4R4A4_UNORM_SRGB, Layout::bits_4_4_4_4, Number::srgb, bgra},
    {Name::R8G8_UNORM, Layout::bits_8_8, Number::unorm, natural},
    {Name::R8G8_SNORM, Layout::bits_8_8, Number::snorm, natural},
    {Name::R8G8_SINT, Layout::bits_8_8, Number::sint, natural},
    {Name::R8G8_UINT, Layout::bits_8_8, Number::uint, natural},
    {Name::R16_UNORM, Layout::bits_16, Number::unorm, natural},
    {Name::R16_SNORM, Layout::bits_16, Number::snorm, natural},
    {Name::R16_SINT, Layout::bits_16, Number::sint, natural},
    {Name::R16_UINT, Layout::bits_16, Number::uint, natural},
    {Name::R16_FLOAT, Layout::bits_16, Number::floating, natural},
    {Name::I16_UNORM, Layout::bits_16, Number::unorm, intensity},
    {Name::L16_UNORM, Layout::bits_16, Number::unorm, luminance},
    {Name::A16_UNORM, Layout::bits_16, Number::unorm, alpha},
    {Name::L8A8_UNORM, Layout::bits_8_8, Number::unorm, luminance_alpha},
    {Name::I16_FLOAT, Layout::bits_16, Number::floating, intensity},
    {Name::L16_FLOAT, Layout::bits_16, Number::floating, luminance},
    {Name::A16_FLOAT, Layout::bits_16, Number::floating, alpha},
    {Name::L8A8_UNORM_SRGB, Layout::bits_8_8, Number::srgb, luminance_alpha},
    {Name::B5G5R5X1_UNORM, Layout::bits_5_5_5_1, Number::unorm, bgrx},
    {Name::B5G5R5X1_UNORM_SRGB, Layout::bits_5_5_5_1, Number::srgb, bgrx},
    {Name::R8G8_SSCALED, Layout::bits_8_8, Number::sscaled, natural},
    {Name::R8G8_USCALED, Layout::bits_8_8, Number::uscaled, natural},
    {Name::R16_SSCALED, Layout::bits_16, Number::sscaled, natural},
    {Name::R16_USCALED, Layout::bits_16, Number::uscaled, natural},
    {Name::A1B5G5R5_UNORM, Layout::bits_1_5_5_5, Number::unorm, abgr},
    {Name::A4B4G4R4_UNORM, Layout::bits_4_4_4_4, Number::unorm, abgr},
    {Name::L8A8_UINT, Layout::bits_8_8, Number::uint, luminance_alpha},
    {Name::L8A8_SINT, Layout::bits_8_8, Number::sint, luminance_alpha},
    {Name::R8_UNORM, Layout::bits_8, Number::unorm, natural},
    {Name::R8_SNORM, Layout::bits_8, Number::snorm, natural},
    {Name::R8_SINT, Layout::bits_8, Number::sint, natural},
    {Name::R8_UINT, Layout::bits_8, Number::uint, natural},
    {Name::A8_UNORM, Layout::bits_8, Number::unorm, alpha},
    {Name::I8_UNORM, Layout::bits_8, Number::unorm, intensity},
    {Name::L8_UNORM, Layout::bits_8, Number::unorm, luminance},
    {Name::R8_SSCALED, Layout::bits_8, Number::sscaled, natural},
    {Name::R8_USCALED, Layout::bits_8, Number::uscaled, natural},
    {Name::L8_UNORM_SRGB, Layout::bits_8, Number::srgb, luminance},
    {Name::Y8_UNORM, Layout::bits_8, Number::unorm, natural},
    {Name::L8_UINT, Layout::bits_8, Number::uint, luminance},
    {Name::L8_SINT, Layout::bits_8, Number::sint, luminance},
    {Name::I8_UINT, Layout::bits_8, Number::uint, intensity},
    {Name::I8_SINT, Layout::bits_8, Number::sint, intensity},
    {Name::DXT1_RGB_SRGB, Layout::bc1, Number::srgb, opaque},
    {Name::BC1_UNORM, Layout::bc1, Number::unorm, natural},
    {Name::BC2_UNORM, Layout::bc2, Number::unorm, natural},
    {Name::BC3_UNORM, Layout::bc3, Number::unorm, natural},
    {Name::BC4_UNORM, Layout::bc4, Number::unorm, natural},
    {Name::BC5_UNORM, Layout::bc5, Number::unorm, natural},
    {Name::BC1_UNORM_SRGB, Layout::bc1, Number::srgb, natural},
    {Name::BC2_UNORM_SRGB, Layout::bc2, Number::srgb, natural},
    {Name::BC3_UNORM_SRGB, Layout::bc3, Number::srgb, natural},
    {Name::DXT1_RGB, Layout::bc1, Number::unorm, opaque},
    {Name::R8G8B8_UNORM, Layout::bits_8_8_8, Number::unorm, natural},
    {Name::R8G8B8_SNORM, Layout::bits_8_8_8, Number::snorm, natural},
    {Name::R8G8B8_SSCALED, Layout::bits_8_8_8, Number::sscaled, natural},
    {Name::R8G8B8_USCALED, Layout::bits_8_8_8, Number::uscaled, natural},
    {Name::BC4_SNORM, Layout::bc4, Number::snorm, natural},
    {Name::BC5_SNORM, Layout::bc5, Number::snorm, natural},
    {Name::R16G16B16_FLOAT, Layout::bits_16_16_16, Number::floating, natural},
    {Name::R16G16B16_UNORM, Layout::bits_16_16_16, Number::unorm, natural},
    {Name::R16G16B16_SNORM, Layout::bits_16_16_16, Number::snorm, natural},
    {Name::R16G16B16_SSCALED, Layout::bits_16_16_16, Number::sscaled, natural},
    {Name::R16G16B16_USCALED, Layout::bits_16_16_16, Number::uscaled, natural},
    {Name::BC6H_SF16, Layout::bc6h, Number::snorm, natural},
    {Name::BC7_UNORM, Layout::bc7, Number::unorm, natural},
    {Name::BC7_UNORM_SRGB, Layout::bc7, Number::srgb, natural},
    {Name::BC6H_UF16, Layout::bc6h, Number::unorm, natural},
    {Name::R8G8B8_UNORM_SRGB, Layout::bits_8_8_8, Number::srgb, natural},
    {Name::R16G16B16_UINT, Layout::bits_16_16_16, Number::uint, natural},
    {Name::R16G16B16_SINT, Layout::bits_16_16_16, Number::sint, natural},
    {Name::R10G10B10A2_SNORM, Layout::bits_10_10_10_2, Number::snorm, natural},
    {Name::R10G10B10A2_USCALED, Layout::bits_10_10_10_2, Number::uscaled, natural},
    {Name::R10G10B10A2_SSCALED, Layout::bits_10_10_10_2, Number::sscaled, natural},
    {Name::R10G10B10A2_SINT, Layout::bits_10_10_10_2, Number::sint, natural},
    {Name::B10G10R10A2_SNORM, Layout::bits_10_10_10_2, Number::snorm, bgra},
    {Name::B10G10R10A2_USCALED, Layout::bits_10_10_10_2, Number::uscaled, bgra},
    {Name::B10G10R10A2_SSCALED, Layout::bits_10_10_10_2, Number::sscaled, bgra},
    {Name::B10G10R10A2_UINT, Layout::bits_10_10_10_2, Number::uint, bgra},
    {Name::B10G10R10A2_SINT, Layout::bits_10_10_10_2, Number::sint, bgra},
    {Name::R10G10B10A2_UNORM_SRGB, Layout::bits_10_10_10_2, Number::srgb, natural},
    {Name::B10G10R10A2_UNORM_SRGB, Layout::bits_10_10_10_2, Number::srgb, bgra},
    {Name::R10G10B10_SNORM_A2_UNORM, Layout::bits_10_10_10_2, Number::signed_first, natural},
    {Name::R5G5_SNORM_B6_UNORM, Layout::bits_5_5_6, Number::signed_first, natural},
    // (unsigned floats as R11G11B10_FLOAT's blue is: Mesa 21.3 swr, rasterizer/core/format_traits.h)
    {Name::R10G10B10_FLOAT_A2_UNORM, Layout::bits_10_10_10_2, Number::floats_first, natural},
    {Name::YCRCB_NORMAL, Layout::yuyv, Number::unorm, opaque},
    {Name::YCRCB_SWAPUV, Layout::yuyv, Number::unorm, bgrx},
    {Name::YCRCB_SWAPY, Layout::uyvy, Number::unorm, opaque},
    {Name::YCRCB_SWAPUVY, Layout::uyvy, Number::unorm, bgrx},
    {Name::ETC1_RGB8, Layout::etc2, Number::unorm, natural},
    {Name::ETC2_RGB8, Layout::etc2, Number::unorm, natural},
    {Name::ETC2_SRGB8, Layout::etc2, Number::srgb, natural},
    {Name::ETC2_RGB8_PTA, Layout::etc2_pta, Number::unorm, natural},
    {Name::ETC2_SRGB8_PTA, Layout::etc2_pta, Number::srgb, natural},
    {Name::ETC2_EAC_RGBA8, Layout::etc2_eac, Number::unorm, natural},
    {Name::ETC2_EAC_SRGB8_A8, Layout::etc2_eac, Number::srgb, natural},
    {Name::EAC_R11, Layout::eac_r11, Number::unorm, natural},
    {Name::EAC_RG11, Layout::eac_rg11, Number::unorm, natural},
    {Name::EAC_SIGNED_R11, Layout::eac_r11, Number::snorm, natural},
    {Name::EAC_SIGNED_RG11, Layout::eac_rg11, Number::snorm, natural},
    // (The manual reserves the code. It is FXT1 in Intel's earlier manuals, and Mesa's iris advertises it for this chip: isl_format.c.)
    {Name::RESERVED_192, Layout::fxt1, Number::unorm, natural},
    {Name::R8G8B8_UINT, Layout::bits_8_8_8, Number::uint, natural},
    {Name::R8G8B8_SINT, Layout::bits_8_8_8, Number::sint, natural},
};

struct Without {
  uint32_t code;
  const char* why;
};
#define ATOLL_VERTICES_ALONE(name) {Name::name, #name ": vertex fetch alone takes it, no sampler and no typed message"}
#define ATOLL_PALETTE(name) {Name::name, #name ": of a palette, which samplers alone take"}
constexpr Without without[] = {
    ATOLL_VERTICES_ALONE(R64G64_FLOAT),
    ATOLL_VERTICES_ALONE(R32G32B32A32_SFIXED),
    ATOLL_VERTICES_ALONE(R64G64_PASSTHRU),
    ATOLL_VERTICES_ALONE(R32G32B32_SFIXED),
    ATOLL_VERTICES_ALONE(R64_FLOAT),
    ATOLL_VERTICES_ALONE(R32G32_SFIXED),
    ATOLL_VERTICES_ALONE(R64_PASSTHRU),
    ATOLL_VERTICES_ALONE(R64G64B64A64_FLOAT),
    ATOLL_VERTICES_ALONE(R64G64B64_FLOAT),
    ATOLL_VERTICES_ALONE(R32_SFIXED),
    ATOLL_VERTICES_ALONE(R64G64B64A64_PASSTHRU),
    ATOLL_VERTICES_ALONE(R64G64B64_PASSTHRU),
    ATOLL_PALETTE(A8P8_UNORM_PALETTE0),
    ATOLL_PALETTE(A8P8_UNORM_PALETTE1),
    ATOLL_PALETTE(P8A8_UNORM_PALETTE0),
    ATOLL_PALETTE(P8A8_UNORM_PALETTE1),
    ATOLL_PALETTE(P4A4_UNORM_PALETTE0),
    ATOLL_PALETTE(P4A4_UNORM_PALETTE1),
    ATOLL_PALETTE(A4P4_UNORM_PALETTE0),
    ATOLL_PALETTE(A4P4_UNORM_PALETTE1),
    ATOLL_PALETTE(P8_UNORM_PALETTE0),
    ATOLL_PALETTE(P8_UNORM_PALETTE1),
    ATOLL_PALETTE(P2_UNORM_PALETTE0),
    ATOLL_PALETTE(P2_UNORM_PALETTE1),
    {Name::X8B8_UNORM_G8R8_SNORM, "X8B8_UNORM_G8R8_SNORM: no unit of Xe-LP is known to take it"},
    {Name::A8X8_UNORM_G8R8_SNORM, "A8X8_UNORM_G8R8_SNORM: no unit of Xe-LP is known to take it"},
    {Name::B8X8_UNORM_G8R8_SNORM, "B8X8_UNORM_G8R8_SNORM: no unit of Xe-LP is known to take it"},
    {Name::R1_UNORM, "R1_UNORM: undefined wherever it is used, as the manual says of this legacy format"},
    {Name::MONO8, "MONO8: undefined wherever it is used, as the manual says of this legacy format"},
    {Name::PLANAR_420_8, "PLANAR_420_8: of planes, which samplers alone take"},
    {Name::PLANAR_420_16, "PLANAR_420_16: of planes, which samplers alone take"},
    {Name::RAW, "RAW: a buffer for untyped messages, which has no texels"},
};
#undef ATOLL_VERTICES_ALONE
#undef ATOLL_PALETTE

// The formats that typed reads convert (Mesa 25.0.7 isl_format.c, column TR, up to 12.0). Mesa's anv unpacks R10G10B10A2_UNORM and _UINT and
// R11G11B10_FLOAT itself, from what a typed read of a surface of that very format gives (anv_buffer_view.c and anv_image_view.c make no
// other surface state since Gfx9; isl_storage_image.c, isl_lower_storage_image_format: the bits of an R32_UINT).
constexpr uint32_t typed_reads[] = {Name::R32G32B32A32_FLOAT,
                                    Name::R32G32B32A32_SINT,
                                    Name::R32G32B32A32_UINT,
                                    Name::R16G16B16A16_UNORM,
                                    Name::R16G16B16A16_SNORM,
                                    Name::R16G16B16A16_SINT,
                                    Name::R16G16B16A16_UINT,
                                    Name::R16G16B16A16_FLOAT,
                                    Name::R32G32_FLOAT,
                                    Name::R32G32_SINT,
                                    Name::R32G32_UINT,
                                    Name::R8G8B8A8_UNORM,
                                    Name::R8G8B8A8_SNORM,
                                    Name::R8G8B8A8_SINT,
                                    Name::R8G8B8A8_UINT,
                                    Name::R16G16_UNORM,
                                    Name::R16G16_SNORM,
                                    Name::R16G16_SINT,
                                    Name::R16G16_UINT,
                                    Name::R16G16_FLOAT,
                                    Name::R32_SINT,
                                    Name::R32_UINT,
                                    Name::R32_FLOAT,
                                    Name::R8G8_UNORM,
                                    Name::R8G8_SNORM,
                                    Name::R8G8_SINT,
                                    Name::R8G8_UINT,
                                    Name::R16_UNORM,
                                    Name::R16_SNORM,
                                    Name::R16_SINT,
                                    Name::R16_UINT,
                                    Name::R16_FLOAT,
                                    Name::R8_UNORM,
                                    Name::R8_SNORM,
                                    Name::R8_SINT,
                                    Name::R8_UINT,
                                    Name::A8_UNORM};

constexpr auto by_code = [] {
  std::array<uint8_t, 512> at{};
  for (unsigned n = 0; n < std::size(rows); n++) at[rows[n].code] = uint8_t(n + 1);
  return at;
}();
static_assert(std::size(rows) < 255);

}  // namespace

const surface::Format* surface_format(unsigned code) {
  static constexpr auto formats = [] {
    std::array<surface::Format, std::size(rows)> all{};
    for (unsigned n = 0; n < all.size(); n++) all[n] = {rows[n].layout, rows[n].number, rows[n].order};
    return all;
  }();
  return code < by_code.size() && by_code[code] ? &formats[by_code[code] - 1u] : nullptr;
}

unsigned typed_read_format(unsigned code) {
  static const auto formats = [] {
    std::array<uint16_t, 512> all{};
    for (unsigned n = 0; n < all.size(); n++) {
      all[n] = uint16_t(n);
      if (!by_code[n] || std::ranges::find(typed_reads, n) != std::end(typed_reads)) continue;
      const surface::LayoutRow& layout = surface::row(rows[by_code[n] - 1u].layout);
      if (layout.block_width > 1) continue;
      if (layout.bytes == 4) all[n] = Name::R32_UINT;
      if (layout.bytes == 2) all[n] = Name::R16_UINT;
      if (layout.bytes == 1) all[n] = Name::R8_UINT;
    }
    return all;
  }();
  return code < formats.size() ? formats[code] : code;
}

const char* why_no_surface_format(unsigned code) {
  const auto* found = std::ranges::find(without, code, &Without::code);
  return found == std::end(without) ? nullptr : found->why;
}

}  // namespace Atoll::xe_lp
