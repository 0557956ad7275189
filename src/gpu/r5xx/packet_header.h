// Headers of PM4 packets as R5xx reads them (Linux drivers/gpu/drm/radeon/r300d.h): bits 31:30 the type; type 0 writes `count + 1`
// registers from bits 12:0 on, or all to that one (bit 15); type 3 has an opcode in bits 15:8.
#pragma once
#include <string>

#include "registers/accessors.h"

namespace Atoll::r5xx::packet_header {

using Type = registers::access::Bits<30, 2>;
using Count = registers::access::Bits<16, 14>;
using FirstRegister = registers::access::Bits<0, 13>;
using OneRegister = registers::access::Bits<15, 1>;
using Opcode = registers::access::Bits<8, 8>;

// "3D_DRAW_VBUF_2", "PACKET0 to 0x4e00", "packet 0x7f".
std::string name(uint32_t header);

}  // namespace Atoll::r5xx::packet_header
