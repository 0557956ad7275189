#include "isa/gcn2/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "isa/gcn2/decode.h"
#include "isa/gcn2/encode.h"
#include "isa/gcn2/parse_attempt.h"

namespace Atoll::gcn2 {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return result;
}

Expected<Instruction> finished(const Instruction& i) {
  if (std::string problem = combination_problem(i); !problem.empty()) return fail("{}", problem);
  auto words = encode(i);
  if (!words) return std::unexpected(words.error());
  return decode(words->bytes());
}

}  // namespace

Expected<Instruction> parse(std::string_view line) {
  for (std::string_view mark : {"//", ";"})
    if (size_t comment = line.find(mark); comment != std::string_view::npos) line = line.substr(0, comment);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  Lexer text(line);
  if (text.at_end()) return fail("no instruction");
  std::string name = lower(text.take_word());
  if (name.empty()) return fail("expected a mnemonic at {}", text.here());
  if (text.starts(":")) return fail("labels cannot be assembled here");
  if (name.front() == '.') return fail("directives cannot be assembled here: {}", name);
  bool e32 = false, e64 = false;
  if (find(name) == nullptr) {
    e32 = name.ends_with("_e32"), e64 = name.ends_with("_e64");
    if (e32 || e64) name.resize(name.size() - 4);
  }
  if (name.ends_with("_sdwa") || name.ends_with("_dpp")) return fail("this GPU has neither SDWA nor DPP: {}", name);
  const Opcode* row = find(name);
  if (row == nullptr) return fail("unknown instruction '{}'", name);
  std::string why;
  for (const Opcode* next = row; next != nullptr;) {
    row = next;
    next = row->next_of_name != 0 ? &opcodes()[row->next_of_name] : nullptr;
    if ((e32 && !is_e32(row->format)) || (e64 && row->format != Format::VOP3)) continue;
    Attempt attempt(*row, text);
    bool read = attempt.run();
    if (Attempt again(*row, text, true); !read && row->format == Format::VOPC && again.run()) attempt.i = again.i, read = true;
    if (!read) {
      if (why.empty() || row->format == Format::VOP3) why = attempt.why;
      continue;
    }
    auto result = finished(attempt.i);
    if (result) return result;
    why = result.error().message;
  }
  if (why.empty()) return fail("{} has no such encoding", name);
  return fail("{}", why);
}

}  // namespace Atoll::gcn2
