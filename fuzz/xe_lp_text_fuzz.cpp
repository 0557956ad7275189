// Any text as an Xe-LP program, and any words as its code: what assembles is instructions that print; nothing crashes.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "isa/xe_lp/instruction.h"
#include "isa/xe_lp/text.h"

using namespace Atoll::xe_lp;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> lines(1);
  for (size_t n = 0; n < size; n++) {
    if (data[n] == '\n')
      lines.emplace_back();
    else
      lines.back().push_back(char(data[n]));
  }
  if (auto words = assemble(lines)) {
    for (size_t at = 0; at < words->size(); at += kWords) {
      auto instruction = instruction_of(std::span(*words).subspan(at));
      if (!instruction || !objection(*instruction).empty()) {
        fmt::print(stderr, "assembles to what is no instruction\n");
        std::abort();
      }
      (void)print(*instruction);
    }
  }
  std::vector<uint32_t> words(size / 4);
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * 4);
  if (!words.empty()) words[0] = kFirstWord;
  if (auto instruction = instruction_of(words); instruction && objection(*instruction).empty()) (void)print(*instruction);
  return 0;
}
