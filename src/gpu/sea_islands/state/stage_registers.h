// The registers of each hardware stage of shaders under the names that all stages have: templates over a stage read its own.
// Sea Islands 3D/Compute Register Reference: SPI_SHADER_PGM_*, SPI_SHADER_USER_DATA_*, SPI_SHADER_TBA_*, COMPUTE_*.
#pragma once
#include "gpu/amd/register_file.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

namespace stages {

#define ATOLL_STAGE(stage, text)                                 \
  struct stage {                                                 \
    static constexpr const char* name = text; /* in reports */   \
    using ProgramLow = SPI_SHADER_PGM_LO_##stage::MEM_BASE;      \
    using ProgramHigh = SPI_SHADER_PGM_HI_##stage::MEM_BASE;     \
    using Resource1 = SPI_SHADER_PGM_RSRC1_##stage;              \
    using Resource2 = SPI_SHADER_PGM_RSRC2_##stage;              \
    using UserData = SPI_SHADER_USER_DATA_##stage;               \
    using TrapHandlerLow = SPI_SHADER_TBA_LO_##stage::MEM_BASE;  \
    using TrapHandlerHigh = SPI_SHADER_TBA_HI_##stage::MEM_BASE; \
    using TrapDataLow = SPI_SHADER_TMA_LO_##stage::MEM_BASE;     \
    using TrapDataHigh = SPI_SHADER_TMA_HI_##stage::MEM_BASE;    \
  };
ATOLL_STAGE(LS, "local (LS)")
ATOLL_STAGE(HS, "hull (HS)")
ATOLL_STAGE(ES, "export (ES)")
ATOLL_STAGE(GS, "geometry (GS)")
ATOLL_STAGE(VS, "vertex")
ATOLL_STAGE(PS, "pixel")
#undef ATOLL_STAGE

struct CS {
  static constexpr const char* name = "compute";
  using ProgramLow = COMPUTE_PGM_LO::DATA;
  using ProgramHigh = COMPUTE_PGM_HI::DATA;
  using Resource1 = COMPUTE_PGM_RSRC1;
  using Resource2 = COMPUTE_PGM_RSRC2;
  using UserData = COMPUTE_USER_DATA;
  using TrapHandlerLow = COMPUTE_TBA_LO::DATA;
  using TrapHandlerHigh = COMPUTE_TBA_HI::DATA;
  using TrapDataLow = COMPUTE_TMA_LO::DATA;
  using TrapDataHigh = COMPUTE_TMA_HI::DATA;
};

}  // namespace stages

// Addresses in two halves, in units of 256 bytes.
template <class Low, class High>
uint64_t address_by_256(const gpu::amd::RegisterFile& r) {
  return (uint64_t(r.get<High>()) << 32 | r.get<Low>()) << 8;
}
template <class Stage>
uint64_t program_address(const gpu::amd::RegisterFile& r) {
  return address_by_256<typename Stage::ProgramLow, typename Stage::ProgramHigh>(r);
}

}  // namespace Atoll::sea_islands
