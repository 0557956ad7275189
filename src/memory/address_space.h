// A GPU's address space: a reserved window of host addresses in which pages of a memory file are mapped, so that
// GPU address + window base = host address without a lookup. Unmapped addresses fault; page 0 is never mapped.
// An address space of 48 bits is larger than any window: it is cut into sections, and a section takes a part of the window with
// its first mapping (Sections below).
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

#include "base/expected.h"
#include "memory/memory_file.h"

namespace Atoll {

struct Buffer {
  uint64_t gpu_address = 0;
  uint8_t* host_pointer = nullptr;
  uint64_t bytes = 0;

  std::span<uint8_t> span() const { return {host_pointer, size_t(bytes)}; }
};

// Translates addresses of 48 bits into the window, for code that reads and writes GPU memory: `window_address` added to the
// window's base is the host address. Sections may be looked up while others are mapped.
struct Sections {
  static constexpr unsigned address_bits = 48;
  static constexpr uint32_t none = uint32_t(1) << 31;  // beyond every window
  static constexpr unsigned places = 16;               // sections that a window has room for
  static constexpr uint32_t no_section = UINT32_MAX;
  const std::atomic<uint32_t>* shifts =
      nullptr;        // by section: the number that is added to the upper halves of its addresses; null: none
  unsigned bits = 0;  // of an address inside a section, at least 32
  const std::atomic<uint32_t>* placed = nullptr;  // by place in the window: the section there, or no_section

  // For addresses whose bits from 48 on are 0. The result is at or above the window's size if nothing can be mapped there.
  uint64_t window_address(uint64_t gpu_address) const {
    if (!shifts) return gpu_address;
    if (gpu_address >> address_bits) return uint64_t(none) << 32;
    return gpu_address + (uint64_t(shifts[gpu_address >> bits].load(std::memory_order_relaxed)) << 32);
  }
  // The same for code that has 32-bit words: of 2^log_count, the upper half's bits from bits - 32 on are the index.
  const uint32_t* words() const { return reinterpret_cast<const uint32_t*>(shifts); }
  unsigned log_count() const { return address_bits - bits; }

  // The sections of the address space whose base() is `window`; others add nothing. Any thread.
  static Sections of_window(const uint8_t* window);
};

class AddressSpace {
public:
  // Reserves a window of `window_bytes` (a power of two), or of the largest smaller power of two, at least 2^32, that there is
  // room for: ulimit -v may limit it, and the wide windows of a process leave room for a thousand narrow ones (narrow_window).
  // Address spaces may share a memory file; without one each has its own.
  static Expected<std::unique_ptr<AddressSpace>> create(std::shared_ptr<MemoryFile> memory = nullptr,
                                                        uint64_t window_bytes = uint64_t(1) << 40);
  // Makes one of 48 bits, for GPUs whose drivers use distant parts of it at once (Intel's: the upper end, and their process's own
  // addresses). Up to 16 sections, each a 16th of the window, may have mappings; a mapping lies in sections that are neighbours.
  static Expected<std::unique_ptr<AddressSpace>> create_sectioned(std::shared_ptr<MemoryFile> memory = nullptr,
                                                                  uint64_t window_bytes = uint64_t(1) << 44);
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  // Reserved and never mapped on both sides of the window, so that an address just outside, or one near it plus
  // a 32-bit offset, faults as well.
  static constexpr uint64_t outside_bytes = uint64_t(8) << 30;
  // A host process has 2^47 bytes of addresses. All windows that are wider than this one share wide_windows_bytes of them, each taking
  // half of what is left at most; the rest is for more than a thousand of 2^36 bytes, which is all that amdgpu's programs may use
  // (drm/amdgpu/info.cpp), and with sections 16 places of 4 GiB.
  static constexpr uint64_t narrow_window = uint64_t(1) << 36, wide_windows_bytes = uint64_t(40) << 40;
  // The host address of GPU address 0, or of window address 0 if there are sections. The window does not protect addresses beyond
  // the reserve: code that adds `base()` must have checked them against window_bytes().
  uint8_t* base() const { return base_; }
  uint64_t size() const { return size_; }
  uint64_t window_bytes() const { return window_bytes_; }  // equals size() unless there are sections
  Sections sections() const { return {shifts_, section_bits_, placed_.get()}; }
  // The GPU address of a program's access that was translated to `at`, in the window or beyond it.
  uint64_t meant_address(uint64_t at) const;

  // Zeroed memory as an allocation of its own, with unmapped guard pages in front and behind. It ends at the end of a page if its
  // size is a multiple of `alignment` (a power of two, at least 16, at most a page); otherwise as close to that as the alignment
  // of its start allows, so that an overrun is noticed within `alignment` bytes. 0 bytes give an address at which nothing is
  // mapped.
  Expected<Buffer> allocate(uint64_t bytes, uint64_t alignment = 16);
  // The same at an address of the caller's, a multiple of a page, without guard pages: whole pages that is_free() answers for.
  Expected<Buffer> allocate_at(uint64_t gpu_address, uint64_t bytes);
  void free(const Buffer& buffer);
  // True if nothing is mapped or reserved on the pages of the range, which lies in the address space.
  bool is_free(uint64_t gpu_address, uint64_t bytes) const;

  // A range of `bytes` at a multiple of `alignment` (a power of two, at least a page) with guard pages around, nothing mapped in
  // it.
  Expected<uint64_t> reserve(uint64_t bytes, uint64_t alignment = page_bytes);

  // Maps `bytes` (whole pages) of the memory file at `file_offset` to `gpu_address` in place of whatever was there. `absent`: the pages
  // stand for addresses of partially resident resources that have no memory; accesses that ask for residency are told so.
  Expected<void> map(uint64_t gpu_address, uint64_t file_offset, uint64_t bytes, bool writable = true, bool absent = false);
  Expected<void> unmap(uint64_t gpu_address, uint64_t bytes);
  // Ends a reservation of reserve(): its mappings are removed, and the range may be handed out again.
  void release(uint64_t gpu_address);

  // True if every byte of the range is mapped (and writable, if asked). For fault reports and checks; takes a lock and a search.
  bool contains(uint64_t gpu_address, uint64_t bytes, bool writable = false) const;
  // The mapped parts of a range, page by page and in order; the first and last may reach beyond it.
  struct Part {
    uint64_t gpu_address, bytes, file_offset;
    bool writable, absent;
  };
  std::vector<Part> mapped_parts(uint64_t gpu_address, uint64_t bytes) const;
  // True if any page of the range stands for memory that there is not.
  bool has_absent(uint64_t gpu_address, uint64_t bytes) const;
  // The allocation that holds the address.
  std::optional<Buffer> find(uint64_t gpu_address) const;

  uint8_t* host(uint64_t gpu_address) const { return base_ + sections().window_address(gpu_address); }
  // The GPU address of a host address inside the window or the reserve around it; the latter lie below 0 or from size() on. With
  // sections, only those that have mappings count.
  std::optional<int64_t> gpu_address_of(const void* host) const;

  MemoryFile& memory() const { return *memory_; }

private:
  struct Mapping {
    uint64_t bytes;
    uint64_t file_offset;
    bool writable, absent;
  };
  struct Allocation {
    Buffer buffer;
    uint64_t pages, page_bytes_, file_offset;
  };

  static constexpr unsigned section_places = Sections::places;
  static constexpr uint32_t no_section = Sections::no_section;

  AddressSpace() = default;
  static Expected<std::unique_ptr<AddressSpace>> create(std::shared_ptr<MemoryFile> memory, uint64_t window_bytes,
                                                        bool sectioned);
  Expected<void> place_sections(uint64_t gpu_address, uint64_t bytes);
  Expected<uint64_t> reserve_locked(uint64_t bytes, uint64_t alignment);
  Expected<void> map_locked(uint64_t gpu_address, uint64_t file_offset, uint64_t bytes, bool writable, bool absent = false);
  Expected<void> unmap_locked(uint64_t gpu_address, uint64_t bytes);
  void forget_mappings(uint64_t gpu_address, uint64_t bytes);

  std::shared_ptr<MemoryFile> memory_;
  uint8_t* reservation_ = nullptr;
  uint64_t reservation_bytes_ = 0;
  bool is_wide_ = false;
  uint8_t* base_ = nullptr;
  uint64_t size_ = 0, window_bytes_ = 0;
  std::atomic<uint32_t>* shifts_ = nullptr;  // null: no sections
  unsigned section_bits_ = 0;
  std::unique_ptr<std::atomic<uint32_t>[]> placed_;  // Sections::placed; null: no sections

  mutable std::shared_mutex mutex_;
  std::map<uint64_t, uint64_t> reserved_;       // start → bytes, guard pages not counted
  std::map<uint64_t, Mapping> mappings_;        // start → mapping, never overlapping
  std::atomic<bool> any_absent_{false};         // there has been such a mapping
  std::map<uint64_t, Allocation> allocations_;  // buffer address → allocation
};

}  // namespace Atoll
