#include "cli/usage_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command_report.h"
#include "cli/html_text.h"
#include "cli/register_output.h"

namespace Atoll::cli {
namespace {

using namespace registers;

// A register as the report shows it: all its addresses together.
struct Row {
  Instance place;  // entry is null for an address without a register
  std::string name;
  uint32_t address = 0;
  const RegisterUse* use;  // null: never written
  const DriverState* state = nullptr;
};

struct Block {
  std::string name;
  std::vector<Row> written;
  std::vector<const Register*> never;  // of the manual's
  size_t manual = 0;                   // registers that the manual has here
  uint64_t writes = 0;
};

struct Summary {
  std::vector<Block> blocks;  // by name
  size_t manual = 0, manual_written = 0, in_memory = 0, others = 0, unknown = 0;
};

Summary summarise(const Family& family, const Usage& usage) {
  std::map<std::string, Block> blocks;
  std::map<const Register*, bool> written;
  std::map<const Register*, const DriverState*> states;
  for (auto& state : family.driver_states)
    for (uint32_t number : state.registers) states[&family.registers[number]] = &state;
  Summary all;
  for (auto& [address, use] : usage.registers) {
    Row row{{}, fmt::format("{:#x}", address), address, &use, nullptr};
    std::string block = "unknown";
    if (auto found = find_by_address(family, address); !found.empty()) {
      row.place = found.front();
      row.name = row.place.name();
      block = row.place.entry->block;
      written[row.place.entry] = true;
      if (auto state = states.find(row.place.entry); state != states.end()) row.state = state->second;
    } else {
      all.unknown++;
    }
    Block& b = blocks[block];
    b.writes += use.writes;
    b.written.push_back(std::move(row));
  }
  for (auto& entry : family.registers) {
    if (entry.source != "manual") {
      all.others += written.contains(&entry);
      continue;
    }
    all.manual++;
    if (!entry.has_address && entry.addresses.empty()) {
      all.in_memory++;
      continue;
    }
    // A register that another one is a view of is written when that one is.
    const Register* base = entry.view_of >= 0 ? &family.registers[size_t(entry.view_of)] : &entry;
    Block& b = blocks[std::string(entry.block)];
    b.manual++;
    if (written.contains(base))
      all.manual_written++;
    else
      b.never.push_back(&entry);
  }
  for (auto& [name, block] : blocks) {
    block.name = name;
    all.blocks.push_back(std::move(block));
  }
  return all;
}

std::string counted(uint64_t count, std::string_view one) { return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s"); }

std::string headline(const Usage& usage) {
  return fmt::format("{}: {}, {}, {}, {}", usage.gpu,
                     fmt::format("{} process{}", usage.processes, usage.processes == 1 ? "" : "es"),
                     counted(usage.submissions, "submission"), counted(usage.draws, "draw"),
                     usage.dispatches == 1 ? "1 dispatch" : fmt::format("{} dispatches", usage.dispatches));
}

std::string coverage(const Family& family, const Usage& usage, const Summary& s) {
  if (!family.commands.empty()) {
    return fmt::format("{} of {} commands are used, {} written by {}", usage.fields.size(), family.commands.size(),
                       usage.registers.size() == 1 ? "1 register is" : fmt::format("{} registers are", usage.registers.size()),
                       usage.registers.size() == 1 ? "its address" : "their addresses");
  }
  return fmt::format(
      "{} of the manual's {} registers are written, {} never, {} live in memory or in instructions; {} that the manual lacks "
      "are written as well{}",
      s.manual_written, s.manual, s.manual - s.in_memory - s.manual_written, s.in_memory, s.others,
      s.unknown ? fmt::format(", and {} addresses without a register", s.unknown) : "");
}

std::vector<std::string> remarks(const Usage& usage) {
  std::vector<std::string> lines;
  lines.reserve(usage.problems.size() + 1);
  for (auto& [what, times] : usage.problems) lines.push_back(fmt::format("not counted: {} ({} times)", what, times));
  if (usage.unfinished)
    lines.push_back(
        fmt::format("{} of {} had not ended: more may have followed", usage.unfinished, counted(usage.processes, "process")));
  return lines;
}

std::string writers(const RegisterUse& use) {
  std::string text;
  for (auto& [by, times] : use.by)
    text += fmt::format("{}{} ({}{})", text.empty() ? "" : ", ", by.first, by.second,
                        use.by.size() > 1 ? fmt::format(", {}", times) : "");
  return text;
}

// The most frequent first, equally frequent ones by value.
std::vector<std::pair<uint32_t, uint64_t>> values_of(const RegisterUse& use) {
  std::vector<std::pair<uint32_t, uint64_t>> values(use.values.begin(), use.values.end());
  std::ranges::sort(values, {}, [](auto& v) { return std::pair(~v.second, v.first); });
  return values;
}

// "FORMAT=COLOR_8_8_8_8 ENDIAN=0": fields that are not 0, and those with names.
std::string fields_text(const Instance& place, uint32_t value) {
  if (!place.entry) return {};
  std::string text;
  for (auto& field : place.entry->fields) {
    uint64_t part = field_value(field, {&value, 1});
    auto name = value_name(field, part);
    if (part == 0 && name.empty()) continue;
    text += fmt::format("{}{}=", text.empty() ? "" : " ", field.name);
    text += name.empty() ? fmt::format("{:#x}", part) : std::string(name);
  }
  return text;
}

const char* verdict_name(Statement::Verdict verdict) {
  switch (verdict) {
    case Statement::Verdict::Holds: return "holds";
    case Statement::Verdict::NotReached: return "not reached";
    case Statement::Verdict::Differs: return "differs";
  }
  return "";
}

std::string claim(const Statement& s) {
  using Moment = DriverState::Moment;
  if (s.state->moment == Moment::Never) return "never written";
  return fmt::format("{}{}{}", s.state->function,
                     s.state->moment == Moment::Start ? ", before the first draw of a submission" : ", when the state changes",
                     s.state->packet.empty() ? "" : fmt::format(", by {}", s.state->packet));
}

struct Verdicts {
  size_t holds = 0, not_reached = 0, differs = 0;
};

Verdicts count_verdicts(const std::vector<Statement>& statements) {
  Verdicts v;
  for (auto& s : statements)
    (s.verdict == Statement::Verdict::Holds ? v.holds : s.verdict == Statement::Verdict::Differs ? v.differs : v.not_reached)++;
  return v;
}

std::string verdicts_text(const std::vector<Statement>& statements) {
  Verdicts v = count_verdicts(statements);
  return fmt::format("{} statements about {}: {} hold, {} are not reached, {} differ", statements.size(),
                     statements[0].state->driver, v.holds, v.not_reached, v.differs);
}

nlohmann::ordered_json counts_json(const std::map<std::pair<std::string, std::string>, uint64_t>& by, const char* what) {
  auto list = nlohmann::ordered_json::array();
  for (auto& [key, times] : by) list.push_back({{"packet", key.first}, {"ring", key.second}, {what, times}});
  return list;
}

constexpr std::string_view style = R"(
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--accent:#2a7f9e;--good:#3a8f4a;--bad:#c0453b}
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .5rem}p.lead{margin:.3rem 0 1rem;opacity:.85}
code,td.n,td.v{font-family:ui-monospace,monospace;font-size:.92em}
table{border-collapse:collapse;width:100%}td,th{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{font-weight:600;font-size:.85em;opacity:.75}td.r{text-align:right;font-variant-numeric:tabular-nums}
details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:.2rem .8rem}summary{cursor:pointer;padding:.35rem 0;font-weight:600}
td details{border:0;margin:0;padding:0}td summary{padding:0;font-weight:400}
.bar{display:inline-block;width:9rem;height:.65rem;background:var(--soft);border:1px solid var(--line);border-radius:.4rem;overflow:hidden;vertical-align:middle;margin-right:.6rem}
.bar i{display:block;height:100%;background:var(--accent)}.never{columns:3 16rem;font-size:.9em}.never code{display:block}
.holds{color:var(--good)}.differs{color:var(--bad)}.soft{opacity:.7}input{font:inherit;padding:.35rem .6rem;width:22rem;max-width:100%;border:1px solid var(--line);border-radius:.4rem;background:transparent;color:inherit}
)";

constexpr std::string_view script = R"(
const box=document.getElementById('find');
box.addEventListener('input',()=>{const t=box.value.toUpperCase();
document.querySelectorAll('details.block').forEach(d=>{let any=false;
d.querySelectorAll('tr[data-name]').forEach(r=>{const on=r.dataset.name.includes(t);r.hidden=!on;any=any||on});
d.hidden=!!t&&!any;d.open=!!t&&any})});
)";

std::string value_rows(const Row& row) {
  std::string text;
  for (auto& [value, times] : values_of(*row.use))
    text += fmt::format("<tr><td class=v>{:#010x}</td><td class=r>{}</td><td class=n>{}</td></tr>", value, times,
                        escaped(fields_text(row.place, value)));
  if (row.use->other_values)
    text += fmt::format("<tr><td class=soft>others</td><td class=r>{}</td><td></td></tr>", row.use->other_values);
  return text;
}

}  // namespace

std::string usage_report_text(const Family& family, const Usage& usage) {
  Summary all = summarise(family, usage);
  std::string text = headline(usage) + "\n" + coverage(family, usage, all) + "\n";
  for (auto& line : remarks(usage)) text += line + "\n";
  text += "\npackets\n";
  for (auto& [key, times] : usage.packets) text += fmt::format("  {:<28} {:>8}  {}\n", key.first, times, key.second);
  for (auto& block : all.blocks) {
    if (block.written.empty()) continue;
    text += family.commands.empty() ? fmt::format("\n{}: {} of the manual's {} registers, {}\n", block.name,
                                                  block.manual - block.never.size(), block.manual, counted(block.writes, "write"))
                                    : fmt::format("\nregisters: {}\n", counted(block.writes, "write"));
    for (auto& row : block.written) {
      const RegisterUse& use = *row.use;
      text +=
          fmt::format("  {:<36} {:#x}  {}, {}, before {} of {}, by {}", row.name, row.address, counted(use.writes, "write"),
                      counted(use.changes, "change"), use.draws, counted(usage.draws + usage.dispatches, "draw"), writers(use));
      if (row.state && !row.state->function.empty()) text += fmt::format("  [{}]", row.state->name);
      text += "\n";
      constexpr size_t shown = 8;
      auto values = values_of(use);
      uint64_t rest = use.other_values;
      for (size_t i = 0; i < values.size(); i++) {
        if (i < shown)
          text += fmt::format("      {:#010x} {:>6}  {}\n", values[i].first, values[i].second,
                              fields_text(row.place, values[i].first));
        else
          rest += values[i].second;
      }
      if (rest) text += fmt::format("      others     {:>6}\n", rest);
    }
  }
  if (!family.commands.empty()) return text + commands_text(family, usage);
  text += "\nnever written\n";
  for (auto& block : all.blocks)
    if (!block.never.empty()) {
      std::string line = fmt::format("  {}:", block.name);
      for (auto* entry : block.never) {
        if (line.size() + entry->name.size() > 126) text += line + "\n", line = "     ";
        line += fmt::format(" {}", entry->name);
      }
      text += line + "\n";
    }
  auto statements = check_statements(family, usage);
  if (!statements.empty()) {
    text += "\n" + verdicts_text(statements) + "\n";
    for (auto& s : statements)
      if (s.verdict == Statement::Verdict::Differs) text += fmt::format("  {}: {}: {}\n", s.entry->name, claim(s), s.why);
  }
  return text;
}

std::string usage_report_json(const Family& family, const Usage& usage) {
  using Json = nlohmann::ordered_json;
  Summary all = summarise(family, usage);
  std::string text;
  auto put = [&](const Json& line) { text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; };
  put({{"kind", "summary"},
       {"gpu", usage.gpu},
       {"processes", usage.processes},
       {"unfinished", usage.unfinished},
       {"submissions", usage.submissions},
       {"draws", usage.draws},
       {"dispatches", usage.dispatches},
       {"manual", all.manual},
       {"written", all.manual_written},
       {"never", all.manual - all.in_memory - all.manual_written},
       {"in_memory", all.in_memory},
       {"written_beside_the_manual", all.others},
       {"unknown_addresses", all.unknown},
       {"not_counted", usage.problems}});
  for (auto& [key, times] : usage.packets) put({{"kind", "packet"}, {"name", key.first}, {"ring", key.second}, {"times", times}});
  for (auto& block : all.blocks) {
    for (auto& row : block.written) {
      const RegisterUse& use = *row.use;
      Json line{{"kind", "register"},
                {"name", nullptr},
                {"address", fmt::format("{:#x}", row.address)},
                {"block", block.name},
                {"source", row.place.entry ? Json(row.place.entry->source) : Json(nullptr)},
                {"writes", use.writes},
                {"changes", use.changes},
                {"draws", use.draws},
                {"before_first_draw", use.before_draw},
                {"first_draw", use.first_draw},
                {"by", counts_json(use.by, "writes")}};
      if (row.place.entry) line["name"] = row.name;
      if (row.state) line["state"] = row.state->name;
      line["values"] = Json::array();
      for (auto& [value, times] : values_of(use)) {
        Json one{{"value", fmt::format("{:#x}", value)}, {"writes", times}};
        if (row.place.entry) one["fields"] = fields_json(row.place.entry->fields, value);
        line["values"].push_back(std::move(one));
      }
      if (use.other_values) line["other_values"] = use.other_values;
      put(line);
    }
    for (auto* entry : block.never)
      put({{"kind", "register"}, {"name", entry->name}, {"block", block.name}, {"source", entry->source}, {"writes", 0}});
  }
  for (auto& line : commands_json(family, usage)) put(line);
  for (auto& s : check_statements(family, usage)) {
    Json line{{"kind", "statement"},    {"driver", s.state->driver}, {"register", s.entry->name},
              {"state", s.state->name}, {"says", claim(s)},          {"verdict", verdict_name(s.verdict)}};
    if (!s.why.empty()) line["why"] = s.why;
    put(line);
  }
  for (size_t i = 0; i < usage.first_draws.size(); i++) {
    auto& d = usage.first_draws[i];
    Json writes = Json::array();
    for (auto& [address, value] : d.writes) {
      auto found = find_by_address(family, address);
      writes.push_back({found.empty() ? fmt::format("{:#x}", address) : found.front().name(), fmt::format("{:#x}", value)});
    }
    put({{"kind", "draw"},
         {"draw", i},
         {"submission", d.submission},
         {"packet", d.packet},
         {"ring", d.ring},
         {"writes", writes}});
  }
  return text;
}

std::string usage_report_html(const Family& family, const Usage& usage, unsigned refresh) {
  Summary all = summarise(family, usage);
  size_t addressed = all.manual - all.in_memory;
  std::string text = fmt::format(
      "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">{}"
      "<title>Registers used: {}</title><style>{}</style>\n<h1>Registers used on {}</h1>\n<p class=lead>{}.<br>{}.</p>\n",
      refresh ? fmt::format("<meta http-equiv=refresh content={}>", refresh) : "", escaped(usage.gpu), style, escaped(usage.gpu),
      escaped(headline(usage)), escaped(coverage(family, usage, all)));
  for (auto& line : remarks(usage)) text += fmt::format("<p class=soft>{}</p>\n", escaped(line));
  if (addressed)
    text += fmt::format("<p><span class=bar><i style=\"width:{}%\"></i></span>{} of {} registers</p>\n",
                        100 * all.manual_written / addressed, all.manual_written, addressed);
  text += "<p><input id=find placeholder=\"Find a register\" aria-label=\"Find a register\"></p>\n<h2>By block</h2>\n";
  for (auto& block : all.blocks) {
    size_t used = block.manual - block.never.size();
    text += fmt::format(
        "<details class=block><summary><span class=bar><i style=\"width:{}%\"></i></span>{} <span class=soft>{} of the manual's "
        "{}, {}</span></summary>\n",
        block.manual ? 100 * used / block.manual : 0, escaped(block.name), used, block.manual, counted(block.writes, "write"));
    if (!block.written.empty()) {
      text += "<table><tr><th>register<th>writes<th>changes<th>before draws<th>by<th>set by the driver's</tr>\n";
      for (auto& row : block.written)
        text += fmt::format(
            "<tr data-name=\"{}\"><td><details><summary class=n><code>{}</code> <span class=soft>{:#x}</span></summary>"
            "<table>{}</table></details><td class=r>{}<td class=r>{}<td class=r>{}<td>{}<td>{}</tr>\n",
            escaped(row.name), escaped(row.name), row.address, value_rows(row), row.use->writes, row.use->changes, row.use->draws,
            escaped(writers(*row.use)), row.state ? escaped(row.state->name) : "");
      text += "</table>\n";
    }
    if (!block.never.empty()) {
      text += "<p class=soft>Never written:</p><div class=never>";
      for (auto* entry : block.never) text += fmt::format("<code>{}</code>", escaped(entry->name));
      text += "</div>\n";
    }
    text += "</details>\n";
  }
  if (!family.commands.empty()) text += commands_html(family, usage);
  text += "<h2>Packets</h2>\n<table><tr><th>packet<th>ring<th>times</tr>\n";
  for (auto& [key, times] : usage.packets)
    text += fmt::format("<tr><td class=n>{}<td>{}<td class=r>{}</tr>\n", escaped(key.first), escaped(key.second), times);
  text += "</table>\n";
  if (auto statements = check_statements(family, usage); !statements.empty()) {
    text += fmt::format(
        "<h2>What is said of {}</h2>\n<p>{}.</p>\n<details><summary>All of them</summary><table><tr><th>register<th>said<th>here"
        "</tr>\n",
        escaped(statements[0].state->driver), escaped(verdicts_text(statements)));
    for (auto& s : statements)
      text +=
          fmt::format("<tr><td class=n>{}<td>{}<td><span class={}>{}</span> {}</tr>\n", escaped(s.entry->name), escaped(claim(s)),
                      s.verdict == Statement::Verdict::Holds     ? "holds"
                      : s.verdict == Statement::Verdict::Differs ? "differs"
                                                                 : "soft",
                      verdict_name(s.verdict), escaped(s.why));
    text += "</table></details>\n";
  }
  if (!usage.first_draws.empty()) {
    text += fmt::format("<h2>Draw by draw</h2>\n<p class=soft>What was written before each{}.</p>\n",
                        usage.first_draws.size() < usage.draws + usage.dispatches
                            ? fmt::format(" of the first {}", usage.first_draws.size())
                            : "");
    for (size_t i = 0; i < usage.first_draws.size(); i++) {
      auto& d = usage.first_draws[i];
      text +=
          fmt::format("<details><summary>{} <code>{}</code> <span class=soft>submission {}, {} ring, {}</span></summary><table>",
                      i, escaped(d.packet), d.submission, escaped(d.ring), counted(d.writes.size(), "write"));
      for (auto& [address, value] : d.writes) {
        auto found = find_by_address(family, address);
        text += fmt::format("<tr><td class=n>{}<td class=v>{:#010x}<td class=n>{}</tr>",
                            found.empty() ? fmt::format("{:#x}", address) : escaped(found.front().name()), value,
                            found.empty() ? "" : escaped(fields_text(found.front(), value)));
      }
      text += "</table></details>\n";
    }
  }
  return text + fmt::format("<script>{}</script></html>\n", script);
}

std::string usage_report_for(std::string_view file, const Family& family, const Usage& usage, unsigned refresh) {
  if (file.ends_with(".html") || file.ends_with(".htm")) return usage_report_html(family, usage, refresh);
  if (file.ends_with(".json")) return usage_report_json(family, usage);
  return usage_report_text(family, usage);
}

}  // namespace Atoll::cli
