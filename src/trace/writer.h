// Writes a recording's file from within somebody else's program: it does not touch the program's descriptors, signals and
// children, and a file that cannot be written is an error to query, never the end of the program.
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>

#include "base/expected.h"
#include "trace/format.h"

namespace Atoll::trace {

class Writer {
public:
  // Makes a new file: an error if there is something at `path` already (errno is EEXIST then).
  static Expected<std::unique_ptr<Writer>> create(const std::string& path);
  // To a descriptor that is open for writing and empty; takes it over.
  static Expected<std::unique_ptr<Writer>> on(int descriptor, const std::string& path);
  ~Writer();

  // Nothing happens in a child of the process that made the writer, and after a failure.
  void record(Kind kind, const Bytes& payload);
  // Everything so far is in the file. False: see error().
  bool flush();
  // And on the disk.
  bool sync();

  // The submissions that are whole so far, for the headers of chunks.
  void count_submission() { submissions_++; }
  uint64_t submissions() const { return submissions_; }
  // Bytes at the beginning of the file that are intact.
  uint64_t bytes() const { return written_; }
  // The file has this name now.
  void moved_to(const std::string& path) { path_ = path; }

  // Why the file ends before the recording does, or empty. Everything flushed before is whole.
  const std::string& error() const { return error_; }

private:
  Writer() = default;
  struct Compressor;
  void put_chunk();
  bool store(const uint8_t* bytes, size_t count);
  bool descriptor_is_ours();
  void fail_with(int why);

  std::string path_, error_;
  int descriptor_ = -1;
  pid_t owner_ = 0;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::unique_ptr<Compressor> compressor_;
  std::vector<uint8_t> raw_;        // records that are in no chunk yet
  uint64_t end_ = 0, written_ = 0;  // of the file; up to the last flush
  uint64_t submissions_ = 0, chunk_submissions_ = 0;
  uint64_t fresh_bytes_ = 0;  // of records since the last fresh chunk
  bool between_records_ = true;
};

// Sets the end mark of a recording whose process is gone: the first `bytes` are intact, and what follows is cut off.
Expected<void> close_recording(const std::string& path, uint64_t bytes, uint64_t submissions);

}  // namespace Atoll::trace
