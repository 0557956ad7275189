// Decoder, printer, parser and encoder against IGA (libiga64): random words of every opcode as text, that text through both
// assemblers, and which instructions are compacted to what. Differences of IGA are counted by reason; anything without one
// fails.
#include "iga.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "instruction_list.h"
#include "isa/xe_lp/compact.h"
#include "isa/xe_lp/decode.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/parse.h"
#include "isa/xe_lp/print.h"
#include "word_generator.h"

using namespace Atoll::xe_lp;
using namespace Atoll::xe_lp::test;

namespace {

uint64_t number_of(const char* variable, uint64_t usual) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 0) : usual;
}

std::string without_comment(const std::string& text) { return text.substr(0, text.find(" //")); }

std::vector<const Opcode*> opcodes() {
  std::vector<const Opcode*> rows;
  for (unsigned n = 0; n < 128; n++)
    if (auto* row = find_opcode(n)) rows.push_back(row);
  return rows;
}

// Why IGA's answer may be another; empty: it may not. docs/xe-lp-assembly.md has the list with a reproduction each.
std::string_view reason(const Opcode& row, const Instruction& i, const std::optional<std::string>& iga, const char* why) {
  bool has = iga.has_value();
  auto shows = [&](std::string_view part) { return has && iga->find(part) != std::string::npos; };
  if (why && shows("???:nf")) return "an immediate of type nf, which IGA writes as ???";
  if (why && shows("sync.0x")) return "a reserved sync function, which IGA writes as its number";
  if (why && has && row.format == Format::Branch && why == std::string_view("this branch takes no register"))
    return "a branch that takes labels only, with a register";
  if (why && has && row.op == Op::Brc) return "brc with an architecture register";
  for (const Operand& o : i.src)
    if (has && o.kind == Kind::Immediate && o.type == Type::B) return "an immediate of type b, which IGA writes as a letter";
  return {};
}

struct Tally {
  uint64_t words = 0, instructions = 0;
  std::map<std::string_view, uint64_t> other;
  unsigned shown = 0;

  void compare(Iga& iga, const Opcode& row, std::span<const uint8_t> bytes) {
    words++;
    Instruction instruction;
    const char* why = decode(bytes, instruction);
    auto theirs = iga.disassemble(bytes);
    std::string ours = why ? std::string() : print(instruction);
    if (!why && theirs && ours == *theirs) {
      instructions++;
      return;
    }
    if (why && !theirs) return;
    if (auto known = reason(row, instruction, theirs, why); !known.empty()) {
      other[known]++;
      return;
    }
    std::string hex;
    for (size_t n = 0; n < bytes.size(); n++) hex += fmt::format("{:02x}", bytes[n]);
    if (shown++ < 10) ADD_FAILURE() << hex << "\nIGA  " << theirs.value_or("!") << "\nours " << (why ? why : ours.c_str());
  }
  void report(const char* what) const {
    fmt::print("{}: {} words, {} instructions with the same text\n", what, words, instructions);
    for (auto& [why, count] : other) fmt::print("  {} with another: {}\n", count, why);
  }
};

std::string hex_of(std::span<const uint8_t> bytes) {
  std::string hex;
  for (uint8_t byte : bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

// IGA's bytes of one instruction, a branch in the middle of five.
std::optional<std::vector<uint8_t>> assemble(Iga& iga, const Opcode& row, const std::string& text, bool compact) {
  if (row.format != Format::Branch) return iga.assemble(text + "\n", compact);
  auto all = iga.assemble("nop\nnop\n" + text + "\nnop\nnop\n");
  if (!all || all->size() != 80) return {};
  return std::vector<uint8_t>(all->begin() + 32, all->begin() + 48);
}

// Why IGA's bytes may be others, or only one of the two may refuse the text.
std::string_view reason(const Instruction& i, bool theirs, bool ours) {
  if (i.op == Op::Brc || (find_opcode(unsigned(i.op))->format == Format::Branch)) {
    bool second = i.src[1].kind == Kind::Label && int64_t(i.src[1].immediate) < 0;
    if (!theirs && ours && second) return "two targets in numbers, the second negative: IGA reads a difference";
    bool away = false;
    for (const Operand& o : i.src)
      away |= o.kind == Kind::Label &&
              (int64_t(o.immediate) < (i.op == Op::Calla ? 0 : -32) || int64_t(o.immediate) > 64 || o.immediate % 16 != 0);
    if (!theirs && ours && away) return "a target outside of IGA's program";
  }
  if (theirs && ours && find_opcode(unsigned(i.op))->format == Format::Send)
    for (const Operand* o : {&i.dst, &i.src[0], &i.src[1]})
      if (o->file != File::Grf && o->file != File::Null) return "send with an architecture register, whose name IGA drops";
  if (theirs && ours && is_macro(i))
    for (const Operand& o : i.src)
      if (o.kind == Kind::Direct && o.file != File::Grf) return "a math macro of an architecture register, whose name IGA drops";
  bool wide = i.src[0].kind == Kind::Immediate && log2_bytes(i.src[0].type) == 3;
  if (theirs && ours && wide && i.condition != Condition::None && sources_of(i) == 3)
    return "three sources, the first a number of a 64-bit type: IGA drops the condition modifier";
  return {};
}

// The outcome of texts both ways.
struct TextTally {
  uint64_t texts = 0, same = 0, refused = 0, compacted = 0;
  std::map<std::string_view, uint64_t> other;
  unsigned shown = 0;

  void compare(Iga& iga, const Opcode& row, std::span<const uint8_t> bytes) {
    Instruction instruction;
    if (decode(bytes, instruction)) return;
    texts++;
    std::string text = without_comment(print(instruction));
    one(iga, row, text, instruction, false);
    if (row.format == Format::Branch) return;
    instruction.compacted = false;
    one(iga, row, without_comment(print(instruction)), instruction, true);
  }
  // `compact`: whatever has a compacted form
  void one(Iga& iga, const Opcode& row, const std::string& text, const Instruction& instruction, bool compact) {
    auto theirs = assemble(iga, row, text, compact);
    std::string why;
    std::optional<std::vector<uint8_t>> ours;
    if (auto parsed = parse(text); !parsed) {
      why = parsed.error().message;
    } else if (auto encoded = encode(parsed->instruction); !encoded) {
      why = encoded.error().message;
    } else {
      ours = *encoded;
      if (auto native = encode_native(parsed->instruction); compact && native)
        if (auto bits = Atoll::xe_lp::compact(*native)) {
          ours->assign(8, 0);
          std::memcpy(ours->data(), &*bits, 8);
        }
      // The words written are read back.
      Instruction again;
      const char* not_one = decode(*ours, again);
      again.compacted = instruction.compacted;
      EXPECT_TRUE(!not_one && print(again) == print(parsed->instruction)) << text << "\n" << print(again);
    }
    if (theirs && ours && *theirs == *ours) {
      compact ? compacted += ours->size() == 8 : same++;
      return;
    }
    if (!theirs && !ours) {
      refused += !compact;
      return;
    }
    if (auto known = reason(instruction, theirs.has_value(), ours.has_value()); !known.empty()) {
      other[known] += !compact;
      return;
    }
    if (shown++ < 10)
      ADD_FAILURE() << text << "\nIGA  " << (theirs ? hex_of(*theirs) : "! " + iga.error()) << "\nours "
                    << (ours ? hex_of(*ours) : "! " + why);
  }
  void report(const char* what) const {
    fmt::print("{}: {} texts, {} with the same bytes, {} refused by both, {} that both compact to the same\n", what, texts, same,
               refused, compacted);
    for (auto& [why, count] : other) fmt::print("  {} with others: {}\n", count, why);
  }
};

constexpr unsigned usual_count = 40000;

TEST(Iga, TheListIsItsOwn) {
  Iga iga;
  if (!iga.missing().empty()) GTEST_SKIP() << iga.missing();
  for (const auto& one : listed_instructions()) {
    EXPECT_EQ(iga.disassemble(one.bytes).value_or("!"), one.text);
    Instruction instruction;
    ASSERT_EQ(decode(one.bytes, instruction), nullptr) << one.text;
    auto bytes = assemble(iga, *find_opcode(unsigned(instruction.op)), without_comment(one.text), false);
    EXPECT_TRUE(bytes && *bytes == one.bytes) << one.text;
  }
}

TEST(Iga, NativeWordsToTextAndBack) {
  Iga iga;
  if (!iga.missing().empty()) GTEST_SKIP() << iga.missing();
  WordGenerator words(number_of("ATOLL_SEED", 1));
  uint64_t each = number_of("ATOLL_COUNT", usual_count) / 58 + 1;
  Tally tally;
  TextTally texts;
  for (const Opcode* row : opcodes()) {
    uint64_t before = tally.instructions, same = texts.same;
    for (uint64_t n = 0; n < each; n++) {
      uint8_t bytes[16];
      Words native = words.native(*row);
      std::memcpy(bytes, native.half, 16);
      tally.compare(iga, *row, bytes);
      texts.compare(iga, *row, bytes);
    }
    EXPECT_GT(tally.instructions, before + each / 2) << row->name;
    EXPECT_GT(texts.same, same + each / 4) << row->name;
  }
  tally.report("native");
  texts.report("native");
}

TEST(Iga, CompactedWordsToTextAndBack) {
  Iga iga;
  if (!iga.missing().empty()) GTEST_SKIP() << iga.missing();
  WordGenerator words(number_of("ATOLL_SEED", 1) + 1);
  uint64_t each = number_of("ATOLL_COUNT", usual_count) / 58 + 1;
  Tally tally;
  TextTally texts;
  for (const Opcode* row : opcodes())
    for (uint64_t n = 0; n < each; n++) {
      uint8_t bytes[8];
      uint64_t compacted = words.compacted(*row);
      std::memcpy(bytes, &compacted, 8);
      tally.compare(iga, *row, bytes);
      texts.compare(iga, *row, bytes);
    }
  EXPECT_GT(tally.instructions, tally.words / 8);
  EXPECT_GT(texts.same, tally.words / 8);
  EXPECT_GT(texts.compacted, texts.texts / 2);
  tally.report("compacted");
  texts.report("compacted");
}

}  // namespace
