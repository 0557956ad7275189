#include "trace/player.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <thread>
#include <unordered_map>

#include "gpu/open/open.h"
#include "memory/memory_file.h"
#include "trace/reader.h"

namespace Atoll::trace {
namespace {

constexpr uint64_t max_memory = uint64_t(1) << 40, whole_address_space = uint64_t(1) << Sections::address_bits;
constexpr size_t max_spaces = 4096, max_queues = 4096, max_buffers = 1 << 16;

}  // namespace

class Player {
public:
  Player(const std::string& path, const PlayOptions& options) : path_(path), options_(options) {}
  ~Player() {
    if (device_ && options_.before_close) options_.before_close(*device_);
  }

  Expected<void> open_file() {
    auto reader = Reader::open(path_);
    if (!reader) return std::unexpected(reader.error());
    reader_ = std::move(*reader);
    version_ = reader_->version();
    auto memory = MemoryFile::create();
    if (!memory) return std::unexpected(memory.error());
    memory_ = *memory;
    if (options_.edit && options_.program_writes)
      editor_.emplace(*options_.edit, *options_.program_writes, *memory_, options_.edited);
    return {};
  }

  Expected<bool> next() {
    const uint64_t before = result_.submissions;
    Record record;
    while (result_.submissions == before) {
      if (!reader_->next(record)) break;
      if (auto done = take(record); !done) return std::unexpected(done.error());
    }
    if (result_.submissions == before)
      if (auto done = go_on(); !done) return std::unexpected(done.error());
    return result_.submissions != before;
  }

  Expected<PlayResult> end() {
    result_.ending = reader_->ending();
    result_.passed_over = reader_->passed_over();
    if (!device_) return fail("{} {}", path_, result_.ending.whole() ? "names no GPU" : result_.ending.text());
    if (options_.before_end) options_.before_end();
    for (auto& queue : queues_) add(queue->statistics());
    result_.draws = result_.statistics.draws;
    queues_.clear();
    return result_;
  }

  const PlayResult& result() const { return result_; }
  const Ending& ending() const { return reader_->ending(); }
  uint64_t draws() const { return draw_; }
  uint64_t queues() const { return queues_.size(); }
  const MemoryFile* memory() const { return memory_.get(); }
  const AddressSpace* space(uint64_t number) const { return number < spaces_.size() ? spaces_[number].get() : nullptr; }
  const AddressSpace* space_of_queue(uint64_t number) const {
    return number < queue_spaces_.size() ? queue_spaces_[number] : nullptr;
  }
  std::optional<Cursor::Place> find(const void* host) const {
    for (uint64_t number = 0; number < spaces_.size(); number++) {
      const auto& space = spaces_[number];
      const auto address = space->gpu_address_of(host);
      if (!address || *address < 0 || uint64_t(*address) >= space->size()) continue;
      for (const AddressSpace::Part& part : space->mapped_parts(uint64_t(*address), 1))
        if (uint64_t(*address) - part.gpu_address < part.bytes)
          return Cursor::Place{uint64_t(*address), part.file_offset + (uint64_t(*address) - part.gpu_address), number};
    }
    return {};
  }

private:
  const std::string path_;
  const PlayOptions& options_;
  PlayResult result_;
  std::unique_ptr<Reader> reader_;
  uint32_t version_ = version;  // of the recording
  std::shared_ptr<MemoryFile> memory_;
  std::unique_ptr<gpu::Device> device_;
  std::vector<std::unique_ptr<AddressSpace>> spaces_;
  std::vector<std::unique_ptr<gpu::Queue>> queues_;
  std::vector<gpu::QueueKind> queue_kinds_;
  std::vector<const AddressSpace*> queue_spaces_;
  uint64_t file_bytes_ = 0, draw_ = 0;
  bool polled_ = false;  // the last submission
  std::optional<Editor> editor_;
  // A submission and what follows it up to its digest. Among these are the pages that the program could write meanwhile, as they
  // were afterwards.
  std::vector<Record> waiting_;
  uint64_t waiting_bytes_ = 0;
  static constexpr uint64_t max_waiting_bytes = uint64_t(256) << 20;
  std::unordered_map<uint64_t, std::vector<uint8_t>> before_;  // what these pages hold before it runs

  // A submission waits until it is known which pages to look at before it runs.
  Expected<void> take(Record& record) {
    if (waiting_.empty() && (record.kind != Kind::submit || !options_.executes)) return carry_out(record);
    const bool last = !waiting_.empty() && record.kind != Kind::pages && record.kind != Kind::map && record.kind != Kind::unmap &&
                      record.kind != Kind::space && record.kind != Kind::queue && record.kind != Kind::mmio_write;
    waiting_bytes_ += record.payload.size() + sizeof(Record);
    waiting_.push_back(std::move(record));
    record = {};
    return last || waiting_bytes_ > max_waiting_bytes ? go_on() : Expected<void>();
  }

  Expected<void> go_on() {
    std::vector<Record> records = std::move(waiting_);
    waiting_.clear();
    waiting_bytes_ = 0;
    for (const Record& record : records)
      if (record.kind == Kind::pages) keep_pages(record);
    Expected<void> done;
    const uint64_t submission = result_.submissions;
    const size_t lost = result_.lost.size();
    for (size_t n = 0; n < records.size() && done; n++) done = carry_out(records[n]);
    before_.clear();
    if (done && editor_ && result_.submissions != submission)
      done = editor_->end_submission(submission, std::span(result_.lost).subspan(lost));
    return done;
  }

  // A malformed record keeps the pages before its error; executing it reports that.
  void keep_pages(const Record& record) {
    Payload p(record.payload);
    while (!p.empty() && p.ok) {
      const uint64_t first = p.number(), count = p.number();
      if (first > max_memory / page_bytes || count > max_memory / page_bytes) return;
      p.raw(count * page_bytes);
      for (uint64_t n = 0; n < count && p.ok; n++) before_[first + n] = page_of_memory(first + n);
    }
  }

  std::vector<uint8_t> page_of_memory(uint64_t number) {
    std::vector<uint8_t> page(page_bytes);  // beyond the file's end zeros
    const ssize_t got = pread(memory_->descriptor(), page.data(), page_bytes, off_t(number * page_bytes));
    if (got != ssize_t(page_bytes)) page.assign(page_bytes, 0);
    return page;
  }

  // A page that program and GPU could write, as it was when the submission had been recorded.
  void compare_shared(uint64_t number, const uint8_t* recorded) {
    auto kept = before_.find(number);
    if (kept == before_.end()) return;
    const std::vector<uint8_t> now = page_of_memory(number);
    bool written = false;
    std::string unlike;
    for (size_t at = 0; at < page_bytes; at += 4) {
      if (!std::memcmp(&now[at], &kept->second[at], 4)) continue;
      written = true;
      if (unlike.empty() && std::memcmp(&now[at], recorded + at, 4) != 0) unlike = difference(at, &now[at], recorded + at);
    }
    result_.pages_left += !written && std::memcmp(now.data(), recorded, page_bytes) != 0;
    result_.pages_compared += written;
    if (unlike.empty()) return;
    if (polled_)
      result_.pages_overtaken++;
    else
      note_unlike(number, unlike);
  }

  static std::string difference(size_t at, const uint8_t* now, const uint8_t* recorded) {
    uint32_t words[2];
    std::memcpy(&words[0], now, 4), std::memcpy(&words[1], recorded, 4);
    return fmt::format(", 0x{:08x} instead of 0x{:08x} at byte 0x{:x}", words[0], words[1], at);
  }

  void note_unlike(uint64_t page, const std::string& what = {}) {
    if (!result_.pages_unlike++)
      result_.first_unlike = fmt::format("submission {}, page 0x{:x} of the memory{}", result_.submissions - 1, page, what);
  }

  Expected<void> carry_out(const Record& record) {
    Payload p(record.payload);
    auto done = step(record.kind, p, record.payload);
    if (!done) return fail("{}: {}", path_, done.error().message);
    if (!p.ok) return fail("{}: a record of kind {} ends too early", path_, int(record.kind));
    if (editor_ && is_kept_as_it_is(record.kind)) editor_->write(record.kind, record.payload);
    return {};
  }

  // By an edited recording.
  static bool is_kept_as_it_is(Kind kind) {
    return kind == Kind::device || kind == Kind::space || kind == Kind::map || kind == Kind::unmap || kind == Kind::queue ||
           kind == Kind::mmio_write;
  }

  Expected<void> step(Kind kind, Payload& p, std::span<const uint8_t> payload) {
    if (!device_ && kind != Kind::device) return fail("a record before the GPU's name");
    if (device_ && device_->stop) return fail("stopped in submission {}", result_.submissions ? result_.submissions - 1 : 0);
    switch (kind) {
      case Kind::device: return open(p.text());
      case Kind::space: return add_space(p);
      case Kind::map: return map(p);
      case Kind::unmap: return unmap(p);
      case Kind::queue: return add_queue(p);
      case Kind::pages: return pages(p);
      case Kind::submit: return submit(p, payload);
      case Kind::digest: return compare(p);
      case Kind::mmio_write: {
        uint32_t address = uint32_t(p.number()), value = uint32_t(p.number());
        on_own_thread([&] { device_->write_register(address, value); });
        return {};
      }
      case Kind::lost: p.text(); return {};
      case Kind::end:
      case Kind::keyframe: return {};
    }
    return fail("a record of unknown kind {}", int(kind));
  }

  Expected<void> open(const std::string& name) {
    if (device_) return fail("two GPUs");
    auto device = options_.open ? options_.open(name, options_.gpu) : gpu::open_device(name, options_.gpu);
    if (!device) return std::unexpected(device.error());
    device_ = std::move(*device);
    result_.gpu = name;
    if (options_.after_open) options_.after_open(*device_);
    device_->after_draw = [this](uint64_t, gpu::DrawnInto& into) {
      uint64_t draw = draw_++;
      if (options_.drawn) options_.drawn(draw);
      if (options_.after_draw && draw >= options_.first_draw && draw <= options_.last_draw)
        options_.after_draw(draw, into.pictures());
    };
    return {};
  }

  // The file grows to hold what the recording names; what nothing is written to takes no memory.
  Expected<void> reach(uint64_t bytes) {
    if (bytes > max_memory) return fail("0x{:x} bytes of memory", bytes);
    if (bytes <= file_bytes_) return {};
    if (ftruncate(memory_->descriptor(), off_t(bytes)) != 0)
      return fail("0x{:x} bytes of memory: {}", bytes, std::strerror(errno));
    file_bytes_ = bytes;
    return {};
  }

  AddressSpace* find_space(uint64_t number) { return number < spaces_.size() ? spaces_[number].get() : nullptr; }

  Expected<void> add_space(Payload& p) {
    uint64_t number = p.number(), bytes = p.number();
    if (number != spaces_.size() || number >= max_spaces || (bytes > uint64_t(1) << 44 && bytes != whole_address_space) ||
        bytes < uint64_t(1) << 32 || bytes & (bytes - 1))
      return fail("address space {} of 0x{:x} bytes", number, bytes);
    auto made = bytes == whole_address_space ? AddressSpace::create_sectioned(memory_) : AddressSpace::create(memory_, bytes);
    if (!made) return std::unexpected(made.error());
    if (spaces_.empty()) device_->attach(**made);
    spaces_.push_back(std::move(*made));
    return {};
  }

  Expected<void> map(Payload& p) {
    uint64_t number = p.number(), address = p.number(), offset = p.number(), bytes = p.number();
    const uint64_t how = p.number();
    AddressSpace* s = find_space(number);
    if (!s || (address | offset | bytes) % page_bytes || bytes > max_memory || offset > max_memory || address > s->size() ||
        bytes > s->size() - address)
      return fail("a mapping of 0x{:x} bytes at 0x{:x} in address space {}", bytes, address, number);
    if (auto ok = reach(offset + bytes); !ok) return ok;
    return s->map(address, offset, bytes, how & 1, how & 2);
  }

  Expected<void> unmap(Payload& p) {
    uint64_t number = p.number(), address = p.number(), bytes = p.number();
    AddressSpace* s = find_space(number);
    if (!s || (address | bytes) % page_bytes || address > s->size() || bytes > s->size() - address)
      return fail("an unmapping of 0x{:x} bytes at 0x{:x} in address space {}", bytes, address, number);
    return s->unmap(address, bytes);
  }

  Expected<void> add_queue(Payload& p) {
    uint64_t number = p.number(), kind = p.number(), in = p.number();
    AddressSpace* s = find_space(in);
    if (number != queues_.size() || number >= max_queues || kind > uint64_t(gpu::QueueKind::copy) || !s)
      return fail("queue {} of kind {} in address space {}", number, kind, in);
    auto queue = device_->make_queue(gpu::QueueKind(kind), *s);
    if (!queue) return std::unexpected(queue.error());
    queues_.push_back(std::move(*queue));
    queue_spaces_.push_back(s);
    queue_kinds_.push_back(gpu::QueueKind(kind));
    return {};
  }

  // Pages that are written to take memory: no more of it than the machine has.
  Expected<void> afford(uint64_t bytes) {
    struct stat s{};
    if (fstat(memory_->descriptor(), &s) != 0) return fail("memory: {}", std::strerror(errno));
    uint64_t taken = uint64_t(s.st_blocks) * 512;
    if (taken + bytes > machine_memory_bytes())
      return fail("its pages need more than the 0x{:x} bytes of memory of this machine", machine_memory_bytes());
    return {};
  }

  Expected<void> pages(Payload& p) {
    while (!p.empty() && p.ok) {
      uint64_t first = p.number(), count = p.number();
      if (first > max_memory / page_bytes || count > max_memory / page_bytes) return fail("page 0x{:x}", first);
      auto bytes = p.raw(count * page_bytes);
      if (!p.ok) break;
      if (auto ok = afford(bytes.size()); !ok) return ok;
      if (auto ok = reach((first + count) * page_bytes); !ok) return ok;
      std::vector<uint8_t> merged;
      if (editor_) {
        merged.assign(bytes.begin(), bytes.end());
        for (uint64_t n = 0; n < count; n++) editor_->page(first + n, std::span(merged).subspan(n * page_bytes, page_bytes));
        editor_->write_pages(first, merged);
        bytes = merged;
      } else {
        for (uint64_t n = 0; n < count && !before_.empty(); n++) compare_shared(first + n, bytes.data() + n * page_bytes);
        for (uint64_t n = 0; n < count && options_.found_writes; n++)
          if (auto noted =
                  note_program_writes(*options_.found_writes, *memory_, first + n, bytes.subspan(n * page_bytes, page_bytes));
              !noted)
            return noted;
      }
      if (pwrite(memory_->descriptor(), bytes.data(), bytes.size(), off_t(first * page_bytes)) != ssize_t(bytes.size()))
        return fail("memory: {}", std::strerror(errno));
      if (options_.wrote) options_.wrote(first, count);
    }
    return {};
  }

  // GPU code runs on threads of Atoll's own only. An exception of a caller's function there (memory, output) is thrown here.
  template <class Body>
  void on_own_thread(Body body) {
    std::exception_ptr thrown;
    std::thread([&] {
      try {
        body();
      } catch (...) {
        thrown = std::current_exception();
      }
    }).join();
    if (thrown) std::rethrow_exception(thrown);
  }

  Expected<void> submit(Payload& p, std::span<const uint8_t> payload) {
    uint64_t number = p.number(), count = p.number();
    if (number >= queues_.size() || count > max_buffers) return fail("a submission of {} buffers to queue {}", count, number);
    std::vector<gpu::CommandBuffer> buffers(count);
    for (auto& b : buffers) {
      b.address = p.number();
      b.dwords = uint32_t(p.number());
      b.constant_engine = p.number();
    }
    if (!p.ok) return {};
    polled_ = !p.empty() && (p.number() & submit_polled);
    if (options_.before_submission) options_.before_submission(result_.submissions, number, queue_kinds_[number]);
    const bool left_out = editor_ && editor_->leaves_out(result_.submissions);
    if (editor_ && !left_out) {
      if (auto begun = editor_->begin_submission(result_.submissions, *queue_spaces_[number]); !begun) return begun;
      editor_->write(Kind::submit, payload);
    }
    Expected<void> done;
    if (!left_out) on_own_thread([&] { done = queues_[number]->run(buffers); });
    if (!done) result_.lost.push_back(fmt::format("submission {}: {}", result_.submissions, done.error().message));
    if (options_.after_submission) options_.after_submission(result_.submissions);
    result_.submissions++;
    return {};
  }

  Expected<void> compare(Payload& p) {
    if (!options_.executes) return {};
    if (editor_) return compare_edited(p);
    std::vector<uint8_t> page(page_bytes);
    for (uint64_t n = p.number(); n && p.ok; n--) {
      uint64_t number = p.number(), expected;
      auto bytes = p.raw(8);
      if (!p.ok) break;
      std::memcpy(&expected, bytes.data(), 8);
      result_.pages_compared++;
      ssize_t got = pread(memory_->descriptor(), page.data(), page_bytes, off_t(number * page_bytes));
      const bool same = got == ssize_t(page_bytes) && page_hash(page.data(), version_) == expected;
      if (options_.left) options_.left(number, same);
      if (!same) note_unlike(number);
    }
    return {};
  }

  // The pages that it left otherwise then are looked at in the edited recording as well, as they come out now.
  Expected<void> compare_edited(Payload& p) {
    std::vector<uint64_t> pages;
    for (uint64_t n = p.number(); n && p.ok; n--) {
      const uint64_t number = p.number();
      p.raw(8);
      if (p.ok) pages.push_back(number);
    }
    if (result_.submissions && !editor_->leaves_out(result_.submissions - 1)) editor_->digest(pages);
    return {};
  }

  void add(const gpu::Statistics& s) {
    gpu::Statistics& t = result_.statistics;
    t.submissions += s.submissions, t.packets += s.packets, t.draws += s.draws, t.dispatches += s.dispatches;
    t.waves += s.waves, t.instructions += s.instructions, t.compiled += s.compiled, t.called += s.called,
        t.interpreted += s.interpreted;
    t.vertices += s.vertices, t.primitives += s.primitives, t.pixels += s.pixels;
    for (const auto& [path, pixels] : s.pixel_paths) t.pixel_paths[path] += pixels;
    t.seconds += s.seconds, t.compile_seconds += s.compile_seconds;
    t.unknown.insert(t.unknown.end(), s.unknown.begin(), s.unknown.end());
  }
};

Expected<std::unique_ptr<Cursor>> Cursor::open(const std::string& path, PlayOptions options) {
  std::unique_ptr<Cursor> cursor(new Cursor);
  cursor->options_ = std::move(options);
  cursor->player_ = std::make_unique<Player>(path, cursor->options_);
  if (auto opened = cursor->player_->open_file(); !opened) return std::unexpected(opened.error());
  return cursor;
}
Cursor::~Cursor() = default;

Expected<bool> Cursor::next() { return player_->next(); }
Expected<bool> Cursor::to(uint64_t submissions) {
  while (player_->result().submissions < submissions) {
    auto more = player_->next();
    if (!more || !*more) return more;
  }
  return true;
}
const PlayResult& Cursor::result() const { return player_->result(); }
const Ending& Cursor::ending() const { return player_->ending(); }
uint64_t Cursor::draws() const { return player_->draws(); }
uint64_t Cursor::queues() const { return player_->queues(); }
const MemoryFile* Cursor::memory() const { return player_->memory(); }
const AddressSpace* Cursor::space(uint64_t number) const { return player_->space(number); }
const AddressSpace* Cursor::space_of_queue(uint64_t number) const { return player_->space_of_queue(number); }
std::optional<Cursor::Place> Cursor::find(const void* host) const { return player_->find(host); }

Expected<PlayResult> play(const std::string& path, const PlayOptions& options) {
  Player player(path, options);
  if (auto opened = player.open_file(); !opened) return std::unexpected(opened.error());
  for (;;) {
    auto more = player.next();
    if (!more) return std::unexpected(more.error());
    if (!*more) return player.end();
  }
}

}  // namespace Atoll::trace
