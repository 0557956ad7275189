// Any text as an Xe-LP instruction and as a program, and any bytes as its code: what is read prints, what prints is read again as
// the same; nothing crashes.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "isa/xe_lp/decode.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/parse.h"
#include "isa/xe_lp/print.h"
#include "isa/xe_lp/program.h"

using namespace Atoll::xe_lp;

namespace {

[[noreturn]] void broken(const char* what, const std::string& text) {
  fmt::print(stderr, "{}: {}\n", what, text);
  std::abort();
}

void check(const Instruction& instruction) {
  std::string text = print(instruction);
  auto words = encode(instruction);
  if (!words) return;  // words hold what no text can ask for, such as a stride of 0
  Instruction again;
  if (decode(*words, again)) broken("what is encoded does not decode", text);
  std::string printed = print(again);
  auto parsed = parse(printed);
  if (!parsed) return;
  parsed->instruction.compacted = false;  // text leaves out a size that sync's compacted form has
  auto once_more = encode(parsed->instruction);
  if (!once_more) broken("what is printed and read does not encode", printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> lines(1);
  for (size_t n = 0; n < size; n++) {
    if (data[n] == '\n')
      lines.emplace_back();
    else
      lines.back().push_back(char(data[n]));
  }
  if (auto words = assemble(lines)) {
    for (size_t at = 0; at < words->size();) {
      Instruction instruction;
      if (decode(std::as_bytes(std::span(*words).subspan(at)), instruction) || !objection(instruction).empty())
        broken("assembles to what is no instruction", lines[0]);
      at += instruction.compacted ? 2 : 4;
    }
  }
  for (const std::string& line : lines)
    if (auto parsed = parse(line)) check(parsed->instruction);
  Instruction instruction;
  if (!decode(std::span(data, size), instruction)) check(instruction);
  return 0;
}
