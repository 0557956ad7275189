// i915's state of an open file: contexts, each with a ring for each of its engines, address spaces, and which buffers are the
// program's own memory.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "drm/core/file.h"

namespace Atoll::drm::i915 {

struct Engine {
  gpu::QueueKind kind = gpu::QueueKind::graphics;
  bool there = true;  // false: a hole in a context's list
};

// The state of a context, shared by the threads that submit for it and that end its submissions.
struct Standing {
  std::atomic<uint32_t> failed{0};  // submissions
  std::atomic<bool> bannable{true};
  // When the last two failed, in nanoseconds, the one before last first; 0: never. A third within two minutes of the first of them bans
  // a context that recovers (Linux i915_gem_context_types.h, hang_timestamp and CONTEXT_FAST_HANG_JIFFIES; gt/intel_reset.c, mark_guilty).
  std::mutex mutex;  // the times
  uint64_t times[2] = {};
  bool is_hang_too_many(uint64_t now) {
    constexpr uint64_t soon = 120'000'000'000;
    std::lock_guard lock(mutex);
    const bool again = times[0] && now - times[0] < soon;
    times[0] = times[1], times[1] = now;
    return again;
  }
};

struct Context {
  std::shared_ptr<VirtualMemory> memory;  // null until it is needed: memory_of()
  std::vector<Engine> engines;            // by the index that submissions name
  bool has_engine_list = false;           // the program gave that list; else engines are named as I915_EXEC_RENDER and so on
  bool recoverable = true;                // another submission may follow one that failed
  bool persistent = true, error_capture = true;
  int64_t priority = 0;
  // Set when nothing is accepted any more; rings of a context that does not recover set it themselves.
  std::shared_ptr<std::atomic<bool>> banned = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<Standing> standing = std::make_shared<Standing>();
  std::map<size_t, std::unique_ptr<Ring>> rings;
  mutable std::mutex mutex;  // rings
};

class Contexts : public FileState {
public:
  static Contexts& of(File& file) { return static_cast<Contexts&>(file.state()); }

  void add_running(std::vector<FencePtr>& fences) const override { drm::add_running(contexts.all(), fences); }
  void forget(const Buffer& buffer, const std::vector<FencePtr>& running) override;

  // 0 is a context that every file has.
  std::shared_ptr<Context> find(uint32_t id) {
    return id ? contexts.find(id) : contexts.find_or_make(0, [] { return std::make_shared<Context>(); });
  }
  HandleTable<Context> contexts;
  HandleTable<VirtualMemory> memories;  // that have a name

  // Null: there is no room for one.
  std::shared_ptr<VirtualMemory> make_memory(File& file);
  // The context's, made if it has none yet.
  std::shared_ptr<VirtualMemory> memory_of(File& file, Context& context);

private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<VirtualMemory>> all_memories_;
};

}  // namespace Atoll::drm::i915
