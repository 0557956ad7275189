// llvm-mc-19 -mcpu=bonaire as the oracle of the Sea Islands syntax: it assembles gfx7, but does not disassemble it.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace Atoll::gfx7::test {

// llvm-mc's answer for one line: its bytes as hex and the text it prints back; or the first error.
struct LlvmAnswer {
  std::string hex, text, error;
};
std::vector<LlvmAnswer> llvm_mc(std::span<const std::string> lines);

}  // namespace Atoll::gfx7::test
