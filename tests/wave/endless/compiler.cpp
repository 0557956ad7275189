// Stands for the code generator, libatoll_jit.so, where a compilation is to come to no end: its only step is a loop.
#include <atomic>
#include <cstdio>

#include "memory/guarded_call.h"
#include "wave/jit/host_functions.h"
#include "wave/jit/translator.h"

namespace {

using namespace Atoll;

std::atomic<uint64_t> turns{0};

void turn_for_ever(void*) {
  for (;;) turns.fetch_add(1, std::memory_order_relaxed);
}

class EndlessTranslator : public wave::Translator {
public:
  explicit EndlessTranslator(const wave::HostFunctions& host) : host_(host) {}
  Expected<wave::Translated> translate(const wave::Program&, const wave::RegionSet&, std::span<const wave::CodeUnit>,
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
__attribute__((visibility("default"))) wave::Translator* atoll_create_translator(const wave::HostFunctions& host) {
  return new EndlessTranslator(host);
}
// The turns of the loop, which tell whether it runs.
__attribute__((visibility("default"))) uint64_t endless_turns() { return turns.load(); }
}
