#include "surface/srgb_codes.h"

#include <bit>

#include "surface/number.h"

namespace Atoll::surface {

const SrgbCodes& srgb_codes() {
  [[clang::no_destroy]] static const SrgbCodes tables = [] {
    SrgbCodes t{};
    const uint32_t one = std::bit_cast<uint32_t>(1.0f);
    for (uint32_t n = 0; n < 1u << SrgbCodes::log_codes; n++) {
      const uint32_t bits = SrgbCodes::first + (n << SrgbCodes::shift);
      t.code[n] = bits >= one ? 255 : to_srgb8(std::bit_cast<float>(bits));
    }
    for (unsigned c = 0; c < 255; c++) {
      uint32_t low = 0, high = one;  // the bound lies in (low, high]
      while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        (to_srgb8(std::bit_cast<float>(middle)) > c ? high : low) = middle;
      }
      t.bound[c] = high;
    }
    t.bound[255] = std::bit_cast<uint32_t>(2.0f);
    for (unsigned c = 0; c < 256; c++) t.decoded[c] = std::bit_cast<uint32_t>(from_srgb8(uint8_t(c)));
    return t;
  }();
  return tables;
}

}  // namespace Atoll::surface
