// The one file behind everything that the shim hands to programs, as the preloaded library and libatoll.so both see it: it holds
// the GPU's memory, and an open file description says by its file position what it stands for. So node files and dma-bufs
// survive dup, fcntl, SCM_RIGHTS, fork and exec without a hook, and mmap of a buffer's offset is an ordinary mmap.
#pragma once
#include <cstdint>

namespace Atoll::drm {

// Buffers lie in [0, memory_bytes), followed by the table that processes share.
inline constexpr uint64_t memory_bytes = uint64_t(1) << 40;
inline constexpr uint64_t control_bytes = uint64_t(64) << 20;
inline constexpr uint64_t session_file_bytes = memory_bytes + control_bytes;

// File positions. Bit 62 distinguishes our descriptors from those that merely map the file.
inline constexpr uint64_t position_ours = uint64_t(1) << 62;
inline constexpr uint64_t position_dma_buf = uint64_t(1) << 61;         // bits 31:0 which allocation, 59:32 its generation
inline constexpr uint64_t position_primary = uint64_t(1) << 60;         // of a node: card0 instead of renderD128
inline constexpr unsigned max_devices = 4, position_device_shift = 58;  // of a node: which of the session's GPUs
inline constexpr uint64_t position_kfd = uint64_t(1) << 57;             // /dev/kfd, which is all GPUs' at once
inline constexpr uint64_t position_id = position_kfd - 1;               // the process that opened it in 56:32, and a count
// A sync object that was given away: its place in the table and generation, as a dma-buf's.
inline constexpr uint64_t position_syncobj = position_dma_buf | position_primary;
inline constexpr uint64_t position_kind = position_ours | position_dma_buf | position_primary;

constexpr bool is_kfd(uint64_t position) { return (position & (position_kind | position_kfd)) == (position_ours | position_kfd); }
constexpr bool is_node(uint64_t position) {
  return (position & (position_ours | position_dma_buf)) == position_ours && !is_kfd(position);
}
constexpr bool is_dma_buf(uint64_t position) { return (position & position_kind) == (position_ours | position_dma_buf); }
constexpr bool is_syncobj(uint64_t position) { return (position & position_kind) == (position_ours | position_syncobj); }

constexpr unsigned device_of(uint64_t position) { return unsigned(position >> position_device_shift) % max_devices; }

inline constexpr int drm_major = 226, primary_minor = 0, render_minor = 128;  // Linux Documentation/admin-guide/devices.txt
// The lowest of those that the kernel hands out to drivers that ask for any, from 254 down (Linux fs/char_dev.c, find_dynamic_major;
// CHRDEV_MAJOR_DYN_END): which one amdkfd gets differs from machine to machine.
inline constexpr int kfd_major = 234;

// The GPUs' places on the PCI bus, by their numbers: a domain that no machine has, so that no real device is hidden.
#define ATOLL_PCI_DOMAIN "a701:"
inline constexpr const char* pci_slots[max_devices] = {ATOLL_PCI_DOMAIN "01:00.0", ATOLL_PCI_DOMAIN "02:00.0",
                                                       ATOLL_PCI_DOMAIN "03:00.0", ATOLL_PCI_DOMAIN "04:00.0"};
#define ATOLL_PCI_ROOT "/sys/devices/pcia701:00"

// The mark that tells a sync file (sync_file.h) from other sockets: its timeout of sending, seconds.
inline constexpr long sync_file_mark = 417'701;

// The folder of the device files, where they are not those of one GPU that Atoll comes with.
inline constexpr const char* devices_variable = "ATOLL_DEVICES";

// Names the session file to the processes of a session (`/proc/PID/fd/N`).
inline constexpr const char* session_variable = "ATOLL_SESSION";
// The descriptor of it that the program of `run` inherits: where /proc shows other processes (PID namespaces), or does not let them be looked
// at (another user), the name leads nowhere.
inline constexpr int inherited_session = 699;

// The entry point that libatoll.so exports for the preloaded library. The result is 0 (or what the ioctl returns) or a negative errno.
// `position` is the descriptor's, 0 of a sync file; `session` a descriptor of the session file that stays open.
using IoctlEntry = int (*)(int session, int descriptor, uint64_t position, unsigned long request, void* argument);
inline constexpr const char* ioctl_entry = "atoll_drm_ioctl";
// Bytes of a dma-buf and where it lies in the session file; a negative errno when there is none.
struct DmaBuf {
  uint64_t offset, bytes;
};
using DmaBufEntry = int (*)(int session, uint64_t position, DmaBuf* found);
inline constexpr const char* dma_buf_entry = "atoll_drm_dma_buf";

}  // namespace Atoll::drm
