// The recordings of a session: each process that has the GPU writes one of its own, and a table in the session's memory has
// the name and progress of all of them, so that whoever started the program can name them, and close those whose
// process could not.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "drm/session/session.h"
#include "trace/recorder.h"

namespace Atoll::drm {

// One row of the table. Texts end with a zero byte.
struct SharedRecording {
  enum State : uint32_t { unused, writing, named, nothing, failed };
  std::atomic<uint32_t> state;
  uint32_t pid;
  SharedFence writer;  // which process of the session
  trace::Progress progress;
  std::atomic<uint64_t> accepted, finished;               // submissions, whether they are recorded or not
  char program[64], part[4096], name[4096], error[4096];  // name: empty before the first submission
};
struct SharedRecordings {
  std::atomic<uint64_t> refused;             // processes for which there was no row
  std::atomic<uint64_t> replace_older_than;  // when `run --record` began, CLOCK_REALTIME in nanoseconds; 0 without: nothing is
  SharedRecording rows[512];
};

class Recording {
public:
  // The recording of this process, written beside `file`. Null, and reported on standard error and in the table, if that fails.
  static std::unique_ptr<Recording> start(std::shared_ptr<Session> session, const std::string& file, std::string_view gpu);

  const std::shared_ptr<trace::Recorder>& recorder() const { return recorder_; }
  void submission_accepted();
  void submission_finished();
  // The process ends. `idle`: no accepted submission is in progress. Gives the recording its name.
  void finish(bool idle);

private:
  Recording() = default;
  bool take_row();
  void take_name();
  void failed(const std::string& why);

  std::shared_ptr<Session> session_;
  std::shared_ptr<trace::Recorder> recorder_;
  SharedRecording* row_ = nullptr;
  std::string place_;
  std::atomic<bool> named_{false}, told_{false};
};

// The result of a process's recording.
struct RecordingReport {
  std::string file, program, error;
  std::string place;  // that it will have when its process ends, where `alive`
  unsigned pid = 0;
  uint64_t submissions = 0, bytes = 0;
  bool alive = false;  // still being written
  bool whole = false;  // has its mark at the end
};

// From now on recordings of the session may replace older ones.
void replace_older_recordings(const Session& session);

// Closes and names the recordings of dead processes, and lists all recordings that are not empty or that failed.
std::vector<RecordingReport> finish_recordings(const Session& session);

}  // namespace Atoll::drm
