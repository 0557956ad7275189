#include "memory/address_space.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <tuple>

#include "base/interval_map.h"
#include "memory/aliases.h"

namespace Atoll {
namespace {

constexpr uint64_t smallest_window = uint64_t(1) << 32;
constexpr uint64_t guard_bytes = 16 * page_bytes;  // unmapped between neighbours
// A section's upper half must be its own.
constexpr uint64_t smallest_sectioned_window = uint64_t(1) << 36;

// Spaces with sections by their windows, for Sections::of_window. `changes` counts them coming and going, for what threads remember.
struct Sectioned {
  std::mutex mutex;
  std::map<const uint8_t*, Sections> windows;
  std::atomic<uint64_t> changes{1};
};
Sectioned& sectioned_spaces() {
  [[clang::no_destroy]] static Sectioned all;
  return all;
}

// The amount of the process's addresses that windows take.
struct Reserved {
  std::mutex mutex;
  uint64_t spaces = 0, wide_bytes = 0;
};
Reserved& reserved_addresses() {
  [[clang::no_destroy]] static Reserved all;
  return all;
}

// A table of sections in which none has a place. Thousands of entries, of which a context uses a few: pages of a file that all tables
// share until they are written to. Null: no memory.
std::atomic<uint32_t>* make_shifts(uint64_t count) {
  static const int file = [] {
    constexpr uint64_t most = (uint64_t(1) << Sections::address_bits) / (smallest_sectioned_window / Sections::places);
    const std::vector<uint32_t> none(most, Sections::none);
    const size_t bytes = none.size() * sizeof none[0];
    const int fd = ::memfd_create("atoll-no-sections", MFD_CLOEXEC);
    if (fd >= 0 && ::write(fd, none.data(), bytes) == ssize_t(bytes)) return fd;
    if (fd >= 0) ::close(fd);
    return -1;
  }();
  const size_t bytes = size_t(count) * sizeof(uint32_t);
  void* at = file >= 0 ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0)
                       : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  auto* shifts = static_cast<std::atomic<uint32_t>*>(at);
  if (file < 0)
    for (uint64_t i = 0; i < count; ++i) shifts[i] = Sections::none;
  return shifts;
}

Expected<std::unique_ptr<AddressSpace>> no_room(uint64_t whole, int error) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    return fail(
        "cannot reserve even {} GiB of addresses for the GPU ({}): raise the limit on virtual memory, now {} KiB (ulimit -v "
        "unlimited)",
        whole >> 30, std::strerror(error), limit.rlim_cur >> 10);
  return fail(
      "cannot reserve even {} GiB of addresses for the GPU ({}), besides {} address spaces of GPUs that this process has: close "
      "some of its contexts or devices",
      whole >> 30, std::strerror(error), reserved_addresses().spaces);
}

}  // namespace

Sections Sections::of_window(const uint8_t* window) {
  struct Remembered {
    const uint8_t* window = nullptr;
    uint64_t changes = 0;
    Sections sections;
  };
  static thread_local Remembered last;
  Sectioned& all = sectioned_spaces();
  const uint64_t changes = all.changes.load(std::memory_order_acquire);
  if (last.window == window && last.changes == changes) return last.sections;
  std::lock_guard lock(all.mutex);
  auto found = all.windows.find(window);
  last = {window, changes, found == all.windows.end() ? Sections{} : found->second};
  return last.sections;
}

Expected<std::unique_ptr<AddressSpace>> AddressSpace::create(std::shared_ptr<MemoryFile> memory, uint64_t window_bytes) {
  return create(std::move(memory), window_bytes, false);
}

Expected<std::unique_ptr<AddressSpace>> AddressSpace::create_sectioned(std::shared_ptr<MemoryFile> memory,
                                                                       uint64_t window_bytes) {
  return create(std::move(memory), window_bytes, true);
}

Expected<std::unique_ptr<AddressSpace>> AddressSpace::create(std::shared_ptr<MemoryFile> memory, uint64_t window_bytes,
                                                             bool sectioned) {
  ATOLL_ASSERT(std::has_single_bit(window_bytes) && window_bytes >= smallest_window);
  if (!memory) {
    auto own = MemoryFile::create();
    if (!own) return std::unexpected(own.error());
    memory = *own;
  }
  std::unique_ptr<AddressSpace> space(new AddressSpace);
  space->memory_ = std::move(memory);
  const uint64_t smallest = sectioned ? smallest_sectioned_window : smallest_window;
  Reserved& reserved = reserved_addresses();
  std::lock_guard reserving(reserved.mutex);
  int error = 0;
  for (uint64_t bytes = window_bytes; bytes >= smallest; bytes /= 2) {
    uint64_t whole = bytes + 2 * outside_bytes;
    const bool wide = bytes > narrow_window;
    if (wide && whole > (wide_windows_bytes - reserved.wide_bytes) / 2) continue;
    void* at = ::mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
      error = errno;
      continue;
    }
    reserved.spaces++;
    if (wide) reserved.wide_bytes += whole;
    space->is_wide_ = wide;
    space->reservation_ = static_cast<uint8_t*>(at);
    space->reservation_bytes_ = whole;
    space->base_ = space->reservation_ + outside_bytes;
    space->size_ = space->window_bytes_ = bytes;
    if (sectioned) {
      space->size_ = uint64_t(1) << Sections::address_bits;
      space->section_bits_ = unsigned(std::countr_zero(bytes / section_places));
      const uint64_t count = space->size_ >> space->section_bits_;
      space->shifts_ = make_shifts(count);
      if (!space->shifts_) return fail("no memory for a GPU's address space ({})", std::strerror(errno));
      space->placed_ = std::make_unique<std::atomic<uint32_t>[]>(section_places);
      for (unsigned i = 0; i < section_places; ++i) space->placed_[i] = no_section;
      Sectioned& all = sectioned_spaces();
      std::lock_guard lock(all.mutex);
      all.windows[space->base_] = space->sections();
      all.changes++;
    }
    return space;
  }
  return no_room(smallest + 2 * outside_bytes, error);
}

AddressSpace::~AddressSpace() {
  for (auto& [address, allocation] : allocations_) memory_->release(allocation.file_offset, allocation.page_bytes_);
  if (shifts_) {
    {
      Sectioned& all = sectioned_spaces();
      std::lock_guard lock(all.mutex);
      all.windows.erase(base_);
      all.changes++;
    }
    ::munmap(shifts_, (size_ >> section_bits_) * sizeof shifts_[0]);
  }
  if (!reservation_) return;
  ::munmap(reservation_, reservation_bytes_);
  Reserved& reserved = reserved_addresses();
  std::lock_guard lock(reserved.mutex);
  reserved.spaces--;
  if (is_wide_) reserved.wide_bytes -= reservation_bytes_;
}

Expected<uint64_t> AddressSpace::reserve_locked(uint64_t bytes, uint64_t alignment) {
  // The first 4 GiB stay empty where the window is large enough: a pointer that lost its upper half then faults.
  uint64_t candidate = round_up(size_ > uint64_t(1) << 33 ? uint64_t(1) << 32 : guard_bytes, alignment);
  uint64_t end = size_ - guard_bytes;
  for (auto& [start, size] : reserved_) {
    if (candidate < end && bytes <= end - candidate && candidate + bytes + guard_bytes <= start) break;
    candidate = std::max(candidate, round_up(start + size + guard_bytes, alignment));
  }
  if (candidate >= end || bytes > end - candidate)
    return fail("no room for {} bytes in the GPU's address space of {} bytes: ask for less", bytes, size_);
  reserved_.emplace(candidate, std::max<uint64_t>(bytes, page_bytes));
  return candidate;
}

Expected<uint64_t> AddressSpace::reserve(uint64_t bytes, uint64_t alignment) {
  ATOLL_ASSERT(std::has_single_bit(alignment) && alignment >= page_bytes);
  if (bytes > size_ || alignment > size_)
    return fail("no room for {} bytes in the GPU's address space of {} bytes: ask for less", bytes, size_);
  std::unique_lock lock(mutex_);
  return reserve_locked(round_up(bytes, page_bytes), alignment);
}

Expected<Buffer> AddressSpace::allocate(uint64_t bytes, uint64_t alignment) {
  ATOLL_ASSERT(std::has_single_bit(alignment) && alignment >= 16 && alignment <= page_bytes);
  if (bytes > size_) return fail("no room for {} bytes in the GPU's address space of {} bytes: ask for less", bytes, size_);
  uint64_t whole = round_up(bytes, page_bytes);
  std::unique_lock lock(mutex_);
  auto file_offset = memory_->allocate(whole);
  if (!file_offset) return std::unexpected(file_offset.error());
  auto pages = reserve_locked(whole, page_bytes);
  if (!pages) {
    memory_->release(*file_offset, whole);
    return std::unexpected(pages.error());
  }
  if (whole) {
    if (auto mapped = map_locked(*pages, *file_offset, whole, true); !mapped) {
      reserved_.erase(*pages);
      memory_->release(*file_offset, whole);
      return std::unexpected(mapped.error());
    }
  }
  uint64_t start = round_down(*pages + whole - bytes, alignment);
  Buffer buffer{start, host(start), bytes};
  allocations_.emplace(start, Allocation{buffer, *pages, whole, *file_offset});
  return buffer;
}

bool AddressSpace::is_free(uint64_t gpu_address, uint64_t bytes) const {
  const uint64_t start = round_down(gpu_address, page_bytes), end = round_up(gpu_address + bytes, page_bytes);
  std::shared_lock lock(mutex_);
  auto touches = [&](const auto& table, auto size_of) {
    auto after = table.lower_bound(end);
    return after != table.begin() && std::prev(after)->first + size_of(std::prev(after)->second) > start;
  };
  return !touches(reserved_, [](uint64_t size) { return size; }) &&
         !touches(mappings_, [](const Mapping& mapping) { return mapping.bytes; });
}

Expected<Buffer> AddressSpace::allocate_at(uint64_t gpu_address, uint64_t bytes) {
  if (gpu_address < page_bytes || gpu_address % page_bytes || bytes == 0 || gpu_address >= size_ || bytes > size_ - gpu_address)
    return fail("{:#x} bytes at GPU address {:#x} are not whole pages of the GPU's address space of {:#x} bytes", bytes,
                gpu_address, size_);
  if (!is_free(gpu_address, bytes)) return fail("GPU address {:#x} is in use already", gpu_address);
  const uint64_t whole = round_up(bytes, page_bytes);
  std::unique_lock lock(mutex_);
  auto file_offset = memory_->allocate(whole);
  if (!file_offset) return std::unexpected(file_offset.error());
  if (auto mapped = map_locked(gpu_address, *file_offset, whole, true); !mapped) {
    memory_->release(*file_offset, whole);
    return std::unexpected(mapped.error());
  }
  reserved_.emplace(gpu_address, whole);
  Buffer buffer{gpu_address, host(gpu_address), bytes};
  allocations_.emplace(gpu_address, Allocation{buffer, gpu_address, whole, *file_offset});
  return buffer;
}

void AddressSpace::free(const Buffer& buffer) {
  std::unique_lock lock(mutex_);
  auto found = allocations_.find(buffer.gpu_address);
  ATOLL_ASSERT(found != allocations_.end());
  Allocation allocation = found->second;
  allocations_.erase(found);
  if (allocation.page_bytes_) std::ignore = unmap_locked(allocation.pages, allocation.page_bytes_);
  memory_->release(allocation.file_offset, allocation.page_bytes_);
  reserved_.erase(allocation.pages);
}

void AddressSpace::release(uint64_t gpu_address) {
  std::unique_lock lock(mutex_);
  auto found = reserved_.find(gpu_address);
  ATOLL_ASSERT(found != reserved_.end());
  std::ignore = unmap_locked(gpu_address, found->second);
  reserved_.erase(found);
}

// Takes the range out of the table of mappings, cutting those that reach over its ends.
void AddressSpace::forget_mappings(uint64_t gpu_address, uint64_t bytes) {
  cut_range(mappings_, gpu_address, bytes, &Mapping::file_offset, [](uint64_t, uint64_t, const Mapping&) {});
}

// Every section of the range gets its place in the window, beside its neighbour's where that has one. The first of strangers are
// set apart, so that there is room for their neighbours.
Expected<void> AddressSpace::place_sections(uint64_t gpu_address, uint64_t bytes) {
  auto place_of = [this](uint64_t section) {
    unsigned place = 0;
    while (place < section_places && placed_[place] != uint32_t(section)) ++place;
    return place;
  };
  auto is_free = [this](unsigned place) { return place < section_places && placed_[place] == no_section; };
  const uint64_t first = gpu_address >> section_bits_, last = (gpu_address + bytes - 1) >> section_bits_;
  for (uint64_t section = first; section <= last; ++section) {
    if (shifts_[section] != Sections::none) continue;
    unsigned place = section_places;
    if (unsigned before = section ? place_of(section - 1) : section_places; is_free(before + 1))
      place = before + 1;
    else if (unsigned behind = place_of(section + 1); behind < section_places && behind && is_free(behind - 1))
      place = behind - 1;
    for (unsigned stride : {3u, 1u})
      for (unsigned i = stride / 2; i < section_places && place == section_places; i += stride)
        if (is_free(i)) place = i;
    if (place == section_places)
      return fail("no room for GPU address {:#x}: {} far parts of the address space have mappings already", gpu_address,
                  section_places);
    shifts_[section] = uint32_t((uint64_t(place) - section) << (section_bits_ - 32));
    placed_[place] = uint32_t(section);
  }
  for (uint64_t section = first + 1; section <= last; ++section)
    if (shifts_[section] != shifts_[first])
      return fail("no room for {:#x} bytes at GPU address {:#x} in one piece: other mappings stand beside them", bytes,
                  gpu_address);
  return {};
}

Expected<void> AddressSpace::map_locked(uint64_t gpu_address, uint64_t file_offset, uint64_t bytes, bool writable, bool absent) {
  int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  if (shifts_)
    if (auto placed = place_sections(gpu_address, bytes); !placed) return placed;
  void* at = ::mmap(host(gpu_address), bytes, protection, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, memory_->descriptor(),
                    off_t(file_offset));
  if (at == MAP_FAILED) return fail("cannot map {} bytes at GPU address {:#x}: {}", bytes, gpu_address, std::strerror(errno));
  forget_mappings(gpu_address, bytes);
  mappings_.emplace(gpu_address, Mapping{bytes, file_offset, writable, absent});
  if (absent) any_absent_ = true;
  return {};
}

Expected<void> AddressSpace::map(uint64_t gpu_address, uint64_t file_offset, uint64_t bytes, bool writable, bool absent) {
  if (gpu_address % page_bytes || file_offset % page_bytes || bytes % page_bytes || bytes == 0)
    return fail("a mapping of {:#x} bytes at GPU address {:#x} is not of whole {}-byte pages", bytes, gpu_address, page_bytes);
  if (gpu_address < page_bytes) return fail("page 0 of a GPU's address space is never mapped");
  if (gpu_address >= size_ || bytes > size_ - gpu_address)
    return fail("a mapping of {:#x} bytes at GPU address {:#x} lies outside the GPU's address space of {:#x} bytes", bytes,
                gpu_address, size_);
  const Aliases::Change change(*this, gpu_address, bytes);
  std::unique_lock lock(mutex_);
  return map_locked(gpu_address, file_offset, bytes, writable, absent);
}

Expected<void> AddressSpace::unmap_locked(uint64_t gpu_address, uint64_t bytes) {
  // Section by section: the range may reach over some that have no place.
  const uint64_t end = gpu_address + bytes;
  for (uint64_t from = gpu_address, to; from < end; from = to) {
    to = shifts_ ? std::min(end, round_up(from + 1, uint64_t(1) << section_bits_)) : end;
    const uint64_t at_window = sections().window_address(from);
    if (at_window >= window_bytes_) continue;
    void* at = ::mmap(base_ + at_window, to - from, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return fail("cannot unmap {} bytes at GPU address {:#x}: {}", bytes, gpu_address, std::strerror(errno));
  }
  forget_mappings(gpu_address, bytes);
  return {};
}

Expected<void> AddressSpace::unmap(uint64_t gpu_address, uint64_t bytes) {
  if (gpu_address % page_bytes || bytes % page_bytes || bytes == 0 || gpu_address >= size_ || bytes > size_ - gpu_address)
    return fail("cannot unmap {:#x} bytes at GPU address {:#x}: not whole pages inside the GPU's address space", bytes,
                gpu_address);
  const Aliases::Change change(*this, gpu_address, bytes);
  std::unique_lock lock(mutex_);
  return unmap_locked(gpu_address, bytes);
}

bool AddressSpace::contains(uint64_t gpu_address, uint64_t bytes, bool writable) const {
  if (gpu_address >= size_ || bytes > size_ - gpu_address) return false;
  std::shared_lock lock(mutex_);
  uint64_t end = gpu_address + bytes;
  // Neighbours in the address space that are none in the window are no range that anybody could go through.
  if (shifts_ && bytes)
    for (uint64_t section = gpu_address >> section_bits_; section < (end - 1) >> section_bits_; section++)
      if (shifts_[section + 1] != shifts_[section]) return false;
  auto it = mappings_.upper_bound(gpu_address);
  if (it == mappings_.begin()) return bytes == 0;
  for (--it; it != mappings_.end() && it->first <= gpu_address; ++it) {
    uint64_t mapping_end = it->first + it->second.bytes;
    if (mapping_end <= gpu_address || (writable && !it->second.writable)) return bytes == 0;
    if (mapping_end >= end) return true;
    gpu_address = mapping_end;
  }
  return bytes == 0;
}

std::vector<AddressSpace::Part> AddressSpace::mapped_parts(uint64_t gpu_address, uint64_t bytes) const {
  std::vector<Part> parts;
  if (gpu_address >= size_ || bytes > size_ - gpu_address) return parts;
  std::shared_lock lock(mutex_);
  const uint64_t begin = round_down(gpu_address, page_bytes), end = gpu_address + bytes;
  auto it = mappings_.upper_bound(begin);
  if (it != mappings_.begin()) --it;
  for (; it != mappings_.end() && it->first < end; ++it) {
    const uint64_t first = std::max(begin, it->first), last = std::min(round_up(end, page_bytes), it->first + it->second.bytes);
    if (first < last)
      parts.push_back(
          {first, last - first, it->second.file_offset + (first - it->first), it->second.writable, it->second.absent});
  }
  return parts;
}

bool AddressSpace::has_absent(uint64_t gpu_address, uint64_t bytes) const {
  return any_absent_ && std::ranges::any_of(mapped_parts(gpu_address, bytes), &Part::absent);
}

std::optional<Buffer> AddressSpace::find(uint64_t gpu_address) const {
  std::shared_lock lock(mutex_);
  auto it = allocations_.upper_bound(gpu_address);
  if (it == allocations_.begin()) return {};
  const Buffer& buffer = std::prev(it)->second.buffer;
  if (gpu_address - buffer.gpu_address >= buffer.bytes) return {};
  return buffer;
}

std::optional<int64_t> AddressSpace::gpu_address_of(const void* host) const {
  uintptr_t distance = reinterpret_cast<uintptr_t>(host) - reinterpret_cast<uintptr_t>(reservation_);
  if (distance >= reservation_bytes_) return {};
  const int64_t at = int64_t(distance) - int64_t(outside_bytes);
  if (!shifts_) return at;
  if (at < 0 || uint64_t(at) >= window_bytes_) return {};
  std::shared_lock lock(mutex_);
  const uint32_t section = placed_[uint64_t(at) >> section_bits_];
  if (section == no_section) return {};
  return int64_t(uint64_t(section) << section_bits_ | (uint64_t(at) & ((uint64_t(1) << section_bits_) - 1)));
}

uint64_t AddressSpace::meant_address(uint64_t at) const {
  if (!shifts_) return at;
  if (at < window_bytes_) {
    auto gpu = gpu_address_of(base_ + at);
    return gpu ? uint64_t(*gpu) : at;
  }
  const uint64_t unplaced = at - (uint64_t(Sections::none) << 32);
  return unplaced < size_ ? unplaced : at;
}

}  // namespace Atoll
