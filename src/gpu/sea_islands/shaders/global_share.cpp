#include "gpu/sea_islands/shaders/global_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/sea_islands/shaders/environment.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/isa.h"
#include "isa/gfx7/registers.h"
#include "registers/sea_islands.h"
#include "wave/executor.h"
#include "wave/storage.h"

namespace Atoll::sea_islands {
namespace {

uint32_t inside(const wave::GlobalPart& part, uint32_t offset, uint32_t bytes) {
  return part.share && offset < part.bytes ? std::min(bytes, part.bytes - offset) : 0;
}

uint32_t word_at(ShaderContext& c, uint32_t offset) {
  uint32_t value = 0;
  read_gds(c, offset & 0xffff, &value, 4);
  return value;
}

// GDS_ATOM_OP: the DS instruction of that number for one lane, whose address is GDS_ATOM_DST and whose data are GDS_ATOM_SRC0 and
// 1; the old value goes to GDS_ATOM_READ0 and 1.
void run_atomic(ShaderContext& c) {
  RegisterFile& r = c.registers;
  constexpr uint32_t address_vgpr = 0, data_vgpr = 2, data1_vgpr = 4, result_vgpr = 8;
  constexpr uint32_t end_of_program = 0xbf810000;
  const uint32_t code[] = {0xd8000000u | 1u << 17 | r.get<GDS_ATOM_OP::OP>() << 18 | r.get<GDS_ATOM_OFFSET1::OFFSET1>() << 8 |
                               r.get<GDS_ATOM_OFFSET0::OFFSET0>(),
                           result_vgpr << 24 | data1_vgpr << 16 | data_vgpr << 8 | address_vgpr, end_of_program};
  wave::Program program(gfx7::isa(), 0, code);
  const wave::Storage storage(gfx7::register_file_end);
  QueueEnvironment environment(c, true);
  wave::Wave& w = *storage;
  w.lanes = 64;
  w.stop_flag = &c.stop;
  w.environment = &environment;
  wave::word_of(w, gfx7::scalar_cell(gfx7::EXEC_LO)) = 1;
  wave::word_of(w, gfx7::mode_cell) = gfx7::MODE_DEFAULT;
  wave::word_of(w, gfx7::vgpr_count_cell) = gfx7::kVgprCount;
  wave::word_of(w, gfx7::scalar_cell(gfx7::M0)) = r.get<GDS_ATOM_BASE::BASE>() << 16 | r.get<GDS_ATOM_SIZE::SIZE>();
  auto vgpr = [&](uint32_t n) -> uint32_t& { return wave::word_of(w, gfx7::vgpr_cell(n)); };
  vgpr(address_vgpr) = r.whole<GDS_ATOM_DST>();
  for (unsigned n = 0; n < 2; n++) {
    vgpr(data_vgpr + 2 * n) = r.whole<GDS_ATOM_SRC>(n);
    vgpr(data_vgpr + 2 * n + 1) = r.whole<GDS_ATOM_SRC_U>(n);
  }
  wave::Executor(program, wave::EngineChoice::Interpreter, w).run(w);
  if (w.stop != wave::Stop::End) return c.unknown(fmt::format("GDS_ATOM_OP {}", r.get<GDS_ATOM_OP::OP>()));
  for (unsigned n = 0; n < 2; n++) {
    r.set(GDS_ATOM_READ::address(n), vgpr(result_vgpr + 2 * n));
    r.set(GDS_ATOM_READ_U::address(n), vgpr(result_vgpr + 2 * n + 1));
  }
  r.set(GDS_ATOM_COMPLETE::address(), GDS_ATOM_COMPLETE::COMPLETE::of(1));
}

}  // namespace

void read_gds(ShaderContext& c, uint32_t offset, void* to, uint32_t bytes) {
  wave::GlobalPart part = c.global_part();
  std::memset(to, 0, bytes);
  uint32_t there = inside(part, offset, bytes);
  if (!there) return;
  std::lock_guard lock(part.share->mutex);
  std::memcpy(to, part.share->memory.data() + part.base + offset, there);
}

void write_gds(ShaderContext& c, uint32_t offset, const void* from, uint32_t bytes) {
  wave::GlobalPart part = c.global_part();
  uint32_t there = inside(part, offset, bytes);
  if (!there) return;
  std::lock_guard lock(part.share->mutex);
  std::memcpy(part.share->memory.data() + part.base + offset, from, there);
}

void write_gds_register(ShaderContext& c, uint32_t address, uint32_t value) {
  RegisterFile& r = c.registers;
  switch (address) {
    case GDS_WR_DATA::address(): write_gds(c, r.whole<GDS_WR_ADDR>() & 0xffff, &value, 4); break;
    case GDS_WR_BURST_DATA::address(): {
      const uint32_t at = r.whole<GDS_WR_BURST_ADDR>();
      write_gds(c, at & 0xffff, &value, 4);
      r.set(GDS_WR_BURST_ADDR::address(), at + 4);
      break;
    }
    case GDS_ATOM_OP::address():
      if (c.within(c.budget.packets())) run_atomic(c);
      break;
  }
}

std::optional<uint32_t> read_gds_register(ShaderContext& c, uint32_t address) {
  RegisterFile& r = c.registers;
  switch (address) {
    case GDS_RD_DATA::address(): return word_at(c, r.whole<GDS_RD_ADDR>());
    case GDS_RD_BURST_DATA::address(): {
      const uint32_t at = r.whole<GDS_RD_BURST_ADDR>();
      r.set(GDS_RD_BURST_ADDR::address(), at + 4);
      return word_at(c, at);
    }
    case GDS_WRITE_COMPLETE::address(): return 1;  // writes are through when they are made
    case GDS_GWS_RESOURCE::address(): {
      wave::GlobalPart part = c.global_part();
      uint32_t index = r.get<GDS_GWS_RESOURCE_CNTL::INDEX>();
      if (index >= part.resources) return 0;
      std::lock_guard lock(part.share->mutex);
      const auto& resource = part.share->resource[part.first_resource + index];
      return GDS_GWS_RESOURCE::COUNTER::of(resource.counter) | GDS_GWS_RESOURCE::FLAG::of(resource.round & 1) |
             GDS_GWS_RESOURCE::HEAD_VALID::of(resource.waiting != 0);
    }
    default: return {};
  }
}

}  // namespace Atoll::sea_islands
