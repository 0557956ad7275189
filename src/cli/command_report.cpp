#include "cli/command_report.h"

#include <algorithm>

#include "cli/html_text.h"
#include "registers/lookup.h"

namespace Atoll::cli {
namespace {

using namespace registers;
using Json = nlohmann::ordered_json;

// As the page's search compares it.
std::string search_text(std::string_view command, std::string_view field) {
  std::string text = fmt::format("{} {}", command, field);
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return text;
}

std::string times_text(uint64_t times) { return fmt::format("{} time{}", times, times == 1 ? "" : "s"); }

// The values of a command's field.
std::vector<std::pair<uint64_t, uint64_t>> values_of(const FieldUse& use) {
  std::vector<std::pair<uint64_t, uint64_t>> values(use.values.begin(), use.values.end());
  std::ranges::sort(values, {}, [](auto& v) { return std::pair(~v.second, v.first); });
  return values;
}

// A command that a program used, its fields in the order of the table.
struct CommandRow {
  const Command* row;
  uint64_t times = 0;
  std::string rings;
  std::vector<std::pair<const Field*, const FieldUse*>> fields;
};

std::vector<CommandRow> commands_used(const Family& family, const Usage& usage) {
  std::vector<CommandRow> rows;
  for (auto& command : family.commands) {
    auto used = usage.fields.find(std::string(command.name));
    if (used == usage.fields.end()) continue;
    CommandRow row{&command, 0, {}, {}};
    for (auto& [key, times] : usage.packets)
      if (key.first == command.name) row.times += times, row.rings += (row.rings.empty() ? "" : ", ") + key.second;
    for (auto list : {command.fields, command.repeat})
      for (auto& field : list) {
        auto use = used->second.find(std::string(field.name));
        auto same = [&](auto& shown) { return shown.first->name == field.name; };
        if (use != used->second.end() && std::ranges::none_of(row.fields, same)) row.fields.emplace_back(&field, &use->second);
      }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string_view> commands_unused(const Family& family, const Usage& usage) {
  std::vector<std::string_view> names;
  for (auto& command : family.commands)
    if (!usage.fields.contains(std::string(command.name))) names.push_back(command.name);
  return names;
}

// "2 GPGPU", "0x1f", with how often; those beyond `shown` together.
std::string field_values_text(const Field& field, const FieldUse& use, size_t shown) {
  std::string text;
  uint64_t rest = use.other_values;
  auto values = values_of(use);
  for (size_t i = 0; i < values.size(); i++) {
    auto [value, times] = values[i];
    if (i >= shown) {
      rest += times;
      continue;
    }
    text += text.empty() ? "" : ", ";
    text += value > 9 ? fmt::format("{:#x}", value) : fmt::format("{}", value);
    if (auto name = value_name(field, value); !name.empty()) text += fmt::format(" {}", name);
    if (times != use.writes) text += fmt::format(" ({})", times);
  }
  if (rest) text += fmt::format(", others ({})", rest);
  return text;
}

// True if a field was never anything but a 0 that has no name.
bool says_nothing(const Field& field, const FieldUse& use) {
  return use.values.size() == 1 && use.values.contains(0) && !use.other_values && value_name(field, 0).empty();
}

}  // namespace

std::string commands_text(const Family& family, const Usage& usage) {
  std::string text = "\ncommands\n";
  for (auto& command : commands_used(family, usage)) {
    text += fmt::format("  {}  {}, {}\n", command.row->name, times_text(command.times), command.rings);
    for (auto& [field, use] : command.fields)
      if (!says_nothing(*field, *use))
        text += fmt::format("      {:<44} {:>4} change{}  {}\n", field->name, use->changes, use->changes == 1 ? " " : "s",
                            field_values_text(*field, *use, 8));
  }
  std::string line = "\nnever used\n ";
  for (auto name : commands_unused(family, usage)) {
    if (line.size() + name.size() > 126) text += line + "\n", line = " ";
    line += fmt::format(" {}", name);
  }
  return text + line + "\n";
}

std::vector<Json> commands_json(const Family& family, const Usage& usage) {
  std::vector<Json> lines;
  for (auto& command : commands_used(family, usage)) {
    Json line{{"kind", "command"}, {"name", command.row->name}, {"times", command.times}, {"fields", Json::array()}};
    for (auto& [field, use] : command.fields) {
      Json one{{"name", field->name}, {"writes", use->writes}, {"changes", use->changes}, {"values", Json::array()}};
      for (auto& [value, times] : values_of(*use)) {
        one["values"].push_back({{"value", fmt::format("{:#x}", value)}, {"writes", times}});
        if (auto name = value_name(*field, value); !name.empty()) one["values"].back()["name"] = name;
      }
      if (use->other_values) one["other_values"] = use->other_values;
      line["fields"].push_back(std::move(one));
    }
    lines.push_back(std::move(line));
  }
  for (auto name : commands_unused(family, usage)) lines.push_back({{"kind", "command"}, {"name", name}, {"times", 0}});
  return lines;
}

std::string commands_html(const Family& family, const Usage& usage) {
  std::string text = "<h2>Commands</h2>\n";
  for (auto& command : commands_used(family, usage)) {
    text += fmt::format(
        "<details class=block><summary>{} <span class=soft>{}, {}</span></summary>\n"
        "<table><tr><th>field<th>changes<th>values</tr>\n",
        escaped(command.row->name), times_text(command.times), escaped(command.rings));
    for (auto& [field, use] : command.fields)
      text += fmt::format("<tr data-name=\"{}\"><td class=n>{}<td class=r>{}<td class=v>{}</tr>\n",
                          escaped(search_text(command.row->name, field->name)), escaped(field->name), use->changes,
                          escaped(field_values_text(*field, *use, Usage::max_values)));
    text += "</table></details>\n";
  }
  text += "<p class=soft>Never used:</p><div class=never>";
  for (auto name : commands_unused(family, usage)) text += fmt::format("<code>{}</code>", escaped(name));
  return text + "</div>\n";
}

}  // namespace Atoll::cli
