// --isa, --mcpu and --wave of the verbs that read or write instructions.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "cli/assembler.h"
#include "cli/verbs.h"

namespace Atoll::cli {

struct IsaOption {
  std::string isa;    // as given; empty when it was left out
  unsigned wave = 0;  // 0 when it was left out

  // Adds --isa, --mcpu and --wave to a verb.
  void add(CLI::App& verb);

  // The assembler of the named instruction set. Ends the verb with status 2 when there is none, or no name was given, or its
  // waves have not as many lanes as --wave says.
  Assembler require_assembler(const char* verb) const;
};

// The assembler of an instruction set, or of the GPU or processor that has it, in upper or lower case, with the lanes that its
// waves have by default; nothing when there is none.
std::optional<Assembler> assembler_of(std::string_view name);

// The instruction sets that have an assembler, as messages list them: "rdna4 (gfx1200, …), gfx7 (…), r500-fs and r500-vs".
std::string assembler_list();

}  // namespace Atoll::cli
