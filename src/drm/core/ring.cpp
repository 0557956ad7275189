#include "drm/core/ring.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>

#include "base/file_cache.h"
#include "base/log.h"
#include "base/start_thread.h"
#include "drm/core/process.h"
#include "gpu/device/signal.h"

namespace Atoll::drm {
namespace {

constexpr size_t max_in_flight = 32;  // Linux amdgpu.sched_jobs

// A ring's thread ends when it has been idle for so long: the next submission usually comes soon, but some contexts are never used
// again.
constexpr auto idle_time = std::chrono::milliseconds(250);

// More than one for this thread and the program's.
bool has_processors() {
  cpu_set_t all;
  return ::sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 1;
}

}  // namespace

Ring::Ring(Process& process, gpu::QueueKind kind, std::shared_ptr<VirtualMemory> memory, std::string name,
           std::shared_ptr<std::atomic<bool>> lost)
    : process_(process), kind_(kind), memory_(std::move(memory)), name_(std::move(name)), lost_(std::move(lost)) {}

Ring::~Ring() {
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
    has_news_.store(true, std::memory_order_relaxed);
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Ring::start_thread() {
  if (thread_.joinable()) thread_.join();  // the one before has done its last work
  auto refuse = [this](const Error& why) {
    if (!std::exchange(said_no_thread_, true)) log(LogLevel::error, "gpu", "{}: {}", name_, why.message);
    return false;
  };
  if (auto device = process_.device())  // (what else is wrong with it the submission tells)
    if (auto watched = (*device)->start_watchdog(); !watched) return refuse(watched.error());
  auto started = Atoll::start_thread([this] { work(); });
  if (!started) return refuse(started.error());
  thread_ = std::move(*started);
  works_ = true;
  return true;
}

int Ring::submit(Submission submission, Submitted& submitted) {
  submission.done = std::make_shared<Completion>(process_.session());
  submission.call = Call::end_of_current();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return in_flight_.size() < max_in_flight; });
  if (!works_ && !start_thread()) return -ENOMEM;
  const CompletionPtr done = submission.done;
  const size_t waiting = waiting_.size(), in_flight = in_flight_.size();
  submission.sequence = last_ + 1;
  try {
    in_flight_.emplace_back(submission.sequence, done);
    submission.number = process_.begin_submission();
    for (auto& buffer : submission.buffers) buffer->add_use(done, process_.session()->fence_of(submission.number));
    waiting_.push_back(std::move(submission));
  } catch (...) {  // no memory: as if it had never been
    waiting_.resize(waiting);
    in_flight_.resize(in_flight);
    if (submission.number) process_.end_submission(submission.number);
    done->failed = true;
    done->signal();
    throw;
  }
  submitted = {++last_, done};
  has_news_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
  return 0;
}

FencePtr Ring::find(uint64_t sequence) const {
  std::lock_guard lock(mutex_);
  if (in_flight_.empty()) return nullptr;
  if (sequence == ~uint64_t(0)) return in_flight_.back().second;
  for (auto& [number, done] : in_flight_)
    if (number == sequence) return done;
  return nullptr;
}

uint64_t Ring::last() const {
  std::lock_guard lock(mutex_);
  return last_;
}

std::vector<FencePtr> Ring::running() const {
  std::lock_guard lock(mutex_);
  std::vector<FencePtr> found;
  for (auto& [number, done] : in_flight_) found.push_back(done);
  return found;
}

gpu::Statistics Ring::statistics() const { return counted_; }

// A thread that sleeps takes some 30 microseconds to come, and small frames take 400. If the last submission came soon, the
// thread polls for the next one a while before it sleeps, if it has a processor to itself. False: nothing comes for now, or any
// more.
bool Ring::wait_for_submission(std::unique_lock<std::mutex>& lock) {
  constexpr uint64_t looks = 100'000, soon = 150'000;  // nanoseconds
  const uint64_t begin = monotonic_nanoseconds();
  if (waiting_.empty() && !ends_ && last_came_soon_ && has_processors()) {
    lock.unlock();
    while (!has_news_.load(std::memory_order_relaxed) && monotonic_nanoseconds() - begin < looks) __builtin_ia32_pause();
    lock.lock();
  }
  const bool idle = !changed_.wait_for(lock, idle_time, [this] { return ends_ || !waiting_.empty(); });
  if (idle && queue_) {
    lock.unlock();
    queue_->rest();
    lock.lock();
  }
  has_news_.store(false, std::memory_order_relaxed);
  last_came_soon_ = monotonic_nanoseconds() - begin < soon;
  return !waiting_.empty();  // what was submitted before the end is still carried out
}

void Ring::work() {
  std::unique_lock lock(mutex_);
  while (wait_for_submission(lock)) {
    Submission submission = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    carry_out(submission);
    CompletionPtr done = submission.done;
    uint64_t number = submission.number;
    submission = {};  // its buffers may go
    const bool counts = std::exchange(owes_count_, false);
    if (counts) process_.begin_counting();
    process_.end_submission(number);
    done->signal();
    if (counts) {
      try {
        count();
      } catch (const std::bad_alloc&) {  // it is counted with the next
      }
      process_.end_counting();
    }
    lock.lock();
    in_flight_.pop_front();
    changed_.notify_all();
    if (memory_) {
      lock.unlock();
      try {
        memory_->apply_ready();
      } catch (const std::bad_alloc&) {  // it is done with the next submission
      }
      lock.lock();
    }
  }
  works_ = false;
}

// If memory runs out in the middle of anything, the queue's state cannot be relied on.
void Ring::carry_out(Submission& submission) {
  if (submission.call) wait_until_out(*submission.call);
  Expected<void> result;
  try {
    result = run(submission);
  } catch (const std::bad_alloc&) {
    result = std::unexpected(Error{"out of memory"});  // short enough for a string without memory of its own
    queue_.reset();
    counted_ = {};
  }
  if (!result) {
    submission.done->failed = true;
    if (submission.failed) submission.failed(result.error().message, queue_.get());
    if (!process_.ending()) {
      process_.session()->statistics().failed.fetch_add(1, std::memory_order_relaxed);
      try {
        report(submission.sequence, result.error().message);
      } catch (const std::bad_alloc&) {
        if (lost_) *lost_ = true;
      }
    }
  }
  if (submission.call) wait_until_gone_on(*submission.call);
  // The sequence number is written whatever became of the work: somebody may spin on it.
  if (submission.fence_buffer)
    if (uint8_t* host = submission.fence_buffer->host())
      __atomic_store_n(reinterpret_cast<uint64_t*>(host + submission.fence_offset), submission.sequence, __ATOMIC_RELEASE);
}

Expected<void> Ring::run(Submission& submission) {
  Session& session = *process_.session();
  wait_all(session, submission.waits, UINT64_MAX, [this] { return process_.ending(); });
  if (submission.memory) submission.memory->bring_to(submission.memory_mark);
  auto& statistics = session.statistics();
  statistics.submissions.fetch_add(1, std::memory_order_relaxed);
  Expected<void> result;
  if (process_.ending()) {
    result = fail("the program ends");
  } else if (lost_ && lost_->load()) {
    submission.done->failed = true;
  } else {
    if (!queue_) {
      auto made = process_.make_queue(kind_, *memory_);
      if (made) {
        queue_ = std::move(*made);
        if (process_.recorder()) recorded_queue_ = process_.recorder()->add_queue(kind_, memory_->recorded_space());
      } else {
        result = std::unexpected(made.error());
      }
    }
    if (queue_) {
      struct Users {
        const std::vector<UserMemoryPtr>& all;
        size_t in = 0;
        ~Users() {
          for (size_t n = 0; n < in; n++) all[n]->done();
        }
      } users{submission.user_memory};
      for (auto& user : submission.user_memory) users.in++, user->bring_in();
      memory_->drop_writes();
      uint64_t begin = monotonic_nanoseconds();
      const auto& recorder = process_.recorder();
      if (auto* usage = process_.register_usage()) usage->submission(kind_, memory_->space(), submission.commands);
      if (recorder) {
        std::optional<std::vector<trace::Recorder::FileRange>> reaches;
        if (!process_.chip().has_page_tables) {
          reaches.emplace();
          for (auto& buffer : submission.buffers) reaches->push_back({buffer->offset(), buffer->bytes()});
        }
        recorder->begin_submission(recorded_queue_, submission.commands, reaches, submission.polled);
      }
      auto take_back = [&] {
        for (auto& user : submission.user_memory) user->take_back();
      };
      if (submission.user_memory.empty()) {
        result = queue_->run(submission.commands);
      } else {
        gpu::BeforeSignals signals(take_back);
        result = queue_->run(submission.commands);
      }
      take_back();
      if (recorder) recorder->end_submission(result ? std::string() : result.error().message);
      log(LogLevel::trace, "cs", "{}: submission {} took {} us", name_, submission.sequence,
          (monotonic_nanoseconds() - begin) / 1000);
      // Counts do not concern those who wait, except for a failure's report and for the note on the first compilation.
      if (result && !recorder && counted_.compiled)
        owes_count_ = true;
      else
        count();
    }
  }
  return result;
}

// A context reports its first failure. A failure like an earlier one, in whichever context or process, is counted, and reported
// again when the count has another digit: a program that makes a context anew for each frame would say it each time.
void Ring::report(uint64_t sequence, const std::string& why) {
  const bool first_of_context = !lost_ || !lost_->exchange(true);
  if (!lost_) {
    queue_.reset();
    counted_ = {};
    process_.count_reset();
  }
  if (!first_of_context) return;
  const uint64_t before = process_.session()->count_lost(why);
  const char* what = lost_ ? "and its context is lost" : "and the ring is reset";
  if (before == 0) log(LogLevel::error, "gpu", "{}: submission {} failed {}: {}", name_, sequence, what, why);
  for (uint64_t n = 10; n <= before + 1; n *= 10)
    if (before + 1 == n)
      log(LogLevel::error, "gpu", "{}: submission {} failed {}, the {}th like it: {}", name_, sequence, what, n, why);
}

// The process's rings have counted so much already.
static std::atomic<uint64_t> found_before{0}, missing_before{0}, refused_before{0};

static void count_code_on_disk(SharedStatistics& all) {
  const FileCache::Counts now = file_caches();
  all.code_found.fetch_add(now.found - found_before.exchange(now.found), std::memory_order_relaxed);
  all.code_missing.fetch_add(now.missing - missing_before.exchange(now.missing), std::memory_order_relaxed);
  all.code_refused.fetch_add(now.refused - refused_before.exchange(now.refused), std::memory_order_relaxed);
}

// Adds to the session's counters what the queue did since the last time.
void Ring::count() {
  gpu::Statistics now = queue_->statistics();
  auto& all = process_.session()->statistics();
  auto add = [](std::atomic<uint64_t>& sum, uint64_t value, uint64_t before) {
    sum.fetch_add(value - before, std::memory_order_relaxed);
  };
  add(all.packets, now.packets, counted_.packets);
  add(all.draws, now.draws, counted_.draws);
  add(all.dispatches, now.dispatches, counted_.dispatches);
  add(all.waves, now.waves, counted_.waves);
  add(all.instructions, now.instructions, counted_.instructions);
  add(all.compiled, now.compiled, counted_.compiled);
  add(all.called, now.called, counted_.called);
  add(all.interpreted, now.interpreted, counted_.interpreted);
  add(all.vertices, now.vertices, counted_.vertices);
  add(all.primitives, now.primitives, counted_.primitives);
  add(all.pixels, now.pixels, counted_.pixels);
  all.run_nanoseconds.fetch_add(uint64_t((now.seconds - counted_.seconds) * 1e9), std::memory_order_relaxed);
  all.compile_nanoseconds.fetch_add(uint64_t((now.compile_seconds - counted_.compile_seconds) * 1e9), std::memory_order_relaxed);
  count_code_on_disk(all);
  // a code generator was loaded meanwhile
  if (now.compiled && !counted_.compiled) finish_first();
  for (auto& one : now.unknown) {
    uint64_t before = 0;
    for (auto& old : counted_.unknown)
      if (old.what == one.what) before = old.times;
    if (one.times == before) continue;
    if (before == 0) log(LogLevel::warn, "gpu", "{}: unknown {} at {}", name_, one.what, one.where);
    process_.session()->count_unknown(one, one.times - before);
  }
  counted_ = std::move(now);
  if (auto* findings = process_.findings())
    for (const gpu::Finding& finding : findings->take()) process_.session()->add_finding(finding);
}

}  // namespace Atoll::drm
