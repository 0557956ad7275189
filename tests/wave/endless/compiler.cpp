// Stands for the code generator, libatoll_jit.so, where a compilation is to come to no end: its only step is a loop.
#include "wave/jit/compiler.h"

#include <atomic>
#include <cstdio>

#include "memory/guarded_call.h"
#include "wave/jit/host_functions.h"

namespace {

using namespace Atoll;

std::atomic<uint64_t> turns{0};

void turn_for_ever(void*) {
  for (;;) turns.fetch_add(1, std::memory_order_relaxed);
}

class EndlessCompiler : public wave::Compiler {
public:
  explicit EndlessCompiler(const wave::HostFunctions& host) : host_(host) {}
  Expected<wave::CompiledRegions> compile(const wave::Program&, const std::shared_ptr<wave::RegionSet>&,
                                          const wave::CompileOptions& options) override {
    GuardedCallLimits limits{.processor_seconds = 1e6, .processor_seconds_alone = 1e6};
    limits.unwanted = [](void* data) { return (*static_cast<const std::function<bool()>*>(data))(); };
    auto* unwanted = const_cast<std::function<bool()>*>(options.unwanted);
    std::fputs("a compilation without an end begins\n", stderr);
    const std::string why = host_.guarded_call(turn_for_ever, unwanted, &turns, limits);
    return std::unexpected(Error{why == guarded_call_unwanted ? wave::not_wanted : why});
  }

private:
  const wave::HostFunctions host_;
};

}  // namespace

extern "C" {
__attribute__((visibility("default"))) wave::Compiler* atoll_create_compiler(const wave::HostFunctions& host) {
  return new EndlessCompiler(host);
}
// The turns of the loop, which tell whether it runs.
__attribute__((visibility("default"))) uint64_t endless_turns() { return turns.load(); }
}
