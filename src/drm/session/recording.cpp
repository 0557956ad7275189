#include "drm/session/recording.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "trace/recording_file.h"
#include "trace/writer.h"

namespace Atoll::drm {
namespace {

using State = SharedRecording::State;

template <size_t n>
bool put(char (&to)[n], const std::string& text) {
  size_t length = std::min(text.size(), n - 1);
  std::memcpy(to, text.data(), length);
  to[length] = 0;
  return length == text.size();
}

template <size_t n>
std::string get(const char (&from)[n]) {
  return {from, ::strnlen(from, n)};
}

// Gives a recording its name, or another one if somebody else's stands there.
Expected<std::string> put_in_place(const Session& session, SharedRecording& row) {
  const std::string part = get(row.part), place = get(row.name);
  std::string name = place;
  for (unsigned attempt = 0;; attempt++) {
    auto placed = trace::put_in_place(part, name, session.recordings().replace_older_than);
    if (placed && name != place) {
      log(LogLevel::warn, "drm", "the recording is {}: {} is there already", name, place);
      put(row.name, name);
    }
    if (placed) return name;
    if (attempt == 100 || !trace::is_recording(name)) return std::unexpected(placed.error());
    name = attempt ? fmt::format("{}.{}-{}", place, row.pid, attempt + 1) : fmt::format("{}.{}", place, row.pid);
  }
}

}  // namespace

void replace_older_recordings(const Session& session) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  session.recordings().replace_older_than = uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

bool Recording::take_row() {
  Session::Lock lock(*session_);
  for (SharedRecording& row : session_->recordings().rows) {
    if (row.state != State::unused) continue;
    row_ = &row;
    row.pid = uint32_t(::getpid());
    row.writer = session_->fence_of(0);
    put(row.program, program_invocation_short_name);
    row.state = State::writing;
    return true;
  }
  session_->recordings().refused++;
  return false;
}

std::unique_ptr<Recording> Recording::start(std::shared_ptr<Session> session, const std::string& file, std::string_view gpu) {
  std::unique_ptr<Recording> r(new Recording);
  r->session_ = std::move(session);
  if (!r->take_row()) {
    log(LogLevel::error, "drm", "nothing is recorded: the session has too many recordings already");
    return nullptr;
  }
  auto place = trace::place_of_recording(file);
  if (!place) return r->failed("nothing is recorded: " + place.error().message), nullptr;
  r->place_ = *place;
  Expected<std::unique_ptr<trace::Recorder>> made;
  std::string part;
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    part = trace::part_name(r->place_, ::getpid(), attempt);
    made = trace::Recorder::create(part, gpu, *r->session_, &r->row_->progress);
    if (made || errno != EEXIST) break;
  }
  if (!made) return r->failed("nothing is recorded: " + made.error().message), nullptr;
  r->recorder_ = std::move(*made);
  if (!put(r->row_->part, part)) return r->failed("nothing is recorded: the file's name is too long"), nullptr;
  return r;
}

void Recording::failed(const std::string& why) {
  if (told_.exchange(true)) return;
  put(row_->error, why);
  row_->state = State::failed;
  log(LogLevel::error, "drm", "{}", why);
}

// The first process that submits something gets the name itself, others NAME.PID.
void Recording::take_name() {
  if (named_.exchange(true)) return;
  Session::Lock lock(*session_);
  auto taken = [&](const std::string& name) {
    return std::any_of(std::begin(session_->recordings().rows), std::end(session_->recordings().rows),
                       [&](const SharedRecording& row) { return row.state != State::unused && get(row.name) == name; });
  };
  std::string name = place_;
  for (unsigned attempt = 0; attempt < 100 && taken(name); attempt++)
    name = attempt ? fmt::format("{}.{}-{}", place_, ::getpid(), attempt + 1) : fmt::format("{}.{}", place_, ::getpid());
  put(row_->name, name);
}

void Recording::submission_accepted() {
  row_->accepted++;
  take_name();
}

void Recording::submission_finished() {
  row_->finished++;
  if (told_) return;
  if (std::string why = recorder_->error(); !why.empty()) failed(why);
}

void Recording::finish(bool idle) {
  State state = State(row_->state.load());
  if (state == State::nothing || told_) return;
  if (idle && !recorder_->finish())
    if (std::string why = recorder_->error(); !why.empty()) return failed(why);
  if (state == State::named) return;
  if (!row_->progress.submissions) {
    if (row_->accepted != row_->finished) return;
    ::unlink(get(row_->part).c_str());
    row_->state = State::nothing;
    return;
  }
  auto placed = put_in_place(*session_, *row_);
  if (!placed) return failed(fmt::format("the recording stays where it was written: {}", placed.error().message));
  recorder_->moved_to(*placed);
  row_->state = State::named;
}

std::vector<RecordingReport> finish_recordings(const Session& session) {
  std::vector<RecordingReport> reports;
  for (SharedRecording& row : session.recordings().rows) {
    State state = State(row.state.load());
    if (state == State::unused) break;
    RecordingReport r;
    r.alive = session.is_alive(row.writer);
    r.pid = row.pid;
    r.program = get(row.program);
    r.error = get(row.error);
    r.submissions = row.progress.submissions;
    r.bytes = row.progress.bytes;
    std::string part = get(row.part), name = get(row.name);
    bool all_there = row.accepted == row.finished;
    if (!r.alive && (state == State::writing || state == State::failed) && !r.submissions) {
      if (!part.empty() && trace::is_recording(part)) ::unlink(part.c_str());
      if (state == State::writing) state = State::nothing;
      if (state == State::failed && !part.empty()) r.error += ": before the first submission was whole, so nothing of it is kept";
      part.clear();
    }
    if (state == State::nothing) continue;
    if (!r.alive && (state == State::writing || state == State::named)) {
      std::string& file = state == State::named ? name : part;
      if (!row.progress.marked && all_there) {
        if (auto closed = trace::close_recording(file, r.bytes, r.submissions); closed)
          row.progress.marked = 1;
        else
          r.error = "the recording could not be closed: " + closed.error().message;
      }
      if (state == State::writing) {
        if (auto placed = put_in_place(session, row); placed)
          state = State::named, name = *placed;
        else
          r.error = "the recording stays where it was written: " + placed.error().message;
      }
    }
    row.state = state;
    r.whole = row.progress.marked;
    r.file = state == State::named ? name : part;
    r.place = name;
    reports.push_back(std::move(r));
  }
  if (uint64_t refused = session.recordings().refused) {
    RecordingReport r;
    r.error = fmt::format("nothing is recorded of {} processes: the session has too many recordings", refused);
    reports.push_back(std::move(r));
  }
  return reports;
}

}  // namespace Atoll::drm
