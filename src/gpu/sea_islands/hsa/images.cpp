#include "gpu/sea_islands/hsa/images.h"

#include <algorithm>

#include "gpu/chips/rows.h"
#include "gpu/hsa/texel_layout.h"
#include "gpu/sea_islands/shaders/descriptors.h"
#include "gpu/sea_islands/shaders/image_formats.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

using hsa::ImageDescription;
using hsa::ImageKind;
using hsa::ImageObject;
using hsa::SamplerDescription;

constexpr uint32_t linear_aligned = 8;    // GB_TILE_MODE8 on all four chips
constexpr uint32_t pitch_alignment = 64;  // texels (Mesa addrlib, linear aligned surfaces); of few bytes more

Expected<ImageObject> image(const ImageDescription& image) {
  const auto texel = hsa::texel_layout(image);
  const auto formats = texel ? image_format_numbers(texel->layout, texel->number) : std::nullopt;
  if (!formats) return fail("Sea Islands has no such format");
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
                  Word1::DATA_FORMAT::of(formats->data) | Word1::NUM_FORMAT::of(formats->number),
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
  // The descriptor decides where texels stand.
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
