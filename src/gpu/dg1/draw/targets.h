// The targets of a draw: render targets by the pixel shader's binding table, depth and stencil buffers by their commands. Nothing
// is ever stored compressed: CCS and HiZ mean nothing here.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/dg1/state/context.h"
#include "gpu/dg1/threads/surface_state.h"
#include "pipeline/surface_target.h"

namespace Atoll::dg1 {

// A level of a surface, of some of its layers.
class PlaneTarget : public pipeline::SurfaceTarget {
public:
  PlaneTarget(surface::Texture texture, unsigned width, unsigned height, unsigned level, const pipeline::MemoryRange& memory)
      : SurfaceTarget(std::move(texture), width, height, level), memory_(memory) {
    find_runs();
  }
  std::span<const pipeline::MemoryRange> memory() const override { return {&memory_, 1}; }

private:
  const pipeline::MemoryRange memory_;
};

// Planes by the words that describe them.
class TargetCache {
public:
  // Before a draw's first: those of draws before it may go, its own stand until the next.
  // False: a draw that was deferred has failed.
  bool make_room(Context& context);
  // The level and layers that a surface state is for as a render target, or as what a depth or stencil buffer's command comes to: null
  // where nothing is bound. That its memory is mapped is asked each time. False: the context is lost; `what` names the access.
  bool find(Context& context, const SurfaceWords& words, const char* what, PlaneTarget*& plane);

  bool has_samples() const { return has_samples_; }  // any was of several

private:
  bool has_samples_ = false;
  static constexpr size_t most = 64;
  struct Entry {
    std::unique_ptr<PlaneTarget> plane;
    uint64_t address = 0, bytes = 0;
  };
  std::map<SurfaceWords, Entry> entries_;
};

// The pixel shader's render targets as its kernels name them: by number the binding table entry + 1, 0: not written. False: the
// context is lost.
bool find_written_targets(Context& context, std::array<uint16_t, 8>& targets);

// Adds the targets that its kernels read, after find_written_targets(): one that is read and not written takes a number that no
// other has. `read`: a bit each. False: the context is lost.
bool find_read_targets(Context& context, std::array<uint16_t, 8>& targets, uint8_t& read);

// The surface state of a render target. False: the context is lost.
bool read_target_state(Context& context, unsigned entry, SurfaceWords& words);

// Binds a surface as the draw's only target. False: the context is lost.
bool bind_surface(Context& context, const SurfaceWords& words, pipeline::Draw& draw);

// Binds what the draw's colour output and tests want; tests of buffers that are not there are off. `targets`, `read`: as above. False: the
// context is lost.
bool bind_targets(Context& context, const std::array<uint16_t, 8>& targets, uint8_t read, pipeline::Draw& draw);

}  // namespace Atoll::dg1
