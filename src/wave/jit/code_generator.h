// Turns LLVM modules into object files, for one tier. Whatever can be kept from one module to the next is kept: the
// target machine with its tables, the pass pipelines, the buffer. What LLJIT makes anew for every module costs more than the code
// of a few regions.
#pragma once
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "memory/guarded_call.h"
#include "wave/jit/compiler.h"

namespace Atoll::wave {

// Modules with the context that they stand in.
struct CodeModules {
  llvm::LLVMContext context;
  std::vector<std::unique_ptr<llvm::Module>> modules;
  llvm::Module& add() { return *modules.emplace_back(std::make_unique<llvm::Module>("regions", context)); }
};

class CodeGenerator {
public:
  static Expected<std::unique_ptr<CodeGenerator>> create(Tier tier, const GuardedCallLimits& limits = {});
  ~CodeGenerator();
  // Sets what a module has to declare (triple, data layout).
  void prepare(llvm::Module& module) const;
  // Changes the module. The error is LLVM's complaint, or that it crashed or came to no end (there is code that makes it). LLVM would
  // end the process over code that its passes cannot translate; they are left in the midst of their work instead, and may hold on to
  // the generator, the module and its context from then on: all three are `broken`, and whoever has them neither uses nor destroys
  // them any more.
  Expected<std::string> generate(llvm::Module& module);
  bool broken() const { return broken_; }
  // The same of several, each with an object of its own, and with a way out: where `unwanted` comes to say so, this comes back at once
  // and without code, both pointers null. LLVM goes on with what they held for a while, by itself, and it goes with its end. Null as
  // well: what is broken, and kept for good.
  static Expected<std::vector<std::string>> generate(std::unique_ptr<CodeGenerator>& generator,
                                                     std::unique_ptr<CodeModules>& made, const std::function<bool()>& unwanted);
  // For tests: a step of the translation before LLVM's first pass, under the same guard.
  std::function<void(llvm::Module& module)> first_step;

private:
  struct Optimiser;
  CodeGenerator(std::unique_ptr<llvm::TargetMachine> machine, Tier tier, const GuardedCallLimits& limits);
  bool build_pipeline();
  void run_passes(llvm::Module& module, std::string& complaint);
  std::string translate(llvm::Module& module);
  const void* library() const;
  std::string object() const { return {object_.data(), object_.size()}; }

  const GuardedCallLimits limits_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<Optimiser> optimiser_;
  llvm::SmallVector<char, 0> object_;
  llvm::raw_svector_ostream object_stream_{object_};
  llvm::legacy::PassManager pipeline_;
  bool broken_ = false;
};

}  // namespace Atoll::wave
