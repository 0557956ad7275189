#include "isa/amd/cell_names.h"

#include "isa/amd/registers.h"

namespace Atoll::amd {

std::string cell_name(const RegisterNames& registers, uint32_t cell, uint32_t words, bool wave64) {
  struct Single {
    uint32_t cell;
    const char* name;
  };
  constexpr Single singles[] = {{scc_cell, "scc"},
                                {mode_cell, "mode"},
                                {status_cell, "status"},
                                {trap_status_cell, "trapsts"},
                                {scratch_base_cell, "scratch_base_lo"},
                                {scratch_base_cell + 4, "scratch_base_hi"},
                                {vgpr_count_cell, "vgpr_count"},
                                {lds_allocation_cell, "lds_allocation"},
                                {hardware_id_cell, "hardware_id_lo"},
                                {hardware_id_cell + 4, "hardware_id_hi"}};
  if (cell < wave::register_file_offset || cell % 4) return {};
  if (cell < scalar_cell(kScalarCount)) return scalar_name(registers, (cell - scalar_cell(0)) / 4, words > 2 ? 1 : words);
  for (const Single& single : singles)
    if (single.cell == cell) return single.name;
  uint32_t bytes = vgpr_cell(1, wave64) - vgpr_cell(0, wave64);
  if (cell < vgpr_base_cell || cell >= vgpr_cell(kVgprCount, wave64) || (cell - vgpr_base_cell) % bytes) return {};
  return vector_name((cell - vgpr_base_cell) / bytes, 1);
}

}  // namespace Atoll::amd
