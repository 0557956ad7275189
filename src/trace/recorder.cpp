#include "trace/recorder.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "memory/memory_file.h"

namespace Atoll::trace {
namespace {

// Pages that follow each other, as Kind::pages has them.
class Runs {
public:
  void add(uint64_t page, const uint8_t* bytes) {
    if (count_ && page != first_ + count_) put();
    if (!count_) first_ = page;
    count_++;
    run_.insert(run_.end(), bytes, bytes + page_bytes);
  }
  const Bytes& done() {
    put();
    return all_;
  }

private:
  void put() {
    if (!count_) return;
    all_.number(first_);
    all_.number(count_);
    all_.raw(run_.data(), run_.size());
    count_ = 0;
    run_.clear();
  }
  Bytes all_;
  uint64_t first_ = 0, count_ = 0;
  std::vector<uint8_t> run_;
};

}  // namespace

Expected<std::unique_ptr<Recorder>> Recorder::create(const std::string& path, std::string_view gpu, const MemoryFile& memory) {
  auto writer = Writer::create(path);
  if (!writer) return std::unexpected(writer.error());
  auto r = std::unique_ptr<Recorder>(new Recorder);
  r->writer_ = std::move(*writer);
  r->path_ = path;
  r->descriptor_ = memory.descriptor();
  static constexpr std::array<uint8_t, page_bytes> zeros{};
  r->zero_hash_ = page_hash(zeros.data());
  Bytes b;
  b.text(gpu);
  r->writer_->record(Kind::device, b);
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

void Recorder::map(unsigned space, uint64_t gpu_address, uint64_t file_offset, uint64_t bytes, bool writable) {
  unmap(space, gpu_address, bytes);
  std::lock_guard lock(mutex_);
  mappings_[{space, gpu_address}] = {file_offset, bytes};
  Bytes b;
  b.number(space);
  b.number(gpu_address);
  b.number(file_offset);
  b.number(bytes);
  b.number(writable);
  writer_->record(Kind::map, b);
}

void Recorder::unmap(unsigned space, uint64_t gpu_address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  bool any = false;
  uint64_t end = gpu_address + bytes;
  // What the range cuts keeps its parts outside of it.
  auto at = mappings_.upper_bound({space, gpu_address});
  if (at != mappings_.begin() && std::prev(at)->first.first == space) --at;
  while (at != mappings_.end() && at->first.first == space && at->first.second < end) {
    uint64_t begin = at->first.second;
    Mapping m = at->second;
    if (begin + m.bytes <= gpu_address) {
      ++at;
      continue;
    }
    any = true;
    at = mappings_.erase(at);
    if (begin < gpu_address) mappings_[{space, begin}] = {m.file_offset, gpu_address - begin};
    if (begin + m.bytes > end)
      at = mappings_.insert_or_assign({space, end}, Mapping{m.file_offset + (end - begin), begin + m.bytes - end}).first;
  }
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

bool Recorder::view_all(uint64_t bytes) {
  if (bytes <= view_bytes_) return true;
  if (view_) munmap(const_cast<uint8_t*>(view_), view_bytes_);
  void* p = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor_, 0);
  view_ = p == MAP_FAILED ? nullptr : static_cast<const uint8_t*>(p);
  view_bytes_ = view_ ? bytes : 0;
  hashes_.resize(view_bytes_ / page_bytes, zero_hash_);
  return view_ != nullptr;
}

std::vector<Recorder::Range> Recorder::mapped_pages() const {
  std::vector<Range> ranges;
  for (auto& [place, m] : mappings_)
    ranges.push_back({m.file_offset / page_bytes, (m.file_offset + m.bytes + page_bytes - 1) / page_bytes});
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

// Calls visit(page, bytes, hash) for every mapped page that is not what it last was. Holes of the file were never written and are
// passed over, since reading them would fill them.
template <class Visit>
void Recorder::changed_pages(Visit visit) {
  struct stat s;
  if (fstat(descriptor_, &s) != 0 || !view_all(uint64_t(s.st_size) / page_bytes * page_bytes)) {
    error_ = fmt::format("{}: the GPU's memory cannot be read", path_);
    return;
  }
  for (Range r : mapped_pages()) {
    r.end = std::min(r.end, view_bytes_ / page_bytes);
    for (uint64_t page = r.begin; page < r.end;) {
      off_t data = lseek(descriptor_, off_t(page * page_bytes), SEEK_DATA);
      if (data < 0) break;
      off_t hole = lseek(descriptor_, data, SEEK_HOLE);
      uint64_t end = std::min(r.end, (uint64_t(hole) + page_bytes - 1) / page_bytes);
      for (page = std::max(page, uint64_t(data) / page_bytes); page < end; page++) {
        uint64_t hash = page_hash(view_ + page * page_bytes);
        if (hash == hashes_[page]) continue;
        hashes_[page] = hash;
        visit(page, view_ + page * page_bytes, hash);
      }
    }
  }
}

void Recorder::write_pages(const Bytes& runs) {
  if (!runs.data.empty()) writer_->record(Kind::pages, runs);
}

void Recorder::begin_submission(unsigned queue, std::span<const gpu::CommandBuffer> buffers) {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return !running_; });
  running_ = true;
  Runs runs;
  changed_pages([&](uint64_t page, const uint8_t* bytes, uint64_t) { runs.add(page, bytes); });
  write_pages(runs.done());
  Bytes s;
  s.number(queue);
  s.number(buffers.size());
  for (const gpu::CommandBuffer& buffer : buffers) {
    s.number(buffer.address);
    s.number(buffer.dwords);
    s.number(buffer.constant_engine);
  }
  writer_->record(Kind::submit, s);
}

void Recorder::end_submission(const std::string& lost) {
  std::lock_guard lock(mutex_);
  Bytes pages;
  Runs runs;
  uint64_t count = 0;
  changed_pages([&](uint64_t page, const uint8_t* bytes, uint64_t hash) {
    if (page < cpu_visible_.size() && cpu_visible_[page]) return runs.add(page, bytes);
    count++;
    pages.number(page);
    pages.raw(&hash, 8);
  });
  Bytes b;
  b.number(count);
  b.raw(pages.data.data(), pages.data.size());
  writer_->record(Kind::digest, b);
  write_pages(runs.done());
  if (!lost.empty()) {
    Bytes text;
    text.text(lost);
    writer_->record(Kind::lost, text);
  }
  if (!writer_->flush()) error_ = fmt::format("{}: cannot be written to the end: is the disk full?", path_);
  running_ = false;
  idle_.notify_one();
}

}  // namespace Atoll::trace
