#include "cli/stream_printer.h"

#include "cli/verbs.h"
#include "gpu/device/budget.h"
#include "registers/stream_text.h"

namespace Atoll::cli {

using namespace registers;

namespace {

constexpr unsigned deepest_buffer = 4;  // hardware has two levels
// That few buffers which call each other again and again must end: as many as a GPU takes in one submission.
constexpr uint64_t most_buffers = gpu::Limits{}.buffers, most_packets = gpu::Limits{}.packets;

nlohmann::ordered_json fields_json(std::span<const Field> fields, uint32_t value) {
  auto json = nlohmann::ordered_json::array();
  for (auto& field : fields) {
    uint64_t part = field_value(field, {&value, 1});
    json.push_back({{"name", field.name}, {"high", field.high}, {"low", field.low}, {"value", fmt::format("{:#x}", part)}});
    if (auto name = value_name(field, part); !name.empty()) json.back()["value_name"] = name;
  }
  return json;
}

}  // namespace

void StreamPrinter::print(const std::string& name, const std::string& json_name, std::span<const uint32_t> words,
                          unsigned depth) {
  // Buffers that this one chained to, and that they did, one after the other: none of them comes back.
  struct Chain {
    std::vector<Buffer*> buffers;
    ~Chain() {
      for (Buffer* b : buffers) b->active = false;
    }
  } chain;
  const std::string *place = &name, *json_place = &json_name;
  for (size_t offset = 0; offset < words.size();) {
    if ((depth || !chain.buffers.empty()) && called_packets_++ >= most_packets) {
      if (called_packets_ == most_packets + 1)
        problem(*place, offset, fmt::format("more than {} packets in called buffers: the others are not printed", most_packets));
      return;
    }
    auto packet = read_packet(family_, words, offset);
    if (!packet) return problem(*place, offset, packet.error().message + ": the rest is not read");
    if (json_)
      print_json(*packet, *json_place);
    else
      print_text(*packet, depth);
    count(*packet, *place);
    if (packet->truncated())
      return problem(*place, offset,
                     fmt::format("{} of {} dwords are there: the stream is truncated", packet->words.size(), packet->length));
    offset += packet->length;
    if (!packet->buffer) continue;
    bool there = false;
    Buffer* buffer = enter(*packet, *place, depth, there);
    const bool chained = packet->buffer->chained;
    if (!buffer && chained && there) return;  // what follows is never reached
    if (!buffer) continue;
    auto inside = std::span<const uint32_t>(buffer->words).first(std::min<size_t>(buffer->words.size(), packet->buffer->dwords));
    buffer->active = true;
    if (chained) {
      chain.buffers.push_back(buffer);
      place = json_place = &buffer->name;
      words = inside, offset = 0;
    } else {
      print(buffer->name, buffer->name, inside, depth + 1);
      buffer->active = false;
    }
  }
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

StreamPrinter::Buffer* StreamPrinter::enter(const StreamPacket& packet, const std::string& name, unsigned depth, bool& there) {
  Buffer* found = find_(*packet.buffer);
  there = found;
  if (!found) return nullptr;
  Buffer& buffer = *found;
  auto refuse = [&](const std::string& text) { return problem(name, packet.offset, text), nullptr; };
  if (buffer.active) return refuse(fmt::format("the buffer at {:#x} calls itself", packet.buffer->address));
  if (depth >= deepest_buffer && !packet.buffer->chained)
    return refuse(fmt::format("buffers call each other more than {} deep", deepest_buffer));
  if (printed_buffers_ == most_buffers) {
    printed_buffers_++;
    return refuse(fmt::format("more than {} buffers are called: the others are not printed", most_buffers));
  }
  if (printed_buffers_ > most_buffers) return nullptr;
  printed_buffers_++;
  if (buffer.words.size() < packet.buffer->dwords)
    problem(name, packet.offset,
            fmt::format("the buffer has {} dwords, and {} has {}", packet.buffer->dwords, buffer.name, buffer.words.size()));
  return found;
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
