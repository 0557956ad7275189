#include "gpu/sea_islands/packets/command_processor.h"

#include <fmt/format.h>

#include <array>

#include "gpu/amd/images.h"
#include "gpu/sea_islands/packets/packet_handlers.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "registers/lookup.h"

namespace Atoll::sea_islands {
namespace {

// Names of packets by opcode; empty where there is none.
std::string_view packet_name(uint32_t opcode) {
  static const auto names = [] {
    std::array<std::string_view, 256> all{};
    for (uint32_t n = 0; n < 256; n++)
      if (auto* packet = registers::find_packet(registers::sea_islands_tables, n)) all[n] = packet->name;
    return all;
  }();
  return names[opcode];
}

constexpr auto dialect = registers::Pm4Dialect::SeaIslands;

}  // namespace

bool CommandProcessor::run(std::span<const gpu::CommandBuffer> buffers) {
  FaultRecovery recovery;
  c.recovery = &recovery;
  if (c.shaders) c.shaders->invalidate();
  c.images->invalidate();
  for (size_t n = 0; n < buffers.size() && !c.lost(); n++) {
    c.packet = "command buffer", c.packet_address = buffers[n].address;
    if (buffers[n].constant_engine) {  // runs beside the buffer behind it
      if (n + 1 < buffers.size() && !buffers[n + 1].constant_engine) {
        CommandStream constants(c, dialect, buffers[n]), drawing(c, dialect, buffers[n + 1]);
        constant_stream = &constants;
        run_constant_engine();
        execute(drawing);
        drawing_counter = ~uint64_t(0) >> 1;  // nothing is left to wait for
        run_constant_engine();
        constant_stream = nullptr;
        constant_counter = drawing_counter = 0;
        n++;
        continue;
      }
    }
    CommandStream s(c, dialect, buffers[n]);
    execute(s);
  }
  c.write_back_targets();
  c.recovery = nullptr;
  return !c.lost();
}

bool CommandProcessor::run(uint64_t address, std::vector<uint32_t> words) {
  FaultRecovery recovery;
  c.recovery = &recovery;
  if (c.shaders) c.shaders->invalidate();
  c.images->invalidate();
  CommandStream s(c, dialect, address, std::move(words));
  execute(s);
  c.write_back_targets();
  c.recovery = nullptr;
  return !c.lost();
}

void CommandProcessor::run_constant_engine() {
  if (!constant_stream || stream == constant_stream) return;
  CommandStream* drawing = stream;
  std::string_view packet = c.packet;
  uint64_t address = c.packet_address;
  blocked = false;
  stream = constant_stream;
  CommandStream::Packet next;
  while (!blocked && stream->next(next)) {
    execute(next);
    if (blocked) stream->back();
  }
  blocked = false;
  stream = drawing;
  if (!c.lost()) c.packet = packet, c.packet_address = address;
}

void CommandProcessor::execute(CommandStream& s) {
  stream = &s;
  CommandStream::Packet packet;
  while (s.next(packet)) {
    if (c.stop.load(std::memory_order_relaxed)) {
      c.lose_stopped();
      break;
    }
    execute(packet);
    if (blocked) {  // only the constant engine may wait for the other one
      c.lose("waits for the constant engine, which has come to its end");
      break;
    }
  }
  stream = nullptr;
}

bool CommandProcessor::count(const CommandStream::Packet& packet) {
  c.statistics.packets++;
  c.progress.fetch_add(1, std::memory_order_relaxed);
  return c.within(c.budget.packets()) && c.within(c.budget.dwords(1 + packet.body.size()));
}

void CommandProcessor::execute(const CommandStream::Packet& packet) {
  using registers::PacketType;
  if (packet.header.type == PacketType::filler) {
    c.packet = "PACKET2";
    count(packet);
    return;
  }
  if (packet.header.type == PacketType::registers) {
    c.packet = "PACKET0";
    if (!count(packet)) return;
    uint32_t address = packet.header.first_register;
    for (uint32_t value : packet.body) {
      if (known_register(c, address)) write_register(c, address, value);
      address += 4;
    }
    return;
  }
  uint32_t opcode = packet.header.opcode;
  std::string_view name = packet_name(opcode);
  c.packet = name.empty() ? "packet" : name;
  if (!count(packet)) return;
  const PacketRow* row = find_packet_row(opcode);
  if (!row) {
    c.unknown(!name.empty() ? fmt::format("packet {}", name) : fmt::format("packet {:#x}", opcode));
    return;
  }
  if (packet.header.predicated && c.predicate.fails) return;
  if (packet.body.size() < row->min_dwords) {
    c.lose(fmt::format("{} dwords behind the header, {} are needed", packet.body.size(), row->min_dwords));
    return;
  }
  if ((!row->writes_back || row->writes_back(packet.body)) && !c.write_back_targets()) return;
  row->handler(*this, packet.body);
}

}  // namespace Atoll::sea_islands
