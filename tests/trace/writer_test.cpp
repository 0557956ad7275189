// Writing goes on in somebody else's program: an error is kept, the program's signals, descriptors and children are left alone.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <random>

#include "trace/recorded.h"

namespace {

using namespace Atoll;
using trace::Kind;

// Bytes that do not compress.
trace::Bytes noise(size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  trace::Bytes b;
  b.text("");
  for (size_t n = 0; n < bytes; n++) b.data.push_back(uint8_t(random()));
  return b;
}

struct FileSizeLimit {
  rlimit before{};
  explicit FileSizeLimit(uint64_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit now{bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before); }
};

TEST(Writer, AFullDeviceIsAnError) {
  auto writer = trace::Writer::on(::open("/dev/full", O_WRONLY | O_CLOEXEC), "/dev/full");
  ASSERT_TRUE(writer);
  (*writer)->record(Kind::device, noise(10, 1));
  EXPECT_FALSE((*writer)->flush());
  EXPECT_EQ((*writer)->error(), "/dev/full cannot be written any further: No space left on device");
  EXPECT_FALSE((*writer)->flush());
}

// As the program that records has it by default, SIGXFSZ ends a process.
TEST(Writer, ALimitOnFileSizesIsAnErrorAndNoSignal) {
  Recorded r;
  r.make();
  auto memory = *MemoryFile::create();
  std::string bytes;
  {
    std::remove(r.path.c_str());
    auto recorder = *trace::Recorder::create(r.path, "adder", *memory);
    unsigned s = recorder->add_space(uint64_t(1) << 32), q = recorder->add_queue(gpu::QueueKind::graphics, s);
    FileSizeLimit limit(600);
    unsigned told = 0;
    for (unsigned n = 0; n < 20; n++) {
      recorder->begin_submission(q, {});
      recorder->end_submission();
      told += !recorder->error().empty();
    }
    EXPECT_GT(told, 5u);
    EXPECT_NE(recorder->error().find(r.path + " cannot be written any further: File too large"), std::string::npos);
    EXPECT_FALSE(recorder->finish());
    sigset_t pending;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    EXPECT_EQ(sigismember(&blocked, SIGXFSZ), 0);
  }
  // Everything that was flushed before is there, and nothing else.
  auto result = r.play();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->ending.place, trace::Ending::Place::between_chunks);
  EXPECT_GT(result->submissions, 2u);
  EXPECT_LT(result->submissions, 20u);
}

TEST(Writer, ASignalOfTheProgramsOwnStaysPending) {
  sigset_t signal, before, pending;
  sigemptyset(&signal);
  sigaddset(&signal, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signal, &before);
  raise(SIGXFSZ);
  Recorded r;
  {
    auto writer = *trace::Writer::create(r.path);
    FileSizeLimit limit(20);
    writer->record(Kind::device, noise(100, 2));
    EXPECT_FALSE(writer->flush());
  }
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 1);
  timespec at_once{};
  EXPECT_EQ(sigtimedwait(&signal, nullptr, &at_once), SIGXFSZ);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Writer, NothingIsWrittenOver) {
  Recorded r;
  r.put("somebody's");
  auto writer = trace::Writer::create(r.path);
  ASSERT_FALSE(writer);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(r.bytes(), "somebody's");
}

// Daemons close every descriptor that they do not know, and open others in their places.
TEST(Writer, AClosedDescriptorIsNotMistaken) {
  struct Descriptors {  // which of this process stand for the file
    static std::vector<int> of(const std::string& path) {
      std::vector<int> found;
      struct stat file{}, s{};
      ::stat(path.c_str(), &file);
      for (int fd = 0; fd < 1024; fd++)
        if (::fstat(fd, &s) == 0 && s.st_ino == file.st_ino && s.st_dev == file.st_dev) found.push_back(fd);
      return found;
    }
  };
  auto memory = *MemoryFile::create();
  Recorded r;
  std::string other = r.path + ".other";
  auto recorder = *trace::Recorder::create(r.path, "adder", *memory);
  unsigned s = recorder->add_space(uint64_t(1) << 32), q = recorder->add_queue(gpu::QueueKind::graphics, s);
  auto fds = Descriptors::of(r.path);
  ASSERT_EQ(fds.size(), 1u);
  EXPECT_GE(fds[0], 700) << "low numbers are the program's";
  int theirs = ::open(other.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  ASSERT_EQ(::dup2(theirs, fds[0]), fds[0]);
  recorder->begin_submission(q, {});
  recorder->end_submission();
  EXPECT_TRUE(recorder->finish()) << recorder->error();
  recorder.reset();
  struct stat status{};
  ASSERT_EQ(::fstat(fds[0], &status), 0) << "theirs is still open";
  EXPECT_EQ(status.st_size, 0);
  ::close(theirs), ::close(fds[0]);
  std::remove(other.c_str());
  auto result = r.play();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->submissions, 1u);
  EXPECT_EQ(result->ending.place, trace::Ending::Place::mark);
}

TEST(Writer, AChildWritesNothing) {
  Recorded r;
  auto writer = *trace::Writer::create(r.path);
  writer->record(Kind::device, noise(1000, 3));
  pid_t child = ::fork();
  if (child == 0) {
    writer->record(Kind::lost, noise(5000000, 4));
    writer->flush();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(r.bytes().size(), trace::file_header_bytes);
}

// A reader may begin at each of them: of a file without what stands before, all records are read that are there.
TEST(Writer, FreshChunksNeedNothingBefore) {
  Recorded r;
  std::vector<std::vector<uint8_t>> payloads;
  {
    auto writer = *trace::Writer::create(r.path);
    for (unsigned n = 0; n < 120; n++) {
      trace::Bytes b = noise(n % 7 * 150000 + 1, n);
      payloads.push_back(b.data);
      writer->record(Kind::lost, b);
      if (n % 3 == 0) {
        writer->count_submission();
        EXPECT_TRUE(writer->flush());
      }
    }
    EXPECT_TRUE(writer->sync());
  }
  std::string bytes = r.bytes();
  std::vector<size_t> fresh;
  uint64_t submissions = 0;
  for (size_t at = trace::file_header_bytes; at < bytes.size();) {
    std::array<uint8_t, trace::chunk_header_bytes> head;
    std::copy_n(bytes.begin() + ptrdiff_t(at), head.size(), head.begin());
    trace::ChunkHeader header;
    ASSERT_TRUE(trace::decode(head, header));
    EXPECT_LE(header.raw, trace::max_chunk_bytes);
    EXPECT_GE(header.submissions, submissions);
    submissions = header.submissions;
    if (header.flags & trace::chunk_fresh) fresh.push_back(at);
    at += head.size() + header.stored;
  }
  EXPECT_EQ(submissions, 40u);
  ASSERT_GE(fresh.size(), 3u);
  size_t last = payloads.size() + 1;
  for (size_t at : fresh) {
    r.put(bytes.substr(0, trace::file_header_bytes) + bytes.substr(at));
    auto reader = *trace::Reader::open(r.path);
    std::vector<trace::Record> records;
    for (trace::Record record; reader->next(record);) records.push_back(record);
    EXPECT_EQ(reader->ending().place, trace::Ending::Place::between_chunks) << reader->ending().text();
    ASSERT_LT(records.size(), last);
    last = records.size();
    ASSERT_GT(last, 0u);
    for (size_t n = 0; n < last; n++) ASSERT_EQ(records[n].payload, payloads[payloads.size() - last + n]);
  }
}

}  // namespace
