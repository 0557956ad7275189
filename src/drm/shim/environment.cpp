// Which GPU is asked for, where the tree of device files and libatoll.so stand, and how paths lead into that tree.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <initializer_list>

#include "drm/shim/shim.h"

namespace Atoll::drm::shim {
namespace {

// Filled once; `ready` is set last. Two threads at once write the same bytes.
struct Environment {
  bool ready, active;
  char library_folder[path_bytes];
  char tree[path_bytes];  // stands for "/" of the redirected paths
  size_t tree_length;
  dev_t device;
  ino_t primary, render;
} environment;

// What lies in the tree instead of in the machine.
constexpr const char* prefixes[] = {
    "/dev/dri", "/sys/dev/char/226:", "/sys/class/drm", ATOLL_PCI_ROOT, ("/sys/bus/pci/devices/" ATOLL_PCI_SLOT),
};

// The first variable that is set, in lower case; other projects' no-op shims chose the names of the last two.
bool read_gpu(char* name, size_t bytes) {
  for (const char* variable : {"ATOLL_GPU", "AMDGPU_GPU_ID", "RADEON_GPU_ID"}) {
    const char* value = getenv(variable);
    if (!value || !*value) continue;
    size_t i = 0;
    for (; value[i] && i + 1 < bytes; ++i) {
      char c = value[i];
      if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
      if (c == '/' || c == '.') return false;
      name[i] = c;
    }
    name[i] = 0;
    return true;
  }
  return false;
}

bool inode_of(const char* path, dev_t& device, ino_t& inode) {
  struct stat status;
  if (raw_stat(AT_FDCWD, path, &status, 0) != 0) return false;
  device = status.st_dev;
  inode = status.st_ino;
  return true;
}

void prepare() {
  int saved = errno;
  Environment& e = environment;
  char gpu[32];
  Dl_info here;
  bool found = false;
  if (read_gpu(gpu, sizeof gpu) && dladdr(reinterpret_cast<void*>(&prepare), &here) && here.dli_fname) {
    const char* slash = strrchr(here.dli_fname, '/');
    size_t length = slash ? size_t(slash - here.dli_fname) : 0;
    if (length && length + 128 < path_bytes) {
      memcpy(e.library_folder, here.dli_fname, length);
      e.library_folder[length] = 0;
      snprintf(e.tree, sizeof e.tree, "%s/../share/atoll/devices/%s", e.library_folder, gpu);
      // as the kernel names it, so that what realpath() answers can be turned back
      if (char* whole = ::canonicalize_file_name(e.tree)) {
        if (strlen(whole) + 1 < sizeof e.tree) strcpy(e.tree, whole);
        free(whole);
      }
      e.tree_length = strlen(e.tree);
      char path[path_bytes + 32];
      snprintf(path, sizeof path, "%s/dev/dri/card0", e.tree);
      found = inode_of(path, e.device, e.primary);
      snprintf(path, sizeof path, "%s/dev/dri/renderD128", e.tree);
      found = found && inode_of(path, e.device, e.render);
    }
    if (!found && !getenv("ATOLL_QUIET"))
      fprintf(stderr, "atoll: no device files for the GPU '%s' beside %s: see `atoll gpus` for names\n", gpu, here.dli_fname);
  }
  e.active = found;
  __atomic_store_n(&e.ready, true, __ATOMIC_RELEASE);
  errno = saved;
}

}  // namespace

bool active() {
  if (!__atomic_load_n(&environment.ready, __ATOMIC_ACQUIRE)) {
    // canonicalize_file_name() is none of our hooks, but what a sanitizer puts under it may come back here
    static thread_local bool preparing __attribute__((tls_model("initial-exec"))) = false;
    if (preparing) return false;
    preparing = true;
    prepare();
    preparing = false;
  }
  return environment.active;
}

const char* library_folder() { return environment.library_folder; }

const char* redirect(const char* path, char (&room)[path_bytes]) {
  if (!path || path[0] != '/' || !active()) return path;
  for (const char* prefix : prefixes) {
    size_t length = strlen(prefix);
    if (strncmp(path, prefix, length) != 0) continue;
    // a whole component, but for the numbers behind "226:"
    if (prefix[length - 1] != ':' && path[length] != 0 && path[length] != '/') continue;
    if (environment.tree_length + strlen(path) + 1 > path_bytes) return path;
    memcpy(room, environment.tree, environment.tree_length);
    strcpy(room + environment.tree_length, path);
    return room;
  }
  return path;
}

void restore(char* path) {
  size_t length = environment.tree_length;
  if (length && strncmp(path, environment.tree, length) == 0 && path[length] == '/')
    memmove(path, path + length, strlen(path + length) + 1);
}

Node node_of(const char* path) {
  if (!path || path[0] != '/') return Node::none;
  if (strcmp(path, "/dev/dri/card0") == 0) return Node::primary;
  return strcmp(path, "/dev/dri/renderD128") == 0 ? Node::render : Node::none;
}

Node node_of(const struct stat& status) {
  if (!S_ISREG(status.st_mode) || status.st_size != 0 || !active() || status.st_dev != environment.device) return Node::none;
  if (status.st_ino == environment.primary) return Node::primary;
  return status.st_ino == environment.render ? Node::render : Node::none;
}

void show_as_device(struct stat& status, Node node) {
  status.st_mode = S_IFCHR | 0666;
  status.st_rdev = makedev(drm_major, node == Node::primary ? primary_minor : render_minor);
  status.st_size = 0;
  status.st_blocks = 0;
}

}  // namespace Atoll::drm::shim
