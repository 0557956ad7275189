#include "registers/pm4.h"

#include <algorithm>

#include "registers/r5xx.h"
#include "registers/sea_islands.h"

namespace Atoll::registers {
namespace {

void write_register(const Family& family, StreamPacket& packet, uint32_t address, size_t word) {
  RegisterWrite write{address, packet.words[word], word, {}};
  if (auto found = find_by_address(family, address); !found.empty()) write.place = found.front();
  packet.writes.push_back(write);
}

// R5xx: writing a buffer's size starts it; a buffer may start another by registers of its own.
std::optional<IndirectBuffer> buffer_of_registers(const StreamPacket& packet) {
  using namespace r5xx;
  constexpr struct {
    uint32_t base, size;
  } pairs[] = {{CP_IB_BASE::address(), CP_IB_BUFSZ::address()}, {CP_IB2_BASE::address(), CP_IB2_BUFSZ::address()}};
  for (auto& pair : pairs) {
    std::optional<uint32_t> base, size;
    for (auto& write : packet.writes) {
      if (write.address == pair.base) base = write.value;
      if (write.address == pair.size) size = write.value;
    }
    if (base && size) return IndirectBuffer{*base, CP_IB_BUFSZ::IB_BUFSZ::peek(*size), false};
  }
  return std::nullopt;
}

// GFX7 and later: the packet has address and size, in the same words on all of them.
std::optional<IndirectBuffer> buffer_of_packet(const StreamPacket& packet) {
  using Indirect = sea_islands::packets::INDIRECT_BUFFER_CIK;
  using Control = Indirect::IB_CONTROL;
  bool indirect = packet.opcode == Indirect::opcode || packet.opcode == sea_islands::packets::INDIRECT_BUFFER_CONST::opcode;
  if (!indirect || packet.words.size() <= Indirect::min_dwords) return std::nullopt;
  uint32_t control = packet.words[1 + Control::index];
  return IndirectBuffer{packet.words[1] | uint64_t(packet.words[2] & 0xffff) << 32, Control::IB_SIZE::get(control),
                        Control::CHAIN::get(control) != 0};
}

void read_type0(const Family& family, StreamPacket& packet, const PacketHeader& header) {
  for (size_t word = 1; word < packet.words.size(); word++)
    write_register(family, packet, header.first_register + (header.one_register ? 0 : 4 * static_cast<uint32_t>(word - 1)), word);
  packet.named_words = packet.words.size();
  if (family.pm4 == Pm4Dialect::R5xx) packet.buffer = buffer_of_registers(packet);
}

void read_operands(const Family& family, StreamPacket& packet) {
  for (auto& layout : packet.known->words) {
    if (packet.named_words >= packet.words.size()) return;
    auto fields =
        layout.register_number >= 0 ? family.registers[static_cast<size_t>(layout.register_number)].fields : layout.fields;
    packet.operands.push_back({layout.name, packet.words[packet.named_words++], fields});
  }
}

void read_type3(const Family& family, StreamPacket& packet) {
  packet.known = find_packet(family, packet.opcode);
  if (!packet.known) return;
  auto address_of = [&](uint32_t number) { return packet.known->space.first + (number & 0xffff) * 4; };
  if (packet.known->sets == Packet::Sets::Pairs) {
    for (; packet.named_words + 1 < packet.words.size(); packet.named_words += 2)
      write_register(family, packet, address_of(packet.words[packet.named_words]), packet.named_words + 1);
    return;
  }
  if (packet.known->sets == Packet::Sets::Row && packet.words.size() >= 2) {
    const uint32_t first = address_of(packet.words[1]);
    for (size_t word = 2; word < packet.words.size(); word++)
      write_register(family, packet, first + 4 * static_cast<uint32_t>(word - 2), word);
    packet.named_words = packet.words.size();
    // Bits 31:28 of the first word are an index that some registers take; named only where it is there.
    if (packet.words[1] >> 28 && !packet.known->words.empty())
      packet.operands.push_back({packet.known->words[0].name, packet.words[1], packet.known->words[0].fields});
    return;
  }
  if (family.pm4 == Pm4Dialect::SeaIslands) packet.buffer = buffer_of_packet(packet);
  read_operands(family, packet);
}

}  // namespace

std::string_view StreamPacket::name() const {
  if (type == 0) return "PACKET0";
  if (type == 2) return "PACKET2";
  return known ? known->name : std::string_view();
}

Expected<StreamPacket> read_packet(const Family& family, std::span<const uint32_t> stream, size_t offset) {
  ATOLL_ASSERT(family.pm4 != Pm4Dialect::None && offset < stream.size());
  const PacketHeader header = read_header(stream[offset], family.pm4);
  if (header.type == PacketType::reserved)
    return fail("{:#010x} is the header of a type-1 packet, which these streams do not have", stream[offset]);
  StreamPacket packet;
  packet.offset = offset;
  packet.type = unsigned(header.type);
  packet.length = 1 + header.dwords;
  packet.opcode = header.opcode, packet.predicated = header.predicated, packet.compute = header.compute;
  packet.words = stream.subspan(offset, std::min(packet.length, stream.size() - offset));
  if (header.type == PacketType::registers) read_type0(family, packet, header);
  if (header.type == PacketType::opcode) read_type3(family, packet);
  return packet;
}

}  // namespace Atoll::registers
