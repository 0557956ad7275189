// ATOLL_REGISTERS_USED: which registers this process's drivers write, counted as they are submitted.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "trace/submitted_streams.h"

namespace Atoll::drm {

class RegisterUsageFile {
public:
  // Null if the variable is not set, or if the GPU's streams cannot be read (which is reported).
  static std::unique_ptr<RegisterUsageFile> start(std::string_view gpu);

  // From any ring's thread, before the submission runs. The file is written anew once a second at most.
  void submission(gpu::QueueKind kind, const AddressSpace& space, std::span<const gpu::CommandBuffer> buffers);
  // The program is about to end: nothing follows.
  void finish();

private:
  RegisterUsageFile(const registers::Family& family, std::string gpu, std::string file);
  void write(bool finished);

  trace::RegisterUsage usage_;
  const std::string file_;
  std::atomic<uint64_t> next_write_{0};  // nanoseconds
  std::atomic<bool> failed_{false};
};

}  // namespace Atoll::drm
