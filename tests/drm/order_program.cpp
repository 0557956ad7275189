// order_program LIBRARY [close]: registers an exit handler, has the library make its object after that, and ends. Says what goes
// in which order.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  auto make = library ? reinterpret_cast<void (*)()>(dlsym(library, "make_object")) : nullptr;
  if (!make) return 2;
  std::atexit([] { std::puts("handler"); });
  make();
  if (argc > 2) {
    dlclose(library);
    std::puts("closed");
  }
  return 0;
}
