// Messages to the URB, the memory in which entries of vertices and patches wait between the stages of the 3D pipeline. Mesa 22.3.6 brw_eu.h (brw_urb_desc), brw_eu_defines.h (GFX8_URB_OPCODE_SIMD8_WRITE and _READ).
#pragma once
#include <cstdint>

namespace Atoll::xe_lp {

inline constexpr unsigned most_urb_components = 8;  // of a message: two slots of four dwords

// The fields of a descriptor. The payload's registers are a handle for each of 8 lanes, each one's offset, each one's masks, and the data,
// a register for each component.
struct UrbMessage {
  bool write = false, fence = false;
  bool offsets = false;  // of each lane, in slots of 16 bytes, besides the message's own
  bool masks = false;    // bit 16 + n of a lane's dword: component n is written
  uint32_t offset = 0;   // slots
  unsigned header_registers() const { return 1u + offsets + masks; }
};

// Null: `message` says it; else why not.
constexpr const char* read_urb_message(uint32_t descriptor, UrbMessage& message) {
  constexpr unsigned simd8_write = 7, simd8_read = 8, fence = 9;
  message = {};
  switch (descriptor & 15) {
    case simd8_write: message.write = true; break;
    case simd8_read: break;
    case fence: message.fence = true; return nullptr;
    default: return "send.urb: a message that Xe-LP's URB does not have";
  }
  message.offset = descriptor >> 4 & 0x7ff;
  message.masks = descriptor >> 15 & 1;
  message.offsets = descriptor >> 17 & 1;
  if (message.masks && !message.write) return "send.urb: a read with channel masks";
  if (!message.write && (descriptor >> 20 & 31) > most_urb_components) return "send.urb: a read of more than two slots";
  return nullptr;
}

}  // namespace Atoll::xe_lp
