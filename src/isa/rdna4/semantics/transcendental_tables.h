// The tables of the transcendental unit (transcendental_unit.h) as its words take them: isa/rdna4-transcendental.tsv.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace Atoll::rdna4 {

template <size_t size>
struct UnitTables {
  std::array<uint32_t, size> c0{}, c1{}, c2{}, c3{};
  std::array<uint32_t, size> half_c0{}, half_c1{};  // as Unit::cubic_by_roundings() takes them
};

struct UnitCoefficients {
  int32_t c0, c1, c2, c3;
};
#define ATOLL_UNIT_ROW(c0, c1, c2, c3) UnitCoefficients{c0, c1, c2, c3},
namespace coefficients {
#include "isa/rdna4/transcendental.inc"
}  // namespace coefficients
#undef ATOLL_UNIT_ROW

// n 2^-power, as the bits of a float: exact.
constexpr float scaled(int64_t n, int power) {
  float x = float(n);
  for (; power > 0; power--) x /= 2;
  return x;
}
constexpr uint32_t scaled_bits(int64_t n, int power) { return std::bit_cast<uint32_t>(scaled(n, power)); }
// c2 2^-power for Unit::inner(), with c3's greatest share of the sum: 2 less where the sum stays below 1.
constexpr uint32_t inner_bits(int64_t c2, int power, float most) {
  const float c = scaled(c2, power);
  return std::bit_cast<uint32_t>(c < 1 && c + most < 1 ? c - 2 : c);
}

struct UnitRow {
  uint32_t c0, c1, c2, c3;
  float half = 0.5f;  // below zero: the linear term is added, and the quadratic one taken away
};
template <size_t size>
constexpr void put(UnitTables<size>& table, size_t at, UnitRow row) {
  table.c0[at] = row.c0, table.c1[at] = row.c1, table.c2[at] = row.c2, table.c3[at] = row.c3;
  table.half_c0[at] = row.c0 / 2 - (row.half > 0 ? 32 : 64);
  table.half_c1[at] = std::bit_cast<uint32_t>(std::bit_cast<float>(row.c1) * row.half);
}
template <size_t size, size_t count, class Convert>
constexpr UnitTables<size> unit_tables(const UnitCoefficients (&rows)[count], Convert convert, size_t from = 0) {
  UnitTables<size> out;
  for (size_t n = 0; n < count; n++) put(out, n ^ from, convert(rows[n]));
  return out;
}

// c2 2^-power for Unit::inner_even().
constexpr uint32_t even_inner_bits(int64_t c2, int power) { return std::bit_cast<uint32_t>(scaled(c2, power) - 1.5f); }

// c0 in the units of what is rounded (of reciprocal roots half of them), c1 as a float by the linear term's unit, c2 and c3 as
// Unit::inner() takes them. Roots: the halves change places, as the exponent's lowest bit, which is 1 of 1.0, is that of the row.
inline constexpr auto reciprocal_table = unit_tables<32>(coefficients::rcp, [](UnitCoefficients c) {
  return UnitRow{uint32_t(c.c0) << 4, scaled_bits(c.c1, 14), even_inner_bits(c.c2, 15), scaled_bits(-c.c3, 33)};
});
inline constexpr auto reciprocal_root_table = unit_tables<64>(
    coefficients::rsq,
    [](UnitCoefficients c) {
      return UnitRow{uint32_t(c.c0) << 5, scaled_bits(c.c1, 13), even_inner_bits(c.c2, 14), scaled_bits(-c.c3, 32)};
    },
    32);
inline constexpr auto root_table = unit_tables<32>(
    coefficients::sqrt,
    [](UnitCoefficients c) {
      return UnitRow{uint32_t(c.c0) << 4, scaled_bits(c.c1, 16), even_inner_bits(c.c2, 15), scaled_bits(-c.c3, 33), -0.5f};
    },
    16);

inline constexpr auto exponential_table = unit_tables<32>(coefficients::exp, [](UnitCoefficients c) {
  return UnitRow{uint32_t(c.c0) << 1, scaled_bits(c.c1, 23), inner_bits(c.c2, 23, scaled(c.c3, 12)), scaled_bits(c.c3, 30)};
});
// Rows 0 to 31, 32: the upper half of row 1; from 40 and 48 on those above and below 1, by the distance's bits from 2^16 on. c1 as
// mul_high_u() takes it; below 1 c0 in units of 2^-34.
inline constexpr auto logarithm_table = [] {
  auto placed = [](UnitCoefficients c) {
    return UnitRow{uint32_t(c.c0), uint32_t(c.c1) << 8, inner_bits(c.c2, 23, 0), scaled_bits(-c.c3, 45)};
  };
  auto out = unit_tables<64>(coefficients::log, placed);
  for (size_t n = 0; n < 5; n++) {
    put(out, 40 + n, placed(coefficients::log_above_1[n < 2 ? n : 2]));
    UnitCoefficients below = coefficients::log_below_1[n < 2 ? 0 : 1];
    below.c0 /= 1 << 16, below.c3 = -below.c3;
    put(out, 48 + n, placed(below));
  }
  return out;
}();
// The sine's 16 rows, then the cosine's; of `cosine` the other way round. c0 in units of 2^-29, c1's size.
constexpr UnitTables<32> turn_rows(bool cosine) {
  auto placed = [](UnitCoefficients c) {
    return UnitRow{uint32_t(c.c0) << 3, scaled_bits(c.c1 < 0 ? -c.c1 : c.c1, 17), even_inner_bits(-c.c2, 16),
                   scaled_bits(-c.c3, 34)};
  };
  UnitTables<32> out;
  for (size_t n = 0; n < 16; n++) {
    put(out, n ^ (cosine ? 16 : 0), placed(coefficients::sin[n]));
    put(out, n ^ (cosine ? 0 : 16), placed(coefficients::cos[n]));
  }
  return out;
}
inline constexpr auto turn_table = turn_rows(false), turn_table_of_cosine = turn_rows(true);
// The coefficients of the sine's first rows, in units of 2^-34, and as mul_high_u() takes c1.
constexpr uint32_t fine_c0(size_t n) { return uint32_t(coefficients::sin[n].c0) << 8; }
constexpr uint32_t fine_c1(size_t n) { return uint32_t(coefficients::sin[n].c1) << 9; }

}  // namespace Atoll::rdna4
