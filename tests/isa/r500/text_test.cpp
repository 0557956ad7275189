// The text form there and back, and every way in which it can be wrong.
#include "isa/r500/text.h"

#include <gtest/gtest.h>

namespace Atoll::r500 {
namespace {

TEST(Text, ThereAndBack) {
  for (const char* text : {"mad t0.rgb, t1.xyz, c255.xyz, -t2.zzz | rcp t0.a, |t1.w|", "nop | rsq.sat.x2 o3.a, -|i15.0|",
                           "(!p.g) dp4 t127.rb, t1.xyzw, c0.h10w | (p) dp _", "sop t1.rgb | ln2.ne t2.a+p.a, c1.x",
                           "cmp.exact.lt p.rgb, t1.xyz, t2.xyz, t3.xyz | nop"}) {
    auto pair = parse(text);
    ASSERT_TRUE(pair) << text << ": " << pair.error().message;
    EXPECT_EQ(print(*pair), text);
    auto decoded = pair_of(words_of(*pair));
    ASSERT_TRUE(decoded) << text;
    EXPECT_EQ(*decoded, *pair);
  }
}

TEST(Text, ShortForms) {
  auto print_of = [](const char* text) {
    auto pair = parse(text);
    return pair ? print(*pair) : pair.error().message;
  };
  EXPECT_EQ(print_of("MAD T0.XYZ, T1, 0.5, -1"), "mad t0.rgb, t1.xyz, t0.hhh, -t0.111 | nop");
  EXPECT_EQ(print_of("mad t0.w, t1, c2, 0"), "nop | mad t0.a, t1.w, c2.w, t0.0");
  EXPECT_EQ(print_of("ex2 t0.a, t1.r"), "nop | ex2 t0.a, t1.x");
  EXPECT_EQ(print_of("(p.x) frc t3.g, t1.a"), "(p.r) frc t3.g, t1.www | nop");
}

TEST(Text, Errors) {
  for (auto [text, part] : {std::pair{"mul t0.rgb, t1, t2", "no operation"},
                            {"mad t128.rgb, t1, t2, t3", "last one is 127"},
                            {"mad t0.rgb, t1, c256, t3", "last one is 255"},
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
                            {"mad t0.rgb, t1, 2.0, t1", "0, 0.5 and 1"},
                            {"mad t0.rgb, |t1, t1, t1", "second '|'"},
                            {"(q) mad t0.rgb, t1, t1, t1", "predicate is"},
                            {"mad t0.rr, t1, t1, t1", "twice"},
                            {"mad t0.r, t1, t1, t1 x", "nothing more"},
                            {"", "no operation"}}) {
    auto pair = parse(text);
    ASSERT_FALSE(pair) << text;
    EXPECT_NE(pair.error().message.find(part), std::string::npos) << text << ": " << pair.error().message;
  }
}

TEST(Words, OnlyWhatTheParserMakes) {
  auto words = words_of(*parse("mad t0.rgb, t1, c0, 1"));
  ASSERT_TRUE(pair_of(words));
  EXPECT_FALSE(pair_of(std::span(words).first(kWords - 1)));
  for (size_t n = 0; n < 9; n++) {  // the RGB half and the first word
    auto broken = words;
    broken[n] ^= 0xf0f0f0f0u;
    EXPECT_FALSE(pair_of(broken)) << n;
  }
}

}  // namespace
}  // namespace Atoll::r500
