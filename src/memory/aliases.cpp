#include "memory/aliases.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ranges>
#include <tuple>

namespace Atoll {
namespace {

// Aliases of nothing have their own pages. In the memory file they would lie here, beyond its end.
constexpr uint64_t beyond_the_file = uint64_t(1) << 46;

struct Registry {
  std::mutex mutex;
  std::map<const AddressSpace*, std::weak_ptr<Aliases>> all;
};
Registry& registry() {
  [[clang::no_destroy]] static Registry one;
  return one;
}

bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) { return a < b + b_bytes && b < a + a_bytes; }

}  // namespace

std::atomic<bool> Aliases::there_are_some{false};

std::shared_ptr<Aliases> Aliases::of(AddressSpace& space) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  std::weak_ptr<Aliases>& known = r.all[&space];
  if (auto found = known.lock()) return found;
  std::shared_ptr<Aliases> made(new Aliases(space));
  known = made;
  there_are_some = true;
  return made;
}

std::vector<uint8_t> Aliases::nothing_in(const AddressSpace& space, uint64_t gpu_address, uint64_t bytes, unsigned page_shift) {
  const uint64_t first = gpu_address >> page_shift, last = bytes ? (gpu_address + bytes - 1) >> page_shift : first;
  std::vector<uint8_t> pages(last - first + 1);
  std::shared_ptr<Aliases> aliases;
  {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    if (auto found = r.all.find(&space); found != r.all.end()) aliases = found->second.lock();
  }
  if (!aliases) return pages;
  std::unique_lock lock(aliases->mutex_);
  auto at = aliases->made_.upper_bound(gpu_address);
  if (at != aliases->made_.begin()) --at;
  for (; at != aliases->made_.end() && at->first < gpu_address + bytes; ++at) {
    const Alias& a = at->second.alias;
    if (a.target != Alias::nothing || !overlap(a.gpu_address, a.bytes, gpu_address, bytes)) continue;
    for (uint64_t n = std::max(a.gpu_address >> page_shift, first); n <= std::min((a.end() - 1) >> page_shift, last); n++)
      pages[n - first] = 255;
  }
  return pages;
}

Aliases::~Aliases() {
  {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    if (auto found = r.all.find(&space_); found != r.all.end() && found->second.expired()) r.all.erase(found);
    there_are_some = !r.all.empty();
  }
  for (const Made& made : std::views::values(made_)) std::ignore = space_.unmap(made.alias.gpu_address, made.alias.bytes);
}

void Aliases::Change::begin(const AddressSpace& space, uint64_t gpu_address, uint64_t bytes) {
  {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    auto found = r.all.find(&space);
    if (found == r.all.end()) return;
    aliases_ = found->second.lock();
  }
  if (!aliases_) return;
  lock_ = std::unique_lock(aliases_->mutex_);
  aliases_->end(gpu_address, bytes);
}

void Aliases::end(uint64_t gpu_address, uint64_t bytes) {
  if (changing_) return;
  changing_ = true;
  std::erase_if(made_, [&](const auto& entry) {
    const Alias& a = entry.second.alias;
    if (!overlap(a.gpu_address, a.bytes, gpu_address, bytes) &&
        (a.target == Alias::nothing || !overlap(a.target, a.bytes, gpu_address, bytes)))
      return false;
    std::ignore = space_.unmap(a.gpu_address, a.bytes);
    return true;
  });
  std::erase_if(nothing_, [&](const auto& range) { return !is_alias(range.first); });
  changing_ = false;
}

bool Aliases::is_alias(uint64_t gpu_address) const {
  auto after = made_.upper_bound(gpu_address);
  return after != made_.begin() && std::prev(after)->second.alias.end() > gpu_address;
}

Expected<void> Aliases::stand_for_memory(const Alias& alias) {
  uint64_t mapped = 0;
  for (const AddressSpace::Part& part : space_.mapped_parts(alias.target, alias.bytes)) {
    if (is_alias(part.gpu_address)) continue;
    const uint64_t at = alias.gpu_address + (part.gpu_address - alias.target);
    if (auto done = space_.map(at, part.file_offset, part.bytes, part.writable); !done) return done;
    mapped += part.bytes;
  }
  if (mapped) made_[alias.gpu_address] = {alias, mapped == alias.bytes};
  return {};
}

Expected<void> Aliases::stand_for_nothing(const Alias& alias) {
  const Sections sections = space_.sections();
  auto may_have_place = [&](uint64_t section) {
    if (!sections.shifts || sections.shifts[section] != Sections::none) return true;
    unsigned free = 0;
    for (unsigned n = 0; n < Sections::places; n++) free += sections.placed[n] == Sections::no_section;
    return free > Sections::places / 4;
  };
  const uint64_t section_bytes = sections.shifts ? uint64_t(1) << sections.bits : space_.size();
  for (uint64_t end = alias.end(), begin; end > alias.gpu_address; end = begin) {
    begin = std::max(alias.gpu_address, (end - 1) / section_bytes * section_bytes);
    if (!may_have_place(begin / section_bytes)) continue;
    if (auto done = space_.map(begin, beyond_the_file, end - begin); !done) return done;
    uint8_t* const at = space_.host(begin);
    if (::mmap(at, end - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) ==
        MAP_FAILED)
      return fail("cannot map {} bytes at GPU address {:#x}: {}", end - begin, begin, std::strerror(errno));
    ::madvise(at, end - begin, MADV_NOHUGEPAGE);  // (what is written is dropped soon)
    nothing_.emplace_back(begin, end - begin);
  }
  made_[alias.gpu_address] = {alias, true};
  return {};
}

Expected<void> Aliases::set(uint64_t gpu_address, uint64_t bytes, std::span<const Alias> wanted) {
  std::unique_lock lock(mutex_);
  changing_ = true;
  auto is_wanted = [&](const Alias& alias) {
    auto at = std::ranges::lower_bound(wanted, alias.gpu_address, {}, &Alias::gpu_address);
    return at != wanted.end() && *at == alias;
  };
  std::erase_if(made_, [&](const auto& entry) {
    const auto& [alias, whole] = entry.second;
    if (!overlap(alias.gpu_address, alias.bytes, gpu_address, bytes) || (whole && is_wanted(alias))) return false;
    std::ignore = space_.unmap(alias.gpu_address, alias.bytes);
    return true;
  });
  std::erase_if(nothing_, [&](const auto& range) { return !is_alias(range.first); });
  Expected<void> done;
  for (bool memory : {true, false})
    for (const Alias& alias : wanted)
      if (done && (alias.target != Alias::nothing) == memory && !made_.contains(alias.gpu_address))
        done = memory ? stand_for_memory(alias) : stand_for_nothing(alias);
  changing_ = false;
  return done;
}

void Aliases::drop_writes() {
  std::unique_lock lock(mutex_);
  for (const auto& [at, bytes] : nothing_) ::madvise(space_.host(at), bytes, MADV_DONTNEED);
}

}  // namespace Atoll
