#include "surface/intel_standard_tiling.h"

#include <array>
#include <bit>
#include <string_view>

namespace Atoll::surface {
namespace {

// Source of each bit of an offset, from bit 15 down to bit 4; the lowest four are of the column. A row for each size of an element, 1 to 16
// bytes. Yf tiles have the lowest twelve bits. Samples take the place of the highest.
using Pattern = std::string_view;
constexpr Pattern flat_patterns[] = {"xyxyxyxyyyyy", "xyxyxyxyxyyy", "xyxyxyxyxyyy", "xyxyxyxyxxyy", "xyxyxyxyxxyy"};
constexpr Pattern volume_patterns[] = {"xyzxyzyzzzyy", "xyzxyzyzzzyy", "xyzxyzxyzzyy", "xyzxyzxxzzyy", "xyzxyzxxzzyy"};
constexpr unsigned column_bits = 4;

unsigned size_row(const IntelStandardSurface& s) { return unsigned(std::countr_zero(s.element_bytes)); }
unsigned sample_bits(const IntelStandardSurface& s) { return s.interleaved ? 0 : unsigned(std::countr_zero(s.samples)); }

// Bit by bit from column_bits up, samples as 's'.
template <class Take>
void each_bit(const IntelStandardSurface& s, Take take) {
  const Pattern all = (s.volume ? volume_patterns : flat_patterns)[size_row(s)];
  const unsigned bits = tile_bits(s.tile), first_of_samples = bits - sample_bits(s);
  for (unsigned bit = column_bits; bit < bits; bit++)
    take(bit, bit >= first_of_samples ? 's' : all[all.size() - 1 - (bit - column_bits)]);
}

using TailRow = std::array<uint8_t, 3>;
// By size of an element, 1 to 16 bytes.
constexpr TailRow flat_tail[][5] = {
    {{128, 0, 0}, {128, 0, 0}, {64, 0, 0}, {64, 0, 0}, {32, 0, 0}}, {{0, 128, 0}, {0, 64, 0}, {0, 64, 0}, {0, 32, 0}, {0, 32, 0}},
    {{64, 0, 0}, {64, 0, 0}, {32, 0, 0}, {32, 0, 0}, {16, 0, 0}},   {{0, 64, 0}, {0, 32, 0}, {0, 32, 0}, {0, 16, 0}, {0, 16, 0}},
    {{32, 0, 0}, {32, 0, 0}, {16, 0, 0}, {16, 0, 0}, {8, 0, 0}},    {{16, 32, 0}, {16, 16, 0}, {8, 16, 0}, {8, 8, 0}, {4, 8, 0}},
    {{0, 48, 0}, {0, 24, 0}, {0, 24, 0}, {0, 12, 0}, {0, 12, 0}},   {{0, 32, 0}, {0, 16, 0}, {0, 16, 0}, {0, 8, 0}, {0, 8, 0}},
    {{16, 16, 0}, {16, 8, 0}, {8, 8, 0}, {8, 4, 0}, {4, 4, 0}},     {{16, 0, 0}, {16, 0, 0}, {8, 0, 0}, {8, 0, 0}, {4, 0, 0}},
    {{0, 16, 0}, {0, 8, 0}, {0, 8, 0}, {0, 4, 0}, {0, 4, 0}},       {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
    {{0, 4, 0}, {0, 4, 0}, {0, 4, 0}, {2, 0, 0}, {1, 0, 0}},        {{0, 8, 0}, {8, 0, 0}, {4, 0, 0}, {4, 0, 0}, {2, 0, 0}},
    {{0, 12, 0}, {8, 4, 0}, {4, 4, 0}, {6, 0, 0}, {3, 0, 0}},
};
constexpr TailRow volume_tail[][5] = {
    {{32, 0, 0}, {16, 0, 0}, {16, 0, 0}, {16, 0, 0}, {8, 0, 0}}, {{0, 16, 0}, {0, 16, 0}, {0, 16, 0}, {0, 8, 0}, {0, 8, 0}},
    {{0, 0, 16}, {0, 0, 16}, {0, 0, 8}, {0, 0, 8}, {0, 0, 8}},   {{16, 0, 0}, {8, 0, 0}, {8, 0, 0}, {8, 0, 0}, {4, 0, 0}},
    {{0, 8, 0}, {0, 8, 0}, {0, 8, 0}, {0, 4, 0}, {0, 4, 0}},     {{8, 0, 8}, {4, 0, 8}, {4, 0, 4}, {4, 0, 4}, {2, 0, 4}},
    {{0, 4, 8}, {0, 4, 8}, {0, 4, 4}, {0, 2, 4}, {0, 2, 4}},     {{0, 0, 8}, {0, 0, 8}, {0, 0, 4}, {0, 0, 4}, {0, 0, 4}},
    {{8, 4, 0}, {4, 4, 0}, {4, 4, 0}, {4, 2, 0}, {2, 2, 0}},     {{8, 0, 0}, {4, 0, 0}, {4, 0, 0}, {4, 0, 0}, {2, 0, 0}},
    {{0, 4, 0}, {0, 4, 0}, {0, 4, 0}, {0, 2, 0}, {0, 2, 0}},     {{4, 0, 4}, {2, 0, 4}, {2, 0, 2}, {2, 0, 2}, {1, 0, 2}},
    {{0, 0, 4}, {0, 0, 4}, {0, 0, 2}, {0, 0, 2}, {0, 0, 2}},     {{4, 0, 0}, {2, 0, 0}, {2, 0, 0}, {2, 0, 0}, {1, 0, 0}},
    {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
};
static_assert(std::size(flat_tail) == 15 && std::size(volume_tail) == 15);

}  // namespace

IntelStandardExtent extent_of(const IntelStandardSurface& s) {
  IntelStandardExtent extent{1u << column_bits, 1, 1};
  each_bit(s, [&](unsigned, char from) {
    if (from == 'x') extent.width *= 2;
    if (from == 'y') extent.height *= 2;
    if (from == 'z') extent.depth *= 2;
  });
  extent.width /= s.element_bytes;
  return extent;
}

Expected<void> check(const IntelStandardSurface& s) {
  constexpr uint32_t most = 1u << 18;
  if (!std::has_single_bit(s.element_bytes) || s.element_bytes > 16)
    return fail("elements of {} bytes in standard tiles", s.element_bytes);
  if (!std::has_single_bit(s.samples) || s.samples > 16 || (s.volume && s.samples > 1))
    return fail("{} samples in standard tiles", s.samples);
  const IntelStandardExtent tile = extent_of(s);
  if (s.pitch_bytes == 0 || s.pitch_bytes > most || s.pitch_bytes % (tile.width * s.element_bytes))
    return fail("rows of {} bytes in tiles of {}", s.pitch_bytes, tile.width * s.element_bytes);
  if (s.slice_rows > most || s.slice_rows % tile.height)
    return fail("slices of {} rows in tiles of {}", s.slice_rows, tile.height);
  if (s.first_x > most || s.first_y > most || s.first_z > most)
    return fail("a level at element {} of row {}, slice {}", s.first_x, s.first_y, s.first_z);
  return {};
}

uint64_t address(const IntelStandardSurface& s, const ElementPlace& place) {
  const IntelStandardExtent tile = extent_of(s);
  uint64_t x = (uint64_t(s.first_x) + place.x) * s.element_bytes;
  uint32_t y = s.first_y + place.y, z = s.first_z + place.slice, sample = place.sample;
  const uint64_t slice = z / tile.depth;
  uint64_t inside = x & ((1u << column_bits) - 1);
  x >>= column_bits;
  each_bit(s, [&](unsigned bit, char from) {
    uint64_t value = 0;
    switch (from) {
      case 'x': value = x & 1, x >>= 1; break;
      case 'y': value = y & 1, y >>= 1; break;
      case 'z': value = z & 1, z >>= 1; break;
      default: value = sample & 1, sample >>= 1;
    }
    inside |= value << bit;
  });
  // The bits that are left count tiles.
  const uint64_t row = slice * (s.slice_rows / tile.height) + y;
  return ((row * (s.pitch_bytes / (tile.width * s.element_bytes)) + x) << tile_bits(s.tile)) + inside;
}

std::optional<IntelTailPlace> tail_place(const IntelStandardSurface& s, unsigned n) {
  constexpr unsigned first_of_yf = 4;
  if (s.tile == IntelStandardTile::yf) n += first_of_yf;
  if (s.samples > 1 || n >= std::size(flat_tail)) return {};
  const TailRow& at = (s.volume ? volume_tail : flat_tail)[n][size_row(s)];
  return IntelTailPlace{at[0], at[1], at[2]};
}

}  // namespace Atoll::surface
