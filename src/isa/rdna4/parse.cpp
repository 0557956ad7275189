#include "isa/rdna4/parse.h"

#include <string>

#include "isa/rdna4/parse_attempt.h"
#include "isa/rdna4/restrictions.h"

namespace Atoll::rdna4 {
namespace {

Expected<Decoded> finished(const Instruction& i, CodeOptions options) {
  if (std::string problem = combination_problem(i, options.wave); !problem.empty()) return fail("{}", problem);
  auto words = encode(i, options);
  if (!words) return std::unexpected(words.error());
  return decode(words->bytes(), options);
}

Expected<Decoded> parse_vopd(std::string_view left, std::string_view right, CodeOptions options) {
  Decoded result;
  Instruction* halves[] = {&result.x, &result.y};
  bool has_literal = false;
  for (int n = 0; n < 2; ++n) {
    Lexer text(n == 0 ? left : right);
    auto name = amd::take_mnemonic(text);
    if (!name) return std::unexpected(name.error());
    const Opcode* row = find(*name, n == 0 ? Format::VOPDX : Format::VOPDY);
    if (row == nullptr) return fail("'{}' is not a VOPD {} instruction", *name, n == 0 ? "X" : "Y");
    Attempt attempt(*row, text, options);
    if (!attempt.run(Form::Any, true)) return fail("{}", attempt.why);
    bool literal = false;
    for (unsigned s = 0; s < row->source_count; ++s) literal |= attempt.i.src[s] == LITERAL;
    if (literal && has_literal && attempt.i.literal != result.main.literal) return fail("two different literals");
    if (literal) result.main.literal = attempt.i.literal;
    has_literal |= literal;
    *halves[n] = attempt.i;
    halves[n]->opcode = &opcodes()[row->ordinary];
    if (n == 0) result.main.opcode = row;
  }
  if (((result.x.dst ^ result.y.dst) & 1) == 0)
    return fail("one destination of a VOPD must be an even VGPR, the other an odd one");
  result.main.dual_x = &result.x;
  result.main.dual_y = &result.y;
  return finished(result.main, options);
}

}  // namespace

Expected<Decoded> parse(std::string_view line, CodeOptions options) {
  line = amd::without_comment(line);
  if (size_t dual = line.find("::"); dual != std::string_view::npos)
    return parse_vopd(line.substr(0, dual), line.substr(dual + 2), options);
  Lexer text(line);
  auto mnemonic = amd::take_mnemonic(text);
  if (!mnemonic) return std::unexpected(mnemonic.error());
  std::string& name = *mnemonic;
  Form form = Form::Any;
  const std::pair<std::string_view, Form> suffixes[] = {
      {"_e64_dpp", Form::E64Dpp}, {"_dpp", Form::Dpp}, {"_e32", Form::E32}, {"_e64", Form::E64}};
  auto known = [](std::string_view n) { return find(n) != nullptr || find_alias(n) != nullptr; };
  if (!known(name)) {
    for (auto [suffix, wanted] : suffixes) {
      if (!name.ends_with(suffix)) continue;
      form = wanted;
      name.resize(name.size() - suffix.size());
      break;
    }
  }
  if (name.ends_with("_sdwa")) return fail("this GPU has no SDWA: {}", name);
  const Opcode* row = find(name);
  if (row == nullptr) row = find_alias(name);
  if (row == nullptr) return fail("unknown instruction '{}'", name);
  name = row->name;
  std::string why;
  for (const Opcode* next = row; next != nullptr;) {
    row = next;
    next = row->next_of_name != 0 ? &opcodes()[row->next_of_name] : nullptr;
    bool vector = is_e32(row->format), long_form = row->format == Format::VOP3 || row->format == Format::VOP3P;
    if (row->format == Format::VOPDX || row->format == Format::VOPDY) {
      why = "a v_dual_ instruction needs its partner behind `::`";
      continue;
    }
    if (form == Form::E32 && !vector) continue;
    if ((form == Form::E64 || form == Form::E64Dpp) && !long_form) continue;
    if (form == Form::Dpp && !vector) continue;
    Attempt attempt(*row, text, options);
    if (!attempt.run(form, false)) {
      if (why.empty() || row->format == Format::VOP3) why = attempt.why;
      continue;
    }
    auto result = finished(attempt.i, options);
    if (result) return result;
    why = result.error().message;
  }
  if (why.empty()) return fail("{} has no such encoding", name);
  return fail("{}", why);
}

}  // namespace Atoll::rdna4
