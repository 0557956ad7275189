// The requested GPU, the locations of the tree of device files and of libatoll.so, and the redirection of paths into that tree.
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/installed_places.h"
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
  unsigned devices;
  ino_t primary[max_devices], render[max_devices];
  ino_t kfd;         // 0: none of the GPUs has it
  bool host_caches;  // ... and the machine tells of no caches of its processors
} environment;

// Paths that are redirected into the tree.
constexpr const char* prefixes[] = {
    "/dev/dri",
    "/sys/dev/char/226:",
    "/sys/class/drm",
    ATOLL_PCI_ROOT,
    ("/sys/bus/pci/devices/" ATOLL_PCI_DOMAIN),
    // whether there is one or not: a real one's files are not this GPU's
    "/dev/kfd",
    "/sys/class/kfd",
    "/sys/devices/virtual/kfd",
};
// ... if a GPU has /dev/kfd: programs that compute look there for its driver.
constexpr const char* kfd_prefixes[] = {"/proc/modules", "/sys/module/amdgpu", "/sys/dev/char/234:0"};
static_assert(kfd_major == 234);
constexpr const char* cache_prefixes[] = {"/sys/devices/system/cpu/cpu0/cache", "/sys/devices/system/node/node0/cpu0/cache"};

using Path = Text<path_bytes>;

// The first variable that is set, in lower case; other projects' no-op shims chose the names of the last two.
bool read_gpu(Text<32>& name) {
  constexpr const char* names[] = {"ATOLL_GPU", "AMDGPU_GPU_ID", "RADEON_GPU_ID"};
  for (const char* one : names) {
    const char* value = variable(one);
    if (!value) continue;
    for (; *value; ++value) {
      if (*value == '/' || *value == '.') return false;
      name.put(*value >= 'A' && *value <= 'Z' ? char(*value - 'A' + 'a') : *value);
    }
    return true;
  }
  return false;
}

bool inode_of(Path& folder, const char* file, dev_t& device, ino_t& inode) {
  size_t length = folder.length;
  folder << file;
  struct stat status;
  bool found = folder.whole && raw_stat(AT_FDCWD, folder.text(), &status, 0) == 0;
  folder.cut(length);
  if (!found) return false;
  device = status.st_dev;
  inode = status.st_ino;
  return true;
}

// Finds the stand-ins of the nodes in a tree; false when it has none.
bool find_nodes(Path& tree, Environment& e) {
  e.devices = 0;
  for (unsigned i = 0; i < max_devices; ++i) {
    Text<32> card, render;
    card << "/dev/dri/card" << uint64_t(primary_minor + i);
    render << "/dev/dri/renderD" << uint64_t(render_minor + i);
    if (!inode_of(tree, card.text(), e.device, e.primary[i]) || !inode_of(tree, render.text(), e.device, e.render[i])) break;
    e.devices++;
  }
  dev_t device;
  if (!inode_of(tree, "/dev/kfd", device, e.kfd)) e.kfd = 0;
  struct stat status;
  e.host_caches = e.kfd && raw_stat(AT_FDCWD, cache_prefixes[0], &status, 0) != 0;
  return e.devices != 0;
}

// The folder as the kernel names it, so that what realpath() answers can be turned back. Without /proc it stays as it is.
void make_canonical(Path& folder) {
  int descriptor = int(raw_open(AT_FDCWD, folder.text(), O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
  if (descriptor < 0) return;
  Text<64> link;
  link << "/proc/self/fd/" << uint64_t(descriptor);
  char room[path_bytes];
  long length = syscall(SYS_readlink, link.text(), room, sizeof room);
  close_quietly(descriptor);
  if (length <= 0 || size_t(length) >= path_bytes || room[0] != '/') return;
  folder.cut(0);
  for (long i = 0; i < length; ++i) folder.put(room[i]);
}

void copy(char (&to)[path_bytes], const char* from, size_t length) {
  for (size_t i = 0; i < length; ++i) to[i] = from[i];
  to[length] = 0;
}

void prepare() {
  Environment& e = environment;
  Text<32> gpu;
  const char* own = own_file();
  bool found = false;
  if (own && read_gpu(gpu)) {
    Path folder, tree;
    size_t length = size_t(name_in(own) - own);
    for (size_t i = 0; i + 1 < length; ++i) folder.put(own[i]);
    const char* given = variable(devices_variable);
    for (const char* place : places_of_data) {
      tree.cut(0);
      if (given) {
        tree << given;
        found = length && folder.whole && tree.whole && find_nodes(tree, e);
        break;
      }
      tree << folder.text() << place << "devices/" << gpu.text();
      if (!length || !folder.whole || !tree.whole) break;
      found = find_nodes(tree, e);
      if (found) break;
    }
    if (found) {
      make_canonical(tree);
      copy(e.library_folder, folder.text(), folder.length);
      copy(e.tree, tree.text(), tree.length);
      e.tree_length = tree.length;
    }
  }
  e.active = found;
  __atomic_store_n(&e.ready, true, __ATOMIC_RELEASE);
}

// A device file was asked for, and the GPU has none.
void report_no_files() {
  static bool told;
  Text<32> gpu;
  if (!environ || !read_gpu(gpu) || variable("ATOLL_QUIET") || __atomic_exchange_n(&told, true, __ATOMIC_RELAXED)) return;
  const char* own = own_file();
  Path line;
  say(line << "no device files for the GPU '" << gpu.text() << "' beside " << (own ? own : "the library")
           << ": see `atoll gpus` for names");
}

// Before the program has changed its root, as sandboxes do. Whoever calls a hook earlier than this is answered as well.
__attribute__((constructor)) void begin() { (void)active(); }

}  // namespace

// The C library sets `environ` in its constructor, which runs before all others.
const char* variable(const char* name) {
  size_t length = length_of(name);
  for (char** one = environ; one && *one; ++one)
    if (starts_with(*one, name) && (*one)[length] == '=') return (*one)[length + 1] ? *one + length + 1 : nullptr;
  return nullptr;
}

bool active() {
  if (!__atomic_load_n(&environment.ready, __ATOMIC_ACQUIRE)) {
    if (!environ) return false;  // not yet known: an allocator that starts before the C library
    int saved = errno;
    prepare();
    errno = saved;
  }
  return environment.active;
}

const char* tree_folder() { return environment.tree; }

bool is_on_device_of_tree(int folder) {
  struct stat status;
  const bool here = folder == AT_FDCWD;
  return raw_stat(folder, here ? "." : "", &status, here ? 0 : AT_EMPTY_PATH) == 0 && status.st_dev == environment.device;
}

bool is_inode_of_node(ino_t inode) {
  if (!active()) return false;
  for (unsigned i = 0; i < environment.devices; ++i)
    if (inode == environment.primary[i] || inode == environment.render[i]) return true;
  return environment.kfd && inode == environment.kfd;
}

const char* library_folder() { return environment.library_folder; }

namespace {

// A whole component, but for the numbers behind "226:".
bool lies_below(const char* path, const char* prefix) {
  if (!starts_with(path, prefix)) return false;
  const size_t length = length_of(prefix);
  return prefix[length - 1] == ':' || path[length] == 0 || path[length] == '/';
}

bool is_redirected(const char* path) {
  for (const char* prefix : prefixes)
    if (lies_below(path, prefix)) return true;
  for (const char* prefix : kfd_prefixes)
    if (lies_below(path, prefix)) return active() && environment.kfd;
  for (const char* prefix : cache_prefixes)
    if (lies_below(path, prefix)) return active() && environment.host_caches;
  return false;
}

}  // namespace

const char* redirect(const char* path, char (&room)[path_bytes]) {
  if (!path || path[0] != '/' || !is_redirected(path)) return path;
  if (!active()) report_no_files();
  if (!active() || environment.tree_length + length_of(path) + 1 > path_bytes) return path;
  copy(room, environment.tree, environment.tree_length);
  char* to = room + environment.tree_length;
  while ((*to++ = *path++)) {
  }
  return room;
}

void restore(char* path) {
  size_t length = environment.tree_length;
  if (!length || !starts_with(path, environment.tree) || path[length] != '/') return;
  for (char* to = path; (*to = to[length]); ++to) {
  }
}

Node node_of(const char* path) {
  constexpr const char* folder = "/dev/dri/";
  constexpr int first_minors[] = {primary_minor, render_minor};
  if (!path || path[0] != '/' || path[1] != 'd' || !active()) return Node::none;
  if (environment.kfd && same(path, "/dev/kfd")) return Node::kfd;
  if (!starts_with(path, folder)) return Node::none;
  for (unsigned i = 0; i < environment.devices; ++i)
    for (int first : first_minors) {
      Text<32> name;
      name << folder << (first == render_minor ? "renderD" : "card") << uint64_t(int(i) + first);
      if (same(path, name.text())) return Node(int(i) + first);
    }
  return Node::none;
}

Node node_of(const struct stat& status) {
  if (!S_ISREG(status.st_mode) || status.st_size != 0 || !active() || status.st_dev != environment.device) return Node::none;
  for (unsigned i = 0; i < environment.devices; ++i) {
    if (status.st_ino == environment.primary[i]) return Node(int(i) + primary_minor);
    if (status.st_ino == environment.render[i]) return Node(int(i) + render_minor);
  }
  return environment.kfd && status.st_ino == environment.kfd ? Node::kfd : Node::none;
}

void show_as_device(struct stat& status, Node node) {
  status.st_mode = S_IFCHR | 0666;
  status.st_rdev = node == Node::kfd ? makedev(kfd_major, 0) : makedev(drm_major, unsigned(node));
  status.st_size = 0;
  status.st_blocks = 0;
}

}  // namespace Atoll::drm::shim
