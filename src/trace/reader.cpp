#include "trace/reader.h"

#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "memory/memory_file.h"

namespace Atoll::trace {
namespace {

struct Close {
  void operator()(FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<FILE, Close>;

struct FreeContext {
  void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
};
using Context = std::unique_ptr<ZSTD_DCtx, FreeContext>;

Context make_context() {
  Context context(ZSTD_createDCtx());
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, max_window_log);
  return context;
}

constexpr uint64_t max_payload_1 = uint64_t(1) << 32;  // of version 1
constexpr uint64_t part_bytes = uint64_t(1) << 18;
constexpr size_t header_bytes_1 = 12;
constexpr size_t block_header = 3;  // of zstd, RFC 8878 3.1.1.2

// "1 byte does", "2 bytes do"
std::string bytes(uint64_t n, const char* one, const char* more) { return fmt::format("{} {}", n, n == 1 ? one : more); }
std::string missing_text(uint64_t n) { return bytes(n, "byte or more is missing", "bytes or more are missing"); }
std::string undecoded_text(uint64_t n) { return bytes(n, "byte does not decode", "bytes do not decode"); }

}  // namespace

std::string Ending::text() const {
  std::string behind =
      submissions ? fmt::format("behind submission {}", submissions - 1) : "before the first submission is whole";
  if (submissions && begun) behind += " (the next one is there without what it left)";
  switch (place) {
    case Place::mark:
    case Place::unknown: return {};
    case Place::between_chunks:
      return fmt::format(
          "ends {}, without its mark at the end: the program was killed at work, is still running, or the file was cut", behind);
    case Place::chunk_header: return fmt::format("ends inside the header of a chunk, {}: {}", behind, undecoded_text(undecoded));
    case Place::chunk:
      if (!undecoded) return fmt::format("ends inside a block of its compression, {}: {}", behind, missing_text(missing));
      return fmt::format("ends inside a chunk, {}: {}, {}", behind, undecoded_text(undecoded), missing_text(missing));
    case Place::record:
      return fmt::format("ends inside a record, {}: {}, {}", behind,
                         bytes(undecoded, "byte of it is there", "bytes of it are there"), missing_text(missing));
    case Place::damaged: return fmt::format("is damaged at byte {}, {}: {}", offset, behind, damage);
  }
  return {};
}

// The source of records: the decoded bytes of the file.
struct Reader::Source {
  virtual ~Source() = default;
  // Some of the bytes that follow, at least one; 0 at the end, which is then in `ending`.
  virtual size_t some(uint8_t* to, size_t bytes, Ending& ending) = 0;
};

struct Reader::Chunks : Source {
  File file;
  Context context = make_context();
  std::vector<uint8_t> stored, raw;
  size_t at = 0;
  bool first = true;

  uint32_t version;

  Chunks(File f, uint32_t v) : file(std::move(f)), version(v) {}

  bool damaged(Ending& ending, std::string why) {
    ending.place = Ending::Place::damaged;
    ending.damage = std::move(why);
    return false;
  }

  bool load(Ending& ending) {
    std::array<uint8_t, chunk_header_bytes> head;
    size_t got = std::fread(head.data(), 1, head.size(), file.get());
    if (std::ferror(file.get())) return damaged(ending, std::strerror(errno));
    if (!got) {
      ending.place = Ending::Place::between_chunks;
      return false;
    }
    if (got < head.size()) {
      ending.place = Ending::Place::chunk_header;
      ending.undecoded = got;
      ending.missing = head.size() - got;
      return false;
    }
    ChunkHeader header;
    if (!decode(head, header, version)) return damaged(ending, "this is no header of a chunk");
    if (header.flags & required_chunk_flags & ~known_chunk_flags)
      return damaged(ending, fmt::format("a chunk with flags 0x{:x}, of a later Atoll", header.flags));
    if (header.raw > max_chunk_bytes || header.stored > max_stored_bytes || !header.raw)
      return damaged(ending, fmt::format("a chunk of {} bytes in {}", header.raw, header.stored));
    bool fresh = header.flags & chunk_fresh;
    if (first && !fresh) return damaged(ending, "the first chunk needs one before it");
    stored.resize(header.stored);
    got = std::fread(stored.data(), 1, stored.size(), file.get());
    if (std::ferror(file.get())) return damaged(ending, std::strerror(errno));
    if (got < stored.size()) {
      ending.place = Ending::Place::chunk;
      ending.undecoded = head.size() + got;
      ending.missing = stored.size() - got;
      return false;
    }
    if (bytes_hash(stored, version) != header.hash) return damaged(ending, "a chunk's bytes are not those that were written");
    first = false;
    if (fresh) ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);
    raw.resize(header.raw);
    ZSTD_inBuffer in{stored.data(), stored.size(), 0};
    ZSTD_outBuffer out{raw.data(), raw.size(), 0};
    for (;;) {
      size_t before = in.pos + out.pos;
      size_t state = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(state)) return damaged(ending, ZSTD_getErrorName(state));
      if (in.pos + out.pos == before || (in.pos == in.size && out.pos == out.size)) break;
    }
    if (in.pos != in.size || out.pos != out.size) return damaged(ending, "a chunk decodes to less or more than it says");
    at = 0;
    ending.offset += head.size() + stored.size();
    return true;
  }

  size_t some(uint8_t* to, size_t bytes, Ending& ending) override {
    if (at == raw.size() && !load(ending)) {
      raw.clear(), at = 0;
      return 0;
    }
    size_t part = std::min(bytes, raw.size() - at);
    std::memcpy(to, raw.data() + at, part);
    at += part;
    return part;
  }
};

// Version 1: one stream of zstd, flushed after every submission and seldom ended.
struct Reader::Stream : Source {
  File file;
  Context context = make_context();
  std::vector<uint8_t> in = std::vector<uint8_t>(ZSTD_DStreamInSize());
  ZSTD_inBuffer input{in.data(), 0, 0};
  size_t wanted = block_header;  // what zstd would like to have next: between blocks the header of one

  explicit Stream(File f) : file(std::move(f)) {}

  size_t some(uint8_t* to, size_t bytes, Ending& ending) override {
    ZSTD_outBuffer out{to, bytes, 0};
    for (;;) {
      bool over = false;
      if (input.pos == input.size) {
        ending.offset += input.size;
        input = {in.data(), std::fread(in.data(), 1, in.size(), file.get()), 0};
        over = !input.size;  // what the context still holds, or the end
      }
      size_t state = ZSTD_decompressStream(context.get(), &out, &input);
      if (ZSTD_isError(state)) {
        ending.place = Ending::Place::damaged;
        ending.offset += input.pos;
        ending.damage = std::ferror(file.get()) ? std::strerror(errno) : ZSTD_getErrorName(state);
        return 0;
      }
      if (!over || out.pos) wanted = state;
      if (out.pos) return out.pos;
      if (!over) continue;
      bool between = wanted == 0 || wanted == block_header;
      ending.place = between ? Ending::Place::unknown : Ending::Place::chunk;
      ending.missing = wanted > block_header ? wanted - block_header : wanted;
      return 0;
    }
  }
};

Reader::~Reader() = default;

Expected<std::unique_ptr<Reader>> Reader::open(const std::string& path) {
  File file(std::fopen(path.c_str(), "rbe"));
  if (!file) return fail("{}: {}", path, std::strerror(errno));
  std::array<uint8_t, file_header_bytes> head{};
  size_t got = std::fread(head.data(), 1, header_bytes_1, file.get());
  if (std::ferror(file.get())) return fail("{}: {}", path, std::strerror(errno));
  size_t begins = std::min(got, magic.size());
  if (!got || std::memcmp(head.data(), magic.data(), begins) != 0)
    return fail("{} is no recording: it does not begin with {}", path, magic);
  uint32_t v = 0;
  for (unsigned i = 0; i < 4; i++) v |= uint32_t(head[magic.size() + i]) << 8 * i;
  size_t needed = got == header_bytes_1 && v == 1 ? header_bytes_1 : file_header_bytes;
  if (got == header_bytes_1 && v > trace::version)
    return fail("{} has version {} of the format; this Atoll reads versions 1 to {}: record it again", path, v, trace::version);
  if (got == header_bytes_1 && v == 0) return fail("{} is damaged: version 0 of the format", path);
  if (needed > header_bytes_1 && got == header_bytes_1) got += std::fread(head.data() + got, 1, needed - got, file.get());
  if (got < needed) return fail("{} ends inside its header: {} of {} bytes are there", path, got, needed);
  if (head[12] | head[13]) return fail("{} needs a later Atoll: its header has flags 0x{:x}", path, head[12] | head[13] << 8);
  auto reader = std::unique_ptr<Reader>(new Reader);
  reader->version_ = v;
  reader->ending_.offset = needed;
  if (v == 1)
    reader->source_ = std::make_unique<Stream>(std::move(file));
  else
    reader->source_ = std::make_unique<Chunks>(std::move(file), v);
  return reader;
}

bool Reader::read(uint8_t* to, size_t bytes, size_t& got) {
  for (got = 0; got < bytes;) {
    size_t part = source_->some(to + got, bytes - got, ending_);
    if (!part) return stop(), false;
    got += part;
    record_bytes_ += part;
  }
  return true;
}

// The file is over, or what follows cannot be read: what that means for the records.
void Reader::stop() {
  using Place = Ending::Place;
  ended_ = true;
  Place& place = ending_.place;
  if ((place == Place::between_chunks || place == Place::unknown) && record_bytes_) {
    place = Place::record;
    ending_.undecoded = record_bytes_;
    if (!ending_.missing) ending_.missing = 1;
  } else if (place == Place::between_chunks && marked_) {
    place = Place::mark;
  }
}

bool Reader::damaged(std::string why) {
  ended_ = true;
  ending_.place = Ending::Place::damaged;
  ending_.damage = std::move(why);
  return false;
}

bool Reader::record_head(uint64_t& kind, uint64_t& length) {
  auto number = [this](uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      uint8_t byte;
      size_t got;
      if (!read(&byte, 1, got)) return false;
      value |= uint64_t(byte & 127) << shift;
      if (!(byte & 128)) return true;
    }
    return damaged("a number without an end");
  };
  record_bytes_ = 0;
  return number(kind) && number(length);
}

// Memory for it is taken as its bytes come.
bool Reader::payload(std::vector<uint8_t>& to, uint64_t length) {
  to.clear();
  for (uint64_t have = 0; have < length;) {
    uint64_t part = std::min(length - have, part_bytes);
    to.resize(have + part);
    size_t got;
    if (!read(to.data() + have, part, got)) {
      if (ending_.place == Ending::Place::record) ending_.missing = length - have - got;
      return false;
    }
    have += part;
  }
  return true;
}

// Version 1 keeps all that the CPU wrote before a submission in one record, however much it is.
bool Reader::part_of_pages(Record& record) {
  auto number = [this](uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && pages_left_; shift += 7) {
      uint8_t byte;
      size_t got;
      if (!read(&byte, 1, got)) return false;
      pages_left_--;
      value |= uint64_t(byte & 127) << shift;
      if (!(byte & 128)) return true;
    }
    return damaged("a number without an end");
  };
  while (!run_count_ && pages_left_)
    if (!number(run_first_) || !number(run_count_)) return false;
  uint64_t count = std::min<uint64_t>(run_count_, max_record_pages);
  if (count * page_bytes > pages_left_) return damaged("pages reach beyond their record");
  std::vector<uint8_t> bytes;
  if (!payload(bytes, count * page_bytes)) return false;
  pages_left_ -= bytes.size();
  Bytes part;
  part.data.reserve(bytes.size() + 20);
  if (count) {
    part.number(run_first_);
    part.number(count);
    part.raw(bytes.data(), bytes.size());
  }
  run_first_ += count, run_count_ -= count;
  record.kind = Kind::pages;
  record.payload = std::move(part.data);
  return true;
}

void Reader::note(const Record& record) {
  marked_ = false;
  switch (record.kind) {
    case Kind::submit: ending_.begun = true; break;
    case Kind::digest:
      ending_.submissions += ending_.begun;
      ending_.begun = false;
      break;
    case Kind::end: {
      Payload p(record.payload);
      uint64_t submissions = p.number(), closing = p.number();
      if (!p.ok || submissions != ending_.submissions || ending_.begun)
        damaged(fmt::format("the mark at the end counts {} submissions", submissions));
      else
        marked_ = true;
      ending_.closing = closing == uint64_t(Closing::launcher) ? Closing::launcher : Closing::process;
      break;
    }
    default: break;
  }
}

bool Reader::next(Record& record) {
  for (;;) {
    if (ended_) return false;
    if (pages_left_) return part_of_pages(record);
    uint64_t kind, length;
    if (!record_head(kind, length)) return false;
    record.kind = Kind(kind);
    bool parts = version_ == 1 && record.kind == Kind::pages && length > part_bytes;
    if (length > (version_ == 1 ? max_payload_1 : max_payload) || (!parts && length > max_payload))
      return damaged(fmt::format("a record of {} bytes", length));
    if (parts) {
      pages_left_ = length;
      run_count_ = 0;
      continue;
    }
    if (!payload(record.payload, length)) return false;
    record_bytes_ = 0;
    if (kind >= first_optional_kind) {
      passed_over_++;
      marked_ = false;
      continue;
    }
    if (kind == 0 || kind > uint64_t(Kind::end)) return damaged(fmt::format("a record of kind {}, of a later Atoll", kind));
    note(record);
    if (ended_) return false;
    return true;
  }
}

}  // namespace Atoll::trace
