// The formats that vertices may have: Mesa 22.3.6 src/intel/isl/isl_format.c, column "VB" of its table. Their numbers mean the
// same as everywhere else (Direct3D 11.3 functional specification, chapter 3.2); SFIXED has 16 bits of fraction.
#include "gpu/dg1/draw/vertex_formats.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "registers/dg1.h"
#include "surface/number.h"

namespace Atoll::dg1 {
namespace {

using Number = VertexNumber;
using F = SURFACE_FORMAT;

constexpr std::array<uint8_t, 4> r8{8}, rg8{8, 8}, rgb8{8, 8, 8}, rgba8{8, 8, 8, 8};
constexpr std::array<uint8_t, 4> r16{16}, rg16{16, 16}, rgb16{16, 16, 16}, rgba16{16, 16, 16, 16};
constexpr std::array<uint8_t, 4> r32{32}, rg32{32, 32}, rgb32{32, 32, 32}, rgba32{32, 32, 32, 32};
constexpr std::array<uint8_t, 4> r64{64}, rg64{64, 64}, rgb64{64, 64, 64}, rgba64{64, 64, 64, 64};
constexpr std::array<uint8_t, 4> rgb10a2{10, 10, 10, 2}, rgb10x2{10, 10, 10}, rg11b10{11, 11, 10};

constexpr VertexFormat formats[] = {
    {F::R32G32B32A32_FLOAT, rgba32, Number::floating},
    {F::R32G32B32A32_SINT, rgba32, Number::sint},
    {F::R32G32B32A32_UINT, rgba32, Number::uint},
    {F::R32G32B32A32_UNORM, rgba32, Number::unorm},
    {F::R32G32B32A32_SNORM, rgba32, Number::snorm},
    {F::R64G64_FLOAT, rg64, Number::floating},
    {F::R32G32B32A32_SSCALED, rgba32, Number::sscaled},
    {F::R32G32B32A32_USCALED, rgba32, Number::uscaled},
    {F::R32G32B32A32_SFIXED, rgba32, Number::fixed},
    {F::R64G64_PASSTHRU, rg64, Number::passthrough},
    {F::R32G32B32_FLOAT, rgb32, Number::floating},
    {F::R32G32B32_SINT, rgb32, Number::sint},
    {F::R32G32B32_UINT, rgb32, Number::uint},
    {F::R32G32B32_UNORM, rgb32, Number::unorm},
    {F::R32G32B32_SNORM, rgb32, Number::snorm},
    {F::R32G32B32_SSCALED, rgb32, Number::sscaled},
    {F::R32G32B32_USCALED, rgb32, Number::uscaled},
    {F::R32G32B32_SFIXED, rgb32, Number::fixed},
    {F::R16G16B16A16_UNORM, rgba16, Number::unorm},
    {F::R16G16B16A16_SNORM, rgba16, Number::snorm},
    {F::R16G16B16A16_SINT, rgba16, Number::sint},
    {F::R16G16B16A16_UINT, rgba16, Number::uint},
    {F::R16G16B16A16_FLOAT, rgba16, Number::floating},
    {F::R32G32_FLOAT, rg32, Number::floating},
    {F::R32G32_SINT, rg32, Number::sint},
    {F::R32G32_UINT, rg32, Number::uint},
    {F::R32G32_UNORM, rg32, Number::unorm},
    {F::R32G32_SNORM, rg32, Number::snorm},
    {F::R64_FLOAT, r64, Number::floating},
    {F::R16G16B16A16_SSCALED, rgba16, Number::sscaled},
    {F::R16G16B16A16_USCALED, rgba16, Number::uscaled},
    {F::R32G32_SSCALED, rg32, Number::sscaled},
    {F::R32G32_USCALED, rg32, Number::uscaled},
    {F::R32G32_SFIXED, rg32, Number::fixed},
    {F::R64_PASSTHRU, r64, Number::passthrough},
    {F::B8G8R8A8_UNORM, rgba8, Number::unorm, true},
    {F::R10G10B10A2_UNORM, rgb10a2, Number::unorm},
    {F::R10G10B10A2_UINT, rgb10a2, Number::uint},
    {F::R10G10B10_SNORM_A2_UNORM, rgb10a2, Number::snorm, false, true},
    {F::R8G8B8A8_UNORM, rgba8, Number::unorm},
    {F::R8G8B8A8_SNORM, rgba8, Number::snorm},
    {F::R8G8B8A8_SINT, rgba8, Number::sint},
    {F::R8G8B8A8_UINT, rgba8, Number::uint},
    {F::R16G16_UNORM, rg16, Number::unorm},
    {F::R16G16_SNORM, rg16, Number::snorm},
    {F::R16G16_SINT, rg16, Number::sint},
    {F::R16G16_UINT, rg16, Number::uint},
    {F::R16G16_FLOAT, rg16, Number::floating},
    {F::B10G10R10A2_UNORM, rgb10a2, Number::unorm, true},
    {F::R11G11B10_FLOAT, rg11b10, Number::floating},
    {F::R32_SINT, r32, Number::sint},
    {F::R32_UINT, r32, Number::uint},
    {F::R32_FLOAT, r32, Number::floating},
    {F::R32_UNORM, r32, Number::unorm},
    {F::R32_SNORM, r32, Number::snorm},
    {F::R10G10B10X2_USCALED, rgb10x2, Number::uscaled},
    {F::R8G8B8A8_SSCALED, rgba8, Number::sscaled},
    {F::R8G8B8A8_USCALED, rgba8, Number::uscaled},
    {F::R16G16_SSCALED, rg16, Number::sscaled},
    {F::R16G16_USCALED, rg16, Number::uscaled},
    {F::R32_SSCALED, r32, Number::sscaled},
    {F::R32_USCALED, r32, Number::uscaled},
    {F::R8G8_UNORM, rg8, Number::unorm},
    {F::R8G8_SNORM, rg8, Number::snorm},
    {F::R8G8_SINT, rg8, Number::sint},
    {F::R8G8_UINT, rg8, Number::uint},
    {F::R16_UNORM, r16, Number::unorm},
    {F::R16_SNORM, r16, Number::snorm},
    {F::R16_SINT, r16, Number::sint},
    {F::R16_UINT, r16, Number::uint},
    {F::R16_FLOAT, r16, Number::floating},
    {F::R8G8_SSCALED, rg8, Number::sscaled},
    {F::R8G8_USCALED, rg8, Number::uscaled},
    {F::R16_SSCALED, r16, Number::sscaled},
    {F::R16_USCALED, r16, Number::uscaled},
    {F::R8_UNORM, r8, Number::unorm},
    {F::R8_SNORM, r8, Number::snorm},
    {F::R8_SINT, r8, Number::sint},
    {F::R8_UINT, r8, Number::uint},
    {F::R8_SSCALED, r8, Number::sscaled},
    {F::R8_USCALED, r8, Number::uscaled},
    {F::R8G8B8_UNORM, rgb8, Number::unorm},
    {F::R8G8B8_SNORM, rgb8, Number::snorm},
    {F::R8G8B8_SSCALED, rgb8, Number::sscaled},
    {F::R8G8B8_USCALED, rgb8, Number::uscaled},
    {F::R64G64B64A64_FLOAT, rgba64, Number::floating},
    {F::R64G64B64_FLOAT, rgb64, Number::floating},
    {F::R16G16B16_FLOAT, rgb16, Number::floating},
    {F::R16G16B16_UNORM, rgb16, Number::unorm},
    {F::R16G16B16_SNORM, rgb16, Number::snorm},
    {F::R16G16B16_SSCALED, rgb16, Number::sscaled},
    {F::R16G16B16_USCALED, rgb16, Number::uscaled},
    {F::R16G16B16_UINT, rgb16, Number::uint},
    {F::R16G16B16_SINT, rgb16, Number::sint},
    {F::R32_SFIXED, r32, Number::fixed},
    {F::R10G10B10A2_SNORM, rgb10a2, Number::snorm},
    {F::R10G10B10A2_USCALED, rgb10a2, Number::uscaled},
    {F::R10G10B10A2_SSCALED, rgb10a2, Number::sscaled},
    {F::R10G10B10A2_SINT, rgb10a2, Number::sint},
    {F::B10G10R10A2_SNORM, rgb10a2, Number::snorm, true},
    {F::B10G10R10A2_USCALED, rgb10a2, Number::uscaled, true},
    {F::B10G10R10A2_SSCALED, rgb10a2, Number::sscaled, true},
    {F::B10G10R10A2_UINT, rgb10a2, Number::uint, true},
    {F::B10G10R10A2_SINT, rgb10a2, Number::sint, true},
    {F::R64G64B64A64_PASSTHRU, rgba64, Number::passthrough},
    {F::R64G64B64_PASSTHRU, rgb64, Number::passthrough},
    {F::R8G8B8_UINT, rgb8, Number::uint},
    {F::R8G8B8_SINT, rgb8, Number::sint},
};

uint64_t field(const uint8_t* bytes, unsigned low, unsigned bits) {
  uint64_t value = 0;
  const unsigned shift = low % 8, count = (shift + bits + 7) / 8;  // (fields of 64 bits begin at whole bytes)
  std::memcpy(&value, bytes + low / 8, count);
  value >>= shift;
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

float floating(uint64_t value, unsigned bits) {
  switch (bits) {
    case 10: return surface::from_half(uint16_t(value << 5));  // five bits of exponent, as halves have them, without a sign
    case 11: return surface::from_half(uint16_t(value << 4));
    case 16: return surface::from_half(uint16_t(value));
    case 32: return std::bit_cast<float>(uint32_t(value));
    default: return float(std::bit_cast<double>(value));
  }
}

uint32_t converted(uint64_t value, unsigned bits, Number number) {
  const int64_t with_sign = int64_t(value << (64 - bits)) >> (64 - bits);
  auto word = [](double v) { return std::bit_cast<uint32_t>(float(v)); };
  switch (number) {
    case Number::uint: return uint32_t(value);
    case Number::sint: return uint32_t(with_sign);
    case Number::unorm: return word(double(value) / double((uint64_t(1) << bits) - 1));
    case Number::snorm: return word(std::max(double(with_sign) / double((uint64_t(1) << (bits - 1)) - 1), -1.0));
    case Number::uscaled: return word(double(value));
    case Number::sscaled: return word(double(with_sign));
    case Number::fixed: return word(double(with_sign) / 65536);
    default: return std::bit_cast<uint32_t>(floating(value, bits));
  }
}

}  // namespace

const VertexFormat* find_vertex_format(uint32_t format) {
  const auto* found = std::ranges::find(formats, format, &VertexFormat::format);
  return found == std::end(formats) ? nullptr : found;
}

std::array<uint32_t, 8> convert_vertex(const VertexFormat& format, const uint8_t* bytes) {
  std::array<uint32_t, 8> words{};
  if (format.is_passed_through()) {
    std::memcpy(words.data(), bytes, format.bytes());
    return words;
  }
  const bool integer = format.number == Number::uint || format.number == Number::sint;
  words[3] = integer ? 1 : std::bit_cast<uint32_t>(1.0f);
  unsigned low = 0;
  for (unsigned c = 0; c < 4 && format.bits[c]; low += format.bits[c++]) {
    const unsigned to = format.blue_first && c < 3 ? 2 - c : c;
    words[to] = converted(field(bytes, low, format.bits[c]), format.bits[c],
                          c == 3 && format.alpha_unorm ? Number::unorm : format.number);
  }
  return words;
}

}  // namespace Atoll::dg1
