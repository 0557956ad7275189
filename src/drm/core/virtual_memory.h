// The GPU's page tables of one open file, as GEM_VA changes them: for the driver at once, for the GPU in the order of the
// file's submissions. An unmapping that is asked for while submissions run takes effect when they are done (Linux
// drivers/gpu/drm/amd/amdgpu/amdgpu_vm.c, amdgpu_vm_clear_freed).
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "drm/session/buffer.h"
#include "memory/address_space.h"
#include "trace/recorder.h"

namespace Atoll::drm {

class Process;

class VirtualMemory {
public:
  // Null, reported, where there is no space.
  static std::shared_ptr<VirtualMemory> create(Process& process, Expected<std::unique_ptr<AddressSpace>> space);
  // `recorder` may be null.
  VirtualMemory(std::shared_ptr<Session> session, std::unique_ptr<AddressSpace> space, std::shared_ptr<trace::Recorder> recorder)
      : session_(std::move(session)), space_(std::move(space)), recorder_(std::move(recorder)) {
    if (recorder_) recorded_space_ = recorder_->add_space(space_->size());
  }

  AddressSpace& space() { return *space_; }
  unsigned recorded_space() const { return recorded_space_; }  // its number in the recording

  // Whole pages. 0 or a negative errno: EINVAL where something is mapped already, ENOENT where that buffer is not. `running`
  // are the file's submissions that are not done.
  int map(const BufferPtr& buffer, uint64_t address, uint64_t offset, uint64_t bytes, bool writable,
          const std::vector<FencePtr>& running, bool absent = false);
  // Addresses of a partially resident resource without memory. On hardware, reads give 0 there and writes are dropped;
  // here private pages are mapped, which keep what is written to them until drop_writes() (`replaces`: in place of what is mapped), and
  // which accesses that ask for residency know (AddressSpace::map, `absent`).
  int map_nothing(uint64_t address, uint64_t bytes, bool replaces, const std::vector<FencePtr>& running);
  // Pages of map_nothing() read as 0 again: before each submission.
  void drop_writes();
  int unmap(const BufferPtr& buffer, uint64_t address, const std::vector<FencePtr>& running);
  int clear(uint64_t address, uint64_t bytes, const std::vector<FencePtr>& running);
  void unmap_all(const Buffer& buffer, const std::vector<FencePtr>& running);
  // The address at which the whole buffer is mapped, or 0.
  uint64_t find(const Buffer& buffer) const;
  // Is it mapped there, whole?
  bool is_mapped(const Buffer& buffer, uint64_t address) const;

  // A submission takes the mark when it is queued, and applies the changes up to it before it runs.
  uint64_t mark();
  void bring_to(uint64_t mark);
  // Carries out the changes that may be: after a submission is done.
  void apply_ready();

private:
  struct Mapping {
    uint64_t bytes, offset;  // offset in the buffer
    BufferPtr buffer;
    bool writable;
  };
  struct Change {
    bool maps;
    uint64_t address, bytes, file_offset;
    bool writable, absent;
    BufferPtr buffer;  // alive until nothing maps it any more
    std::vector<FencePtr> after;
  };

  void change(Change change);
  void carry_out(const Change& change);
  void apply_ready_locked();

  std::shared_ptr<Session> session_;
  std::unique_ptr<AddressSpace> space_;
  std::shared_ptr<trace::Recorder> recorder_;
  unsigned recorded_space_ = 0;
  mutable std::mutex mutex_;
  std::map<uint64_t, Mapping> mappings_;        // as the driver sees it
  std::deque<Change> changes_;                  // not carried out yet
  std::vector<std::weak_ptr<Buffer>> nothing_;  // behind pages of map_nothing()
  uint64_t carried_out_ = 0, last_map_ = 0;
};

}  // namespace Atoll::drm
