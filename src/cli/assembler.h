// The assembler and disassembler of the instruction set that asm and disasm were asked for.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace Atoll::cli {

enum class AssemblerIsa { Rdna4, Gcn2, R500Fragment, R500Vertex, XeLp };

struct Assembler {
  AssemblerIsa isa;
  unsigned wave;  // lanes; decides how RDNA4 writes lane masks

  // The bytes of one instruction.
  Expected<std::vector<uint8_t>> assemble(std::string_view line) const;

  // Text and size in bytes of the instruction at the beginning of `bytes`.
  struct Text {
    size_t bytes;
    std::string text;
  };
  Expected<Text> disassemble(std::span<const uint8_t> bytes) const;

  // The same as a line that gives its bytes back: where no assembler makes them of the instruction's text (fields that are not read, a
  // literal of an inline constant's value, operands that may not stand together), they are `.long`, with the text as a comment.
  Expected<Text> exact_line(std::span<const uint8_t> bytes) const;
  // The same as a line of a listing, where of gfx7 also words with fields that must be zero are instructions; unless `exact`, their
  // text may give zeros there. An error where there is no instruction.
  Expected<Text> list(std::span<const uint8_t> bytes, bool exact) const;

  // Bytes to go on by behind what is no instruction.
  size_t unit() const {
    return isa == AssemblerIsa::R500Fragment ? 24 : isa == AssemblerIsa::R500Vertex || isa == AssemblerIsa::XeLp ? 16 : 4;
  }
};

}  // namespace Atoll::cli
