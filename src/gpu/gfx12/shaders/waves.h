// Waves from start to end: their storage, the registers that they start with, the run, alone and in groups.
// SPI_SHADER_PGM_*, SPI_SHADER_USER_DATA_*: Mesa 25.0.7 src/amd/registers/gfx12.json; RDNA4 ISA 3.4, 3.5.
#pragma once
#include <array>
#include <memory>
#include <span>

#include "gpu/amd/wave_words.h"
#include "gpu/gfx12/shaders/environment.h"
#include "gpu/gfx12/shaders/shaders.h"
#include "gpu/gfx12/shaders/stage_registers.h"
#include "isa/rdna4/registers.h"
#include "pipeline/stages.h"
#include "pixel/framed_program.h"
#include "wave/work_group.h"

namespace Atoll::gfx12 {

using gpu::amd::lanes_mask;
using gpu::amd::lanes_of;
using gpu::amd::mask_of;
using gpu::amd::put_exec;
using gpu::amd::put_sgpr;
using gpu::amd::words_of;

// STATUS (RDNA4 ISA 3.4.1).
inline constexpr uint32_t STATUS_EXPORT_RDY = 1u << 8, STATUS_SKIP_EXPORT = 1u << 18, STATUS_LDS_PARAM_RDY = 1u << 25;

// State that all waves of a stage share during a draw or a dispatch.
struct WaveSetup {
  std::shared_ptr<Shader> shader;
  std::shared_ptr<pixel::FramedProgram> framed;  // of pixel waves that write their pixels themselves; else null
  const char* stage = "";                        // for reports
  unsigned first_user_sgpr = 0, user_sgprs = 0;
  std::array<uint32_t, 32> user_data{};
  uint32_t mode = 0, status = 0;  // registers of every wave
  uint32_t scratch_bytes = 0;     // a lane
  unsigned lanes() const { return shader->key.lanes; }
  bool wide() const { return lanes() == 64; }
  unsigned vgprs() const { return shader->key.vgprs; }
};

// The program and the rest of a stage, by its registers, but its LDS and what differs from wave to wave. `lanes`: 32 or 64. False: the
// context is lost.
template <class Stage>
bool prepare_stage(ShaderContext& context, unsigned lanes, WaveSetup& setup);
// The user data as the registers have them now, of a stage that was prepared.
template <class Stage>
void read_user_data(const RegisterFile& registers, WaveSetup& setup) {
  for (unsigned n = 0; n < setup.user_sgprs; n++) setup.user_data[n] = registers.whole<typename Stage::UserData>(n);
}

// The waves that a thread keeps: one for pixels, and those of a group.
inline constexpr unsigned pixel_wave = 0, first_group_wave = 1, most_group_waves = 32,
                          kept_waves = first_group_wave + most_group_waves;
// The place of a pixel wave's payload: behind its registers.
inline constexpr uint32_t quad_payload_cell = PixelFrame::payload_cell;
pipeline::QuadPayload& quad_payload();  // of the thread's pixel wave

// LDS of the group that a thread runs (RDNA4 ISA 3.3.5), in the units of a stage's LDS_SIZE.
inline constexpr uint32_t lds_granule = 512, max_lds = 65536;  // bytes
uint8_t* group_lds();

// The thread's wave `which`, started under `setup`: VGPRs zero, exports empty, SGPRs from user data.
wave::Wave& start_wave(ShaderContext& context, QueueEnvironment& environment, const WaveSetup& setup, unsigned which,
                       uint64_t exec);

// A wave has ended (base/progress.h).
void advance(ShaderContext& context);
// For a moment: what a wave or a queue waits for may come.
void pause_waiting(unsigned round);

// Runs it to its end. False: the context is lost.
bool finish_wave(ShaderContext& context, const WaveSetup& setup, wave::Wave& wave);
// The same for waves that share LDS and barriers.
bool finish_group(ShaderContext& context, const WaveSetup& setup, wave::WorkGroup& group, std::span<wave::Wave* const> waves);

// Waves that follow each other in the same registers, as Executor::run_series() wants them.
class WaveSeries {
public:
  // `first`: started, with all its SGPRs.
  WaveSeries(const WaveSetup& setup, wave::Wave& first);
  // Makes the wave, which has ended, the next one; its VGPRs and what else is its own are still to be loaded.
  void restart(uint64_t exec);

private:
  const WaveSetup& setup_;
  wave::Wave& wave_;
  uint64_t uncompiled_ = 0;  // instructions that were not compiled, so far
  alignas(64) std::array<uint8_t, rdna4::vgpr_base_cell - wave::register_file_offset> scalars_;  // of a wave at its start
};
bool finish_series(ShaderContext& context, const WaveSetup& setup, wave::Wave& wave, bool (*next)(void* data), void* data);

}  // namespace Atoll::gfx12
