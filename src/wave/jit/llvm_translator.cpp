// The LLVM 19 code generator: sets of regions to machine code.
#include <llvm-c/Core.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <xmmintrin.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>

#include "base/environment.h"
#include "wave/interpreter/level.h"
#include "wave/jit/code_generator.h"
#include "wave/jit/code_key.h"
#include "wave/jit/host_functions.h"
#include "wave/jit/lasting_statics.h"
#include "wave/jit/lowering.h"
#include "wave/jit/node_text.h"
#include "wave/jit/region_check.h"

extern "C" __attribute__((visibility("default"))) Atoll::wave::Compiler* atoll_create_compiler(
    const Atoll::wave::HostFunctions& host);

namespace Atoll::wave {
namespace {

// LLVM folds constants with the host's arithmetic, and the calling thread's may still be in a wave's mode.
struct HostFloatMode {
  unsigned saved = _mm_getcsr();
  HostFloatMode() { _mm_setcsr(0x1f80); }
  ~HostFloatMode() { _mm_setcsr(saved); }
};

class LlvmCompiler : public Compiler {
public:
  static Expected<std::unique_ptr<LlvmCompiler>> create() {
    // The process may end while LLVM is at work here, and code of this library with it.
    keep_static_objects(reinterpret_cast<const void*>(&LLVMContextCreate));
    keep_static_objects(reinterpret_cast<const void*>(&atoll_create_compiler));
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    auto compiler = std::make_unique<LlvmCompiler>();
    for (Tier tier : {Tier::Quick, Tier::Full})
      if (auto made = compiler->make_generator(tier); !made) return std::unexpected(made.error());
    return compiler;
  }

  Expected<CompiledRegions> compile(const Program& program, const std::shared_ptr<RegionSet>& set,
                                    const CompileOptions& options) override {
    std::vector<std::shared_ptr<void>> code_used;
    // One after the other; and who is not waited for any more does not wait.
    std::unique_lock lock(turn_, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(5)))
      if (is_unwanted(options)) return fail("{}", not_wanted);
    const HostFloatMode host_mode;
    // The passes of the other tier may get through code that LLVM's passes for this one do not.
    const Tier other = options.tier == Tier::Quick ? Tier::Full : Tier::Quick;
    for (Tier tier : {options.tier, other}) {
      if (auto ready = make_generator(tier); !ready) return std::unexpected(ready.error());
      auto made = compile_with(generators_[int(tier)], program, set, options, code_used);
      if (is_unwanted(options)) return fail("{}", not_wanted);
      if (made || generators_[int(tier)] || tier == other) return made;
    }
    return fail("no tier is left");
  }

private:
  static bool is_unwanted(const CompileOptions& options) { return options.unwanted && (*options.unwanted)(); }

  // Again, after one was broken or given away.
  Expected<void> make_generator(Tier tier) {
    auto& generator = generators_[int(tier)];
    if (generator) return {};
    auto made = CodeGenerator::create(tier);
    if (!made) return fail("{}", made.error().message);
    generator = std::move(*made);
    return {};
  }

  // False: an access of the loop is not made in line, as one whose addresses nobody has met.
  static bool plan_loop(const RegionSet& set, const CodeRegion& entry, std::vector<AccessPlan>& plans) {
    const Wave& like = set.recorder->wave;
    for (size_t part : entry.loop) {
      const CodeRegion& region = set.regions[part];
      plans.push_back(plan_accesses(region, like, int(like.lanes), true));
      for (size_t n = 0; n < region.nodes.size(); n++)
        if (region.nodes[n].op == Op::Load && plans.back().group_of[n] < 0) return false;
    }
    return true;
  }

  // Called in its turn. Null afterwards: the generator is lost.
  Expected<CompiledRegions> compile_with(std::unique_ptr<CodeGenerator>& generator, const Program& program,
                                         const std::shared_ptr<RegionSet>& set, const CompileOptions& options,
                                         std::vector<std::shared_ptr<void>>& code_used) {
    auto llvm_made = std::make_unique<CodeModule>();
    llvm::Module& module = llvm_made->module;
    generator->prepare(module);
    const Wave& like = set->recorder->wave;
    int width = program.isa().register_file().whole_wave ? int(like.lanes) : chunk_lanes();
    std::vector<std::string> names;
    std::vector<CodeFunction> functions(set->regions.size());
    std::vector<std::pair<CodeKey, size_t>> fresh;  // what is made, where others can share it
    std::vector<AccessPlan> plans(set->regions.size());
    auto passages = passages_of(program, *set, options, width, plans);
    if (!passages) return std::unexpected(passages.error());
    for (const CodeRegion& region : set->regions) {
      const size_t number = names.size();
      names.emplace_back();
      bool wanted = options.only < 0 ? !passages->inside[number] : number == size_t(options.only);
      if (region.kind != RegionKind::Compiled || !wanted || (region.has_code && options.only < 0)) continue;
      if (is_unwanted(options)) return fail("{}", not_wanted);
      names.back() = fmt::format("at_{:x}", region.pc);
      // Nothing reaches LLVM unchecked.
      CompileOptions here = options;
      if (!runs_in_f32_mode(region, set->recorder->mode)) here.direct = false;
      bool loop = options.tier == Tier::Full && options.loops && !region.loop.empty();
      std::vector<AccessPlan> loop_plans;
      if (loop && !plan_loop(*set, region, loop_plans)) {
        // (An exact version is to have the shape of this one.)
        set->regions[number].loop.clear();
        loop = false;
      }
      auto checked = [&](const CodeRegion& part, const AccessPlan& plan) {
        return check_region(part, plan, program.isa().register_file(), like, loop || part.whole ? int(like.lanes) : width);
      };
      if (loop) {
        for (size_t n = 0; n < region.loop.size(); n++)
          if (auto sound = checked(set->regions[region.loop[n]], loop_plans[n]); !sound) return std::unexpected(sound.error());
        Lowering(module, program, *set, here, int(like.lanes)).lower_loop(region, loop_plans, names.back());
        continue;
      }
      AccessPlan& plan = plans[number];
      if (plan.group_of.empty()) {  // else passages_of() has planned and checked it
        plan = options.tier == Tier::Full ? plan_accesses(region, like, width) : without_guards(region);
        if (auto sound = checked(region, plan); !sound) return std::unexpected(sound.error());
      }
      const int lanes = region.whole ? int(like.lanes) : width;
      const CodeKey key = code_key(program, *set, region, plan, here, lanes);
      if (auto made = find_shared(key); made.second) {
        functions[number] = made.first;
        code_used.push_back(std::move(made.second));
        names.back().clear();
        continue;
      }
      fresh.emplace_back(key, number);
      Lowering(module, program, *set, here, lanes).lower(region, plan, names.back());
    }
    // Passages take their first region's place; their names follow those of regions.
    for (const Passage& passage : passages->passages) {
      const size_t entry = passage[0];
      names.push_back(fmt::format("from_{:x}", set->regions[entry].pc));
      Lowering lowering(module, program, *set, options, width);
      llvm::Value* alone = functions[entry] ? lowering.function_at(functions[entry]) : module.getFunction(names[entry]);
      lowering.lower_passage(passage, plans, alone, names.back());
    }
    if (host_level() == Level::Baseline) free_comparisons(module);
    if (environment_flag("ATOLL_DUMP_REGIONS")) dump(program, *set, options, width);
    if (environment_flag("ATOLL_DUMP_IR")) module.print(llvm::errs(), nullptr);
    std::string complaint;
    llvm::raw_string_ostream stream(complaint);
    if (llvm::verifyModule(module, &stream)) return fail("the JIT built code that LLVM refuses (please report): {}", complaint);
    if (std::ranges::any_of(names, [](const std::string& name) { return !name.empty(); })) {
      static const std::function<bool()> never = [] { return false; };
      auto code = CodeGenerator::generate(generator, llvm_made, names, memory_, memory_mutex_,
                                          options.unwanted ? *options.unwanted : never);
      if (!code) return fail("LLVM's code generator failed: {}", code.error().message);
      for (size_t n = 0; n < functions.size(); n++)
        if (code->functions[n]) functions[n] = code->functions[n];
      std::vector<CodeKey> keys;
      keys.reserve(fresh.size());
      for (const auto& [key, number] : fresh) keys.push_back(key);
      // The code points into the set, and lives as long as someone holds it.
      auto block = std::shared_ptr<void>(this, [this, block = code->block, set, keys](void*) {
        const std::lock_guard removing(memory_mutex_);
        memory_.release(block);
        for (const CodeKey& key : keys)
          if (auto there = shared_.find(key); there != shared_.end() && there->second.code.expired()) shared_.erase(there);
      });
      {
        const std::lock_guard sharing(memory_mutex_);
        for (const auto& [key, number] : fresh) shared_[key] = {functions[number], block};
      }
      for (size_t n = 0; n < passages->passages.size(); n++)
        functions[passages->passages[n][0]] = code->functions[set->regions.size() + n];
      code_used.push_back(std::move(block));
    }
    return CompiledRegions{std::move(functions), std::make_shared<std::vector<std::shared_ptr<void>>>(std::move(code_used))};
  }

  // The set's passages, where there may be any: then all regions are planned, and their plans checked.
  static Expected<Passages> passages_of(const Program& program, const RegionSet& set, const CompileOptions& options, int width,
                                        std::vector<AccessPlan>& plans) {
    const bool wanted = program.isa().register_file().whole_wave && options.tier == Tier::Full && options.direct &&
                        !options.exact && options.only < 0;
    if (!wanted) return Passages{.passages = {}, .inside = std::vector<bool>(set.regions.size())};
    const Wave& like = set.recorder->wave;
    for (size_t n = 0; n < set.regions.size(); n++) {
      const CodeRegion& region = set.regions[n];
      if (region.kind != RegionKind::Compiled) continue;
      if (is_unwanted(options)) return fail("{}", not_wanted);
      plans[n] = plan_accesses(region, like, width);
      if (auto sound = check_region(region, plans[n], program.isa().register_file(), like, width); !sound)
        return std::unexpected(sound.error());
    }
    return find_passages(set, plans);
  }

  // Code that somebody holds, and what keeps it (not to be let go of under memory_mutex_).
  std::pair<CodeFunction, std::shared_ptr<void>> find_shared(const CodeKey& key) {
    const std::lock_guard sharing(memory_mutex_);
    auto made = shared_.find(key);
    if (made == shared_.end()) return {};
    return {made->second.function, made->second.code.lock()};
  }

  std::timed_mutex turn_;  // held while LLVM works
  std::unique_ptr<CodeGenerator> generators_[2];
  std::mutex memory_mutex_;  // what follows; code goes whoever compiles
  CodeMemory memory_;
  struct Shared {
    CodeFunction function = nullptr;
    std::weak_ptr<void> code;
  };
  std::map<CodeKey, Shared> shared_;  // regions' code that somebody holds

  // ATOLL_DUMP_REGIONS=1: what the JIT made of the code (node_text.h), for people who look for a cut or a node too many.
  static void dump(const Program& program, const RegionSet& set, const CompileOptions& options, int width) {
    const Wave& like = set.recorder->wave;
    fmt::print(stderr, "regions, {} tier{}\n", options.tier == Tier::Quick ? "quick" : "full",
               options.exact ? ", exact NaNs" : "");
    for (const CodeRegion& r : set.regions) {
      bool guards = options.tier == Tier::Full && r.kind == RegionKind::Compiled && !(options.loops && !r.loop.empty());
      AccessPlan plan = guards ? plan_accesses(r, like, width) : AccessPlan();
      fmt::print(stderr, "{}", text_of(r, program, like, guards ? &plan : nullptr));
    }
  }
};

}  // namespace
}  // namespace Atoll::wave

Atoll::wave::Compiler* atoll_create_compiler(const Atoll::wave::HostFunctions& host) {
  Atoll::wave::set_host_functions(host);
  auto compiler = Atoll::wave::LlvmCompiler::create();
  if (!compiler) {
    fmt::print(stderr, "atoll: {}\n", compiler.error().message);
    return nullptr;
  }
  return compiler->release();
}
