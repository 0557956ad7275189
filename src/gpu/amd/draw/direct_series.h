// A worker's pixel waves that write their pixels themselves, as pixel/direct_waves.h runs them, for AMD's families.
#pragma once
#include <optional>

#include "gpu/amd/draw/pixel_exports.h"
#include "gpu/amd/wave_words.h"
#include "isa/amd/registers.h"
#include "pixel/direct_waves.h"

namespace Atoll::gpu::amd {

// `Stage`: a family's PixelStage, with the types WaveSetup, WaveSeries (waves in the same registers) and DirectPrograms, and the members
//   state()                                the PixelState, which is PixelInputs and PixelExports
//   begin_direct_wave(worker, setup, batch)  the first wave, started with all but its inputs in VGPRs
//   fill_direct_wave(worker, wave, batch)  what else than those a wave starts with
//   fill_vgprs(wave, batch)                these
//   alive(wave, covered)                   the lanes that the program has not killed
//   exported_lanes(wave, n)                the lanes that have exported colour n
//   take_exports(wave, batch, results), take_depth(wave, batch, results)
//   finish_direct_waves(setup, wave, next, data)  Executor::run_series() to its end
//   counters(worker)
template <class Stage>
struct DirectSeries {
  Stage& stage;
  const unsigned worker;
  const typename Stage::WaveSetup& setup;
  const typename Stage::DirectPrograms& direct;
  pipeline::QuadPayload& payload;
  wave::Wave* w = nullptr;  // since start()
  std::optional<typename Stage::WaveSeries> series{};

  wave::Wave& start(const pipeline::PixelBatch& batch) {
    w = &stage.begin_direct_wave(worker, setup, batch);
    load(batch);
    series.emplace(setup, *w);
    return *w;
  }
  void restart(const pipeline::PixelBatch& batch) {
    series->restart(batch.covered);
    restore_mode();
    stage.fill_direct_wave(worker, *w, batch);
    load(batch);
  }
  void written(const pipeline::PixelBatch& batch, uint64_t (&lanes)[8]) const {
    const auto& state = stage.state();
    const uint64_t all = setup.framed->second_pass ? payload.drawn[0] : stage.alive(*w, batch.covered);
    for (unsigned n = 0; n < 8; n++)
      if (state.target_of[n] != PixelExports::no_target) lanes[state.target_of[n]] = all & stage.exported_lanes(*w, n);
  }
  void results(const pipeline::PixelBatch& batch, pipeline::PixelResults& results) const {
    if (direct.alpha_to_coverage)
      stage.take_exports(*w, batch, results);
    else
      stage.take_depth(*w, batch, results);
    results.killed = batch.covered & ~stage.alive(*w, batch.covered);
  }
  void begin_write(const pipeline::PixelBatch& batch) const {
    put_exec(*w, batch.covered);
    restore_mode();
  }
  bool run(wave::Wave& wave, bool (*next)(void*), void* data) const {
    const bool good = stage.finish_direct_waves(setup, wave, next, data);
    wave::Counters& counters = stage.counters(worker);
    counters.add(wave);
    if (good) counters.waves--;  // counted as they ended
    return good;
  }

private:
  void restore_mode() const {
    if (direct.changes_mode) wave::word_of(*w, Atoll::amd::mode_cell) = setup.mode, w->code_table = nullptr;
  }
  void load(const pipeline::PixelBatch& batch) const {
    const PixelInputs& inputs = stage.state();
    if (direct.fills) return stage.fill_vgprs(*w, batch);
    if (inputs.vgpr_of[FRONT_FACE] < 0) return;
    for (unsigned q = 0; q < batch.quads; q++)
      payload.facing[q] = inputs.facing_word(batch.primitive[batch.one_primitive ? 0 : q].front);
  }
};

}  // namespace Atoll::gpu::amd
