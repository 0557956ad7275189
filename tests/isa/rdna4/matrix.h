// Matrices of WMMA and SWMMAC in the registers of one wave, and values for their elements. Used by the tests of both.
#pragma once
#include <bit>
#include <cmath>

#include "half_reference.h"
#include "single_step.h"

namespace Atoll::rdna4::test {

enum Type { f16, bf16, fp8, bf8, iu8, iu4, f32, i32 };
struct Product {
  const char* name;
  Type a, b, c;
  int k;
};
inline int size_of(Type t) { return t == iu4 ? 4 : t == fp8 || t == bf8 || t == iu8 ? 8 : t == f16 || t == bf16 ? 16 : 32; }

inline double value_of(Type t, uint32_t x, bool is_signed) {
  switch (t) {
    case f16: return half_value(uint16_t(x));
    case bf16: return std::bit_cast<float>(x << 16);
    case bf8: return half_value(uint16_t(x << 8));
    case fp8: {
      int e = x >> 3 & 15, m = x & 7;
      if ((x & 0x7f) == 0x7f) return std::nan("");
      double v = e ? std::ldexp(8 + m, e - 10) : std::ldexp(m, -9);
      return x & 0x80 ? -v : v;
    }
    case iu8: return is_signed ? int8_t(x) : int(x & 255);
    case iu4: return is_signed ? int(x & 15) - (x & 8 ? 16 : 0) : int(x & 15);
    case f32: return std::bit_cast<float>(x);
    case i32: return int32_t(x);
  }
  return 0;
}

// A value: small whole numbers when `exact` (sums are then exact in every format), any finite one otherwise.
inline uint32_t pick(Words& words, Type t, bool exact) {
  uint32_t r = words.next();
  int small = int(r % 5) - 2;
  switch (t) {
    case f16:
      return exact         ? half_from_float(std::bit_cast<uint32_t>(float(small)), 0)
             : r & 0x8000u ? (r & 0x83ff) | (9 + r % 13) << 10
                           : (r >> 16 & 0xbbff);
    case bf16: return exact ? std::bit_cast<uint32_t>(float(small)) >> 16 : (r & 0x807f) | (120 + r / 65536 % 15) << 7;
    case fp8:
      return exact                ? uint32_t(small < 0 ? 0x80 : 0) | uint32_t(std::abs(small) == 2   ? 0x40
                                                                              : std::abs(small) == 1 ? 0x38
                                                                                                     : 0)
             : (r & 0x7f) == 0x7f ? 0
                                  : r & 0xff;
    case bf8:
      return exact                ? uint32_t(small < 0 ? 0x80 : 0) | uint32_t(std::abs(small) == 2   ? 0x40
                                                                              : std::abs(small) == 1 ? 0x3c
                                                                                                     : 0)
             : (r & 0x7c) == 0x7c ? 0
                                  : r & 0xff;
    case iu8: return r & 255;
    case iu4: return r & 15;
    case f32: return exact ? std::bit_cast<uint32_t>(float(small * 3)) : (r & 0x807fffff) | (120 + r / 16 % 15) << 23;
    case i32: return r;
  }
  return 0;
}

inline uint32_t rounded(Type t, float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  if (t == f16) return half_from_float(bits, 0);
  if (t == bf16) return x != x ? bits >> 16 | 0x40 : uint32_t((uint64_t(bits) + 0x7fff + (bits >> 16 & 1)) >> 16);
  return bits;
}

// Registers: A from v0, B from v32, C or the indices from v64, D in v96.
constexpr uint32_t va = 0, vb = 32, vc = 64, vd = 96;

struct Layout {
  SingleStep& wave;
  bool w64;
  void put(uint32_t vgpr, uint32_t lane, int size, int position, uint32_t x) {
    uint32_t& word = wave.v(vgpr, lane);
    uint64_t mask = ((uint64_t(1) << size) - 1) << size * position;
    word = uint32_t((word & ~mask) | (uint64_t(x) << size * position & mask));
  }
  // Row n of a dense A or column n of a dense B.
  void put_ab(uint32_t base, Type t, int depth, int k, int n, uint32_t x) {
    uint32_t vgpr = base;
    int size = size_of(t);
    bool deep = t == iu4 && depth == 32;
    int lane = n, position;
    if (size == 16) {
      position = k % 2;
      if (w64)
        lane += k / 4 * 16, vgpr += uint32_t(k / 2 % 2);
      else
        lane += k / 4 % 2 * 16, vgpr += uint32_t(k / 8 * 2 + k / 2 % 2);
    } else if (size == 8) {
      position = k % 4;
      if (w64)
        lane += k / 8 * 16 + k / 4 % 2 * 32;
      else
        lane += k / 8 * 16, vgpr += uint32_t(k / 4 % 2);
    } else if (!deep) {
      position = k % 8, lane += k / 8 * 16;
    } else {
      position = k % 8, lane += k / 16 * 16;
      if (w64)
        lane += k / 8 % 2 * 32;
      else
        vgpr += uint32_t(k / 8 % 2);
    }
    put(vgpr, uint32_t(lane), size, position, x);
  }
  // The maps of 7.12.2 "Register format for dense matrix results".
  uint32_t result_lane(int row, int column) {
    return uint32_t(w64 ? row / 4 % 2 * 32 + row / 8 * 16 + column : row / 8 * 16 + column);
  }
  void put_c(uint32_t base, Type t, int row, int column, uint32_t x) {
    int n = w64 ? row % 4 : row % 8;
    if (size_of(t) == 32)
      put(base + uint32_t(n), result_lane(row, column), 32, 0, x);
    else
      put(base + uint32_t(n / 2), result_lane(row, column), 16, row % 2, x);
  }
  uint32_t get_c(uint32_t base, Type t, int row, int column) {
    int n = w64 ? row % 4 : row % 8;
    if (size_of(t) == 32) return wave.v(base + uint32_t(n), result_lane(row, column));
    return wave.v(base + uint32_t(n / 2), result_lane(row, column)) >> 16 * (row % 2) & 0xffff;
  }
};

inline Instruction matrix_instruction() {
  Instruction i;
  i.src[0] = VGPR0 + va, i.src[1] = VGPR0 + vb, i.src[2] = VGPR0 + vc, i.dst = vd;
  return i;
}

}  // namespace Atoll::rdna4::test
