// The header of a PM4 packet: what whoever reads or writes command streams shares. R5xx Acceleration v1.3, 3 "Command
// Processor"; Linux drivers/gpu/drm/radeon/{r300d.h,cikd.h} (PACKET0, PACKET2, PACKET3); Mesa src/amd/common/sid.h (PKT3_NOP_PAD).
#pragma once
#include <cstdint>

#include "registers/accessors.h"
#include "registers/tables.h"

namespace Atoll::registers {

enum class PacketType : uint8_t {
  registers,  // the dwords behind the header go to registers
  reserved,   // on these chips: an error
  filler,     // the header alone
  opcode,
};

namespace packet_header {
using Type = access::Bits<30, 2>;
using Count = access::Bits<16, 14>;         // dwords behind the header, less 1
using Opcode = access::Bits<8, 8>;          // type 3
using FirstRegister = access::Bits<0, 16>;  // type 0, in dwords; R5xx has 13 bits of it
using FirstRegister13 = access::Bits<0, 13>;
using OneRegister = access::Bits<15, 1>;  // type 0 of R5xx: all dwords go to the first register
using Predicated = access::Bits<0, 1>;    // type 3 of Sea Islands
using Compute = access::Bits<1, 1>;       // type 3 of Sea Islands: of a compute shader's state
inline constexpr uint32_t nop_opcode = 0x10, lone_count = 0x3fff;
}  // namespace packet_header

struct PacketHeader {
  PacketType type = PacketType::filler;
  uint32_t dwords = 0;          // behind the header
  uint32_t opcode = 0;          // of PacketType::opcode
  uint32_t first_register = 0;  // of PacketType::registers: byte address
  bool one_register = false;
  bool predicated = false, compute = false;
};

constexpr PacketHeader read_header(uint32_t word, Pm4Dialect dialect) {
  using namespace packet_header;
  PacketHeader h;
  h.type = PacketType(Type::get(word));
  if (h.type == PacketType::registers || h.type == PacketType::opcode) h.dwords = Count::get(word) + 1;
  if (h.type == PacketType::registers) {
    bool r5xx = dialect == Pm4Dialect::R5xx;
    h.first_register = (r5xx ? FirstRegister13::get(word) : FirstRegister::get(word)) * 4;
    h.one_register = r5xx && OneRegister::get(word);
  }
  if (h.type == PacketType::opcode) {
    h.opcode = Opcode::get(word);
    if (dialect == Pm4Dialect::SeaIslands) {
      h.predicated = Predicated::get(word), h.compute = Compute::get(word);
      // A NOP whose count is all ones is its header alone.
      if (h.opcode == nop_opcode && Count::get(word) == lone_count) h.dwords = 0;
    }
  }
  return h;
}

// Headers of packets with so many dwords behind them, at least 1.
constexpr uint32_t register_header(uint32_t first_register, uint32_t dwords) {
  using namespace packet_header;
  return Type::of(uint32_t(PacketType::registers)) | Count::of(dwords - 1) | FirstRegister::of(first_register / 4);
}
constexpr uint32_t opcode_header(uint32_t opcode, uint32_t dwords) {
  using namespace packet_header;
  return Type::of(uint32_t(PacketType::opcode)) | Count::of(dwords - 1) | Opcode::of(opcode);
}

}  // namespace Atoll::registers
