// The words of an instruction and where its fields stand in the native form: bits LOW to LOW+SIZE-1 of 128. Positions: Mesa's
// brw_inst.h (its gfx12 columns), IGC's ged_model_tgl.cpp; PRM volume 2b.
#pragma once
#include <array>
#include <cstdint>

namespace Atoll::xe_lp {

struct Field {
  uint8_t low, size;
};

struct Words {
  uint64_t half[2] = {0, 0};

  uint64_t get(Field f) const {
    unsigned at = f.low % 64;
    uint64_t value = half[f.low / 64] >> at;
    if (at + f.size > 64) value |= half[1] << (64 - at);
    return f.size == 64 ? value : value & ((uint64_t(1) << f.size) - 1);
  }
  void set(Field f, uint64_t value) {
    for (unsigned n = 0; n < f.size; n++) {
      uint64_t& word = half[(f.low + n) / 64];
      unsigned at = (f.low + n) % 64;
      word = (word & ~(uint64_t(1) << at)) | ((value >> n & 1) << at);
    }
  }
  bool operator==(const Words&) const = default;
};

namespace field {
// All formats
inline constexpr Field opcode{0, 7}, swsb{8, 8}, exec_size{16, 3}, channel{19, 3}, flag_half{22, 1}, flag{23, 1},
    predicate{24, 4}, predicate_inverted{28, 1}, compacted{29, 1}, breakpoint{30, 1}, no_mask{31, 1}, thread{32, 1},
    write_accumulator{33, 1}, branch_control{33, 1}, serialize{33, 1}, saturate{34, 1}, end_of_thread{34, 1};
// condition: also the function of math, sync and send
inline constexpr Field condition{92, 4};

// Basic formats
struct Source {
  Field is_immediate, type, modifiers, file, horizontal, sub, number, indirect, offset, address, width, vertical, mme;
};
inline constexpr Source source[2] = {
    {{46, 1}, {40, 4}, {44, 2}, {66, 1}, {64, 2}, {67, 5}, {72, 8}, {80, 1}, {66, 10}, {76, 4}, {81, 3}, {84, 4}, {67, 4}},
    {{47, 1}, {88, 4}, {120, 2}, {98, 1}, {96, 2}, {99, 5}, {104, 8}, {112, 1}, {98, 10}, {108, 4}, {113, 3}, {116, 4}, {99, 4}}};
inline constexpr Field immediate{96, 32}, immediate_high{64, 32};  // 64-bit ones of unary instructions: their high half
inline constexpr struct {
  Field indirect{35, 1}, type{36, 4}, horizontal{48, 2}, file{50, 1}, sub{51, 5}, number{56, 8}, offset{50, 10}, address{60, 4},
      mme{51, 4};
} dst;

// Three sources
inline constexpr Field float_types{39, 1}, dst_horizontal_3{48, 1}, dst_sub_3{54, 2};
struct Source3 {
  Field is_immediate, type, modifiers, file, horizontal, sub, number, vertical[2], immediate;  // vertical: low bit, high bit
};
inline constexpr Source3 source3[3] = {
    {{46, 1}, {40, 3}, {44, 2}, {66, 1}, {64, 2}, {67, 5}, {72, 8}, {{35, 1}, {43, 1}}, {64, 16}},
    {{0, 0}, {88, 3}, {86, 2}, {98, 1}, {96, 2}, {99, 5}, {104, 8}, {{83, 1}, {91, 1}}, {0, 0}},
    {{47, 1}, {80, 3}, {84, 2}, {114, 1}, {112, 2}, {115, 5}, {120, 8}, {{0, 0}, {0, 0}}, {112, 16}}};

// Branches
inline constexpr Field jip{96, 32}, uip{64, 32};

// Send: descriptors in pieces, low bits first
inline constexpr Field descriptor_in_register{48, 1}, extended_in_register{49, 1}, extended_address{40, 3};
inline constexpr Field descriptor[] = {{81, 11}, {113, 9}, {51, 5}, {67, 5}, {122, 2}};
inline constexpr Field extended_descriptor[] = {{99, 5}, {35, 13}, {64, 2}, {96, 2}, {124, 4}};  // its bits 6 to 31
}  // namespace field

}  // namespace Atoll::xe_lp
