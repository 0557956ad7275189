// The text form there and back, over random words as well, and every way in which it can be wrong.
#include "isa/r500/text.h"

#include <gtest/gtest.h>

#include "isa/r500/random_words.h"

namespace Atoll::r500 {
namespace {

TEST(Text, ThereAndBack) {
  for (const char* text :
       {"mad t0.rgb, t1.xyz, c255.xyz, -t2.zzz | rcp t0.a, |t1.w|", "nop | rsq.sat.x2 o3.a, -|t15.x|",
        "(!p.g) dp4 t127.rb, t1.xyzw, c0.h10w | (p) dp _", "sop t1.rgb | ln2.ne t2.a+p.a, c1.x",
        "cmp.exact.lt p.rgb, t1.xyz, t2.xyz, t3.xyz | nop", "mdh t1.rg, t2.xyz, 1, t2.xyz | mdv t1.a, t2.w, -1, t2.w",
        "mad t[al+3].rgb, c[al+200].xyz, 2.5, 0 | cos t[al+4].a, t[al+0].w", "nop | mad t0.a+o0.a+depth, t1.w, 0.001953125, 480",
        "{t1, c2, 3.75, s1-s0 | t4, 0, 0, 1-s0} mad.d2 o2.rgb, sp.xyw, s2.xyz, -|s1.z01| | min t0.a, sp.w, s0.x",
        "mad.ge p.r, t0.xyz, 1, 0 | nop @last @alu_result_op=lt @alu_wmask", "jump 511",
        "(!p.r) breakloop 12 @jump_any @a_op=push @jump_func=255 @b_op1=decr @jump_global",
        "endloop 3 @ignore_uncovered @int_addr=31", "ld t0.rgba, tex3.xyzw, t1.xyzw @tex_sem_acquire @unscaled",
        "(p.r) texkill t5.xyzz @alpha_pred_sel=0", "dxdy t[al+1].ra, tex15.wzyx, t1.xyxy, t2.xyzw, t[al+3].xyzw", "texnop",
        "lodbias _, tex0.xyzw, t0.xyzw"}) {
    auto words = parse(text);
    ASSERT_TRUE(words) << text << ": " << words.error().message;
    EXPECT_EQ(print(*words), text);
  }
}

// Words that Mesa's r300g was seen to write, and what they say.
TEST(Text, RecordedWords) {
  for (auto [words, text] : {std::pair{Words{0x00078005, 0x08020000, 0x08020000, 0x00db0220, 0x00c0c000, 0x20490000},
                                       "mad o0.rgb, t0.xyz, 1, 0 | mad o0.a, t0.w, 1, 0 @tex_sem_wait"},
                             std::pair{Words{0x00007807, 0x02400000, 0xe400f400, 0, 0, 0},
                                       "ld t0.rgba, tex0.xyzw, t0.xyww @tex_sem_wait @tex_sem_acquire"}}) {
    EXPECT_EQ(print(words), text);
    auto back = parse(text);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, words);
  }
}

TEST(Text, RandomWordsThereAndBack) {
  Random random(1);
  size_t kinds[4] = {};
  for (int round = 0; round < 20000; round++) {
    Words words = random.any();
    if (round % 2)  // ordinary ones: few bits set
      for (uint32_t& w : words) w &= random.word() & random.word();
    if (!objection(words).empty()) continue;
    std::string text = print(words);
    auto back = parse(text);
    ASSERT_TRUE(back) << text << ": " << back.error().message;
    ASSERT_EQ(*back, words) << text;
    ASSERT_EQ(print(*back), text);
    kinds[size_t(type_of(words))]++;
  }
  for (size_t n : kinds) EXPECT_GT(n, 500u);
}

// Everything that pair_of takes apart, words_of puts together.
TEST(Text, PairsAreTheFieldsOfTheWords) {
  Random random(2);
  for (int round = 0; round < 5000; round++) {
    Words words = random.any();
    if (type_of(words) == Type::Tex || type_of(words) == Type::Fc) continue;
    Words expected = words;
    for (const Field* f : {&field<US_CMN_INST::TEX_SEM_WAIT>, &field<US_CMN_INST::LAST>, &field<US_CMN_INST::NOP>,
                           &field<US_CMN_INST::ALU_WAIT>, &field<US_CMN_INST::STAT_WE>})
      f->set(expected, 0);
    ASSERT_EQ(words_of(pair_of(words)), expected) << round;
  }
}

TEST(Text, Reserved) {
  auto refused = [](Words words) { return std::string(objection(words)); };
  EXPECT_NE(refused({6 << 3}).find("RGB_PRED_SEL"), std::string::npos);
  EXPECT_NE(refused({7u << 25}).find("ALPHA_PRED_SEL"), std::string::npos);
  for (uint32_t op : {6u, 13u, 14u, 15u}) EXPECT_NE(refused({0, 0, 0, 0, 0, op}).find("RGB_OP"), std::string::npos) << op;
  EXPECT_NE(refused({1, 0, 0, 0, 4, 0}).find("ALPHA_OP"), std::string::npos);
  EXPECT_NE(refused({3, 7 << 22}).find("INST"), std::string::npos);
  EXPECT_NE(refused({2, 0, 3 << 6}).find("A_OP"), std::string::npos);
  EXPECT_NE(refused({2, 0, 3 << 24}).find("B_OP0"), std::string::npos);
  EXPECT_NE(refused({2, 0, 3 << 26}).find("B_OP1"), std::string::npos);
  EXPECT_EQ(refused({2, ~0u, 0, 0, ~0u, ~0u}), "");  // words that flow control does not have
}

TEST(Text, ShortForms) {
  auto print_of = [](const char* text) {
    auto words = parse(text);
    return words ? print(*words) : words.error().message;
  };
  EXPECT_EQ(print_of("MAD T0.XYZ, T1, 0.5, -1"), "mad t0.rgb, t1.xyz, 0.5, -1 | nop");
  EXPECT_EQ(print_of("mad t0.w, t1, c2, 0"), "nop | mad t0.a, t1.w, c2.w, 0");
  EXPECT_EQ(print_of("ex2 t0.a, t1.r"), "nop | ex2 t0.a, t1.x");
  EXPECT_EQ(print_of("(p.x) frc t3.g, i1.a"), "(p.r) frc t3.g, t1.www | nop");
  EXPECT_EQ(print_of("ld t0.xy, tex1, i2"), "ld t0.rg, tex1.xyzw, t2.xyzw");
  EXPECT_EQ(print_of("mad _, t0.x, 0, 0 @us_alu_rgb_inst.target=0x2 @alu_result_sel=1"),
            "mad _, t0.xxx, 0, 0 | nop @alu_result_sel=alpha @us_alu_rgb_inst.target=2");
}

// Channels r, g, b of source n come from the RGB address, a from the alpha address.
TEST(Text, SourcesShareAddresses) {
  auto p = pair_of(*parse("mad t0.rgb, t1.xyz, t2.www, t3.xyw | mad t0.a, t1.x, t4.w, t2.w"));
  auto is = [&](int unit, int n, uint8_t address) { EXPECT_EQ(p.slot[unit][n], (Slot{address, 0, 0})) << unit << n; };
  is(0, 0, 1), is(1, 0, 2), is(0, 1, 3), is(1, 1, 3), is(0, 2, 0x80), is(1, 2, 4);
  EXPECT_EQ(p.rgb.operand[2].select, 1);
  EXPECT_EQ(p.alpha.operand[1].select, 2);
  EXPECT_EQ(p.alpha.operand[2].select, 0);
}

TEST(Text, Errors) {
  for (auto [text, part] : {std::pair{"mul t0.rgb, t1, t2", "no operation"},
                            {"mad t128.rgb, t1, t2, t3", "last one is 127"},
                            {"mad t0.rgb, t1, c256, t3", "last one is 255"},
                            {"mad t0.rgb, i16, t1, t3", "last one is 15"},
                            {"mad t0.rgb, t1, c2", "3 sources"},
                            {"mad t0, t1, c2, c3", "names its channels"},
                            {"mad t0.rgb, t1.xy, c2, c3", "1, 3 or 4"},
                            {"mad t0.rgb, t1.xyzw, c2, c3", "three channels"},
                            {"dp4 t0.rgb, t1.xyz, c2", "four channels"},
                            {"rcp t0.a, t1.xyz", "one channel"},
                            {"rcp t0.rgb, t1.x", "writes a (w) only"},
                            {"mad t0.rgba, t1, t1, t1", "writes r, g, b"},
                            {"mad p.r, t1, t1, t1", "comparison"},
                            {"mad.lt t0.r, t1, t1, t1", "comparison"},
                            {"mad.exact t0.r, t1, t1, t1", "exact is for"},
                            {"sop t0.rgb", "there is none"},
                            {"mad t0.rgb, t1, t1, t1 | dp t0.a", "there is none"},
                            {"dp4 t0.rgb, t1, t1 | rcp t0.a, t1.x", "only dp can stand"},
                            {"mad o0.rgb, t1, t1, t1 | mad.lt p.a, t1.x, 1, 0", "not both"},
                            {"mad t0.rgb, t1, 2.1, t1", "inline constants"},
                            {"mad t0.rgb, |t1, t1, t1", "second '|'"},
                            {"(q) mad t0.rgb, t1, t1, t1", "predicate is"},
                            {"mad t0.rr, t1, t1, t1", "twice"},
                            {"mad t0.r, t1, t1, t1 x", "nothing more"},
                            {"mad t0.rgb, t1, t2, t3 | mad t0.a, t4.x, t5.x, 0", "do not fit"},
                            {"mad depth, t1, t2, t3 | nop", "RGB unit's cannot"},
                            {"{t0, t1 | t0, t1, t2} mad t0.r, s0, s1, s2", "three source addresses"},
                            {"{t0, t1, t2 | t0, t1, t2} mad t0.r, s0, t1, s2", "behind addresses"},
                            {"{t0, t1, t2 | t0, t1, t2} mad t0.r, s0, s3, s2", "behind addresses"},
                            {"{t0, t1, t2, 2-s0 | t0, t1, t2} mad t0.r, s0, s1, s2", "presubtraction"},
                            {"mad t[3].r, t1, t1, t1", "relative address"},
                            {"jump 512", "last one is 511"},
                            {"jump there", "number is missing"},
                            {"jump 1 @last=2", "does not fit"},
                            {"jump 1 @a_op", "needs a value"},
                            {"jump 1 @a_op=3", "US_FC_INST.A_OP"},
                            {"jump 1 @a_op=pip", "no value"},
                            {"jump 1 @rgb_addrd=3", "no field"},
                            {"jump 1 @word6=3", "no field"},
                            {"ld t0.rgba, t1", "tex15"},
                            {"ld t0.rgba, tex16, t1", "tex15"},
                            {"ld t0.rgba, tex1", "coordinates"},
                            {"ld t0.rgba, tex1.xy, t1", "4 letters"},
                            {"dxdy t0.rgba, tex1, t1, t2", "two registers more"},
                            {"", "no operation"}}) {
    auto words = parse(text);
    ASSERT_FALSE(words) << text;
    EXPECT_NE(words.error().message.find(part), std::string::npos) << text << ": " << words.error().message;
  }
}

}  // namespace
}  // namespace Atoll::r500
