// The fields of Gen12's 128-bit instructions (Mesa src/intel/compiler/brw_eu_inst.h, the columns of gfx12), read and written by
// decoder and encoder alike.
#pragma once
#include <array>
#include <cstdint>

namespace Atoll::xe_lp {

using Words = std::array<uint32_t, 4>;

// Bits low … low + width - 1 of the instruction, all in one 64-bit half.
struct Bits {
  uint8_t low, width = 1;
  constexpr uint32_t get(const Words& w) const {
    uint64_t half = low < 64 ? w[0] | uint64_t(w[1]) << 32 : w[2] | uint64_t(w[3]) << 32;
    return uint32_t(half >> (low & 63) & ((uint64_t(1) << width) - 1));
  }
  constexpr void put(Words& w, uint32_t value) const {
    uint64_t mask = ((uint64_t(1) << width) - 1) << (low & 63), bits = uint64_t(value) << (low & 63) & mask;
    unsigned n = low < 64 ? 0 : 2;
    uint64_t half = ((w[n] | uint64_t(w[n + 1]) << 32) & ~mask) | bits;
    w[n] = uint32_t(half), w[n + 1] = uint32_t(half >> 32);
  }
};

namespace bits {
inline constexpr Bits opcode{0, 7}, swsb{8, 8}, exec_size{16, 3}, channel_offset{19, 3}, flag_half{22}, flag{23}, predicate{24, 4},
    inverse{28}, compacted{29}, debug{30}, no_mask{31}, atomic{32}, accumulator_write{33}, branch_control{33}, saturate{34};
inline constexpr Bits condition{92, 4};
inline constexpr Bits jip{96, 32}, uip{64, 32};
// one and two sources
inline constexpr Bits dst_indirect{35}, dst_type{36, 4}, dst_horizontal{48, 2}, dst_grf{50}, dst_byte{51, 5}, dst_number{56, 8};
struct Source {
  Bits immediate, type, horizontal, grf, byte, number, indirect, width, vertical, absolute, negate;
};
inline constexpr Source source[2] = {
    {{46}, {40, 4}, {64, 2}, {66}, {67, 5}, {72, 8}, {80}, {81, 3}, {84, 4}, {44}, {45}},
    {{47}, {88, 4}, {96, 2}, {98}, {99, 5}, {104, 8}, {112}, {113, 3}, {116, 4}, {120}, {121}},
};
inline constexpr Bits immediate32{96, 32};
// three sources: types have 3 bits and float_types says which set they are of; strides of source 2 are horizontal alone
inline constexpr Bits ternary_dst_type{36, 3}, ternary_floats{39}, ternary_dst_horizontal{48}, ternary_dst_byte8{54, 2};
struct TernarySource {
  Bits type, horizontal, vertical_low, vertical_high, grf, byte, number, absolute, negate;
};
inline constexpr TernarySource ternary_source[3] = {
    {{40, 3}, {64, 2}, {35}, {43}, {66}, {67, 5}, {72, 8}, {44}, {45}},
    {{88, 3}, {96, 2}, {83}, {91}, {98}, {99, 5}, {104, 8}, {86}, {87}},
    {{80, 3}, {112, 2}, {0, 0}, {0, 0}, {114}, {115, 5}, {120, 8}, {84}, {85}},
};
inline constexpr Bits ternary_immediate0{46}, ternary_immediate2{47}, ternary_value0{64, 16}, ternary_value2{112, 16};
}  // namespace bits

}  // namespace Atoll::xe_lp
