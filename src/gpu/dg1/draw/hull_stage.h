// The hull stage: threads of 8 patches each, one thread for each instance (8_PATCH), or of one patch whose lanes are control points
// (SINGLE_PATCH); each patch has an entry of the URB, which begins with its header. PRM volume 2a, 3DSTATE_HS; payloads: Mesa 22.3.6
// brw_fs.cpp (fs_visitor::run_tcs), brw_fs_visitor.cpp (set_tcs_invocation_id).
#pragma once
#include <memory>
#include <vector>

#include "gpu/dg1/draw/stage_primitives.h"
#include "gpu/dg1/draw/urb_threads.h"
#include "pipeline/workers.h"

namespace Atoll::dg1 {

class HullStage {
public:
  // `patch_vertices`: of the topology. False: the context is lost.
  bool find(Context& context, unsigned patch_vertices, unsigned workers);
  uint32_t entry_rows() const { return entry_rows_; }
  // Fills `outputs`, an entry a patch. False: the context is lost.
  bool run(Urb& urb, const StagePrimitives& patches, const xe_lp::UrbEntries& outputs, WorkerPool& workers);

private:
  void put_eight(uint32_t* payload, const StagePrimitives& patches, const xe_lp::UrbEntries& outputs, unsigned first,
                 unsigned here) const;
  void put_single(uint32_t* payload, const StagePrimitives& patches, const xe_lp::UrbEntries& outputs, unsigned patch) const;

  StageSetup setup_;
  bool eight_ = true, with_identifiers_ = false;
  unsigned instances_ = 1, corners_ = 0;
  unsigned given_corners_ = 0;  // whose handles threads have
  uint32_t entry_rows_ = 1;
  std::vector<std::unique_ptr<UrbThreads>> workers_;
};

}  // namespace Atoll::dg1
