// The translator makes code of recorded regions: it is LLVM's, in a library of its own (libatoll_jit.so), opened for the first code that is not found
// anywhere (region_compiler.h), so that tools and preloaded shims which compile nothing never load LLVM.
#pragma once
#include <string>
#include <vector>

#include "wave/jit/code_unit.h"

namespace Atoll::wave {

inline bool is_unwanted(const CompileOptions& options) { return options.unwanted && (*options.unwanted)(); }

struct Translated {
  std::vector<std::string> objects;  // ELF relocatables, one a unit
  bool as_asked = true;              // false: by the passes of the other tier
};

class Translator {
public:
  virtual ~Translator() = default;
  // One caller at a time. Keeps nothing of the set.
  virtual Expected<Translated> translate(const Program& program, const RegionSet& set, std::span<const CodeUnit> units,
                                         const CompileOptions& options) = 0;
};

}  // namespace Atoll::wave
