#include "gpu/r5xx/packet_header.h"

#include <fmt/format.h>

#include "registers/lookup.h"

namespace Atoll::r5xx::packet_header {

std::string name(uint32_t header) {
  switch (Type::get(header)) {
    case 0: return fmt::format("PACKET0 to {:#06x}", FirstRegister::get(header) * 4);
    case 2: return "PACKET2";
    case 3: {
      auto* known = registers::find_packet(registers::r5xx_tables, Opcode::get(header));
      return known ? std::string(known->name) : fmt::format("packet {:#04x}", Opcode::get(header));
    }
    default: return "PACKET1";
  }
}

}  // namespace Atoll::r5xx::packet_header
