// Decoder, printer, parser and encoder against llvm-mc-19 -mcpu=bonaire: random words of every table row as text, that text
// through both assemblers, and random changes of the text through both. Differences of LLVM are counted by reason; anything
// without one fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "../constant_spellings.h"
#include "isa/gfx7/decode.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/operands.h"
#include "isa/gfx7/parse.h"
#include "isa/gfx7/print.h"
#include "llvm_mc.h"
#include "word_generator.h"

using namespace Atoll::gfx7;
using namespace Atoll::gfx7::test;

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

// ATOLL_SEED chooses other random words than the usual ones.
uint32_t seed() {
  const char* text = std::getenv("ATOLL_SEED");
  return text != nullptr ? uint32_t(std::strtoul(text, nullptr, 0)) : 0;
}

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

const char* const needless = "a literal where an inline constant does: both assemblers take the shorter encoding";

// Why LLVM 19 cannot give the bytes of this instruction back; null when it must.
const char* gap(const Sample& s, const LlvmAnswer& llvm) {
  const Instruction& i = s.instruction;
  const Opcode& row = *s.row;
  bool has_literal =
      i.src[0] == LITERAL || i.src[1] == LITERAL || (row.format == Format::SMRD && i.imm == 0 && i.offset == LITERAL);
  if (has_literal && !llvm.hex.empty() && llvm.hex != s.hex && assemble(s.text).hex == llvm.hex) return needless;
  if (has(llvm.text, "/*Invalid register")) return "EXEC as a mask source, which LLVM itself marks";
  if (row.has(Flag::NotInLlvm)) return "an instruction or encoding that LLVM 19 lacks";
  if (has(llvm.error, "constant bus"))
    return parse(s.text) ? nullptr : "two scalar values, which the hardware cannot read either";
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
  auto all = samples(ATOLL_SAMPLES, seed() + 1);
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
    // If LLVM's own text would give other bytes, ours is the one that does not (CLI.md).
    bool bytes_agree = llvm.hex == s.hex && ours.hex == s.hex, llvm_text_is_lossy = second[n].hex != s.hex;
    if (bytes_agree && (llvm.text == s.text || llvm_text_is_lossy)) {
      ++same, ++same_of[s.row];
      if (llvm.text != s.text) ++reasons["the same bytes, but LLVM's own text would give others"];
    } else if (why != nullptr &&
               (ours.hex == s.hex || ours.hex == llvm.hex || (llvm.hex.empty() && literal_is_needless(s.instruction)))) {
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

// Random changes of assembler text: other registers, counts, constants, suffixes, modifiers; many of them make it wrong.
class Mutator {
public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  std::string operator()(const std::string& text) {
    size_t blank = text.find(' ');
    std::string name = text.substr(0, blank), rest = blank == std::string::npos ? "" : text.substr(blank);
    unsigned changes = 1 + below(2);
    for (unsigned n = 0; n < changes; ++n) {
      switch (below(8)) {
        case 0: name = suffix(name); break;
        case 1: rest += pick(modifiers_); break;
        case 2: rest = drop(rest); break;
        default: rest = replace(rest); break;
      }
    }
    return name + rest;
  }

private:
  std::mt19937 random_;
  const std::vector<std::string> modifiers_ = {" clamp",     " mul:2",       " div:2",     " gds",    " glc", " slc",
                                               " tfe",       " offen",       " idxen",     " addr64", " lds", " offset:17",
                                               " offset0:3", " offset1:255", " dmask:0x7", " unorm",  " da",  " lwe",
                                               " r128",      " done",        " vm",        " compr"};
  const std::vector<std::string> constants_ = {
      "0",          "1",          "64",         "65",         "-16",        "-17",    "0.5",     "-0.5",       "1.0",
      "-1.0",       "2.0",        "-2.0",       "4.0",        "-4.0",       "1.5",    "-3.25",   "0.15915494", "0x3e22f983",
      "0x3f800000", "0xbf800000", "0x12345678", "0xffffffff", "0x80000000", "100000", "-100000", "0x3c00",     "0xffff",
      "255",        "256",        "0x10",       "4294967295", "1e10",       "0.1"};
  const std::vector<std::string> specials_ = {"vcc",
                                              "vcc_lo",
                                              "vcc_hi",
                                              "exec",
                                              "exec_lo",
                                              "exec_hi",
                                              "m0",
                                              "flat_scratch",
                                              "flat_scratch_lo",
                                              "flat_scratch_hi",
                                              "tba",
                                              "tma_lo",
                                              "tma_hi",
                                              "src_scc",
                                              "src_vccz",
                                              "src_execz",
                                              "src_lds_direct",
                                              "off",
                                              "s104",
                                              "v256",
                                              "ttmp12",
                                              "ttmp[0:1]",
                                              "ttmp[4:7]",
                                              "ttmp[8:11]",
                                              "ttmp5",
                                              "s[0:3]",
                                              "s[4:11]",
                                              "s[1:2]",
                                              "s[102:103]",
                                              "s[102:105]",
                                              "s103",
                                              "null",
                                              "vccz",
                                              "scc",
                                              "[s2,s3]",
                                              "[v1,v2]",
                                              "v[7]",
                                              "s[9]",
                                              "v[3:3]",
                                              "xnack_mask",
                                              "attr3.y",
                                              "p10",
                                              "p0"};

  uint32_t below(uint32_t limit) { return uint32_t(random_()) % limit; }
  const std::string& pick(const std::vector<std::string>& from) { return from[below(uint32_t(from.size()))]; }

  std::string suffix(std::string name) {
    if (name[0] != 'v' || name.starts_with("v_interp")) return name;
    if (name.ends_with("_e32") || name.ends_with("_e64")) name.resize(name.size() - 4);
    return below(3) == 0 ? name : name + (below(2) ? "_e64" : "_e32");
  }

  // The operands and modifiers as pieces of text with what stands before them.
  std::vector<std::string> pieces(const std::string& rest) {
    std::vector<std::string> result;
    int depth = 0;
    for (char c : rest) {
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      bool begins = depth == 0 && c == ' ';
      if (begins || result.empty()) result.emplace_back();
      result.back() += c;
    }
    return result;
  }
  static std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += part;
    return text;
  }

  std::string drop(const std::string& rest) {
    auto parts = pieces(rest);
    if (!parts.empty()) parts.erase(parts.begin() + below(uint32_t(parts.size())));
    std::string text = joined(parts);
    return text.ends_with(',') ? text.substr(0, text.size() - 1) : text;
  }

  std::string replace(const std::string& rest) {
    auto parts = pieces(rest);
    if (parts.empty()) return rest;
    std::string& part = parts[below(uint32_t(parts.size()))];
    bool comma = part.ends_with(',');
    std::string core = part.substr(1, part.size() - 1 - comma);
    if (has(core, ":") && !has(core, "[")) return rest;     // a modifier
    if (has(core, "(") && !has(core, "neg(")) return rest;  // hwreg, sendmsg, counters
    switch (below(7)) {
      case 0: core = pick(constants_); break;
      case 1: core = pick(specials_); break;
      case 2: core = below(2) ? "v" + std::to_string(below(256)) : "s" + std::to_string(below(104)); break;
      case 3: {
        unsigned first = below(100) & ~(below(2) ? 1u : 3u), count = 1u << below(5);
        core = fmt::format("{}[{}:{}]", below(2) ? "v" : "s", first, first + count - 1);
        break;
      }
      case 4:
        if (!core.starts_with('-')) core = "-" + core;
        break;
      case 5: core = "|" + core + "|"; break;
      default: core = "neg(" + core + ")"; break;
    }
    part = " " + core + (comma ? "," : "");
    return joined(parts);
  }
};

// Why both assemblers may differ on changed text; null when they may not.
const char* mutation_gap(const std::string& text, const Ours& ours, const LlvmAnswer& llvm) {
  static const std::regex expression("[0-9a-fx.] -[0-9]"), comma(",( [a-z]+)*$");
  if (std::regex_search(text, expression)) return "an expression, which LLVM computes";
  if (std::regex_search(text, comma)) return "a comma with nothing behind it, which LLVM ignores";
  if (has(ours.error, "expected ',' and another operand at '")) return "a missing comma, which LLVM does without";
  bool special = has(text, "vccz") || has(text, "execz") || has(text, "scc");
  if (special && (has(ours.error, "not a scalar register") || has(ours.error, "does not fit its field")))
    return "a special source as a destination, which LLVM encodes as another register";
  if (text.starts_with("s_setreg_imm32_b32") && (has(text, ".") || has(text, "1e10")))
    return "a float as s_setreg_imm32_b32's literal, which LLVM takes for 0";
  if (llvm.hex.empty() && (has(text, "load_dword") || has(text, "s_memtime")) && (has(text, " exec") || has(text, " m0")))
    return "m0 and exec as destinations of SMRD, which LLVM lacks";
  if (has(llvm.hex, "A")) return "a name that LLVM takes for a symbol";
  if (has(text, "_b32_e64") && has(text, "lane")) return "lane moves in VOP3, which LLVM lacks";
  if (llvm.hex.empty() && has(text, " tfe") && (text.starts_with("flat_") || text.starts_with("tbuffer_")))
    return "TFE of FLAT and MTBUF, which LLVM lacks";
  if (llvm.hex.empty() && text.starts_with("v_cvt_f32_f16")) return "inline constants of v_cvt_f32_f16_e64, which LLVM refuses";
  if (ours.hex.empty() && text.starts_with("s_")) {
    bool number = has(ours.error, "does not fit 16 bits") || has(ours.error, "does not fit 32 bits") ||
                  has(ours.error, "expected a number") || has(ours.error, "unknown counter");
    if (number) return "a number that is no integer or too wide, which LLVM cuts";
  }
  return nullptr;
}

// Constants, hardware registers, counters and modifiers in every spelling.
TEST(Oracle, SpellingsAssembleAsInLlvm) {
  std::vector<std::string> lines = Atoll::test::with_constants(
      {"v_mov_b32 v0, %", "v_add_f32 v0, %, v1", "v_cvt_f32_f16 v0, %", "v_add_f64 v[0:1], %, v[2:3]", "v_lshl_b64 v[0:1], %, v2",
       "s_mov_b32 s0, %", "s_mov_b64 s[0:1], %", "v_madak_f32 v0, v1, v2, %", "v_add_f32 v0, neg(%), v1",
       "v_add_f32_e64 v0, |%|, v1", "v_cmp_lt_u64 vcc, %, v[2:3]", "v_ldexp_f32 v0, v1, %",
       "buffer_load_dword v0, off, s[0:3], %"});
  for (const std::string& line : Atoll::test::other_spellings()) lines.push_back(line);
  auto answers = llvm_mc(lines);
  int same = 0;
  for (size_t n = 0; n < lines.size(); ++n) {
    Ours ours = assemble(lines[n]);
    EXPECT_EQ(ours.hex, answers[n].hex) << lines[n] << "\n  LLVM: " << answers[n].error << "\n  ours: " << ours.error;
    same += !ours.hex.empty();
  }
  EXPECT_GT(same, 300);
}

TEST(Oracle, ChangedTextAssemblesAsInLlvm) {
  auto all = samples(ATOLL_CHANGED, seed() + 2);
  Mutator mutate(seed() + 3);
  std::vector<std::string> lines;
  for (const Sample& s : all)
    if (!s.row->has(Flag::NotInLlvm))
      for (int n = 0; n < 3; ++n) lines.push_back(mutate(s.text));
  auto answers = llvm_mc(lines);
  std::map<std::string, int> reasons;
  std::vector<std::string> canonical;  // what our assembler understood, as our disassembler writes it
  for (const std::string& line : lines) {
    auto instruction = parse(line);
    canonical.push_back(instruction ? print(*instruction) : "s_endpgm");
  }
  auto in_order = llvm_mc(canonical);
  int same = 0, both_refuse = 0, unexplained = 0;
  for (size_t n = 0; n < lines.size(); ++n) {
    Ours ours = assemble(lines[n]);
    if (ours.hex == answers[n].hex) {
      ++(ours.hex.empty() ? both_refuse : same);
    } else if (const char* why = mutation_gap(lines[n], ours, answers[n])) {
      ++reasons[why];
    } else if (answers[n].hex.empty() && in_order[n].hex == ours.hex) {
      ++reasons["modifiers in another order or on a constant: LLVM takes the same instruction as our disassembler writes it"];
    } else if (++unexplained <= ATOLL_SHOWN) {
      ADD_FAILURE() << fmt::format("CHANGED {}\n  LLVM: {} {}\n  ours: {} {}", lines[n], answers[n].hex, answers[n].error,
                                   ours.hex, ours.error);
    }
  }
  EXPECT_EQ(unexplained, 0);
  EXPECT_GT(same, int(lines.size()) / 10);
  fmt::print("{} changed lines: {} the same, {} refused by both\n", lines.size(), same, both_refuse);
  for (auto& [why, count] : reasons) fmt::print("  {:>6} {}\n", count, why);
}

}  // namespace
