// The process's compiler: looks at recorded regions and plans their accesses, finds code that has been made already, by this process or
// (code_cache.h) by another, has the translator make the rest, and keeps it as long as somebody runs it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "base/blake2b.h"
#include "wave/jit/code_cache.h"
#include "wave/jit/code_memory.h"
#include "wave/jit/translator.h"

namespace Atoll::wave {

class RegionCompiler : public Compiler {
public:
  // `open` is called for the first code that is not found. `cache`: null, or there as long as the compiler.
  RegionCompiler(std::function<Expected<Translator*>()> open, CodeCache* cache) : open_(std::move(open)), cache_(cache) {}
  Expected<CompiledRegions> compile(const Program& program, const std::shared_ptr<RegionSet>& set,
                                    const CompileOptions& options) override;

private:
  struct Wanted;  // a unit, and what is known of its code
  using Code = std::pair<CodeFunction, std::shared_ptr<void>>;
  Expected<void> make(const Program& program, const RegionSet& set, std::vector<Wanted>& wanted, const CompileOptions& options);
  Expected<void> translate(const Program& program, const RegionSet& set, std::vector<Wanted>& wanted,
                           const CompileOptions& options);
  Expected<Code> load(const Wanted& unit, CodeFunction alone);
  Code find_shared(const Digest& name);

  bool find(std::vector<Wanted>& wanted, size_t regions);

  std::timed_mutex turn_;  // of the translator; code that is there is found meanwhile
  const std::function<Expected<Translator*>()> open_;
  CodeCache* const cache_;
  std::mutex memory_mutex_;  // what follows; code goes whoever compiles
  CodeMemory memory_;
  struct Shared {
    CodeFunction function = nullptr;
    std::weak_ptr<void> code;
  };
  std::map<Digest, Shared> shared_;  // code that somebody holds
};

}  // namespace Atoll::wave
