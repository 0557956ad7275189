// FXT1 blocks as GL_3DFX_texture_compression_FXT1 describes them, written apart from src/surface: the palette of each half of a block in
// real numbers of 255ths, rounded once (Mesa's roundings: fields and blends to the nearest, the middle of two colours with alpha down).
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace fxt1_model {

using Texel = std::array<int, 4>;  // red, green, blue, alpha of 255
struct Texels {
  Texel at[4][8];  // row, column
};

// A block as a string of bits, its first character bit 127: what the extension's tables are drawn as.
inline std::string bit_string(const uint8_t* block) {
  std::string text;
  for (int byte = 15; byte >= 0; byte--)
    for (int bit = 7; bit >= 0; bit--) text += block[byte] >> bit & 1 ? '1' : '0';
  return text;
}
inline int field(const std::string& bits, int high, int low) {
  return std::stoi(bits.substr(size_t(127 - high), size_t(high - low + 1)), nullptr, 2);
}
inline int nearest(double value) { return int(std::floor(value + 0.5)); }
inline int of_five(int n) { return nearest(n * 255 / 31.0); }
inline int of_six(int n) { return nearest(n * 255 / 63.0); }

inline Texels decode(const uint8_t* block) {
  const std::string bits = bit_string(block);
  // Colour n of the 60 bits below the mode, or of CC_HI's 30.
  auto colour = [&](int n, int base) {
    const int low = base + 15 * n;
    return Texel{of_five(field(bits, low + 14, low + 10)), of_five(field(bits, low + 9, low + 5)),
                 of_five(field(bits, low + 4, low)), 255};
  };
  auto mix = [](const Texel& a, const Texel& b, double share) {
    Texel made;
    for (size_t c = 0; c < 4; c++) made[c] = nearest(a[c] + (b[c] - a[c]) * share + 1e-9);
    return made;
  };
  const Texel nothing{0, 0, 0, 0};
  std::vector<Texel> palettes[2];
  const bool high = bits.starts_with("00");
  for (int half = 0; half < 2; half++) {
    std::vector<Texel>& palette = palettes[half];
    if (high) {
      for (int n = 0; n <= 6; n++) palette.push_back(mix(colour(0, 96), colour(1, 96), n / 6.0));
      palette.push_back(nothing);
    } else if (bits.starts_with("010")) {
      for (int n = 0; n < 4; n++) palette.push_back(colour(n, 64));
    } else if (bits.starts_with("011")) {
      Texel colours[3];
      for (int n = 0; n < 3; n++) {
        colours[n] = colour(n, 64);
        colours[n][3] = of_five(field(bits, 113 + 5 * n, 109 + 5 * n));
      }
      if (bits[3] == '1')
        for (int n = 0; n < 4; n++) palette.push_back(mix(half ? colours[2] : colours[0], colours[1], n / 3.0));
      else
        palette = {colours[0], colours[1], colours[2], nothing};
    } else {
      const int green = field(bits, 125 + half, 125 + half), upper = half ? field(bits, 33, 33) : field(bits, 1, 1);
      const int a = half ? 2 : 0, b = half ? 3 : 1;
      Texel first = colour(a, 64), second = colour(b, 64);
      second[1] = of_six(2 * field(bits, 64 + 15 * b + 9, 64 + 15 * b + 5) + green);
      if (bits[3] == '1') {
        Texel middle;
        for (size_t c = 0; c < 4; c++) middle[c] = int(std::floor((first[c] + second[c]) / 2.0));
        palette = {first, middle, second, nothing};
      } else {
        first[1] = of_six(2 * field(bits, 64 + 15 * a + 9, 64 + 15 * a + 5) + (green != upper));
        for (int n = 0; n < 4; n++) palette.push_back(mix(first, second, n / 3.0));
      }
    }
  }
  Texels texels;
  const int width = high ? 3 : 2;
  for (int n = 0; n < 32; n++) {
    const int low = n * width, index = field(bits, low + width - 1, low);
    texels.at[n % 16 / 4][n / 16 * 4 + n % 4] = palettes[n / 16][size_t(index)];
  }
  return texels;
}

}  // namespace fxt1_model
