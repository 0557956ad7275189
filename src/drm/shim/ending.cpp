// The code generator's LLVM is loaded into other people's programs and works on threads of its own, which nobody joins when the
// program ends. Destructors of its statics would then run under them; so they are never registered, as those of libatoll.so
// are not. All other libraries' go on to the C library.
#include <dlfcn.h>
#include <string.h>

#include "drm/shim/shim.h"

namespace {

using Register = int (*)(void (*)(void*), void*, void*);

bool is_code_generator(void* library) {
  Dl_info info;
  if (!library || !dladdr(library, &info) || !info.dli_fname) return false;
  const char* name = strrchr(info.dli_fname, '/');
  name = name ? name + 1 : info.dli_fname;
  return strncmp(name, "libLLVM", 7) == 0 && strstr(name, "19");
}

}  // namespace

SHIM_EXPORT int __cxa_atexit(void (*destructor)(void*), void* object, void* library) {
  static Register next;
  if (!next) next = reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  if (!next || is_code_generator(library)) return next ? 0 : -1;
  return next(destructor, object, library);
}
