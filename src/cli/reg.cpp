// atoll reg: a register by name or address, its fields, and a value split into them; or what a word occurs in.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "base/text.h"
#include "cli/field_descriptions.h"
#include "cli/register_output.h"
#include "cli/verbs.h"
#include "registers/stream_text.h"

namespace Atoll::cli {
namespace {

using namespace registers;

constexpr const char* reg_verb = "reg";

struct RegisterCall {
  std::string gpu, name, value;
  std::vector<std::string> search;
  bool all = false, json = false;
};

// The bits of a value that are in none of the register's fields, in hexadecimal; empty when there are none.
std::string bits_without_field(const Register& entry, std::vector<uint32_t> value) {
  for (auto& field : entry.fields)
    for (unsigned bit = field.low; bit <= field.high; bit++) value[bit / 32] &= ~(1u << bit % 32);
  bool any = std::any_of(value.begin(), value.end(), [](uint32_t word) { return word != 0; });
  return any ? hex_words(value) : "";
}

void print_json(const Family& family, bool name_family, const Instance& found, const std::vector<uint32_t>* value) {
  const Register& entry = *found.entry;
  nlohmann::ordered_json line = {{"name", found.name()}, {"block", entry.block}};
  if (auto address = found.address())
    line["address"] = fmt::format("{:#x}", *address);
  else
    line["address"] = nullptr;
  line["access"] = access_name(entry.access);
  line["bits"] = entry.bits;
  line["source"] = entry.source;
  if (!entry.section.empty()) line["section"] = entry.section;
  if (found.alias) line["alias_of"] = found.name();
  if (entry.view_of >= 0) {
    for (auto& other : find_by_address(family, found.address().value_or(0)))
      if (other.entry == &family.registers[entry.view_of]) line["view_of"] = other.name();
  }
  if (!entry.erratum.empty()) line["erratum"] = entry.erratum;
  if (name_family) line["family"] = family.name;
  if (value) line["value"] = hex_words(*value);
  if (auto bits = value ? bits_without_field(entry, *value) : ""; !bits.empty()) line["bits_without_field"] = bits;
  line["fields"] = nlohmann::ordered_json::array();
  for (auto& field : entry.fields) {
    nlohmann::ordered_json part = {{"name", field.name}, {"high", field.high}, {"low", field.low}};
    if (auto about = field_description(family, entry, field); !about.empty()) part["description"] = about;
    part["default"] = field.has_default ? fmt::format("{:#x}", field.default_value) : "none";
    if (value) {
      uint64_t part_value = field_value(field, *value);
      part["value"] = fmt::format("{:#x}", part_value);
      if (auto name = value_name(field, part_value); !name.empty()) part["value_name"] = name;
    }
    part["values"] = values_json(field.values);
    if (!field.public_values.empty()) {
      part["public_values"] = values_json(field.public_values);
      part["public_source"] = field.public_source;
    }
    if (!field.access.empty()) part["access"] = field.access;
    if (!field.source.empty()) part["source"] = field.source;
    if (!field.erratum.empty()) part["erratum"] = field.erratum;
    line["fields"].push_back(std::move(part));
  }
  fmt::print("{}\n", line.dump());
}

void print_text(const Family& family, const Instance& found, const std::vector<uint32_t>* value) {
  const Register& entry = *found.entry;
  std::string line = found.name();
  if (value) line += fmt::format(" = {}", hex_words(*value));
  auto address = found.address();
  line += address ? fmt::format("  {:#x}", *address) : "  in memory";
  if (!entry.block.empty()) line += fmt::format("  {}", entry.block);
  line += fmt::format("  {}  {} bits  {}: {}", access_name(entry.access), entry.bits, family.name, entry.source);
  if (!entry.section.empty()) line += fmt::format(", {}", entry.section);
  if (found.alias) line += "  (alias)";
  if (entry.view_of >= 0) line += fmt::format("  (a view of {})", family.registers[entry.view_of].name);
  fmt::print("{}\n", line);
  if (!entry.erratum.empty()) fmt::print("  erratum: {}\n", entry.erratum);
  for (auto& field : entry.fields) {
    std::string bits = field.high == field.low ? fmt::format("[{}]", field.low) : fmt::format("[{}:{}]", field.high, field.low);
    if (value) {
      fmt::print("  {:<8} {}\n", bits, field_text(field, field_value(field, *value)));
      continue;
    }
    fmt::print("  {:<8} {}", bits, field.name);
    if (field.has_default) fmt::print("  default {:#x}", field.default_value);
    fmt::print("\n");
    if (auto about = field_description(family, entry, field); !about.empty()) fmt::print("           {}\n", about);
    for (auto& v : field.values)
      fmt::print("             {}  {}\n", v.first == v.last ? fmt::format("{}", v.first) : fmt::format("{}-{}", v.first, v.last),
                 v.name);
    for (auto& v : field.public_values) fmt::print("             {}  {}  ({})\n", v.first, v.name, field.public_source);
    if (!field.erratum.empty()) fmt::print("             erratum: {}\n", field.erratum);
  }
  if (auto bits = value ? bits_without_field(entry, *value) : ""; !bits.empty())
    fmt::print("  bits {} are set and belong to no field\n", bits);
}

struct FoundRegister {
  const Family* family;
  Instance instance;
};

// A pattern as the shell has them for names of files (fnmatch(3)): CB_*, CB_COLOR?_INFO. CB_COLOR[0-7]_INFO is the name of a row of the tables.
bool is_pattern(const std::string& text) { return text.find_first_of("*?") != text.npos; }

bool matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(lower(pattern).c_str(), lower(name).c_str(), 0) == 0;
}

bool is_number(const std::string& text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

// The registers at an address, or with a name; ends the verb with what is near where there are none.
std::vector<FoundRegister> look_up(const std::vector<const Family*>& families, const std::string& name) {
  std::vector<FoundRegister> found;
  if (is_pattern(name)) {
    for (auto* family : families)
      for (auto& instance : all_instances(*family))
        if (!instance.alias && matches(name, instance.name())) found.push_back({family, instance});
    if (found.empty())
      end_with(STATUS_FAILED, reg_verb,
               fmt::format("no register's name is as {}: --search WORD looks into fields as well", name));
    return found;
  }
  std::optional<uint32_t> address;
  if (is_number(name)) {
    auto words = parse_words(name, 32);
    if (!words) end_with(STATUS_CALL, reg_verb, words.error().message);
    address = words->front();
  }
  std::vector<std::string> near;
  for (auto* family : families) {
    for (auto& instance : address ? find_by_address(*family, *address) : find_by_name(*family, name))
      found.push_back({family, instance});
    if (address)
      for (auto& instance : nearest_addresses(*family, *address))
        near.push_back(fmt::format("{} at {:#x}", instance.name(), instance.address().value_or(0)));
    else if (found.empty())
      for (auto& other : nearest_registers(*family, name, 3)) near.push_back(other);
  }
  if (!found.empty()) return found;
  std::string place = families.size() == 1 ? fmt::format(" of {}", families[0]->name) : "";
  if (near.empty()) end_with(STATUS_FAILED, reg_verb, fmt::format("{}: there are no registers{}: see atoll enum", name, place));
  if (address)
    end_with(STATUS_FAILED, reg_verb, fmt::format("no register{} at {:#x}: near it are {}", place, *address, joined(near)));
  end_with(STATUS_FAILED, reg_verb, fmt::format("no register{} is called {}: perhaps {}", place, name, joined(near)));
}

// Finds all the words in the names of a register, of one of its fields and of one of that field's values, or in the texts about them: a
// section, an erratum, what the field does.
class Search {
public:
  Search(const RegisterCall& call, bool name_family) : json_(call.json), name_family_(name_family) {
    for (auto& word : call.search) words_.push_back(lower(word));
  }

  void look_through(const Family& family) {
    family_ = &family;
    for (auto& entry : family.registers) {
      const std::string about = fmt::format("{} {} {} {}", entry.name, entry.block, entry.section, entry.erratum);
      // A register that has all the words is named once; else each field, or each value, that brings the rest.
      if (has_all(about)) {
        tell(entry, nullptr, nullptr);
        continue;
      }
      for (auto& field : entry.fields) {
        const std::string in_field =
            fmt::format("{} {} {} {}", about, field.name, field.erratum, field_description(family, entry, field));
        if (has_all(in_field)) {
          tell(entry, &field, nullptr);
          continue;
        }
        for (auto* values : {&field.values, &field.public_values})
          for (auto& value : *values)
            if (has_all(fmt::format("{} {}", in_field, value.name))) tell(entry, &field, &value);
      }
    }
  }
  size_t found() const { return found_; }

private:
  bool has_all(const std::string& text) const {
    const std::string small = lower(text);
    return std::all_of(words_.begin(), words_.end(), [&](auto& word) { return small.find(word) != small.npos; });
  }
  void tell(const Register& entry, const Field* field, const NamedValue* value) {
    found_++;
    auto address = Instance{&entry}.address();
    if (json_) {
      nlohmann::ordered_json line = {{"register", std::string_view(entry.name)}};
      if (field) line["field"] = std::string_view(field->name);
      if (value) line["value"] = value->first, line["value_name"] = std::string_view(value->name);
      line["block"] = std::string_view(entry.block);
      line["address"] = address ? nlohmann::ordered_json(fmt::format("{:#x}", *address)) : nlohmann::ordered_json(nullptr);
      if (name_family_) line["family"] = family_->name;
      fmt::print("{}\n", line.dump());
      return;
    }
    std::string name(entry.name);
    if (field) name += fmt::format(".{}", field->name);
    if (value) name += fmt::format(" = {} {}", value->first, value->name);
    fmt::print("{:<60} {:<10} {}{}\n", name, address ? fmt::format("{:#x}", *address) : "in memory", entry.block,
               name_family_ ? fmt::format("  {}", family_->name) : "");
  }

  std::vector<std::string> words_;
  bool json_, name_family_;
  const Family* family_ = nullptr;
  size_t found_ = 0;
};

void search(const RegisterCall& call) {
  if (call.all || !call.name.empty())
    end_with(STATUS_CALL, reg_verb, "--search takes words alone: leave the name, or --all, out");
  auto families = families_of(reg_verb, call.gpu);
  Search search(call, families.size() > 1);
  for (auto* family : families) search.look_through(*family);
  if (search.found() == 0)
    end_with(STATUS_FAILED, reg_verb,
             "no register, field or value has all of these words: take one out, or search without --gpu");
}

void print_registers(const RegisterCall& call) {
  if (!call.search.empty()) return search(call);
  if (call.all == !call.name.empty()) end_with(STATUS_CALL, reg_verb, "give a register's name or address, or --all");
  auto families = families_of(reg_verb, call.gpu);
  std::vector<FoundRegister> found;
  if (call.all) {
    for (auto* family : families)
      for (auto& instance : all_instances(*family)) found.push_back({family, instance});
    if (found.empty()) end_with(STATUS_FAILED, reg_verb, fmt::format("{}: there are no registers: see atoll enum", call.gpu));
  } else {
    found = look_up(families, call.name);
  }
  for (auto& [family, instance] : found) {
    std::vector<uint32_t> value;
    if (!call.value.empty()) {
      auto words = parse_words(call.value, instance.entry->bits);
      if (!words) end_with(STATUS_CALL, reg_verb, fmt::format("{}: {}", instance.name(), words.error().message));
      value = *words;
    }
    auto* given = call.value.empty() ? nullptr : &value;
    if (call.json)
      print_json(*family, families.size() > 1, instance, given);
    else
      print_text(*family, instance, given);
  }
}

}  // namespace

void add_reg(CLI::App& app) {
  auto call = std::make_shared<RegisterCall>();
  auto* sub = app.add_subcommand("reg", "looks up a register; splits a value into its fields");
  sub->add_option("--gpu", call->gpu, "the GPU; if it is left out, every family is searched")->type_name("GPU");
  sub->add_option("NAME", call->name, "the register's name, a pattern of names (CB_*), or a byte address");
  sub->add_option("VALUE", call->value, "a value to split into fields");
  sub->add_option("--search", call->search,
                  "where these words occur in names of registers, fields and values and in what fields do; separated by commas, "
                  "or repeated")
      ->type_name("WORD,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  sub->add_flag("--all", call->all, "every register of the GPU");
  sub->add_flag("--json", call->json, "one JSON object per line");
  sub->callback([call] { print_registers(*call); });
}

}  // namespace Atoll::cli
