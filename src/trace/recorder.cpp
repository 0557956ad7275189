#include "trace/recorder.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/interval_map.h"
#include "memory/memory_file.h"

namespace Atoll::trace {
namespace {

// Pages that follow each other, as Kind::pages has them; large runs become several records.
class Runs {
public:
  explicit Runs(Writer& writer) : writer_(writer) {}
  ~Runs() { put(); }
  void add(uint64_t page, const uint8_t* bytes) {
    if (count_ && (page != first_ + count_ || count_ == max_record_pages)) put();
    if (!count_) first_ = page;
    count_++;
    run_.insert(run_.end(), bytes, bytes + page_bytes);
  }

private:
  void put() {
    if (!count_) return;
    Bytes record;
    record.data.reserve(run_.size() + 20);
    record.number(first_);
    record.number(count_);
    record.raw(run_.data(), run_.size());
    writer_.record(Kind::pages, record);
    count_ = 0;
    run_.clear();
  }
  Writer& writer_;
  uint64_t first_ = 0, count_ = 0;
  std::vector<uint8_t> run_;
};

// Pages and hashes as Kind::digest has them; very many become several records.
class Digest {
public:
  explicit Digest(Writer& writer) : writer_(writer) {}
  void add(uint64_t page, uint64_t hash) {
    if (count_ == most) put();
    count_++;
    pages_.number(page);
    pages_.raw(&hash, 8);
  }
  void put() {
    Bytes record;
    record.number(count_);
    record.raw(pages_.data.data(), pages_.data.size());
    writer_.record(Kind::digest, record);
    count_ = 0;
    pages_.data.clear();
  }

private:
  static constexpr uint64_t most = 1 << 18;
  Writer& writer_;
  uint64_t count_ = 0;
  Bytes pages_;
};

}  // namespace

Expected<std::unique_ptr<Recorder>> Recorder::create(const std::string& path, std::string_view gpu, const MemoryFile& memory,
                                                     Progress* progress) {
  auto writer = Writer::create(path);
  if (!writer) return std::unexpected(writer.error());
  auto r = std::unique_ptr<Recorder>(new Recorder);
  r->writer_ = std::move(*writer);
  r->path_ = path;
  if (progress) r->progress_ = progress;
  r->descriptor_ = memory.descriptor();
  static constexpr std::array<uint8_t, page_bytes> zeros{};
  r->zero_hash_ = page_hash(zeros.data());
  Bytes b;
  b.text(gpu);
  r->writer_->record(Kind::device, b);
  r->flush();
  return r;
}

Recorder::~Recorder() {
  if (view_) munmap(const_cast<uint8_t*>(view_), view_bytes_);
}

std::string Recorder::error() const {
  std::lock_guard lock(mutex_);
  return error_;
}

unsigned Recorder::add_space(uint64_t window_bytes) {
  std::lock_guard lock(mutex_);
  Bytes b;
  b.number(spaces_);
  b.number(window_bytes);
  writer_->record(Kind::space, b);
  return spaces_++;
}

unsigned Recorder::add_queue(gpu::QueueKind kind, unsigned space) {
  std::lock_guard lock(mutex_);
  Bytes b;
  b.number(queues_);
  b.number(uint64_t(kind));
  b.number(space);
  writer_->record(Kind::queue, b);
  return queues_++;
}

void Recorder::map(unsigned space, uint64_t gpu_address, uint64_t file_offset, uint64_t bytes, bool writable, bool absent) {
  unmap(space, gpu_address, bytes);
  std::lock_guard lock(mutex_);
  mappings_[space][gpu_address] = {file_offset, bytes};
  Bytes b;
  b.number(space);
  b.number(gpu_address);
  b.number(file_offset);
  b.number(bytes);
  b.number(uint64_t(writable) | uint64_t(absent) << 1);
  writer_->record(Kind::map, b);
}

void Recorder::unmap(unsigned space, uint64_t gpu_address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  bool any = false;
  cut_range(mappings_[space], gpu_address, bytes, &Mapping::file_offset, [&](uint64_t, uint64_t, const Mapping&) { any = true; });
  if (!any) return;
  Bytes b;
  b.number(space);
  b.number(gpu_address);
  b.number(bytes);
  writer_->record(Kind::unmap, b);
}

void Recorder::cpu_visible(uint64_t file_offset, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  uint64_t end = (file_offset + bytes + page_bytes - 1) / page_bytes;
  if (cpu_visible_.size() < end) cpu_visible_.resize(end);
  for (uint64_t page = file_offset / page_bytes; page < end; page++) cpu_visible_[page] = true;
}

void Recorder::mmio_write(uint32_t address, uint32_t value) {
  std::lock_guard lock(mutex_);
  Bytes b;
  b.number(address);
  b.number(value);
  writer_->record(Kind::mmio_write, b);
}

uint64_t& Recorder::hash_of(uint64_t page) {
  auto& block = hashes_[page / block_pages];
  if (block.empty()) block.resize(block_pages, zero_hash_);
  return block[page % block_pages];
}

bool Recorder::view_all(uint64_t bytes) {
  if (bytes <= view_bytes_) return true;
  if (view_) munmap(const_cast<uint8_t*>(view_), view_bytes_);
  void* p = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor_, 0);
  view_ = p == MAP_FAILED ? nullptr : static_cast<const uint8_t*>(p);
  view_bytes_ = view_ ? bytes : 0;
  return view_ != nullptr;
}

std::vector<Recorder::Range> Recorder::mapped_pages() const {
  std::vector<Range> ranges;
  for (auto& [space, mappings] : mappings_)
    for (auto& [address, m] : mappings)
      ranges.push_back({m.file_offset / page_bytes, (m.file_offset + m.bytes + page_bytes - 1) / page_bytes});
  return joined(std::move(ranges));
}

std::vector<Recorder::Range> Recorder::joined(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> joined;
  for (const Range& r : ranges) {
    if (!joined.empty() && r.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, r.end);
    else
      joined.push_back(r);
  }
  return joined;
}

bool Recorder::is_reached(uint64_t page) const {
  auto after = std::upper_bound(reached_.begin(), reached_.end(), page, [](uint64_t p, const Range& r) { return p < r.begin; });
  return after != reached_.begin() && page < std::prev(after)->end;
}

// Calls visit(page, bytes, hash) for every page of the ranges that is not what it last was. Holes of the file are not read, which would
// fill them: they are zero, be it that nothing was ever there or that the memory was given back.
template <class Visit>
void Recorder::changed_pages(const std::vector<Range>& ranges, Visit visit) {
  static constexpr std::array<uint8_t, page_bytes> zeros{};
  struct stat s;
  if (fstat(descriptor_, &s) != 0 || !view_all(uint64_t(s.st_size) / page_bytes * page_bytes)) {
    error_ = fmt::format("{} cannot be written any further: the GPU's memory cannot be read", path_);
    return;
  }
  auto look_at_hole = [&](uint64_t page, uint64_t end) {
    while (page < end) {
      uint64_t block_end = std::min(end, round_down(page, block_pages) + block_pages);
      if (auto block = hashes_.find(page / block_pages); block != hashes_.end())
        for (; page < block_end; page++)
          if (uint64_t& before = block->second[page % block_pages]; before != zero_hash_)
            before = zero_hash_, visit(page, zeros.data(), zero_hash_);
      page = block_end;
    }
  };
  for (Range r : ranges) {
    r.end = std::min(r.end, view_bytes_ / page_bytes);
    for (uint64_t page = r.begin; page < r.end;) {
      off_t data = lseek(descriptor_, off_t(page * page_bytes), SEEK_DATA);
      uint64_t begin = data < 0 ? r.end : std::min(r.end, uint64_t(data) / page_bytes);
      look_at_hole(page, begin);
      page = begin;
      if (page == r.end) break;
      off_t hole = lseek(descriptor_, data, SEEK_HOLE);
      uint64_t end = std::min(r.end, (uint64_t(hole) + page_bytes - 1) / page_bytes);
      for (; page < end; page++) {
        uint64_t hash = page_hash(view_ + page * page_bytes);
        uint64_t& before = hash_of(page);
        if (hash == before) continue;
        before = hash;
        visit(page, view_ + page * page_bytes, hash);
      }
    }
  }
}

// The counts of bytes and submissions are published only when the file holds them.
void Recorder::flush() {
  if (failed()) return;
  if (!writer_->flush()) {
    error_ = writer_->error();
    return;
  }
  progress_->bytes.store(writer_->bytes(), std::memory_order_relaxed);
  progress_->submissions.store(writer_->submissions(), std::memory_order_release);
}

void Recorder::begin_submission(unsigned queue, std::span<const gpu::CommandBuffer> buffers,
                                const std::optional<std::vector<FileRange>>& reaches, bool polled) {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return !running_; });
  running_ = true;
  if (failed()) return;
  progress_->marked.store(0, std::memory_order_relaxed);
  reaches_all_mapped_ = !reaches;
  reached_.clear();
  if (reaches) {
    for (auto& r : *reaches) reached_.push_back({r.offset / page_bytes, (r.offset + r.bytes + page_bytes - 1) / page_bytes});
    reached_ = joined(std::move(reached_));
  } else {
    reached_ = mapped_pages();
  }
  {
    Runs runs(*writer_);
    changed_pages(reached_, [&](uint64_t page, const uint8_t* bytes, uint64_t) { runs.add(page, bytes); });
  }
  if (failed()) return;
  Bytes s;
  s.number(queue);
  s.number(buffers.size());
  for (const gpu::CommandBuffer& buffer : buffers) {
    s.number(buffer.address);
    s.number(buffer.dwords);
    s.number(buffer.constant_engine);
  }
  if (polled) s.number(submit_polled);
  writer_->record(Kind::submit, s);
}

void Recorder::end_submission(const std::string& lost) {
  std::lock_guard lock(mutex_);
  running_ = false;
  idle_.notify_one();
  if (failed()) return;
  Digest digest(*writer_);
  {
    Runs runs(*writer_);
    changed_pages(reaches_all_mapped_ ? mapped_pages() : reached_, [&](uint64_t page, const uint8_t* bytes, uint64_t hash) {
      bool others = page < cpu_visible_.size() && cpu_visible_[page];
      if (others || !is_reached(page)) return runs.add(page, bytes);  // what was mapped meanwhile is for the next submission
      digest.add(page, hash);
    });
  }
  if (failed()) return;
  digest.put();
  if (!lost.empty()) {
    Bytes text;
    text.text(lost);
    writer_->record(Kind::lost, text);
  }
  writer_->count_submission();
  flush();
}

bool Recorder::finish() {
  std::lock_guard lock(mutex_);
  if (running_ || failed()) return false;
  if (progress_->marked) return true;
  Bytes mark;
  mark.number(writer_->submissions());
  mark.number(uint64_t(Closing::process));
  writer_->record(Kind::end, mark);
  if (!writer_->sync()) {
    error_ = writer_->error();
    return false;
  }
  flush();
  progress_->marked.store(1, std::memory_order_release);
  return true;
}

void Recorder::moved_to(const std::string& path) {
  std::lock_guard lock(mutex_);
  writer_->moved_to(path);
}

}  // namespace Atoll::trace
