#include "wave/jit/code_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace Atoll::wave {
namespace {

constexpr size_t slab_bytes = size_t(4) << 20, granule = 64;

}  // namespace

CodeMemory::~CodeMemory() {
  for (const Slab& slab : slabs_) {
    munmap(slab.written, slab.bytes);
    munmap(slab.executed, slab.bytes);
  }
}

Expected<CodeMemory::Block> CodeMemory::allocate(size_t bytes) {
  bytes = (bytes + granule - 1) / granule * granule;
  for (Slab& slab : slabs_)
    for (auto hole = slab.free.begin(); hole != slab.free.end(); ++hole) {
      auto [offset, length] = *hole;
      if (length < bytes) continue;
      slab.free.erase(hole);
      if (length > bytes) slab.free[offset + bytes] = length - bytes;
      return Block{slab.written + offset, slab.executed + offset, bytes};
    }
  size_t all = (bytes + slab_bytes - 1) / slab_bytes * slab_bytes;
  int file = memfd_create("atoll-code", MFD_CLOEXEC);
  if (file < 0) return fail("no memory for compiled code: memfd_create: {}", std::strerror(errno));
  void* views[2] = {MAP_FAILED, MAP_FAILED};
  if (ftruncate(file, off_t(all)) == 0) {
    views[0] = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    views[1] = mmap(nullptr, all, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  }
  int why = errno;
  close(file);
  if (views[0] == MAP_FAILED || views[1] == MAP_FAILED) {
    for (void* view : views)
      if (view != MAP_FAILED) munmap(view, all);
    return fail("no memory for compiled code: mmap: {}", std::strerror(why));
  }
  // A child process would write its code over its parent's.
  for (void* view : views) madvise(view, all, MADV_DONTFORK);
  slabs_.push_back({static_cast<uint8_t*>(views[0]), static_cast<uint8_t*>(views[1]), all, {{0, all}}});
  return allocate(bytes);
}

void CodeMemory::release(const Block& block) {
  for (Slab& slab : slabs_) {
    if (block.written < slab.written || block.written >= slab.written + slab.bytes) continue;
    auto hole = slab.free.emplace(size_t(block.written - slab.written), block.bytes).first;
    auto after = std::next(hole);
    if (after != slab.free.end() && hole->first + hole->second == after->first)
      hole->second += after->second, slab.free.erase(after);
    if (hole != slab.free.begin()) {
      auto before = std::prev(hole);
      if (before->first + before->second == hole->first) before->second += hole->second, slab.free.erase(hole);
    }
    if (slab.empty()) give_back_empty();
    return;
  }
}

// Keeps the smallest of the empty slabs: a large one was for one large block.
void CodeMemory::give_back_empty() {
  auto kept = slabs_.end();
  for (auto slab = slabs_.begin(); slab != slabs_.end(); ++slab)
    if (slab->empty() && (kept == slabs_.end() || slab->bytes < kept->bytes)) kept = slab;
  const uint8_t* kept_at = kept == slabs_.end() ? nullptr : kept->written;
  std::erase_if(slabs_, [&](const Slab& slab) {
    if (!slab.empty() || slab.written == kept_at) return false;
    munmap(slab.written, slab.bytes);
    munmap(slab.executed, slab.bytes);
    return true;
  });
}

size_t CodeMemory::bytes() const {
  size_t sum = 0;
  for (const Slab& slab : slabs_) sum += slab.bytes;
  return sum;
}

}  // namespace Atoll::wave
