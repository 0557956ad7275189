// The targets that a pixel kernel writes at all of its pixels: kernels as text, and what follows from their branches, predicates
// and widths.
#include "gpu/dg1/threads/always_written.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/program.h"

namespace {

using namespace Atoll;

// Writes of render targets, as the descriptors have them (pixel_message.h): SIMD8's form is 4, SIMD16's 0.
std::string write(unsigned pixels, unsigned first = 0, unsigned target = 0, bool ends = true, const char* mask = "",
                  bool last = true) {
  const unsigned registers = pixels == 8 ? 4 : 8, form = pixels == 8 ? 4 : 0, upper = first == 16;
  char text[160];
  std::snprintf(text, sizeof text, "%ssendc.rc (%u|M%u) null r60 null 0x%x 0x%08x%s", mask, pixels, first, target << 12,
                registers << 25 | 0xc << 14 | unsigned(last) << 12 | upper << 11 | form << 8 | target, ends ? " {EOT}" : "");
  return text;
}

struct Case {
  const char* what;
  unsigned width;
  std::vector<std::string> lines;
  uint8_t written;
};

const std::string compare = "cmp (16|M0) (lt)f1.0 null<1>:f r60.0<8;8,1>:f 0.5:f";

const Case cases[] = {
    {"one write", 16, {write(16)}, 1},
    {"of 8 pixels", 8, {write(8)}, 1},
    {"of half of the pixels", 16, {write(8)}, 0},
    {"both halves of 32", 32, {write(16, 0, 0, false), write(16, 16)}, 1},
    {"the upper half of 32", 32, {write(16, 16)}, 0},
    {"targets 0 and 3", 16, {write(16, 0, 0, false), write(16, 0, 3)}, 9},
    {"target 2 by those of a predicate", 16, {compare, write(16, 0, 2, false, "(f1.0) "), write(16)}, 1},
    {"all by those of a predicate", 16, {compare, write(16, 0, 0, true, "(f1.0) ")}, 0},
    {"behind a branch",
     16,
     {compare, "(f1.0) if (16|M0) end end", "add (16|M0) r60.0<1>:f r60.0<8;8,1>:f 1.0:f", "end: endif (16|M0) next",
      "next:", write(16)},
     1},
    {"one within a branch",
     16,
     {compare, "(f1.0) if (16|M0) end end", write(16, 0, 1, false), "end: endif (16|M0) next", "next:", write(16)},
     1},
    {"the only one within a branch",
     16,
     {compare, "(f1.0) if (16|M0) end end", write(16, 0, 1, false), "end: endif (16|M0) next",
      "next:", write(16, 0, 0, true, "(f1.0) ")},
     0},
    {"both sides of a branch",
     16,
     {compare, "(f1.0) if (16|M0) other end", write(16, 0, 1, false), "other: else (16|M0) end end", write(16, 0, 1, false),
      "end: endif (16|M0) next", "next:", write(16)},
     1},
    {"within a loop", 16, {"again:", write(16, 0, 1, false), compare, "(f1.0) while (16|M0) again", write(16)}, 1},
    {"behind a loop that is left by break",
     16,
     {"again:", compare, "(f1.0) break (16|M0) end end", "add (16|M0) r60.0<1>:f r60.0<8;8,1>:f 1.0:f",
      "end: while (16|M0) again", write(16)},
     1},
    {"behind a halt",
     16,
     {compare, "(f1.0) halt (16|M0) end end", "add (16|M0) r60.0<1>:f r60.0<8;8,1>:f 1.0:f", "end: halt (16|M0) next next",
      "next:", write(16)},
     0},
    {"of which none is the last", 16, {write(16, 0, 0, true, "", false)}, 0},
    {"whose last one goes by a predicate", 16, {compare, write(16, 0, 0, false, "", false), write(16, 0, 1, true, "(f1.0) ")}, 0},
    {"of which the last one alone is so", 16, {write(16, 0, 0, false, "", false), write(16, 0, 1)}, 3},
    {"without any", 16, {"add (16|M0) r60.0<1>:f r60.0<8;8,1>:f 1.0:f"}, 0},
};

TEST(AlwaysWritten, FollowsFromBranchesPredicatesAndWidths) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    auto words = xe_lp::assemble(c.lines);
    ASSERT_TRUE(words) << words.error().message;
    const wave::Program program(xe_lp::isa(), 0x1000, *words);
    EXPECT_EQ(dg1::always_written(program, c.width), c.written);
  }
}

}  // namespace
