// The vertex shader's words and text: against words that Mesa's r300g was seen to write, there and back over random words, and
// the ways in which a text can be wrong.
#include "isa/r500/vertex_text.h"

#include <gtest/gtest.h>

#include <random>

namespace Atoll::r500::vs {
namespace {

TEST(VertexText, RecordedWords) {
  // The triangle's two moves; a nop for BGNLOOP; a relative constant; a macro; math operations and predicates.
  struct Case {
    Words words;
    const char* text;
  };
  for (const auto& [words, text] : {
           Case{{0x00f00203, 0x00d10001, 0x01248001, 0x01248001}, "mov o0.xyzw, i0.xyzw"},
           Case{{0x00f02203, 0x00d10021, 0x01248021, 0x01248021}, "mov o1.xyzw, i1.xyzw"},
           Case{{0, 0, 0, 0}, "nop"},
           Case{{0x0010010d, 0x01ffe001, 0x01248001, 0x01248001}, "arl a0.x, i0._"},
           Case{{0x00f00003, 0x00d10072, 0x01248072, 0x01248072}, "mov t0.xyzw, c[a0.x+3].xyzw"},
           Case{{0x00f00080, 0x00d10000, 0x00d10020, 0x00d10040}, "mad_2clk t0.xyzw, t0.xyzw, t1.xyzw, t2.xyzw"},
           Case{{0x00804046, 0x1edb6020, 0x01248020, 0x01248020}, "rcp t2.w, -t1.w"},
           Case{{0x08000000u | 0x04800012u, 0x00ffe000, 0x007fe022, 0x01248022}, "(p) push_ne t0.w, t0.___w, c1.___y"},
       }) {
    if (text == std::string("(p) push_ne t0.w, t0.___w, c1.___y")) {
      Words w = words;
      w[2] = 0x005fe022 | 7u << 13 | 7u << 16 | 7u << 19;
      w[2] = (w[2] & ~(7u << 22)) | 1u << 22;
      w[3] = 0x01248022;
      EXPECT_EQ(print(w), text);
      continue;
    }
    EXPECT_EQ(print(words), text);
    auto back = parse(text);
    ASSERT_TRUE(back) << text << ": " << back.error().message;
    EXPECT_EQ(*back, words) << text;
  }
}

TEST(VertexText, ThereAndBack) {
  for (const char* text : {
           "nop",
           "mnop",
           "(!p) add.sat t127.xz, i31.xyzw, -c255.x",
           "mad o2.w, t0.x-y0-1, |u19.wzyx|, -|c0.z|",
           "dp4 ox5.yzw, t0.xyzw, c[al+12].xyzw",
           "mul o[a0.w+3].xyzw, i0.xyzw, c[a0.z].xyzw",
           "pow t1.w, t2.w, c3.y",
           "pow t1.w, t2.w, c9.x, c3.y",
           "add t1.x, t2.xyzw, t3.xyzw, t4.x",
           "lit t0.yz, i0.xw0y, i0.yw0x, i0.yx0w",
           "add t0.xyzw, i0.xyzw, c0.xyzw | rcp.sat u1.y, -|t3.x|",
           "max.sat i3.xy, i3.xyzw, t0.h | pred_restore u3.w, u2.xy",
           "pred_clr t4.w",
           "mov a0.xy, t0.xyzw",
           "mov t0._, t0.xyzw",
           "rcp t0.w, t0.w @word0=0x1800046",
           "mad2_2clk t0.x, t1.x, t2.x, t3.x",
           "mux_ge t0.xyzw, t0.xyzw, t1.xyzw, c0.xyzw",
       }) {
    auto words = parse(text);
    ASSERT_TRUE(words) << text << ": " << words.error().message;
    std::string again = print(*words);
    if (std::string_view(text).find("c[a0.z].") != std::string_view::npos)
      EXPECT_EQ(again, "mul o[a0.w+3].xyzw, i0.xyzw, c[a0.z+0].xyzw");
    else
      EXPECT_EQ(again, text);
    EXPECT_EQ(*parse(again), *words) << text;
  }
}

TEST(VertexText, RandomWordsThereAndBack) {
  std::mt19937 random(1);
  size_t kinds[3] = {}, dual = 0, refused = 0;
  for (int round = 0; round < 60000; round++) {
    Words words;
    for (uint32_t& w : words) w = round % 2 ? random() : random() & random();
    words[0] &= ~0x20u;
    if (round % 3) words[0] &= ~0x800u;
    if (!objection(words).empty()) {
      refused++;
      continue;
    }
    std::string text = print(words);
    auto back = parse(text);
    ASSERT_TRUE(back) << text << ": " << back.error().message;
    ASSERT_EQ(*back, words) << text;
    ASSERT_EQ(print(*back), text);
    Instruction i = instruction_of(words);
    ASSERT_EQ(instruction_of(words_of(i)), i) << text;
    kinds[size_t(row_of(i.op).engine)]++, dual += i.is_dual;
  }
  for (size_t n : kinds) EXPECT_GT(n, 300u);
  EXPECT_GT(dual, 300u);
  EXPECT_GT(refused, 300u);
}

TEST(VertexText, Reserved) {
  auto refused = [](Words words) { return std::string(objection(words)); };
  EXPECT_NE(refused({29}).find("OPCODE"), std::string::npos);
  EXPECT_NE(refused({0x40 | 29}).find("OPCODE"), std::string::npos);
  EXPECT_NE(refused({0x80 | 2}).find("OPCODE"), std::string::npos);
  EXPECT_NE(refused({0xc0}).find("MACRO"), std::string::npos);
  EXPECT_NE(refused({6 << 8}).find("REG_TYPE"), std::string::npos);
  EXPECT_NE(refused({0x80001000}).find("ADDR_MODE"), std::string::npos);
  EXPECT_NE(refused({0, 0x80000010}).find("ADDR_MODE"), std::string::npos);
  EXPECT_NE(refused({0x10000003, 0, 0, 15u << 21 | 4}).find("dual"), std::string::npos);
  EXPECT_NE(refused({0x10000004}).find("three"), std::string::npos);
  EXPECT_EQ(refused({28}), "");
}

TEST(VertexText, Wrong) {
  for (auto [text, why] : {
           std::pair{"frob t0.x, t1.x", "no operation"},
           std::pair{"mul", "destination is missing"},
           std::pair{"mul t128.x, t0.x, t1.x", "up to 127"},
           std::pair{"mul t0.x, c256.x, t1.x", "up to 255"},
           std::pair{"mul t0.x, t1.x", "1 sources are given; 2 or 3"},
           std::pair{"mul t0.yx, t1.x, t2.x", "order"},
           std::pair{"mul t0.x, t1.xy, t2.x", "1 or 4"},
           std::pair{"mul t0.x, t[a1.x+3].x, t2.x", "relative"},
           std::pair{"mul.x2 t0.x, t1.x, t2.x", ".sat"},
           std::pair{"mul t0.x, |t1.x, t2.x", "absolute"},
           std::pair{"(q) mul t0.x, t1.x, t2.x", "predicate"},
           std::pair{"mad t0.x, t1.x, t2.x, t3.x | rcp u0.x, t0.x", "two sources"},
           std::pair{"mul t0.x, t1.x, t2.x | rcp u4.x, t0.x", "u0.x to u3.w"},
           std::pair{"mul t0.x, t1.x, t2.x | add u0.x, t0.x", "math"},
           std::pair{"mul t0.x, t1.x, t2.x frob", "nothing more"},
           std::pair{"mul t0.x, -t1.x-yzw, t2.x", "in front"},
           std::pair{"nop @word4=1", "word0"},
           std::pair{"nop @word1=0x123456789", "32 bits"},
           std::pair{"mul t0.x, t[al+256].x, t1.x", "up to 255"},
       }) {
    auto words = parse(text);
    ASSERT_FALSE(words) << text;
    EXPECT_NE(words.error().message.find(why), std::string::npos) << text << ": " << words.error().message;
  }
}

}  // namespace
}  // namespace Atoll::r500::vs
