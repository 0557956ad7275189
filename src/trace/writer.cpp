#include "trace/writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace Atoll::trace {
namespace {

// After so many bytes of records a chunk is made that needs none of those before.
constexpr uint64_t fresh_after = uint64_t(16) << 20;

// The program's own descriptors are low numbers, and it may count on them.
int away_from_the_programs(int descriptor) {
  constexpr int first_number = 700;
  int high = ::fcntl(descriptor, F_DUPFD_CLOEXEC, first_number);
  if (high < 0) return descriptor;
  ::close(descriptor);
  return high;
}

// A file that would grow beyond RLIMIT_FSIZE is refused with EFBIG and SIGXFSZ, which ends a program that never asked for a
// recording (setrlimit(2)). The signal goes to the thread that writes: it is held back there, and taken away.
class NoFileSizeSignal {
public:
  NoFileSizeSignal() {
    sigset_t pending;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigpending(&pending);
    theirs_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoFileSizeSignal() {
    int error = errno;
    timespec at_once{};
    if (raised && !theirs_)
      while (sigtimedwait(&signal_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;
  bool raised = false;

private:
  sigset_t signal_, before_;
  bool theirs_;
};

// 0, or why not. `at`: the place in the file; of what has none (a pipe) it is disregarded.
int write_at(int descriptor, const uint8_t* bytes, size_t count, uint64_t at) {
  NoFileSizeSignal quiet;
  while (count) {
    ssize_t n = ::pwrite(descriptor, bytes, count, off_t(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      quiet.raised = n < 0 && errno == EFBIG;
      return n < 0 ? errno : EIO;
    }
    bytes += n, count -= size_t(n), at += uint64_t(n);
  }
  return 0;
}

std::array<uint8_t, file_header_bytes> file_header() {
  std::array<uint8_t, file_header_bytes> bytes{};
  std::copy(magic.begin(), magic.end(), bytes.begin());
  bytes[magic.size()] = version;
  return bytes;
}

}  // namespace

struct Writer::Compressor {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  std::vector<uint8_t> out = std::vector<uint8_t>(chunk_header_bytes + max_stored_bytes);
  Compressor() { ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1); }
  ~Compressor() { ZSTD_freeCCtx(context); }
};

Expected<std::unique_ptr<Writer>> Writer::create(const std::string& path) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) {
    int why = errno;
    auto error = fail("{}: {}", path, std::strerror(why));
    errno = why;
    return error;
  }
  return on(away_from_the_programs(descriptor), path);
}

Expected<std::unique_ptr<Writer>> Writer::on(int descriptor, const std::string& path) {
  auto writer = std::unique_ptr<Writer>(new Writer);
  writer->path_ = path;
  writer->descriptor_ = descriptor;
  writer->owner_ = ::getpid();
  writer->compressor_ = std::make_unique<Compressor>();
  struct stat s{};
  if (::fstat(descriptor, &s) != 0) return fail("{}: {}", path, std::strerror(errno));
  writer->device_ = s.st_dev;
  writer->inode_ = s.st_ino;
  auto header = file_header();
  if (writer->store(header.data(), header.size())) writer->written_ = writer->end_;
  return writer;
}

Writer::~Writer() {
  if (descriptor_is_ours()) ::close(descriptor_);
}

// A program that closes what it does not know closes this as well (daemons do), and may have opened something else with the
// number.
bool Writer::descriptor_is_ours() {
  auto ours = [this](int descriptor) {
    struct stat s{};
    return descriptor >= 0 && ::fstat(descriptor, &s) == 0 && s.st_dev == device_ && s.st_ino == inode_;
  };
  if (ours(descriptor_)) return true;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor_ >= 0 && !ours(descriptor_)) {
    ::close(descriptor_);
    descriptor_ = -1;
  }
  if (descriptor_ >= 0) descriptor_ = away_from_the_programs(descriptor_);
  return descriptor_ >= 0;
}

void Writer::fail_with(int why) {
  error_ = fmt::format("{} cannot be written any further: {}", path_, std::strerror(why));
  // what was flushed last stays, and the room is somebody else's
  if (descriptor_ >= 0 && ::ftruncate(descriptor_, off_t(written_)) == 0) end_ = written_;
  raw_ = {};
}

bool Writer::store(const uint8_t* bytes, size_t count) {
  if (!error_.empty()) return false;
  if (!descriptor_is_ours()) return fail_with(EBADF), false;
  if (int why = write_at(descriptor_, bytes, count, end_)) return fail_with(why), false;
  end_ += count;
  return true;
}

void Writer::put_chunk() {
  if (raw_.empty() || !error_.empty()) return;
  ChunkHeader header{0, 0, uint32_t(raw_.size()), chunk_submissions_, 0};
  auto& [context, out] = *compressor_;
  if (end_ == file_header_bytes || (fresh_bytes_ >= fresh_after && between_records_)) {
    header.flags = chunk_fresh;
    fresh_bytes_ = 0;
    ZSTD_CCtx_reset(context, ZSTD_reset_session_only);
  }
  ZSTD_inBuffer in{raw_.data(), raw_.size(), 0};
  ZSTD_outBuffer stored{out.data() + chunk_header_bytes, out.size() - chunk_header_bytes, 0};
  size_t left;
  do left = ZSTD_compressStream2(context, &stored, &in, ZSTD_e_flush);
  while (!ZSTD_isError(left) && left && stored.pos < stored.size);
  if (left) return fail_with(ENOMEM);
  header.stored = uint32_t(stored.pos);
  header.hash = bytes_hash({out.data() + chunk_header_bytes, stored.pos});
  auto head = encode(header);
  std::copy(head.begin(), head.end(), out.begin());
  fresh_bytes_ += raw_.size();
  raw_.clear();
  chunk_submissions_ = submissions_;
  store(out.data(), chunk_header_bytes + stored.pos);
}

void Writer::record(Kind kind, const Bytes& payload) {
  if (!error_.empty() || owner_ != ::getpid()) return;
  if (raw_.empty()) between_records_ = true;
  Bytes head;
  head.number(uint64_t(kind));
  head.number(payload.data.size());
  for (std::span<const uint8_t> rest : {std::span<const uint8_t>(head.data), std::span<const uint8_t>(payload.data)})
    while (!rest.empty()) {
      size_t part = std::min(rest.size(), max_chunk_bytes - raw_.size());
      raw_.insert(raw_.end(), rest.begin(), rest.begin() + ptrdiff_t(part));
      rest = rest.subspan(part);
      if (raw_.size() < max_chunk_bytes) continue;
      put_chunk();
      between_records_ = false;  // the next one may begin in the middle of this record
    }
}

bool Writer::flush() {
  if (owner_ != ::getpid()) return true;
  put_chunk();
  if (error_.empty()) written_ = end_;
  return error_.empty();
}

// Quotas and file servers may notice only now that there is no room.
bool Writer::sync() {
  if (!flush() || owner_ != ::getpid()) return error_.empty();
  if (!descriptor_is_ours())
    fail_with(EBADF);
  else if (::fdatasync(descriptor_) != 0 && errno != EINVAL)
    fail_with(errno);
  return error_.empty();
}

Expected<void> close_recording(const std::string& path, uint64_t bytes, uint64_t submissions) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return fail("{}: {}", path, std::strerror(errno));
  Bytes payload, record;
  payload.number(submissions);
  payload.number(uint64_t(Closing::launcher));
  record.number(uint64_t(Kind::end));
  record.number(payload.data.size());
  record.raw(payload.data.data(), payload.data.size());
  std::vector<uint8_t> chunk(chunk_header_bytes + ZSTD_compressBound(record.data.size()));
  size_t stored = ZSTD_compress(chunk.data() + chunk_header_bytes, chunk.size() - chunk_header_bytes, record.data.data(),
                                record.data.size(), 1);
  ChunkHeader header{chunk_fresh, uint32_t(stored), uint32_t(record.data.size()), submissions,
                     bytes_hash({chunk.data() + chunk_header_bytes, stored})};
  auto head = encode(header);
  std::copy(head.begin(), head.end(), chunk.begin());
  int why = ::ftruncate(descriptor, off_t(bytes)) != 0 ? errno : 0;
  if (!why) why = write_at(descriptor, chunk.data(), chunk_header_bytes + stored, bytes);
  if (why) (void)!::ftruncate(descriptor, off_t(bytes));
  ::close(descriptor);
  if (why) return fail("{}: {}", path, std::strerror(why));
  return {};
}

}  // namespace Atoll::trace
