// Listings: what text can say stands as text, everything else as words, and both come back.
#include "isa/gfx7/listing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "isa/gfx7/encode.h"
#include "isa/gfx7/parse.h"
#include "word_generator.h"

namespace Atoll::gfx7 {
namespace {

using State = ListedLine::State;

ListedLine listed(std::vector<uint32_t> words, size_t bytes = 0, bool exact = true) {
  return list({reinterpret_cast<const uint8_t*>(words.data()), bytes ? bytes : words.size() * 4}, exact);
}

TEST(Listing, TextWhereItGivesTheWordsBack) {
  for (const char* text : {"v_add_f32_e32 v1, v2, v3", "s_mov_b32 s0, 0x12345678", "exp mrt0 v0, off, off, v1 done vm",
                           "buffer_load_dword v1, off, s[4:7], s2 offset:16", "s_waitcnt 162"}) {
    auto words = encode(*parse(text));
    ASSERT_TRUE(words);
    ListedLine line = list(words->bytes(), true);
    EXPECT_EQ(line.text, text);
    EXPECT_EQ(line.state, State::exact);
    EXPECT_EQ(line.bytes, words->count * 4);
    EXPECT_EQ(line.reason, "");
  }
}

TEST(Listing, WordsWhereItWouldNot) {
  struct Case {
    std::vector<uint32_t> words;
    const char* line;
  } cases[] = {
      {{0xf8001801, 0x00000102},
       ".long 0xf8001801, 0x00000102 // exp mrt0 v2, off, off, off done vm; exp: a VSRC that EN leaves out must be zero"},
      {{0xe0700010, 0x02010380},
       ".long 0xe0700010, 0x02010380 // buffer_store_dword v3, off, s[4:7], s2 offset:16; buffer_store_dword: VADDR must be zero "
       "without OFFEN, IDXEN and ADDR64"},
      {{0xbe8003ff, 0}, ".long 0xbe8003ff, 0x00000000 // s_mov_b32 s0, 0; an inline constant has the literal's value"},
      {{0x0402087c}, ".long 0x0402087c // v_writelane_b32 v1, m0, s4; v_writelane_b32 may read one scalar value only"},
  };
  for (const Case& c : cases) {
    ListedLine line = listed(c.words);
    EXPECT_EQ(line.text, c.line);
    EXPECT_EQ(line.state, State::words);
    EXPECT_EQ(line.bytes, c.words.size() * 4);
  }
}

// Fields that are not read may hold anything: the text is the instruction's, and it does the same.
TEST(Listing, TextWhereOnlyUnreadFieldsDiffer) {
  ListedLine line = listed({0xf8001801, 0x00000102}, 0, false);
  EXPECT_EQ(line.text,
            "exp mrt0 v2, off, off, off done vm // .long 0xf8001801, 0x00000102; exp: a VSRC that EN leaves out must be zero");
  EXPECT_EQ(line.state, State::same);
  EXPECT_EQ(listed({0xe0700010, 0x02010380}, 0, false).state, State::same);
  // another length, or two scalar values: assemblers would make other instructions
  EXPECT_EQ(listed({0xbe8003ff, 0}, 0, false).state, State::words);
  EXPECT_EQ(listed({0x0402087c}, 0, false).state, State::words);
  EXPECT_EQ(listed({0xf8001801, 0x00000002}, 0, false).state, State::exact);
}

// Whatever stands in the fields: what is listed as text gives the words back, and what is listed as words does not.
TEST(Listing, RandomWordsComeBack) {
  test::WordGenerator random(7);
  size_t exact = 0, words = 0;
  for (const Opcode& row : opcodes())
    for (unsigned n = 0; n < 300; n++) {
      auto bytes = random(row);
      ListedLine line = list(bytes, true);
      if (line.state == State::illegal) continue;
      std::string text = line.text;
      if (line.state == State::words) {
        text = text.substr(text.find("// ") + 3);
        text.resize(text.rfind("; " + line.reason));
      }
      auto instruction = parse(text);
      auto again = instruction ? encode(*instruction) : std::unexpected(instruction.error());
      bool same = again && std::ranges::equal(again->bytes(), std::span(bytes).first(line.bytes));
      EXPECT_EQ(same, line.state == State::exact) << line.text;
      (line.state == State::exact ? exact : words)++;
    }
  EXPECT_GT(exact, 50000u);
  EXPECT_GT(words, 5000u);
}

TEST(Listing, WhatIsNoInstruction) {
  ListedLine line = listed({0xffffffff, 0xbf810000});
  EXPECT_EQ(line.text, ".long 0xffffffff // no instruction format begins with 0xffffffff");
  EXPECT_EQ(line.state, State::illegal);
  EXPECT_EQ(line.bytes, 4u);
  line = listed({0x0481bf}, 3);
  EXPECT_EQ(line.text, ".long 0x000481bf // an instruction takes at least 4 bytes; 3 are left");
  EXPECT_EQ(line.bytes, 3u);
  line = listed({0xf8001801});  // the second dword is missing
  EXPECT_EQ(line.state, State::illegal);
  EXPECT_EQ(line.bytes, 4u);
}

}  // namespace
}  // namespace Atoll::gfx7
