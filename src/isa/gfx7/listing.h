// A program as text: an instruction's own text where assemblers make its words of it, or words of the same length that do the
// same; else the words as `.long`, with the text behind them. docs/gfx7-assembly.md lists what text cannot say.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace Atoll::gfx7 {

struct ListedLine {
  enum class State : uint8_t {
    exact,    // the instruction's text
    same,     // text of an instruction that differs in fields only that the hardware does not read; the words as a comment
    words,    // an instruction whose text would give other words: `.long`, with text and reason as a comment
    illegal,  // no instruction: `.long` of one dword, with the reason as a comment
  };
  State state = State::exact;
  unsigned bytes = 0;  // that the line stands for; for illegal ones 4, or what is left
  std::string text;
  std::string reason;  // why it is not exact
};

// The line of the instruction at the beginning of `bytes`, which are not empty. `exact`: what is not is listed as words.
ListedLine list(std::span<const uint8_t> bytes, bool exact);

}  // namespace Atoll::gfx7
