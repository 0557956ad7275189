// Writes a recording while a driver works. Submissions run one at a time while it does: between begin_submission() and
// end_submission() nothing else of the process's GPU runs, so that what the GPU wrote and what the CPU wrote can be told apart by
// comparing every mapped page before and after. Pages that the program has mapped may change under its hands while the GPU runs:
// what they hold afterwards is written down rather than compared.
#pragma once
#include <condition_variable>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gpu/device/device.h"
#include "trace/format.h"

namespace Atoll::trace {

class Recorder {
public:
  // `memory` is what all address spaces map pages of.
  static Expected<std::unique_ptr<Recorder>> create(const std::string& path, std::string_view gpu, const MemoryFile& memory);
  ~Recorder();

  unsigned add_space(uint64_t window_bytes);
  void map(unsigned space, uint64_t gpu_address, uint64_t file_offset, uint64_t bytes, bool writable);
  void unmap(unsigned space, uint64_t gpu_address, uint64_t bytes);
  // The program may write these pages whenever it likes (it has mapped them).
  void cpu_visible(uint64_t file_offset, uint64_t bytes);
  unsigned add_queue(gpu::QueueKind kind, unsigned space);
  void mmio_write(uint32_t address, uint32_t value);

  // Waits for the submission before; writes what the CPU changed and the submission.
  void begin_submission(unsigned queue, std::span<const gpu::CommandBuffer> buffers);
  // `lost`: the report, if the context was lost with it.
  void end_submission(const std::string& lost = {});

  // Why the file is not whole, or empty.
  std::string error() const;

private:
  Recorder() = default;
  struct Range {
    uint64_t begin, end;  // pages
  };
  std::vector<Range> mapped_pages() const;
  template <class Visit>
  void changed_pages(Visit visit);

  mutable std::mutex mutex_;
  std::condition_variable idle_;
  bool running_ = false;
  std::string path_, error_;
  std::unique_ptr<Writer> writer_;
  int descriptor_ = -1;
  const uint8_t* view_ = nullptr;
  uint64_t view_bytes_ = 0;
  uint64_t zero_hash_ = 0;
  std::vector<uint64_t> hashes_;   // by page; as last seen
  std::vector<bool> cpu_visible_;  // by page
  unsigned spaces_ = 0, queues_ = 0;
  struct Mapping {
    uint64_t file_offset, bytes;
  };
  std::map<std::pair<unsigned, uint64_t>, Mapping> mappings_;  // by space and GPU address

  bool view_all(uint64_t bytes);
  void write_pages(const Bytes& runs);
};

}  // namespace Atoll::trace
