#include "gpu/amd/draw/pixel_exports.h"

#include "base/half.h"

namespace Atoll::gpu::amd {

void unpack_components(ExportShape shape, const uint32_t* low, const uint32_t* high, unsigned lanes,
                       std::array<std::array<uint32_t, pipeline::max_pixels>, 4>& colour) {
  auto each = [&](auto component) {
    for (unsigned c = 0; c < 4; c++) {
      const uint32_t* const pairs = c < 2 ? low : high;
      const unsigned shift = c % 2 * 16;
      for (unsigned l = 0; l < lanes; l++) colour[c][l] = component(uint16_t(pairs[l] >> shift));
    }
  };
  switch (shape) {
    case ExportShape::halves: return each([](uint16_t x) { return std::bit_cast<uint32_t>(float_from_half(x)); });
    case ExportShape::unorm16: return each([](uint16_t x) { return std::bit_cast<uint32_t>(float(x) * (1.0f / 65535)); });
    case ExportShape::snorm16:
      return each([](uint16_t x) { return std::bit_cast<uint32_t>(std::max(float(int16_t(x)) * (1.0f / 32767), -1.0f)); });
    case ExportShape::sint16: return each([](uint16_t x) { return uint32_t(int32_t(int16_t(x))); });
    default: return each([](uint16_t x) { return uint32_t(x); });
  }
}

}  // namespace Atoll::gpu::amd
