// The loop of a command processor of PM4: packets are counted against the submission's budget, targets are written back before those
// whose row does not say otherwise, and handlers are called by opcode.
#pragma once
#include <fmt/format.h>

#include <array>
#include <type_traits>

#include "gpu/amd/command_stream.h"
#include "gpu/amd/packets/family.h"
#include "registers/lookup.h"

namespace Atoll::gpu::amd {

// Rows of a family's table: of one packet, and the one of an opcode (null: there is none).
template <class F, class Packet>
constexpr PacketRow<typename F::Processor> packet_row(void (*handler)(typename F::Processor& cp, Body body),
                                                      bool (*writes_back)(Body body) = nullptr) {
  return {Packet::opcode, Packet::min_dwords, handler, writes_back};
}
template <const auto& rows>
const auto* row_of_opcode(uint32_t opcode) {
  using Row = std::remove_cvref_t<decltype(rows[0])>;
  [[clang::no_destroy]] static const auto by_opcode = [] {
    std::array<const Row*, 256> all{};
    for (const Row& r : rows) all[r.opcode] = &r;
    return all;
  }();
  return by_opcode[opcode & 0xff];
}

template <class F>
class PacketExecutor {
public:
  using Context = typename F::Context;

  explicit PacketExecutor(Context& context) : c(context) {}

  // Executes all packets of a stream, unless the context is lost before.
  void execute(CommandStream& s);

  Context& c;
  CommandStream* stream = nullptr;  // that is being executed
  bool blocked = false;             // set by a handler that has to wait for another stream: its packet is tried again later

protected:
  void execute(const CommandStream::Packet& packet);

private:
  bool count(const CommandStream::Packet& packet);  // false: the submission's budget is exceeded
  static std::string_view name_of(uint32_t opcode);
};

// Names of packets by opcode; empty where there is none.
template <class F>
std::string_view PacketExecutor<F>::name_of(uint32_t opcode) {
  static const auto names = [] {
    std::array<std::string_view, 256> all{};
    for (uint32_t n = 0; n < 256; n++)
      if (auto* packet = registers::find_packet(F::tables(), n)) all[n] = packet->name;
    return all;
  }();
  return names[opcode];
}

template <class F>
void PacketExecutor<F>::execute(CommandStream& s) {
  static_assert(PacketFamily<F>);
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

template <class F>
bool PacketExecutor<F>::count(const CommandStream::Packet& packet) {
  c.statistics.packets++;
  c.progress.fetch_add(1, std::memory_order_relaxed);
  c.begin_packet();
  return c.within(c.budget.packets()) && c.within(c.budget.dwords(1 + packet.body.size()));
}

template <class F>
void PacketExecutor<F>::execute(const CommandStream::Packet& packet) {
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
      if (F::known_register(c, address)) F::write_register(c, address, value);
      address += 4;
    }
    return;
  }
  uint32_t opcode = packet.header.opcode;
  std::string_view name = name_of(opcode);
  c.packet = name.empty() ? "packet" : name;
  if (!count(packet)) return;
  const auto* row = F::row(opcode);
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
  row->handler(static_cast<typename F::Processor&>(*this), packet.body);
}

}  // namespace Atoll::gpu::amd
