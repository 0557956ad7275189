// The registers that each stage has of its own: where its program is, what its waves have, its user data. The names of a merged stage's
// registers are those of its two halves: the program is found under ES (GS, NGG) and LS (HS), and what stands under GS and HS themselves
// are the first two SGPRs of every wave (Mesa 25.0.7 src/gallium/drivers/radeonsi/si_state_draw.cpp, radv_cmd_buffer.c:
// R_00B210_SPI_SHADER_PGM_LO_GS, R_00B410_SPI_SHADER_PGM_LO_HS on GFX12; RDNA4 ISA 3.5, tables 10 and 11).
#pragma once
#include "gpu/amd/register_file.h"
#include "registers/gfx12.h"

namespace Atoll::gfx12 {
namespace stages {

struct PS {
  static constexpr const char* name = "pixel";
  static constexpr unsigned first_user_sgpr = 0;
  static constexpr bool exports = true;
  using ProgramLow = SPI_SHADER_PGM_LO_PS;
  using ProgramHigh = SPI_SHADER_PGM_HI_PS::MEM_BASE;
  using Resource1 = SPI_SHADER_PGM_RSRC1_PS;
  using Resource2 = SPI_SHADER_PGM_RSRC2_PS;
  using UserData = SPI_SHADER_USER_DATA_PS;
  using ScratchSize = SPI_TMPRING_SIZE::WAVESIZE;
};

struct GS {
  static constexpr const char* name = "geometry (NGG)";
  static constexpr unsigned first_user_sgpr = 8;
  static constexpr bool exports = true;
  using ProgramLow = SPI_SHADER_PGM_LO_ES;
  using ProgramHigh = SPI_SHADER_PGM_HI_ES::MEM_BASE;
  using Resource1 = SPI_SHADER_PGM_RSRC1_GS;
  using Resource2 = SPI_SHADER_PGM_RSRC2_GS;
  using UserData = SPI_SHADER_USER_DATA_GS;
  using ScratchSize = SPI_TMPRING_SIZE::WAVESIZE;
};

struct HS {
  static constexpr const char* name = "hull (HS)";
  static constexpr unsigned first_user_sgpr = 8;
  static constexpr bool exports = false;
  using ProgramLow = SPI_SHADER_PGM_LO_LS;
  using ProgramHigh = SPI_SHADER_PGM_HI_LS::MEM_BASE;
  using Resource1 = SPI_SHADER_PGM_RSRC1_HS;
  using Resource2 = SPI_SHADER_PGM_RSRC2_HS;
  using UserData = SPI_SHADER_USER_DATA_HS;
  using ScratchSize = SPI_TMPRING_SIZE::WAVESIZE;
};

struct CS {
  static constexpr const char* name = "compute";
  static constexpr unsigned first_user_sgpr = 0;
  static constexpr bool exports = false;
  using ProgramLow = COMPUTE_PGM_LO;
  using ProgramHigh = COMPUTE_PGM_HI::DATA;
  using Resource1 = COMPUTE_PGM_RSRC1;
  using Resource2 = COMPUTE_PGM_RSRC2;
  using UserData = COMPUTE_USER_DATA;
  using ScratchSize = COMPUTE_TMPRING_SIZE::WAVESIZE;
};

}  // namespace stages

// An address in two halves, in units of 256 bytes.
template <class Low, class High>
uint64_t address_by_256(const gpu::amd::RegisterFile& r) {
  return (uint64_t(r.get<High>()) << 32 | r.whole<Low>()) << 8;
}
template <class Stage>
uint64_t program_address(const gpu::amd::RegisterFile& r) {
  return address_by_256<typename Stage::ProgramLow, typename Stage::ProgramHigh>(r);
}

}  // namespace Atoll::gfx12
