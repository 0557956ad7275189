// Host memory of a wave with poison around everything that its program may touch: a silent overrun is seen, because the poison is
// no longer whole or because what was read of it differs from run to run (every Ground has a pattern of its own). Memory further
// out is never mapped.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../random_programs/machine.h"
#include "memory/address_space.h"
#include "wave/global_share.h"

namespace Atoll::attacker {

using namespace Atoll::test;

// Bytes that may be read and written, poison before and behind them.
class Fenced {
public:
  // Room for `most` bytes, at a multiple of 128. `reach`: bytes of poison behind it (before it 64 KiB will do); `around`: bytes
  // on both sides of all that which are never mapped.
  Fenced(size_t most, size_t reach, uint64_t around, uint32_t pattern);
  ~Fenced();
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  // From now on so many bytes are no poison. They keep what they hold.
  void resize(size_t bytes);
  uint8_t* data() const { return data_; }
  size_t size() const { return bytes_; }
  // The offset from data() of the first poison that was overwritten, which is poison again then.
  std::optional<int64_t> damage();

private:
  uint8_t *reservation_, *first_, *data_;
  size_t mapped_, most_, bytes_ = 0;
  uint64_t reserved_;
  uint32_t pattern_;
};

// A whole place for a machine: address space, wave, LDS, private memory, global share.
class Ground {
public:
  static constexpr uint32_t max_lds = 65536, max_scratch = 8192;

  Ground(uint32_t pattern, size_t wave_bytes, bool sectioned);
  ~Ground();
  // The places, for LDS and private memory of so many bytes, and a part of the global share.
  Places places(uint32_t lds_bytes, uint32_t scratch_bytes, uint32_t shared_base, uint32_t shared_bytes);
  // Overwritten bytes that belong to nobody: empty when all poison is whole.
  std::string damage();
  uint32_t pattern() const { return pattern_; }
  AddressSpace& space() { return *space_; }

private:
  uint32_t pattern_;
  // On both sides of the reservation of the address space, where the window's base plus an address that nobody checked leads.
  uint8_t *below_ = nullptr, *above_ = nullptr;
  std::unique_ptr<AddressSpace> space_;
  Fenced wave_, lds_, scratch_, share_;
  uint32_t shared_base_ = 0, shared_bytes_ = 0;
};

// Windows of the GPU's address space in which memory is mapped: at a low address, across 2^32 and 2^33, and at the very end.
inline constexpr uint64_t space_bytes = uint64_t(1) << 40, space_reserve = uint64_t(8) << 30, edge_bytes = 65536;
inline constexpr Window windows[] = {{0x10000, 0x4000},
                                     {(uint64_t(1) << 32) - 0x4000, 0x9000},
                                     {(uint64_t(1) << 33) - 0x4000, 0x8000},
                                     {space_bytes - 0x4000, 0x4000}};

}  // namespace Atoll::attacker
