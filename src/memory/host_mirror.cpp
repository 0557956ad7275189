#include "memory/host_mirror.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <tuple>

#include "memory/fault.h"

namespace Atoll {
namespace {

// User addresses of x86-64 with four levels of page tables (Linux: Documentation/arch/x86/x86_64/mm.rst).
constexpr uint64_t host_limit = (uint64_t(1) << 47) - page_bytes;

// No function that somebody may have replaced, which would have words of its own for a fault (sanitizers).
void copy_string(void* to, const void* from, size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

// Stores only the bytes that differ, so that others, which another thread may have written meanwhile, stay; a dword at once where none
// has. `to` and `now` have the same alignment to dwords.
__attribute__((no_sanitize("address"))) void store_changes(uint8_t* to, const uint8_t* now, const uint8_t* before, size_t bytes) {
  for (size_t i = 0; i < bytes;) {
    uint32_t a, b;
    if (uintptr_t(to + i) % 4 || bytes - i < 4) {
      if (now[i] != before[i]) *const_cast<volatile uint8_t*>(to + i) = now[i];
      i++;
      continue;
    }
    __builtin_memcpy(&a, now + i, 4);
    __builtin_memcpy(&b, before + i, 4);
    if (a != b) {
      auto* dword = reinterpret_cast<volatile uint32_t*>(to + i);
      if (*dword == b)
        *dword = a;
      else
        for (size_t n = i; n < i + 4; n++)
          if (now[n] != before[n]) *const_cast<volatile uint8_t*>(to + n) = now[n];
    }
    i += 4;
  }
}
bool store_host_changes(uint8_t* to, const uint8_t* now, const uint8_t* before, size_t bytes) {
  FaultRecovery recovery;
  if (sigsetjmp(recovery.environment, 0) != 0) return false;
  recovery.activate();
  store_changes(to, now, before, bytes);
  recovery.deactivate();
  return true;
}

}  // namespace

Expected<std::vector<HostRange>> readable_host_ranges() {
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/proc/self/maps", "re"), std::fclose);
  if (!file) return fail("/proc/self/maps cannot be read, which tells what memory this process has: mount /proc");
  std::vector<HostRange> ranges;
  std::vector<char> line(4096 + 256);
  while (std::fgets(line.data(), int(line.size()), file.get())) {
    unsigned long start = 0, end = 0;
    char rights[5] = {};
    if (std::sscanf(line.data(), "%lx-%lx %4s", &start, &end, rights) != 3 || rights[0] != 'r' || end > host_limit) continue;
    const bool writable = rights[1] == 'w';
    if (!ranges.empty() && ranges.back().end() == start && ranges.back().writable == writable)
      ranges.back().bytes += end - start;
    else
      ranges.push_back({start, end - start, writable});
  }
  return ranges;
}

bool copy_host_bytes(void* to, const void* from, size_t bytes) {
  FaultRecovery recovery;
  if (sigsetjmp(recovery.environment, 0) != 0) return false;
  recovery.activate();
  copy_string(to, from, bytes);
  recovery.deactivate();
  return true;
}

HostMirror::~HostMirror() {
  for (auto& [start, pages] : pages_) {
    std::ignore = space_.unmap(start, pages.bytes);
    space_.memory().release(pages.file_offset, pages.bytes);
  }
}

bool HostMirror::contains(uint64_t address) const {
  auto after = pages_.upper_bound(address);
  return after != pages_.begin() && address - std::prev(after)->first < std::prev(after)->second.bytes;
}

HostRange HostMirror::free_around(uint64_t address, uint64_t low, uint64_t high) const {
  auto after = pages_.upper_bound(address);
  if (after != pages_.end()) high = std::min(high, after->first);
  if (after != pages_.begin()) low = std::max(low, std::prev(after)->first + std::prev(after)->second.bytes);
  return {low, high > low ? high - low : 0, false};
}

// Maps the pages of the run that are not mapped yet, and sets the access rights of those that are.
Expected<void> HostMirror::map_pages(uint64_t start, uint64_t end, bool writable) {
  for (uint64_t at = start; at < end;) {
    auto after = pages_.upper_bound(at);
    const bool there = after != pages_.begin() && at - std::prev(after)->first < std::prev(after)->second.bytes;
    if (!there) {
      const uint64_t to = after == pages_.end() ? end : std::min(end, after->first), bytes = to - at;
      auto offset = space_.memory().allocate(bytes);
      if (!offset) return std::unexpected(offset.error());
      if (auto mapped = space_.map(at, *offset, bytes, writable); !mapped) {
        space_.memory().release(*offset, bytes);
        return mapped;
      }
      pages_.emplace(at, Pages{bytes, *offset, writable});
      bytes_ += bytes, at = to;
      continue;
    }
    auto run = std::prev(after);
    const uint64_t run_end = run->first + run->second.bytes, to = std::min(end, run_end);
    if (writable && !run->second.writable) {
      // The run is cut where rights change.
      const uint64_t first = run->first;
      const Pages old = run->second;
      if (auto mapped = space_.map(at, old.file_offset + (at - first), to - at, true); !mapped) return mapped;
      pages_.erase(run);
      if (at > first) pages_.emplace(first, Pages{at - first, old.file_offset, false});
      pages_.emplace(at, Pages{to - at, old.file_offset + (at - first), true});
      if (to < run_end) pages_.emplace(to, Pages{run_end - to, old.file_offset + (to - first), false});
    }
    at = to;
  }
  return {};
}

// Through the file: pages may be there for reading alone.
bool HostMirror::fill(uint64_t start, const std::vector<uint8_t>& bytes) {
  for (uint64_t done = 0; done < bytes.size();) {
    auto run = std::prev(pages_.upper_bound(start + done));
    const uint64_t in_run = start + done - run->first;
    const ssize_t written =
        ::pwrite(space_.memory().descriptor(), bytes.data() + done, std::min(bytes.size() - done, run->second.bytes - in_run),
                 off_t(run->second.file_offset + in_run));
    if (written <= 0) return false;
    done += uint64_t(written);
  }
  return true;
}

Expected<void> HostMirror::add(const HostRange& range) {
  if (range.bytes == 0) return {};
  if (range.start < page_bytes || range.start >= host_limit || range.bytes > host_limit - range.start)
    return fail("{} bytes at {:#x} are no memory that a process can have", range.bytes, range.start);
  std::vector<uint8_t> bytes(range.bytes);
  if (!copy_host_bytes(bytes.data(), reinterpret_cast<const void*>(range.start), range.bytes))
    return fail("not all of {} bytes at {:#x} can be read", range.bytes, range.start);
  if (auto mapped = map_pages(round_down(range.start, page_bytes), round_up(range.end(), page_bytes), range.writable); !mapped)
    return mapped;
  if (!fill(range.start, bytes)) return fail("the GPU's memory cannot be filled: {}", std::strerror(errno));
  if (!range.writable) bytes = {};
  parts_.push_back({range, std::move(bytes)});
  return {};
}

void HostMirror::restore() {
  for (Part& part : parts_)
    if (part.range.writable) std::memcpy(space_.host(part.range.start), part.before.data(), part.range.bytes);
}

Expected<void> HostMirror::write_back() {
  Expected<void> result;
  for (const Part& part : parts_) {
    if (!part.range.writable) continue;
    const uint8_t *now = space_.host(part.range.start), *before = part.before.data();
    for (uint64_t at = 0, end; at < part.range.bytes; at = end) {
      end = std::min(part.range.bytes, round_down(part.range.start + at + page_bytes, page_bytes) - part.range.start);
      if (!std::memcmp(now + at, before + at, end - at)) continue;
      if (!store_host_changes(reinterpret_cast<uint8_t*>(part.range.start + at), now + at, before + at, end - at) && result)
        result = fail("{} bytes at {:#x} can no longer be written", end - at, part.range.start + at);
    }
  }
  return result;
}

}  // namespace Atoll
