// order_program LIBRARY [close|fork]: registers an exit handler, has the library make its object after that, and ends. Says what goes
// in which order.
#include <dlfcn.h>
#include <fcntl.h>
#include <libdrm/drm.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  auto make = library ? reinterpret_cast<void (*)()>(dlsym(library, "make_object")) : nullptr;
  if (!make) return 2;
  std::atexit([] { std::puts("handler"); });
  make();
  if (argc > 2 && std::strcmp(argv[2], "fork") == 0) {
    // The GPU is open: what its children inherit of that does not work.
    const int node = ::open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    char room[64] = {};
    drm_version version{};
    version.name = room, version.name_len = sizeof room - 1;
    if (node < 0 || ::ioctl(node, DRM_IOCTL_VERSION, &version) != 0) return 3;
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) std::exit(5);
    int status = 0;
    ::waitpid(child, &status, 0);
    std::printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  } else if (argc > 2) {
    dlclose(library);
    std::puts("closed");
  }
  return 0;
}
