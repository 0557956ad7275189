// Writes a recording while a driver works. Submissions run one at a time while it does: between begin_submission() and
// end_submission() nothing else of the process's GPU runs, so that what the GPU wrote and what the CPU wrote can be told apart by
// comparing every mapped page before and after; of a GPU without page tables, every page of the submission's buffers. Pages that
// the program has mapped may change while the GPU runs: their contents afterwards are recorded rather than compared.
#pragma once
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/device/device.h"
#include "trace/writer.h"

namespace Atoll::trace {

// How far a recording is, for whoever watches it, perhaps from another process. It begins with zeros.
struct Progress {
  std::atomic<uint64_t> submissions;  // that are whole in the file
  std::atomic<uint64_t> bytes;        // of the file up to there
  std::atomic<uint32_t> marked;       // the mark at the end follows them
};

class Recorder {
public:
  // `memory` is the file whose pages all address spaces map. Nothing may exist at `path` (else errno is EEXIST).
  static Expected<std::unique_ptr<Recorder>> create(const std::string& path, std::string_view gpu, const MemoryFile& memory,
                                                    Progress* progress = nullptr);
  ~Recorder();

  unsigned add_space(uint64_t window_bytes);
  void map(unsigned space, uint64_t gpu_address, uint64_t file_offset, uint64_t bytes, bool writable, bool absent = false);
  void unmap(unsigned space, uint64_t gpu_address, uint64_t bytes);
  // These pages may change at any time: the program has mapped them, or they belong to another process's GPU.
  void cpu_visible(uint64_t file_offset, uint64_t bytes);
  unsigned add_queue(gpu::QueueKind kind, unsigned space);
  void mmio_write(uint32_t address, uint32_t value);

  struct FileRange {
    uint64_t offset, bytes;
  };
  // Waits for the submission before; writes what the CPU changed and the submission. `reaches`: what it may use of the memory,
  // where that is less than its address space maps (a GPU without page tables sees the memory of all programs). `polled`: the program
  // sees its end in memory, and may have written over its results before they are recorded.
  void begin_submission(unsigned queue, std::span<const gpu::CommandBuffer> buffers,
                        const std::optional<std::vector<FileRange>>& reaches = std::nullopt, bool polled = false);
  // `lost`: the report, if the context was lost with it.
  void end_submission(const std::string& lost = {});

  // Nothing more is submitted: sets the mark at the end, unless a submission runs. Recording may go on all the same; then the
  // mark has to be set again. False: the file is not whole; see error().
  bool finish();
  // The file has this name now.
  void moved_to(const std::string& path);

  // Why the file is not whole, or empty.
  std::string error() const;

private:
  Recorder() = default;
  struct Range {
    uint64_t begin, end;  // pages
  };
  std::vector<Range> mapped_pages() const;
  static std::vector<Range> joined(std::vector<Range> ranges);
  bool is_reached(uint64_t page) const;
  template <class Visit>
  void changed_pages(const std::vector<Range>& ranges, Visit visit);

  mutable std::mutex mutex_;
  std::condition_variable idle_;
  bool running_ = false;
  std::string path_, error_;
  Progress none_{};
  Progress* progress_ = &none_;
  std::unique_ptr<Writer> writer_;
  int descriptor_ = -1;
  const uint8_t* view_ = nullptr;
  uint64_t view_bytes_ = 0;
  uint64_t zero_hash_ = 0;
  // By page, as last seen. The file is much larger than what is used of it, so they are kept for 512 pages at a time.
  static constexpr uint64_t block_pages = 512;
  std::unordered_map<uint64_t, std::vector<uint64_t>> hashes_;
  uint64_t& hash_of(uint64_t page);
  std::vector<bool> cpu_visible_;  // by page
  unsigned spaces_ = 0, queues_ = 0;
  struct Mapping {
    uint64_t file_offset, bytes;
  };
  std::map<unsigned, std::map<uint64_t, Mapping>> mappings_;  // by space and GPU address
  // The memory that the running submission may use.
  std::vector<Range> reached_;
  bool reaches_all_mapped_ = true;  // that is all that was mapped when it began

  bool view_all(uint64_t bytes);
  bool failed() const { return !error_.empty(); }
  void flush();
};

}  // namespace Atoll::trace
