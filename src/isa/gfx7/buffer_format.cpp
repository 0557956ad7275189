#include "isa/gfx7/buffer_format.h"

#include <array>

namespace Atoll::gfx7 {
namespace {

using amd::BufferFormat;
using amd::Number;

struct Widths {
  const char* name;
  uint8_t bits[4];  // X, Y, Z, W
};
constexpr Widths widths[16] = {
    {nullptr, {}},
    {"8", {8}},
    {"16", {16}},
    {"8_8", {8, 8}},
    {"32", {32}},
    {"16_16", {16, 16}},
    {"10_11_11", {11, 11, 10}},
    {"11_11_10", {10, 11, 11}},
    {"10_10_10_2", {2, 10, 10, 10}},
    {"2_10_10_10", {10, 10, 10, 2}},
    {"8_8_8_8", {8, 8, 8, 8}},
    {"32_32", {32, 32}},
    {"16_16_16_16", {16, 16, 16, 16}},
    {"32_32_32", {32, 32, 32}},
    {"32_32_32_32", {32, 32, 32, 32}},
    {nullptr, {}},
};
constexpr Number numbers[8] = {Number::Unorm, Number::Snorm, Number::Uscaled,  Number::Sscaled,
                               Number::Uint,  Number::Sint,  Number::SnormOgl, Number::Float};

constexpr bool has(const Widths& w, unsigned number) {
  if (!w.name) return false;
  if (number != 7) return true;
  bool packed = w.bits[0] == 11 || w.bits[1] == 11;
  return packed || w.bits[0] == 16 || w.bits[0] == 32;
}

constexpr auto table = [] {
  std::array<std::array<BufferFormat, 8>, 16> t{};
  for (unsigned d = 0; d < 16; d++)
    for (unsigned n = 0; n < 8; n++) {
      const Widths& w = widths[d];
      t[d][n] = {w.name, {w.bits[0], w.bits[1], w.bits[2], w.bits[3]}, numbers[n]};
    }
  return t;
}();

}  // namespace

const BufferFormat* buffer_format(unsigned data_format, unsigned number_format) {
  if (data_format > 15 || number_format > 7 || !has(widths[data_format], number_format)) return nullptr;
  return &table[data_format][number_format];
}

}  // namespace Atoll::gfx7
