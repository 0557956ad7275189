// Decoder and printer against IGA (libiga64): random words of every opcode as text. What IGA does otherwise is counted by reason;
// anything without one fails.
#include "iga.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "isa/xe_lp/decode.h"
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

std::vector<const eu::Opcode*> opcodes() {
  std::vector<const eu::Opcode*> rows;
  for (unsigned n = 0; n < 128; n++)
    if (auto* row = eu::find_opcode(n)) rows.push_back(row);
  return rows;
}

// Why IGA's answer may be another; empty: it may not. docs/xe-lp-assembly.md has the list with a reproduction each.
std::string_view reason(const eu::Opcode& row, const eu::Instruction& i, const std::optional<std::string>& iga, const char* why) {
  bool has = iga.has_value();
  auto shows = [&](std::string_view part) { return has && iga->find(part) != std::string::npos; };
  if (why && shows("???:nf")) return "an immediate of type nf, which IGA writes as ???";
  if (why && shows("sync.0x")) return "a reserved sync function, which IGA writes as its number";
  if (why && has && row.format == eu::Format::Branch && why == std::string_view("this branch takes no register"))
    return "a branch that takes labels only, with a register";
  if (why && has && row.op == eu::Op::Brc) return "brc with an architecture register";
  for (const eu::Operand& o : i.src)
    if (has && o.kind == eu::Kind::Immediate && o.type == eu::Type::B)
      return "an immediate of type b, which IGA writes as a letter";
  return {};
}

struct Tally {
  uint64_t words = 0, instructions = 0;
  std::map<std::string_view, uint64_t> other;
  unsigned shown = 0;

  void compare(Iga& iga, const eu::Opcode& row, std::span<const uint8_t> bytes) {
    words++;
    eu::Instruction instruction;
    const char* why = eu::decode(bytes, instruction);
    auto theirs = iga.disassemble(bytes);
    if (theirs) theirs = without_comment(*theirs);
    std::string ours = why ? std::string() : without_comment(eu::print(instruction));
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

TEST(Iga, NativeWordsToText) {
  Iga iga;
  if (!iga.missing().empty()) GTEST_SKIP() << iga.missing();
  WordGenerator words(number_of("ATOLL_SEED", 1));
  uint64_t each = number_of("ATOLL_COUNT", 40000) / 58 + 1;
  Tally tally;
  for (const eu::Opcode* row : opcodes()) {
    uint64_t before = tally.instructions;
    for (uint64_t n = 0; n < each; n++) {
      uint8_t bytes[16];
      eu::Words native = words.native(*row);
      std::memcpy(bytes, native.half, 16);
      tally.compare(iga, *row, bytes);
    }
    EXPECT_GT(tally.instructions, before + each / 2) << row->name;
  }
  tally.report("native");
}

TEST(Iga, CompactedWordsToText) {
  Iga iga;
  if (!iga.missing().empty()) GTEST_SKIP() << iga.missing();
  WordGenerator words(number_of("ATOLL_SEED", 1) + 1);
  uint64_t each = number_of("ATOLL_COUNT", 40000) / 58 + 1;
  Tally tally;
  for (const eu::Opcode* row : opcodes())
    for (uint64_t n = 0; n < each; n++) {
      uint8_t bytes[8];
      uint64_t compacted = words.compacted(*row);
      std::memcpy(bytes, &compacted, 8);
      tally.compare(iga, *row, bytes);
    }
  EXPECT_GT(tally.instructions, tally.words / 8);
  tally.report("compacted");
}

}  // namespace
