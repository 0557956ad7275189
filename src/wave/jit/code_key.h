// Everything that a function's machine code depends on, written out. Regions with the same key have the same code, whichever program they are of: a
// pixel shader in the frames of several states (src/pixel) differs in its first and last regions alone. No address of this process is in
// it, but as part of a symbol that says so (own_image.h), so that keys can be compared with those of other processes.
#pragma once
#include <string>

#include "wave/jit/code_unit.h"

namespace Atoll::wave {

struct CodeKey {
  std::string text;     // bytes, compared whole
  bool lasting = true;  // it means the same in other processes
};

CodeKey code_key(const Program& program, const RegionSet& set, const CodeUnit& unit);

}  // namespace Atoll::wave
