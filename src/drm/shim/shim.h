// libatoll_drm.so: the library that LD_PRELOAD puts before the C library of an unmodified program, so that its Mesa finds an
// emulated GPU. It needs the C library alone and keeps no state but what is here; everything else is libatoll.so's.
//
// Its functions are called from anywhere: by an allocator that holds its lock and asks for /proc/sys/vm or its own link, by
// sanitizers' runtimes that are not ready yet, before any constructor ran. So up to the first use of a GPU's descriptor nothing
// in here allocates, takes a lock, uses stdio, or asks the dynamic linker (dlsym and dladdr do all three); what is to be known
// comes from system calls and from the linker's public list of libraries (loaded.cpp).
#pragma once
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "base/quiet_write.h"
#include "drm/session/session_file.h"
#include "drm/shim/text.h"

#define SHIM_EXPORT extern "C" __attribute__((visibility("default")))

namespace Atoll::drm::shim {

// System calls, past every hook. As the C library's functions they answer -1 and set errno.
long raw_open(int folder, const char* path, int flags, mode_t mode);
long raw_stat(int folder, const char* path, struct stat* out, int flags);
// The same, but they leave errno alone.
void close_quietly(int descriptor);

inline constexpr size_t path_bytes = 4096;

// A variable of the environment; null when it is not set, or empty.
const char* variable(const char* name);

// One line "atoll: TEXT" on standard error.
template <size_t bytes>
void say(const Text<bytes>& text) {
  Text<bytes + 16> line;
  line << "atoll: " << text.text() << "\n";
  write_quietly(STDERR_FILENO, line.text(), line.length);
}

// The next library's function of that name, as dlsym(RTLD_NEXT) finds it; null when there is none.
void* find_next(const char* name);
template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(find_next(name));
}
// The file of the library that an address lies in, as the dynamic linker names it; null for none. For this library: `own_file`.
const char* file_of(const void* address);
const char* own_file();
// Is a library of that name loaded, and linked with the library in `file`?
bool is_linked_with(const char* name, const char* file);

// Is there a GPU to show? No without ATOLL_GPU or with a name that no tree of device files exists for.
bool active();

// The path to use for a path: itself, or one into the tree of device files (then it is written to `room`).
const char* redirect(const char* path, char (&room)[path_bytes]);
// The other way round, in place: a path inside the tree becomes the one it stands for.
void restore(char* path);
// The tree's own folder, and whether one (AT_FDCWD: the current one) is on the same device, which is quick to ask.
const char* tree_folder();
bool is_on_device_of_tree(int folder);
// Does a path as the *at() functions take it lie in the tree? May relative ones at all?
bool in_tree(int folder, const char* path);
bool may_stand_in_tree();

// A node by its minor number; /dev/kfd is another driver's.
enum class Node : int { none = -1, kfd = 1 << 16 };
constexpr bool is_primary(Node node) { return int(node) < render_minor; }
constexpr unsigned device_of(Node node) { return unsigned(int(node)) % unsigned(render_minor); }
constexpr Node node_at(uint64_t position) {
  if (is_kfd(position)) return Node::kfd;
  return Node(int(drm::device_of(position)) + (position & position_primary ? primary_minor : render_minor));
}
// By path, and by the stand-in file in the tree.
Node node_of(const char* path);
Node node_of(const struct stat& status);
// True for a stand-in, and for a file that has the same number on another device.
bool is_inode_of_node(ino_t inode);

// A new descriptor of a node with its own identity; -1 with errno.
int open_node(Node node, int flags);

// The position of a descriptor of the session file, or 0 for any other descriptor. Leaves errno alone.
uint64_t position_of(int descriptor);
// The same, for one whose status is known.
uint64_t position_of(int descriptor, const struct stat& status);

// Is it a file as sessions have them? What it stands for can be shown in a process that does not belong to the session as well.
bool may_be_session_file(const struct stat& status);
// The position of the descriptor that a path names (/proc/PID/fd/N), or that `folder` is where the path is empty; 0: none of a session.
uint64_t position_at(int folder, const char* path);

// A descriptor of a file of the topology that tells of this machine; -1 for any other path, errno as it was.
int open_host_file(const char* path, int flags);

// A position of a node, /dev/kfd included.
constexpr bool is_device(uint64_t position) { return is_node(position) || is_kfd(position); }

// Makes a stand-in or a node's descriptor look like a character device.
void show_as_device(struct stat& status, Node node);

// libatoll.so's entries; null when it cannot be loaded (said once on standard error).
IoctlEntry library_ioctl();
DmaBufEntry library_dma_buf();
int session_descriptor();
// This process has a GPU: what its children inherit of that does not work.
void note_gpu_process();
bool is_child_of_gpu_process();

}  // namespace Atoll::drm::shim
