#include "gpu/sea_islands/hsa/images.h"

#include <algorithm>
#include <bit>

#include "gpu/chips/rows.h"
#include "gpu/sea_islands/shaders/descriptors.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

using hsa::ChannelOrder;
using hsa::ChannelType;
using hsa::ImageDescription;
using hsa::ImageKind;
using hsa::ImageObject;
using hsa::SamplerDescription;

constexpr uint32_t linear_aligned = 8;    // GB_TILE_MODE8 on all four chips
constexpr uint32_t pitch_alignment = 64;  // texels (Mesa addrlib, linear aligned surfaces); of few bytes more

bool is_srgb(ChannelOrder order) { return order >= ChannelOrder::srgb && order <= ChannelOrder::sbgra; }

// DATA_FORMAT and NUM_FORMAT (guide 6, IMG_DATA_FORMAT and IMG_NUM_FORMAT; Mesa amd/registers/gfx7.json). 0: none.
struct Formats {
  uint32_t data = 0, number = 0;
};
Formats formats_of(const ImageDescription& image) {
  enum { UNORM = 0, SNORM = 1, UINT = 4, SINT = 5, FLOAT = 7, SRGB = 9 };
  unsigned bytes = hsa::texel_bytes(image);
  auto by_size = [&](uint32_t number, unsigned component) -> Formats {
    // By components: 1, 2, 4.
    static constexpr uint32_t data[3][3] = {{1, 3, 10}, {2, 5, 12}, {4, 11, 14}};
    unsigned components = component ? bytes / component : 0;
    if (components != 1 && components != 2 && components != 4) return {};
    return {data[std::bit_width(component) - 1][std::bit_width(components) - 1], number};
  };
  switch (image.type) {
    case ChannelType::snorm8: return by_size(SNORM, 1);
    case ChannelType::snorm16: return by_size(SNORM, 2);
    case ChannelType::unorm8: return by_size(is_srgb(image.order) ? SRGB : UNORM, 1);
    case ChannelType::unorm16: return by_size(UNORM, 2);
    case ChannelType::unorm_565: return {16, UNORM};
    case ChannelType::unorm_555: return {17, UNORM};
    case ChannelType::unorm_101010: return {9, UNORM};
    case ChannelType::sint8: return by_size(SINT, 1);
    case ChannelType::sint16: return by_size(SINT, 2);
    case ChannelType::sint32: return by_size(SINT, 4);
    case ChannelType::uint8: return by_size(UINT, 1);
    case ChannelType::uint16: return by_size(UINT, 2);
    case ChannelType::uint32: return by_size(UINT, 4);
    case ChannelType::half_float: return by_size(FLOAT, 2);
    case ChannelType::single_float: return by_size(FLOAT, 4);
    case ChannelType::unorm24: break;
  }
  return {};
}

Expected<ImageObject> image(const ImageDescription& image) {
  Formats formats = formats_of(image);
  if (!formats.data) return fail("Sea Islands has no such format");
  // SQ_RSRC_IMG_1D 8, 2D 9, 3D 10, 1D_ARRAY 12, 2D_ARRAY 13.
  static constexpr uint32_t types[] = {8, 12, 9, 13, 10};
  auto [width, height, depth] = image.size;
  bool array = image.kind == ImageKind::one_array || image.kind == ImageKind::two_array, volume = image.kind == ImageKind::three;
  uint32_t layers = image.kind == ImageKind::one_array ? height : image.kind == ImageKind::two_array ? depth : 1;
  if (image.kind == ImageKind::one_array) height = 1;
  if (layers > 8192 || (volume && depth > 8192)) return fail("{} slices: the most is 8192", volume ? depth : layers);
  unsigned bytes = hsa::texel_bytes(image);
  uint32_t aligned = std::max(pitch_alignment, 256 / bytes), pitch = (width + aligned - 1) / aligned * aligned;
  const uint32_t swizzle = hsa::component_selects(image);
  ImageObject object;
  using Word1 = SQ_IMG_RSRC_WORD1;
  using Word2 = SQ_IMG_RSRC_WORD2;
  using Word3 = SQ_IMG_RSRC_WORD3;
  using Word4 = SQ_IMG_RSRC_WORD4;
  using Word5 = SQ_IMG_RSRC_WORD5;
  object.words = {0,
                  Word1::DATA_FORMAT::of(formats.data) | Word1::NUM_FORMAT::of(formats.number),
                  Word2::WIDTH::of(width - 1) | Word2::HEIGHT::of(height - 1),
                  Word3::DST_SEL_X::of(swizzle >> 9 & 7) | Word3::DST_SEL_Y::of(swizzle >> 6 & 7) |
                      Word3::DST_SEL_Z::of(swizzle >> 3 & 7) | Word3::DST_SEL_W::of(swizzle & 7) |
                      Word3::TILING_INDEX::of(linear_aligned) | Word3::TYPE::of(types[size_t(image.kind)]),
                  Word4::DEPTH::of(volume  ? depth - 1
                                   : array ? layers - 1
                                           : 0) |
                      Word4::PITCH::of(pitch - 1),
                  Word5::LAST_ARRAY::of(array ? layers - 1 : 0),
                  0,
                  0,
                  uint32_t(image.type),
                  uint32_t(image.order),
                  width,
                  0};
  // Where texels stand is what the descriptor says.
  ImageResourceWords words;
  std::copy_n(object.words.begin(), words.size(), words.begin());
  auto resource = image_resource(config_of(gpu::chip("bonaire")), words, false);
  if (!resource) return std::unexpected(resource.error());
  const auto& rows = std::get<surface::LinearSurface>(resource->description.levels[0].place);
  object.row_bytes = rows.pitch_bytes, object.slice_bytes = rows.slice_bytes, object.bytes = resource->bytes;
  return object;
}

void place(std::span<uint32_t> words, uint64_t address) {
  words[0] = uint32_t(address >> 8);
  words[1] |= SQ_IMG_RSRC_WORD1::BASE_ADDRESS_HI::of(uint32_t(address >> 40));
}

std::vector<uint32_t> sampler(const SamplerDescription& s) {
  using Zero = SQ_IMG_SAMP_WORD0;
  using Two = SQ_IMG_SAMP_WORD2;
  // SQ_TEX_WRAP 0, MIRROR 1, CLAMP_LAST_TEXEL 2, CLAMP_BORDER 6; the border is transparent black.
  static constexpr uint32_t clamps[] = {2, 2, 6, 0, 1};
  uint32_t clamp = clamps[size_t(s.address)], filter = s.linear;
  return {Zero::CLAMP_X::of(clamp) | Zero::CLAMP_Y::of(clamp) | Zero::CLAMP_Z::of(clamp) |
              Zero::FORCE_UNNORMALIZED::of(!s.normalized) | Zero::DISABLE_CUBE_WRAP::of(1),
          SQ_IMG_SAMP_WORD1::MAX_LOD::of(0xfff),
          Two::XY_MAG_FILTER::of(filter) | Two::XY_MIN_FILTER::of(filter) | Two::Z_FILTER::of(filter ? 2 : 1), 0};
}

}  // namespace

const hsa::ImageTarget hsa_images{image, place, sampler};

}  // namespace Atoll::sea_islands
