// atoll enum: an enumeration of the DG1 manual, a value set that registers share, or the event types, by name.
#include <fmt/format.h>

#include "cli/register_output.h"
#include "cli/verbs.h"

namespace Atoll::cli {
namespace {

using namespace registers;

constexpr const char* enum_verb = "enum";

struct EnumerationCall {
  std::string gpu, name, value;
  bool all = false, json = false;
};

struct FoundEntry {
  const Family* family;
  const Enumeration* enumeration;
};

std::vector<std::string> range_texts(std::span<const NamedValue> ranges) {
  std::vector<std::string> texts;
  for (auto& r : ranges) texts.push_back(r.first == r.last ? fmt::format("{}", r.first) : fmt::format("{}-{}", r.first, r.last));
  return texts;
}

bool contains(std::span<const NamedValue> ranges, uint32_t value) { return !value_name(ranges, value).empty(); }

void print_json(const Enumeration& e, const std::optional<uint32_t>& value) {
  nlohmann::ordered_json line = {{"name", e.name}, {"bits", e.bits}, {"values", values_json(e.values)}};
  if (!e.when.empty()) line["when"] = e.when;
  for (auto& other : e.alternatives)
    line["alternatives"].push_back({{"when", other.when}, {"values", values_json(other.values)}});
  if (e.has_default) line["default"] = fmt::format("{}", e.default_value);
  if (!e.reserved.empty()) line["reserved"] = range_texts(e.reserved);
  if (!e.unnamed.empty()) line["unnamed"] = range_texts(e.unnamed);
  if (!e.aliases.empty()) line["aliases"] = std::vector<std::string>(e.aliases.begin(), e.aliases.end());
  if (!e.errata.empty()) line["errata"] = std::vector<std::string>(e.errata.begin(), e.errata.end());
  if (!e.source.empty()) line["source"] = e.source;
  if (value) {
    line["value"] = fmt::format("{:#x}", *value);
    if (auto name = value_name(e.values, *value); !name.empty()) line["value_name"] = name;
  }
  fmt::print("{}\n", line.dump());
}

void print_values(std::span<const NamedValue> values, std::string_view when, const std::optional<uint32_t>& value) {
  std::string condition = when.empty() ? "" : fmt::format("  ({})", when);
  for (auto& v : values)
    if (!value || (v.first <= *value && *value <= v.last))
      fmt::print("  {:<6} {}{}\n", v.first == v.last ? fmt::format("{}", v.first) : fmt::format("{}-{}", v.first, v.last), v.name,
                 condition);
}

void print_text(const Family& family, const Enumeration& e, const std::optional<uint32_t>& value) {
  fmt::print("{}  {} bits  {}: {}\n", e.name, e.bits, family.name, e.section);
  print_values(e.values, e.when, value);
  for (auto& other : e.alternatives) print_values(other.values, other.when, value);
  for (auto& [ranges, what] : {std::pair(e.reserved, "reserved"), std::pair(e.unnamed, "without a name")})
    for (auto& r : ranges)
      if (!value || (r.first <= *value && *value <= r.last))
        fmt::print("  {:<6} {}\n", r.first == r.last ? fmt::format("{}", r.first) : fmt::format("{}-{}", r.first, r.last), what);
  for (auto erratum : e.errata) fmt::print("  erratum: {}\n", erratum);
}

void print_enumerations(const EnumerationCall& call) {
  if (call.all == !call.name.empty()) end_with(STATUS_CALL, enum_verb, "give an enumeration's name, or --all");
  auto families = families_of(enum_verb, call.gpu);
  std::vector<FoundEntry> found;
  std::vector<std::string> near;
  for (auto* family : families) {
    if (call.all) {
      // Without a GPU: those that a manual gives as enumerations. A GPU's name brings in the sets that its registers share.
      for (auto& e : family->enumerations)
        if (!call.gpu.empty() || !e.source.empty()) found.push_back({family, &e});
    } else if (auto* e = find_enumeration(*family, call.name)) {
      found.push_back({family, e});
    } else {
      for (auto& other : nearest_enumerations(*family, call.name, 2)) near.push_back(other);
    }
  }
  std::string place = families.size() == 1 ? fmt::format(" of {}", families[0]->name) : "";
  if (found.empty() && near.empty()) end_with(STATUS_FAILED, enum_verb, fmt::format("there are no enumerations{}", place));
  if (found.empty())
    end_with(STATUS_FAILED, enum_verb, fmt::format("no enumeration{} is called {}: perhaps {}", place, call.name, joined(near)));
  bool known = true;
  for (auto& [family, e] : found) {
    std::optional<uint32_t> value;
    if (!call.value.empty()) {
      auto words = parse_words(call.value, e->bits ? e->bits : 32);
      if (!words) end_with(STATUS_CALL, enum_verb, fmt::format("{}: {}", e->name, words.error().message));
      value = words->front();
      bool named = contains(e->values, *value) || contains(e->reserved, *value) || contains(e->unnamed, *value);
      for (auto& other : e->alternatives) named |= contains(other.values, *value);
      if (!named)
        complain(enum_verb, fmt::format("{}: no value {}: see atoll enum '{}'", e->name, *value, e->name)), known = false;
    }
    if (call.json)
      print_json(*e, value);
    else
      print_text(*family, *e, value);
  }
  if (!known) end(STATUS_FAILED);
}

}  // namespace

void add_enum(CLI::App& app) {
  auto call = std::make_shared<EnumerationCall>();
  auto* sub = app.add_subcommand("enum", "looks up an enumeration");
  sub->add_option("--gpu", call->gpu, "the GPU; if it is left out, every family is searched")->type_name("GPU");
  sub->add_option("NAME", call->name, "the enumeration's name");
  sub->add_option("VALUE", call->value, "a value to name");
  sub->add_flag("--all", call->all, "every enumeration of the GPU");
  sub->add_flag("--json", call->json, "one JSON object per line");
  sub->callback([call] { print_enumerations(*call); });
}

}  // namespace Atoll::cli
