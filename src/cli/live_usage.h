// `run --registers-used FILE`: a report on what a session's processes write, while they run and at their end.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "base/expected.h"
#include "registers/lookup.h"

namespace Atoll::cli {

class LiveUsage {
public:
  // Makes the folder that processes write into, and sees whether the report can be written to `file`.
  static Expected<std::unique_ptr<LiveUsage>> start(std::string file, const registers::Family& family, std::string gpu);
  ~LiveUsage();

  // For ATOLL_REGISTERS_USED.
  const std::string& folder() const { return folder_; }
  // The final report, when all have ended.
  Expected<void> finish();

private:
  LiveUsage(std::string file, std::string folder, const registers::Family& family, std::string gpu);
  Expected<void> write(bool last);

  const std::string file_, folder_, gpu_;
  const registers::Family& family_;
  std::string written_;  // the last report
  std::atomic<bool> ends_{false};
  std::thread writer_;
};

}  // namespace Atoll::cli
