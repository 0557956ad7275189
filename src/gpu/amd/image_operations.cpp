#include "gpu/amd/image_operations.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/images/texel_access.h"

namespace Atoll::gpu::amd {

namespace {

using images::Coordinates;
using images::for_active;
using images::give;
using images::texel_of_lane;
using surface::Lanes;
using wave::ImageAccess;
using wave::ImageAtomic;
using wave::ImageOperation;

// The texel of a T# without memory behind it.
surface::Colour nothing(const surface::Order& order) {
  surface::Colour colour;
  for (int c = 0; c < 4; c++) colour[c] = order[c] == surface::Select::one ? 0x3f800000u : 0;
  return colour;
}

// Instructions that name a dimension have its coordinates, whatever the image's type makes of them. For the others the image's
// type decides, but an array's slice is there only if the instruction declares an array.
Coordinates coordinates_of(ImageType type, const ImageAccess& access) {
  int y = 1, third = 2, sample = -1;
  if (access.dimension >= 0) {
    using enum wave::ImageDimension;
    switch (wave::ImageDimension(access.dimension)) {
      case one: y = third = -1; break;
      case one_array: y = -1, third = 1; break;
      case two: third = -1; break;
      case two_multisampled: third = -1, sample = 2; break;
      case two_multisampled_array: sample = 3; break;
      default: break;
    }
  } else {
    sample = access.array ? 3 : 2;
    if (type == ImageType::one_array) third = 1;
    if (!access.array && type != ImageType::three && type != ImageType::cube) third = -1;
  }
  switch (type) {
    case ImageType::one: return {};
    case ImageType::one_array: return {.slice = third};
    case ImageType::two: return {.y = y};
    case ImageType::three: return {.y = y, .z = third};
    case ImageType::cube:
    case ImageType::two_array: return {.y = y, .slice = third};
    case ImageType::two_multisampled: return {.y = y, .sample = sample};
    case ImageType::two_multisampled_array: return {.y = y, .slice = third, .sample = sample};
  }
  return {.y = y};
}

surface::TexelLanes texel_lanes(const ImageAccess& access, ImageType type) {
  return images::texel_lanes(access, coordinates_of(type, access));
}

// The lanes of a load whose level lies below the least one: what they read is out of range (Vulkan 1.3, "Integer Texel Coordinate
// Operations", minLodInteger: zeros with robustImageAccess2, which RADV's list of what fails on Bonaire bears out, see docs/errata.md).
uint64_t hidden_lanes(const ImageResource& resource, const ImageAccess& access) {
  const uint32_t least = resource.least_level();
  if (!least || access.operation != ImageOperation::load) return 0;
  if (!access.explicit_level) return access.active;
  uint64_t hidden = 0;
  for_active(access, [&](unsigned lane) { hidden |= uint64_t(access.lod[lane] < least) << lane; });
  return hidden;
}

// Four bits a sample instead of the format's.
void widen_fragment_mask(const FragmentMask& mask, std::array<Lanes, 4>& colour, const ImageAccess& access) {
  for_active(access, [&](unsigned lane) {
    uint64_t packed = colour[0][lane] | uint64_t(colour[1][lane]) << 32, wide = 0;
    for (unsigned sample = 0; sample < mask.samples; sample++)
      wide |= (packed >> sample * mask.bits & ((1u << mask.bits) - 1)) << 4 * sample;
    colour[0][lane] = uint32_t(wide);
    colour[1][lane] = uint32_t(wide >> 32);
  });
}

// Components that an instruction of 16-bit data stores, as those of 32 bits.
void widen(ImageAccess& access, unsigned components, surface::Number number) {
  for (unsigned c = 0; c < components; c++)
    for_active(access, [&](unsigned lane) {
      uint32_t& word = access.data[c][lane];
      const uint16_t half = uint16_t(word);
      word = number == surface::Number::sint   ? uint32_t(int32_t(int16_t(half)))
             : number == surface::Number::uint ? half
                                               : std::bit_cast<uint32_t>(surface::from_half(half));
    });
}

}  // namespace

void give_nothing(ImageAccess& access, const surface::Order& order) {
  const surface::Colour colour = nothing(order);
  if (access.operation == ImageOperation::size || access.operation == ImageOperation::query_lod ||
      access.operation == ImageOperation::atomic) {
    for (auto& lanes : access.data) lanes.fill(0);
  } else if (access.operation == ImageOperation::gather || access.operation == ImageOperation::load_samples) {
    for (auto& lanes : access.data) lanes.fill(colour[access.gather_component & 3]);
    narrow(access, surface::Number::floating);
  } else {
    unsigned to = 0;
    for (unsigned c = 0; c < 4; c++)
      if (access.components >> c & 1) access.data[to++].fill(colour[c]);
    narrow(access, surface::Number::floating);
  }
}

void narrow(ImageAccess& access, surface::Number number) {
  if (!access.halves) return;
  for (auto& lanes : access.data)
    for_active(access, [&](unsigned lane) {
      lanes[lane] = surface::is_integer(number) ? lanes[lane] & 0xffffu : surface::to_half(std::bit_cast<float>(lanes[lane]));
    });
}

const uint8_t* texel_of_access(const ImageResource& resource, const surface::Texture& texture, const ImageAccess& access,
                               unsigned lane, uint32_t more_samples) {
  if (hidden_lanes(resource, access) >> lane & 1) return nullptr;
  return texel_of_lane(texture, texel_lanes(access, resource.type), lane, more_samples);
}

bool gathers_hidden(const ImageResource& resource, const ImageAccess& access) {
  return access.operation == ImageOperation::gather && resource.least_level() &&
         (access.lod_mode == wave::LodMode::implicit || access.lod_mode == wave::LodMode::zero);
}

void load(const ImageResource& resource, const surface::Texture& texture, ImageAccess& access) {
  const surface::TexelLanes call = texel_lanes(access, resource.type);
  const uint64_t hidden = hidden_lanes(resource, access);
  std::array<Lanes, 4> colour;
  if (access.packed) {
    unsigned bytes = surface::row(texture.format().layout).bytes;
    for_active(access, [&](unsigned lane) {
      uint32_t words[4] = {};
      const uint8_t* texel = hidden >> lane & 1 ? nullptr : texel_of_lane(texture, call, lane);
      if (texel) std::memcpy(words, texel, bytes);
      if (access.sign_extend && bytes < 4) words[0] = uint32_t(int32_t(words[0] << (32 - 8 * bytes)) >> (32 - 8 * bytes));
      for (int n = 0; n < 4; n++) colour[size_t(n)][lane] = words[n];
    });
    return give(access, colour);
  }
  if (resource.fragment_mask.samples) {
    surface::Format format = texture.format();
    for_active(access, [&](unsigned lane) {
      format.order = surface::natural_order;
      const uint8_t* texel = texel_of_lane(texture, call, lane);
      surface::Colour texels = texel ? surface::read_texel(format, texel) : surface::Colour{};
      for (size_t c = 0; c < 4; c++) colour[c][lane] = texels[c];
    });
    widen_fragment_mask(resource.fragment_mask, colour, access);
    return give(access, colour);
  }
  images::load(texture, coordinates_of(resource.type, access), hidden, access);
  narrow(access, texture.format().number);
}

void load_samples(const ImageResource& resource, const surface::Texture& texture, ImageAccess& access) {
  const surface::TexelLanes call = texel_lanes(access, resource.type);
  const surface::Colour outside = surface::in_order(texture.format(), {0, 0, 0, 0});
  const unsigned c = access.gather_component & 3;
  for (uint32_t n = 0; n < 4; n++)
    for_active(access, [&](unsigned lane) {
      const bool beyond = call.sample && call.sample[lane] > UINT32_MAX - n;
      const uint8_t* texel = beyond ? nullptr : texel_of_lane(texture, call, lane, n);
      access.data[n][lane] = texel ? surface::read_texel(texture.format(), texel)[c] : outside[c];
    });
  narrow(access, texture.format().number);
}

void store(const ImageResource& resource, const surface::Texture& texture, ImageAccess& access) {
  const surface::TexelLanes call = texel_lanes(access, resource.type);
  if (access.halves) widen(access, unsigned(std::popcount(unsigned(access.components & 15))), texture.format().number);
  const std::array<Lanes, 4> colour = images::colour_given(access);
  if (!access.packed) return surface::store(texture, call, colour);
  unsigned bytes = surface::row(texture.format().layout).bytes;
  for_active(access, [&](unsigned lane) {
    uint32_t words[4] = {colour[0][lane], colour[1][lane], colour[2][lane], colour[3][lane]};
    if (uint8_t* texel = texel_of_lane(texture, call, lane)) std::memcpy(texel, words, bytes);
  });
}

const char* change(const ImageResource& resource, const surface::Texture& texture, ImageAccess& access) {
  bool compares = access.atomic == ImageAtomic::compare_swap || access.atomic == ImageAtomic::fcmpswap;
  unsigned dwords = unsigned(std::popcount(unsigned(access.components & 15))) / (compares ? 2 : 1);
  if (dwords != 1 && dwords != 2) return "image atomic with a DMASK that is neither of 32 nor 64 bits";
  const bool packed = access.atomic == ImageAtomic::packed_add_f16 || access.atomic == ImageAtomic::packed_add_bf16;
  if (packed && dwords == 2) return "a packed image atomic of 64 bits";
  if (surface::row(texture.format().layout).bytes != 4 * dwords) return "image atomic on a format of another size";
  images::change(texture, coordinates_of(resource.type, access), dwords, access);
  return nullptr;
}

void size(const ImageResource& resource, const surface::Texture& texture, ImageAccess& access) {
  const surface::TextureDescription& d = resource.description;
  std::array<Lanes, 4> result;
  for_active(access, [&](unsigned lane) {
    uint64_t level = uint64_t(d.first_level) + access.lod[lane];
    std::array<uint32_t, 4> words = {0, 0, 0, texture.last_level() - d.first_level + 1};
    if (level <= texture.last_level()) {
      surface::Texture::Size s = texture.size(unsigned(level));
      bool layered = texture.layered() || texture.cube();
      words[0] = s.width;
      words[1] = resource.type == ImageType::one_array ? d.layers : s.height;
      words[2] = layered ? d.layers : s.depth;
    }
    for (size_t c = 0; c < 4; c++) result[c][lane] = words[c];
  });
  give(access, result);
}

surface::SampleLanes sample_lanes(const ImageResource& resource, const surface::Texture& texture, const ImageAccess& access) {
  surface::SampleLanes call =
      images::sample_lanes(access, coordinates_of(resource.type, access), std::min(texture.axes(), access.derivative_count));
  // Pixel shaders compute coordinates for whole quads (S_WQM) and may sample with fewer lanes: differences are those of all four.
  uint64_t quads = access.active | access.active >> 1;
  quads = (quads | quads >> 2) & 0x1111111111111111;
  call.helpers = quads * 15 & ~access.active;
  call.faces = texture.cube();
  call.face_base = 1;  // V_CUBESC_F32 and V_CUBETC_F32, over V_CUBEMA_F32, plus 1.5
  return call;
}

}  // namespace Atoll::gpu::amd
