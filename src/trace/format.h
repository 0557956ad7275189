// A recording: everything that a driver did to a GPU, so that it can be done again without the driver. docs/recording.md is the
// format for people.
//
// The file: the eight bytes "ATOLLTRC", the version as four bytes (little endian), then one zstd stream of records. A record is
// its kind (one byte), the length of its payload, the payload. Numbers are LEB128 (seven bits a byte, the lowest first); a text
// is its length and its bytes. The stream is flushed after every submission, so that what a crash leaves behind can be replayed
// up to there.
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"

namespace Atoll::trace {

inline constexpr uint32_t version = 1;

enum class Kind : uint8_t {
  device = 1,      // text: the GPU's name
  space = 2,       // number of a new address space, bytes of its window
  map = 3,         // space, GPU address, offset in the memory file, bytes, 1 if writable
  unmap = 4,       // space, GPU address, bytes
  queue = 5,       // number of a new queue, its gpu::QueueKind, space
  pages = 6,       // runs of pages that the CPU wrote: first page, count, 4096 bytes each
  submit = 7,      // queue, count, then address, dwords, flags (1: constant engine) of each buffer
  digest = 8,      // what the submission left: count of pages that it changed, then page, hash (8 bytes) of each
  mmio_write = 9,  // byte address, value
  lost = 10,       // text: the report with which the submission before lost its context
};

class Bytes {
public:
  void number(uint64_t value) {
    for (; value >= 128; value >>= 7) data.push_back(uint8_t(value | 128));
    data.push_back(uint8_t(value));
  }
  void text(std::string_view t) {
    number(t.size());
    data.insert(data.end(), t.begin(), t.end());
  }
  void raw(const void* from, size_t bytes) {
    auto* p = static_cast<const uint8_t*>(from);
    data.insert(data.end(), p, p + bytes);
  }
  std::vector<uint8_t> data;
};

class Writer {
public:
  static Expected<std::unique_ptr<Writer>> create(const std::string& path);
  ~Writer();
  void record(Kind kind, const Bytes& payload);
  // Everything so far is in the file. False: the disk is full or the like.
  bool flush();

private:
  Writer() = default;
  struct Stream;
  std::unique_ptr<Stream> stream_;
  bool write(const void* data, size_t bytes, int directive);
};

// A payload being read: numbers beyond its end are 0 and `ok` is false from then on.
class Payload {
public:
  explicit Payload(std::span<const uint8_t> bytes) : rest_(bytes) {}
  uint64_t number();
  std::string text();
  std::span<const uint8_t> raw(size_t bytes);
  bool ok = true;
  bool empty() const { return rest_.empty(); }

private:
  std::span<const uint8_t> rest_;
};

struct Record {
  Kind kind;
  std::vector<uint8_t> payload;
};

class Reader {
public:
  // An error if the file is no recording, or one of a later version.
  static Expected<std::unique_ptr<Reader>> open(const std::string& path);
  ~Reader();
  // The next record; false at the end. `truncated` tells an end that came in the middle of something, `error` a damaged stream.
  bool next(Record& record);
  bool truncated = false;
  std::string error;

private:
  Reader() = default;
  struct Stream;
  std::unique_ptr<Stream> stream_;
  bool read(void* to, size_t bytes);
};

// The 64-bit hash of a page that digests hold: not cryptographic, the same on every host.
uint64_t page_hash(const uint8_t* page);

}  // namespace Atoll::trace
