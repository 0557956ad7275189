// What a queue of a Sea Islands chip remembers between packets: every register by its byte address, and what packets set that is
// in no register. Sea Islands 3D/Compute Register Reference; ranges: Linux drivers/gpu/drm/radeon/cikd.h (SET_*_REG).
#pragma once
#include <cstdint>
#include <vector>

namespace Atoll::sea_islands {

// Registers by byte address. Addresses beyond the file read as 0 and are not written.
class Registers {
public:
  static constexpr uint32_t end = 0x40000;
  uint32_t operator[](uint32_t address) const { return address < end ? words_[address / 4] : 0; }
  void set(uint32_t address, uint32_t value) {
    if (address < end) words_[address / 4] = value;
  }

private:
  std::vector<uint32_t> words_ = std::vector<uint32_t>(end / 4);
};

// One draw as a packet asks for it; where vertices and instances begin is in user SGPRs already.
struct DrawCall {
  uint32_t count = 0;  // vertices or indices
  bool indexed = false;
  uint64_t index_address = 0;
  uint32_t index_limit = 0;  // indices in the buffer
  unsigned index_bytes = 2;
  uint32_t instances = 1;
};

struct DispatchCall {
  uint32_t groups[3] = {1, 1, 1};  // or threads, as COMPUTE_DISPATCH_INITIATOR says
  uint32_t initiator = 0;
};

}  // namespace Atoll::sea_islands
