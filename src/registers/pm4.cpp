#include "registers/pm4.h"

#include <algorithm>

namespace Atoll::registers {
namespace {

// SET_*_REG of Sea Islands: where the registers begin that the packet's first dword counts from (cikd.h).
struct RegisterSpace {
  uint32_t opcode, base;
};
constexpr RegisterSpace register_spaces[] = {{0x68, 0x8000}, {0x69, 0x28000}, {0x76, 0xb000}, {0x79, 0x30000}};

constexpr uint32_t opcode_nop = 0x10, opcode_indirect_const = 0x33, opcode_indirect = 0x3f;
constexpr uint32_t cp_ib_base = 0x738, cp_ib_bufsz = 0x73c;  // R5xx: writing the size starts the buffer

void write_register(const Family& family, StreamPacket& packet, uint32_t address, size_t word) {
  RegisterWrite write{address, packet.words[word], word, {}};
  if (auto found = find_by_address(family, address); !found.empty()) write.place = found.front();
  packet.writes.push_back(write);
}

void read_type0(const Family& family, StreamPacket& packet, bool sea_islands) {
  uint32_t header = packet.words[0];
  bool one_register = !sea_islands && (header >> 15 & 1) != 0;
  uint32_t address = (header & (sea_islands ? 0xffffu : 0x1fffu)) * 4;
  for (size_t word = 1; word < packet.words.size(); word++)
    write_register(family, packet, one_register ? address : address + 4 * static_cast<uint32_t>(word - 1), word);
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
    packet.predicated = (packet.words[0] & 1) != 0;
    packet.compute = (packet.words[0] & 2) != 0;
    for (auto& space : register_spaces) {
      if (packet.opcode != space.opcode || packet.words.size() < 2) continue;
      uint32_t first = space.base + (packet.words[1] & 0xffff) * 4;
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
  uint32_t header = stream[offset], count = header >> 16 & 0x3fff;
  StreamPacket packet;
  packet.offset = offset;
  packet.type = header >> 30;
  if (packet.type == 1) return fail("{:#010x} is the header of a type-1 packet, which these streams do not have", header);
  packet.length = packet.type == 2 ? 1 : count + 2;
  if (packet.type == 3) {
    packet.opcode = header >> 8 & 0xff;
    // Mesa src/amd/common/sid.h, PKT3_NOP_PAD: a NOP whose count is all ones is its header alone.
    if (sea_islands && packet.opcode == opcode_nop && count == 0x3fff) packet.length = 1;
  }
  packet.words = stream.subspan(offset, std::min(packet.length, stream.size() - offset));
  if (packet.type == 0) read_type0(family, packet, sea_islands);
  if (packet.type == 3) read_type3(family, packet, sea_islands);
  return packet;
}

}  // namespace Atoll::registers
