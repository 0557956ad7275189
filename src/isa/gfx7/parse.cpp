#include "isa/gfx7/parse.h"

#include <string>

#include "isa/gfx7/decode.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/parse_attempt.h"

namespace Atoll::gfx7 {
namespace {

Expected<Instruction> finished(const Instruction& i) {
  if (std::string problem = combination_problem(i); !problem.empty()) return fail("{}", problem);
  auto words = encode(i);
  if (!words) return std::unexpected(words.error());
  return decode(words->bytes());
}

}  // namespace

Expected<Instruction> parse(std::string_view line) {
  Lexer text(amd::without_comment(line));
  auto mnemonic = amd::take_mnemonic(text);
  if (!mnemonic) return std::unexpected(mnemonic.error());
  std::string& name = *mnemonic;
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

}  // namespace Atoll::gfx7
