#include "gpu/rdna4/launch_images.h"

#include <algorithm>
#include <bit>

#include "gpu/rdna4/image_descriptors.h"

namespace Atoll::rdna4 {
namespace {

using hsa::ChannelOrder;
using hsa::ChannelType;
using hsa::ImageDescription;
using hsa::ImageKind;
using hsa::ImageObject;
using hsa::SamplerDescription;

// FORMAT (table 62) of 1, 2 and 4 components. 0: none.
struct Formats {
  uint8_t one = 0, two = 0, four = 0;
};
constexpr Formats formats_of(ChannelType type) {
  switch (type) {
    case ChannelType::snorm8: return {2, 15, 43};
    case ChannelType::snorm16: return {8, 24, 52};
    case ChannelType::unorm8: return {1, 14, 42};
    case ChannelType::unorm16: return {7, 23, 51};
    case ChannelType::sint8: return {6, 19, 47};
    case ChannelType::sint16: return {12, 28, 56};
    case ChannelType::sint32: return {21, 49, 62};
    case ChannelType::uint8: return {5, 18, 46};
    case ChannelType::uint16: return {11, 27, 55};
    case ChannelType::uint32: return {20, 48, 61};
    case ChannelType::half_float: return {13, 29, 57};
    case ChannelType::single_float: return {22, 50, 63};
    default: return {};
  }
}
uint32_t format_of(const ImageDescription& image) {
  switch (image.type) {
    case ChannelType::unorm_565: return 68;
    case ChannelType::unorm_555: return 69;
    case ChannelType::unorm_101010: return 36;
    default: break;
  }
  const bool srgb = image.type == ChannelType::unorm8 && image.order >= ChannelOrder::srgb && image.order <= ChannelOrder::sbgra;
  const Formats formats = srgb ? Formats{64, 65, 66} : formats_of(image.type);
  switch (hsa::components_of(image.order)) {
    case 1: return formats.one;
    case 2: return formats.two;
    case 4: return formats.four;
    default: return 0;
  }
}

Expected<ImageObject> image(const ImageDescription& image) {
  const uint32_t format = format_of(image);
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
