// The byte orders of R5xx's fetchers: 0xaabbccdd as it is, as 0xbbaaddcc, 0xddccbbaa, 0xccddaabb. R5xx Acceleration v1.3, 10.1
// (CP_RB_CNTL.BUF_SWAP), 10.11 (VAP_CNTL_STATUS.VC_SWAP).
#pragma once
#include <bit>
#include <cstdint>

namespace Atoll::r5xx {

inline uint32_t swapped(uint32_t dword, uint32_t swap) {
  switch (swap) {
    case 1: return std::rotl(std::byteswap(dword), 16);
    case 2: return std::byteswap(dword);
    case 3: return std::rotl(dword, 16);
    default: return dword;
  }
}

}  // namespace Atoll::r5xx
