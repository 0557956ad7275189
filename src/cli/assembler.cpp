#include "cli/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/r500_code.h"
#include "cli/xe_lp_code.h"
#include "isa/gfx7/decode.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/listing.h"
#include "isa/gfx7/parse.h"
#include "isa/gfx7/print.h"
#include "isa/rdna4/decode.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/parse.h"
#include "isa/rdna4/print.h"

namespace Atoll::cli {
namespace {

template <class Words>
Expected<std::vector<uint8_t>> bytes_of(const Expected<Words>& words) {
  if (!words) return std::unexpected(words.error());
  auto bytes = words->bytes();
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

std::string words_of(std::span<const uint8_t> bytes) {
  std::string text = ".long ";
  for (size_t at = 0; at < bytes.size(); at += 4) {
    uint32_t word = 0;
    for (size_t n = at; n < std::min(at + 4, bytes.size()); n++) word |= uint32_t(bytes[n]) << 8 * (n - at);
    text += fmt::format("{}{:#010x}", at ? ", " : "", word);
  }
  return text;
}

}  // namespace

Expected<std::vector<uint8_t>> Assembler::assemble(std::string_view line) const {
  if (isa == AssemblerIsa::R500Fragment) return assemble_r500(std::string(line));
  if (isa == AssemblerIsa::R500Vertex) return assemble_r500_vertex(std::string(line));
  if (isa == AssemblerIsa::XeLp) return assemble_xe_lp(line);
  if (isa == AssemblerIsa::Gcn2) {
    auto instruction = gfx7::parse(line);
    if (!instruction) return std::unexpected(instruction.error());
    return bytes_of(gfx7::encode(*instruction));
  }
  auto instruction = rdna4::parse(line, {wave});
  if (!instruction) return std::unexpected(instruction.error());
  return bytes_of(rdna4::encode(instruction->main, {wave}));
}

Expected<Assembler::Text> Assembler::disassemble(std::span<const uint8_t> bytes) const {
  if (isa == AssemblerIsa::R500Fragment) {
    auto text = disassemble_r500(bytes.first(std::min(bytes.size(), r500_instruction_bytes)));
    if (!text) return std::unexpected(text.error());
    return Text{r500_instruction_bytes, *text};
  }
  if (isa == AssemblerIsa::R500Vertex) {
    auto text = disassemble_r500_vertex(bytes.first(std::min(bytes.size(), r500_vertex_bytes)));
    if (!text) return std::unexpected(text.error());
    return Text{r500_vertex_bytes, *text};
  }
  if (isa == AssemblerIsa::XeLp) {
    auto text = disassemble_xe_lp(bytes);
    if (!text) return std::unexpected(text.error());
    return Text{text->bytes, std::move(text->text)};
  }
  if (isa == AssemblerIsa::Gcn2) {
    gfx7::Instruction instruction;
    if (const char* why = gfx7::decode_into(bytes, instruction)) return fail("{}", why);
    return Text{instruction.bytes, gfx7::print(instruction)};
  }
  rdna4::Decoded decoded;
  if (const char* why = rdna4::decode_into(bytes, {wave}, decoded)) return fail("{}", why);
  return Text{decoded.main.bytes, rdna4::print(decoded.main, {wave})};
}

Expected<Assembler::Text> Assembler::exact_line(std::span<const uint8_t> bytes) const {
  auto found = disassemble(bytes);
  if (!found) return found;
  bytes = bytes.first(found->bytes);
  auto again = assemble(found->text);
  if (again && std::ranges::equal(*again, bytes)) return found;
  found->text = fmt::format("{} // {}; {}", words_of(bytes), found->text,
                            again ? std::string("its text stands for other words") : again.error().message);
  return found;
}

Expected<Assembler::Text> Assembler::list(std::span<const uint8_t> bytes, bool exact) const {
  if (isa != AssemblerIsa::Gcn2) return exact_line(bytes);
  gfx7::ListedLine line = gfx7::list(bytes, exact);
  if (line.state == gfx7::ListedLine::State::illegal) return fail("{}", line.reason);
  return Text{line.bytes, std::move(line.text)};
}

}  // namespace Atoll::cli
