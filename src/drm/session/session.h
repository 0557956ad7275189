// The memory and the tables that the processes of a session share: one sparse file (session_file.h) with a robust lock, so that a
// process that dies in the middle of anything takes only its own buffers with it. The kernel tells who lives, and which dma-bufs
// still have a descriptor: byte locks on the file belong to open file descriptions (fcntl(2), F_OFD_SETLK).
#pragma once
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "drm/session/session_file.h"
#include "gpu/device/device.h"
#include "memory/memory_file.h"

namespace Atoll::drm {

inline constexpr uint32_t max_processes = 256;
inline constexpr uint32_t max_allocations = 65535;
inline constexpr uint32_t no_allocation = 0;

// All submissions of a process up to a number, as another process waits for them.
struct SharedFence {
  uint32_t process = 0;  // slot
  uint32_t generation = 0;
  uint64_t submission = 0;  // 0: none
};

// One fence as other processes see it, apart from the others of its process: a cell of the session's table (sync_table.h), which is this
// fence as long as it has that serial number. Serial 0: done.
struct CellName {
  uint64_t serial = 0;
  uint32_t index = 0;
};

// The processes' common knowledge of a buffer that they share.
struct SharedAllocation {
  uint64_t offset, bytes;  // in the session file, whole pages
  uint64_t asked_bytes, alignment, domains, flags;
  uint64_t owners[max_processes / 64];  // one bit a process slot
  uint32_t next;                        // in the order of offsets; 0 ends the list
  uint32_t generation;                  // counts how often the entry was given out
  uint8_t used, shared;                 // shared: was exported or named once
  uint32_t radeon_tiling, radeon_pitch;
  uint64_t metadata_flags, tiling_info;  // amdgpu: GEM_METADATA
  uint32_t metadata_bytes, metadata[64];
  SharedFence fences[8];
  CellName cells[8];  // of sync files that were put into it
};

// Counters of everything that runs in the session.
struct SharedStatistics {
  std::atomic<uint64_t> opened, submissions, failed, packets, draws, dispatches, waves, instructions, compiled, called,
      interpreted, vertices, primitives, pixels, run_nanoseconds, compile_nanoseconds, shaders_unwritten, code_found,
      code_missing, code_refused;  // of all code that was looked for on disk
  struct Unknown {
    char what[96], where[96];
    uint64_t times;
  } unknown[128];
  // Requests of programs that Atoll cannot grant.
  struct Refused {
    char what[120];
    uint64_t times;
  } refused[32];
  // Failures of submissions, of a kind together: `why` is the first one's report.
  struct Lost {
    char why[240];
    uint64_t kind, times;
  } lost[32];
  // The findings of ATOLL_CHECK, in their order; there was no room for `more` of them.
  struct Found {
    char text[1000];
    uint64_t program, times;
  } found[200];
  uint64_t found_more;
};

// Memories of a chip that are one open file's at a time (R5xx: drm/radeon/info.cpp).
enum class Exclusive : uint8_t { hierarchical_depth, colour_masks, count };

// The owner: a node's position, as seen by the process that asked.
struct SharedOwner {
  SharedFence process;
  uint64_t position;  // 0: nobody
};

struct Control;
struct SharedRecordings;  // drm/session/recording.h
struct SyncTable;         // drm/session/sync_table.h

class Session : public MemoryFile {
public:
  // `descriptor` is of the session file and stays the caller's.
  static Expected<std::shared_ptr<Session>> open(int descriptor);
  // A file for a new session, for whoever names it to others.
  static Expected<int> create_file();
  ~Session() override;

  struct Request {
    uint64_t bytes = 0, asked_bytes = 0, alignment = page_bytes;  // bytes: whole pages
    uint64_t begin = 0, end = 0;                                  // the part of the file it may lie in
    uint64_t domains = 0, flags = 0;
    uint64_t most = UINT64_MAX;  // bytes that all allocations in that part may have together
  };
  // Zeroed memory that this process owns. An error: there is no memory left.
  Expected<uint32_t> allocate(const Request& request);
  // Makes this process an owner of an allocation of another one; false when it is gone.
  bool own(uint32_t index, uint32_t generation);
  // This process does not need it any longer.
  void disown(uint32_t index);
  // The entry, whose fixed part (offset to flags, generation) an owner may read at any time.
  SharedAllocation& allocation(uint32_t index) const;
  // Bytes of all allocations whose domains have one of these bits.
  uint64_t used_bytes(uint64_t domains) const;

  // A dma-buf of an allocation that this process owns: it lives as long as any descriptor of it does.
  Expected<int> export_dma_buf(uint32_t index, bool close_on_exec);
  // The allocation behind a dma-buf's position; null when there is none. The dma-buf's descriptor keeps it alive.
  const SharedAllocation* find_dma_buf(uint64_t position, uint32_t& index) const;

  // Is it a descriptor of this session's file?
  bool is_own(int descriptor) const;

  // The sync objects and single fences that processes share (sync_table.cpp).
  SyncTable& sync_table() const;
  Expected<int> export_syncobj(uint32_t index, uint32_t generation);
  bool has_descriptor_of_syncobj(uint32_t index) const;
  // A new cell of this process, not done; nothing when there is no room.
  std::optional<CellName> make_cell();
  void finish(const CellName& cell);
  bool is_done(const CellName& cell) const;
  bool is_alive(const CellName& cell) const;

  // Holds the lock of the table, for the changeable part of an entry.
  class Lock {
  public:
    explicit Lock(const Session& session);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

  private:
    const Session& session_;
  };

  // Submissions of this process, numbered from 1. `completed`: all below that number are done.
  SharedFence fence_of(uint64_t submission) const { return {slot_, generation_, submission}; }
  void set_completed_below(uint64_t submission);
  bool is_done(const SharedFence& fence) const;
  // Is the process of the fence alive? Its work counts as done when it is not.
  bool is_alive(const SharedFence& fence) const;
  bool is_alive_slot(uint32_t slot) const;

  // Something was completed, in any process: everybody who waits checks again.
  uint32_t events() const;
  void notify();
  // Sleeps until events() is no longer `seen`, or until the deadline (CLOCK_MONOTONIC nanoseconds).
  void wait(uint32_t seen, uint64_t deadline) const;

  // The first file that asks gets it, and has it until it gives it back or its process ends. True if it has it now.
  bool take(Exclusive what, uint64_t position);
  void give_back(Exclusive what, uint64_t position);
  void give_back_all(uint64_t position);  // what this process took
  bool has(Exclusive what, uint64_t position) const;

  SharedStatistics& statistics() const;
  SharedRecordings& recordings() const;
  void add_finding(const gpu::Finding& finding);
  void count_unknown(const gpu::Statistics::Unknown& unknown, uint64_t times);
  // How often the session was asked for it before.
  uint64_t count_refused(std::string_view what);
  // How often a submission of the session failed before by a report like it: the same but for numbers.
  uint64_t count_lost(std::string_view why);

  // MemoryFile
  Expected<uint64_t> allocate(uint64_t bytes) override;
  void release(uint64_t offset, uint64_t bytes) override;
  uint64_t allocated_bytes() const override;

private:
  explicit Session(int fd) : MemoryFile(fd) {}
  Expected<void> attach();
  void free_unreachable() const;
  void unlink(uint32_t index, uint32_t previous) const;
  void reap() const;
  bool holds_lock(uint64_t byte, short kind) const;
  Expected<int> make_descriptor(uint64_t position, uint64_t lock, bool close_on_exec) const;

  Control* control_ = nullptr;
  uint32_t slot_ = 0, generation_ = 0;
};

uint64_t monotonic_nanoseconds();

}  // namespace Atoll::drm
