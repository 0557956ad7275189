#include "trace/edit.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace Atoll::trace {
namespace {

using Page = std::array<uint8_t, page_bytes>;

// Beyond the file's end memory is zeros.
Page page_in(const MemoryFile& memory, uint64_t number) {
  Page page;
  if (::pread(memory.descriptor(), page.data(), page_bytes, off_t(number * page_bytes)) != ssize_t(page_bytes)) page.fill(0);
  return page;
}

// The place in the memory file of each dword; empty: not all are mapped.
std::vector<uint64_t> places_of(const AddressSpace& space, uint64_t address, size_t dwords) {
  std::vector<uint64_t> places;
  if (address % 4) return places;
  for (const AddressSpace::Part& part : space.mapped_parts(address, dwords * 4)) {
    const uint64_t begin = address + places.size() * 4;
    if (part.absent || part.gpu_address > begin || part.gpu_address + part.bytes <= begin) break;
    const size_t count = std::min<uint64_t>(dwords - places.size(), (part.gpu_address + part.bytes - begin) / 4);
    for (size_t n = 0; n < count; n++) places.push_back(part.file_offset + (begin - part.gpu_address) + n * 4);
  }
  if (places.size() != dwords) places.clear();
  return places;
}

}  // namespace

Expected<void> note_program_writes(ProgramWrites& writes, const MemoryFile& memory, uint64_t number,
                                   std::span<const uint8_t> bytes) {
  if (writes.pages.size() >= ProgramWrites::most) return fail("more than {} pages that the program writes", ProgramWrites::most);
  const Page now = page_in(memory, number);
  ProgramWrites::Dwords& dwords = writes.pages.emplace_back();
  for (size_t n = 0; n < dwords.size(); n++)
    if (std::memcmp(&now[n * 4], &bytes[n * 4], 4) != 0) dwords.set(n);
  return {};
}

Expected<void> Editor::begin_submission(uint64_t submission, const AddressSpace& space) {
  const auto packets = edit_.packets.find(submission);
  if (packets == edit_.packets.end()) return {};
  std::set<uint64_t> pages;
  for (const LeftOutPacket& packet : packets->second) {
    const std::vector<uint64_t> places = places_of(space, packet.address, packet.instead.size());
    for (size_t n = 0; n < places.size(); n++) {
      uint32_t before = 0;
      if (::pread(memory_.descriptor(), &before, 4, off_t(places[n])) != 4 ||
          ::pwrite(memory_.descriptor(), &packet.instead[n], 4, off_t(places[n])) != 4)
        return fail("memory: {}", std::strerror(errno));
      replaced_.try_emplace(places[n], Replaced{before, packet.instead[n]});
      pages.insert(places[n] / page_bytes);
    }
  }
  write_pages_of(pages);
  return {};
}

void Editor::page(uint64_t number, std::span<uint8_t> bytes) {
  if (next_page_ >= writes_.pages.size()) return;
  const ProgramWrites::Dwords& dwords = writes_.pages[next_page_++];
  const Page now = page_in(memory_, number);
  for (size_t n = 0; n < dwords.size(); n++) {
    if (dwords.test(n))
      replaced_.erase(number * page_bytes + n * 4);  // the program's own from here on
    else
      std::memcpy(&bytes[n * 4], &now[n * 4], 4);
  }
}

void Editor::write(Kind kind, std::span<const uint8_t> payload) {
  if (!writer_) return;
  Bytes bytes;
  bytes.raw(payload.data(), payload.size());
  writer_->record(kind, bytes);
}

void Editor::write_pages(uint64_t first, std::span<const uint8_t> bytes) {
  if (!writer_) return;
  for (size_t at = 0; at < bytes.size(); at += max_record_pages * page_bytes) {
    const size_t count = std::min(bytes.size() - at, max_record_pages * page_bytes);
    Bytes record;
    record.number(first + at / page_bytes);
    record.number(count / page_bytes);
    record.raw(bytes.data() + at, count);
    writer_->record(Kind::pages, record);
  }
}

void Editor::write_pages_of(const std::set<uint64_t>& numbers) {
  if (!writer_) return;
  for (const uint64_t number : numbers) write_pages(number, page_in(memory_, number));
}

void Editor::digest(const std::vector<uint64_t>& pages) {
  if (!writer_) return;
  Bytes record;
  record.number(pages.size());
  for (const uint64_t number : pages) {
    const Page page = page_in(memory_, number);
    const uint64_t hash = page_hash(page.data());
    record.number(number);
    record.raw(&hash, 8);
  }
  writer_->record(Kind::digest, record);
}

Expected<void> Editor::end_submission(uint64_t submission, std::span<const std::string> losses) {
  if (writer_ && !leaves_out(submission)) {
    for (const std::string& loss : losses) {
      Bytes text;
      text.text(loss);
      writer_->record(Kind::lost, text);
    }
    writer_->count_submission();
    if (!writer_->flush()) return fail("{}", writer_->error());
  }
  std::set<uint64_t> pages;
  for (const auto& [place, dword] : replaced_) {
    uint32_t now = 0;
    if (::pread(memory_.descriptor(), &now, 4, off_t(place)) != 4 || now != dword.instead) continue;  // the GPU's own
    if (::pwrite(memory_.descriptor(), &dword.before, 4, off_t(place)) != 4) return fail("memory: {}", std::strerror(errno));
    pages.insert(place / page_bytes);
  }
  replaced_.clear();
  write_pages_of(pages);
  return {};
}

}  // namespace Atoll::trace
