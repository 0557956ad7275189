// Opens libatoll_jit.so, which stands near the library or binary that holds this code (base/installed_places.h).
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>

#include "base/environment.h"
#include "base/installed_places.h"
#include "memory/guarded_call.h"
#include "wave/environment.h"
#include "wave/interpreter/level.h"
#include "wave/jit/called_floats.h"
#include "wave/jit/host_functions.h"
#include "wave/jit/own_image.h"
#include "wave/jit/region_compiler.h"

namespace Atoll::wave {

void call_step(Wave& wave, uint64_t pc, const FloatMode& mode) {
  level_entries().run_one(wave, *wave.program, *wave.program->at(pc), mode);
  wave.called++;
}

const SampledTexture* find_texture(Wave& wave, const TextureAccess& access, const uint32_t* words) {
  return wave.environment->sampled_texture(words, words + 8, access.slot, access.use);
}

namespace {

// Threads may still ask for code while the program ends, when LLVM's own statics are gone already: from then on they get none. Whoever
// ends the program has LLVM left where it stands, and waits for those that come back from it: milliseconds, whatever is compiled.
class Ending {
public:
  bool enter() {
    std::lock_guard lock(mutex_);
    if (ended_.load(std::memory_order_relaxed)) return false;
    busy_++;
    return true;
  }
  void leave() {
    std::lock_guard lock(mutex_);
    busy_--;
    idle_.notify_all();
  }
  bool ended() const { return ended_.load(std::memory_order_relaxed); }
  void end() {
    // A copy of the process without its threads (_Fork()), or one that borrows its memory (vfork()).
    if (::getpid() != process_) return;
    {
      std::lock_guard lock(mutex_);
      ended_.store(true);
    }
    leave_guarded_calls();
    std::unique_lock lock(mutex_);
    idle_.wait_for(lock, std::chrono::seconds(2), [&] { return busy_ == 0; });
  }

private:
  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::condition_variable idle_;
  unsigned busy_ = 0;
  std::atomic<bool> ended_{false};
};

struct Opened {
  std::mutex of_cache;
  std::optional<CodeCache*> cache;
  std::mutex mutex;
  std::optional<Expected<Compiler*>> compiler;
  std::mutex of_translator;
  bool begun = false;
  std::optional<Expected<Translator*>> translator;
};

[[clang::no_destroy]] Ending ending;
[[clang::no_destroy]] Opened opened;

// The function registered last runs first. Not atexit(), which libatoll.so leaves without effect for its own statics' sake.
void end_when_the_program_does() {
  ::on_exit([](int, void*) { ending.end(); }, nullptr);
}

// The child of a fork has none of the threads: what they were at is over, and a compiler that one of them may be in the midst of is
// left as it is. LLVM's own locks are held while it starts alone: then the child does without.
void begin_anew_in_child() {
  const bool starting = opened.begun && !opened.translator;
  new (&ending) Ending;
  new (&opened) Opened;
  forget_guarded_calls();
  if (starting) opened.begun = true, opened.translator = fail("the program forked while LLVM started: this process interprets");
}

class GuardedCompiler : public Compiler {
public:
  explicit GuardedCompiler(Compiler& compiler) : compiler_(compiler) {}
  Expected<CompiledRegions> compile(const Program& program, const std::shared_ptr<RegionSet>& set,
                                    const CompileOptions& options) override {
    if (!ending.enter()) return fail("{}", program_ends);
    const std::function<bool()> unwanted = [&] { return ending.ended() || (options.unwanted && (*options.unwanted)()); };
    CompileOptions here = options;
    here.unwanted = &unwanted;
    auto code = compiler_.compile(program, set, here);
    if (!code && ending.ended()) code = fail("{}", program_ends);
    ending.leave();
    return code;
  }

private:
  Compiler& compiler_;
};

// The places that the code generator's library may have.
std::vector<std::string> places_of_generator() {
  Dl_info here{};
  std::string folder;
  if (dladdr(reinterpret_cast<void*>(&host_compiler), &here) && here.dli_fname) {
    folder = here.dli_fname;
    size_t slash = folder.rfind('/');
    folder = slash == std::string::npos ? "." : folder.substr(0, slash);
  }
  std::vector<std::string> files;
  for (const char* folder_from_here : places_of_private_libraries) files.push_back(folder + folder_from_here + "libatoll_jit.so");
  return files;
}

Expected<Translator*> open_translator() {
  std::string why;
  for (const std::string& file : places_of_generator()) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      if (why.empty()) why = dlerror();
      continue;
    }
    end_when_the_program_does();  // again: LLVM has registered its destructors by now, which must come later
    auto create = reinterpret_cast<Translator* (*)(const HostFunctions&)>(dlsym(library, "atoll_create_translator"));
    if (!create) return fail("{} is not Atoll's code generator; build it again", file);
    Translator* made = create({call_step, find_texture, called_for_lanes, symbol_of, host_level, level_entries, environment_text,
                               environment_flag, broken_promise, guarded_call});
    if (!made) return fail("the code generator in {} does not start", file);
    return made;
  }
  return fail("the JIT's code generator cannot be loaded ({}): install libllvm19, or run with --engine interpreter", why);
}

Expected<Translator*> host_translator() {
  std::lock_guard lock(opened.of_translator);
  if (!opened.translator) {
    opened.begun = true;
    opened.translator = open_translator();
  }
  return *opened.translator;
}

CodeCache* open_cache() {
  if (cache_folder().empty()) return nullptr;
  for (const std::string& file : places_of_generator())
    if (::access(file.c_str(), R_OK) == 0) return CodeCache::open(file).release();
  return nullptr;
}

// LLVM is opened at once, but with code on disk: then it is once some is not there.
Expected<Compiler*> open_compiler() {
  CodeCache* cache = code_on_disk();
  if (!cache)
    if (auto translator = host_translator(); !translator) return std::unexpected(translator.error());
  return new GuardedCompiler(*new RegionCompiler(host_translator, cache));
}

}  // namespace

void expect_compiler() {
  static std::once_flag once;
  std::call_once(once, [] {
    ::pthread_atfork(nullptr, nullptr, begin_anew_in_child);
    end_when_the_program_does();
  });
}

CodeCache* code_on_disk() {
  std::lock_guard lock(opened.of_cache);
  if (!opened.cache) opened.cache = open_cache();
  return *opened.cache;
}

Expected<Compiler*> host_compiler() {
  std::lock_guard lock(opened.mutex);
  if (!opened.compiler) {
    if (!ending.enter()) return fail("{}", program_ends);
    opened.compiler = open_compiler();
    ending.leave();
  }
  return *opened.compiler;
}

}  // namespace Atoll::wave
