// Opens libatoll_jit.so, which stands beside the library or binary that holds this code.
#include <dlfcn.h>

#include "wave/interpreter/level.h"
#include "wave/jit/compiler.h"
#include "wave/jit/host_functions.h"

namespace Atoll::wave {

void call_step(Wave& wave, const Step& step, const FloatMode& mode) {
  level_entries().run_one(wave, *wave.program, step, mode);
  wave.called++;
}

Expected<Compiler*> host_compiler() {
  [[clang::no_destroy]] static const Expected<Compiler*> compiler = []() -> Expected<Compiler*> {
    Dl_info here{};
    std::string folder;
    if (dladdr(reinterpret_cast<void*>(&host_compiler), &here) && here.dli_fname) {
      folder = here.dli_fname;
      size_t slash = folder.rfind('/');
      folder = slash == std::string::npos ? "." : folder.substr(0, slash);
    }
    std::string why;
    for (const char* place : {"/libatoll_jit.so", "/../lib/libatoll_jit.so"}) {
      void* library = dlopen((folder + place).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!library) {
        if (why.empty()) why = dlerror();
        continue;
      }
      auto create = reinterpret_cast<Compiler* (*)(const HostFunctions&)>(dlsym(library, "atoll_create_compiler"));
      if (!create) return fail("{}{} is not Atoll's code generator; build it again", folder, place);
      Compiler* made = create({call_step, host_level, level_entries, broken_promise});
      if (!made) return fail("the code generator in {}{} does not start", folder, place);
      return made;
    }
    return fail("the JIT's code generator cannot be loaded ({}): install libllvm19, or run with --engine interpreter", why);
  }();
  return compiler;
}

}  // namespace Atoll::wave
