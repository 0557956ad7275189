// The initial state of threads of a stage before the pixels, from the commands that the stages have alike. PRM volume 2a,
// 3DSTATE_VS, _HS, _DS, _GS, 3DSTATE_BINDING_TABLE_POINTERS_*, 3DSTATE_SAMPLER_STATE_POINTERS_*.
#pragma once
#include <memory>
#include <vector>

#include "gpu/dg1/draw/stage_threads.h"

namespace Atoll::dg1 {

struct StageSetup {
  std::unique_ptr<StageThreads> threads;
  unsigned first_register = 0;                                                                // Dispatch GRF Start Register
  std::vector<uint32_t> constants;                                                            // whole registers from there on
  unsigned data_register() const { return first_register + unsigned(constants.size() / 8); }  // behind them
};

// Finds the setup of a stage before PS. False: the context is lost.
bool find_stage(Context& context, Stage stage, StageSetup& setup);

}  // namespace Atoll::dg1
