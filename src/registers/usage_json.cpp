// Usage as text that processes hand to each other.
#include <nlohmann/json.hpp>

#include "registers/usage.h"

namespace Atoll::registers {
namespace {

using Json = nlohmann::json;

Json counts(const std::map<std::pair<std::string, std::string>, uint64_t>& map) {
  Json list = Json::array();
  for (auto& [key, count] : map) list.push_back({key.first, key.second, count});
  return list;
}

std::map<std::pair<std::string, std::string>, uint64_t> counts(const Json& list) {
  std::map<std::pair<std::string, std::string>, uint64_t> map;
  for (auto& one : list) map[{one.at(0), one.at(1)}] = one.at(2);
  return map;
}

}  // namespace

std::string usage_text(const Usage& usage) {
  Json registers = Json::array(), draws = Json::array();
  for (auto& [address, use] : usage.registers)
    registers.push_back({{"address", address},
                         {"writes", use.writes},
                         {"changes", use.changes},
                         {"draws", use.draws},
                         {"before_draw", use.before_draw},
                         {"first_draw", use.first_draw},
                         {"last", use.last},
                         {"by", counts(use.by)},
                         {"values", use.values},
                         {"other_values", use.other_values}});
  for (auto& d : usage.first_draws)
    draws.push_back({{"submission", d.submission}, {"packet", d.packet}, {"ring", d.ring}, {"writes", d.writes}});
  Json fields = Json::array();
  for (auto& [command, all] : usage.fields)
    for (auto& [name, use] : all)
      fields.push_back({{"command", command},
                        {"name", name},
                        {"writes", use.writes},
                        {"changes", use.changes},
                        {"last", use.last},
                        {"values", use.values},
                        {"other_values", use.other_values}});
  return Json{{"gpu", usage.gpu},
              {"processes", usage.processes},
              {"submissions", usage.submissions},
              {"draws", usage.draws},
              {"dispatches", usage.dispatches},
              {"packets", counts(usage.packets)},
              {"registers", registers},
              {"fields", fields},
              {"first_draws", draws},
              {"problems", usage.problems},
              {"unfinished", usage.unfinished}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Expected<Usage> read_usage(std::string_view text) {
  Usage usage;
  try {
    Json json = Json::parse(text);
    usage.gpu = json.at("gpu");
    usage.processes = json.at("processes"), usage.submissions = json.at("submissions");
    usage.draws = json.at("draws"), usage.dispatches = json.at("dispatches");
    usage.packets = counts(json.at("packets"));
    usage.problems = json.at("problems");
    usage.unfinished = json.at("unfinished");
    for (auto& one : json.at("registers")) {
      RegisterUse& use = usage.registers[one.at("address")];
      use.writes = one.at("writes"), use.changes = one.at("changes"), use.draws = one.at("draws");
      use.before_draw = one.at("before_draw"), use.first_draw = one.at("first_draw"), use.last = one.at("last");
      use.by = counts(one.at("by"));
      use.values = one.at("values");
      use.other_values = one.at("other_values");
    }
    for (auto& one : json.at("fields")) {
      FieldUse& use = usage.fields[one.at("command")][one.at("name")];
      use.writes = one.at("writes"), use.changes = one.at("changes"), use.last = one.at("last");
      use.values = one.at("values");
      use.other_values = one.at("other_values");
    }
    for (auto& one : json.at("first_draws"))
      usage.first_draws.push_back({one.at("submission"), one.at("packet"), one.at("ring"), one.at("writes")});
  } catch (const Json::exception& error) {
    return fail("no counts of register writes: {}", error.what());
  }
  return usage;
}

}  // namespace Atoll::registers
