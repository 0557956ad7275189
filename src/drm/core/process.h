// A process's share of a session: the session, the chip, the device (opened at the first use), and the open files of the node.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "drm/session/buffer.h"
#include "drm/session/recording.h"
#include "drm/session/register_usage.h"
#include "gpu/chips/chip.h"
#include "gpu/device/device.h"

namespace Atoll::drm {

class File;
class VirtualMemory;
struct Uapi;

// When the program ends, the process's work is finished before anything that was loaded so far is taken down.
void finish_first();

class Process {
public:
  // `descriptor`: of the session file.
  static Expected<std::shared_ptr<Process>> create(int descriptor, std::string_view gpu);
  ~Process();

  const std::shared_ptr<Session>& session() const { return session_; }
  const gpu::Chip& chip() const { return *chip_; }
  const Uapi& uapi() const { return *uapi_; }

  // The open file with that identity. Files that no descriptor of this process names any more are closed in passing.
  std::shared_ptr<File> file(uint64_t position);
  // Without looking whether descriptors exist, for tests.
  std::shared_ptr<File> open_file(uint64_t position);
  void close_file(uint64_t position);
  // For the child of a fork, which has this thread alone.
  void list_files(std::set<uint64_t>& positions) const {
    for (auto& [position, file] : files_) positions.insert(position);
  }

  // The buffer of an allocation that this process owns already; takes that ownership over.
  BufferPtr adopt(uint32_t index);
  // The buffer of an allocation of whichever process; null when it is gone.
  BufferPtr import(uint32_t index, uint32_t generation);

  // Null, with the reason, for a chip that executes nothing yet.
  Expected<gpu::Device*> device();
  void set_device(std::unique_ptr<gpu::Device> device);
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind kind, VirtualMemory& memory);

  // The memory of a chip without page tables (R5xx): one address space of all memory, GPU address = offset in the session file, below 4 GiB.
  std::shared_ptr<VirtualMemory> physical_memory();

  // Numbers of submissions, over all rings.
  uint64_t begin_submission();
  void end_submission(uint64_t number);
  SharedFence last_submission();
  // Encloses a ring's own work after a submission's end, which finish() waits for too.
  void begin_counting() { counting_.fetch_add(1, std::memory_order_relaxed); }
  void end_counting() { counting_.fetch_sub(1, std::memory_order_release); }
  // The number of times that a ring started anew after a failure.
  uint32_t resets() const { return resets_.load(std::memory_order_relaxed); }
  void count_reset() { resets_.fetch_add(1, std::memory_order_relaxed); }
  bool ending() const { return ending_.load(std::memory_order_relaxed); }
  // The program is about to end: waits a while for running work that others can see, and closes the recording.
  void finish();
  // True if others can see what unfinished submissions do: in shared buffers and memory, or in files that are written about them.
  bool others_see_work();

  // The time that a submission or transfer waits for a sync object's point to be submitted, nanoseconds (Linux drm_syncobj.c,
  // DRM_SYNCOBJ_WAIT_FOR_SUBMIT_TIMEOUT).
  uint64_t submit_wait = 5'000'000'000;

  // Records what the GPU is given, if ATOLL_RECORD names a file; else null.
  const std::shared_ptr<trace::Recorder>& recorder() const { return recorder_; }
  // Counts register writes, if ATOLL_REGISTERS_USED asks for it; else null.
  RegisterUsageFile* register_usage() const { return register_usage_.get(); }
  // The findings of checked programs, if ATOLL_CHECK asks for checks; else null.
  gpu::Findings* findings() const { return findings_.get(); }

private:
  Process() = default;
  void close_unnamed(uint64_t opened);
  bool finish_submissions();  // false if some had to be cut short

  std::shared_ptr<Session> session_;
  std::unique_ptr<Recording> recording_;
  std::shared_ptr<trace::Recorder> recorder_;  // its
  std::unique_ptr<RegisterUsageFile> register_usage_;
  std::shared_ptr<gpu::Findings> findings_;
  const gpu::Chip* chip_ = nullptr;
  const Uapi* uapi_ = nullptr;

  std::mutex files_mutex_;
  std::map<uint64_t, std::shared_ptr<File>> files_;

  std::mutex buffers_mutex_;
  std::map<uint32_t, std::weak_ptr<Buffer>> buffers_;

  std::mutex physical_mutex_;
  std::shared_ptr<VirtualMemory> physical_memory_;
  bool physical_failed_ = false;  // and was said
  std::mutex device_mutex_;
  std::unique_ptr<gpu::Device> device_;
  std::string device_error_;

  std::mutex submissions_mutex_;
  uint64_t last_submission_ = 0;
  std::set<uint64_t> in_flight_;
  std::atomic<bool> ending_{false};
  std::atomic<uint32_t> resets_{0}, counting_{0};
};

}  // namespace Atoll::drm
