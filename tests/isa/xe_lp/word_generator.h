// Random instruction words of an opcode: every field random, values that mean nothing rare, so that most are instructions.
#pragma once
#include <random>

#include "isa/xe_lp/instruction.h"
#include "isa/xe_lp/words.h"

namespace Atoll::xe_lp::test {

class WordGenerator {
public:
  explicit WordGenerator(uint64_t seed) : random_(seed) {}
  uint64_t operator()() { return random_(); }
  bool one_in(unsigned n) { return random_() % n == 0; }

  Words native(const Opcode& row) {
    namespace field = xe_lp::field;
    words_ = {{random_(), random_()}};
    words_.set(field::opcode, uint64_t(row.op));
    words_.set(field::compacted, 0);
    if (one_in(100)) return words_;  // whatever comes
    words_.set(field::exec_size, row.op == Op::Jmpi ? 0 : random_() % 6);
    keep(field::predicate, 14);
    if (one_in(2)) words_.set(field::predicate, random_() % 2);
    for (unsigned n = 0; n < 4 && one_in(2); n++) words_.set({uint8_t(30 + n), 1}, 0);
    function(row);
    scoreboard();
    // General registers are the common case.
    for (Field file : {field::dst.file, field::source[0].file, field::source[1].file, field::source3[2].file})
      if (!one_in(6)) words_.set(file, 1);
    if (row.format == Format::Ternary)
      ternary();
    else if (row.format == Format::Branch)
      branch(row);
    else if (row.format != Format::Send)
      basic(row);
    return words_;
  }
  uint64_t compacted(const Opcode& row) {
    words_ = {{random_(), 0}};
    words_.set(field::opcode, uint64_t(row.op));
    words_.set(field::compacted, 1);
    scoreboard();
    return words_.half[0];
  }

private:
  void keep(Field f, unsigned below) {
    if (words_.get(f) >= below) words_.set(f, random_() % below);
  }
  void function(const Opcode& row) {
    auto named = [&](const auto& names) {
      while (names[words_.get(field::condition)].empty()) words_.set(field::condition, random_() % 16);
    };
    if (row.format == Format::Math) return named(math_names);
    if (row.format == Format::Sync) return named(sync_names);
    if (row.format == Format::Send) return named(sfid_names);
    constexpr uint8_t conditions[] = {0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 8, 9};
    words_.set(field::condition, conditions[random_() % std::size(conditions)]);
  }
  void scoreboard() {
    uint64_t n = words_.get(field::swsb), high = n >> 4;
    if (high == 1 || (high > 4 && high < 8) || one_in(2)) words_.set(field::swsb, one_in(2) ? 0 : n & 7);
  }
  // A type field of a basic format.
  void type(Field f, bool immediate, bool wide) {
    for (;;) {
      uint64_t n = words_.get(f);
      if (n < 12 && (immediate ? wide || n % 4 != 3 : n != 8)) return;
      words_.set(f, random_() % 12);
    }
  }
  void basic(const Opcode& row) {
    namespace field = xe_lp::field;
    bool unary = row.format == Format::Unary, math = row.format == Format::Math;
    bool one = unary || (math && sources_of_math(unsigned(words_.get(field::condition))) == 1);
    if (!one) words_.set(field::source[0].is_immediate, 0);
    if (row.format == Format::Sync) {
      bool set = sync_names[words_.get(field::condition)].starts_with("all");
      words_.set(field::source[0].is_immediate, set && one_in(2)), words_.set(field::source[0].file, 0);
      one = true;
    }
    if (!one_in(3)) words_.set(field::source[one ? 0 : 1].is_immediate, 0);
    type(field::dst.type, false, false);
    for (unsigned n = 0; n < 2; n++) {
      const auto& f = field::source[n];
      bool immediate = words_.get(f.is_immediate) != 0;
      if (n == 1 && one) break;
      type(f.type, immediate, unary);
      if (immediate && one_in(2)) short_immediate();
      if (immediate) break;
      keep(f.width, 5);
      uint64_t v = words_.get(f.vertical);
      if (v > 6 && (v < 15 || one_in(2))) words_.set(f.vertical, random_() % 7);
      if (one_in(3)) words_.set(f.vertical, 4), words_.set(f.width, 3), words_.set(f.horizontal, 1);
      if (math || !one_in(4)) words_.set(f.indirect, 0);
      if (math && math_names[words_.get(field::condition)].ends_with('m')) keep(f.mme, 9);
      architecture_register(f.file, f.number);
    }
    if (math && math_names[words_.get(field::condition)].ends_with('m')) keep(field::dst.mme, 9);
    if (math || !one_in(4)) words_.set(field::dst.indirect, 0);
    if (words_.get(field::dst.horizontal) == 0 && !one_in(50)) words_.set(field::dst.horizontal, 1);
    architecture_register(field::dst.file, field::dst.number);
  }
  // Most numbers of architecture registers name none.
  void architecture_register(Field file, Field number) {
    if (words_.get(file) || words_.get({uint8_t(number.low), 8}) == 0) return;
    constexpr uint8_t numbers[] = {0,    0x10, 0x20, 0x21, 0x27, 0x28, 0x2f, 0x30, 0x31, 0x40, 0x50, 0x57,
                                   0x60, 0x70, 0x71, 0x80, 0x90, 0xa0, 0xb0, 0xc0, 0xd0, 0xd3, 0xf0};
    if (!one_in(10)) words_.set(number, numbers[random_() % std::size(numbers)]);
  }
  // Values that a compacted form or few digits could hold.
  void short_immediate() {
    uint64_t n = words_.get(field::immediate);
    switch (random_() % 4) {
      case 0: n &= 0xff; break;
      case 1: n &= 0xfff00000; break;
      case 2: n = (n & 0xfff) | (n & 0xfff) << 16; break;
      default: n = uint64_t(int64_t(int8_t(n))) & 0xffffffff;
    }
    words_.set(field::immediate, n);
    if (one_in(2)) words_.set(field::immediate_high, 0);
  }
  void ternary() {
    namespace field = xe_lp::field;
    for (unsigned n = 0; n < 3; n++) {
      const auto& f = field::source3[n];
      if (f.is_immediate.size && !one_in(4)) words_.set(f.is_immediate, 0);
      float_type(f.type);
      if (!(f.is_immediate.size && words_.get(f.is_immediate))) architecture_register(f.file, f.number);
    }
    float_type({field::dst.type.low, 3});
    architecture_register(field::dst.file, field::dst.number);
  }
  void float_type(Field f) {
    uint64_t n = words_.get(f);
    if (words_.get(field::float_types) && (n == 0 || n > 3) && !(n == 7 && one_in(4))) words_.set(f, 1 + random_() % 3);
  }
  void branch(const Opcode& row) {
    namespace field = xe_lp::field;
    if (!(row.traits & REGISTER_TARGET)) words_.set(field::source[0].is_immediate, 1);
    if (row.sources == 2) words_.set(field::source[1].is_immediate, words_.get(field::source[0].is_immediate));
    architecture_register(field::dst.file, field::dst.number);
    architecture_register(field::source[0].file, field::source[0].number);
    if (words_.get(field::source[0].is_immediate)) {
      // IGA refuses targets outside of its program: the tests give it one of 5 instructions and this in the middle.
      bool absolute = row.op == Op::Calla;
      words_.set(field::jip, absolute ? random_() % 5 * 16 : uint64_t(int64_t(random_() % 5) - 2) * 16);
      if (row.sources == 2) words_.set(field::uip, random_() % 3 * 16);
    }
  }

  std::mt19937_64 random_;
  Words words_;
};

}  // namespace Atoll::xe_lp::test
