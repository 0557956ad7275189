#include "registers/pm4.h"

#include <algorithm>

namespace Atoll::registers {
namespace {

// SET_*_REG of Sea Islands.
struct SetPacket {
  uint32_t opcode;
  RegisterSpace space;
};
constexpr SetPacket set_packets[] = {
    {0x68, config_space}, {0x69, context_space}, {0x76, shader_space}, {0x79, user_config_space}};

constexpr uint32_t opcode_indirect_const = 0x33, opcode_indirect = 0x3f;
constexpr uint32_t cp_ib_base = 0x738, cp_ib_bufsz = 0x73c;  // R5xx: writing the size starts the buffer

void write_register(const Family& family, StreamPacket& packet, uint32_t address, size_t word) {
  RegisterWrite write{address, packet.words[word], word, {}};
  if (auto found = find_by_address(family, address); !found.empty()) write.place = found.front();
  packet.writes.push_back(write);
}

void read_type0(const Family& family, StreamPacket& packet, const PacketHeader& header, bool sea_islands) {
  for (size_t word = 1; word < packet.words.size(); word++)
    write_register(family, packet, header.first_register + (header.one_register ? 0 : 4 * static_cast<uint32_t>(word - 1)), word);
  packet.named_words = packet.words.size();
  if (sea_islands) return;
  std::optional<uint32_t> base, size;
  for (auto& write : packet.writes) {
    if (write.address == cp_ib_base) base = write.value;
    if (write.address == cp_ib_bufsz) size = write.value;
  }
  if (base && size) packet.buffer = {*base, *size & 0x7fffff, false};
}

void read_operands(const Family& family, StreamPacket& packet) {
  for (auto& layout : packet.known->words) {
    if (packet.named_words >= packet.words.size()) return;
    auto fields =
        layout.register_number >= 0 ? family.registers[static_cast<size_t>(layout.register_number)].fields : layout.fields;
    packet.operands.push_back({layout.name, packet.words[packet.named_words++], fields});
  }
}

void read_type3(const Family& family, StreamPacket& packet, bool sea_islands) {
  packet.known = find_packet(family, packet.opcode);
  if (sea_islands) {
    for (auto& set : set_packets) {
      if (packet.opcode != set.opcode || packet.words.size() < 2) continue;
      uint32_t first = set.space.first + (packet.words[1] & 0xffff) * 4;
      for (size_t word = 2; word < packet.words.size(); word++)
        write_register(family, packet, first + 4 * static_cast<uint32_t>(word - 2), word);
      packet.named_words = packet.words.size();
      // Bits 31:28 of the first word are an index that some registers take; named only where it is there.
      if (packet.words[1] >> 28 && packet.known && !packet.known->words.empty())
        packet.operands.push_back({packet.known->words[0].name, packet.words[1], packet.known->words[0].fields});
      return;
    }
    // Mesa src/amd/common/sid.h: PKT3_INDIRECT_BUFFER_CIK, S_3F2_CHAIN.
    bool indirect = packet.opcode == opcode_indirect || packet.opcode == opcode_indirect_const;
    if (indirect && packet.words.size() >= 4)
      packet.buffer = {packet.words[1] | uint64_t(packet.words[2] & 0xffff) << 32, packet.words[3] & 0xfffff,
                       (packet.words[3] >> 20 & 1) != 0};
  }
  if (packet.known) read_operands(family, packet);
}

}  // namespace

std::string_view StreamPacket::name() const {
  if (type == 0) return "PACKET0";
  if (type == 2) return "PACKET2";
  return known ? known->name : std::string_view();
}

bool has_pm4(const Family& family) { return &family == &sea_islands_tables || &family == &r5xx_tables; }

Expected<StreamPacket> read_packet(const Family& family, std::span<const uint32_t> stream, size_t offset) {
  ATOLL_ASSERT(has_pm4(family) && offset < stream.size());
  bool sea_islands = &family == &sea_islands_tables;
  const PacketHeader header = read_header(stream[offset], sea_islands ? Pm4Dialect::sea_islands : Pm4Dialect::r5xx);
  if (header.type == PacketType::reserved)
    return fail("{:#010x} is the header of a type-1 packet, which these streams do not have", stream[offset]);
  StreamPacket packet;
  packet.offset = offset;
  packet.type = unsigned(header.type);
  packet.length = 1 + header.dwords;
  packet.opcode = header.opcode, packet.predicated = header.predicated, packet.compute = header.compute;
  packet.words = stream.subspan(offset, std::min(packet.length, stream.size() - offset));
  if (header.type == PacketType::registers) read_type0(family, packet, header, sea_islands);
  if (header.type == PacketType::opcode) read_type3(family, packet, sea_islands);
  return packet;
}

}  // namespace Atoll::registers
