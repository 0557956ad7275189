#include "cli/isa_option.h"

#include <iterator>
#include <string_view>

#include "gpu/chips/chip.h"

namespace Atoll::cli {
namespace {

struct IsaAssembler {
  std::string_view isa;
  Assembler assembler;
};
constexpr IsaAssembler assemblers[] = {{"rdna4", {AssemblerIsa::Rdna4, 32}},
                                       {"gfx7", {AssemblerIsa::Gcn2, 64}},
                                       {"r500-fs", {AssemblerIsa::R500Fragment, 32}},
                                       {"r500-vs", {AssemblerIsa::R500Vertex, 32}},
                                       {"xe-lp", {AssemblerIsa::XeLp, 32}}};

}  // namespace

std::optional<Assembler> assembler_of(std::string_view name) {
  std::string_view isa = gpu::find_isa(name);
  for (auto& row : assemblers)
    if (row.isa == isa) return row.assembler;
  return {};
}

std::string assembler_list() {
  std::string list;
  for (auto& row : assemblers) {
    list += &row == assemblers ? "" : &row == std::end(assemblers) - 1 ? " and " : ", ";
    list += row.isa;
    if (std::string names = gpu::names_of_isa(row.isa); !names.empty()) list += " (" + names + ")";
  }
  return list;
}

void IsaOption::add(CLI::App& verb) {
  auto* isa_option = verb.add_option("--isa,--mcpu", isa, std::string("the instruction set: ") + assembler_list());
  isa_option->type_name("ISA");
  verb.add_option("--wave", wave, "lanes of a wave: 32 (default of RDNA4) or 64, where lane masks are register pairs")
      ->check(CLI::IsMember({32u, 64u}))
      ->type_name("32|64");
}

Assembler IsaOption::require_assembler(const char* verb) const {
  if (isa.empty()) end_with(STATUS_CALL, verb, fmt::format("--isa is missing: {} are there", assembler_list()));
  auto assembler = assembler_of(isa);
  if (!assembler) {
    const char* what = !gpu::find_isa(isa).empty() ? "not there yet" : "no such instruction set";
    end_with(STATUS_CALL, verb, fmt::format("--isa {}: {}: {} are there", isa, what, assembler_list()));
  }
  if (assembler->isa == AssemblerIsa::Gcn2 && wave == 32)
    end_with(STATUS_CALL, verb, fmt::format("--wave 32: waves of {} have 64 lanes", isa));
  if ((assembler->isa == AssemblerIsa::R500Fragment || assembler->isa == AssemblerIsa::R500Vertex ||
       assembler->isa == AssemblerIsa::XeLp) &&
      wave == 64)
    end_with(STATUS_CALL, verb, fmt::format("--wave 64: code of {} has no wave size", isa));
  if (wave != 0) assembler->wave = wave;
  return *assembler;
}

}  // namespace Atoll::cli
