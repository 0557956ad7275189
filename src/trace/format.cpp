#include "trace/format.h"

#include <unistd.h>
#include <zstd.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "memory/memory_file.h"

namespace Atoll::trace {
namespace {

constexpr char magic[] = "ATOLLTRC";
constexpr uint64_t most_payload = uint64_t(1) << 32;

struct Close {
  void operator()(FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<FILE, Close>;

}  // namespace

// --- writing
// ---------------------------------------------------------------------------------------------------------------------
struct Writer::Stream {
  File file;
  pid_t owner = ::getpid();  // a child of fork() must not write
  ZSTD_CCtx* context = ZSTD_createCCtx();
  std::vector<uint8_t> out = std::vector<uint8_t>(ZSTD_CStreamOutSize());
  bool failed = false;
  ~Stream() { ZSTD_freeCCtx(context); }
};

Expected<std::unique_ptr<Writer>> Writer::create(const std::string& path) {
  auto writer = std::unique_ptr<Writer>(new Writer);
  writer->stream_ = std::make_unique<Stream>();
  writer->stream_->file.reset(std::fopen(path.c_str(), "wbxe"));
  if (!writer->stream_->file) return fail("{}: {}", path, std::strerror(errno));
  uint32_t v = version;
  std::fwrite(magic, 1, 8, writer->stream_->file.get());
  std::fwrite(&v, 1, 4, writer->stream_->file.get());
  ZSTD_CCtx_setParameter(writer->stream_->context, ZSTD_c_compressionLevel, 1);
  return writer;
}

Writer::~Writer() {
  if (stream_ && stream_->file) write(nullptr, 0, ZSTD_e_end);
  if (stream_ && stream_->owner != ::getpid()) (void)stream_->file.release();  // what it buffers is the parent's
}

bool Writer::write(const void* data, size_t bytes, int directive) {
  Stream& s = *stream_;
  if (s.owner != ::getpid()) return true;
  ZSTD_inBuffer in{data, bytes, 0};
  for (;;) {
    ZSTD_outBuffer out{s.out.data(), s.out.size(), 0};
    size_t left = ZSTD_compressStream2(s.context, &out, &in, ZSTD_EndDirective(directive));
    if (ZSTD_isError(left) || std::fwrite(s.out.data(), 1, out.pos, s.file.get()) != out.pos) return s.failed = true, false;
    if (directive == ZSTD_e_continue ? in.pos == in.size : left == 0) return true;
  }
}

void Writer::record(Kind kind, const Bytes& payload) {
  Bytes head;
  head.data.push_back(uint8_t(kind));
  head.number(payload.data.size());
  write(head.data.data(), head.data.size(), ZSTD_e_continue);
  write(payload.data.data(), payload.data.size(), ZSTD_e_continue);
}

bool Writer::flush() {
  write(nullptr, 0, ZSTD_e_flush);
  return std::fflush(stream_->file.get()) == 0 && !stream_->failed;
}

// --- reading
// ---------------------------------------------------------------------------------------------------------------------
uint64_t Payload::number() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    uint8_t byte = rest_[0];
    rest_ = rest_.subspan(1);
    value |= uint64_t(byte & 127) << shift;
    if (!(byte & 128)) return value;
  }
  ok = false;
  return 0;
}

std::span<const uint8_t> Payload::raw(size_t bytes) {
  if (bytes > rest_.size()) {
    ok = false;
    return {};
  }
  auto taken = rest_.first(bytes);
  rest_ = rest_.subspan(bytes);
  return taken;
}

std::string Payload::text() {
  auto bytes = raw(number());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Reader::Stream {
  File file;
  ZSTD_DCtx* context = ZSTD_createDCtx();
  std::vector<uint8_t> in = std::vector<uint8_t>(ZSTD_DStreamInSize());
  ZSTD_inBuffer input{in.data(), 0, 0};
  ~Stream() { ZSTD_freeDCtx(context); }
};

Reader::~Reader() = default;

Expected<std::unique_ptr<Reader>> Reader::open(const std::string& path) {
  auto reader = std::unique_ptr<Reader>(new Reader);
  reader->stream_ = std::make_unique<Stream>();
  FILE* file = std::fopen(path.c_str(), "rbe");
  reader->stream_->file.reset(file);
  if (!file) return fail("{}: {}", path, std::strerror(errno));
  char head[8];
  uint32_t v = 0;
  if (std::fread(head, 1, 8, file) != 8 || std::memcmp(head, magic, 8) != 0 || std::fread(&v, 1, 4, file) != 4)
    return fail("{} is no recording: it does not begin with {}", path, magic);
  if (v != version)
    return fail("{} has version {} of the format; this Atoll reads version {}: record it again", path, v, version);
  return reader;
}

bool Reader::read(void* to, size_t bytes) {
  Stream& s = *stream_;
  ZSTD_outBuffer out{to, bytes, 0};
  while (out.pos < out.size) {
    if (s.input.pos == s.input.size) {
      s.input = {s.in.data(), std::fread(s.in.data(), 1, s.in.size(), s.file.get()), 0};
      if (!s.input.size) {  // what the context still holds, or the end
        size_t before = out.pos;
        ZSTD_inBuffer none{nullptr, 0, 0};
        if (ZSTD_isError(ZSTD_decompressStream(s.context, &out, &none)) || out.pos == before)
          return truncated |= out.pos > 0, false;
        continue;
      }
    }
    size_t state = ZSTD_decompressStream(s.context, &out, &s.input);
    if (ZSTD_isError(state)) {
      error = ZSTD_getErrorName(state);
      return false;
    }
  }
  return true;
}

bool Reader::next(Record& record) {
  uint8_t kind;
  if (!read(&kind, 1)) return false;
  uint64_t length = 0;
  for (unsigned shift = 0;; shift += 7) {
    uint8_t byte;
    if (!read(&byte, 1)) return truncated = true, false;
    length |= uint64_t(byte & 127) << shift;
    if (!(byte & 128)) break;
    if (shift > 56) return error = "a record's length has no end", false;
  }
  if (length > most_payload) return error = fmt::format("a record of {} bytes", length), false;
  record.kind = Kind(kind);
  // A length that lies must not cost its memory before its bytes are there.
  record.payload.clear();
  for (uint64_t have = 0; have < length;) {
    uint64_t part = std::min<uint64_t>(length - have, 1 << 20);
    record.payload.resize(have + part);
    if (!read(record.payload.data() + have, part)) return truncated = true, false;
    have += part;
  }
  return true;
}

// Four lanes of multiply and rotate over 8 bytes each, then mixed.
uint64_t page_hash(const uint8_t* page) {
  constexpr uint64_t a = 0x9e3779b97f4a7c15, b = 0xc2b2ae3d27d4eb4f;
  uint64_t lane[4] = {1, 2, 3, 4};
  for (size_t at = 0; at < page_bytes; at += 32)
    for (size_t l = 0; l < 4; l++) {
      uint64_t word;
      std::memcpy(&word, page + at + l * 8, 8);
      lane[l] = std::rotl(lane[l] ^ word * b, 31) * a;
    }
  uint64_t hash = 0;
  for (uint64_t l : lane) hash = std::rotl((hash ^ l) * b, 29) * a;
  return hash ^ hash >> 32;
}

}  // namespace Atoll::trace
