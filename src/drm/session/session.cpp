#include "drm/session/session.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>

#include "base/log.h"
#include "drm/session/recording.h"
#include "drm/session/sync_table.h"

namespace Atoll::drm {

// A process of the session, by its slot.
struct ProcessSlot {
  uint32_t generation;
  std::atomic<uint64_t> completed_below;
};

// The data at memory_bytes of the file; a new file is all zero.
struct Control {
  uint32_t version;
  pthread_mutex_t mutex;
  std::atomic<uint32_t> events;
  uint32_t first;    // allocation at the lowest offset
  uint32_t highest;  // entries above were never used
  uint32_t free_hint;
  ProcessSlot processes[max_processes];
  SharedStatistics statistics;
  SharedAllocation allocations[max_allocations + 1];  // entry 0 stays empty
  SharedRecordings recordings;
  SharedOwner owners[size_t(Exclusive::count)];
  SyncTable sync;
};
static_assert(sizeof(Control) <= control_bytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

namespace {

constexpr uint32_t this_version = 4;

// Bytes of the file that stand for something when locked. They lie beyond its end and hold nothing.
constexpr uint64_t locks = session_file_bytes + (uint64_t(1) << 32);
constexpr uint64_t initialise_lock = locks, process_locks = locks + 0x1000, dma_buf_locks = locks + 0x100000,
                   syncobj_locks = locks + 0x200000;

bool lock_byte(int fd, uint64_t byte, short kind, bool wait) {
  struct flock lock{};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = off_t(byte);
  lock.l_len = 1;
  int result;
  do result = ::fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

// A descriptor of the same file with a description, and so a position and locks, of its own.
int reopen(int descriptor, int flags) {
  std::string path = fmt::format("/proc/self/fd/{}", descriptor);
  return int(::syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDWR | flags, 0));
}

}  // namespace

uint64_t monotonic_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

Expected<int> Session::create_file() {
  // a file beyond the limit would not be made but end the process (SIGXFSZ)
  rlimit most{};
  if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < session_file_bytes)
    return fail(
        "cannot make the GPU's memory file of {} bytes, sparse as it is: the limit on file sizes is {} bytes: ulimit -f "
        "unlimited",
        session_file_bytes, uint64_t(most.rlim_cur));
  int fd = ::memfd_create("atoll-gpu", MFD_CLOEXEC);
  if (fd < 0) return fail("cannot create the GPU's memory file (memfd_create: {})", std::strerror(errno));
  if (::ftruncate(fd, off_t(session_file_bytes)) != 0) {
    int why = errno;
    ::close(fd);
    return fail("cannot make the GPU's memory file of {} bytes: {}: raise the limit on file sizes (ulimit -f)",
                session_file_bytes, std::strerror(why));
  }
  return fd;
}

Expected<std::shared_ptr<Session>> Session::open(int descriptor) {
  int fd = reopen(descriptor, O_CLOEXEC);
  if (fd < 0) return fail("cannot open the session's memory: {}", std::strerror(errno));
  // away from the low numbers, which programs count on
  constexpr int first_number = 700;
  if (int high = ::fcntl(fd, F_DUPFD_CLOEXEC, first_number); high >= 0) {
    ::close(fd);
    fd = high;
  }
  std::shared_ptr<Session> session(new Session(fd));
  if (auto attached = session->attach(); !attached) return std::unexpected(attached.error());
  return session;
}

Expected<void> Session::attach() {
  void* at =
      ::mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor(), off_t(memory_bytes));
  if (at == MAP_FAILED) return fail("cannot map the session's table: {}", std::strerror(errno));
  control_ = static_cast<Control*>(at);
  if (!lock_byte(descriptor(), initialise_lock, F_WRLCK, true))
    return fail("cannot lock the session's file: {}", std::strerror(errno));
  if (control_->version == 0) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&control_->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    control_->version = this_version;
  }
  bool right = control_->version == this_version;
  lock_byte(descriptor(), initialise_lock, F_UNLCK, false);
  if (!right) return fail("the session was made by another version of Atoll: start it again");
  Lock lock(*this);
  for (slot_ = 0; slot_ < max_processes; ++slot_)
    if (lock_byte(descriptor(), process_locks + slot_, F_WRLCK, false)) break;
  if (slot_ == max_processes) return fail("the session has {} processes already: end some", max_processes);
  // what the last process in this slot left behind
  ProcessSlot& process = control_->processes[slot_];
  generation_ = ++process.generation;
  process.completed_below.store(1, std::memory_order_relaxed);
  for (uint32_t i = control_->first; i; i = control_->allocations[i].next)
    control_->allocations[i].owners[slot_ / 64] &= ~(uint64_t(1) << slot_ % 64);
  reap();
  control_->sync.forget(slot_);
  control_->statistics.opened.fetch_add(1, std::memory_order_relaxed);
  return {};
}

Session::~Session() {
  if (!control_) return;
  if (slot_ < max_processes && generation_) {
    Lock lock(*this);
    for (uint32_t i = control_->first; i; i = control_->allocations[i].next)
      control_->allocations[i].owners[slot_ / 64] &= ~(uint64_t(1) << slot_ % 64);
    reap();
    control_->sync.forget(slot_);
  }
  ::munmap(control_, sizeof(Control));
}

Session::Lock::Lock(const Session& session) : session_(session) {
  int result = pthread_mutex_lock(&session.control_->mutex);
  if (result == EOWNERDEAD) {
    session.free_unreachable();
    pthread_mutex_consistent(&session.control_->mutex);
  }
}

Session::Lock::~Lock() { pthread_mutex_unlock(&session_.control_->mutex); }

// A process died while it held the lock. Links are made and cut by one store each, so the list itself is whole; an entry that was
// being put in or taken out may be marked used without being in it.
void Session::free_unreachable() const {
  std::vector<bool> reached(control_->highest + 1);
  for (uint32_t i = control_->first, steps = 0; i && steps <= control_->highest; i = control_->allocations[i].next, ++steps)
    reached[i] = true;
  for (uint32_t i = 1; i <= control_->highest; ++i)
    if (!reached[i]) control_->allocations[i].used = 0;
}

bool Session::holds_lock(uint64_t byte, short kind) const {
  struct flock lock{};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = off_t(byte);
  lock.l_len = 1;
  return ::fcntl(descriptor(), F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

// Frees what nobody has any longer. The lock is held.
void Session::reap() const {
  uint64_t alive[max_processes / 64]{}, asked[max_processes / 64]{};
  uint32_t previous = 0;
  for (uint32_t i = control_->first; i;) {
    SharedAllocation& a = control_->allocations[i];
    bool owned = false;
    for (uint32_t word = 0; word < max_processes / 64; ++word)
      for (uint64_t rest = a.owners[word]; rest; rest &= rest - 1) {
        uint32_t slot = word * 64 + uint32_t(std::countr_zero(rest));
        uint64_t bit = uint64_t(1) << slot % 64;
        if (!(asked[word] & bit)) {
          asked[word] |= bit;
          if ((slot == slot_ && generation_) || holds_lock(process_locks + slot, F_WRLCK)) alive[word] |= bit;
        }
        if (alive[word] & bit)
          owned = true;
        else
          a.owners[word] &= ~bit;
      }
    uint32_t next = a.next;
    if (!owned && !(a.shared && holds_lock(dma_buf_locks + i, F_WRLCK)))
      unlink(i, previous);
    else
      previous = i;
    i = next;
  }
}

// Takes an entry out of the list and gives its pages back. The lock is held; `previous` stands before it, or is 0.
void Session::unlink(uint32_t index, uint32_t previous) const {
  SharedAllocation& a = control_->allocations[index];
  (previous ? control_->allocations[previous].next : control_->first) = a.next;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  ::fallocate(descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(a.offset), off_t(a.bytes));
  a.used = 0;
  control_->free_hint = std::min(control_->free_hint, index);
}

Expected<uint32_t> Session::allocate(const Request& request) {
  ATOLL_ASSERT(request.bytes % page_bytes == 0 && std::has_single_bit(request.alignment) && request.alignment >= page_bytes);
  if (request.bytes == 0 || request.bytes > request.end - request.begin)
    return fail("{} bytes of GPU memory asked for", request.bytes);
  Lock lock(*this);
  for (bool reaped = false;; reaped = true) {
    if (reaped) reap();
    uint64_t candidate = round_up(request.begin, request.alignment), total = 0, everything = 0;
    uint32_t previous = 0;
    bool found = false;
    for (uint32_t i = control_->first; i; i = control_->allocations[i].next) {
      SharedAllocation& a = control_->allocations[i];
      everything += a.bytes;
      if (a.offset >= request.begin && a.offset < request.end) total += a.bytes;
      if (found || a.offset + a.bytes <= candidate) {
        if (!found) previous = i;
        continue;
      }
      if (a.offset >= candidate && a.offset - candidate >= request.bytes)
        found = true;
      else {
        candidate = std::max(candidate, round_up(a.offset + a.bytes, request.alignment));
        previous = i;
      }
    }
    uint64_t machine = machine_memory_bytes();
    bool fits = candidate <= request.end - request.bytes && total + request.bytes <= request.most && request.bytes <= machine &&
                everything <= machine - request.bytes;
    uint32_t index = std::max(control_->free_hint, 1u);
    while (index <= max_allocations && control_->allocations[index].used) ++index;
    if (!fits || index > max_allocations) {
      if (!reaped) continue;
      return fail("no room for {} bytes of GPU memory: {} bytes are in use", request.bytes, everything);
    }
    SharedAllocation& a = control_->allocations[index];
    uint32_t generation = (a.generation + 1) & 0x0fffffff;
    a = {};
    a.generation = generation;
    a.offset = candidate;
    a.bytes = request.bytes;
    a.asked_bytes = request.asked_bytes;
    a.alignment = request.alignment;
    a.domains = request.domains;
    a.flags = request.flags;
    a.owners[slot_ / 64] = uint64_t(1) << slot_ % 64;
    a.used = 1;
    uint32_t& link = previous ? control_->allocations[previous].next : control_->first;
    a.next = link;
    control_->highest = std::max(control_->highest, index);
    control_->free_hint = index + 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    link = index;
    return index;
  }
}

bool Session::own(uint32_t index, uint32_t generation) {
  if (index == 0 || index > max_allocations) return false;
  Lock lock(*this);
  SharedAllocation& a = control_->allocations[index];
  if (!a.used || a.generation != generation) return false;
  a.owners[slot_ / 64] |= uint64_t(1) << slot_ % 64;
  return true;
}

void Session::disown(uint32_t index) {
  Lock lock(*this);
  SharedAllocation& mine = control_->allocations[index];
  mine.owners[slot_ / 64] &= ~(uint64_t(1) << slot_ % 64);
  if (mine.shared) return reap();
  uint32_t previous = 0;
  for (uint32_t i = control_->first; i; previous = i, i = control_->allocations[i].next)
    if (i == index) return unlink(index, previous);
}

SharedAllocation& Session::allocation(uint32_t index) const {
  ATOLL_ASSERT(index && index <= max_allocations);
  return control_->allocations[index];
}

uint64_t Session::used_bytes(uint64_t domains) const {
  Lock lock(*this);
  uint64_t bytes = 0;
  for (uint32_t i = control_->first; i; i = control_->allocations[i].next)
    if (control_->allocations[i].domains & domains) bytes += control_->allocations[i].bytes;
  return bytes;
}

// A descriptor with a position and a lock of its own, which is there as long as the descriptor, or a copy of it, is.
Expected<int> Session::make_descriptor(uint64_t position, uint64_t lock, bool close_on_exec) const {
  int fd = reopen(descriptor(), close_on_exec ? O_CLOEXEC : 0);
  if (fd < 0) return fail("no descriptor of the session's memory: {}", std::strerror(errno));
  if (lock_byte(fd, lock, F_RDLCK, false) && ::syscall(SYS_lseek, fd, off_t(position), SEEK_SET) >= 0) return fd;
  int why = errno;
  ::close(fd);
  return fail("cannot lock the session's memory: {}", std::strerror(why));
}

Expected<int> Session::export_dma_buf(uint32_t index, bool close_on_exec) {
  Lock lock(*this);
  SharedAllocation& a = control_->allocations[index];
  auto fd = make_descriptor(position_ours | position_dma_buf | uint64_t(a.generation) << 32 | index, dma_buf_locks + index,
                            close_on_exec);
  if (fd) a.shared = 1;
  return fd;
}

Expected<int> Session::export_syncobj(uint32_t index, uint32_t generation) {
  return make_descriptor(position_ours | position_syncobj | uint64_t(generation) << 32 | index, syncobj_locks + index, true);
}

bool Session::is_own(int other) const {
  struct stat own, its;
  return ::syscall(SYS_newfstatat, descriptor(), "", &own, AT_EMPTY_PATH) == 0 &&
         ::syscall(SYS_newfstatat, other, "", &its, AT_EMPTY_PATH) == 0 && own.st_dev == its.st_dev && own.st_ino == its.st_ino;
}

bool Session::has_descriptor_of_syncobj(uint32_t index) const { return holds_lock(syncobj_locks + index, F_WRLCK); }

SyncTable& Session::sync_table() const { return control_->sync; }

const SharedAllocation* Session::find_dma_buf(uint64_t position, uint32_t& index) const {
  if (!is_dma_buf(position)) return nullptr;
  index = uint32_t(position);
  if (index == 0 || index > max_allocations) return nullptr;
  Lock lock(*this);
  const SharedAllocation& a = control_->allocations[index];
  return a.used && a.generation == (uint32_t(position >> 32) & 0x0fffffff) ? &a : nullptr;
}

void Session::set_completed_below(uint64_t submission) {
  control_->processes[slot_].completed_below.store(submission, std::memory_order_release);
}

bool Session::is_done(const SharedFence& fence) const {
  const ProcessSlot& process = control_->processes[fence.process % max_processes];
  return fence.submission == 0 || process.generation != fence.generation ||
         process.completed_below.load(std::memory_order_acquire) > fence.submission;
}

bool Session::is_alive(const SharedFence& fence) const {
  uint32_t slot = fence.process % max_processes;
  return control_->processes[slot].generation == fence.generation && is_alive_slot(slot);
}

bool Session::is_alive_slot(uint32_t slot) const { return slot == slot_ || holds_lock(process_locks + slot, F_WRLCK); }

bool Session::take(Exclusive what, uint64_t position) {
  Lock lock(*this);
  SharedOwner& owner = control_->owners[size_t(what)];
  if (!owner.position || !is_alive(owner.process)) owner = {fence_of(0), position};
  return owner.position == position;
}

void Session::give_back(Exclusive what, uint64_t position) {
  Lock lock(*this);
  SharedOwner& owner = control_->owners[size_t(what)];
  if (owner.position == position) owner = {};
}

void Session::give_back_all(uint64_t position) {
  Lock lock(*this);
  for (SharedOwner& owner : control_->owners)
    if (owner.position == position && owner.process.process == slot_ && owner.process.generation == generation_) owner = {};
}

bool Session::has(Exclusive what, uint64_t position) const {
  Lock lock(*this);
  return control_->owners[size_t(what)].position == position;
}

uint32_t Session::events() const { return control_->events.load(std::memory_order_acquire); }

void Session::notify() {
  control_->events.fetch_add(1, std::memory_order_acq_rel);
  ::syscall(SYS_futex, &control_->events, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Session::wait(uint32_t seen, uint64_t deadline) const {
  timespec until{time_t(deadline / 1'000'000'000), long(deadline % 1'000'000'000)};
  // FUTEX_WAIT_BITSET takes an absolute time of CLOCK_MONOTONIC
  ::syscall(SYS_futex, &control_->events, FUTEX_WAIT_BITSET, seen, &until, nullptr, FUTEX_BITSET_MATCH_ANY);
}

SharedStatistics& Session::statistics() const { return control_->statistics; }
SharedRecordings& Session::recordings() const { return control_->recordings; }

void Session::count_unknown(const gpu::Statistics::Unknown& unknown, uint64_t times) {
  Lock lock(*this);
  for (auto& row : control_->statistics.unknown) {
    if (row.what[0] && std::strncmp(row.what, unknown.what.c_str(), sizeof row.what - 1) != 0) continue;
    if (!row.what[0]) {
      std::strncpy(row.what, unknown.what.c_str(), sizeof row.what - 1);
      std::strncpy(row.where, unknown.where.c_str(), sizeof row.where - 1);
    }
    row.times += times;
    return;
  }
}

void Session::add_finding(const gpu::Finding& finding) {
  Lock lock(*this);
  for (auto& row : control_->statistics.found) {
    if (row.times && (row.program != finding.program || finding.text != row.text)) continue;
    finding.text.copy(row.text, sizeof row.text - 1);
    row.program = finding.program;
    row.times += finding.times;
    return;
  }
  control_->statistics.found_more += finding.times;
}

uint64_t Session::count_refused(std::string_view what) {
  Lock lock(*this);
  for (auto& row : control_->statistics.refused) {
    std::string_view known = row.what;
    if (known.empty()) known = {row.what, what.copy(row.what, sizeof row.what - 1)};
    if (known == what.substr(0, sizeof row.what - 1)) return row.times++;
  }
  return 0;
}

namespace {

// FNV-1a (draft-eastlake-fnv) of a report without its numbers: addresses, lanes and groups differ from one failure to the next.
uint64_t kind_of(std::string_view why) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < why.size(); ++i) {
    char c = why[i];
    if (c >= '0' && c <= '9') {
      const bool hex = c == '0' && i + 1 < why.size() && why[i + 1] == 'x';
      const size_t end = why.find_first_not_of(hex ? "0123456789abcdef" : "0123456789", hex ? i + 2 : i);
      i = std::min(end, why.size()) - 1;
      c = '0';
    }
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace

uint64_t Session::count_lost(std::string_view why) {
  const uint64_t kind = kind_of(why);
  Lock lock(*this);
  for (auto& row : control_->statistics.lost) {
    if (row.times && row.kind != kind) continue;
    if (!row.times) why.copy(row.why, sizeof row.why - 1), row.kind = kind;
    return row.times++;
  }
  return 0;
}

Expected<uint64_t> Session::allocate(uint64_t bytes) {
  if (bytes == 0) return 0;
  Request request;
  request.bytes = request.asked_bytes = bytes;
  request.begin = uint64_t(1) << 32;
  request.end = memory_bytes;
  auto index = allocate(request);
  if (!index) return std::unexpected(index.error());
  return control_->allocations[*index].offset;
}

void Session::release(uint64_t offset, uint64_t bytes) {
  if (bytes == 0) return;
  Lock lock(*this);
  uint32_t previous = 0;
  for (uint32_t i = control_->first; i; previous = i, i = control_->allocations[i].next)
    if (control_->allocations[i].offset == offset) return unlink(i, previous);
}

uint64_t Session::allocated_bytes() const {
  Lock lock(*this);
  uint64_t bytes = 0;
  for (uint32_t i = control_->first; i; i = control_->allocations[i].next) bytes += control_->allocations[i].bytes;
  return bytes;
}

}  // namespace Atoll::drm
