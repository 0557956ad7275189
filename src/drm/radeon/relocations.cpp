#include <libdrm/radeon_drm.h>

#include <algorithm>

#include "drm/radeon/radeon.h"

namespace Atoll::drm::radeon {
namespace {

// The way in which a buffer's address gets into a register's value.
enum class Patch : uint8_t {
  none,
  address,        // added
  texture,        // added above the 5 bits that say how the texture lies
  colour_tiling,  // only how it lies, and only where the program leaves that to the kernel
  depth_tiling,
  hyperz_enable,  // bit 0 is for the owner of the hierarchical depth memory alone
  hyperz_use,     // refused without that ownership
  hyperz_place,   // any value but 0 is
  cmask_use,
};

struct Row {
  uint32_t first, count;  // byte address, registers
  Patch patch;
};

// R5xx Acceleration v1.3, 10; Linux drivers/gpu/drm/radeon/r300.c
constexpr Row rows[] = {
    {0x4028, 1, Patch::hyperz_place},   // GB_Z_PEQ_CONFIG
    {0x43a4, 1, Patch::hyperz_enable},  // SC_HYPERZ_EN
    {0x4540, 16, Patch::texture},       // TX_OFFSET_0…15
    {0x4e00, 1, Patch::cmask_use},      // RB3D_CCTL
    {0x4e28, 4, Patch::address},        // RB3D_COLOROFFSET0…3
    {0x4e38, 4, Patch::colour_tiling},  // RB3D_COLORPITCH0…3
    {0x4e80, 1, Patch::address},        // RB3D_AARESOLVE_OFFSET
    {0x4f1c, 1, Patch::hyperz_use},     // ZB_BW_CNTL
    {0x4f20, 1, Patch::address},        // ZB_DEPTHOFFSET
    {0x4f24, 1, Patch::depth_tiling},   // ZB_DEPTHPITCH
    {0x4f30, 2, Patch::hyperz_place},   // ZB_ZMASK_OFFSET, ZB_ZMASK_PITCH
    {0x4f44, 1, Patch::hyperz_place},   // ZB_HIZ_OFFSET
    {0x4f54, 1, Patch::hyperz_place},   // ZB_HIZ_PITCH
    {0x4f5c, 1, Patch::address},        // ZB_ZPASS_ADDR
};

constexpr uint32_t cmask_enable = 1 << 10;  // RB3D_CCTL
// ZB_BW_CNTL: HIZ_ENABLE, FAST_FILL_ENABLE, RD_COMP_ENABLE, WR_COMP_ENABLE
constexpr uint32_t hyperz_bits = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 4;

// Type 3 opcodes (Mesa 22.3.6 src/gallium/drivers/r300/r300_reg.h, R300_PACKET3_*)
constexpr uint32_t op_nop = 0x10, op_load_vbpntr = 0x2f, op_clear_zmask = 0x32, op_indx_buffer = 0x33, op_clear_hiz = 0x37,
                   op_clear_cmask = 0x38;

constexpr fmt::format_string<size_t&> no_hyperz = "dword {:#x}: hierarchical depth was not granted",
                                      no_cmask = "dword {:#x}: colour masks were not granted";

Patch patch_of(uint32_t address) {
  for (auto& row : rows)
    if (address >= row.first && address < row.first + row.count * 4) return row.patch;
  return Patch::none;
}

// RB3D_COLORPITCH and ZB_DEPTHPITCH have the same bits: macro tiles 16, micro tiles 17, square ones 18.
uint32_t pitch_tiling(uint32_t tiling) {
  uint32_t bits = tiling & RADEON_TILING_MACRO ? 1 << 16 : 0;
  if (tiling & RADEON_TILING_MICRO) return bits | 1 << 17;
  return bits | (tiling & RADEON_TILING_MICRO_SQUARE ? 2 << 17 : 0);
}

// TX_OFFSET: macro tiles 2, micro tiles 3, square ones 4.
uint32_t texture_tiling(uint32_t tiling) {
  uint32_t bits = tiling & RADEON_TILING_MACRO ? 1 << 2 : 0;
  if (tiling & RADEON_TILING_MICRO) return bits | 1 << 3;
  return bits | (tiling & RADEON_TILING_MICRO_SQUARE ? 2 << 3 : 0);
}

class Relocator {
public:
  Relocator(std::span<uint32_t> stream, std::span<const Relocation> buffers, bool keep_tiling, const Granted& granted)
      : stream_(stream), buffers_(buffers), keep_tiling_(keep_tiling), granted_(granted) {}

  Expected<void> run() {
    while (at_ < stream_.size()) {
      uint32_t header = stream_[at_];
      uint32_t type = header >> 30;
      if (type == 2) {
        at_++;
        continue;
      }
      if (type == 1) return fail("dword {:#x}: a packet of type 1", at_);
      uint32_t count = ((header >> 16) & 0x3fff) + 1;
      if (count >= stream_.size() - at_) return fail("dword {:#x}: a packet of {} dwords ends beyond the buffer", at_, count + 1);
      size_t packet = at_;
      at_ += count + 1;
      auto done = type == 0 ? registers(packet, header, count) : command(packet, (header >> 8) & 0xff, count);
      if (!done) return done;
    }
    return {};
  }

private:
  // The buffer that the NOP at hand names, which is passed.
  Expected<const Relocation*> next(size_t packet) {
    if (at_ + 1 >= stream_.size() || (stream_[at_] & 0xc000ff00) != (3u << 30 | op_nop << 8))
      return fail("dword {:#x}: no relocation behind a packet that names a buffer", packet);
    uint32_t which = stream_[at_ + 1] / 4;
    if (which >= buffers_.size()) return fail("dword {:#x}: relocation {} of {}", at_, which, buffers_.size());
    at_ += 2 + ((stream_[at_] >> 16) & 0x3fff);
    return &buffers_[which];
  }

  Expected<void> registers(size_t packet, uint32_t header, uint32_t count) {
    uint32_t address = (header & 0x1fff) * 4;
    bool one = header & 1 << 15;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t& value = stream_[packet + 1 + i];
      Patch patch = patch_of(address);
      if (!one) address += 4;
      switch (patch) {
        case Patch::none: continue;
        case Patch::hyperz_enable:
          if (!granted_.hyperz) value &= ~1u;
          continue;
        case Patch::hyperz_use:
          if ((value & hyperz_bits) && !granted_.hyperz) return fail(no_hyperz, packet);
          continue;
        case Patch::hyperz_place:
          if (value && !granted_.hyperz) return fail(no_hyperz, packet);
          continue;
        case Patch::cmask_use:
          if ((value & cmask_enable) && !granted_.cmask) return fail(no_cmask, packet);
          continue;
        case Patch::colour_tiling:
        case Patch::depth_tiling:
          if (keep_tiling_) continue;
          break;
        case Patch::address:
        case Patch::texture: break;
      }
      auto buffer = next(packet);
      if (!buffer) return std::unexpected(buffer.error());
      const Relocation& to = **buffer;
      if (patch == Patch::address) {
        value += to.address;
      } else if (patch == Patch::texture) {
        value = (value & 31) | ((value & ~31u) + to.address);
        if (!keep_tiling_) value |= texture_tiling(to.tiling);
      } else {
        value = (value & ~(7u << 16)) | pitch_tiling(to.tiling);
      }
    }
    return {};
  }

  Expected<void> command(size_t packet, uint32_t opcode, uint32_t count) {
    switch (opcode) {
      case op_load_vbpntr: {
        // pairs of arrays: attributes of both, address, address
        uint32_t arrays = stream_[packet + 1] & 0x1f;
        for (uint32_t i = 0; i < arrays; ++i) {
          uint32_t place = 3 + i / 2 * 3 + i % 2;
          if (place > count) return fail("dword {:#x}: 3D_LOAD_VBPNTR is too short for {} arrays", packet, arrays);
          auto buffer = next(packet);
          if (!buffer) return std::unexpected(buffer.error());
          stream_[packet + place] += (*buffer)->address;
        }
        return {};
      }
      case op_indx_buffer: {
        if (count < 2) return fail("dword {:#x}: INDX_BUFFER is too short", packet);
        auto buffer = next(packet);
        if (!buffer) return std::unexpected(buffer.error());
        stream_[packet + 2] += (*buffer)->address;
        return {};
      }
      case op_clear_zmask:
      case op_clear_hiz:
        if (!granted_.hyperz) return fail(no_hyperz, packet);
        return {};
      case op_clear_cmask:
        if (!granted_.cmask) return fail(no_cmask, packet);
        return {};
      default: return {};
    }
  }

  std::span<uint32_t> stream_;
  std::span<const Relocation> buffers_;
  bool keep_tiling_;
  const Granted granted_;
  size_t at_ = 0;  // behind the packet at hand
};

}  // namespace

Expected<void> relocate(std::span<uint32_t> stream, std::span<const Relocation> buffers, bool keep_tiling,
                        const Granted& granted) {
  return Relocator(stream, buffers, keep_tiling, granted).run();
}

}  // namespace Atoll::drm::radeon
