// atoll fidelity: per instruction its state, and how many there are of each.
#include "isa/rdna4/fidelity.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "cli/field_descriptions.h"
#include "cli/verbs.h"
#include "gpu/chips/chip.h"
#include "isa/amd/fidelity.h"
#include "isa/gfx7/fidelity.h"
#include "isa/xe_lp/fidelity.h"
#include "registers/ledger.h"
#include "registers/lookup.h"

namespace Atoll::cli {
namespace {

constexpr const char* fidelity_verb = "fidelity";

struct FidelityCall {
  std::string isa, gpu, name;
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
  for (const char* state : amd::fidelity_states)
    if (size_t count = counts[state]) line += fmt::format("{}{} {}", all ? ", " : "", count, state), all += count;
  fmt::print("{} instructions: {}\n", all, line);
}

// Every field of the registers of a family's manual, or of its commands and the structures that they point to, a block after the other.
// Is a field asked for? By its register's name, that of any of its places (CB_COLOR3_INFO is one of CB_COLOR[0-7]_INFO), with or without the field's, or
// by a pattern of these (fnmatch(3)).
bool is_wanted(const std::string& wanted, const registers::FieldOwner& owner, const std::string& name) {
  if (wanted.empty()) return true;
  const std::string pattern = lower(wanted);
  auto matches = [&](const std::string& one) {
    const std::string small = lower(one);
    return small == pattern || ::fnmatch(pattern.c_str(), small.c_str(), 0) == 0;
  };
  const size_t dot = name.rfind('.');
  const std::string field = dot == name.npos ? "" : name.substr(dot);
  if (matches(name) || matches(name.substr(0, dot))) return true;
  for (unsigned n = 0; owner.reg && n < owner.reg->count; n++) {
    const std::string place = registers::Instance{owner.reg, n}.name();
    if (matches(place) || matches(place + field)) return true;
  }
  return false;
}

void print_fields(const registers::Family& family, const std::string& wanted, bool json) {
  using registers::FieldNumber;
  auto block = [&](FieldNumber f) -> std::string_view { return registers::field_owner(family, f.register_number).block; };
  std::vector<FieldNumber> fields = registers::manual_fields(family);
  std::ranges::sort(fields, {}, [&](FieldNumber f) { return std::pair(block(f), f); });
  std::map<std::string_view, size_t> counts;
  std::set<unsigned> register_numbers;
  for (FieldNumber f : fields) {
    const registers::FieldOwner owner = registers::field_owner(family, f.register_number);
    const registers::LedgerRow* row = registers::ledger_row(family, f);
    std::string_view state = row ? registers::state_name(row->state) : "unknown", why = row ? row->why : registers::Text();
    bool acts = row && row->state == registers::FieldState::Acts;
    std::string name = registers::field_name(family, f);
    if (!is_wanted(wanted, owner, name)) continue;
    const std::string_view about = field_description(family, f);
    counts[state]++;
    register_numbers.insert(f.register_number);
    if (json) {
      const char* kind = owner.reg ? "register field" : owner.structure ? "structure field" : "command field";
      nlohmann::ordered_json line = {{"kind", kind}, {"name", name}, {owner.reg ? "block" : "unit", owner.block}};
      if (owner.reg && owner.reg->has_address)
        line["address"] = fmt::format("0x{:x}", registers::Instance{owner.reg}.address().value_or(0));
      else if (owner.reg)
        line["address"] = nullptr;
      else
        line["bits"] = fmt::format("{}:{}", owner.low(f.field) + owner.width(f.field) - 1, owner.low(f.field));
      if (!about.empty()) line["description"] = about;
      line["state"] = state;
      line[acts ? "test" : "reason"] = why;
      fmt::print("{}\n", line.dump());
      continue;
    }
    fmt::print("{:<4} {:<60} {:<11} {}\n", owner.block, name, state, why);
    if (!wanted.empty() && !about.empty()) fmt::print("     {}\n", about);  // of all there are, it would be as long again
  }
  if (register_numbers.empty())
    end_with(STATUS_FAILED, fidelity_verb, fmt::format("no field is called {}: see atoll reg '{}'", wanted, wanted));
  if (json) return;
  std::string line;
  size_t shown = 0;
  for (auto& [state, count] : counts) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, state), shown += count;
  fmt::print("{} fields of {} {}: {}\n", shown, register_numbers.size(),
             family.registers.empty() ? "commands and structures" : "registers", line);
}

// Every value of the enumerations of a family's manual.
void print_enumerations(const registers::Family& family, bool json) {
  std::map<std::string_view, size_t> counts;
  size_t values = 0, enumerations = 0;
  for (auto& e : family.enumerations) {
    if (!registers::find_state(family, e, ~0u)) continue;  // a set of values that is no enumeration of the manual
    enumerations++;
    for (auto& v : e.values) {
      const auto& row = *registers::find_state(family, e, v.first);
      counts[row.state]++;
      values++;
      if (json) {
        nlohmann::ordered_json line = {
            {"kind", "enumeration value"}, {"enumeration", e.name}, {"value", v.first}, {"name", v.name},
            {"state", row.state},          {"why", row.why}};
        fmt::print("{}\n", line.dump());
      } else {
        fmt::print("{:<34} {:>4} {:<40} {:<11} {}\n", e.name, v.first, v.name, row.state, row.why);
      }
    }
  }
  if (json) return;
  std::string line;
  for (auto& [state, count] : counts) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, state);
  fmt::print("{} values of {} enumerations: {}\n", values, enumerations, line);
}

void print_fidelity(const FidelityCall& call) {
  if (call.isa.empty() == call.gpu.empty()) end_with(STATUS_CALL, fidelity_verb, "name one of --isa ISA and --gpu GPU");
  const std::string& name = call.isa.empty() ? call.gpu : call.isa;
  const gpu::Chip* chip = call.gpu.empty() ? nullptr : gpu::find_chip(name);
  const registers::Family* family = chip ? registers::find_family(chip->registers) : nullptr;
  if (family && !family->ledger.empty()) {
    print_fields(*family, call.name, call.json);
    if (call.name.empty() && !family->enumeration_states.empty()) print_enumerations(*family, call.json);
    return;
  }
  if (!call.name.empty()) end_with(STATUS_CALL, fidelity_verb, "a register's name is for --gpu");
  std::string_view isa = gpu::find_isa(name);
  if (isa == "rdna4") {
    auto list = rdna4::fidelity();
    // Everything was captured on gfx1201 (Navi 48). Nobody has published anything of gfx1200, which has the same values here.
    if (lower(name) == "gfx1200")
      for (auto& f : list)
        if (f.state == std::string_view("card"))
          f.reason += f.reason.empty() ? "not captured on gfx1200" : "; not captured on gfx1200";
    return print_list(list, call.json);
  }
  if (isa == "gfx7") return print_list(gfx7::fidelity(), call.json);
  if (isa == "xe_lp" || name == "xe-lp") return print_list(xe_lp::fidelity(), call.json);
  if (isa.empty() && !gpu::find_chip(name))
    end_with(STATUS_CALL, fidelity_verb, fmt::format("{}: no such ISA or GPU: the GPUs are {}", name, gpu::chip_names()));
  end_with(STATUS_CALL, fidelity_verb,
           fmt::format("{}: its list is not there yet: rdna4, gfx7, xe-lp and the GPUs have one", name));
}

}  // namespace

void add_fidelity(CLI::App& app) {
  auto call = std::make_shared<FidelityCall>();
  auto* sub = app.add_subcommand("fidelity", "per instruction, register field or feature how faithful it is");
  sub->add_option("--isa,--mcpu", call->isa, "an instruction set");
  sub->add_option("--gpu", call->gpu,
                  "a GPU: the fields of its registers, or of its commands and structures, and the values of its enumerations");
  sub->add_option("NAME", call->name, "only the fields of this register, or this field, or a pattern (CB_*); with --gpu");
  sub->add_flag("--json", call->json, "one JSON object a line");
  sub->callback([call] { print_fidelity(*call); });
}

}  // namespace Atoll::cli
