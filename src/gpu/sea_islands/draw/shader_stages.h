// The hardware's shader stages as their registers set them up, and which of them a draw goes through.
// Sea Islands 3D/Compute Register Reference: SPI_SHADER_PGM_*, SPI_SHADER_USER_DATA_*, VGT_SHADER_STAGES_EN.
#pragma once
#include "gpu/sea_islands/shaders/waves.h"

namespace Atoll::sea_islands {

// Program, user data, mode and scratch of a stage of stage_registers.h. False: the context is lost.
template <class Stage>
bool prepare_stage(ShaderContext& context, WaveSetup& setup);

// The user data as the registers have them now, of a stage that was prepared.
template <class Stage>
void read_user_data(const RegisterFile& registers, WaveSetup& setup) {
  for (unsigned n = 0; n < setup.user_sgprs; n++) setup.user_data[n] = registers.whole<typename Stage::UserData>(n);
}

class Grouper;  // grouper.h

// The kind of vertices of a stage that takes them from the vertex grouper.
enum class VertexKind : uint8_t {
  api,     // the application's vertices: number, instance
  domain,  // points that the tessellator made: u, v, patch
  copy,    // vertices that a geometry shader left in the GSVS ring
};

struct StageSelection {
  bool tessellation = false;            // LS and HS
  bool geometry = false;                // ES and GS
  bool dynamic_hs = false;              // a control word stands before a thread group's factors
  VertexKind last = VertexKind::api;    // of VS
  VertexKind before = VertexKind::api;  // of ES
  const Grouper* grouper = nullptr;     // vertices of the application are its groups; else null
};
// False: a meaningless combination (counted).
bool stages_of(ShaderContext& context, StageSelection& selection);

}  // namespace Atoll::sea_islands
