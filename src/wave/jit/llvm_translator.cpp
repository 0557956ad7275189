// The LLVM 19 code generator: functions of regions, loops and passages to machine code.
#include <llvm-c/Core.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <xmmintrin.h>

#include "base/environment.h"
#include "wave/interpreter/level.h"
#include "wave/jit/code_generator.h"
#include "wave/jit/host_functions.h"
#include "wave/jit/lasting_statics.h"
#include "wave/jit/lowering.h"
#include "wave/jit/translator.h"

extern "C" __attribute__((visibility("default"))) Atoll::wave::Translator* atoll_create_translator(
    const Atoll::wave::HostFunctions& host);

namespace Atoll::wave {
namespace {

// LLVM folds constants with the host's arithmetic, and the calling thread's may still be in a wave's mode.
struct HostFloatMode {
  unsigned saved = _mm_getcsr();
  HostFloatMode() { _mm_setcsr(0x1f80); }
  ~HostFloatMode() { _mm_setcsr(saved); }
};

class LlvmTranslator : public Translator {
public:
  static Expected<std::unique_ptr<LlvmTranslator>> create() {
    // The process may end while LLVM is at work here, and code of this library with it.
    keep_static_objects(reinterpret_cast<const void*>(&LLVMContextCreate));
    keep_static_objects(reinterpret_cast<const void*>(&atoll_create_translator));
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    auto translator = std::make_unique<LlvmTranslator>();
    for (Tier tier : {Tier::Quick, Tier::Full})
      if (auto made = translator->make_generator(tier); !made) return std::unexpected(made.error());
    return translator;
  }

  Expected<Translated> translate(const Program& program, const RegionSet& set, std::span<const CodeUnit> units,
                                 const CompileOptions& options) override {
    const HostFloatMode host_mode;
    // The passes of the other tier may get through code that LLVM's passes for this one do not.
    const Tier other = options.tier == Tier::Quick ? Tier::Full : Tier::Quick;
    for (Tier tier : {options.tier, other}) {
      if (auto ready = make_generator(tier); !ready) return std::unexpected(ready.error());
      auto made = translate_with(generators_[int(tier)], program, set, units, options);
      if (is_unwanted(options)) return fail("{}", not_wanted);
      if (made) return Translated{std::move(*made), tier == options.tier};
      if (generators_[int(tier)] || tier == other) return std::unexpected(made.error());
    }
    return fail("no tier is left");
  }

private:
  // Again, after one was broken or given away.
  Expected<void> make_generator(Tier tier) {
    auto& generator = generators_[int(tier)];
    if (generator) return {};
    auto made = CodeGenerator::create(tier);
    if (!made) return fail("{}", made.error().message);
    generator = std::move(*made);
    return {};
  }

  static void lower(llvm::Module& module, const Program& program, const RegionSet& set, const CodeUnit& unit) {
    const CodeRegion& entry = set.regions[unit.region];
    Lowering lowering(module, program, set, unit.options, unit.lanes);
    switch (unit.kind) {
      case CodeUnit::Kind::region: lowering.lower(entry, unit.plans[0], unit_name); break;
      case CodeUnit::Kind::loop: lowering.lower_loop(entry, unit.plans, unit_name); break;
      case CodeUnit::Kind::passage: {
        auto* type = llvm::FunctionType::get(
            llvm::Type::getInt64Ty(module.getContext()),
            {llvm::PointerType::get(module.getContext(), 0), llvm::Type::getInt32Ty(module.getContext())}, false);
        lowering.lower_passage(unit.passage, unit.plans, module.getOrInsertFunction(alone_name, type).getCallee(), unit_name);
      }
    }
  }

  // Null afterwards: the generator is lost.
  static Expected<std::vector<std::string>> translate_with(std::unique_ptr<CodeGenerator>& generator, const Program& program,
                                                           const RegionSet& set, std::span<const CodeUnit> units,
                                                           const CompileOptions& options) {
    auto made = std::make_unique<CodeModules>();
    for (const CodeUnit& unit : units) {
      if (is_unwanted(options)) return fail("{}", not_wanted);
      llvm::Module& module = made->add();
      generator->prepare(module);
      lower(module, program, set, unit);
      if (host_level() == Level::Baseline) free_comparisons(module);
      if (environment_flag("ATOLL_DUMP_IR")) module.print(llvm::errs(), nullptr);
      std::string complaint;
      llvm::raw_string_ostream stream(complaint);
      if (llvm::verifyModule(module, &stream)) return fail("the JIT built code that LLVM refuses (please report): {}", complaint);
    }
    static const std::function<bool()> never = [] { return false; };
    auto objects = CodeGenerator::generate(generator, made, options.unwanted ? *options.unwanted : never);
    if (!objects) return fail("LLVM's code generator failed: {}", objects.error().message);
    return objects;
  }

  std::unique_ptr<CodeGenerator> generators_[2];
};

}  // namespace
}  // namespace Atoll::wave

Atoll::wave::Translator* atoll_create_translator(const Atoll::wave::HostFunctions& host) {
  Atoll::wave::set_host_functions(host);
  auto translator = Atoll::wave::LlvmTranslator::create();
  if (!translator) {
    fmt::print(stderr, "atoll: {}\n", translator.error().message);
    return nullptr;
  }
  return translator->release();
}
