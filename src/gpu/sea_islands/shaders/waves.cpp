#include "gpu/sea_islands/shaders/waves.h"

#include <cstring>

#include "gpu/sea_islands/shaders/images.h"
#include "wave/storage.h"

namespace Atoll::sea_islands {
namespace {

wave::Wave& storage(unsigned which) {
  static thread_local wave::Storage waves[kept_waves];  // 8 bytes each: memory of threads is scarce (tests/drm/preload_test.cpp)
  if (!waves[which]) waves[which] = wave::Storage(gfx7::register_file_end);
  return waves[which].reset();
}

// The watchdog looks whether it changes: where two threads do this at once, one step may be lost.
void advance(ShaderContext& context) {
  context.progress.store(context.progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

void TrapSetup::give_to(wave::Wave& w) const {
  if (!present) return;
  const uint32_t values[4] = {uint32_t(handler), uint32_t(handler >> 32), uint32_t(data), uint32_t(data >> 32)};
  std::memcpy(words_of(w, gfx7::scalar_cell(gfx7::TBA_LO)), values, sizeof values);
  wave::word_of(w, gfx7::status_cell) |= gfx7::STATUS_TRAP_EN;
}

wave::Wave& start_wave(ShaderContext& context, QueueEnvironment& environment, const WaveSetup& setup, unsigned which,
                       uint64_t exec) {
  wave::Wave& w = storage(which);
  w.window = context.space.base();
  w.window_bytes = context.space.size();
  w.stop_flag = &context.stop;
  w.environment = &environment;
  w.textures = &context.images->texture_slots();
  w.lanes = 64;
  w.inspected = false;
  w.pc = setup.shader->address;
  // VGPRs start as 0; those that nobody reads before they are written need not. A trap handler may read any.
  const auto* read = setup.traps.present ? nullptr : setup.shader->executor->reads_at_start(w.pc);
  const uint32_t cleared_end = gfx7::vgpr_cell(read ? 0 : setup.vgprs);
  std::memset(wave::bytes_of(w, wave::register_file_offset), 0, cleared_end - wave::register_file_offset);
  if (read)
    for (uint32_t cell : *read)
      if (cell >= cleared_end && cell < gfx7::vgpr_cell(setup.vgprs)) std::memset(wave::bytes_of(w, cell), 0, gfx7::lanes_bytes);
  std::memset(wave::bytes_of(w, gfx7::export_control_begin), 0, gfx7::export_control_end - gfx7::export_control_begin);
  std::memcpy(words_of(w, gfx7::scalar_cell(0)), setup.user_data.data(), setup.user_sgprs * 4);
  wave::word_of(w, gfx7::mode_cell) = setup.mode;
  setup.traps.give_to(w);
  wave::word_of(w, gfx7::vgpr_count_cell) = setup.vgprs;
  wave::word_of(w, gfx7::scalar_cell(gfx7::EXEC_LO)) = uint32_t(exec);
  wave::word_of(w, gfx7::scalar_cell(gfx7::EXEC_HI)) = uint32_t(exec >> 32);
  return w;
}

bool finish_wave(ShaderContext& context, const WaveSetup& setup, wave::Wave& w) {
  using wave::Stop;
  std::shared_ptr<Shader> after_prolog, elsewhere;
  Shader* shader = setup.shader.get();
  for (unsigned round = 0;;) {
    shader->executor->run(w);
    switch (w.stop) {
      case Stop::End: advance(context); return true;
      case Stop::Yield: break;
      case Stop::Wait: pause_waiting(round++); break;
      case Stop::Elsewhere:
        if (!run_elsewhere(context, *shader, w, elsewhere, setup.stage)) return false;
        if (w.stop == Stop::End) return true;
        break;
      default: {
        // A prolog has gone to the program proper, which stands wherever it was put (shaders.h, PrologEnd).
        bool left = w.stop == Stop::Fault && w.fault.kind == wave::FaultKind::Fetch && shader->is_prolog;
        uint64_t to = w.fault.pc;
        auto next = left ? context.shaders->find(to) : fail("");
        if (!next) return lose_by_fault(context, w, setup.stage, shader->address);
        after_prolog = *next;
        shader = after_prolog.get();
        w.pc = to;
        w.fault = {};
      }
    }
    if (w.stop_flag->load(std::memory_order_relaxed)) {
      w.stop = Stop::Interrupted;
      return lose_by_fault(context, w, setup.stage, shader->address);
    }
  }
}

bool finish_group(ShaderContext& context, const WaveSetup& setup, wave::WorkGroup& group, std::span<wave::Wave* const> waves) {
  using wave::Stop;
  wave::Executor& executor = *setup.shader->executor;
  std::shared_ptr<Shader> elsewhere;
  auto end = executor.run_group(group, waves);
  for (unsigned round = 0; end.stop == Stop::Wait || end.stop == Stop::Elsewhere; end = executor.resume_group(group, waves)) {
    wave::Wave& w = *waves[end.wave];
    if (end.stop == Stop::Wait) {
      pause_waiting(round++);
    } else {
      if (!run_elsewhere(context, *setup.shader, w, elsewhere, setup.stage)) return false;
      if (w.stop == Stop::End) leave(group, end.wave);
    }
    if (!w.stop_flag->load(std::memory_order_relaxed)) continue;
    end.stop = Stop::Interrupted;
    break;
  }
  if (end.stop == Stop::End) {
    advance(context);
    return true;
  }
  waves[end.wave]->stop = end.stop;
  return lose_by_fault(context, *waves[end.wave], setup.stage, setup.shader->address);
}

}  // namespace Atoll::sea_islands
