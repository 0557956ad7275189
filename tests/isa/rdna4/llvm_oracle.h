// LLVM 19 as the oracle of the assembler syntax: its disassembler in process, and llvm-mc as an assembler of many lines at once.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll::rdna4::test {

class LlvmDisassembler {
public:
  LlvmDisassembler(const char* cpu, unsigned wave);
  LlvmDisassembler(const LlvmDisassembler&) = delete;
  ~LlvmDisassembler();

  // The text with one blank behind the mnemonic and none at the end, and the instruction's size; size 0 when LLVM decodes
  // nothing.
  struct Result {
    size_t bytes = 0;
    std::string text;
  };
  Result operator()(std::span<const uint8_t> bytes) const;

private:
  void* context_;
};

// Each line's bytes as hex, or "" where llvm-mc reports an error.
std::vector<std::string> llvm_assemble(std::span<const std::string> lines, std::string_view cpu, unsigned wave);

// The distinct instructions of a code object as llvm-objdump finds them.
std::vector<std::vector<uint8_t>> instructions_of(const std::string& object);

// Runs a command of the shell; its standard output, or the end of the test.
std::string run(const std::string& command);

}  // namespace Atoll::rdna4::test
