#include "gpu/rdna4/launch_images.h"

#include <algorithm>

#include "gpu/hsa/texel_layout.h"
#include "gpu/rdna4/image_descriptors.h"
#include "gpu/rdna4/image_formats.h"

namespace Atoll::rdna4 {
namespace {

using hsa::ImageDescription;
using hsa::ImageKind;
using hsa::ImageObject;
using hsa::SamplerDescription;

// The places of the border colour's components in a texel (BC_SWIZZLE), by the texel component that DST_SEL gives each of red,
// green, blue and alpha, as in ROCm's runtime (image_manager_gfx12.cpp, GetBcSwizzle). The colours without a table need no more
// than the alpha.
uint32_t border_swizzle(uint32_t red, uint32_t green, uint32_t blue, uint32_t alpha) {
  constexpr uint32_t x = 4, y = 5, w = 7;  // of DST_SEL
  constexpr uint32_t xyzw = 0, xwyz = 1, wzyx = 2, wxyz = 3, zyxw = 4, yxwz = 5;
  const bool is_grey = red == x && green == x && blue == x;
  if (alpha == x) return blue == y ? wzyx : is_grey ? xyzw : wxyz;
  if (red == x) return green == y || (is_grey && alpha == w) ? xyzw : xwyz;
  return green == x ? yxwz : blue == x ? zyxw : xyzw;
}

Expected<ImageObject> image(const ImageDescription& image) {
  const auto texel = hsa::texel_layout(image);
  const uint32_t format = texel ? image_format_number(texel->layout, texel->number) : 0;
  if (!format) return fail("RDNA4 has no such format");
  static constexpr ImageType types[] = {ImageType::one, ImageType::one_array, ImageType::two, ImageType::two_array,
                                        ImageType::three};
  auto [width, height, depth] = image.size;
  const bool array = image.kind == ImageKind::one_array || image.kind == ImageKind::two_array;
  const bool volume = image.kind == ImageKind::three;
  const uint32_t layers = image.kind == ImageKind::one_array ? height : image.kind == ImageKind::two_array ? depth : 1;
  if (image.kind == ImageKind::one_array) height = 1;
  if (layers > 8192 || (volume && depth > 8192)) return fail("{} slices: the most is 8192", volume ? depth : layers);
  namespace field = image_resource_field;
  ImageResourceWords words{};
  field::Format::put(words, format);
  field::WidthLow::put(words, width - 1);
  field::WidthHigh::put(words, (width - 1) >> 2);
  field::Height::put(words, height - 1);
  const uint32_t selects = hsa::component_selects(image);
  field::Select<0>::put(words, selects >> 9);
  field::Select<1>::put(words, selects >> 6);
  field::Select<2>::put(words, selects >> 3);
  field::Select<3>::put(words, selects);
  field::BorderSwizzle::put(words, border_swizzle(selects >> 9 & 7, selects >> 6 & 7, selects >> 3 & 7, selects & 7));
  field::Type::put(words, uint32_t(types[size_t(image.kind)]));
  if (volume || array) field::Depth::put(words, (volume ? depth : layers) - 1);
  // The descriptor decides the layout of texels.
  auto resource = image_resource(words, false);
  if (!resource) return std::unexpected(resource.error());
  const auto& rows = std::get<surface::LinearSurface>(resource->description.levels[0].place);
  ImageObject object;
  object.words.assign(words.begin(), words.end());
  object.words.insert(object.words.end(), {uint32_t(image.type), uint32_t(image.order), image.size[0], 0});
  object.row_bytes = rows.pitch_bytes, object.slice_bytes = rows.slice_bytes, object.bytes = resource->bytes;
  return object;
}

void place(std::span<uint32_t> words, uint64_t address) {
  image_resource_field::BaseAddressLow::put(words, uint32_t(address >> 8));
  image_resource_field::BaseAddressHigh::put(words, uint32_t(address >> 40));
}

std::vector<uint32_t> sampler(const SamplerDescription& s) {
  namespace field = sampler_field;
  // Wrap 0, mirror 1, clamp to the last texel 2, to the border 6, which is transparent black.
  static constexpr uint32_t clamps[] = {2, 2, 6, 0, 1};
  const uint32_t clamp = clamps[size_t(s.address)];
  std::vector<uint32_t> words(4);
  field::Clamp<0>::put(words, clamp);
  field::Clamp<1>::put(words, clamp);
  field::Clamp<2>::put(words, clamp);
  field::ForceUnnormalized::put(words, !s.normalized);
  field::DisableCubeWrap::put(words, 1);
  field::MaxLod::put(words, 0x1fff);
  field::MagnifyFilter::put(words, s.linear);
  field::MinifyFilter::put(words, s.linear);
  field::SliceFilter::put(words, s.linear ? 2 : 1);
  return words;
}

}  // namespace

const hsa::ImageTarget launch_images{image, place, sampler};

}  // namespace Atoll::rdna4
