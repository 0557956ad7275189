// Any words as instructions of R5xx pixel and vertex shaders, and any text as their assembler's: words without an objection
// print, and their text assembles to the same words; flow control of vertex programs ends or is refused.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "isa/r500/fields.h"
#include "isa/r500/instruction.h"
#include "isa/r500/text.h"
#include "isa/r500/vertex_flow.h"
#include "isa/r500/vertex_instruction.h"
#include "isa/r500/vertex_text.h"

using namespace Atoll::r500;

namespace {

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  fmt::print(stderr, "{}: {}\n", what, text);
  std::abort();
}

// The text keeps everything that the instruction has: printed again it reads the same.
template <class Words, class Print, class Parse>
void check(const Words& words, Print print, Parse parse) {
  std::string text = print(words);
  auto back = parse(text);
  require(back.has_value(), "prints what does not assemble", text + (back ? "" : ": " + back.error().message));
  require(print(*back) == text, "reads otherwise after assembling", text + " / " + print(*back));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t most = 384;  // bytes: more words than these say nothing new
  std::string text(reinterpret_cast<const char*>(data), std::min(size, most));
  auto print_pixel = [](const Words& w) { return print(w); };
  auto print_vertex = [](const vs::Words& w) { return vs::print(w); };
  auto parse_pixel = [](const std::string& t) { return parse(t); };
  auto parse_vertex = [](const std::string& t) { return vs::parse(t); };
  if (auto words = parse(text)) {
    require(objection(*words).empty(), "assembles to what is no instruction", text);
    check(*words, print_pixel, parse_pixel);
  }
  if (auto words = vs::parse(text)) {
    require(vs::objection(*words).empty(), "assembles to what is no instruction", text);
    check(*words, print_vertex, parse_vertex);
  }
  for (size_t at = 0; at + sizeof(Words) <= std::min(size, most); at += sizeof(Words)) {
    Words words;
    std::memcpy(words.data(), data + at, sizeof words);
    if (objection(words).empty()) check(words, print_pixel, parse_pixel);
  }
  for (size_t at = 0; at + sizeof(vs::Words) <= std::min(size, most); at += sizeof(vs::Words)) {
    vs::Words words;
    std::memcpy(words.data(), data + at, sizeof words);
    if (vs::objection(words).empty()) check(words, print_vertex, parse_vertex);
  }
  vs::Flow flow;
  size_t at = 0;
  auto byte = [&] { return at < size ? data[at++] : uint8_t(0); };
  flow.first = byte();
  if (byte() & 1) flow.last = byte();
  for (auto& o : flow.operations) {
    o.kind = vs::FlowKind(byte() & 3);
    o.after = byte(), o.target_or_count = byte(), o.last = byte(), o.resume = byte();
    o.loop_start = byte(), o.loop_step = int8_t(byte()), o.keeps_index = byte() & 1;
  }
  (void)vs::length_of(flow, 1 + byte(), 1 << 12);
  return 0;
}
