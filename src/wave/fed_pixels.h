// The feed of a pixel wave (src/pixel) of fewer lanes than pixels are fed at once: it may be that of several waves, one after the
// other. Words by quad are then of `fed_pixels` pixels, of which a wave's begin with its first one, a multiple of its lanes
// (quads_from, pixels_from and set_pixels_from of byte_registers.h).
#pragma once
#include <cstdint>

namespace Atoll::wave {

inline constexpr uint32_t fed_pixels = 64;
// A wave's first pixel, whatever it is, as bytes from the first quad's word to its own.
constexpr uint32_t first_fed(uint32_t first, unsigned lanes) { return first & (fed_pixels - lanes); }

}  // namespace Atoll::wave
