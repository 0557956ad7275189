#include "gpu/gfx12/shaders/waves.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/progress.h"
#include "gpu/amd/images.h"
#include "gpu/rdna4/target.h"
#include "wave/storage.h"

namespace Atoll::gfx12 {
namespace {

// As it was left.
wave::Wave& storage(unsigned which) {
  // (Memory of threads is scarce: tests/drm/preload_test.cpp.)
  static thread_local const auto waves = std::make_unique<std::array<wave::Storage, kept_waves>>();
  wave::Storage& wave = (*waves)[which];
  if (!wave) wave = wave::Storage(which == pixel_wave ? PixelFrame::cells_end : rdna4::register_file_end(true));
  return *wave;
}

// The private memory of the thread's wave `which`: no program sees where it is (RDNA4 ISA 11.4), so it is not in the ring that the
// driver has allocated.
uint8_t* scratch_storage(unsigned which, size_t bytes) {
  struct Scratch {
    wave::StorageBytes memory;
    size_t bytes = 0;
  };
  static thread_local std::unique_ptr<std::array<Scratch, kept_waves>> all;
  if (!all) all = std::make_unique<std::array<Scratch, kept_waves>>();
  Scratch& own = (*all)[which];
  if (own.bytes < bytes) own.memory = wave::allocate_zeroes(bytes), own.bytes = bytes;
  return own.memory.get();
}

}  // namespace

void advance(ShaderContext& context) { Atoll::advance(context.progress); }

void pause_waiting(unsigned round) {
  if (round < 16) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(round < 200 ? 20 : 200));
}

template <class Stage>
bool prepare_stage(ShaderContext& context, unsigned lanes, WaveSetup& setup) {
  using One = typename Stage::Resource1;
  using Two = typename Stage::Resource2;
  const RegisterFile& r = context.registers;
  const auto one = r.read<One>();
  const auto two = r.read<Two>();
  // The granule is 8 registers, and half as many for a wave64 (LLVM docs AMDGPUUsage, "compute_pgm_rsrc1 for GFX6-GFX12").
  const unsigned vgprs = std::min((One::VGPRS::get(one) + 1) * (lanes == 32 ? 8 : 4), rdna4::kVgprCount);
  auto shader = context.shaders->find(ProgramKey{
      .address = program_address<Stage>(r), .lanes = uint8_t(lanes), .vgprs = uint16_t(vgprs), .exports = Stage::exports});
  if (!shader) return context.lose(fmt::format("{}: {} shader: {}", context.place(), Stage::name, shader.error().message));
  setup.shader = *shader;
  setup.stage = Stage::name;
  setup.first_user_sgpr = Stage::first_user_sgpr;
  setup.user_sgprs = Two::USER_SGPR::get(two);
  if constexpr (requires { typename Two::USER_SGPR_MSB; }) setup.user_sgprs |= Two::USER_SGPR_MSB::get(two) << 5;
  setup.user_sgprs = std::min<unsigned>(setup.user_sgprs, Stage::UserData::count);
  read_user_data<Stage>(r, setup);
  // FLOAT_MODE is MODE[7:0], FP16_OVFL is MODE[23] (RDNA4 ISA 3.4.3).
  setup.mode = One::FLOAT_MODE::get(one) | One::FP16_OVFL::get(one) << 23;
  setup.status = Stage::exports ? STATUS_EXPORT_RDY : 0;
  if (One::PRIV::peek(one)) context.unknown(fmt::format("PRIV of a {} shader", Stage::name));
  if constexpr (requires { typename Two::TRAP_PRESENT; })
    if (Two::TRAP_PRESENT::peek(two)) context.unknown(fmt::format("TRAP_PRESENT of a {} shader", Stage::name));
  setup.scratch_bytes = 0;
  if (Two::SCRATCH_EN::get(two)) {
    // In units of 64 dwords a wave (Mesa 25.0.7 ac_gpu_info.c, scratch_wavesize_granularity; sid.h, WAVESIZE).
    const uint64_t wave_bytes = uint64_t(r.get<typename Stage::ScratchSize>()) * 256;
    setup.scratch_bytes = uint32_t(std::min<uint64_t>(wave_bytes / lanes, rdna4::target().max_scratch_bytes));
  }
  return true;
}
template bool prepare_stage<stages::PS>(ShaderContext&, unsigned, WaveSetup&);
template bool prepare_stage<stages::GS>(ShaderContext&, unsigned, WaveSetup&);
template bool prepare_stage<stages::HS>(ShaderContext&, unsigned, WaveSetup&);
template bool prepare_stage<stages::CS>(ShaderContext&, unsigned, WaveSetup&);

namespace {

wave::Executor& executor_of(const WaveSetup& setup) { return setup.framed ? setup.framed->executor : *setup.shader->executor; }
uint64_t entry_of(const WaveSetup& setup) { return setup.framed ? setup.framed->begin() : setup.shader->address; }

// Clears the `cells` that are VGPRs of the wave.
void clear_vgprs(const WaveSetup& setup, wave::Wave& w, const std::vector<uint32_t>& cells) {
  const uint32_t begin = rdna4::vgpr_base_cell, end = rdna4::vgpr_cell(setup.vgprs(), setup.wide());
  for (uint32_t cell : cells)
    if (cell >= begin && cell < end) std::memset(wave::bytes_of(w, cell), 0, setup.lanes() * 4);
}

// The registers, but EXEC.
void start_registers(const WaveSetup& setup, wave::Wave& w) {
  // VGPRs start as 0; those that nobody reads before they are written need not.
  const auto* read = executor_of(setup).reads_at_start(w.pc);
  const uint32_t cleared_end = rdna4::vgpr_cell(read ? 0 : setup.vgprs(), setup.wide());
  std::memset(wave::bytes_of(w, wave::register_file_offset), 0, cleared_end - wave::register_file_offset);
  if (read) clear_vgprs(setup, w, *read);
  if (w.exports) std::memset(wave::bytes_of(w, rdna4::export_control_begin(setup.wide())), 0, rdna4::export_control_bytes);
  std::memcpy(words_of(w, rdna4::scalar_cell(setup.first_user_sgpr)), setup.user_data.data(), setup.user_sgprs * 4);
  wave::word_of(w, rdna4::mode_cell) = setup.mode;
  wave::word_of(w, rdna4::status_cell) = setup.status;
  wave::word_of(w, rdna4::vgpr_count_cell) = setup.vgprs();
}

}  // namespace

pipeline::QuadPayload& quad_payload() {
  return *reinterpret_cast<pipeline::QuadPayload*>(wave::bytes_of(storage(pixel_wave), quad_payload_cell));
}

uint8_t* group_lds() {
  static thread_local wave::StorageBytes lds;
  if (!lds) lds = wave::allocate_storage(max_lds + wave::storage_alignment);
  return lds.get();
}

wave::Wave& start_wave(ShaderContext& context, QueueEnvironment& environment, const WaveSetup& setup, unsigned which,
                       uint64_t exec) {
  wave::Wave& w = *new (&storage(which)) wave::Wave;  // the neutral part as new
  w.window = context.space.base(), w.window_bytes = context.space.window_bytes();
  w.signed_addresses = true;
  w.stop_flag = &context.stop;
  w.environment = &environment;
  w.textures = &context.images->texture_slots();
  w.lanes = setup.lanes();
  w.inspected = false;
  w.exports = setup.shader->key.exports;
  w.flat_shared_high = setup.shader->like.flat_shared_high, w.flat_private_high = setup.shader->like.flat_private_high;
  w.pc = entry_of(setup);
  if (setup.scratch_bytes) {
    const size_t bytes = size_t(setup.scratch_bytes) * w.lanes;
    w.scratch = scratch_storage(which, bytes), w.scratch_bytes = setup.scratch_bytes;
    std::memset(w.scratch, 0, bytes);
  }
  start_registers(setup, w);
  put_exec(w, exec);
  return w;
}

WaveSeries::WaveSeries(const WaveSetup& setup, wave::Wave& first) : setup_(setup), wave_(first) {
  std::memcpy(scalars_.data(), wave::bytes_of(first, wave::register_file_offset), scalars_.size());
}

void WaveSeries::restart(uint64_t exec) {
  wave_.pc = entry_of(setup_);
  wave::Executor& executor = executor_of(setup_);
  const auto* written = executor.scalars_written();
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
  if (wave_.scratch_bytes) std::memset(wave_.scratch, 0, size_t(wave_.scratch_bytes) * wave_.lanes);
  put_exec(wave_, exec);
}

namespace {

// The program that a wave has gone on to, which stands wherever it was put: the shader behind a prolog (Mesa 25.0.7
// radv_cmd_buffer.c, emit_prolog_inputs), the next one of a ray pipeline. Null: it has not left, or there is none.
std::shared_ptr<Shader> gone_on_to(ShaderContext& context, const Shader& from, wave::Wave& w) {
  if (w.stop != wave::Stop::Fault || w.fault.kind != wave::FaultKind::Fetch || !from.leaves) return nullptr;
  ProgramKey key = from.key;
  key.address = w.fault.pc;
  auto found = context.shaders->find(key);
  if (!found) return nullptr;
  w.pc = key.address;
  w.stop = wave::Stop::Run;
  w.fault = {};
  return *found;
}

// Runs the wave to its end; `run` goes on with it where it stands.
template <class Run>
bool run_to_end(ShaderContext& context, const WaveSetup& setup, wave::Wave& w, Run run) {
  using wave::Stop;
  std::shared_ptr<Shader> other;
  Shader* shader = setup.shader.get();
  wave::Executor* executor = &executor_of(setup);
  for (unsigned round = 0;;) {
    run(*executor);
    switch (w.stop) {
      case Stop::End: advance(context); return true;
      case Stop::Yield: break;
      case Stop::Wait: pause_waiting(round++); break;
      default: {
        // (Of waves in a series the next one begins where the first did.)
        if (other && w.stop == Stop::Fault && w.fault.kind == wave::FaultKind::Fetch && w.fault.pc == entry_of(setup)) {
          shader = setup.shader.get(), executor = &executor_of(setup), other = nullptr;
          w.pc = w.fault.pc, w.stop = Stop::Run, w.fault = {};
          break;
        }
        auto next = gone_on_to(context, *shader, w);
        if (!next) return lose_by_fault(context, w, setup.stage, shader->address);
        other = std::move(next);
        shader = other.get();
        executor = shader->executor.get();
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
  std::shared_ptr<Shader> shader = setup.shader;
  // A prolog has no barriers: each wave runs through it to the program proper, which is the same for all.
  if (shader->is_prolog) {
    std::shared_ptr<Shader> main;
    for (wave::Wave* w : waves) {
      shader->executor->run(*w);
      auto next = gone_on_to(context, *shader, *w);
      if (!next || (main && next != main)) return lose_by_fault(context, *w, setup.stage, shader->address);
      main = std::move(next);
    }
    shader = std::move(main);
  }
  wave::Executor& executor = *shader->executor;
  auto end = executor.run_group(group, waves);
  for (unsigned round = 0; end.stop == Stop::Wait; end = executor.resume_group(group, waves)) {
    pause_waiting(round++);
    if (!waves[end.wave]->stop_flag->load(std::memory_order_relaxed)) continue;
    end.stop = Stop::Interrupted;
    break;
  }
  if (end.stop == Stop::End) {
    advance(context);
    return true;
  }
  waves[end.wave]->stop = end.stop;
  return lose_by_fault(context, *waves[end.wave], setup.stage, shader->address);
}

}  // namespace Atoll::gfx12
