#include "eval/target.h"

#include "gpu/chips/chip.h"

namespace Atoll::eval {
namespace {

struct IsaTarget {
  std::string_view isa;
  const Target& (*target)();
};
constexpr IsaTarget targets[] = {{"rdna4", rdna4_target},
                                 {"gfx7", gfx7_target},
                                 {"xe-lp", xe_lp_target},
                                 {"r500-fs", r500_fragment_target},
                                 {"r500-vs", r500_vertex_target}};

}  // namespace

Expected<const Target*> find_target(std::string_view name) {
  std::string_view isa = gpu::find_isa(name);
  std::string list;
  for (const IsaTarget& t : targets) {
    if (t.isa == isa) return &t.target();
    list += fmt::format("{}{}", list.empty() ? "" : ", ", t.isa);
    if (std::string gpus = gpu::names_of_isa(t.isa); !gpus.empty()) list += fmt::format(" ({})", gpus);
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
