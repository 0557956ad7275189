// The sRGB curve of 8-bit components as tables of words (e.constant_word).
#pragma once
#include <cstdint>

namespace Atoll::surface {

// Codes of linear values by the upper bits of a float from 2^-13 on: between neighbours lies one bound of codes at most.
struct SrgbCodes {
  static constexpr uint32_t first = 0x39000000;
  static constexpr unsigned shift = 16, log_codes = 11;
  uint32_t code[1u << log_codes];
  uint32_t bound[256];    // a float: the smallest value that has a code above
  uint32_t decoded[256];  // floats
};
const SrgbCodes& srgb_codes();

}  // namespace Atoll::surface
