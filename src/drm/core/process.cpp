#include "drm/core/process.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/environment.h"
#include "base/host_level.h"
#include "base/log.h"
#include "drm/core/file.h"
#include "gpu/open/open.h"

namespace Atoll::drm {
namespace {

constexpr uint64_t physical_begin = uint64_t(1) << 20, physical_end = uint64_t(1) << 32;

gpu::Options options_of_environment(std::shared_ptr<gpu::Findings> findings, bool records) {
  gpu::Options options;
  options.findings = std::move(findings);
  options.engine = gpu::parse_engine(environment_text("ATOLL_ENGINE")).value_or(gpu::Engine::Auto);
  options.threads = unsigned(environment_number("ATOLL_THREADS").value_or(0));
  options.shaders = environment_text("ATOLL_SHADERS");
  options.strict = environment_flag("ATOLL_STRICT");
  // A recording has neither what threads leave in scratch space nor the order in which they reach an atomic: its replay runs in order.
  options.deterministic = environment_text("ATOLL_DETERMINISTIC").empty() ? records : environment_flag("ATOLL_DETERMINISTIC");
  options.max_still_seconds = double(environment_number("ATOLL_STILL_SECONDS").value_or(120));
  return options;
}

}  // namespace

Expected<std::shared_ptr<Process>> Process::create(int descriptor, std::string_view gpu) {
  const gpu::Chip* chip = gpu::find_chip(gpu);
  if (!chip || !chip->runs()) return fail("no GPU '{}' has a kernel driver: `atoll gpus` lists them", gpu);
  std::string_view wanted = environment_text("ATOLL_UAPI"), name = chip->uapis.contains(wanted) ? wanted : chip->uapis.front();
  const Uapi* uapi = find_uapi(name);
  if (!uapi) return fail("{} has the kernel driver {}, which is not there yet", chip->name, name);
  if (auto problem = host_level_problem(); !problem.empty()) return fail("{}", problem);
  auto session = Session::open(descriptor);
  if (!session) return std::unexpected(session.error());
  std::shared_ptr<Process> process(new Process);
  process->session_ = std::move(*session);
  process->chip_ = chip;
  process->uapi_ = uapi;
  warn_about_environment();
  if (const char* file = std::getenv("ATOLL_RECORD"); file && *file)
    process->recording_ = Recording::start(process->session_, file, chip->name);
  if (process->recording_) process->recorder_ = process->recording_->recorder();
  process->register_usage_ = RegisterUsageFile::start(chip->name);
  if (auto checks = environment_text("ATOLL_CHECK"); !checks.empty())
    if (auto findings = gpu::parse_checks(checks)) process->findings_ = std::move(*findings);
  return process;
}

Process::~Process() { files_.clear(); }

std::shared_ptr<File> Process::open_file(uint64_t position) {
  std::lock_guard lock(files_mutex_);
  auto& file = files_[position];
  if (!file) file = std::make_shared<File>(*this, position);
  return file;
}

void Process::close_file(uint64_t position) {
  std::shared_ptr<File> closed;
  std::lock_guard lock(files_mutex_);
  if (auto found = files_.find(position); found != files_.end()) {
    closed = std::move(found->second);
    files_.erase(found);
  }
}

std::shared_ptr<File> Process::file(uint64_t position) {
  {
    std::lock_guard lock(files_mutex_);
    if (auto found = files_.find(position); found != files_.end()) return found->second;
  }
  close_unnamed(position);
  log(LogLevel::info, "drm", "node opened: {:#x}", position);
  return open_file(position);
}

// close() is not hooked: a file whose last descriptor is gone is noticed when the next one is opened.
void Process::close_unnamed(uint64_t opened) {
  std::set<uint64_t> named{opened};
  struct stat ours;
  if (::syscall(SYS_newfstatat, session_->descriptor(), "", &ours, 0x1000 /* AT_EMPTY_PATH */) != 0) return;
  DIR* folder = ::opendir("/proc/self/fd");
  if (!folder) return;
  while (dirent* entry = ::readdir(folder)) {
    int fd = -1;
    std::from_chars(entry->d_name, entry->d_name + std::strlen(entry->d_name), fd);
    struct stat status;
    if (fd < 0 || ::syscall(SYS_newfstatat, fd, "", &status, 0x1000) != 0) continue;
    if (status.st_dev != ours.st_dev || status.st_ino != ours.st_ino) continue;
    long at = ::syscall(SYS_lseek, fd, 0, SEEK_CUR);
    if (at > 0) named.insert(uint64_t(at));
  }
  ::closedir(folder);
  std::vector<std::shared_ptr<File>> closed;  // outside of the lock: their rings end
  std::lock_guard lock(files_mutex_);
  for (auto it = files_.begin(); it != files_.end();)
    if (named.count(it->first)) {
      ++it;
    } else {
      log(LogLevel::info, "drm", "node closed: {:#x}", it->first);
      closed.push_back(std::move(it->second));
      it = files_.erase(it);
    }
}

BufferPtr Process::adopt(uint32_t index) {
  std::lock_guard lock(buffers_mutex_);
  auto buffer = std::make_shared<Buffer>(session_, index);
  buffers_[index] = buffer;
  return buffer;
}

BufferPtr Process::import(uint32_t index, uint32_t generation) {
  std::lock_guard lock(buffers_mutex_);
  if (auto found = buffers_.find(index); found != buffers_.end())
    if (auto buffer = found->second.lock(); buffer && buffer->shared().generation == generation) return buffer;
  if (!session_->own(index, generation)) return nullptr;
  auto buffer = std::make_shared<Buffer>(session_, index);
  buffers_[index] = buffer;
  // the GPU of the process that made it writes there while ours runs
  if (recorder_) recorder_->cpu_visible(buffer->offset(), buffer->bytes());
  return buffer;
}

Expected<gpu::Device*> Process::device() {
  std::lock_guard lock(device_mutex_);
  if (device_) return device_.get();
  if (!device_error_.empty()) return std::unexpected(Error{device_error_});
  gpu::Options options = options_of_environment(findings_, recorder_ != nullptr);
  options.shaders_unwritten = [this] { session_->statistics().shaders_unwritten++; };
  auto opened = gpu::open_device(*chip_, options);
  if (!opened) {
    device_error_ = opened.error().message;
    return std::unexpected(opened.error());
  }
  device_ = std::move(*opened);
  return device_.get();
}

void Process::set_device(std::unique_ptr<gpu::Device> device) {
  std::lock_guard lock(device_mutex_);
  device_ = std::move(device);
}

Expected<std::unique_ptr<gpu::Queue>> Process::make_queue(gpu::QueueKind kind, VirtualMemory& memory) {
  auto made = device();
  if (!made) return std::unexpected(made.error());
  return (*made)->make_queue(kind, memory.space());
}

std::shared_ptr<VirtualMemory> Process::physical_memory() {
  std::lock_guard lock(physical_mutex_);
  if (physical_memory_ || physical_failed_) return physical_memory_;
  physical_failed_ = true;
  auto space = AddressSpace::create(session_, physical_end);
  if (!space) {
    log(LogLevel::error, "drm", "{}", space.error().message);
    return nullptr;
  }
  if (auto mapped = (*space)->map(physical_begin, physical_begin, physical_end - physical_begin); !mapped) {
    log(LogLevel::error, "drm", "{}", mapped.error().message);
    return nullptr;
  }
  physical_failed_ = false;
  physical_memory_ = std::make_shared<VirtualMemory>(session_, std::move(*space), recorder_);
  if (recorder_)
    recorder_->map(physical_memory_->recorded_space(), physical_begin, physical_begin, physical_end - physical_begin, true);
  return physical_memory_;
}

uint64_t Process::begin_submission() {
  if (recording_) recording_->submission_accepted();
  std::lock_guard lock(submissions_mutex_);
  in_flight_.insert(++last_submission_);
  return last_submission_;
}

void Process::end_submission(uint64_t number) {
  if (recording_ && !ending_) recording_->submission_finished();  // what the end cuts short is not what was submitted
  std::lock_guard lock(submissions_mutex_);
  in_flight_.erase(number);
  session_->set_completed_below(in_flight_.empty() ? last_submission_ + 1 : *in_flight_.begin());
}

SharedFence Process::last_submission() {
  std::lock_guard lock(submissions_mutex_);
  return session_->fence_of(last_submission_);
}

}  // namespace Atoll::drm
