// One open file of the node: its handles, page tables, contexts and sync objects. What an ioctl answers is 0 or a negative errno.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "drm/buffer.h"
#include "drm/process.h"
#include "drm/ring.h"
#include "drm/syncobj.h"
#include "drm/virtual_memory.h"

namespace Atoll::drm {

// amdgpu: a context has its own rings and is lost alone.
struct Context {
  std::shared_ptr<std::atomic<bool>> lost = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool> told{false};                    // the loss was asked for
  std::map<uint32_t, std::unique_ptr<Ring>> rings;  // by type << 8 | number
  mutable std::mutex mutex;

  Ring* find(uint32_t type, uint32_t number);
};

class File : public std::enable_shared_from_this<File> {
public:
  File(Process& process, uint64_t position) : process_(process), position_(position) {}
  ~File();

  Process& process() const { return process_; }
  Session& session() const { return *process_.session(); }
  uint64_t position() const { return position_; }
  bool primary() const { return position_ & position_primary; }

  int ioctl(unsigned long request, void* argument);
  // What a kernel would grant and Atoll has not got: said when it is first asked for, and counted for the end of `atoll run`.
  // (What a kernel refuses as well, as drivers expect when they try, goes to the log at level info.)
  void lacks(std::string_view what);

  // Handles are this file's; a buffer has one at most.
  uint32_t add_buffer(BufferPtr buffer);
  BufferPtr find_buffer(uint32_t handle) const;
  int close_buffer(uint32_t handle);

  // Created with the first use; null, reported, when the host gives no room.
  std::shared_ptr<VirtualMemory> memory();
  // All of this file's submissions that are not done.
  std::vector<FencePtr> running() const;

  // radeon: room in the GPU's memory for a stream of that size, which no submission uses, and its GPU address.
  struct CommandPlace {
    BufferPtr buffer;
    uint64_t address = 0;
    std::weak_ptr<Buffer> given;  // of a place that is kept: whoever has it now
  };
  CommandPlace command_place(uint64_t bytes);
  // radeon has no contexts: a file has a ring of each kind. What fails there is as a reset: the next submission starts anew.
  Ring& radeon_ring(gpu::QueueKind kind);

  uint32_t add_syncobj(std::shared_ptr<Syncobj> object);
  std::shared_ptr<Syncobj> find_syncobj(uint32_t handle) const;
  bool remove_syncobj(uint32_t handle);

  uint32_t add_context();
  std::shared_ptr<Context> find_context(uint32_t id) const;
  bool remove_context(uint32_t id);

  // Lists of buffers, as AMDGPU_BO_LIST keeps them.
  std::map<uint32_t, std::vector<BufferPtr>> buffer_lists;
  uint32_t next_buffer_list = 1;
  mutable std::mutex lists_mutex;

private:
  Process& process_;
  uint64_t position_;
  mutable std::mutex mutex_;
  std::map<uint32_t, BufferPtr> buffers_;
  std::map<const Buffer*, uint32_t> handles_;
  uint32_t next_handle_ = 1;
  std::shared_ptr<VirtualMemory> memory_;
  bool memory_failed_ = false;
  std::map<uint32_t, std::shared_ptr<Syncobj>> syncobjs_;
  uint32_t next_syncobj_ = 1;
  std::map<uint32_t, std::shared_ptr<Context>> contexts_;
  uint32_t next_context_ = 1;
  Context radeon_;
  std::vector<CommandPlace> command_places_;
};

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

// The ioctls by subject, each a table of numbers and functions.
struct Ioctl {
  unsigned number;
  unsigned bytes;  // of the argument as we know it; a program's may be shorter or longer
  const char* name;
  int (*handle)(File& file, void* argument);
};
std::span<const Ioctl> core_ioctls();
std::span<const Ioctl> syncobj_ioctls();
std::span<const Ioctl> amdgpu_ioctls();
std::span<const Ioctl> radeon_ioctls();

int dma_buf_ioctl(Process& process, uint64_t position, unsigned long request, void* argument);

}  // namespace Atoll::drm
