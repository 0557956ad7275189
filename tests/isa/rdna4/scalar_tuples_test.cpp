// The scalar registers that make a tuple: Mesa's compiler counts VCC as s106 and s107 and ends tuples there (25.0.7 aco_ir.cpp,
// init_program).
#include "isa/rdna4/decode.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/parse.h"
#include "isa/rdna4/print.h"
#include "single_step.h"

namespace Atoll::rdna4::test {
namespace {

// The text of what the text's words are; "!" and why not if there are none.
std::string there_and_back(const std::string& text) {
  auto parsed = parse(text);
  if (!parsed) return "!" + parsed.error().message;
  auto words = encode(parsed->main);
  if (!words) return "!" + words.error().message;
  auto decoded = decode(words->bytes());
  return decoded ? print(decoded->main) : "!" + decoded.error().message;
}

TEST(ScalarTuples, GoOnIntoVcc) {
  for (const char* text :
       {"s_load_b64 s[104:105], s[2:3], null", "s_load_b128 s[104:107], s[2:3], null", "s_load_b128 s[100:103], s[2:3], null",
        "s_load_b256 s[100:107], s[2:3], null", "s_load_b512 s[92:107], s[2:3], null", "s_buffer_load_b32 s0, s[104:107], null",
        "s_load_b64 vcc, s[2:3], null", "image_sample v[0:3], [v4, v5], s[100:107], s[104:107] dmask:0xf dim:SQ_RSRC_IMG_2D",
        "buffer_load_b32 v0, off, s[104:107], null"})
    EXPECT_EQ(there_and_back(text).substr(0, std::string_view(text).find(", null")),
              std::string(text).substr(0, std::string_view(text).find(", null")));
  for (const char* text : {"s_load_b256 s[104:111], s[2:3], null", "s_load_b128 s[106:109], s[2:3], null", "s_mov_b32 s106, 0",
                           "s_mov_b64 s[106:107], 0", "s_load_b512 s[96:111], s[2:3], null"})
    EXPECT_EQ(there_and_back(text)[0], '!') << there_and_back(text);
}

TEST(ScalarTuples, VccIsTheirEnd) {
  SingleStep wave;
  Words words(1);
  for (auto& byte : wave.memory) byte = uint8_t(words.next());
  wave.set_s64(2, SingleStep::memory_base);
  wave.s(EXEC_LO) = 7;
  Instruction i;
  i.saddr = 2, i.soffset = NULL_SGPR, i.dst = 100;
  wave.run("s_load_b256", i);
  for (unsigned k = 0; k < 8; k++) {
    uint32_t dword;
    std::memcpy(&dword, &wave.memory[4 * k], 4);
    EXPECT_EQ(k < 6 ? wave.s(100 + k) : wave.s(k == 6 ? VCC_LO : VCC_HI), dword) << k;
  }
  EXPECT_EQ(wave.s(EXEC_LO), 7u);
}

}  // namespace
}  // namespace Atoll::rdna4::test
