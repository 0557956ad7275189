// --isa, --mcpu and --wave of the verbs that read or write instructions.
#pragma once
#include <string>

#include "cli/verbs.h"

namespace Atoll::cli {

struct IsaOption {
  std::string isa;    // as given; empty when it was left out
  unsigned wave = 0;  // 0 when it was left out

  // Adds --isa, --mcpu and --wave to a verb.
  void add(CLI::App& verb);

  // Ends the verb with status 2 unless the name is one of RDNA4's. An empty name ends it too.
  void require_rdna4(const char* verb) const;

  // Lanes of a wave: 32 where --wave was left out.
  unsigned lanes() const { return wave == 0 ? 32 : wave; }
};

// Whether a name is gfx1200 or gfx1201, in upper or lower case.
bool names_rdna4(const std::string& isa);

}  // namespace Atoll::cli
