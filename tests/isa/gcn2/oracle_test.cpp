// Decoder, printer, parser and encoder against llvm-mc-19 -mcpu=bonaire: random words of every table row as text, that text
// through both assemblers, and random changes of the text through both. What LLVM does otherwise is counted by reason; anything
// without one fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "isa/gcn2/decode.h"
#include "isa/gcn2/encode.h"
#include "isa/gcn2/operands.h"
#include "isa/gcn2/parse.h"
#include "isa/gcn2/print.h"
#include "llvm_mc.h"
#include "word_generator.h"

using namespace Atoll::gcn2;
using namespace Atoll::gcn2::test;

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string hex_of(std::span<const uint8_t> bytes) {
  std::string text;
  for (uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// Our assembler's answer: hex, or the reason why not.
struct Ours {
  std::string hex, error;
};
Ours assemble(const std::string& text) {
  auto instruction = parse(text);
  if (!instruction) return {"", instruction.error().message};
  auto words = encode(*instruction);
  if (!words) return {"", words.error().message};
  return {hex_of(words->bytes()), ""};
}

struct Sample {
  const Opcode* row;
  Instruction instruction;
  std::string hex, text;
};

// Instructions of every row; rows that need luck get more tries.
std::vector<Sample> samples(unsigned a_row, uint32_t seed) {
  WordGenerator words(seed);
  std::vector<Sample> result;
  for (const Opcode& row : opcodes()) {
    unsigned good = 0;
    for (unsigned n = 0; good < a_row && n < 40 * a_row; ++n) {
      auto bytes = words(row);
      Sample sample;
      sample.row = &row;
      if (decode_into(bytes, sample.instruction) != nullptr) continue;
      EXPECT_EQ(sample.instruction.opcode, &row);
      sample.hex = hex_of(std::span(bytes).first(sample.instruction.bytes));
      sample.text = print(sample.instruction);
      result.push_back(sample);
      ++good;
    }
    EXPECT_GT(good, 0u) << row.name << " (" << format_name(row.format) << ") is never decoded";
  }
  return result;
}

// A literal that an inline constant or SMRD's immediate could hold: every assembler takes the shorter encoding.
bool literal_is_needless(const Instruction& i) {
  if (i.bytes == layout(*i.opcode).words * 4) return false;
  auto again = parse(print(i));
  return again && again->bytes < i.bytes;
}

// Why LLVM 19 cannot give the bytes of this instruction back; null when it must.
const char* gap(const Sample& s, const LlvmAnswer& llvm) {
  const Instruction& i = s.instruction;
  const Opcode& row = *s.row;
  if (has(llvm.text, "/*Invalid register")) return "EXEC as a mask source, which LLVM itself marks";
  if (row.has(Flag::NotInLlvm)) return "an instruction or encoding that LLVM 19 lacks";
  if (has(llvm.error, "constant bus")) return "two scalar values, which the hardware cannot read either";
  if (literal_is_needless(i)) return "a literal where an inline constant does";
  bool refused = !llvm.error.empty();
  if (refused && i.tfe && (row.format == Format::FLAT || row.format == Format::MTBUF))
    return "TFE of FLAT and MTBUF, which LLVM lacks";
  if (refused && row.format == Format::SMRD && (i.dst == M0 || i.dst >= EXEC_LO))
    return "m0 and exec as destinations of SMRD, which LLVM lacks";
  if (row.format == Format::EXP && i.compr && i.en != 0 && i.en != 3 && i.en != 12 && i.en != 15)
    return "half a pair of a compressed export, which the syntax cannot say";
  if (refused && row.format == Format::EXP && has(s.text, "invalid_target_")) return "an export target that does not exist";
  if (refused && has(s.text, "v_cvt_f32_f16_e64") && inline_constant(i.src[0]))
    return "inline constants of v_cvt_f32_f16_e64, which LLVM refuses";
  if (refused && has(s.text, "v_cvt_f32_f16_e32") && i.literal > 0xffff)
    return "a literal of more than 16 bits for a 16-bit operand";
  if (refused && row.format == Format::MIMG && row.has(Flag::Atomic)) return "a DMASK that atomics do not have";
  return nullptr;
}

TEST(Oracle, WordsReadAndAssembleAsInLlvm) {
  auto all = samples(ATOLL_SAMPLES, 1);
  std::vector<std::string> lines;
  for (const Sample& s : all) lines.push_back(s.text);
  auto answers = llvm_mc(lines);
  std::vector<std::string> printed_back;
  for (const LlvmAnswer& answer : answers) printed_back.push_back(answer.error.empty() ? answer.text : "s_endpgm");
  auto second = llvm_mc(printed_back);
  std::map<std::string, int> reasons;
  std::map<const Opcode*, int> same_of;
  int same = 0, unexplained = 0;
  for (size_t n = 0; n < all.size(); ++n) {
    const Sample& s = all[n];
    const LlvmAnswer& llvm = answers[n];
    Ours ours = assemble(s.text);
    const char* why = gap(s, llvm);
    // Where LLVM's own text would give other bytes, ours is the one that does not (CLI.md).
    bool bytes_agree = llvm.hex == s.hex && ours.hex == s.hex, llvm_text_is_lossy = second[n].hex != s.hex;
    if (bytes_agree && (llvm.text == s.text || llvm_text_is_lossy)) {
      ++same, ++same_of[s.row];
      if (llvm.text != s.text) ++reasons["the same bytes, but LLVM's own text would give others"];
    } else if (why != nullptr && (ours.hex == s.hex || ours.hex == llvm.hex)) {
      ++reasons[why];
    } else if (++unexplained <= ATOLL_SHOWN) {
      ADD_FAILURE() << fmt::format("{} ({}) {}\n  text: {}\n  LLVM: {} {} {}\n  ours: {} {}", s.row->name,
                                   format_name(s.row->format), s.hex, s.text, llvm.hex, llvm.text, llvm.error, ours.hex,
                                   ours.error);
    }
  }
  for (const Opcode& row : opcodes())
    if (!row.has(Flag::NotInLlvm))
      EXPECT_GT(same_of[&row], 0) << row.name << " (" << format_name(row.format) << ") never agreed with LLVM";
  EXPECT_EQ(unexplained, 0);
  fmt::print("{} instructions: {} the same\n", all.size(), same);
  for (auto& [why, count] : reasons) fmt::print("  {:>6} {}\n", count, why);
}

}  // namespace
