// Constants as they can be written, and texts to put them into: for both assemblers of AMD's instruction sets against llvm-mc.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

namespace Atoll::test {

// Each text with each constant in the place of its %.
inline std::vector<std::string> with_constants(std::initializer_list<const char*> texts) {
  static constexpr const char* constants[] = {"0.0",
                                              "-0.0",
                                              "0.5",
                                              "-0.5",
                                              "1.0",
                                              "1",
                                              "-1",
                                              "-16",
                                              "-17",
                                              "64",
                                              "65",
                                              "0xffff",
                                              "0xfff0",
                                              "0xffef",
                                              "0x8000",
                                              "-32768",
                                              "-32769",
                                              "-65535",
                                              "0x10000",
                                              "0xffffffff",
                                              "0xfffffff0",
                                              "0xffffffef",
                                              "0x100000000",
                                              "0xffffffffffffffff",
                                              "0xffffffffffff0000",
                                              "0x3c00",
                                              "0xb800",
                                              "0x3118",
                                              "0x3f800000",
                                              "0x3e22f983",
                                              "0x3ff0000000000000",
                                              "0.15915494",
                                              "0.15915494309189532",
                                              "0.15915494309189535",
                                              "4.0",
                                              "4.00001",
                                              "1e1",
                                              ".5",
                                              "-.5",
                                              "+1",
                                              "0b101",
                                              "1e-7",
                                              "65504.0",
                                              "65520.0",
                                              "1e39"};
  std::vector<std::string> lines;
  for (std::string text : texts)
    for (const char* constant : constants) {
      std::string line = text;
      lines.push_back(line.replace(line.find('%'), 1, constant));
    }
  return lines;
}

// Spellings of what all AMD instruction sets have: hwreg and the modifiers around a source.
inline std::vector<std::string> other_spellings() {
  std::vector<std::string> lines;
  for (const char* text : {"hwreg(1)", "hwreg(HW_REG_MODE)", "hwreg(HW_REG_MODE, 3, 5)", "hwreg(63)", "hwreg(64)",
                           "hwreg(1,32,1)", "hwreg(1,0,33)", "hwreg(1,0,0)", "hwreg(1,0)", "hwreg(-1)", "{id: 1}",
                           "{size: 4, id: 2}", "{}", "{id: 1,}", "{id 1}", "{id: HW_REG_MODE}", "-1", "65535", "65536"})
    lines.push_back(std::string("s_getreg_b32 s0, ") + text);
  for (const char* text :
       {"-v1",          "|v1|",         "-|v1|",    "-abs(v1)", "neg(v1)", "abs(v1)", "neg(abs(v1))", "neg(|v1|)", "abs(neg(v1))",
        "abs(abs(v1))", "neg(neg(v1))", "-neg(v1)", "neg(-v1)", "--v1",    "|v1",     "neg(v1",       "-1.0",      "--1.0",
        "|-1.0|",       "neg(1.0)",     "-0x3c00",  "v[1]",     "[v1]",    "v256",    "s106"})
    lines.push_back(std::string("v_add_f32 v0, ") + text + ", v2");
  for (const char* text :
       {"s_waitcnt 0", "s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(1) & expcnt(2)", "s_waitcnt vmcnt(1), expcnt(2)",
        "s_waitcnt vmcnt_sat(100)", "s_waitcnt vmcnt(100)", "s_waitcnt vmcnt(-1)", "s_waitcnt foo(1)", "s_waitcnt"})
    lines.push_back(text);
  return lines;
}

}  // namespace Atoll::test
