// Decoder and printer against LLVM 19's disassembler, in process: random words of every table row, and every instruction of
// compiled kernels. Differences of LLVM are counted by reason; anything without a reason fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "isa/rdna4/operands.h"
#include "isa/rdna4/parse.h"
#include "isa/rdna4/print.h"
#include "llvm_oracle.h"
#include "word_generator.h"

using namespace Atoll::rdna4;
using namespace Atoll::rdna4::test;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string without_op_sel(const std::string& text) {
  size_t at = text.find(" op_sel:[");
  if (at == std::string::npos) return text;
  return text.substr(0, at) + text.substr(text.find(']', at) + 1);
}

// Rows of the manual that LLVM 19 cannot disassemble (docs of the table: findings of a bulk comparison, each tried with
// llvm-mc-19).
bool unknown_to_llvm(const Opcode& row) {
  std::string name = row.name;
  for (const char* missing :
       {"s_alloc_vgpr", "ds_bpermute_fi_b32", "ds_bvh_stack_push4_pop1_rtn_b32", "ds_bvh_stack_push8_pop1_rtn_b32",
        "ds_bvh_stack_push8_pop2_rtn_b64", "image_bvh_dual_intersect_ray", "image_bvh8_intersect_ray", "v_swap_b16"})
    if (name == missing) return true;
  return row.format == Format::VOP3 && (name == "v_readfirstlane_b32" || name == "v_mov_b16");
}

// True if LLVM has the DMASK of an image's atomic, by which it counts data registers.
bool is_usual_atomic_mask(const Instruction& i) {
  return i.opcode->has(Flag::Cmpswap) ? i.dmask == 3 || i.dmask == 15 : i.dmask == 1 || i.dmask == 3;
}
// Tuples of the sizes that there are: of 16, 8, 4 and 3 registers.
bool ends_in_vcc(const std::string& text) {
  return has(text, "s[92:107]") || has(text, "s[100:107]") || has(text, "s[104:107]") || has(text, "s[104:106]");
}
bool reads_high_half(const Instruction& i) { return is_e32(i.opcode->format) && i.op_sel != 0; }

// Why LLVM's answer may differ from ours; null when it may not.
const char* reason(const LlvmDisassembler::Result& llvm, const Decoded* decoded, const std::string& ours) {
  if (llvm.bytes == 0) {
    const Instruction& i = decoded->main;
    if (unknown_to_llvm(*i.opcode)) return "an instruction that LLVM 19 lacks";
    if (i.dual_x != nullptr && has(ours, "v_dual_dot2acc_")) return "an instruction that LLVM 19 lacks";
    if (ends_in_vcc(ours)) return "a tuple that ends with VCC, which Mesa's compiler makes and LLVM does not know";
    if (reads_high_half(i)) return "the high half of a 16-bit operand, which LLVM 19 has not by default";
    if (i.opcode->has(Flag::Gather4) && i.d16 && i.data + (i.tfe ? 5u : 4u) > 256)
      return "gather4 with D16 near v255, whose data LLVM miscounts";
    if (i.opcode->has(Flag::Bvh) && i.image_address[1] == 0)
      return "a second image address in v0, which LLVM's decoder takes for none";
    if (i.opcode->format == Format::VIMAGE && i.opcode->has(Flag::Atomic) && !is_usual_atomic_mask(i))
      return "a DMASK that atomics do not have";
    if (i.opcode->has(Flag::Bvh) && i.a16) return "an address that A16 leaves out, which LLVM wants in v0";
    if (i.opcode->has(Flag::Typed) && i.tfe) return "TFE of typed buffer instructions, which LLVM leaves out";
    return nullptr;
  }
  const std::string& text = llvm.text;
  if (has(text, "/*") || has(text, "; Warning:")) return "LLVM itself marks the operand as invalid";
  if (has(text, "src_lds_direct")) return "source 254 is reserved on this GPU";
  if (has(text, "sext(")) return "NEG of an integer operand, which LLVM prints as SDWA's sext()";
  if (decoded == nullptr) {
    if (has(text, "SQ_RSRC_IMG") && has(ours, "past v255")) return "image data past v255";
    if (has(text, "src_") || has(text, "null") || has(text, "v_wmma_") || has(text, "v_swmmac_"))
      return "a source that is no register in a place for registers";
    if (has(ours, "a literal and DPP together")) return "a literal and DPP together, which the manual forbids";
    if (has(ours, "has no OP_SEL bits") && has(text, "_e64_dpp v"))
      return "OP_SEL bits without a meaning, which LLVM leaves out with DPP";
    if (has(ours, "no such NEG")) return "NEG of an integer operand, which LLVM prints as SDWA's sext()";
    return nullptr;
  }
  const Opcode& row = *decoded->main.opcode;
  if (row.format == Format::VOP3 && row.op_sel == 0 && without_op_sel(ours) == text)
    return "OP_SEL of 16-bit operations, which LLVM 19 does not print";
  if (row.has(Flag::Mix) && decoded->main.literal > 0xffff && has(ours, fmt::format("{:#x}", decoded->main.literal)))
    return "an f32 literal of V_FMA_MIX*, of which LLVM 19 prints the lower 16 bits";
  if (has(text, "SQ_RSRC_IMG_2D_MSAA_ARRAY") && row.has(Flag::Mip)) return "mip levels of a multisampled array";
  if (has(text, "SQ_RSRC_IMG_2D_MSAA_ARRAY") && row.format == Format::VSAMPLE) return "a DIM that samplers do not have";
  if (row.has(Flag::Gather4) && decoded->main.d16 && decoded->main.tfe)
    return "gather4 with D16 and TFE, whose data LLVM miscounts";
  if (row.format == Format::VIMAGE && image_shape(decoded->main).address > 1 && decoded->main.image_address[1] == 0 &&
      !has(text, ", ["))
    return "a second image address in v0, which LLVM's decoder takes for none";
  if (row.format == Format::VIMAGE && row.has(Flag::Atomic)) {
    if (!is_usual_atomic_mask(decoded->main)) return "a DMASK that atomics do not have";
    if (decoded->main.tfe) return "an image atomic with TFE, whose registers LLVM miscounts";
  }
  if (has(text, "v_cndmask_b32_dpp") && has(text, ", vcc"))
    return "V_CNDMASK's bars around two operands, a mistake of LLVM's printer";
  return nullptr;
}

std::string hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}
// The words of a decoded instruction, or why there are none.
std::string words_of(const Decoded& decoded, unsigned wave) {
  auto words = encode(decoded.main, {wave});
  return words ? hex(words->bytes()) : "! " + words.error().message;
}

// If LLVM prints something else, its text has to stand for other words, or for none; and ours, if our assembler takes it, for
// these.
struct Differs {
  std::string reason, ours, theirs, words;
};
void settle(const std::vector<Differs>& list, const char* cpu, unsigned wave) {
  std::vector<std::string> texts;
  int refused = 0;
  for (const Differs& d : list) {
    texts.push_back(d.theirs);
    auto again = parse(d.ours, {wave});
    if (!again) {  // words that no assembler makes: operands that it refuses together
      refused++;
      continue;
    }
    // The same constant may stand inline and as a literal, whose upper half means nothing to 16 bits: then the text stays.
    if (words_of(*again, wave) == d.words) continue;
    const auto words = encode(again->main, {wave});
    ASSERT_TRUE(words) << d.ours;
    const auto decoded = decode(words->bytes(), {wave});
    ASSERT_TRUE(decoded) << d.ours;
    EXPECT_EQ(print(decoded->main, {wave}), d.ours) << "from " << d.words;
  }
  fmt::print("  of {} texts of ours the assembler refuses {}\n", list.size(), refused);
  EXPECT_LT(refused, int(list.size()) / 2);
  auto assembled = llvm_assemble(texts, cpu, wave);
  std::map<std::string, std::array<int, 3>> counts;
  for (size_t n = 0; n < list.size(); n++)
    counts[list[n].reason][assembled[n].empty() ? 0 : assembled[n] == list[n].words ? 2 : 1]++;
  for (auto& [why, c] : counts)
    fmt::print("  LLVM's text stands for no words {} times, for other words {}, for the same {}: {}\n", c[0], c[1], c[2], why);
}

// How many words of each row are tried, and the first of them: ATOLL_COUNT, ATOLL_SEED.
long option(const char* name, long usual) {
  const char* text = std::getenv(name);
  return text ? std::strtol(text, nullptr, 0) : usual;
}

class Disassembler : public testing::TestWithParam<std::tuple<const char*, unsigned>> {};

TEST_P(Disassembler, EveryRowReadsAsInLlvm) {
  auto [cpu, wave] = GetParam();
  LlvmDisassembler llvm(cpu, wave);
  WordGenerator words(wave + unsigned(cpu[6]) + uint32_t(1000 * option("ATOLL_SEED", 0)));
  const long each = option("ATOLL_COUNT", 80);
  std::map<std::string, int> reasons;
  std::vector<Differs> differing;
  long same = 0, both_reject = 0, unexplained = 0;
  for (const Opcode& row : opcodes()) {
    long same_before = same;
    for (long n = 0; n < each || (same == same_before && n < 3000); ++n) {  // some rows need luck
      auto bytes = words(row);
      auto theirs = llvm(bytes);
      Decoded decoded;
      const char* error = decode_into(bytes, {wave}, decoded);
      std::string ours = error != nullptr ? error : print(decoded.main, {wave});
      if (theirs.bytes == 0 && error != nullptr) {
        ++both_reject;
      } else if (theirs.bytes != 0 && error == nullptr && theirs.text == ours && theirs.bytes == decoded.main.bytes) {
        ++same;
      } else if (const char* why = reason(theirs, error != nullptr ? nullptr : &decoded, ours)) {
        ++reasons[why];
        if (error == nullptr && theirs.bytes != 0 && differing.size() < 20000)
          differing.push_back({why, ours, theirs.text, words_of(decoded, wave)});
      } else if (++unexplained <= 20) {
        uint32_t w[4];
        std::memcpy(w, bytes.data(), 16);
        ADD_FAILURE() << fmt::format("{} {:08x} {:08x} {:08x} {:08x}\n  LLVM: {}\n  ours: {}", row.name, w[0], w[1], w[2], w[3],
                                     theirs.text, ours);
      }
    }
    bool wave32_only = wave == 64 && (row.format == Format::VOPDX || row.format == Format::VOPDY);
    bool llvm_lacks = unknown_to_llvm(row) || has(row.name, "v_dual_dot2acc_") || has(row.name, "image_bvh");
    if (!wave32_only && !llvm_lacks)
      EXPECT_GT(same, same_before) << row.name << " (" << format_name(row.format) << ") never agreed with LLVM";
  }
  EXPECT_EQ(unexplained, 0);
  EXPECT_GT(same, 40000);
  fmt::print("{} wave{}: {} read the same, {} refused by both\n", cpu, wave, same, both_reject);
  for (auto& [why, count] : reasons) fmt::print("  {:>6} {}\n", count, why);
  settle(differing, cpu, wave);
}

// Words in Mesa 25's shaders for gfx1201 that LLVM 19 prints otherwise: halves of V_LSHLREV_B16, and a second image address in
// v0.
TEST(Mesa, WordsOfShaders) {
  LlvmDisassembler llvm("gfx1201", 32);
  const struct {
    uint32_t words[3];
    const char *ours, *llvms;
  } cases[] = {
      {{0xd7381004, 0x00020281, 0}, "v_lshlrev_b16 v4, 1, v1 op_sel:[0,1,0]", "v_lshlrev_b16 v4, 1, v1"},
      {{0xd7381003, 0x00020281, 0}, "v_lshlrev_b16 v3, 1, v1 op_sel:[0,1,0]", "v_lshlrev_b16 v3, 1, v1"},
      // (ACO asks for bits of a word so: Mesa 25.0.7's encoding of instances in acceleration structures.)
      {{0xd47d1026, 0x000226f2, 0}, "v_cmp_class_f16_e64 s38, 1.0, v19 op_sel:[0,1]", "v_cmp_class_f16_e64 s38, 1.0, v19"},
      {{0xd3c18001, 0x00001004, 0x00000001},
       "image_store v[4:7], [v1, v0], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D",
       "image_store v4, v1, s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D"}};
  std::vector<Differs> list;
  for (const auto& c : cases) {
    std::span bytes(reinterpret_cast<const uint8_t*>(c.words), sizeof c.words);
    auto decoded = decode(bytes);
    ASSERT_TRUE(decoded) << c.ours;
    EXPECT_EQ(print(decoded->main), c.ours);
    EXPECT_EQ(llvm(bytes).text, c.llvms);
    EXPECT_EQ(words_of(*decoded, 32), hex(bytes.first(decoded->main.bytes)));
    list.push_back({c.ours, c.ours, c.llvms, words_of(*decoded, 32)});
  }
  auto assembled = llvm_assemble(std::vector<std::string>{list[0].theirs, list[1].theirs, list[2].theirs}, "gfx1201", 32);
  for (size_t n = 0; n < list.size(); n++)
    EXPECT_NE(assembled[n], list[n].words) << "LLVM's text has lost something: " << list[n].theirs;
}

INSTANTIATE_TEST_SUITE_P(All, Disassembler, testing::Combine(testing::Values("gfx1200", "gfx1201"), testing::Values(32u, 64u)),
                         [](auto& p) {
                           return std::string(std::get<0>(p.param)) + "_wave" + std::to_string(std::get<1>(p.param));
                         });

}  // namespace
