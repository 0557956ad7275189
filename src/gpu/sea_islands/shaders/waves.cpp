#include "gpu/sea_islands/shaders/waves.h"

#include <cstring>

#include "base/progress.h"
#include "gpu/amd/images.h"
#include "registers/sea_islands.h"
#include "wave/storage.h"

namespace Atoll::sea_islands {
namespace {

// As it was left.
wave::Wave& storage(unsigned which) {
  // (Memory of threads is scarce: tests/drm/preload_test.cpp.)
  static thread_local const auto waves = std::make_unique<std::array<wave::Storage, kept_waves>>();
  wave::Storage& wave = (*waves)[which];
  if (!wave)
    wave = wave::Storage(which == pixel_wave ? quad_payload_cell + sizeof(pipeline::QuadPayload) : gfx7::register_file_end);
  return *wave;
}

}  // namespace

void advance(ShaderContext& context) { Atoll::advance(context.progress); }

void TrapSetup::read_debugger(const RegisterContext& c, uint32_t& mode) {
  using Config = SPI_GDBG_TRAP_CONFIG;
  using Mask = SPI_GDBG_TRAP_MASK;
  const RegisterFile& r = c.registers;
  const auto config = r.read<Config>();
  if (!Config::TRAP_EN::get(config)) return;
  const HardwareQueue& q = c.hardware_queue;
  if (Config::ME_MATCH::get(config) && Config::ME_SEL::get(config) != q.engine) return;
  if (Config::PIPE_MATCH::get(config) && Config::PIPE_SEL::get(config) != q.pipe) return;
  if (Config::QUEUE_MATCH::get(config) && Config::QUEUE_SEL::get(config) != q.queue) return;
  if (!(Config::VMID_SEL::get(config) & 1)) return;  // the bit of VMID 0, which all queues have here
  present = true;
  handler = address_by_256<SPI_GDBG_TBA_LO::MEM_BASE, SPI_GDBG_TBA_HI::MEM_BASE>(r);
  data = address_by_256<SPI_GDBG_TMA_LO::MEM_BASE, SPI_GDBG_TMA_HI::MEM_BASE>(r);
  debugger = {r.get<SPI_GDBG_TRAP_DATA0::DATA>(), r.get<SPI_GDBG_TRAP_DATA1::DATA>()};
  const auto mask = r.read<Mask>();
  if (Mask::REPLACE::get(mask)) mode &= ~(Mask::EXCP_EN::mask << gfx7::MODE_EXCP_EN_SHIFT);
  mode |= Mask::EXCP_EN::get(mask) << gfx7::MODE_EXCP_EN_SHIFT;
}

bool waves_may_start(RegisterContext& context) {
  return !context.registers.get<SPI_GDBG_WAVE_CNTL::STALL_RA>() ||
         context.lose("SPI_GDBG_WAVE_CNTL.STALL_RA holds new waves back, and nothing clears it: the queue stands still");
}

void TrapSetup::give_to(wave::Wave& w) const {
  if (!present) return;
  std::memcpy(words_of(w, gfx7::scalar_cell(gfx7::TTMP0 + 2)), debugger.data(), sizeof debugger);
  const uint32_t values[4] = {uint32_t(handler), uint32_t(handler >> 32), uint32_t(data), uint32_t(data >> 32)};
  std::memcpy(words_of(w, gfx7::scalar_cell(gfx7::TBA_LO)), values, sizeof values);
  wave::word_of(w, gfx7::status_cell) |= gfx7::STATUS_TRAP_EN;
}

namespace {

// Clears the `cells` that are VGPRs of the wave.
void clear_vgprs(const WaveSetup& setup, wave::Wave& w, const std::vector<uint32_t>& cells) {
  for (uint32_t cell : cells)
    if (cell >= gfx7::vgpr_cell(0) && cell < gfx7::vgpr_cell(setup.vgprs))
      std::memset(wave::bytes_of(w, cell), 0, gfx7::lanes_bytes);
}

// The registers, but EXEC.
void start_registers(const WaveSetup& setup, wave::Wave& w) {
  wave::Executor& executor = setup.framed ? setup.framed->executor : *setup.shader->executor;
  // VGPRs start as 0; those that nobody reads before they are written need not. A trap handler may read any.
  const auto* read = setup.traps.present ? nullptr : executor.reads_at_start(w.pc);
  const uint32_t cleared_end = gfx7::vgpr_cell(read ? 0 : setup.vgprs);
  std::memset(wave::bytes_of(w, wave::register_file_offset), 0, cleared_end - wave::register_file_offset);
  if (read) clear_vgprs(setup, w, *read);
  std::memset(wave::bytes_of(w, gfx7::export_control_begin), 0, gfx7::export_control_end - gfx7::export_control_begin);
  std::memcpy(words_of(w, gfx7::scalar_cell(0)), setup.user_data.data(), setup.user_sgprs * 4);
  wave::word_of(w, gfx7::mode_cell) = setup.mode;
  setup.traps.give_to(w);
  wave::word_of(w, gfx7::vgpr_count_cell) = setup.vgprs;
}

}  // namespace

wave::Wave& start_wave(ShaderContext& context, QueueEnvironment& environment, const WaveSetup& setup, unsigned which,
                       uint64_t exec) {
  wave::Wave& w = *new (&storage(which)) wave::Wave;  // the neutral part as new
  w.window = context.space.base();
  w.window_bytes = context.space.size();
  w.stop_flag = &context.stop;
  w.environment = &environment;
  w.textures = &context.images->texture_slots();
  w.lanes = 64;
  w.inspected = false;
  w.privileged = setup.privileged;
  w.pc = setup.framed ? setup.framed->begin() : setup.shader->address;
  start_registers(setup, w);
  put_exec(w, exec);
  return w;
}

WaveSeries::WaveSeries(const WaveSetup& setup, wave::Wave& first) : setup_(setup), wave_(first) {
  std::memcpy(scalars_.data(), wave::bytes_of(first, wave::register_file_offset), scalars_.size());
}

void WaveSeries::restart(uint64_t exec) {
  wave_.privileged = setup_.privileged;
  wave_.pc = setup_.framed ? setup_.framed->begin() : setup_.shader->address;
  wave::Executor& executor = setup_.framed ? setup_.framed->executor : *setup_.shader->executor;
  const auto* written = setup_.traps.present ? nullptr : executor.scalars_written();
  if (const uint64_t uncompiled = wave_.called + wave_.interpreted; !written || uncompiled != uncompiled_) {
    uncompiled_ = uncompiled;
    start_registers(setup_, wave_);
    std::memcpy(wave::bytes_of(wave_, wave::register_file_offset), scalars_.data(), scalars_.size());
  } else {
    for (uint32_t cell : *written)
      wave::word_of(wave_, cell) = cell - wave::register_file_offset < scalars_.size()
                                       ? *reinterpret_cast<uint32_t*>(scalars_.data() + cell - wave::register_file_offset)
                                       : 0;
    if (const auto* read = executor.reads_at_start(wave_.pc); read && !read->empty()) clear_vgprs(setup_, wave_, *read);
  }
  put_exec(wave_, exec);
}

pipeline::QuadPayload& quad_payload() {
  return *reinterpret_cast<pipeline::QuadPayload*>(wave::bytes_of(storage(pixel_wave), quad_payload_cell));
}

namespace {

// Runs the wave to its end; `run` goes on with it where it stands.
template <class Run>
bool run_to_end(ShaderContext& context, const WaveSetup& setup, wave::Wave& w, Run run) {
  using wave::Stop;
  std::shared_ptr<Shader> after_prolog, elsewhere;
  Shader* shader = setup.shader.get();
  wave::Executor* executor = setup.framed ? &setup.framed->executor : shader->executor.get();
  for (unsigned round = 0;;) {
    run(*executor);
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
        executor = shader->executor.get();
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

}  // namespace

bool finish_wave(ShaderContext& context, const WaveSetup& setup, wave::Wave& w) {
  return run_to_end(context, setup, w, [&](wave::Executor& executor) { executor.run(w); });
}

bool finish_series(ShaderContext& context, const WaveSetup& setup, wave::Wave& w, bool (*next)(void* data), void* data) {
  return run_to_end(context, setup, w, [&](wave::Executor& executor) { executor.run_series(w, next, data); });
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
