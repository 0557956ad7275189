#include "gpu/r5xx/reset.h"

#include <map>
#include <mutex>

#include "base/static_mutex.h"
#include "registers/lookup.h"

namespace Atoll::r5xx {
namespace {

uint32_t pipe_count(unsigned pipes) {
  switch (pipes) {
    case 2: return GB_TILE_CONFIG::PIPE_COUNT::R300;
    case 3: return GB_TILE_CONFIG::PIPE_COUNT::R420_3P;
    case 4: return GB_TILE_CONFIG::PIPE_COUNT::R420;
    default: return GB_TILE_CONFIG::PIPE_COUNT::RV350;
  }
}

}  // namespace

void reset(RegisterFile& r, const gpu::Chip& chip) {
  for (auto& instance : registers::all_instances(registers::r5xx_tables)) {
    if (instance.alias || instance.entry->view_of >= 0) continue;
    uint32_t value = 0;
    for (auto& field : instance.entry->fields)
      if (field.has_default && field.high < 32) value |= uint32_t(field.default_value << field.low);
    if (auto address = instance.address()) r.set(*address, value);
  }
  uint32_t all_pipes = (1u << chip.pixel_pipes) - 1;
  r.set(GB_PIPE_SELECT::address(), GB_PIPE_SELECT::PIPE1_ID::of(1) | GB_PIPE_SELECT::PIPE2_ID::of(2) |
                                       GB_PIPE_SELECT::PIPE3_ID::of(3) | GB_PIPE_SELECT::PIPE_MASK::of(all_pipes) |
                                       GB_PIPE_SELECT::MAX_PIPE::of(chip.pixel_pipes - 1) |
                                       GB_PIPE_SELECT::BAD_PIPES::of(~all_pipes));
  r.set(GB_TILE_CONFIG::address(), GB_TILE_CONFIG::ENABLE::of(1) | GB_TILE_CONFIG::PIPE_COUNT::of(pipe_count(chip.pixel_pipes)) |
                                       GB_TILE_CONFIG::TILE_SIZE::of(GB_TILE_CONFIG::TILE_SIZE::_16_pixels));
  r.set(SU_REG_DEST::address(), all_pipes);
  r.set(RV530_FG_ZBREG_DEST::address(), 0x3);
  r.set(GB_SELECT::address(), 0);
  r.set(GB_ENABLE::address(), 0);
  r.set(GB_AA_CONFIG::address(), 0);
  r.set(GB_MSPOS0::address(), 0x66666666);
  r.set(GB_MSPOS1::address(), 0x06666666);
  r.set(GA_ENHANCE::address(), GA_ENHANCE::DEADLOCK_CNTL::of(1) | GA_ENHANCE::FASTSYNC_CNTL::of(1));
  r.set(GA_POLY_MODE::address(), GA_POLY_MODE::FRONT_PTYPE::of(2) | GA_POLY_MODE::BACK_PTYPE::of(2));
  r.set(GA_ROUND_MODE::address(), GA_ROUND_MODE::GEOMETRY_ROUND::of(1) | GA_ROUND_MODE::COLOR_ROUND::of(1));
  r.set(VAP_INDEX_OFFSET::address(), 0);
  r.set(CP_CSQ_CNTL::address(), CP_CSQ_CNTL::CSQ_MODE::of(4));  // ring and indirect buffers are read from memory
  r.set(VAP_VTX_AOS_ADDR::address(0), 0);
  uint32_t engines = chip.vertex_units >= 8 ? 8 : chip.vertex_units - 1;
  r.set(VAP_CNTL_STATUS::address(), VAP_CNTL_STATUS::MAX_MPS::of(engines));
}

const gpu::amd::NotYet& not_yet_of(const gpu::Chip& chip) {
  [[clang::no_destroy]] static StaticMutex mutex;
  [[clang::no_destroy]] static std::map<const gpu::Chip*, gpu::amd::NotYet> all;
  std::lock_guard lock(mutex);
  if (auto at = all.find(&chip); at != all.end()) return at->second;
  RegisterFile first(registers_end);
  reset(first, chip);
  return all.try_emplace(&chip, registers::r5xx_tables, first).first->second;
}

}  // namespace Atoll::r5xx
