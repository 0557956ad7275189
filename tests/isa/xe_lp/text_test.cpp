// Words to text and back, compared with the Intel Graphics Assembler's answers in instructions.txt; and what the parser takes beyond
// what it prints, or refuses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "instruction_list.h"
#include "isa/xe_lp/compact.h"
#include "isa/xe_lp/decode.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/parse.h"
#include "isa/xe_lp/print.h"

using namespace Atoll::xe_lp;

namespace {

std::string hex_of(std::string_view text) {
  auto parsed = parse(text);
  if (!parsed) return "! " + parsed.error().message;
  auto encoded = encode(parsed->instruction);
  if (!encoded) return "! " + encoded.error().message;
  std::string hex;
  for (uint8_t byte : *encoded) hex += fmt::format("{:02x}", byte);
  return hex;
}

TEST(XeLpText, IsTheIntelGraphicsAssemblers) {
  std::set<Op> seen;
  auto list = test::listed_instructions();
  ASSERT_GT(list.size(), 400u);
  for (const auto& one : list) {
    Instruction instruction;
    const char* why = decode(one.bytes, instruction);
    ASSERT_EQ(why, nullptr) << one.hex << ": " << why;
    EXPECT_EQ(print(instruction), one.text) << one.hex;
    EXPECT_EQ(hex_of(one.text), one.hex) << one.text;
    seen.insert(instruction.op);
  }
  EXPECT_EQ(seen.size(), 58u);
}

TEST(XeLpText, WhatIsLeftOutIsAsIgaHasIt) {
  const std::pair<const char*, const char*> same[] = {
      {"add (8) r1:f r2:f r3.1:f", "add (8|M0) r1.0<1>:f r2.0<1;1,0>:f r3.1<0;1,0>:f"},
      {"mov (1|M0) r1:ud r2:ud", "mov (1|M0) r1.0<1>:ud r2.0<0;1,0>:ud"},
      {"mad (8|M0) r1:f r2:f r3:f r4.1:f", "mad (8|M0) r1.0<1>:f r2.0<1;0>:f r3.0<1;0>:f r4.1<0>:f"},
      {"mov (8|M0) r1:f 1.0:f {}", "mov (8|M0) r1.0<1>:f 0x3f800000:f // one"},
      {"mov (8|M0) r1:f -qnan(0x12):f", "mov (8|M0) r1.0<1>:f 0xffc00012:f"},
      {"mov (8|M0) r1:hf 0.5:hf", "mov (8|M0) r1.0<1>:hf 0x3800:hf"},
      {"mov (8|M0) r1:d -1:d", "mov (8|M0) r1.0<1>:d 0xffffffff:d"},
      {"mov (8|M0) r1:d ~0x0:d", "mov (8|M0) r1.0<1>:d -1:d"},
      {"mov (8|M0) r1:f r[a0.2]:f", "mov (8|M0) r1.0<1>:f r[a0.2,0]<1;1,0>:f"},
      {"mov (8|M0) r1:f r[a0.2 - 16]<4,1>:f", "mov (8|M0) r1.0<1>:f r[a0.2,-16]<4,1>:f"},
      {"(f0.any2h) mov (8|M0) r1:f r2:f", "(f0.0.any2h) mov (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
      {"mov (8|M0) acc9.0<1>:f r2:f", "mov (8|M0) mme1.0<1>:f r2.0<1;1,0>:f"},
      {"nop {@0}", "nop"},
      {"jmpi 16", "(W) jmpi (1|M0) 16"},
  };
  for (auto& [a, b] : same) {
    EXPECT_EQ(hex_of(a), hex_of(b)) << a;
    EXPECT_FALSE(hex_of(a).starts_with("!")) << a << hex_of(a);
  }
}

TEST(XeLpText, WhatNoWordHoldsIsRefused) {
  for (const char* text : {"frob (8|M0) r1:f",
                           "add (7|M0) r1:f r2:f r3:f",
                           "add (8|M5) r1:f r2:f r3:f",
                           "add (8|M0) r256.0<1>:f r2:f r3:f",
                           "add (8|M0) r1.8<1>:f r2:f r3:f",
                           "add (8|M0) r1:f r2:f",
                           "add (8|M0) r1:f 1.0:f r2:f",
                           "add (8|M0) r1:f r2:f 1:q",
                           "add (8|M0) r1:f r2:f r3",
                           "add (8|M0) r1<3>:f r2:f r3:f",
                           "add (8|M0) r1:f r2<3;8,1>:f r3:f",
                           "add (8|M0) r1:f r2:f r3:f {Compacted,NoCompact}",
                           "add (8|M0) r1:f r2:f r3:f {$16.dst}",
                           "add (8|M0) r1:f r2:f r3:f {@8}",
                           "add (8|M0) r1:f r2:f r3:f {@1,$2}",
                           "math.inv (8|M0) r1:f r2:f {@1,$2.dst}",
                           "addc (8|M0) r1:ud -r2:ud r3:ud",
                           "mad (8|M0) r1:f r2:f 1.0:hf r3:f",
                           "mad (8|M0) r1:f r2:d r3:f r4:f",
                           "mad (8|M0) r1.1<1>:f r2:f r3:f r4:f",
                           "mad (8|M0) r1:f 1.0:f r3:f r4:f",
                           "mov (8|M0) r1:ub 1:ub",
                           "mov (8|M0) r1:f 1:f",
                           "mov (8|M0) (lt)f0.0 r1:q 1:q",
                           "mov (8|M0) r1:f r[a0.16]:f",
                           "mov (8|M0) r1:f r[a0.1,512]:f",
                           "(f0.0) add (8|M0) (lt)f1.0 r1:f r2:f r3:f",
                           "(f2.0) add (8|M0) r1:f r2:f r3:f",
                           "mul (8|M0) (sat)r1:f r2:f r3:f r4:f",
                           "and (8|M0) (sat)r1:d r2:d r3:d",
                           "if (8|M0) 16",
                           "if (8|M0) r1.0 16",
                           "ret (8|M0) 16",
                           "endif (8|M0) HERE",
                           "sync.nop ($1)",
                           "sync.frob null",
                           "send.dc1 (8|M0) r1 r2 r3 0x3 0x0",
                           "send.dc1 (8|M0) r1 r2 r3 0x0 a0.1",
                           "send.xyz (8|M0) r1 r2 r3 0x0 0x0",
                           "math.invm (8|M0) r1:f r2.mme1:f r3.mme2:f",
                           "mov (8|M0) r1:d 0x100000000:d",
                           "mov (8|M0) r1:f r2:f EOT",
                           "",
                           "(W)"})
    EXPECT_TRUE(hex_of(text).starts_with("! ")) << text << ": " << hex_of(text);
}

// Every compacted form stands for a native one, and where several say the same the lowest is chosen.
TEST(XeLpText, CompactionIsUndone) {
  unsigned forms = 0;
  for (const auto& one : test::listed_instructions()) {
    if (one.bytes.size() != 8) continue;
    uint64_t bits = 0;
    std::memcpy(&bits, one.bytes.data(), 8);
    Words native;
    ASSERT_EQ(expand(bits, native), nullptr) << one.text;
    auto again = compact(native);
    ASSERT_TRUE(again) << one.text;
    EXPECT_EQ(again.value_or(0), bits) << one.text;
    forms++;
  }
  EXPECT_GT(forms, 50u);
}

}  // namespace
