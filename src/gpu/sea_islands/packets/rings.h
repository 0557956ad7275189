// The rings that MMIO registers describe: graphics (CP_RB0), compute (the HQD registers of the queue that SRBM_GFX_CNTL selects)
// and the two copy engines. Writing a write pointer gives the dwords between the read pointer and it to the ring's queue.
// Linux drivers/gpu/drm/radeon/cikd.h (CP_RB0_*, CP_HQD_*, SDMA0_GFX_RB_*, SRBM_GFX_CNTL), cik.c, cik_sdma.c.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/device.h"
#include "gpu/sea_islands/state/register_context.h"
#include "memory/address_space.h"

namespace Atoll::sea_islands {

struct RingName {
  gpu::QueueKind kind = gpu::QueueKind::graphics;
  uint32_t index = 0;  // compute: the selection's me, pipe and queue; copy: the engine
  auto operator<=>(const RingName&) const = default;
};

// The values that select a compute ring in SRBM_GFX_CNTL.
HardwareQueue hardware_queue_of(const RingName& compute);

// Work that a ring has for its queue.
struct RingWork {
  RingName ring;
  uint64_t address = 0;         // of the first word
  std::vector<uint32_t> words;  // unwrapped
  uint32_t end = 0;             // the write pointer, in dwords
  std::string error;            // instead of words
};

class Rings {
public:
  // False: the address does not belong to a ring.
  bool read(uint32_t address, uint32_t& value) const;
  bool write(AddressSpace& space, uint32_t address, uint32_t value, std::optional<RingWork>& work);
  // The queue has finished the work: the read pointer follows, in memory as well if the ring says so.
  void finished(AddressSpace& space, const RingWork& work);

private:
  struct Ring {
    uint64_t base = 0;             // bytes
    uint64_t report = 0;           // where the read pointer is written; 0: nowhere
    uint32_t control = 0;          // as written
    uint32_t read = 0, write = 0;  // pointers in dwords
    bool active = true;
  };
  std::map<RingName, Ring> rings_;
  uint32_t selection_ = 0;  // SRBM_GFX_CNTL

  std::optional<RingName> ring_of(uint32_t address, unsigned& field) const;
  void collect(AddressSpace& space, const RingName& name, Ring& ring, std::optional<RingWork>& work) const;
};

}  // namespace Atoll::sea_islands
