// atoll fidelity: per instruction its state, and how many there are of each.
#include "isa/rdna4/fidelity.h"

#include <map>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "gpu/chips/chip.h"
#include "isa/gfx7/fidelity.h"

namespace Atoll::cli {
namespace {

constexpr const char* verb = "fidelity";

struct FidelityCall {
  std::string isa, gpu;
  bool json = false;
};

template <class List>
void print_list(const List& list, bool json) {
  std::map<std::string, size_t> counts;
  for (auto& f : list) {
    counts[f.state]++;
    const char* format = format_name(f.opcode->format);
    if (json) {
      nlohmann::ordered_json line = {{"kind", "instruction"},
                                     {"name", f.opcode->name},
                                     {"format", format},
                                     {"opcode", f.opcode->opcode},
                                     {"state", f.state}};
      if (!f.bound.empty()) line["bound"] = f.bound;
      if (!f.source.empty()) line["source"] = f.source;
      if (!f.reason.empty()) line["reason"] = f.reason;
      fmt::print("{}\n", line.dump());
      continue;
    }
    std::string more = f.bound;
    for (auto& part : {f.source, f.reason})
      if (!part.empty()) more += (more.empty() ? "" : "; ") + part;
    fmt::print("{:<7} {:>4}  {:<36} {:<11} {}\n", format, f.opcode->opcode, f.opcode->name, f.state, more);
  }
  if (json) return;
  size_t all = 0;
  std::string line;
  for (auto& [state, count] : counts) line += fmt::format("{}{} {}", all ? ", " : "", count, state), all += count;
  fmt::print("{} instructions: {}\n", all, line);
}

void print_fidelity(const FidelityCall& call) {
  if (call.isa.empty() == call.gpu.empty()) end_with(STATUS_CALL, verb, "name one of --isa ISA and --gpu GPU");
  const std::string& name = call.isa.empty() ? call.gpu : call.isa;
  std::string_view isa = gpu::find_isa(name);
  if (isa == "rdna4") return print_list(rdna4::fidelity(), call.json);
  if (isa == "gfx7") return print_list(gfx7::fidelity(), call.json);
  if (isa.empty() && !gpu::find_chip(name))
    end_with(STATUS_CALL, verb, fmt::format("{}: no such ISA or GPU: the GPUs are {}", name, gpu::chip_names()));
  end_with(STATUS_CALL, verb, fmt::format("{}: its list is not there yet: rdna4 and gfx7 have one", name));
}

}  // namespace

void add_fidelity(CLI::App& app) {
  auto call = std::make_shared<FidelityCall>();
  auto* sub = app.add_subcommand("fidelity", "per instruction, register field or feature how faithful it is");
  sub->add_option("--isa,--mcpu", call->isa, "an instruction set");
  sub->add_option("--gpu", call->gpu, "a GPU");
  sub->add_flag("--json", call->json, "one JSON object a line");
  sub->callback([call] { print_fidelity(*call); });
}

}  // namespace Atoll::cli
