// The instruction table against the manual's counts (RDNA4 ISA chapters 15 and 16), and the encodings against each other.
#include "isa/rdna4/table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

#include "isa/rdna4/decode.h"

using namespace Atoll::rdna4;

namespace {

struct Pattern {
  uint32_t mask, value;
};

// The bits of the first dword that tell a row from all others. VOPD's components share a dword.
Pattern pattern(const Opcode& row) {
  Pattern p{};
  const Layout& form = layout(row);
  Field opcode = row.format == Format::VOPDX ? Field::opx : row.format == Format::VOPDY ? Field::opy : Field::op;
  Bits bits = form.at(opcode);  // exports have none
  p = {form.fixed_mask, form.fixed};
  if (bits.width != 0) p = {p.mask | bits.mask() << bits.low, p.value | uint32_t(row.opcode) << bits.low};
  return p;
}

TEST(Table, HoldsExactlyTheManualsRows) {
  std::map<std::string, int> manual, other;
  for (const Opcode& row : opcodes()) ++(row.in_manual ? manual : other)[format_name(row.format)];
  const std::map<std::string, int> expected = {{"SMEM", 26},  {"SOP1", 85},    {"SOP2", 74},    {"SOPC", 46},   {"SOPK", 9},
                                               {"SOPP", 40},  {"VBUFFER", 89}, {"VDS", 123},    {"VDSDIR", 2},  {"VEXPORT", 1},
                                               {"VFLAT", 55}, {"VGLOBAL", 65}, {"VIMAGE", 33},  {"VINTERP", 6}, {"VOP1", 90},
                                               {"VOP2", 49},  {"VOP3", 444},   {"VOP3P", 56},   {"VOPC", 162},  {"VOPDX", 14},
                                               {"VOPDY", 17}, {"VSAMPLE", 58}, {"VSCRATCH", 24}};
  EXPECT_EQ(manual, expected);
  int total = 0;
  for (auto& [format, count] : manual) total += count;
  EXPECT_EQ(total, 1568);
  const std::map<std::string, int> llvm_only = {{"SMEM", 2}, {"SOP1", 3}, {"SOPP", 4}};
  EXPECT_EQ(other, llvm_only);
}

TEST(Table, NoTwoEncodingsOverlap) {
  auto rows = opcodes();
  for (size_t a = 0; a < rows.size(); ++a) {
    Pattern pa = pattern(rows[a]);
    for (size_t b = a + 1; b < rows.size(); ++b) {
      if (rows[a].format == Format::VOPDX && rows[b].format == Format::VOPDY) continue;
      Pattern pb = pattern(rows[b]);
      uint32_t both = pa.mask & pb.mask;
      ASSERT_NE(pa.value & both, pb.value & both) << rows[a].name << " and " << rows[b].name;
    }
  }
}

TEST(Table, FindsByNumberAndName) {
  for (const Opcode& row : opcodes()) {
    EXPECT_EQ(find(row.format, row.opcode), &row);
    EXPECT_EQ(find(row.name, row.format), &row) << row.name;
    ASSERT_NE(find(row.name), nullptr);
    EXPECT_STREQ(find(row.name)->name, row.name);
    EXPECT_EQ(format_of(pattern(row).value), row.format == Format::VOPDY ? Format::VOPDX : row.format) << row.name;
  }
  EXPECT_EQ(find("v_add_f32")->format, Format::VOP2);
  EXPECT_EQ(find("v_add_f32_e32"), nullptr);
  EXPECT_EQ(find(Format::SOP1, 255), nullptr);
  EXPECT_STREQ(opcodes()[find(Format::VOPDX, 0)->ordinary].name, "v_fmac_f32");
  EXPECT_EQ(opcodes()[find(Format::VOPDY, 16)->ordinary].format, Format::VOP2);
}

TEST(Table, SourcesAndOperandsFit) {
  for (const Opcode& row : opcodes()) {
    unsigned sources = 0;
    for (const OperandRow& o : row.rows())
      if (o.slot == Slot::Src0 || o.slot == Slot::Src1 || o.slot == Slot::Src2) ++sources;
    EXPECT_EQ(sources, row.source_count) << row.name;
    EXPECT_LT(row.neg | row.abs | row.neg_hi, 1 << 3) << row.name;
    if (row.has(Flag::Load)) {
      EXPECT_TRUE(row.load_bytes != 0 || row.format == Format::VIMAGE) << row.name;
    }
  }
}

Decoded decoded(std::initializer_list<uint32_t> words, unsigned wave = 32) {
  std::vector<uint32_t> w(words);
  auto result = decode({reinterpret_cast<const uint8_t*>(w.data()), w.size() * 4}, {wave});
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return result.value_or(Decoded{});
}

std::string problem(std::initializer_list<uint32_t> words, size_t bytes) {
  std::vector<uint32_t> w(words);
  auto result = decode({reinterpret_cast<const uint8_t*>(w.data()), bytes}, {});
  return result ? "decoded" : result.error().message;
}

TEST(Decode, Vop2AndItsVop3FormReadAlike) {
  Instruction e32 = decoded({0x06060501}).main;  // v_add_f32_e32 v3, v1, v2
  EXPECT_STREQ(e32.opcode->name, "v_add_f32");
  EXPECT_EQ(e32.dst, 3);
  EXPECT_EQ(e32.src[0], VGPR0 + 1);
  EXPECT_EQ(e32.src[1], VGPR0 + 2);
  Instruction e64 = decoded({0xd5030003, 0x00020401}).main;
  EXPECT_EQ(e64.opcode->format, Format::VOP3);
  EXPECT_EQ(e64.src[1], VGPR0 + 2);
  EXPECT_EQ(e64.bytes, 8);
}

TEST(Decode, HalvesOfShortFormsMoveToOpSel) {
  Instruction i = decoded({0x64000000 | 0x80 << 17 | 0x82 << 9 | 0x101}).main;  // v_add_f16 v0.h, v1.l, v2.h
  EXPECT_EQ(i.op_sel, 8 | 2);
  EXPECT_EQ(i.dst, 0);
  EXPECT_EQ(i.src[1], VGPR0 + 2);
}

TEST(Decode, ImpliedOperands) {
  Instruction cmp = decoded({0x7c220501}).main;
  EXPECT_EQ(cmp.sdst, VCC_LO);
  Instruction cmpx = decoded({0x7d220501}).main;
  EXPECT_EQ(cmpx.sdst, EXEC_LO);
  Instruction select = decoded({0x02060501}).main;
  EXPECT_EQ(select.src[2], VCC_LO);
  Instruction fmamk = decoded({0x58060501, 0x12345678}).main;
  EXPECT_EQ(fmamk.src[1], LITERAL);
  EXPECT_EQ(fmamk.src[2], VGPR0 + 2);
  EXPECT_EQ(fmamk.literal, 0x12345678u);
  EXPECT_EQ(fmamk.bytes, 8);
}

TEST(Decode, VopdGivesTwoOrdinaryInstructions) {
  // v_dual_fmac_f32 v1, v2, v3 :: v_dual_mov_b32 v4, 1.0
  uint32_t low = 0xc8000000 | 0 << 22 | 8 << 17 | 3 << 9 | 0x102, high = 242 | (4 >> 1) << 17 | 1 << 24;
  Decoded copy = decoded({low, high});
  ASSERT_EQ(copy.main.dual_x, &copy.x);
  EXPECT_STREQ(copy.x.opcode->name, "v_fmac_f32");
  EXPECT_STREQ(copy.y.opcode->name, "v_mov_b32");
  EXPECT_EQ(copy.y.dst, 4);
  EXPECT_EQ(copy.y.src[0], 242);
}

TEST(Decode, SaysWhyNot) {
  EXPECT_EQ(problem({0x7e000201}, 3), "an instruction takes at least 4 bytes; 3 are left");
  EXPECT_EQ(problem({0xd5030003, 0x00020401}, 4), "VOP3 takes 8 bytes; only 4 are left");
  EXPECT_EQ(problem({0x7e0002ff, 1}, 4), "the instruction ends before its literal");
  EXPECT_EQ(problem({0xbe80ff00}, 4), "unknown SOP1 opcode 255");
  EXPECT_EQ(problem({0xbe800101}, 4), "s1: a tuple of scalar registers must begin at a multiple of its size (at most 4)");
}

}  // namespace
