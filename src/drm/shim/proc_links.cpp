// Open descriptors that paths name: /proc/PID/fd/N, /dev/fd/N, /dev/stdin and their like. What is opened there anew has a position of its own,
// so the one that the descriptor has is read from /proc/PID/fdinfo/N (proc(5)).
#include <fcntl.h>
#include <sys/syscall.h>

#include "drm/shim/shim.h"

namespace Atoll::drm::shim {
namespace {

using Path = Text<path_bytes>;

// The path from the root on; false where a folder has none.
bool make_whole(int folder, const char* path, Path& whole) {
  if (path[0] == '/') return (whole << path).whole;
  Text<64> link;
  if (folder == AT_FDCWD)
    link << "/proc/self/cwd";
  else
    link << "/proc/self/fd/" << uint64_t(folder);
  char room[path_bytes];
  const long length = syscall(SYS_readlink, link.text(), room, sizeof room);
  if (length <= 0 || size_t(length) >= sizeof room || room[0] != '/') return false;
  for (long i = 0; i < length; ++i) whole.put(room[i]);
  return (whole << "/" << path).whole;
}

bool info_path(const char* path, Path& info) {
  constexpr const char* standard[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  for (unsigned n = 0; n < 3; ++n)
    if (same(path, standard[n])) return (info << "/proc/self/fdinfo/" << uint64_t(n)).whole;
  if (starts_with(path, "/dev/fd/")) return (info << "/proc/self/fdinfo/" << name_in(path)).whole;
  const char* name = name_in(path);
  const size_t front = size_t(name - path);
  if (!starts_with(path, "/proc/") || front < 4 || !starts_with(name - 4, "/fd/")) return false;
  for (size_t i = 0; i + 1 < front; ++i) info.put(path[i]);
  return (info << "info/" << name).whole;
}

}  // namespace

uint64_t position_at(int folder, const char* path) {
  auto own = [](uint64_t position) { return position & position_ours ? position : 0; };
  if (!path || !*path) {
    const long at = syscall(SYS_lseek, folder, off_t(0), SEEK_CUR);
    return at > 0 ? own(uint64_t(at)) : 0;
  }
  Path whole, info;
  if (!make_whole(folder, path, whole) || !info_path(whole.text(), info)) return 0;
  const int descriptor = int(raw_open(AT_FDCWD, info.text(), O_RDONLY | O_CLOEXEC, 0));
  if (descriptor < 0) return 0;
  char text[256];
  const long length = syscall(SYS_read, descriptor, text, sizeof text - 1);
  close_quietly(descriptor);
  if (length <= 0) return 0;
  text[length] = 0;
  if (!starts_with(text, "pos:")) return 0;
  uint64_t position = 0;
  for (const char* at = text + 4; *at && *at != '\n'; ++at)
    if (*at >= '0' && *at <= '9') position = position * 10 + uint64_t(*at - '0');
  return own(position);
}

}  // namespace Atoll::drm::shim
