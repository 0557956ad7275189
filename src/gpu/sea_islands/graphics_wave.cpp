#include "gpu/sea_islands/graphics_wave.h"

#include <cstdlib>
#include <cstring>

namespace Atoll::sea_islands {
namespace {

constexpr size_t kWaveBytes = (gcn2::register_file_end + 127) / 128 * 128;

struct Free {
  void operator()(uint8_t* p) const { std::free(p); }
};

wave::Wave& storage(unsigned which) {
  static thread_local std::unique_ptr<uint8_t, Free> waves[kept_waves];
  if (!waves[which]) {
    waves[which].reset(static_cast<uint8_t*>(std::aligned_alloc(128, kWaveBytes)));
    std::memset(waves[which].get(), 0, kWaveBytes);
  }
  return *new (waves[which].get()) wave::Wave;
}

}  // namespace

wave::Wave& start_wave(Context& context, QueueEnvironment& environment, const WaveSetup& setup, unsigned which, uint64_t exec) {
  wave::Wave& w = storage(which);
  w.window = context.space.base();
  w.window_bytes = context.space.size();
  w.stop_flag = &context.stop;
  w.environment = &environment;
  w.lanes = 64;
  w.inspected = false;
  w.pc = setup.shader->address;
  std::memset(wave::bytes_of(w, wave::register_file_offset), 0, gcn2::vgpr_cell(setup.vgprs) - wave::register_file_offset);
  std::memset(wave::bytes_of(w, gcn2::export_control_begin), 0, gcn2::export_control_end - gcn2::export_control_begin);
  std::memcpy(words_of(w, gcn2::scalar_cell(0)), setup.user_data.data(), setup.user_sgprs * 4);
  wave::word_of(w, gcn2::mode_cell) = setup.mode;
  wave::word_of(w, gcn2::vgpr_count_cell) = setup.vgprs;
  wave::word_of(w, gcn2::scalar_cell(gcn2::EXEC_LO)) = uint32_t(exec);
  wave::word_of(w, gcn2::scalar_cell(gcn2::EXEC_HI)) = uint32_t(exec >> 32);
  return w;
}

bool finish_wave(Context& context, const WaveSetup& setup, wave::Wave& w) {
  std::shared_ptr<Shader> shader = setup.shader;
  for (;;) {
    shader->executor->run(w);
    if (w.stop == wave::Stop::End) return true;
    // A prolog has gone to the program proper, which stands wherever it was put (shaders.h, PrologEnd).
    uint64_t to = w.fault.pc;
    if (w.stop != wave::Stop::Fault || w.fault.kind != wave::FaultKind::Fetch || !shader->is_prolog) break;
    auto next = context.shaders->find(to);
    if (!next) break;
    shader = *next;
    w.pc = to;
    w.fault = {};
  }
  return lose_by_fault(context, w, setup.stage, shader->address);
}

bool finish_group(Context& context, const WaveSetup& setup, wave::WorkGroup& group, std::span<wave::Wave* const> waves) {
  auto end = setup.shader->executor->run_group(group, waves);
  if (end.stop == wave::Stop::End) return true;
  waves[end.wave]->stop = end.stop;
  return lose_by_fault(context, *waves[end.wave], setup.stage, setup.shader->address);
}

}  // namespace Atoll::sea_islands
