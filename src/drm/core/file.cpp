#include "drm/core/file.h"

#include <linux/capability.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "drm/core/call.h"

namespace Atoll::drm {
namespace {

constexpr size_t max_argument_bytes = 512;

const Ioctl* find(std::span<const Ioctl> table, unsigned number) {
  auto found = std::find_if(table.begin(), table.end(), [&](auto& row) { return row.number == number; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

bool read_user(void* to, uint64_t from, uint64_t bytes) {
  if (bytes == 0) return true;
  if (from == 0) return false;
  iovec here{to, size_t(bytes)}, there{reinterpret_cast<void*>(from), size_t(bytes)};
  ssize_t done = ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0);
  if (done < 0 && errno != EFAULT) {  // not allowed in here
    std::memcpy(to, reinterpret_cast<const void*>(from), size_t(bytes));
    return true;
  }
  return done == ssize_t(bytes);
}

bool write_user(uint64_t to, const void* from, uint64_t bytes) {
  if (bytes == 0) return true;
  if (to == 0) return false;
  iovec here{const_cast<void*>(from), size_t(bytes)}, there{reinterpret_cast<void*>(to), size_t(bytes)};
  ssize_t done = ::process_vm_writev(::getpid(), &here, 1, &there, 1, 0);
  if (done < 0 && errno != EFAULT) {
    std::memcpy(reinterpret_cast<void*>(to), from, size_t(bytes));
    return true;
  }
  return done == ssize_t(bytes);
}

bool has_capability(unsigned number) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
  return ::syscall(SYS_capget, &header, sets) == 0 && (sets[number / 32].effective >> number % 32 & 1);
}

File::File(Process& process, uint64_t position) : process_(process), position_(position), state_(process.uapi().make_state()) {}

File::~File() {
  state_.reset();  // its rings use what else there is
  session().give_back_all(position_);
}

int File::ioctl(unsigned long request, void* argument) {
  const Call call;  // (its end comes after the answer is written)
  unsigned number = _IOC_NR(unsigned(request)), bytes = _IOC_SIZE(unsigned(request));
  const Ioctl* row = find(drm_ioctls(), number);
  if (!row) row = find(syncobj_ioctls(), number);
  if (!row) row = find(process_.uapi().ioctls, number);
  if (!row) {
    // drm.h: from 0xa0 on mode setting and leases, which the kernel refuses on render nodes
    constexpr unsigned first_of_display = 0xa0;
    if (number >= first_of_display && primary())
      lacks(fmt::format("display engine (ioctl {:#x} on /dev/dri/card0)", number));
    else
      log(LogLevel::info, "drm", "ioctl {:#x} of {} bytes is not there", number, bytes);
    return -EINVAL;
  }
  // As the kernel does: a shorter argument is filled up with zeros, of a longer one the front counts.
  alignas(16) uint8_t room[max_argument_bytes]{};
  ATOLL_ASSERT(row->bytes <= sizeof room);
  unsigned common = std::min(bytes, row->bytes);
  unsigned direction = _IOC_DIR(unsigned(request));
  if (common && (direction & _IOC_WRITE) && !read_user(room, reinterpret_cast<uint64_t>(argument), common)) return -EFAULT;
  int result = row->handle(*this, room);
  if (common && (direction & _IOC_READ) && !write_user(reinterpret_cast<uint64_t>(argument), room, common)) return -EFAULT;
  log(LogLevel::trace, "ioctl", "{} -> {}", row->name, result);
  return result;
}

void File::lacks(std::string_view what) {
  if (session().count_refused(what) == 0) log(LogLevel::warn, "drm", "refused, since Atoll does not have it: {}", what);
}

uint32_t File::add_buffer(BufferPtr buffer) {
  std::lock_guard lock(mutex_);
  if (auto found = handles_.find(buffer.get()); found != handles_.end()) return found->second;
  while (next_handle_ == 0 || buffers_.count(next_handle_)) next_handle_++;
  uint32_t handle = next_handle_++;
  handles_[buffer.get()] = handle;
  buffers_[handle] = std::move(buffer);
  return handle;
}

BufferPtr File::find_buffer(uint32_t handle) const {
  std::lock_guard lock(mutex_);
  auto found = buffers_.find(handle);
  return found == buffers_.end() ? nullptr : found->second;
}

int File::close_buffer(uint32_t handle) {
  BufferPtr buffer;
  std::shared_ptr<VirtualMemory> memory;
  {
    std::lock_guard lock(mutex_);
    auto found = buffers_.find(handle);
    if (found == buffers_.end()) return -EINVAL;
    buffer = std::move(found->second);
    buffers_.erase(found);
    handles_.erase(buffer.get());
    memory = memory_;
  }
  user_memories_.forget(*buffer);
  auto in_flight = running();
  if (memory) memory->unmap_all(*buffer, in_flight);
  state_->forget(*buffer, in_flight);
  return 0;
}

void File::add_user_memory(const BufferPtr& buffer, uint64_t address, uint64_t bytes, bool read_only) {
  // the copy changes with the program's memory
  if (auto& recorder = process_.recorder()) recorder->cpu_visible(buffer->offset(), buffer->bytes());
  buffer->user_address = address;
  buffer->user_bytes = bytes;
  user_memories_.add(buffer, address, bytes, read_only);
}

int check_user_memory(uint64_t address, uint64_t bytes) {
  if (bytes == 0 || bytes > memory_bytes || (address | bytes) % page_bytes) return -EINVAL;
  return address >> 47 || bytes > (uint64_t(1) << 47) - address ? -EFAULT : 0;
}

int probe_user_memory(uint64_t address, uint64_t bytes) {
  uint8_t byte;
  for (uint64_t at = 0; at < bytes; at += page_bytes)
    if (!read_user(&byte, address + at, 1)) return -EFAULT;
  return 0;
}

std::shared_ptr<VirtualMemory> File::memory() { return memory(false); }
std::shared_ptr<VirtualMemory> File::memory_of_48_bits() { return memory(true); }

std::shared_ptr<VirtualMemory> File::memory(bool of_48_bits) {
  if (!process_.chip().has_page_tables) return process_.physical_memory();
  std::lock_guard lock(mutex_);
  if (!memory_ && !memory_failed_) {
    memory_ = VirtualMemory::create(
        process_, of_48_bits ? AddressSpace::create_sectioned(process_.session()) : AddressSpace::create(process_.session()));
    memory_failed_ = !memory_;
  }
  return memory_;
}

std::vector<FencePtr> File::running() const {
  std::vector<FencePtr> found;
  state_->add_running(found);
  return found;
}

}  // namespace Atoll::drm
