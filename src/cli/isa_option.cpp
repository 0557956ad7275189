#include "cli/isa_option.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace Atoll::cli {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

constexpr std::array<std::string_view, 15> other_isas = {"gfx7",   "gfx700",  "gfx701",  "gfx702", "gfx703",
                                                         "gfx704", "gfx705",  "bonaire", "hawaii", "kaveri",
                                                         "kabini", "r500-vs", "r500-fs", "xe-lp",  "dg1"};

}  // namespace

bool names_rdna4(const std::string& isa) {
  std::string name = lower(isa);
  return name == "gfx1200" || name == "gfx1201";
}

void IsaOption::add(CLI::App& verb) {
  auto* isa_option = verb.add_option("--isa,--mcpu", isa, "the instruction set: gfx1200 or gfx1201 (more to come)");
  isa_option->type_name("ISA");
  verb.add_option("--wave", wave, "lanes of a wave: 32 (default) or 64, where lane masks are register pairs")
      ->check(CLI::IsMember({32u, 64u}))
      ->type_name("32|64");
}

void IsaOption::require_rdna4(const char* verb) const {
  if (isa.empty()) end_with(STATUS_CALL, verb, "--isa is missing: gfx1200 and gfx1201 are there");
  if (names_rdna4(isa)) return;
  std::string name = lower(isa);
  if (std::find(other_isas.begin(), other_isas.end(), name) != other_isas.end())
    end_with(STATUS_CALL, verb, fmt::format("--isa {}: not there yet: gfx1200 and gfx1201 are", isa));
  end_with(STATUS_CALL, verb, fmt::format("--isa {}: no such instruction set: gfx1200 and gfx1201 are there", isa));
}

}  // namespace Atoll::cli
