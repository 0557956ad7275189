// Graphics waves without a driver: the waves of one group (a pixel wave is one of its own) run as RDNA4 ISA 3.5 starts them, and what they
// export is collected.
#pragma once
#include <optional>
#include <vector>

#include "base/expected.h"
#include "gpu/hsa/run.h"
#include "gpu/rdna4/graphics_state.h"
#include "isa/rdna4/exports.h"
#include "memory/address_space.h"

namespace Atoll::rdna4 {

struct GraphicsWave {
  GraphicsStart start;
  std::vector<uint32_t> user_sgprs = {};
  std::optional<uint64_t> exec = {};  // none: graphics_state()
};

struct GraphicsGroup {
  uint64_t code_start = 0, code_bytes = 0;  // in GPU memory
  uint64_t entry = 0;                       // where every wave starts
  unsigned wave_size = 64;
  uint32_t mode = 0xf0;           // MODE
  uint32_t lds_bytes = 0;         // of the group; a pixel wave has at least those of its parameters
  uint32_t scratch_bytes = 0;     // a lane
  bool skip_export = false;       // no export buffer: exports do nothing (STATUS.SKIP_EXPORT)
  std::vector<uint8_t> lds = {};  // its first bytes before the waves start (a pixel wave's parameters lie over them)
  std::vector<GraphicsWave> waves = {};
};

// S_SENDMSG: GS_ALLOC_REQ, HS_TESSFACTOR and whatever else (RDNA4 ISA 5.4), but not DEALLOC_VGPRS.
struct GraphicsMessage {
  unsigned wave = 0;
  uint32_t message = 0, m0 = 0;
};

struct GraphicsResult {
  std::vector<std::vector<Export>> exports = {};       // of each wave
  std::vector<GraphicsMessage> messages = {};          // in their order
  std::vector<uint8_t> lds = {};                       // as the waves left it
  uint64_t compiled = 0, called = 0, interpreted = 0;  // instructions
  std::optional<hsa::Fault> fault = {};
  bool stopped = false;                   // by options.stop
  std::vector<std::string> unknown = {};  // what of images is not modelled and was met
};

// An error says why the group could not run at all; a fault of its code is in the result, with what was exported until then. Runs on a
// thread of its own. Uses the options engine, stop and findings.
Expected<GraphicsResult> run_graphics(const GraphicsGroup& group, AddressSpace& space, const hsa::RunOptions& options = {});

}  // namespace Atoll::rdna4
