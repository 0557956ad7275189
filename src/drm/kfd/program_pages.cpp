#include "drm/kfd/program_pages.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>

#include "drm/core/file.h"

namespace Atoll::drm::kfd {
namespace {

// A line of /proc/self/maps (proc(5)).
struct Mapping {
  uint64_t begin = 0, end = 0;
  int protection = 0;
  bool is_private = false;
  bool is_session = false;
  bool is_anonymous = false;  // MAP_ANONYMOUS; shared, it is the program's own until it forks
  uint64_t offset = 0;        // in the file
};

bool parse(const std::string& line, const struct stat& session, Mapping& m) {
  unsigned major = 0, minor = 0;
  unsigned long inode = 0, begin = 0, end = 0, offset = 0;
  char allowed[5] = {};
  if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %x:%x %lu", &begin, &end, allowed, &offset, &major, &minor, &inode) != 7)
    return false;
  m = {.begin = begin, .end = end, .offset = offset};
  m.protection = (allowed[0] == 'r' ? PROT_READ : 0) | (allowed[1] == 'w' ? PROT_WRITE : 0) | (allowed[2] == 'x' ? PROT_EXEC : 0);
  m.is_private = allowed[3] == 'p';
  m.is_anonymous = inode == 0 || line.ends_with("/dev/zero (deleted)");
  m.is_session = inode == session.st_ino && inode != 0 && line.find("atoll-gpu") != line.npos;
  return true;
}

std::vector<Mapping> mappings_of(int session_descriptor, uint64_t begin, uint64_t end) {
  std::vector<Mapping> found;
  struct stat session{};
  if (::syscall(SYS_newfstatat, session_descriptor, "", &session, 0x1000 /* AT_EMPTY_PATH */) != 0) return found;
  std::ifstream maps("/proc/self/maps");
  Mapping one;
  for (std::string line; std::getline(maps, line);)
    if (parse(line, session, one) && one.begin < end && begin < one.end) found.push_back(one);
  return found;
}

bool is_zero(const uint8_t* bytes, size_t count) {
  return std::all_of(bytes, bytes + count, [](uint8_t byte) { return byte == 0; });
}

// Copies the range into the buffer and puts the buffer in its place, some pages at a time: what another thread writes into those
// meanwhile is lost. (Pages of zeros stay holes of the file.)
int move(int descriptor, const Buffer& buffer, const Mapping& mapping, uint64_t address, uint64_t bytes) {
  std::array<uint8_t, 64 * 1024> room;
  for (uint64_t at = 0, here; at < bytes; at += here) {
    here = std::min<uint64_t>(room.size(), bytes - at);
    if (!read_user(room.data(), address + at, here)) return -EFAULT;
    for (uint64_t page = 0; page < here; page += page_bytes)
      if (!is_zero(&room[page], page_bytes) &&
          ::pwrite(descriptor, &room[page], page_bytes, off_t(buffer.offset() + at + page)) != ssize_t(page_bytes))
        return -ENOMEM;
    void* to = reinterpret_cast<void*>(address + at);
    const long placed =
        ::syscall(SYS_mmap, to, here, mapping.protection, MAP_SHARED | MAP_FIXED, descriptor, off_t(buffer.offset() + at));
    if (placed == -1) return -ENOMEM;
  }
  return 0;
}

}  // namespace

int ProgramPages::take(Process& process, uint64_t address, uint64_t bytes, std::vector<Piece>& pieces, std::string& why) {
  std::lock_guard lock(mutex_);
  const int descriptor = process.session()->descriptor();
  const uint64_t end = address + bytes;
  const std::vector<Mapping> mappings = mappings_of(descriptor, address, end);
  // All is looked at before anything is moved.
  uint64_t at = address;
  for (const Mapping& m : mappings) {
    if (m.begin > at) return -EFAULT;
    if (!(m.protection & PROT_READ)) return -EFAULT;
    if (!m.is_private && !m.is_session && !m.is_anonymous) {
      why = "memory that is shared with files as the GPU's";
      return -EINVAL;
    }
    at = std::min(m.end, end);
  }
  if (at != end) return -EFAULT;
  for (const Mapping& m : mappings) {
    const uint64_t from = std::max(m.begin, address), to = std::min(m.end, end);
    if (m.is_session) {
      // neighbours in the file are one mapping, whichever buffers they are
      for (uint64_t at = from; at < to;) {
        const uint64_t offset = m.offset + (at - m.begin);
        auto behind = buffers_.upper_bound(offset);
        if (behind == buffers_.begin()) return -EINVAL;
        const BufferPtr& buffer = std::prev(behind)->second;
        const uint64_t end_of_buffer = buffer->offset() + buffer->bytes();
        if (offset >= end_of_buffer) return -EINVAL;
        const uint64_t here = std::min(to - at, end_of_buffer - offset);
        pieces.push_back({buffer, offset - buffer->offset(), here});
        at += here;
      }
      continue;
    }
    Session::Request request;
    request.bytes = request.asked_bytes = to - from;
    request.begin = uint64_t(4) << 30;
    request.end = memory_bytes;
    request.domains = 1;  // AMDGPU_GEM_DOMAIN_CPU: neither the card's memory nor what it maps of the host's
    auto index = process.session()->allocate(request);
    if (!index) return -ENOMEM;
    BufferPtr buffer = process.adopt(*index);
    buffers_[buffer->offset()] = buffer;
    if (int error = move(descriptor, *buffer, m, from, to - from)) return error;
    if (auto& recorder = process.recorder()) recorder->cpu_visible(buffer->offset(), buffer->bytes());
    pieces.push_back({buffer, 0, to - from});
  }
  return 0;
}

void ProgramPages::collect(Process& process) {
  std::lock_guard lock(mutex_);
  auto unused = [](auto& row) { return row.second.use_count() == 1; };
  if (std::none_of(buffers_.begin(), buffers_.end(), unused)) return;
  const auto mappings = mappings_of(process.session()->descriptor(), 0, UINT64_MAX);
  std::erase_if(buffers_, [&](auto& row) {
    const Buffer& buffer = *row.second;
    if (!unused(row)) return false;
    return std::none_of(mappings.begin(), mappings.end(), [&](const Mapping& m) {
      return m.is_session && m.offset < buffer.offset() + buffer.bytes() && buffer.offset() < m.offset + (m.end - m.begin);
    });
  });
}

}  // namespace Atoll::drm::kfd
