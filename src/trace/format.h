// A recording: everything that a driver did to a GPU, so that it can be done again without the driver. docs/recording.md is the
// format for people; writer.h and reader.h write and read the file, recorder.h and player.h give its records their meaning.
//
// The file: a header (the eight bytes "ATOLLTRC", the version and a reserved word), then chunks. A chunk has a header that says
// how long it is and a hash, and holds at most 1 MiB of records, compressed. A record is its kind, the length of its payload, the
// payload; it may go on in the next chunk. Numbers in records are LEB128 (seven bits a byte, the lowest first); a text is its
// length and its bytes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll::trace {

inline constexpr std::string_view magic = "ATOLLTRC";
inline constexpr uint32_t version = 3;               // what is written; versions 1 and 2 are read as well
inline constexpr uint32_t first_xxhash_version = 3;  // up to the one before, hashes are Atoll's own

enum class Kind : uint64_t {
  device = 1,  // text: the GPU's name
  space = 2,   // number of a new address space, bytes of its window
  map = 3,     // space, GPU address, offset in the memory file, bytes, 1 if writable | 2 if it stands for no memory
  unmap = 4,   // space, GPU address, bytes
  queue = 5,   // number of a new queue, its gpu::QueueKind, space
  pages = 6,   // runs of pages that the CPU wrote: first page, count, 4096 bytes each
  submit = 7,  // queue, count, then address, dwords, flags (1: constant engine) of each buffer; flags (submit_polled) if not 0
  digest = 8,  // what the submission left: count of pages that it changed, then page, hash (8 bytes) of each
  mmio_write = 9,  // byte address, value
  lost = 10,       // text: the report with which the submission before lost its context
  end = 11,        // number of submissions, Closing: everything that was submitted is here
  keyframe = 64,   // reserved: all of the GPU's state, so that a reader may begin here
};
// The program polls memory for the end of what it submitted (a queue of /dev/kfd) and may have written there when it was recorded.
inline constexpr uint64_t submit_polled = 1;
// Unknown kinds from here on are skipped and counted by readers; below, they are refused.
inline constexpr uint64_t first_optional_kind = 64;

// The process that set the mark at the end.
enum class Closing : uint8_t {
  process = 0,  // the process that was recorded, at its end
  launcher = 1  // whoever started it, since it ended without coming to its end (killed, _exit); nothing was under way
};

// No writer makes anything larger: readers refuse it.
inline constexpr size_t max_chunk_bytes = size_t(1) << 20;             // of records
inline constexpr size_t max_stored_bytes = size_t(1) << 20 | 1 << 16;  // of them compressed
inline constexpr size_t max_payload = size_t(16) << 20;
inline constexpr size_t max_record_pages = 64;  // that a Kind::pages holds
inline constexpr int max_window_log = 23;       // of zstd: 8 MiB

inline constexpr size_t file_header_bytes = 16, chunk_header_bytes = 40;
inline constexpr uint32_t chunk_magic = 0x4b4e4843;  // "CHNK"

struct ChunkHeader {
  uint32_t flags;        // fresh; bits 16 and up may be passed over by who does not know them
  uint32_t stored;       // bytes that follow the header
  uint32_t raw;          // bytes of records that they decode to
  uint64_t submissions;  // that are whole before this chunk
  uint64_t hash;         // of the stored bytes
};
// Needs nothing of the chunks before: the compression begins anew and a record begins with the chunk.
inline constexpr uint32_t chunk_fresh = 1;
inline constexpr uint32_t known_chunk_flags = chunk_fresh, required_chunk_flags = 0xffff;

std::array<uint8_t, chunk_header_bytes> encode(const ChunkHeader& header, uint32_t version = trace::version);
// False if these bytes are not a chunk header, or a damaged one.
bool decode(std::span<const uint8_t, chunk_header_bytes> bytes, ChunkHeader& header, uint32_t version = trace::version);

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

// A payload being read: numbers beyond its end are 0 and `ok` is false from then on.
class Payload {
public:
  explicit Payload(std::span<const uint8_t> bytes) : rest_(bytes) {}
  uint64_t number();
  std::string text();
  std::span<const uint8_t> raw(uint64_t bytes);
  bool ok = true;
  bool empty() const { return rest_.empty(); }

private:
  std::span<const uint8_t> rest_;
};

// The 64-bit hash of a page that digests of this version hold, and of a chunk's bytes: XXH3, not cryptographic, the same on every
// host.
uint64_t page_hash(const uint8_t* page, uint32_t version = trace::version);
uint64_t bytes_hash(std::span<const uint8_t> bytes, uint32_t version = trace::version);

}  // namespace Atoll::trace
