// One open file of the node: its handles, page tables and sync objects. An ioctl answers 0 or a negative errno.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "drm/core/handle_table.h"
#include "drm/core/process.h"
#include "drm/core/ring.h"
#include "drm/core/syncobj.h"
#include "drm/core/uapi.h"
#include "drm/core/user_memory.h"
#include "drm/core/virtual_memory.h"
#include "drm/session/buffer.h"

namespace Atoll::drm {

class File : public std::enable_shared_from_this<File> {
public:
  File(Process& process, uint64_t position);
  ~File();

  Process& process() const { return process_; }
  Session& session() const { return *process_.session(); }
  uint64_t position() const { return position_; }
  bool primary() const { return position_ & position_primary; }

  int ioctl(unsigned long request, void* argument);
  // A request that a kernel would grant and Atoll cannot: reported when it is first made, and counted for the end of `atoll run`.
  // (Requests that a kernel refuses as well, as drivers expect when they probe, go to the log at level info.)
  void lacks(std::string_view what);

  // Handles are this file's; a buffer has one at most.
  uint32_t add_buffer(BufferPtr buffer);
  BufferPtr find_buffer(uint32_t handle) const;
  int close_buffer(uint32_t handle);

  // Created with the first use; null, reported, when the host gives no room.
  std::shared_ptr<VirtualMemory> memory();
  // The same, but where nothing has used it yet it is one of 48 bits, for programs that use distant addresses.
  std::shared_ptr<VirtualMemory> memory_of_48_bits();
  // All of this file's submissions that are not done.
  std::vector<FencePtr> running() const;

  // The kernel driver's own state of the file (drm/<uapi>/).
  FileState& state() { return *state_; }

  HandleTable<Syncobj>& syncobjs() { return syncobjs_; }

  // Makes a new buffer a copy of the program's memory (user_memory.h).
  void add_user_memory(const BufferPtr& buffer, uint64_t address, uint64_t bytes, bool read_only = false);
  const UserMemories& user_memories() const { return user_memories_; }

private:
  std::shared_ptr<VirtualMemory> memory(bool of_48_bits);

  Process& process_;
  uint64_t position_;
  mutable std::mutex mutex_;
  std::map<uint32_t, BufferPtr> buffers_;
  std::map<const Buffer*, uint32_t> handles_;
  uint32_t next_handle_ = 1;
  std::shared_ptr<VirtualMemory> memory_;
  bool memory_failed_ = false;
  HandleTable<Syncobj> syncobjs_;
  UserMemories user_memories_;
  std::unique_ptr<FileState> state_;
};

// Checks that a buffer may stand for these bytes of the program's memory, and that all its pages can be read. A negative errno if not.
int check_user_memory(uint64_t address, uint64_t bytes);
int probe_user_memory(uint64_t address, uint64_t bytes);

// Reads and writes what an ioctl's argument points to. False: EFAULT.
bool read_user(void* to, uint64_t from, uint64_t bytes);
bool write_user(uint64_t to, const void* from, uint64_t bytes);
template <class T>
bool read_user(std::vector<T>& to, uint64_t from, uint64_t count) {
  constexpr uint64_t most = uint64_t(1) << 24;
  if (count > most / sizeof(T)) return false;
  to.resize(count);
  return count == 0 || read_user(to.data(), from, count * sizeof(T));
}

// True if the thread that calls has that capability (capabilities(7)).
bool has_capability(unsigned number);

int dma_buf_ioctl(Process& process, uint64_t position, unsigned long request, void* argument);

}  // namespace Atoll::drm
