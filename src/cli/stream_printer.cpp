#include "cli/stream_printer.h"

#include "cli/register_output.h"
#include "cli/verbs.h"
#include "gpu/device/budget.h"
#include "registers/stream_text.h"

namespace Atoll::cli {

using namespace registers;

// As many calls as a GPU takes in one submission.
StreamPrinter::StreamPrinter(const char* verb, const Family& family, bool json, Find find)
    : StreamWalk(family, {gpu::Limits{}.packets, gpu::Limits{}.buffers}), verb_(verb), json_(json), find_(std::move(find)) {}

void StreamPrinter::print(const std::string& name, const std::string& json_name, std::span<const uint32_t> words) {
  json_name_ = json_name;
  walk(name, words);
}

void StreamPrinter::packet(const StreamPacket& packet, const Place& place) {
  if (json_)
    print_json(packet, place.called ? place.buffer : json_name_);
  else
    print_text(packet, place.depth);
  count(packet, place.buffer);
}

bool StreamPrinter::summarise() const {
  for (auto& [text, met] : unknown_)
    complain(verb_, fmt::format("{}: at {:#x}: {}{}", met.name, met.offset * 4, text,
                                met.times > 1 ? fmt::format(", {} times", met.times) : ""));
  return unknown_.empty() && !failed_;
}

void StreamPrinter::problem(const std::string& name, size_t offset, const std::string& text) {
  complain(verb_, fmt::format("{}: at {:#x}: {}", name, offset * 4, text));
  failed_ = true;
}

void StreamPrinter::unknown(const std::string& text, const std::string& name, size_t offset) {
  auto [at, fresh] = unknown_.try_emplace(text, Met{name, offset, 0});
  at->second.times++;
}

void StreamPrinter::count(const StreamPacket& packet, const std::string& name) {
  if (packet.type == 3 && !packet.known) unknown(fmt::format("opcode {:#04x} is unknown", packet.opcode), name, packet.offset);
  for (auto& write : packet.writes)
    if (!write.place.entry) unknown(fmt::format("register {:#x} is unknown", write.address), name, packet.offset + write.word);
}

void StreamPrinter::print_json(const StreamPacket& packet, const std::string& buffer) {
  nlohmann::ordered_json line = context;
  line["offset"] = packet.offset * 4;
  if (!buffer.empty()) line["buffer"] = buffer;
  line["words"] = nlohmann::ordered_json::array();
  for (auto word : packet.words) line["words"].push_back(fmt::format("{:#x}", word));
  line["type"] = packet.type;
  if (packet.name().empty())
    line["packet"] = nullptr;
  else
    line["packet"] = packet.name();
  if (packet.type == 3) line["opcode"] = fmt::format("{:#x}", packet.opcode);
  if (packet.predicated) line["predicated"] = true;
  if (packet.compute) line["compute"] = true;
  if (packet.truncated()) line["truncated"] = true;
  line["registers"] = nlohmann::ordered_json::array();
  for (auto& write : packet.writes) {
    nlohmann::ordered_json part = {
        {"name", nullptr}, {"address", fmt::format("{:#x}", write.address)}, {"value", fmt::format("{:#x}", write.value)}};
    if (write.place.entry) part["name"] = write.place.name();
    part["fields"] = write.place.entry ? fields_json(write.place.entry->fields, write.value) : nlohmann::ordered_json::array();
    line["registers"].push_back(std::move(part));
  }
  if (!packet.operands.empty())
    for (auto& operand : packet.operands)
      line["operands"].push_back({{"name", operand.name},
                                  {"value", fmt::format("{:#x}", operand.value)},
                                  {"fields", fields_json(operand.fields, operand.value)}});
  if (packet.buffer)
    line["indirect_buffer"] = {{"address", fmt::format("{:#x}", packet.buffer->address)}, {"dwords", packet.buffer->dwords}};
  fmt::print("{}\n",
             line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));  // a file's name may be no UTF-8
}

void StreamPrinter::print_text(const StreamPacket& packet, unsigned depth) {
  text_.clear();
  append_text(text_, packet, std::string(4 * depth, ' '));
  fmt::print("{}", text_);
}

}  // namespace Atoll::cli
