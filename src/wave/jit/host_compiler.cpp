// Opens libatoll_jit.so, which stands beside the library or binary that holds this code.
#include <dlfcn.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include "base/environment.h"
#include "memory/guarded_call.h"
#include "wave/environment.h"
#include "wave/interpreter/level.h"
#include "wave/jit/compiler.h"
#include "wave/jit/host_functions.h"

namespace Atoll::wave {

void call_step(Wave& wave, uint64_t pc, const FloatMode& mode) {
  level_entries().run_one(wave, *wave.program, *wave.program->at(pc), mode);
  wave.called++;
}

const SampledTexture* find_texture(Wave& wave, const TextureAccess& access, const uint32_t* words) {
  return wave.environment->sampled_texture(words, words + 8, access.slot, access.use);
}

namespace {

// Threads may still ask for code while the program ends, when LLVM's own statics are gone already: from then on they get none,
// and whoever ends the program waits for those that are at it.
class Ending {
public:
  bool enter() {
    std::lock_guard lock(mutex_);
    if (ended_) return false;
    busy_++;
    return true;
  }
  void leave() {
    std::lock_guard lock(mutex_);
    busy_--;
    idle_.notify_all();
  }
  void end() {
    std::unique_lock lock(mutex_);
    ended_ = true;
    idle_.wait(lock, [&] { return busy_ == 0; });
  }

private:
  std::mutex mutex_;
  std::condition_variable idle_;
  unsigned busy_ = 0;
  bool ended_ = false;
};
[[clang::no_destroy]] Ending ending;

// What is registered last runs first. Not atexit(), which libatoll.so leaves without effect for its own statics' sake.
void end_when_the_program_does() {
  ::on_exit([](int, void*) { ending.end(); }, nullptr);
}

class GuardedCompiler : public Compiler {
public:
  explicit GuardedCompiler(Compiler& compiler) : compiler_(compiler) {}
  Expected<CompiledRegions> compile(const Program& program, const std::shared_ptr<RegionSet>& set,
                                    const CompileOptions& options) override {
    if (!ending.enter()) return fail("{}", program_ends);
    auto code = compiler_.compile(program, set, options);
    ending.leave();
    return code;
  }

private:
  Compiler& compiler_;
};

Expected<Compiler*> open_compiler() {
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
    end_when_the_program_does();  // again: LLVM has registered its destructors by now, which must come later
    auto create = reinterpret_cast<Compiler* (*)(const HostFunctions&)>(dlsym(library, "atoll_create_compiler"));
    if (!create) return fail("{}{} is not Atoll's code generator; build it again", folder, place);
    Compiler* made = create(
        {call_step, find_texture, host_level, level_entries, environment_text, environment_flag, broken_promise, guarded_call});
    if (!made) return fail("the code generator in {}{} does not start", folder, place);
    return new GuardedCompiler(*made);
  }
  return fail("the JIT's code generator cannot be loaded ({}): install libllvm19, or run with --engine interpreter", why);
}

}  // namespace

void expect_compiler() {
  static std::once_flag once;
  std::call_once(once, end_when_the_program_does);
}

Expected<Compiler*> host_compiler() {
  [[clang::no_destroy]] static const Expected<Compiler*> compiler = []() -> Expected<Compiler*> {
    if (!ending.enter()) return fail("{}", program_ends);
    auto opened = open_compiler();
    ending.leave();
    return opened;
  }();
  return compiler;
}

}  // namespace Atoll::wave
