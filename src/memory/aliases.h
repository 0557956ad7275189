// Pages of an address space that stand for others of it. A GPU may have tables by which it finds memory at addresses of its own choice
// (Intel's TR-TT). Their pages are mapped a second time here, so that whoever reads and writes GPU memory needs no table. Tables
// that nobody trusts make nothing reachable that is not mapped already, and what they have made goes with it.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/expected.h"
#include "memory/address_space.h"

namespace Atoll {

struct Alias {
  static constexpr uint64_t nothing = UINT64_MAX;
  uint64_t gpu_address = 0, bytes = 0;  // whole pages
  uint64_t target = nothing;            // a GPU address; nothing: reads give 0, and what is written is dropped
  uint64_t end() const { return gpu_address + bytes; }
  bool operator==(const Alias&) const = default;
};

class Aliases {
public:
  // The aliases of the address space, shared by all who ask; they end with the last owner.
  static std::shared_ptr<Aliases> of(AddressSpace& space);
  ~Aliases();
  Aliases(const Aliases&) = delete;
  Aliases& operator=(const Aliases&) = delete;

  // The aliases in [gpu_address, gpu_address + bytes) become `wanted`, in order and without overlaps. If a target is not mapped,
  // or is an alias itself, nothing gets mapped. If an address space has sections, the far parts that stand for nothing take
  // places as long as a quarter of them stays free, from the highest on.
  Expected<void> set(uint64_t gpu_address, uint64_t bytes, std::span<const Alias> wanted);
  // Drops what was written to pages that stand for nothing. While nobody uses the address space.
  void drop_writes();

  // For each page (of 1 << page_shift bytes) that the range touches: 255 if any part of it stands for nothing, else 0.
  static std::vector<uint8_t> nothing_in(const AddressSpace& space, uint64_t gpu_address, uint64_t bytes, unsigned page_shift);

  // For AddressSpace: a range's mappings change as long as this lives, which ends the aliases in it and those that stand for some of it.
  class Change {
  public:
    Change(const AddressSpace& space, uint64_t gpu_address, uint64_t bytes) {
      if (there_are_some.load(std::memory_order_acquire)) begin(space, gpu_address, bytes);
    }

  private:
    void begin(const AddressSpace& space, uint64_t gpu_address, uint64_t bytes);
    std::shared_ptr<Aliases> aliases_;
    std::unique_lock<std::recursive_mutex> lock_;
  };

private:
  struct Made {
    Alias alias;
    bool whole;  // all of its target was mapped
  };

  explicit Aliases(AddressSpace& space) : space_(space) {}
  Expected<void> stand_for_memory(const Alias& alias);
  Expected<void> stand_for_nothing(const Alias& alias);
  void end(uint64_t gpu_address, uint64_t bytes);
  bool is_alias(uint64_t gpu_address) const;

  static std::atomic<bool> there_are_some;
  AddressSpace& space_;
  std::recursive_mutex mutex_;
  bool changing_ = false;  // mappings change by these functions
  std::map<uint64_t, Made> made_;
  std::vector<std::pair<uint64_t, uint64_t>> nothing_;  // address and bytes of what is mapped for nothing
};

}  // namespace Atoll
