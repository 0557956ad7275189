// The exports of a graphics wave, as a list. RDNA4 ISA 14.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wave/environment.h"
#include "wave/wave.h"

namespace Atoll::rdna4 {

struct Export {
  uint32_t target = 0;
  uint32_t enabled = 0;              // a bit for each of the four sources that was written
  bool done = false;                 // the last of its kind
  std::optional<uint32_t> row = {};  // of a mesh shader's vertices or primitives
  uint64_t lanes = 0;                // that exported
  uint32_t order = 0;                // its place among the wave's exports, from 1 on
  std::array<std::vector<uint32_t>, 4> values =
      {};  // of each source, one a lane of the wave (meaningless where it did not export);
           // none where it is not enabled
};

// "mrt0", as the assembler has it; "null" for 9, "invalid_target_N" for what does not exist.
std::string export_target_text(uint32_t target);

// An export with a row, to be kept until the wave has ended.
Export row_export(const wave::RowExport& row, unsigned lanes);

// In the order in which the wave made them: one a target, and `rows`. Several exports to one target, which programs should not make,
// are one: all lanes that exported, the values that came last, in the place of the last. An export of a wave without active lanes
// is left out unless it is the last of its kind or of pos0 (3.2.2.1).
std::vector<Export> exports_of(wave::Wave& wave, std::vector<Export> rows = {});

// Before a wave starts: it may export, and has not yet.
void begin_exports(wave::Wave& wave);

}  // namespace Atoll::rdna4
