// A wave of a graphics stage from start to end: storage, its initial registers, the run.
// Sea Islands 3D/Compute Register Reference: SPI_SHADER_PGM_*, SPI_SHADER_USER_DATA_*.
#pragma once
#include <array>
#include <memory>
#include <span>

#include "gpu/amd/wave_words.h"
#include "gpu/sea_islands/shaders/environment.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "gpu/sea_islands/state/stage_registers.h"
#include "isa/gfx7/registers.h"
#include "wave/work_group.h"

namespace Atoll::sea_islands {

using gpu::amd::lanes_mask;
using gpu::amd::lanes_of;
using gpu::amd::mask_of;
using gpu::amd::put_exec;
using gpu::amd::put_sgpr;
using gpu::amd::words_of;

// The trap handler of a stage: TBA, TMA (in units of 256 bytes) and STATUS.TRAP_EN, if TRAP_PRESENT is set; or a debugger's for
// all stages of the queues that it names.
struct TrapSetup {
  bool present = false;
  uint64_t handler = 0, data = 0;      // addresses
  std::array<uint32_t, 2> debugger{};  // what a debugger's handler finds in TTMP2 and TTMP3

  // `mode`: the MODE register of the stage's waves, whose EXCP_EN a debugger may change.
  template <class Stage>
  void read(const RegisterContext& c, uint32_t& mode) {
    const RegisterFile& r = c.registers;
    present = r.get<typename Stage::Resource2::TRAP_PRESENT>();
    handler = address_by_256<typename Stage::TrapHandlerLow, typename Stage::TrapHandlerHigh>(r);
    data = address_by_256<typename Stage::TrapDataLow, typename Stage::TrapDataHigh>(r);
    read_debugger(c, mode);
  }
  void give_to(wave::Wave& wave) const;  // whose registers are clear

private:
  void read_debugger(const RegisterContext& c, uint32_t& mode);
};

// True if new waves may start. Otherwise SPI_GDBG_WAVE_CNTL.STALL_RA holds them back, and the context is lost: its queue would
// stand still until somebody clears the register, and nobody else can, since each queue has registers of its own.
bool waves_may_start(RegisterContext& context);

// State that all waves of a stage share during a draw.
struct WaveSetup {
  std::shared_ptr<Shader> shader;
  std::shared_ptr<pixel::FramedProgram> framed;  // of pixel waves that write their pixels themselves; else null
  const char* stage = "";                        // for reports
  std::array<uint32_t, 16> user_data{};
  unsigned user_sgprs = 0;
  unsigned vgprs = 4;  // allocated
  uint32_t mode = 0;   // the MODE register
  TrapSetup traps;
  bool privileged = false;
  bool scratch = false;  // the scratch offset follows the other SGPRs
  uint32_t scratch_bytes_per_wave = 0;
};

// The waves that a thread keeps: one for vertices, one for pixels, and those of a thread group.
inline constexpr unsigned vertex_wave = 0, pixel_wave = 1, first_group_wave = 2, kept_waves = first_group_wave + 16;

// The thread's wave `which`, started under `setup`: VGPRs zero, exports empty, SGPRs from user data.
wave::Wave& start_wave(ShaderContext& context, QueueEnvironment& environment, const WaveSetup& setup, unsigned which,
                       uint64_t exec);
// The payload of the thread's pixel wave.
pipeline::QuadPayload& quad_payload();

// A wave has ended (base/progress.h).
void advance(ShaderContext& context);

// Runs it to its end. False: the context is lost.
bool finish_wave(ShaderContext& context, const WaveSetup& setup, wave::Wave& wave);
// Waves that follow each other in the same registers, as Executor::run_series() wants them.
class WaveSeries {
public:
  // `first`: started, with all its SGPRs.
  WaveSeries(const WaveSetup& setup, wave::Wave& first);
  // Makes the wave, which has ended, the next one; its VGPRs and attributes are still to be loaded.
  void restart(uint64_t exec);

private:
  const WaveSetup& setup_;
  wave::Wave& wave_;
  uint64_t uncompiled_ = 0;  // instructions that were not compiled, so far
  alignas(64) std::array<uint8_t, gfx7::vgpr_cell(0) - wave::register_file_offset> scalars_;  // of a wave at its start
};
bool finish_series(ShaderContext& context, const WaveSetup& setup, wave::Wave& wave, bool (*next)(void* data), void* data);
// The same for waves that share LDS and barriers.
bool finish_group(ShaderContext& context, const WaveSetup& setup, wave::WorkGroup& group, std::span<wave::Wave* const> waves);

}  // namespace Atoll::sea_islands
