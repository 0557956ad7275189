// A wave's interface to the GPU around it, and its only one. gpu/<family> implements it; `eval` has a small one of its own.
#pragma once
#include <cstdint>

#include "wave/fixed_function.h"
#include "wave/global_share.h"
#include "wave/image_access.h"
#include "wave/sampled_texture.h"
#include "wave/wave.h"

namespace Atoll::wave {

enum class TrapAnswer : uint8_t {
  Fault,   // there is no handler: the wave ends
  Ignore,  // nothing happens
  Enter,   // the wave goes on in its trap handler
};

// An export to a row of vertices or primitives (mesh shaders), which registers of the wave cannot hold.
struct RowExport {
  uint32_t target = 0, row = 0, enabled = 0,
           order = 0;  // as the ISA numbers targets; a bit for each source; which of its exports
  bool done = false;
  uint64_t lanes = 0;              // that export
  const uint32_t* values[4] = {};  // one a lane, of the sources that are enabled
};

struct TrapBase {
  uint64_t handler = 0, memory = 0;
};

class Environment {
public:
  virtual ~Environment() = default;
  // True if [address, address + bytes) of the GPU's address space is mapped, and may be written to if asked. Used only to report
  // a fault precisely.
  virtual bool mapped(uint64_t address, uint64_t bytes, bool writable) const = 0;
  // The constant-rate clock (s_memrealtime, SHADER_CYCLES), in ticks. Recorded and replayed where determinism is asked for.
  virtual uint64_t clock() = 0;
  // A message from the wave (s_sendmsg): `message` is the immediate, `m0` its payload. The value of s_sendmsg_rtn.
  virtual uint64_t message(Wave& wave, uint32_t message, uint32_t m0) = 0;
  // An access to an image. Without images: a fault.
  virtual void image(Wave&, ImageAccess& access) { access.fault = "this GPU has no images here"; }
  // The texture for compiled code that a resource (8 words) and a sampler (4, zeros if it is not sampled) name. All memory that
  // it may reach is mapped until the submission ends (and writable, if code stores to it). It is left in slot `slot` of
  // Wave::textures. Null: there is no such texture.
  virtual const SampledTexture* sampled_texture(const uint32_t* /*resource*/, const uint32_t* /*sampler*/, uint32_t /*slot*/,
                                                TextureUse) {
    return nullptr;
  }
  // The part of the GDS that the wave may use. Without one: a fault.
  virtual GlobalPart global_part() { return {}; }
  // The order in which the stage's waves were launched (stage: as the ISA numbers them); null if none is kept.
  virtual WaveOrder* order(uint32_t /*stage*/) { return nullptr; }
  // Takes an export with a row. False: nothing takes it, which is a fault.
  virtual bool export_row(Wave&, const RowExport&) { return false; }
  // A message to a fixed function. A fault if nothing stands behind the wave.
  virtual void fixed_function(Wave&, FixedFunctionMessage& message) {
    message.fault = "a fixed function that this thread cannot reach";
  }
  // Called for a trap instruction.
  virtual TrapAnswer trap(Wave&) { return TrapAnswer::Fault; }
  // The address of RDNA4's trap handler, with bit 63 set, and of the memory that is reserved for it (TBA, TMA); 0: there is none.
  virtual TrapBase trap_base(Wave&) { return {}; }
};

}  // namespace Atoll::wave
