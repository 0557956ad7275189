#include "gpu/rdna4/image_descriptors.h"

#include <algorithm>
#include <bit>

#include "surface/gfx12_mips.h"

namespace Atoll::rdna4 {

namespace {

using gpu::amd::fixed_point;
using gpu::amd::select_of;

// Values of a T#'s fields that the surface's description does not have.
struct Extent {
  unsigned levels = 1;       // of the resource
  unsigned last_level = 0;   // of the view
  unsigned slices = 1;       // layers or depth that the view reaches
  unsigned first_slice = 0;  // of a volume
  bool volume = false;
};

surface::Dimension dimension_of(ImageType type, unsigned layers) {
  using surface::Dimension;
  switch (type) {
    case ImageType::one: return Dimension::one;
    case ImageType::two: return Dimension::two;
    case ImageType::three: return Dimension::three;
    case ImageType::cube: return layers > 6 ? Dimension::cube_array : Dimension::cube;
    case ImageType::one_array: return Dimension::one_array;
    case ImageType::two_array: return Dimension::two_array;
    case ImageType::two_multisampled: return Dimension::two_multisampled;
    case ImageType::two_multisampled_array: return Dimension::two_multisampled_array;
  }
  return Dimension::two;
}

// Dimension, size, layers, samples and levels.
Expected<Extent> describe(const ImageResourceWords& w, ImageType type, surface::TextureDescription& d) {
  namespace field = image_resource_field;
  Extent extent;
  unsigned base_level = field::BaseLevel::get(w), last_level = field::LastLevel::get(w), max_mip = field::MaxMip::get(w);
  unsigned first = field::BaseArray::get(w), last = field::Depth::get(w);
  const bool multisampled = type == ImageType::two_multisampled || type == ImageType::two_multisampled_array;
  const bool one = type == ImageType::one || type == ImageType::one_array, cube = type == ImageType::cube;
  const bool array = type == ImageType::one_array || type == ImageType::two_array || type == ImageType::two_multisampled_array;
  extent.volume = type == ImageType::three;
  d.width = (field::WidthLow::get(w) | field::WidthHigh::get(w) << 2) + 1;
  d.height = one ? 1 : field::Height::get(w) + 1;
  // In multisampled images MAX_MIP and LAST_LEVEL are the logarithm of the samples.
  if (multisampled) {
    if (max_mip > 3) return fail("T#: 2^{} samples", max_mip);
    d.samples = 1u << max_mip;
    base_level = last_level = max_mip = 0;
  }
  if (base_level > last_level) return fail("T#: BASE_LEVEL {} beyond LAST_LEVEL {}", base_level, last_level);
  if (max_mip > 16) return fail("T#: MAX_MIP {}", max_mip);
  last_level = std::min(last_level, max_mip);
  if (base_level > last_level) return fail("T#: BASE_LEVEL {} beyond MAX_MIP {}", base_level, max_mip);
  if (array || cube) {
    if (last < first) return fail("T#: the last slice {} before BASE_ARRAY {}", last, first);
    d.first_layer = first;
    d.layers = last - first + 1;
    if (cube) d.layers = std::max(6u, d.layers - d.layers % 6);
    extent.slices = first + d.layers;
  } else if (extent.volume && field::Uav3d::get(w)) {
    // The slices of a view for stores count from its first one, at the level that it names.
    if (last < first) return fail("T#: the last slice {} before BASE_ARRAY {}", last, first);
    d.depth = (last - first + 1) << base_level;
    if (d.depth > 1u << 15) return fail("T#: {} slices at level {}", last - first + 1, base_level);
    extent.first_slice = first;
    extent.slices = d.depth;
  } else if (extent.volume) {
    d.depth = last + 1;
    extent.slices = d.depth;
  }
  d.dimension = dimension_of(type, d.layers);
  d.first_level = base_level;
  extent.last_level = last_level;
  extent.levels = max_mip + 1;
  return extent;
}

class Descriptors final : public gpu::amd::ImageDescriptors {
public:
  Expected<ImageResource> resource(const ImageResourceWords& words, bool short_resource) const override {
    return image_resource(words, short_resource);
  }
  ImageSampler sampler(const SamplerWords& words) const override { return image_sampler(words); }
  gpu::amd::Degamma degamma(const SamplerWords& w) const override {
    if (sampler_field::SkipDegamma::get(w)) return gpu::amd::Degamma::skipped;
    return sampler_field::ForceDegamma::get(w) ? gpu::amd::Degamma::forced : gpu::amd::Degamma::as_it_is;
  }
  unsigned resource_words() const override { return 7; }
  // BC_SWIZZLE says which component of the colour stands in each one of the texel (xyzw, xwyz, wzyx, wxyz, zyxw, yxwz), from where DST_SEL
  // takes it as it takes the texel's: drivers have there the format's order, without the view's (Mesa 25.0.7 ac_formats.c,
  // ac_border_color_swizzle, which counts on it for the colours without a table, too).
  std::array<uint8_t, 4> border_order(const ImageResourceWords& words) const override {
    namespace field = image_resource_field;
    static constexpr std::array<uint8_t, 4> orders[8] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}, {3, 0, 1, 2},
                                                         {2, 1, 0, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}};
    const auto& in_texel = orders[field::BorderSwizzle::get(words)];
    const uint32_t selects[] = {field::Select<0>::get(words), field::Select<1>::get(words), field::Select<2>::get(words),
                                field::Select<3>::get(words)};
    std::array<uint8_t, 4> order{};
    for (size_t c = 0; c < 4; c++)
      if (selects[c] >= 4) order[c] = in_texel[selects[c] - 4];
    return order;
  }
  bool is_whole(const uint32_t* resource, bool short_resource, const uint32_t*, gpu::Reports* reports) const override {
    if (short_resource || !image_resource_field::CornerSamples::get(resource)) return true;
    if (reports) reports->unknown("T#: texels sampled at their corners");
    return false;
  }
};

}  // namespace

Expected<ImageResource> image_resource(const ImageResourceWords& given, bool short_resource) {
  namespace field = image_resource_field;
  ImageResourceWords w = given;
  if (short_resource) std::fill(w.begin() + 4, w.end(), 0u);
  ImageResource r;
  r.order = {select_of(field::Select<0>::get(w)), select_of(field::Select<1>::get(w)), select_of(field::Select<2>::get(w)),
             select_of(field::Select<3>::get(w))};
  if (std::ranges::all_of(w, [](uint32_t word) { return word == 0; })) return r;  // not bound
  const unsigned type = field::Type::get(w);
  if (type < 8) {
    r.is_image = false;
    return r;
  }
  r.type = ImageType(type);
  if (field::Format::get(w) == 0) return r;
  r.bound = true;
  auto format = image_format(field::Format::get(w), r.order);
  if (!format) return std::unexpected(format.error());
  surface::TextureDescription& d = r.description;
  d.format = *format;
  auto extent = describe(w, r.type, d);
  if (!extent) return std::unexpected(extent.error());
  r.min_lod = float(field::MinLodLow::get(w) | field::MinLodHigh::get(w) << 6) / 256 - float(d.first_level);
  r.partially_resident = field::MinLodWarning::get(w) != 0;
  r.min_lod_warning = float(field::MinLodWarning::get(w)) / 256 - float(d.first_level);

  const unsigned mode = field::SwizzleMode::get(w);
  if (mode >= surface::gfx12_swizzle_count) return fail("T#: SW_MODE {}", mode);
  const surface::LayoutRow& layout = surface::row(format->layout);
  auto elements = [](unsigned texels, unsigned block) { return (texels + block - 1) / block; };
  surface::Gfx12Texture texture;
  texture.swizzle = surface::Gfx12Swizzle(mode);
  texture.element_bytes = layout.bytes;
  texture.width = elements(d.width, layout.block_width), texture.height = elements(d.height, layout.block_height);
  texture.volume = extent->volume;
  texture.slices = extent->slices, texture.first_slice = extent->first_slice;
  texture.samples = d.samples;
  texture.levels = extent->levels;
  // One and two dimensions have a pitch where a volume has its depth; it counts if it is more than the width.
  const bool pitched = r.type == ImageType::one || r.type == ImageType::two || r.type == ImageType::two_multisampled;
  const unsigned pitch = (field::Depth::get(w) | field::PitchHigh::get(w) << 14) + 1;
  if (pitched && pitch > d.width) texture.pitch = elements(pitch, layout.block_width);
  r.address = uint64_t(field::BaseAddressHigh::get(w)) << 40 | uint64_t(field::BaseAddressLow::get(w)) << 8;
  if (texture.swizzle != surface::Gfx12Swizzle::linear) {
    const uint64_t inside = (uint64_t(1) << surface::block_bits(texture.swizzle)) - 1;
    texture.start_bits = uint32_t(r.address & inside);
    r.address &= ~inside;
  }
  auto placed = surface::mip_levels(texture);
  if (!placed) return fail("T#: {}", placed.error().message);
  d.levels = std::move(placed->levels);
  d.levels.resize(extent->last_level + 1);
  for (unsigned n = d.first_level; n <= extent->last_level; n++) {
    const uint64_t slices = extent->volume ? std::max(1u, d.depth >> n) : extent->slices;
    const uint64_t columns = elements(std::max(1u, d.width >> n), layout.block_width),
                   rows = elements(std::max(1u, d.height >> n), layout.block_height);
    r.bytes = std::max(r.bytes, surface::end_of(d.levels[n], layout.bytes, columns, rows, slices));
  }
  return r;
}

ImageSampler image_sampler(const SamplerWords& w) {
  namespace field = sampler_field;
  ImageSampler s;
  surface::Sampler& to = s.sampler;
  to.wrap = {surface::Wrap(field::Clamp<0>::get(w)), surface::Wrap(field::Clamp<1>::get(w)),
             surface::Wrap(field::Clamp<2>::get(w))};
  // Bit 0 of the filters: bilinear; bit 1: anisotropic.
  const uint32_t magnify = field::MagnifyFilter::get(w), minify = field::MinifyFilter::get(w);
  to.mag_filter = magnify & 1 ? surface::Filter::linear : surface::Filter::nearest;
  to.min_filter = minify & 1 ? surface::Filter::linear : surface::Filter::nearest;
  if ((magnify | minify) & 2) to.max_anisotropy = 1u << std::min(field::MaxAnisotropy::get(w), 4u);
  switch (field::SliceFilter::get(w)) {
    case 1: to.slice_filter = surface::SliceFilter::nearest; break;
    case 2: to.slice_filter = surface::SliceFilter::linear; break;
    default: to.slice_filter = surface::SliceFilter::as_others;
  }
  switch (field::MipFilter::get(w)) {
    case 1: to.mip_filter = surface::MipFilter::nearest; break;
    case 2: to.mip_filter = surface::MipFilter::linear; break;
    default: to.mip_filter = surface::MipFilter::none;
  }
  switch (field::FilterMode::get(w)) {
    case 1: to.reduction = surface::Reduction::minimum; break;
    case 2: to.reduction = surface::Reduction::maximum; break;
    default: to.reduction = surface::Reduction::average;
  }
  to.lod_min = float(field::MinLod::get(w)) / 256;
  to.lod_max = float(field::MaxLod::get(w)) / 256;
  to.lod_bias = fixed_point(field::LodBias::get(w), 14, 8) + fixed_point(field::LodBiasSecond::get(w), 6, 4);
  to.comparison = surface::Comparison(field::Comparison::get(w));
  to.unnormalized = field::ForceUnnormalized::get(w);
  to.seamless_cube = !field::DisableCubeWrap::get(w);
  to.truncate_coordinates = field::TruncateCoordinates::get(w);
  to.half_fractions = field::HalfFractions::get(w);
  to.flush_denormals = true;  // RDNA4 ISA 10.4.3
  s.border = ImageSampler::Border(field::BorderType::get(w));
  s.border_index = field::BorderIndex::get(w);
  return s;
}

const gpu::amd::ImageDescriptors& image_descriptors() {
  static const Descriptors descriptors;
  return descriptors;
}

}  // namespace Atoll::rdna4
