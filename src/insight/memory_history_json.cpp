// The history of bytes as JSON: docs/memory-history.md has its form, tests/insight/who.schema.json holds it.
#include <nlohmann/json.hpp>

#include "insight/memory_history.h"

namespace Atoll::insight {
namespace {

using HistoryJson = nlohmann::ordered_json;

constexpr size_t most_held = 256;

std::string hex_of_bytes(const std::vector<uint8_t>& bytes, size_t most) {
  std::string text;
  for (size_t n = 0; n < std::min(bytes.size(), most); n++) text += fmt::format("{:02x}", bytes[n]);
  return text;
}

HistoryJson event_json(const MemoryEvent& event) {
  HistoryJson json{{"kind", name(event.kind)}, {"submission", event.submission}, {"queue", event.queue}};
  json["draw"] = event.draw ? HistoryJson(*event.draw) : HistoryJson(nullptr);
  json["packet"] = event.packet.empty()
                       ? HistoryJson(nullptr)
                       : HistoryJson{{"name", event.packet}, {"address", fmt::format("{:#x}", event.packet_address)}};
  json["target"] = event.target.empty() ? HistoryJson(nullptr) : HistoryJson(event.target);
  json["reads"] = event.read, json["stores"] = event.stored, json["changed"] = event.changed;
  json["parts"] = HistoryJson::array();
  for (const MemoryEvent::Part& part : event.parts)
    json["parts"].push_back({{"address", fmt::format("{:#x}", part.address)},
                             {"bytes", part.bytes},
                             {"before", hex_of_bytes(part.before, part.before.size())},
                             {"after", hex_of_bytes(part.after, part.after.size())}});
  json["parts_left_out"] = event.parts_left_out;
  return json;
}

}  // namespace

std::string json_of(const MemoryQuestion& question, const MemoryHistory& history) {
  HistoryJson json{{"file", question.file}, {"gpu", history.gpu}, {"space", history.space}, {"submissions", history.submissions}};
  json["ranges"] = HistoryJson::array();
  for (const auto& run : history.runs)
    json["ranges"].push_back({{"address", fmt::format("{:#x}", run.address)}, {"bytes", run.bytes}});
  json["holds"] = hex_of_bytes(history.holds, most_held);
  json["unmapped"] = history.unmapped;
  json["last"] = HistoryJson::array();
  for (const auto& last : history.last)
    json["last"].push_back({{"address", fmt::format("{:#x}", last.address)},
                            {"bytes", last.bytes},
                            {"event", last.event ? HistoryJson(*last.event) : HistoryJson(nullptr)}});
  json["last_left_out"] = history.last_left_out;
  json["events"] = HistoryJson::array(), json["accesses"] = HistoryJson::array();
  for (const MemoryEvent& event : history.events) json["events"].push_back(event_json(event));
  for (const MemoryEvent& event : history.accesses) json["accesses"].push_back(event_json(event));
  json["events_left_out"] = history.events_left_out, json["accesses_left_out"] = history.accesses_left_out;
  json["accesses_missed"] = history.accesses_missed;
  return json.dump(-1, ' ', false, HistoryJson::error_handler_t::replace);
}

}  // namespace Atoll::insight
