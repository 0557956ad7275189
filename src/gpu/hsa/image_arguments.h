// Images and samplers as kernel arguments: how `launch` is told about them, and what a GPU provides to make objects of them.
// An image object is the GPU's resource and behind it, from dword 8 on, the channel type and order in HSA's numbers and the width
// (rocm-device-libs ockl image queries; HSA Runtime Programmer's Reference 1.2, 3.5 "Images and samplers").
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"

namespace Atoll::hsa {

// As OpenCL has them: CL_R, CL_UNORM_INT8 and so on. The values are HSA's.
enum class ChannelOrder : uint8_t {
  a,
  r,
  rx,
  rg,
  rgx,
  ra,
  rgb,
  rgbx,
  rgba,
  bgra,
  argb,
  abgr,
  srgb,
  srgbx,
  srgba,
  sbgra,
  intensity,
  luminance,
  depth
};
enum class ChannelType : uint8_t {
  snorm8,
  snorm16,
  unorm8,
  unorm16,
  unorm24,
  unorm_555,
  unorm_565,
  unorm_101010,
  sint8,
  sint16,
  sint32,
  uint8,
  uint16,
  uint32,
  half_float,
  single_float
};
enum class ImageKind : uint8_t { one, one_array, two, two_array, three };

struct ImageDescription {
  ChannelOrder order = ChannelOrder::rgba;
  ChannelType type = ChannelType::unorm8;
  std::array<uint32_t, 3> size{1, 1, 1};  // as given: W, H, D; of arrays the last one that is used counts layers
  ImageKind kind = ImageKind::two;
};
struct SamplerDescription {
  enum class Address : uint8_t { none, clamp_edge, clamp, repeat, mirrored_repeat } address = Address::none;
  bool linear = false, normalized = false;
};

// DST_SEL of AMD's T#s in four octal digits: red, green, blue, alpha. 0, 1: constants; 4 to 7: the texel's components.
uint32_t component_selects(const ImageDescription& image);
// Bytes of a texel; 0: there is no such format.
unsigned texel_bytes(const ImageDescription& image);

// The arrangement of texels on a GPU, and the words of the object without its address.
struct ImageObject {
  std::vector<uint32_t> words;
  uint64_t row_bytes = 0, slice_bytes = 0, bytes = 0;  // in memory, which begins at a multiple of 256
};
// The family's functions for it; null if it has none.
struct ImageTarget {
  Expected<ImageObject> (*image)(const ImageDescription& image);
  void (*place)(std::span<uint32_t> words, uint64_t address);
  std::vector<uint32_t> (*sampler)(const SamplerDescription& sampler);
};

// Texels of a file, packed, to the places where the object has them, and back.
void place_texels(const ImageDescription& image, const ImageObject& object, std::span<const uint8_t> packed, uint8_t* memory);
std::vector<uint8_t> packed_texels(const ImageDescription& image, const ImageObject& object, const uint8_t* memory);

// "rgba-unorm8" and "WxH[xD]"; "ADDRESS:FILTER:normalized|unnormalized". An error is a phrase.
Expected<ImageDescription> parse_image_description(const std::string& format, const std::string& size);
Expected<SamplerDescription> parse_sampler_description(const std::string& text);
// The kind by the parameter's type ("image2d_array_t"), and whether the size fits it.
Expected<ImageDescription> image_of_parameter(ImageDescription image, const std::string& type_name);

}  // namespace Atoll::hsa
