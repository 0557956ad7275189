// Image resources (T#) and samplers (S#) as all of AMD's families have them, decoded into what src/surface takes. The bits are a
// family's matter (ImageDescriptors).
#pragma once
#include <array>
#include <cstdint>

#include "gpu/device/reports.h"
#include "surface/sampler.h"
#include "surface/texture.h"

namespace Atoll::gpu::amd {

using ImageResourceWords = std::array<uint32_t, 8>;
using SamplerWords = std::array<uint32_t, 4>;

// An FMASK holds for each sample of a pixel the number of its fragment, `bits` wide, from bit 0 up. Shaders see
// four bits for each (Mesa 22.3.6 ac_nir_to_llvm.c, adjust_sample_index). 0 samples: not an FMASK format.
struct FragmentMask {
  uint8_t samples = 0, bits = 0;
};

// TYPE of a T#, whose numbers are the same in all families.
enum class ImageType : uint8_t {
  one = 8,
  two,
  three,
  cube,
  one_array,
  two_array,
  two_multisampled,
  two_multisampled_array,
};

struct ImageResource {
  ImageType type = ImageType::two;
  bool bound = false;      // false: a null descriptor: reads give DST_SEL's constants and 0
  bool is_image = true;    // false: that of a buffer, of which image instructions take no notice
  surface::Order order{};  // DST_SEL
  FragmentMask fragment_mask;
  float min_lod = 0;  // counted from the base level
  // The lowest level, counted likewise, that instructions reach which name levels as whole numbers (those of several samples have none).
  uint32_t least_level() const { return min_lod >= 1 && description.samples <= 1 ? uint32_t(min_lod) : 0; }
  // The level of detail below which status words warn, counted as min_lod (MIN_LOD_WARN).
  float min_lod_warning = 0;
  bool partially_resident = false;
  uint64_t address = 0, bytes = 0;
  surface::TextureDescription description;
};

// An S#. The border colour is not filled in: `border` says where it comes from.
struct ImageSampler {
  surface::Sampler sampler;
  enum class Border : uint8_t { transparent_black, opaque_black, opaque_white, table } border = Border::transparent_black;
  uint32_t border_index = 0;  // of the table, 16 bytes each
};

// A sampler's treatment of sRGB: as the format says, unorm is read as sRGB, sRGB is read as unorm.
enum class Degamma : uint8_t { as_it_is, forced, skipped };

// A family's descriptors.
class ImageDescriptors {
public:
  virtual ~ImageDescriptors() = default;
  // `short_resource`: only the first four words are used (R128). An error says what cannot be decoded; memory is not checked.
  virtual Expected<ImageResource> resource(const ImageResourceWords& words, bool short_resource) const = 0;
  virtual ImageSampler sampler(const SamplerWords& words) const = 0;
  virtual Degamma degamma(const SamplerWords& words) const = 0;
  // How many words of a T# have a meaning; `border_swizzle` is the order of a table's colours.
  virtual unsigned resource_words() const = 0;
  virtual std::array<uint8_t, 4> border_order(const ImageResourceWords&) const { return {0, 1, 2, 3}; }
  // True if the two ask for nothing that is left out here; what is left out is reported.
  virtual bool is_whole(const uint32_t* resource, bool short_resource, const uint32_t* sampler, gpu::Reports* reports) const = 0;
};

// Floats' bits or integers as an S#'s border has them.
surface::Colour border_colour(ImageSampler::Border border, const surface::Format& format);

// DST_SEL: 0 and 1 are constants, 4 to 7 the texel's components.
constexpr surface::Select select_of(uint32_t dst_sel) {
  if (dst_sel >= 4) return surface::Select(dst_sel - 4);
  return dst_sel == 1 ? surface::Select::one : surface::Select::zero;
}
// Signed fixed point of `bits` bits, 2^-fraction each.
constexpr float fixed_point(uint32_t value, unsigned bits, unsigned fraction) {
  return float(int32_t(value << (32 - bits)) >> (32 - bits)) / float(1u << fraction);
}

}  // namespace Atoll::gpu::amd
