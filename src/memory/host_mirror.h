// Parts of this process's own memory, copied to the same addresses of a GPU's address space (one with sections, since a process's
// addresses have 47 bits), and what was changed there copied back. The GPU never reaches the memory itself: whatever its program
// does meets the copies, or nothing.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "base/expected.h"
#include "memory/address_space.h"

namespace Atoll {

struct HostRange {
  uint64_t start = 0, bytes = 0;
  bool writable = false;
  uint64_t end() const { return start + bytes; }
  bool contains(uint64_t address) const { return address >= start && address - start < bytes; }
};

// The readable memory of the process, in the order of addresses, neighbours of the same kind joined: /proc/self/maps (proc(5)).
Expected<std::vector<HostRange>> readable_host_ranges();

// Copies without a signal whatever the pointers are. False: not all of it could be read or written. On a thread of Atoll's own.
bool copy_host_bytes(void* to, const void* from, size_t bytes);

class HostMirror {
public:
  explicit HostMirror(AddressSpace& space) : space_(space) {}
  ~HostMirror();
  HostMirror(const HostMirror&) = delete;
  HostMirror& operator=(const HostMirror&) = delete;

  // Copies the range, by whole pages whose other bytes are 0, unless they were there. Ranges may overlap and share pages; a page may be
  // written if any range on it may. An error: no memory, an address that no process has, or not all of it can be read (then it is not
  // there). On a thread of Atoll's own.
  Expected<void> add(const HostRange& range);
  // True if the page of the address is there.
  bool contains(uint64_t address) const;
  // The bytes that lie around the address, at most from `low` to `high`, and are on no page that is there.
  HostRange free_around(uint64_t address, uint64_t low, uint64_t high) const;
  // All as it was when it was added.
  void restore();
  // Writes the bytes that have changed since they were added to where they are from. An error: some of it could not be written; the
  // rest was. On a thread of Atoll's own.
  Expected<void> write_back();
  uint64_t bytes() const { return bytes_; }  // of all pages

private:
  struct Part {
    HostRange range;
    std::vector<uint8_t> before;  // of the writable ones
  };
  struct Pages {
    uint64_t bytes, file_offset;
    bool writable;
  };

  AddressSpace& space_;
  std::vector<Part> parts_;
  std::map<uint64_t, Pages> pages_;  // start → runs that do not overlap
  uint64_t bytes_ = 0;

  Expected<void> map_pages(uint64_t start, uint64_t end, bool writable);
  bool fill(uint64_t start, const std::vector<uint8_t>& bytes);
};

}  // namespace Atoll
