// Static objects that LLVM makes while it compiles are not destroyed when the process ends, since LLVM may still be at work then
// (src/wave/jit/lasting_statics.h).
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <mutex>
#include <vector>

#include "../isa/gfx7/machine.h"
#include "wave/jit/compiler.h"
#include "wave/jit/regions.h"

namespace {

// The files that register destructors, in turn.
std::vector<const char*>& registered() {
  static auto* all = new std::vector<const char*>;
  return *all;
}
std::mutex& registering() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

size_t count(const char* part) {
  const std::lock_guard lock(registering());
  size_t found = 0;
  for (const char* file : registered()) found += std::strstr(file, part) != nullptr;
  return found;
}

}  // namespace

// In the place of the C library's for whatever this process loads (Itanium C++ ABI 3.3.6.3).
extern "C" __attribute__((visibility("default"))) int __cxa_atexit(void (*destructor)(void*), void* object, void* library) {
  static const auto real = reinterpret_cast<int (*)(void (*)(void*), void*, void*)>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  Dl_info info{};
  if (library && dladdr(library, &info) && info.dli_fname) {
    const std::lock_guard lock(registering());
    registered().push_back(info.dli_fname);
  }
  return real(destructor, object, library);
}

namespace Atoll::wave {
namespace {

using gfx7::test::Machine;

TEST(StaticObjects, AreNotDestroyedWhereTheyAreMadeWhileLlvmCompiles) {
  auto compiler = host_compiler();
  ASSERT_TRUE(compiler) << compiler.error().message;
  // Static objects of libraries that are loaded are counted here, LLVM's too.
  EXPECT_GT(count("libLLVM"), 0u);
  const size_t before = count("libLLVM") + count("libatoll_jit");
  Machine m;
  m.set_exec(~uint64_t(0));
  const Wave like = *m.w;
  const std::vector<uint32_t> code =
      gfx7::test::assemble({"v_add_f64 v[2:3], v[0:1], v[2:3]", "v_cmp_lt_f32 vcc, v0, v1", "v_cndmask_b32 v1, v0, v2, vcc",
                            "ds_read_b32 v4, v5", "v_mul_hi_u32 v6, v4, v1", "s_endpgm"});
  const Program program(gfx7::isa(), Machine::code_base, code);
  for (const Tier tier : {Tier::Quick, Tier::Full}) {
    auto set = std::make_shared<RegionSet>(cut_regions(program, Machine::code_base, like, program.isa().float_mode(like), 100));
    auto made = (*compiler)->compile(program, set, {.tier = tier, .direct = tier == Tier::Full});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_TRUE(made->functions[0]);
  }
  EXPECT_EQ(count("libLLVM") + count("libatoll_jit"), before);
}

}  // namespace
}  // namespace Atoll::wave
