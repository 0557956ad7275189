// Passes waves that write their pixels themselves from the pipeline to a framed program and back, one after the other in the same
// registers: the loop of every family's PixelStage::shade_direct().
#pragma once
#include <atomic>
#include <cstdint>

#include "base/progress.h"
#include "pipeline/stages.h"
#include "pixel/framed_program.h"
#include "wave/counters.h"

namespace Atoll::pixel {

// The inputs of a stage's waves, besides the family's registers. `counters.waves` counts those that have ended, `progress` is as
// in base/progress.h.
struct DirectRun {
  const FramedProgram& program;
  pipeline::DirectWaves& waves;
  pipeline::QuadPayload& payload;  // among the wave's registers
  uint8_t* const* texels;
  wave::Counters& counters;
  std::atomic<uint64_t>& progress;
};

// False: a wave did not end, as `family` has reported. Members of `family`:
//   wave::Wave& start(const PixelBatch&)   the first wave: all of its registers
//   void restart(const PixelBatch&)        the wave, which has ended, becomes the next one
//   void written(const PixelBatch&, uint64_t (&lanes)[8])   adds the lanes that it has written, by target (they begin as 0)
//   bool run(wave::Wave&, bool (*next)(void*), void* data)  Executor::run_series(), to its end
// and for programs with a second pass:
//   void results(const PixelBatch&, PixelResults&)   the shader's results: killed lanes, depth, coverage, and the first colour if
//     DirectPrograms::alpha_to_coverage is set
//   void begin_write(const PixelBatch&)              the wave is about to write: with the lanes and mode of the shader's end
template <class Family>
bool run_direct_waves(const DirectRun& run, Family& family) {
  const bool second_pass = run.program.second_pass;
  const pipeline::PixelBatch* batch = run.waves.next(run.payload);
  if (!batch) return true;
  wave::Wave& w = family.start(*batch);
  w.targets = run.texels;
  run.payload.covered = batch->covered;
  bool shading = true;  // (else it has written)
  auto next = [&] {
    if (!second_pass || !shading) {
      uint64_t written[8] = {};
      family.written(*batch, written);
      run.waves.wrote(written);
    }
    if (second_pass) {
      if (shading) family.results(*batch, run.waves.results());
      shading = !run.waves.part(run.payload);
      if (!shading) {
        family.begin_write(*batch);
        w.pc = run.program.write();
        return true;
      }
    }
    run.counters.waves++;
    batch = run.waves.next(run.payload);
    if (!batch) return false;
    advance_in_a_row(run.progress, run.counters.waves);
    family.restart(*batch);
    run.payload.covered = batch->covered;
    return true;
  };
  return family.run(w, [](void* data) { return (*static_cast<decltype(next)*>(data))(); }, &next);
}

}  // namespace Atoll::pixel
