// The byte orders of R5xx's fetchers and buffers: 0xaabbccdd as it is, as 0xbbaaddcc, 0xddccbbaa, 0xccddaabb. R5xx Acceleration v1.3,
// 10.1 (CP_RB_CNTL.BUF_SWAP), 10.11 (VAP_CNTL_STATUS.VC_SWAP), 10.10 (RB3D_COLORPITCH.COLORENDIAN), 10.12 (ZB_DEPTHPITCH.DEPTHENDIAN).
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace Atoll::r5xx {

inline uint32_t swapped(uint32_t dword, uint32_t swap) {
  switch (swap) {
    case 1: return std::rotl(std::byteswap(dword), 16);
    case 2: return std::byteswap(dword);
    case 3: return std::rotl(dword, 16);
    default: return dword;
  }
}

// Dwords one after the other.
inline void swap_bytes(uint8_t* bytes, size_t count, uint32_t swap) {
  for (size_t n = 0; n + 4 <= count; n += 4) {
    uint32_t dword;
    std::memcpy(&dword, bytes + n, 4);
    dword = swapped(dword, swap);
    std::memcpy(bytes + n, &dword, 4);
  }
}

// Texels of one byte in quads of 2x2: a dword in memory is four pixels of a row, so half of it lies in each of two quads.
inline void swap_bytes_of_quads(uint8_t* bytes, size_t count, uint32_t swap) {
  for (size_t n = 0; n + 8 <= count; n += 8)
    for (size_t row = 0; row < 4; row += 2) {
      uint8_t *left = bytes + n + row, *right = left + 4;
      uint8_t dword[4] = {left[0], left[1], right[0], right[1]};
      swap_bytes(dword, 4, swap);
      left[0] = dword[0], left[1] = dword[1], right[0] = dword[2], right[1] = dword[3];
    }
}

}  // namespace Atoll::r5xx
