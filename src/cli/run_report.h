// The report of `run` when the program has ended: work that reached the GPU, what the GPU did not know, and the counters of --stats.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drm/session/recording.h"
#include "drm/session/session.h"
#include "gpu/device/checks.h"

namespace Atoll::cli {

struct RunReport {
  const char* verb;
  const std::string& gpu;
  const drm::Session& session;
  const std::vector<gpu::Finding>& found;
  int status;                                                     // of the program
  bool goes_on, checked, stats;                                   // some of the program's processes live; --check; --stats
  bool without_desktop = false;                                   // as --display auto chose
  std::optional<uint64_t> frames;                                 // that windows have shown, where they are counted
  double seconds = 0;                                             // that the program ran
  const std::vector<drm::RecordingReport>* recordings = nullptr;  // with --record
};

// The findings of --check in all processes.
std::vector<gpu::Finding> findings_of(const drm::SharedStatistics& statistics);

void report(const RunReport& about);

}  // namespace Atoll::cli
