#include "wave/jit/code_generator.h"

#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <csetjmp>
#include <cstring>
#include <mutex>

#include "base/environment.h"
#include "base/host_features.h"
#include "wave/interpreter/level.h"
#include "wave/jit/wide_compares.h"

namespace Atoll::wave {

// The passes that clean up after the lowering; more passes cost more than they gain (docs/decisions.md). The quick tier's code
// runs a few times only: combining its instructions costs a fifth of its making.
struct CodeGenerator::Optimiser {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::FunctionPassManager passes;

  Optimiser(llvm::TargetMachine& machine, Tier tier) {
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass());
    if (tier == Tier::Full) passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
  }
  void run(llvm::Module& module) {
    for (auto& f : module)
      if (!f.isDeclaration()) passes.run(f, functions);
    loops.clear(), functions.clear(), graph.clear(), modules.clear();
  }
};

CodeGenerator::CodeGenerator(std::unique_ptr<llvm::TargetMachine> machine, Tier tier, const GuardedCallLimits& limits)
    : limits_(limits), machine_(std::move(machine)), optimiser_(std::make_unique<Optimiser>(*machine_, tier)) {}
CodeGenerator::~CodeGenerator() = default;

Expected<std::unique_ptr<CodeGenerator>> CodeGenerator::create(Tier tier, const GuardedCallLimits& limits) {
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) return fail("LLVM does not know this host: {}", llvm::toString(builder.takeError()));
  // The interpreter's level is the JIT's, so that a lowered ATOLL_LEVEL tests both. At the best one LLVM may use what this processor
  // has beyond it.
  const int version = host_level() == Level::Avx512 ? 4 : host_level() == Level::Avx2 ? 3 : 1;
  if (version < 4 || !environment_text("ATOLL_LEVEL").empty()) {
    builder->setCPU(version == 1 ? "x86-64" : version == 3 ? "x86-64-v3" : "x86-64-v4");
    builder->getFeatures() = llvm::SubtargetFeatures();
  }
  for (const HostFeature& feature : host_features)
    if (feature.version <= version) builder->getFeatures().AddFeature(feature.name, feature.used);
  builder->setCodeGenOptLevel(tier == Tier::Quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Less);
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeModel(llvm::CodeModel::Small);
  auto machine = builder->createTargetMachine();
  if (!machine) return fail("LLVM has no target machine: {}", llvm::toString(machine.takeError()));
  std::unique_ptr<CodeGenerator> made(new CodeGenerator(std::move(*machine), tier, limits));
  if (!made->build_pipeline()) return fail("LLVM makes no machine code for this host");
  return made;
}

// As LLVMTargetMachine::addPassesToEmitMC has it. The pipeline serves one module after the other: each ends by clearing what the
// passes and the streamer hold of it.
bool CodeGenerator::build_pipeline() {
  auto& machine = static_cast<llvm::LLVMTargetMachine&>(*machine_);
  auto* info = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig* config = machine.createPassConfig(pipeline_);
  config->setDisableVerify(true);
  pipeline_.add(config);
  pipeline_.add(info);
  if (config->addISelPasses()) return false;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(pipeline_, object_stream_, nullptr, llvm::CodeGenFileType::ObjectFile, info->getMMI().getContext()))
    return false;
  pipeline_.add(llvm::createFreeMachineFunctionPass());
  return true;
}

void CodeGenerator::prepare(llvm::Module& module) const {
  module.setDataLayout(machine_->createDataLayout());
  module.setTargetTriple(machine_->getTargetTriple().str());
}

// Keeps LLVM's message while a thread translates, and the way out of it: LLVM ends the process when a handler of fatal errors returns.
struct Complaint {
  std::string text;
  sigjmp_buf out;
};
static thread_local Complaint* listening = nullptr;

static void leave_llvm(void*, const char* reason, bool) {
  if (!listening) return;  // another user of the same LLVM
  listening->text = reason;
  siglongjmp(listening->out, 1);
}
static void note_error(const llvm::DiagnosticInfo* info, void* to) {
  if (info->getSeverity() != llvm::DS_Error) return;
  llvm::raw_string_ostream stream(static_cast<Complaint*>(to)->text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
}

// `text`: what LLVM complained of.
void CodeGenerator::run_passes(llvm::Module& module, std::string& text) {
  Complaint complaint;
  const void* stack = llvm::SavePrettyStackState();
  if (!sigsetjmp(complaint.out, 0)) {
    listening = &complaint;
    module.getContext().setDiagnosticHandlerCallBack(note_error, &complaint);
    if (first_step) first_step(module);
    optimiser_->run(module);
    if (host_level() != Level::Avx512) cut_wide_compares(module, host_level() == Level::Avx2 ? 256 : 128);
    pipeline_.run(module);
  } else
    llvm::RestorePrettyStackState(stack);
  listening = nullptr;
  text = complaint.text.substr(0, complaint.text.find('\n'));
}

static void take_fatal_errors() {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(leave_llvm); });
}

// An address of LLVM's: the table of the machine's virtual functions.
const void* CodeGenerator::library() const {
  const void* table;
  std::memcpy(static_cast<void*>(&table), static_cast<const void*>(machine_.get()), sizeof table);
  return table;
}

// Empty, or why there is no code.
std::string CodeGenerator::translate(llvm::Module& module) {
  take_fatal_errors();
  std::string complaint;
  auto passes = [&] { run_passes(module, complaint); };
  const std::string why =
      guarded_call([](void* data) { (*static_cast<decltype(passes)*>(data))(); }, &passes, library(), limits_);
  return why.empty() ? complaint : "LLVM " + why;
}

Expected<std::string> CodeGenerator::generate(llvm::Module& module) {
  object_.clear();
  if (std::string why = translate(module); !why.empty()) {
    broken_ = true;
    return fail("{}", why);
  }
  return object();
}

Expected<std::vector<std::string>> CodeGenerator::generate(std::unique_ptr<CodeGenerator>& generator,
                                                           std::unique_ptr<CodeModules>& made,
                                                           const std::function<bool()>& unwanted) {
  // LLVM's own while it works, since whoever waits may go away.
  struct Work {
    std::unique_ptr<CodeGenerator> generator;
    std::unique_ptr<CodeModules> made;
    std::string complaint{};
    std::vector<std::string> objects{};
    const std::function<bool()>* unwanted;
  };
  take_fatal_errors();
  GuardedCallLimits limits = generator->limits_;
  limits.unwanted = [](void* data) { return (*static_cast<Work*>(data)->unwanted)(); };
  limits.dispose = [](void* data) { delete static_cast<Work*>(data); };
  const void* library = generator->library();
  auto work = std::make_unique<Work>(std::move(generator), std::move(made), std::string(), std::vector<std::string>(), &unwanted);
  const std::string why = guarded_call(
      [](void* data) {
        Work& all = *static_cast<Work*>(data);
        for (auto& module : all.made->modules) {
          all.generator->object_.clear();
          all.generator->run_passes(*module, all.complaint);
          if (!all.complaint.empty()) return;
          all.objects.push_back(all.generator->object());
          module.reset();
        }
      },
      work.get(), library, limits);
  if (why == guarded_call_unwanted) {
    [[maybe_unused]] const Work* given_away = work.release();
    return fail("{}", guarded_call_unwanted);
  }
  if (!why.empty() || !work->complaint.empty()) {
    const std::string complaint = why.empty() ? work->complaint : "LLVM " + why;
    [[maybe_unused]] const Work* left = work.release();  // (not to be destroyed)
    return fail("{}", complaint);
  }
  generator = std::move(work->generator), made = std::move(work->made);
  return std::move(work->objects);
}

}  // namespace Atoll::wave
