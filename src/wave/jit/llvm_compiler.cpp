// The LLVM 19 code generator: sets of regions to machine code through ORC's LLJIT.
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <xmmintrin.h>

#include <cstdlib>
#include <mutex>

#include "wave/interpreter/level.h"
#include "wave/jit/host_functions.h"
#include "wave/jit/lowering.h"

namespace Atoll::wave {
namespace {

std::string text_of(llvm::Error error) { return llvm::toString(std::move(error)); }

// LLVM folds constants with the host's arithmetic, and the calling thread's may still be in a wave's mode.
struct HostFloatMode {
  unsigned saved = _mm_getcsr();
  HostFloatMode() { _mm_setcsr(0x1f80); }
  ~HostFloatMode() { _mm_setcsr(saved); }
};

class LlvmCompiler : public Compiler {
public:
  static Expected<std::unique_ptr<LlvmCompiler>> create() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    auto compiler = std::make_unique<LlvmCompiler>();
    for (Tier tier : {Tier::Quick, Tier::Full}) {
      auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
      if (!builder) return fail("LLVM does not know this host: {}", text_of(builder.takeError()));
      // The interpreter's level is the JIT's, so that a lowered ATOLL_LEVEL tests both.
      if (host_level() != Level::Avx512 || std::getenv("ATOLL_LEVEL")) {
        builder->setCPU(host_level() == Level::Avx512 ? "x86-64-v4" : host_level() == Level::Avx2 ? "x86-64-v3" : "x86-64");
        builder->getFeatures() = llvm::SubtargetFeatures();
      }
      builder->setCodeGenOptLevel(tier == Tier::Quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Less);
      Generator& g = compiler->generators_[int(tier)];
      auto machine = builder->createTargetMachine();
      if (!machine) return fail("LLVM has no target machine: {}", text_of(machine.takeError()));
      g.machine = std::move(*machine);
      auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(*builder).create();
      if (!jit) return fail("LLVM's JIT does not start: {}", text_of(jit.takeError()));
      g.jit = std::move(*jit);
    }
    return compiler;
  }

  Expected<CompiledRegions> compile(const Program& program, const std::shared_ptr<RegionSet>& set,
                                    const CompileOptions& wanted_options) override {
    CompileOptions options = wanted_options;
    // A byte region is written at once and perhaps over what was read: no region of code could be run again for a NaN.
    options.exact |= program.isa().register_file().whole_wave;
    std::lock_guard lock(mutex_);
    const HostFloatMode host_mode;
    Generator& g = generators_[int(options.tier)];
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>("regions", *context);
    module->setDataLayout(g.jit->getDataLayout());
    module->setTargetTriple(g.machine->getTargetTriple().str());
    const Wave& like = set->recorder->wave;
    int width = program.isa().register_file().whole_wave ? int(like.lanes) : host_level() == Level::Avx512 ? 16 : 8;
    std::vector<std::string> names;
    for (const CodeRegion& region : set->regions) {
      names.emplace_back();
      bool wanted = options.only < 0 || &region == &set->regions[size_t(options.only)];
      if (region.kind != RegionKind::Compiled || !wanted || (region.has_code && options.only < 0)) continue;
      names.back() = fmt::format("u{}_{:x}", unit_, region.pc);
      if (options.tier == Tier::Full && options.loops && !region.loop.empty())
        Lowering(*module, program, *set, options, int(like.lanes)).lower_loop(region, names.back());
      else
        Lowering(*module, program, *set, options, width).lower(region, names.back());
    }
    if (std::getenv("ATOLL_DUMP_REGIONS")) dump(program, *set, options);
    unit_++;
    if (std::getenv("ATOLL_DUMP_IR")) module->print(llvm::errs(), nullptr);
    std::string complaint;
    llvm::raw_string_ostream stream(complaint);
    if (llvm::verifyModule(*module, &stream)) return fail("the JIT built code that LLVM refuses (please report): {}", complaint);
    optimise(*module, *g.machine);
    auto tracker = g.jit->getMainJITDylib().createResourceTracker();
    if (auto error = g.jit->addIRModule(tracker, llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
      return fail("LLVM's JIT refuses a module: {}", text_of(std::move(error)));
    CompiledRegions made;
    for (const std::string& name : names) {
      if (name.empty()) {
        made.functions.push_back(nullptr);
        continue;
      }
      auto symbol = g.jit->lookup(name);
      if (!symbol) {
        llvm::consumeError(tracker->remove());
        return fail("LLVM's code generator failed: {}", text_of(symbol.takeError()));
      }
      made.functions.push_back(symbol->toPtr<CodeFunction>());
    }
    // The code points into the set, and lives as long as someone holds it.
    made.code = std::shared_ptr<void>(nullptr, [this, tracker, set](void*) {
      std::lock_guard removing(mutex_);
      llvm::consumeError(tracker->remove());
    });
    return made;
  }

private:
  struct Generator {
    std::unique_ptr<llvm::TargetMachine> machine;
    std::unique_ptr<llvm::orc::LLJIT> jit;
  };
  Generator generators_[2];
  std::mutex mutex_;
  unsigned unit_ = 0;

  // ATOLL_DUMP_REGIONS=1: what the JIT made of the code, for people who look for a cut too many.
  static void dump(const Program& program, const RegionSet& set, const CompileOptions& options) {
    fmt::print(stderr, "regions, {} tier{}\n", options.tier == Tier::Quick ? "quick" : "full",
               options.exact ? ", exact NaNs" : "");
    for (const CodeRegion& r : set.regions) {
      fmt::print(stderr, "  {:#x} {}{}\n", r.pc, r.kind == RegionKind::Called ? "called" : "compiled",
                 r.self_loop       ? ", loop"
                 : !r.loop.empty() ? fmt::format(", loop of {} regions", r.loop.size())
                                   : "");
      for (const Step* step : r.steps) fmt::print(stderr, "    {}  (forms {})\n", program.isa().text(*step), step->address_forms);
      for (const Step* step : r.tail) fmt::print(stderr, "    {}  (called)\n", program.isa().text(*step));
    }
  }

  // What cleans up after the lowering; more passes cost more than they gain (findings of the engine spike).
  static void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graph;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    for (auto& f : module)
      if (!f.isDeclaration()) passes.run(f, functions);
  }
};

}  // namespace
}  // namespace Atoll::wave

extern "C" __attribute__((visibility("default"))) Atoll::wave::Compiler* atoll_create_compiler(
    const Atoll::wave::HostFunctions& host) {
  Atoll::wave::set_host_functions(host);
  auto compiler = Atoll::wave::LlvmCompiler::create();
  if (!compiler) {
    fmt::print(stderr, "atoll: {}\n", compiler.error().message);
    return nullptr;
  }
  return compiler->release();
}
