// The tessellator and the domain stage: points of each patch's domain, of the factors in its header, and a vertex for each by threads of
// eight of one patch. PRM volume 2a, 3DSTATE_TE, 3DSTATE_DS; patch headers: Mesa 22.3.6 brw_vec4_tcs.cpp, brw_nir.c (remap_tess_levels);
// the payload: brw_fs.cpp (fs_visitor::run_tes), brw_fs_visitor.cpp.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "gpu/dg1/draw/stage_primitives.h"
#include "gpu/dg1/draw/urb_threads.h"
#include "pipeline/front/tessellator.h"
#include "pipeline/state.h"
#include "pipeline/workers.h"

namespace Atoll::dg1 {

// Factors as a patch's header of eight dwords has them.
pipeline::TessellationFactors factors_of(const uint32_t* header, pipeline::Domain domain, float most);

class DomainStage {
public:
  bool find(Context& context, unsigned workers);
  uint32_t entry_rows() const { return entry_rows_; }
  pipeline::Topology topology() const;  // a list
  // Patches with their identifiers: entry n of `patches` is patch n. Calls take(primitives) for stretches of them, each with entries of
  // its own from the URB's end on, which are gone when it returns. False: the context is lost, or it said so.
  bool run(Urb& urb, const xe_lp::UrbEntries& patches, const std::vector<uint32_t>& identifiers, WorkerPool& workers,
           const std::function<bool(const StagePrimitives&)>& take);
  uint64_t invocations() const { return invocations_; }

private:
  struct Points {
    std::vector<float> u, v;
    struct Thread {  // eight points of a patch
      uint32_t patch, first, count;
    };
    std::vector<Thread> threads;
  };
  bool shade(Urb& urb, const xe_lp::UrbEntries& patches, const std::vector<uint32_t>& identifiers, const Points& points,
             const xe_lp::UrbEntries& outputs, WorkerPool& workers);

  Context* context_ = nullptr;
  StageSetup setup_;
  pipeline::TessellatorState state_;
  float most_ = 64;
  bool third_ = false;                        // Compute W Coordinate Enable
  unsigned first_slot_ = 0, patch_rows_ = 0;  // of a patch's data in the payload: slots, and registers of two
  uint32_t entry_rows_ = 1;
  uint64_t invocations_ = 0;
  std::vector<std::unique_ptr<UrbThreads>> workers_;
};

}  // namespace Atoll::dg1
