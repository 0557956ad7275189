#include "surface/banked_tiling.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>

namespace Atoll::surface {

namespace {

using Rotation = ArrangementRow::Rotation;

constexpr ArrangementRow arrangements[] = {
    // arrangement, thickness, macro, rotation, split rotates, position free
    {Arrangement::linear, 1, false, Rotation::none, false, false},
    {Arrangement::micro_thin, 1, false, Rotation::none, false, false},
    {Arrangement::micro_thick, 4, false, Rotation::none, false, false},
    {Arrangement::macro_2d_thin, 1, true, Rotation::banks, true, false},
    {Arrangement::macro_2d_thick, 4, true, Rotation::banks, false, false},
    {Arrangement::macro_2d_extra_thick, 8, true, Rotation::banks, false, false},
    {Arrangement::macro_3d_thin, 1, true, Rotation::pipes_and_banks, true, false},
    {Arrangement::macro_3d_thick, 4, true, Rotation::pipes_and_banks, false, false},
    {Arrangement::macro_3d_extra_thick, 8, true, Rotation::pipes_and_banks, false, false},
    {Arrangement::resident_thin, 1, true, Rotation::none, false, true},
    {Arrangement::resident_thick, 4, true, Rotation::none, false, true},
    {Arrangement::resident_2d_thin, 1, true, Rotation::none, true, false},
    {Arrangement::resident_2d_thick, 4, true, Rotation::none, false, false},
    {Arrangement::resident_3d_thin, 1, true, Rotation::none, true, false},
    {Arrangement::resident_3d_thick, 4, true, Rotation::none, false, false},
};
static_assert(std::size(arrangements) == arrangement_count);

// A pipe's number, bit by bit: the parity of some bits of the micro tile's column and row (bit 0 is bit 3 of x or y).
struct PipeBit {
  uint8_t columns, rows;
};
constexpr uint8_t b3 = 1, b4 = 2, b5 = 4, b6 = 8;  // bits 3 to 6 of x or y
struct PipeRow {
  PipeConfig config;
  uint8_t bits;
  PipeBit bit[4];
};
constexpr PipeRow pipe_table[] = {
    {PipeConfig::p2, 1, {{b3, b3}}},
    {PipeConfig::p4_8x16, 2, {{b4, b3}, {b3, b4}}},
    {PipeConfig::p4_16x16, 2, {{b3 | b4, b3}, {b4, b4}}},
    {PipeConfig::p4_16x32, 2, {{b3 | b4, b3}, {b4, b5}}},
    {PipeConfig::p4_32x32, 2, {{b3 | b5, b3}, {b5, b5}}},
    {PipeConfig::p8_16x32_8x16, 3, {{b4 | b5, b3}, {b3, b4}, {b4, b5}}},
    {PipeConfig::p8_16x32_16x16, 3, {{b3 | b4, b3}, {b5, b4}, {b4, b5}}},
    {PipeConfig::p8_32x32_8x16, 3, {{b4 | b5, b3}, {b3, b4}, {b5, b5}}},
    {PipeConfig::p8_32x32_16x16, 3, {{b3 | b4, b3}, {b4, b4}, {b5, b5}}},
    {PipeConfig::p8_32x32_16x32, 3, {{b3 | b4, b3}, {b4, b6}, {b5, b5}}},
    {PipeConfig::p8_32x64_32x32, 3, {{b3 | b5, b3}, {b6, b5}, {b5, b6}}},
    {PipeConfig::p16_32x32_8x16, 4, {{b4, b3}, {b3, b4}, {b5, b6}, {b6, b5}}},
    {PipeConfig::p16_32x32_16x16, 4, {{b3 | b4, b3}, {b4, b4}, {b5, b6}, {b6, b5}}},
};
static_assert(std::size(pipe_table) == pipe_config_count);

// The bits of x, y and slice that an element's index consists of: a letter a bit, from bit 0 upwards.
constexpr const char* display_order[5] = {"abcBAC", "abcABC", "abAcBC", "aAbcBC", "AabcBC"};  // a b c: x0 x1 x2; A B C: y0 y1 y2
constexpr const char* rotated_order[4] = {"ABCbac", "ABCabc", "ABaCbc", "AaBbcC"};
constexpr const char* thick_order[5] = {"aAbB01cC2", "aAbB01cC2", "aAb0B1cC2", "aA0bB1cC2", "aA0bB1cC2"};  // 0 1 2: slice bits
constexpr const char* thin_order = "aAbBcC012";

unsigned log2(unsigned power_of_two) { return unsigned(std::countr_zero(power_of_two)); }
bool power_within(unsigned value, unsigned low, unsigned high) {
  return std::has_single_bit(value) && value >= low && value <= high;
}

const char* order_of(MicroOrder order, unsigned element_bytes) {
  unsigned size = log2(element_bytes);
  switch (order) {
    case MicroOrder::display: return display_order[size];
    case MicroOrder::rotated: return rotated_order[size];
    case MicroOrder::thick: return thick_order[size];
    default: return thin_order;
  }
}

// The element's index in its micro tile, which is `thickness` slices deep.
unsigned element_index(const char* order, unsigned thickness, unsigned x, unsigned y, unsigned slice) {
  unsigned index = 0, bits = 6 + log2(thickness), place = 0;
  for (const char* letter = order; *letter && place < bits; letter++) {
    unsigned bit = *letter >= 'a' ? x >> (*letter - 'a') : *letter >= 'A' ? y >> (*letter - 'A') : slice >> (*letter - '0');
    index |= (bit & 1) << place++;
  }
  // Orders without slice bits go on with them.
  for (unsigned bit = 0; place < bits; bit++) index |= (slice >> bit & 1) << place++;
  return index;
}

unsigned pipe_of(const BankedTiling& t, const ArrangementRow& arrangement, unsigned column, unsigned row_, unsigned slice) {
  unsigned pipe = pipe_of_tile(t.pipe_config, column, row_), count = pipes(t.pipe_config);
  unsigned rotation = 0;
  if (arrangement.rotation == Rotation::pipes_and_banks)
    rotation = unsigned(std::max(1, int(count / 2) - 1)) * (slice / arrangement.thickness);
  return pipe ^ ((t.pipe_swizzle + rotation) & (count - 1));
}

unsigned bank_of(const BankedTiling& t, const ArrangementRow& arrangement, unsigned column, unsigned row_, unsigned slice,
                 unsigned split_slice) {
  unsigned pipe_count = pipes(t.pipe_config);
  unsigned tx = column / (t.bank_width * pipe_count), ty = row_ / t.bank_height;
  auto x = [&](unsigned i) { return tx >> i & 1; };
  auto y = [&](unsigned i) { return ty >> i & 1; };
  unsigned n = log2(t.banks);
  // Bit i is column bit i, xored with the row's bits in reverse; the second bit takes the row's highest as well.
  unsigned bank = 0;
  for (unsigned i = 0; i < n; i++) bank |= (x(i) ^ y(n - 1 - i)) << i;
  if (n >= 3) bank ^= y(n - 1) << 1;
  // The bank must depend on x4 where the pipe does not. AddrLib ors the parity into bank bit 0 without clearing it, which puts
  // two tiles in one place; exclusive or is what makes it a bijection. No Sea Islands chip has these two.
  if ((t.pipe_config == PipeConfig::p4_32x32 || t.pipe_config == PipeConfig::p8_32x64_32x32) && t.bank_width == 1)
    bank ^= (column >> 1 ^ column >> 2) & 1;
  unsigned rotation = 0, tile_slice = slice / arrangement.thickness;
  if (arrangement.rotation == Rotation::banks) rotation = (t.banks / 2 - 1) * tile_slice;
  if (arrangement.rotation == Rotation::pipes_and_banks)
    rotation = unsigned(std::max(1, int(pipe_count / 2) - 1)) * tile_slice / pipe_count;
  bank ^= t.bank_swizzle + rotation;
  if (arrangement.split_rotates) bank ^= (t.banks / 2 + 1) * split_slice;
  return bank & (t.banks - 1);
}

// Values that are the same for all elements.
struct Layout2d {
  const ArrangementRow& arrangement;
  unsigned tile_bytes;  // of a micro tile with all samples and slices, before a split
  unsigned part_bytes;  // of it after the split
  unsigned parts;
  unsigned width, height;  // macro tile, in micro tiles
  unsigned macro_across, macro_down;
  uint64_t macro_bytes;  // of a macro tile in one pipe and bank
};

Layout2d layout_of(const BankedSurface& s) {
  const BankedTiling& t = s.tiling;
  const ArrangementRow& arrangement = row(t.arrangement);
  unsigned tile_bytes = 64 * arrangement.thickness * s.element_bytes * s.samples;
  bool split = arrangement.thickness == 1 && tile_bytes > t.tile_split_bytes;
  unsigned part_bytes = split ? t.tile_split_bytes : tile_bytes;
  MacroTile macro = macro_tile(t);
  unsigned width = macro.width / 8, height = macro.height / 8;
  return {arrangement,
          tile_bytes,
          part_bytes,
          tile_bytes / part_bytes,
          width,
          height,
          s.pitch / macro.width,
          s.height / macro.height,
          uint64_t(part_bytes) * width * height / (pipes(t.pipe_config) * t.banks)};
}

// The element's bytes from the start of its micro tile.
unsigned offset_in_tile(const BankedSurface& s, unsigned thickness, const ElementPlace& p) {
  unsigned index = element_index(order_of(s.tiling.order, s.element_bytes), thickness, p.x, p.y, p.slice);
  if (s.tiling.order == MicroOrder::depth) return (index * s.samples + p.sample) * s.element_bytes;
  return (p.sample * 64 * thickness + index) * s.element_bytes;
}

// Puts pipe and bank between the lowest and the other bits of an offset inside one pipe and bank.
uint64_t spread(const BankedTiling& t, uint64_t offset, unsigned pipe, unsigned bank) {
  unsigned interleave = log2(t.pipe_interleave_bytes), pipe_bits = pipe_table[int(t.pipe_config)].bits, bank_bits = log2(t.banks);
  return (offset & (t.pipe_interleave_bytes - 1)) | uint64_t(pipe) << interleave | uint64_t(bank) << (interleave + pipe_bits) |
         offset >> interleave << (interleave + pipe_bits + bank_bits);
}

// The address at which a part of a micro tile starts.
uint64_t part_address(const BankedSurface& s, const Layout2d& l, unsigned column, unsigned row_, unsigned slice, unsigned part) {
  const BankedTiling& t = s.tiling;
  uint64_t macro = uint64_t(row_ / l.height) * l.macro_across + column / l.width;
  uint64_t tile_slice = uint64_t(part) + uint64_t(l.parts) * (slice / l.arrangement.thickness);
  unsigned tile = row_ % t.bank_height * t.bank_width + column / pipes(t.pipe_config) % t.bank_width;
  uint64_t offset = (tile_slice * l.macro_across * l.macro_down + macro) * l.macro_bytes + uint64_t(tile) * l.part_bytes;
  if (l.arrangement.position_free) column %= l.width, row_ %= l.height;
  return spread(t, offset, pipe_of(t, l.arrangement, column, row_, slice), bank_of(t, l.arrangement, column, row_, slice, part));
}

// Parts start at multiples of their size, a power of two, so that the place inside only fills in bits.
uint64_t macro_address(const BankedSurface& s, const Layout2d& l, const ElementPlace& p) {
  unsigned inside = offset_in_tile(s, l.arrangement.thickness, p);
  return part_address(s, l, p.x / 8, p.y / 8, p.slice, inside / l.part_bytes) | spread(s.tiling, inside % l.part_bytes, 0, 0);
}

uint64_t micro_address(const BankedSurface& s, const ElementPlace& p) {
  unsigned thickness = row(s.tiling.arrangement).thickness;
  uint64_t tile_bytes = uint64_t(64) * thickness * s.element_bytes * s.samples;
  uint64_t tiles_across = s.pitch / 8, tiles_down = s.height / 8;
  uint64_t tile = (p.slice / thickness * tiles_down + p.y / 8) * tiles_across + p.x / 8;
  return tile * tile_bytes + offset_in_tile(s, thickness, p);
}

uint64_t linear_address(const BankedSurface& s, const ElementPlace& p) {
  return ((uint64_t(p.slice) * s.height + p.y) * s.pitch + p.x) * s.element_bytes;
}

}  // namespace

const ArrangementRow& row(Arrangement arrangement) {
  ATOLL_ASSERT(int(arrangement) < arrangement_count);
  return arrangements[int(arrangement)];
}

unsigned pipes(PipeConfig config) {
  ATOLL_ASSERT(int(config) < pipe_config_count);
  return 1u << pipe_table[int(config)].bits;
}

unsigned pipe_of_tile(PipeConfig config, unsigned column, unsigned row_) {
  ATOLL_ASSERT(int(config) < pipe_config_count);
  const PipeRow& p = pipe_table[int(config)];
  unsigned pipe = 0;
  for (unsigned i = 0; i < p.bits; i++)
    pipe |= unsigned(std::popcount((column & p.bit[i].columns)) + std::popcount((row_ & p.bit[i].rows)) & 1) << i;
  return pipe;
}

MacroTile macro_tile(const BankedTiling& t) {
  if (t.arrangement == Arrangement::linear) return {1, 1};
  if (!row(t.arrangement).macro) return {8, 8};
  return {8 * t.bank_width * pipes(t.pipe_config) * t.macro_aspect, 8 * t.bank_height * t.banks / t.macro_aspect};
}

unsigned tile_split(bool depth, unsigned depth_split_bytes, unsigned sample_split, unsigned element_bytes, unsigned thickness,
                    unsigned row_bytes) {
  unsigned split = depth ? depth_split_bytes : std::max(256u, sample_split * 64 * thickness * element_bytes);
  return std::min(split, row_bytes);
}

unsigned bank_setting(unsigned tile_split_bytes, unsigned element_bytes, unsigned thickness, unsigned samples, bool resident) {
  unsigned bytes = std::clamp(64 * thickness * element_bytes * samples, 64u, std::max(tile_split_bytes, 64u));
  return unsigned(std::bit_width(bytes / 64)) - 1 + (resident ? 8 : 0);
}

Expected<void> check(const BankedSurface& s) {
  const BankedTiling& t = s.tiling;
  if (int(t.arrangement) >= arrangement_count) return fail("{} is no arrangement of a surface", int(t.arrangement));
  if (s.pitch == 0 || s.height == 0) return fail("a surface of {} x {} elements", s.pitch, s.height);
  if (t.arrangement == Arrangement::linear) {
    if (s.element_bytes == 0 || s.element_bytes > 16) return fail("elements of {} bytes: 1 to 16 are possible", s.element_bytes);
    if (s.samples != 1) return fail("a linear surface of {} samples: linear surfaces have one", s.samples);
    return {};
  }
  const ArrangementRow& arrangement = row(t.arrangement);
  if (!power_within(s.element_bytes, 1, 16))
    return fail("tiled elements of {} bytes: 1, 2, 4, 8 and 16 are possible", s.element_bytes);
  if (!power_within(s.samples, 1, 16)) return fail("{} samples: 1, 2, 4, 8 and 16 are possible", s.samples);
  if (arrangement.thickness > 1 && s.samples > 1) return fail("thick tiles of {} samples: they have one", s.samples);
  if (t.order > MicroOrder::thick) return fail("{} is no order of a micro tile", int(t.order));
  if (t.order == MicroOrder::rotated && s.element_bytes == 16) return fail("rotated micro tiles have elements of up to 8 bytes");
  if ((t.order == MicroOrder::thick) && arrangement.thickness == 1) return fail("the thick order in tiles of one slice");
  if (t.order == MicroOrder::rotated && arrangement.thickness > 1) return fail("rotated micro tiles in thick tiles");
  if (arrangement.macro) {
    if (int(t.pipe_config) >= pipe_config_count) return fail("{} is no pipe configuration", int(t.pipe_config));
    if (!power_within(t.pipe_interleave_bytes, 64, 4096)) return fail("a pipe interleave of {} bytes", t.pipe_interleave_bytes);
    if (!power_within(t.banks, 2, 16)) return fail("{} banks: 2, 4, 8 and 16 are possible", t.banks);
    for (unsigned value : {t.bank_width, t.bank_height, t.macro_aspect})
      if (!power_within(value, 1, 8))
        return fail("a bank width, bank height or macro tile aspect of {}: 1, 2, 4 and 8 are possible", value);
    if (t.macro_aspect > t.banks) return fail("a macro tile aspect of {} with {} banks", t.macro_aspect, t.banks);
    if (!power_within(t.tile_split_bytes, 64, 4096))
      return fail("a tile split of {} bytes: 64 to 4096 are possible", t.tile_split_bytes);
  }
  MacroTile macro = macro_tile(t);
  if (s.pitch % macro.width || s.height % macro.height)
    return fail("{} x {} elements are no multiple of the tile's {} x {}", s.pitch, s.height, macro.width, macro.height);
  return {};
}

uint64_t address(const BankedSurface& s, const ElementPlace& p) {
  if (s.tiling.arrangement == Arrangement::linear) return linear_address(s, p);
  if (!row(s.tiling.arrangement).macro) return micro_address(s, p);
  return macro_address(s, layout_of(s), p);
}

uint64_t slice_bytes(const BankedSurface& s) { return uint64_t(s.pitch) * s.height * s.element_bytes * s.samples; }

Expected<ElementPlace> element_at(const BankedSurface& s, uint64_t byte) {
  const BankedTiling& t = s.tiling;
  if (t.arrangement == Arrangement::linear) {
    uint64_t index = byte / s.element_bytes;
    return ElementPlace{unsigned(index % s.pitch), unsigned(index / s.pitch % s.height), unsigned(index / s.pitch / s.height), 0};
  }
  const ArrangementRow& arrangement = row(t.arrangement);
  unsigned thickness = arrangement.thickness;
  // The micro tiles that may hold the byte, then the one element of them whose address it is.
  byte -= byte % s.element_bytes;
  auto search_tile = [&](ElementPlace tile) -> std::optional<ElementPlace> {
    for (unsigned z = 0; z < thickness; z++)
      for (unsigned y = 0; y < 8; y++)
        for (unsigned x = 0; x < 8; x++)
          for (unsigned sample = 0; sample < s.samples; sample++) {
            ElementPlace place = {tile.x + x, tile.y + y, tile.slice + z, sample};
            if (address(s, place) == byte) return place;
          }
    return std::nullopt;
  };
  if (!arrangement.macro) {
    uint64_t tile = byte / (uint64_t(64) * thickness * s.element_bytes * s.samples), across = s.pitch / 8, down = s.height / 8;
    if (auto place = search_tile(
            {unsigned(tile % across) * 8, unsigned(tile / across % down) * 8, unsigned(tile / across / down) * thickness, 0}))
      return *place;
    return fail("no element of the surface lies at byte {}", byte);
  }
  Layout2d l = layout_of(s);
  unsigned interleave = log2(t.pipe_interleave_bytes), chip_bits = pipe_table[int(t.pipe_config)].bits + log2(t.banks);
  uint64_t offset = (byte & (t.pipe_interleave_bytes - 1)) | byte >> (interleave + chip_bits) << interleave;
  uint64_t macro = offset / l.macro_bytes, per_slice = uint64_t(l.macro_across) * l.macro_down;
  unsigned tile_slice = unsigned(macro / per_slice / l.parts), tile = unsigned(offset % l.macro_bytes / l.part_bytes);
  macro %= per_slice;
  unsigned first_column = unsigned(macro % l.macro_across) * l.width, first_row = unsigned(macro / l.macro_across) * l.height;
  unsigned part = unsigned(offset / l.macro_bytes / per_slice % l.parts);
  unsigned pipe = unsigned(byte >> interleave) & (pipes(t.pipe_config) - 1);
  unsigned bank = unsigned(byte >> (interleave + pipe_table[int(t.pipe_config)].bits)) & (t.banks - 1);
  for (unsigned r = 0; r < l.height; r++)
    for (unsigned c = 0; c < l.width; c++) {
      if (r % t.bank_height * t.bank_width + c / pipes(t.pipe_config) % t.bank_width != tile) continue;
      unsigned column = first_column + c, row_ = first_row + r;
      unsigned slice = tile_slice * thickness;
      unsigned at_column = arrangement.position_free ? c : column, at_row = arrangement.position_free ? r : row_;
      if (pipe_of(t, arrangement, at_column, at_row, slice) != pipe) continue;
      if (bank_of(t, arrangement, at_column, at_row, slice, part) != bank) continue;
      if (auto place = search_tile({column * 8, row_ * 8, slice, 0})) return *place;
    }
  return fail("no element of the surface lies at byte {}", byte);
}

void row_addresses(const BankedSurface& s, ElementPlace place, std::span<uint64_t> addresses) {
  if (s.tiling.arrangement == Arrangement::linear) {
    uint64_t byte = linear_address(s, place);
    for (auto& a : addresses) a = byte, byte += s.element_bytes;
    return;
  }
  // The eight elements of a row of a micro tile lie at the same places in every tile.
  unsigned thickness = row(s.tiling.arrangement).thickness, part[8];
  uint64_t inside[8], start = 0;
  bool macro = row(s.tiling.arrangement).macro;
  Layout2d layout = macro ? layout_of(s) : Layout2d{row(s.tiling.arrangement), 0, 1, 1, 1, 1, 1, 1, 0};
  for (unsigned i = 0; i < 8; i++) {
    unsigned offset = offset_in_tile(s, thickness, {i, place.y, place.slice, place.sample});
    part[i] = macro ? offset / layout.part_bytes : 0;
    inside[i] = macro ? spread(s.tiling, offset % layout.part_bytes, 0, 0) : offset;
  }
  bool one_part = std::all_of(part, part + 8, [&](unsigned p) { return p == part[0]; });
  for (size_t n = 0; n < addresses.size(); n++, place.x++) {
    if (!one_part) {
      addresses[n] = macro_address(s, layout, place);
      continue;
    }
    if (n == 0 || place.x % 8 == 0)
      start = macro ? part_address(s, layout, place.x / 8, place.y / 8, place.slice, part[0])
                    : micro_address(s, {place.x & ~7u, place.y, place.slice, place.sample}) - inside[0];
    addresses[n] = start + inside[place.x % 8];
  }
}

}  // namespace Atoll::surface
