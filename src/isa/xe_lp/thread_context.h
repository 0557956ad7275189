// The state that a thread was dispatched with besides its registers: whoever runs threads (gpu/dg1) fills it from the command stream or from a
// container, messages read it, no instruction can name it. Addresses are of 48 bits; in a wave's cells they are the window's
// (memory/address_space.h, Sections: a table of states lies inside of one section), elsewhere the GPU's.
#pragma once
#include <cstddef>
#include <cstdint>

namespace Atoll::xe_lp {

// Entries of the URB, as its messages name them: by handles, which count rows of 64 bytes of the thread's URB. Bits above a handle's are
// the pipeline's own (of geometry shaders' threads, an instance's number).
struct UrbEntries {
  uint32_t first = 0, end = 0;  // handles; the first entry's, and the one behind the last
  uint32_t size = 1;            // of an entry, in rows
};
inline constexpr uint32_t urb_row_bytes = 64, urb_slot_bytes = 16, urb_handle_mask = 0x7ffffff;

struct ThreadContext {
  // Entry n of the binding table is the dword at binding_table + 4 * n: the offset of a RENDER_SURFACE_STATE (64 bytes; bits 5:0
  // are no part of it) from surface_state_base. binding_table is the pool's base (3DSTATE_BINDING_TABLE_POOL_ALLOC where it is
  // enabled, else surface_state_base) plus the pointer of INTERFACE_DESCRIPTOR_DATA, already shifted where GT_MODE says so.
  uint64_t surface_state_base = 0;  // STATE_BASE_ADDRESS, Surface State Base Address
  uint64_t binding_table = 0;
  // BTI 252: the descriptor is an offset from here (STATE_BASE_ADDRESS, Bindless Surface State Base Address and its size in bytes).
  uint64_t bindless_surface_base = 0;
  // SAMPLER_STATE n stands at sampler_states + 16 * n: Dynamic State Base Address plus the pointer of INTERFACE_DESCRIPTOR_DATA. A
  // message's header may name another table: dynamic_state_base + its dword 3.
  uint64_t dynamic_state_base = 0;
  uint64_t sampler_states = 0;
  uint64_t bindless_sampler_base = 0;
  // Stateless messages of 32-bit addresses (BTI 255, 253) and scratch blocks count from here (General State Base Address). Scratch
  // blocks add the header's dword 5, which r0.5 of the payload has, bits 31:10: the thread's own place, its size being r0.3[3:0].
  uint64_t general_state_base = 0;
  uint64_t instruction_base = 0;  // what ip, calla and call addresses count from (STATE_BASE_ADDRESS, Instruction Base Address)
  // The engine's mask of active lanes: always all. Instructions hand their own mask to every access, since lane l of one is channel
  // ChanOff + l, and one under (W) acts for channels that are off.
  uint32_t every_channel = ~0u;
  // The parts of the URB that a thread of the 3D pipeline's stages may access: first for reads, then for writes. The memory is its
  // Wave::lds; such threads have no shared local memory.
  UrbEntries urb[2];
};

// A surface of bytes, as messages see it, that one of the binding table's first entries names. It is read before threads start, as the
// hardware has states in a cache that only the command stream invalidates (PIPE_CONTROL, State Cache Invalidation Enable).
struct KeptSurface {
  uint64_t address = 0;  // in the window
  uint32_t bytes = 0;    // 0: no surface of bytes
  uint32_t unused = 0;
};
inline constexpr unsigned kept_surfaces = 32;
// Stands for an entry or a state that cannot be read: an access faults, at an address that tells which.
constexpr KeptSurface lost_surface(unsigned entry) { return {uint64_t(1) << 60 | uint64_t(entry) << 40, ~0u}; }
// The entry that an address of a fault names.
constexpr bool is_lost_surface(uint64_t address, unsigned& entry) {
  entry = unsigned(address >> 40 & 0xff);
  return address >> 60 == 1;
}

}  // namespace Atoll::xe_lp
