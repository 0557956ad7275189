// Images and samplers as kernel arguments: a RENDER_SURFACE_STATE and a SAMPLER_STATE each, and behind a surface what the payload
// tells of it.
#include "gpu/dg1/launch/launch_images.h"

#include <algorithm>

#include "gpu/dg1/threads/surface_state.h"
#include "registers/dg1.h"

namespace Atoll::dg1 {
namespace {

using hsa::ChannelOrder;
using hsa::ChannelType;
using hsa::ImageDescription;
using hsa::ImageKind;
using hsa::ImageObject;
using Format = SURFACE_FORMAT;

// By order and type; nothing for what the surfaces of this GPU do not have.
uint32_t format_of(const ImageDescription& image) {
  struct Row {
    ChannelOrder order;
    ChannelType type;
    uint32_t format;
  };
  using O = ChannelOrder;
  using T = ChannelType;
  constexpr Row rows[] = {{O::rgba, T::unorm8, Format::R8G8B8A8_UNORM},
                          {O::rgba, T::snorm8, Format::R8G8B8A8_SNORM},
                          {O::rgba, T::uint8, Format::R8G8B8A8_UINT},
                          {O::rgba, T::sint8, Format::R8G8B8A8_SINT},
                          {O::rgba, T::unorm16, Format::R16G16B16A16_UNORM},
                          {O::rgba, T::snorm16, Format::R16G16B16A16_SNORM},
                          {O::rgba, T::uint16, Format::R16G16B16A16_UINT},
                          {O::rgba, T::sint16, Format::R16G16B16A16_SINT},
                          {O::rgba, T::half_float, Format::R16G16B16A16_FLOAT},
                          {O::rgba, T::uint32, Format::R32G32B32A32_UINT},
                          {O::rgba, T::sint32, Format::R32G32B32A32_SINT},
                          {O::rgba, T::single_float, Format::R32G32B32A32_FLOAT},
                          {O::bgra, T::unorm8, Format::B8G8R8A8_UNORM},
                          {O::srgba, T::unorm8, Format::R8G8B8A8_UNORM_SRGB},
                          {O::sbgra, T::unorm8, Format::B8G8R8A8_UNORM_SRGB},
                          {O::rg, T::unorm8, Format::R8G8_UNORM},
                          {O::rg, T::snorm8, Format::R8G8_SNORM},
                          {O::rg, T::uint8, Format::R8G8_UINT},
                          {O::rg, T::sint8, Format::R8G8_SINT},
                          {O::rg, T::unorm16, Format::R16G16_UNORM},
                          {O::rg, T::snorm16, Format::R16G16_SNORM},
                          {O::rg, T::uint16, Format::R16G16_UINT},
                          {O::rg, T::sint16, Format::R16G16_SINT},
                          {O::rg, T::half_float, Format::R16G16_FLOAT},
                          {O::rg, T::uint32, Format::R32G32_UINT},
                          {O::rg, T::sint32, Format::R32G32_SINT},
                          {O::rg, T::single_float, Format::R32G32_FLOAT},
                          {O::r, T::unorm8, Format::R8_UNORM},
                          {O::r, T::snorm8, Format::R8_SNORM},
                          {O::r, T::uint8, Format::R8_UINT},
                          {O::r, T::sint8, Format::R8_SINT},
                          {O::r, T::unorm16, Format::R16_UNORM},
                          {O::r, T::snorm16, Format::R16_SNORM},
                          {O::r, T::uint16, Format::R16_UINT},
                          {O::r, T::sint16, Format::R16_SINT},
                          {O::r, T::half_float, Format::R16_FLOAT},
                          {O::r, T::uint32, Format::R32_UINT},
                          {O::r, T::sint32, Format::R32_SINT},
                          {O::r, T::single_float, Format::R32_FLOAT},
                          {O::depth, T::single_float, Format::R32_FLOAT},
                          {O::depth, T::unorm16, Format::R16_UNORM},
                          {O::a, T::unorm8, Format::A8_UNORM},
                          {O::luminance, T::unorm8, Format::L8_UNORM},
                          {O::luminance, T::single_float, Format::L32_FLOAT},
                          {O::intensity, T::unorm8, Format::I8_UNORM},
                          {O::intensity, T::single_float, Format::I32_FLOAT}};
  for (const Row& row : rows)
    if (row.order == image.order && row.type == image.type) return row.format;
  return Format::RAW;
}

Expected<ImageObject> image(const ImageDescription& image) {
  const uint32_t format = format_of(image);
  if (format == Format::RAW) return fail("DG1 has no such format");
  constexpr uint32_t types[] = {SurfaceType::SURFTYPE_1D, SurfaceType::SURFTYPE_1D, SurfaceType::SURFTYPE_2D,
                                SurfaceType::SURFTYPE_2D, SurfaceType::SURFTYPE_3D};
  auto [width, height, depth] = image.size;
  const bool array = image.kind == ImageKind::one_array || image.kind == ImageKind::two_array;
  uint32_t slices = image.kind == ImageKind::one_array ? height : depth;
  if (image.kind == ImageKind::one_array) height = 1;
  if (width > 16384 || height > 16384 || slices > 2048) return fail("{} x {} x {}: too large", width, height, slices);
  // Rows in cache lines, slices of whole alignments; of one dimension slices are rows of whole 64 texels, which QPitch counts
  // (threads/image_surface.cpp).
  const bool line = types[size_t(image.kind)] == SurfaceType::SURFTYPE_1D;
  const uint32_t texels = line ? (width + 63) / 64 * 64 : width;
  const uint32_t pitch = (texels * hsa::texel_bytes(image) + 63) / 64 * 64, rows = line ? 1 : (height + 3) / 4 * 4;
  SurfaceWords w{};
  SurfaceState::Surface_Type::set(w, types[size_t(image.kind)]);
  SurfaceState::Surface_Array::set(w, array);
  SurfaceState::Surface_Format::set(w, format);
  SurfaceState::Surface_Horizontal_Alignment::set(w, 1), SurfaceState::Surface_Vertical_Alignment::set(w, 1);
  SurfaceState::Surface_QPitch::set(w, (line ? texels : rows) / 4);
  SurfaceState::Width::set(w, width - 1), SurfaceState::Height::set(w, height - 1), SurfaceState::Depth::set(w, slices - 1);
  SurfaceState::Render_Target_View_Extent::set(w, slices - 1);
  SurfaceState::Surface_Pitch::set(w, pitch - 1);
  SurfaceState::Shader_Channel_Select_Red::set(w, ChannelSelect::RED),
      SurfaceState::Shader_Channel_Select_Green::set(w, ChannelSelect::GREEN);
  SurfaceState::Shader_Channel_Select_Blue::set(w, ChannelSelect::BLUE),
      SurfaceState::Shader_Channel_Select_Alpha::set(w, ChannelSelect::ALPHA);
  ImageObject object;
  object.words.assign(w.begin(), w.end());
  // The answers of OpenCL C's queries, in the order of HSA's numbers: cl_channel_order, cl_channel_type.
  constexpr uint32_t orders[] = {0x10b1, 0x10b0, 0x10ba, 0x10b2, 0x10bb, 0x10b3, 0x10b4, 0x10bc, 0x10b5, 0x10b6,
                                 0x10b7, 0x10c3, 0x10bf, 0x10c0, 0x10c1, 0x10c2, 0x10b8, 0x10b9, 0x10bd};
  constexpr uint32_t types_of[] = {0x10d0, 0x10d1, 0x10d2, 0x10d3, 0x10df, 0x10d5, 0x10d4, 0x10d6,
                                   0x10d7, 0x10d8, 0x10d9, 0x10da, 0x10db, 0x10dc, 0x10dd, 0x10de};
  object.words.resize(image_words);
  object.words[IMAGE_WIDTH] = width, object.words[IMAGE_HEIGHT] = height, object.words[IMAGE_DEPTH] = array ? 1 : depth;
  object.words[IMAGE_LAYERS] = array ? slices : 1;
  object.words[IMAGE_TYPE] = types_of[size_t(image.type)], object.words[IMAGE_ORDER] = orders[size_t(image.order)];
  object.row_bytes = pitch, object.slice_bytes = uint64_t(pitch) * rows;
  object.bytes = object.slice_bytes * slices;
  return object;
}

void place(std::span<uint32_t> words, uint64_t address) { SurfaceState::Surface_Base_Address::set(words, address); }

std::vector<uint32_t> sampler(const hsa::SamplerDescription& s) {
  constexpr uint32_t wraps[] = {AddressMode::CLAMP, AddressMode::CLAMP, AddressMode::CLAMP_BORDER, AddressMode::WRAP,
                                AddressMode::MIRROR};
  constexpr uint32_t addresses[] = {0x1130, 0x1131, 0x1132, 0x1133, 0x1134};  // CL_ADDRESS_*
  std::vector<uint32_t> w(sampler_words);
  const uint32_t wrap = wraps[size_t(s.address)];
  SamplerState::TCX_Address_Control_Mode::set(w, wrap), SamplerState::TCY_Address_Control_Mode::set(w, wrap),
      SamplerState::TCZ_Address_Control_Mode::set(w, wrap);
  SamplerState::Mag_Mode_Filter::set(w, s.linear ? MapFilter::LINEAR : MapFilter::NEAREST);
  SamplerState::Min_Mode_Filter::set(w, s.linear ? MapFilter::LINEAR : MapFilter::NEAREST);
  SamplerState::Non_normalized_Coordinate_Enable::set(w, !s.normalized);
  SamplerState::Max_LOD::set(w, 14 * 256);
  SamplerState::U_Address_Min_Filter_Rounding_Enable::set(w, s.linear);
  SamplerState::V_Address_Min_Filter_Rounding_Enable::set(w, s.linear);
  SamplerState::R_Address_Min_Filter_Rounding_Enable::set(w, s.linear);
  SamplerState::U_Address_Mag_Filter_Rounding_Enable::set(w, s.linear);
  SamplerState::V_Address_Mag_Filter_Rounding_Enable::set(w, s.linear);
  SamplerState::R_Address_Mag_Filter_Rounding_Enable::set(w, s.linear);
  w[SAMPLER_ADDRESS] = addresses[size_t(s.address)], w[SAMPLER_NORMALIZED] = s.normalized;
  // (NEO: nearest clamps snap coordinates below 0)
  w[SAMPLER_SNAP] = s.address == hsa::SamplerDescription::Address::clamp && !s.linear ? ~0u : 0;
  return w;
}

}  // namespace

const hsa::ImageTarget& launch_images() {
  static constexpr hsa::ImageTarget target{image, place, sampler};
  return target;
}

}  // namespace Atoll::dg1
