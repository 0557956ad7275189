#include "cli/isa_option.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace Atoll::cli {
namespace {

constexpr std::array<std::string_view, 11> gfx7_names = {"gfx7",   "gfx700",  "gfx701", "gfx702", "gfx703", "gfx704",
                                                         "gfx705", "bonaire", "hawaii", "kaveri", "kabini"};
constexpr std::array<std::string_view, 2> without_assembler = {"xe-lp", "dg1"};

template <size_t count>
bool among(const std::array<std::string_view, count>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::optional<Assembler> assembler_of(const std::string& isa) {
  std::string name = lower(isa);
  if (name == "gfx1200" || name == "gfx1201" || name == "gfx12-generic") return Assembler{AssemblerIsa::Rdna4, 32};
  if (among(gfx7_names, name)) return Assembler{AssemblerIsa::Gcn2, 64};
  if (name == "r500-fs") return Assembler{AssemblerIsa::R500Fragment, 32};
  if (name == "r500-vs") return Assembler{AssemblerIsa::R500Vertex, 32};
  return {};
}

void IsaOption::add(CLI::App& verb) {
  auto* isa_option = verb.add_option("--isa,--mcpu", isa, std::string("the instruction set: ") + assembler_list);
  isa_option->type_name("ISA");
  verb.add_option("--wave", wave, "lanes of a wave: 32 (default of RDNA4) or 64, where lane masks are register pairs")
      ->check(CLI::IsMember({32u, 64u}))
      ->type_name("32|64");
}

Assembler IsaOption::require_assembler(const char* verb) const {
  if (isa.empty()) end_with(STATUS_CALL, verb, fmt::format("--isa is missing: {} are there", assembler_list));
  auto assembler = assembler_of(isa);
  if (!assembler) {
    const char* what = among(without_assembler, lower(isa)) ? "not there yet" : "no such instruction set";
    end_with(STATUS_CALL, verb, fmt::format("--isa {}: {}: {} are there", isa, what, assembler_list));
  }
  if (assembler->isa == AssemblerIsa::Gcn2 && wave == 32)
    end_with(STATUS_CALL, verb, fmt::format("--wave 32: waves of {} have 64 lanes", isa));
  if ((assembler->isa == AssemblerIsa::R500Fragment || assembler->isa == AssemblerIsa::R500Vertex) && wave == 64)
    end_with(STATUS_CALL, verb, fmt::format("--wave 64: code of {} has no wave size", isa));
  if (wave != 0) assembler->wave = wave;
  return *assembler;
}

}  // namespace Atoll::cli
