#include "eval/target.h"

#include "base/text.h"

namespace Atoll::eval {
namespace {

struct Name {
  std::string_view name;
  const Target& (*target)();
};
constexpr Name targets[] = {{"gfx1200", rdna4_target},         {"gfx1201", rdna4_target},      {"gfx7", gfx7_target},
                            {"gfx700", gfx7_target},           {"gfx701", gfx7_target},        {"gfx702", gfx7_target},
                            {"gfx703", gfx7_target},           {"gfx704", gfx7_target},        {"gfx705", gfx7_target},
                            {"bonaire", gfx7_target},          {"hawaii", gfx7_target},        {"kaveri", gfx7_target},
                            {"kabini", gfx7_target},           {"xe-lp", xe_lp_target},        {"dg1", xe_lp_target},
                            {"r500-fs", r500_fragment_target}, {"r500-vs", r500_vertex_target}};

}  // namespace

Expected<const Target*> find_target(std::string_view name) {
  std::string small = lower(std::string(name)), list;
  for (const Name& t : targets) {
    if (t.name == small) return &t.target();
    list += (list.empty() ? "" : ", ") + std::string(t.name);
  }
  return fail("ISA '{}': no such ISA; there are {}", name, list);
}

Expected<std::vector<uint32_t>> Target::assemble_all(std::span<const std::string> lines, unsigned lanes) const {
  std::vector<uint32_t> words;
  for (const std::string& line : lines) {
    auto assembled = assemble(line, lanes);
    if (!assembled) return fail("'{}': {}", line, assembled.error().message);
    words.insert(words.end(), assembled->begin(), assembled->end());
  }
  return words;
}

bool numbered(std::string_view text, std::string_view prefix, unsigned limit, unsigned& number) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  if (text.empty() || text.size() > 4 || (text[0] == '0' && text.size() > 1)) return false;
  number = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + unsigned(c - '0');
  }
  return number < limit;
}

}  // namespace Atoll::eval
