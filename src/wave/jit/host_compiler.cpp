// Opens libatoll_jit.so, which stands beside the library or binary that holds this code.
#include <dlfcn.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include "wave/interpreter/level.h"
#include "wave/jit/compiler.h"
#include "wave/jit/host_functions.h"

namespace Atoll::wave {

void call_step(Wave& wave, const Step& step, const FloatMode& mode) {
  level_entries().run_one(wave, *wave.program, step, mode);
  wave.called++;
}

namespace {

// Threads may still ask for code while the program ends, when LLVM's own statics are gone already: from then on they get none.
class GuardedCompiler : public Compiler {
public:
  explicit GuardedCompiler(Compiler& compiler) : compiler_(compiler) {}
  Expected<CompiledRegions> compile(const Program& program, const std::shared_ptr<RegionSet>& set,
                                    const CompileOptions& options) override {
    std::unique_lock lock(mutex_);
    if (ended_) return fail("the program ends");
    busy_++;
    lock.unlock();
    auto code = compiler_.compile(program, set, options);
    lock.lock();
    busy_--;
    idle_.notify_all();
    return code;
  }
  void end() {
    std::unique_lock lock(mutex_);
    ended_ = true;
    idle_.wait(lock, [&] { return busy_ == 0; });
  }

private:
  Compiler& compiler_;
  std::mutex mutex_;
  std::condition_variable idle_;
  unsigned busy_ = 0;
  bool ended_ = false;
};

GuardedCompiler* guarded = nullptr;

}  // namespace

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
      guarded = new GuardedCompiler(*made);
      // Registered after LLVM's, so that it comes before them.
      std::atexit([] { guarded->end(); });
      return guarded;
    }
    return fail("the JIT's code generator cannot be loaded ({}): install libllvm19, or run with --engine interpreter", why);
  }();
  return compiler;
}

}  // namespace Atoll::wave
