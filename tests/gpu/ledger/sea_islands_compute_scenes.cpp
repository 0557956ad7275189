// Scenes of dispatches: what waves of work-groups are given, grids, LDS, scratch, traps, order, buffers in all their forms.
#include "sea_islands_build.h"

namespace Atoll::ledger {

namespace {

using Lines = std::vector<std::string>;

// `two_waves`: groups of two waves, in order; else grids of three directions.
std::unique_ptr<Scene> dispatches(bool two_waves) {
  auto s = std::make_unique<SeaIslandsScene>(two_waves ? "dispatches of two waves in order" : "dispatches");
  const uint64_t count = s->take(256), trapped = s->take(256), dump = s->take(dump_bytes), scratch = s->take(0x10000);
  uint64_t handler = s->program({"v_mov_b32 v50, tma_lo", "v_mov_b32 v51, tma_hi", "v_mov_b32 v52, " + literal(uint32_t(trapped)),
                                 "v_mov_b32 v53, " + literal(uint32_t(trapped >> 32)), "flat_store_dwordx2 v[52:53], v[50:51]",
                                 "s_add_u32 ttmp0, ttmp0, 4", "s_addc_u32 ttmp1, ttmp1, 0", "s_and_b32 ttmp1, ttmp1, 0xffff",
                                 "s_rfe_b64 ttmp[0:1]"});
  // The count of threads, a dump, LDS far up, the order of waves.
  uint64_t code =
      s->program(Lines{"s_mov_b32 ttmp4, 0x77", "s_trap 5"} + dump_lines(dump, 4, 26) +
                 Lines{"v_mov_b32 v10, " + literal(uint32_t(count)), "v_mov_b32 v11, " + literal(uint32_t(count >> 32)),
                       "v_mov_b32 v12, 1", "flat_atomic_add v[10:11], v12", "s_mov_b32 m0, -1", "v_mov_b32 v14, 0x600",
                       "v_mov_b32 v15, 0x55", "ds_write_b32 v14, v15", "ds_read_b32 v16, v14", "s_waitcnt lgkmcnt(0)",
                       "v_add_i32 v10, vcc, 16, v10", "flat_store_dword v[10:11], v16", "v_mov_b32 v17, ttmp4",
                       "v_add_i32 v10, vcc, 16, v10", "flat_store_dword v[10:11], v17", "v_mul_f32 v18, 0x00400000, v15",
                       "v_add_i32 v10, vcc, 16, v10", "flat_store_dword v[10:11], v18", "s_endpgm"});
  Packets& w = s->stream;
  w.packet(packets::CLEAR_STATE::opcode, {0});
  w.set(COMPUTE_PGM_LO::address(),
        {uint32_t(code >> 8), uint32_t(code >> 40), uint32_t(handler >> 8), uint32_t(handler >> 40), 0x123456, 0x12});
  w.set(COMPUTE_PGM_RSRC1::address(), 0x000c000f);
  using Two = COMPUTE_PGM_RSRC2;
  w.set(Two::address(), Two::USER_SGPR::of(16) | Two::TRAP_PRESENT::of(1) | Two::TGID_X_EN::of(1) | Two::TGID_Y_EN::of(1) |
                            Two::TGID_Z_EN::of(1) | Two::TG_SIZE_EN::of(1) | Two::TIDIG_COMP_CNT::of(2) | Two::LDS_SIZE::of(4) |
                            Two::SCRATCH_EN::of(1));
  w.set(COMPUTE_TMPRING_SIZE::address(), COMPUTE_TMPRING_SIZE::WAVES::of(4) | COMPUTE_TMPRING_SIZE::WAVESIZE::of(1));
  for (uint32_t n = 0; n < 16; n++) w.set(COMPUTE_USER_DATA::address(n), uint32_t(scratch) + n);
  w.set(COMPUTE_START_X::address(), {1, 0, 0});
  using Size = COMPUTE_NUM_THREAD_X;
  using Start = COMPUTE_DISPATCH_INITIATOR;
  if (two_waves) {
    w.set(Size::address(), {96, 1, 1});
    w.packet(packets::DISPATCH_DIRECT::opcode, {3, 1, 1, Start::COMPUTE_SHADER_EN::of(1) | Start::ORDERED_APPEND_ENBL::of(1)});
  } else {
    w.set(Size::address(), {Size::NUM_THREAD_FULL::of(8) | Size::NUM_THREAD_PARTIAL::of(3), 4 | Size::NUM_THREAD_PARTIAL::of(2),
                            2 | Size::NUM_THREAD_PARTIAL::of(1)});
    w.packet(packets::DISPATCH_DIRECT::opcode, {3, 2, 2, Start::COMPUTE_SHADER_EN::of(1)});
    w.packet(packets::DISPATCH_DIRECT::opcode, {3, 2, 2, Start::COMPUTE_SHADER_EN::of(1) | Start::PARTIAL_TG_EN::of(1)});
    w.packet(
        packets::DISPATCH_DIRECT::opcode,
        {13, 6, 3, Start::COMPUTE_SHADER_EN::of(1) | Start::USE_THREAD_DIMENSIONS::of(1) | Start::FORCE_START_AT_000::of(1)});
    w.set(COMPUTE_DIM_X::address(), {2, 3, 1}).set(COMPUTE_DISPATCH_INITIATOR::address(), Start::COMPUTE_SHADER_EN::of(1));
  }
  w.packet(packets::EVENT_WRITE::opcode, {30 | 2 << 8, uint32_t(count + 128), uint32_t(count >> 32)});
  s->blocks = {"COMP"};
  s->finish();
  return s;
}

// A debugger's trap handler: for the queue that the registers name, or for another one.
std::unique_ptr<Scene> debugger() {
  auto s = std::make_unique<SeaIslandsScene>("a debugger's traps");
  const uint64_t out = s->take(1024);
  uint64_t handler =
      s->program({"v_mov_b32 v4, tma_lo", "v_mov_b32 v5, tma_hi", "v_mov_b32 v6, ttmp2", "v_mov_b32 v7, ttmp3",
                  "s_getreg_b32 ttmp4, hwreg(HW_REG_MODE)", "v_mov_b32 v8, ttmp4", "v_mov_b32 v2, s0", "v_mov_b32 v3, s1",
                  "flat_store_dwordx4 v[2:3], v[4:7]", "v_add_i32 v2, vcc, 16, v2", "flat_store_dword v[2:3], v8", "s_endpgm"});
  uint64_t code = s->program({"s_trap 5", "s_endpgm"});
  Packets& w = s->stream;
  w.packet(packets::CLEAR_STATE::opcode, {0});
  w.set(COMPUTE_PGM_LO::address(), {uint32_t(code >> 8), uint32_t(code >> 40)});
  using Two = COMPUTE_PGM_RSRC2;
  w.set(COMPUTE_PGM_RSRC1::address(), {3, Two::USER_SGPR::of(2) | Two::EXCP_EN::of(5)});
  w.set(COMPUTE_NUM_THREAD_X::address(), {64, 1, 1});
  w.set(SPI_GDBG_TBA_LO::address(), {uint32_t(handler >> 8), uint32_t(handler >> 40), 0x12345, 0x12});
  w.set(SPI_GDBG_TRAP_DATA0::address(), {0x11111, 0x22222});
  using Config = SPI_GDBG_TRAP_CONFIG;
  constexpr uint32_t enabled = Config::TRAP_EN::of(1) | Config::VMID_SEL::of(1);
  uint64_t to = out;
  for (uint32_t config : {Config::ME_MATCH::of(1) | Config::PIPE_MATCH::of(1) | Config::QUEUE_MATCH::of(1),
                          Config::ME_MATCH::of(1) | Config::ME_SEL::of(1), Config::PIPE_MATCH::of(1) | Config::PIPE_SEL::of(1),
                          Config::QUEUE_MATCH::of(1) | Config::QUEUE_SEL::of(1)}) {
    w.set(Config::address(), enabled | config).set(SPI_GDBG_TRAP_MASK::address(), SPI_GDBG_TRAP_MASK::EXCP_EN::of(3));
    w.set(COMPUTE_USER_DATA::address(0), {uint32_t(to), uint32_t(to >> 32)});
    w.packet(packets::DISPATCH_DIRECT::opcode, {1, 1, 1, 1});
    to += 64;
  }
  s->blocks = {"SPI"};
  s->finish();
  return s;
}

// Loads and stores by V#: formats, swizzling, ranges, thread ids.
std::unique_ptr<Scene> buffers() {
  auto s = std::make_unique<SeaIslandsScene>("buffers");
  const uint64_t data = s->take(0x4000), words = s->take(256), out = s->take(0x8000);
  for (uint32_t n = 0; n < 0x1000; n++) s->words(data)[n] = n * 0x01234567 + 0x40302010;
  auto descriptor = [&](uint32_t n, std::vector<uint32_t> content) {
    s->descriptor("SQ_BUF_RSRC_WORD0", words + n * 16, content);
  };
  using W1 = SQ_BUF_RSRC_WORD1;
  using W3 = SQ_BUF_RSRC_WORD3;
  const uint32_t low = uint32_t(data), high = uint32_t(data >> 32);
  // Structures of 16 bytes with a format; swizzled with thread ids; bytes.
  descriptor(0, {low, high | W1::STRIDE::of(16), 40,
                 W3::DST_SEL_X::of(4) | W3::DST_SEL_Y::of(5) | W3::DST_SEL_Z::of(6) | W3::DST_SEL_W::of(7) |
                     W3::DATA_FORMAT::of(10) | W3::NUM_FORMAT::of(0)});
  descriptor(1, {low, high | W1::STRIDE::of(8) | W1::SWIZZLE_ENABLE::of(1), 0x1000,
                 W3::DST_SEL_X::of(4) | W3::DATA_FORMAT::of(4) | W3::NUM_FORMAT::of(4) | W3::ELEMENT_SIZE::of(1) |
                     W3::INDEX_STRIDE::of(1) | W3::ADD_TID_ENABLE::of(1)});
  descriptor(2, {low, high, 200, 0x24fac});
  descriptor(3, {low, high | W1::STRIDE::of(16) | W1::SWIZZLE_ENABLE::of(1), 0x1000,
                 W3::DST_SEL_X::of(4) | W3::DATA_FORMAT::of(4) | W3::NUM_FORMAT::of(4) | W3::ELEMENT_SIZE::of(1) |
                     W3::INDEX_STRIDE::of(1)});
  Lines lines = {"s_load_dwordx4 s[8:11], s[0:1], 0x0",
                 "s_load_dwordx4 s[12:15], s[0:1], 0x4",
                 "s_load_dwordx4 s[16:19], s[0:1], 0x8",
                 "s_load_dwordx4 s[20:23], s[0:1], 0xc",
                 "s_waitcnt lgkmcnt(0)",
                 "v_lshlrev_b32 v1, 2, v0",
                 "buffer_load_format_xyzw v[4:7], v0, s[8:11], 0 idxen",
                 "buffer_load_dword v8, off, s[12:15], 0",
                 "buffer_load_dword v9, v1, s[16:19], 0 offen",
                 "v_mov_b32 v2, v0",
                 "v_lshlrev_b32 v3, 2, v0",
                 "v_and_b32 v3, 12, v3",
                 "buffer_load_dword v10, v[2:3], s[20:23], 0 idxen offen",
                 "s_buffer_load_dword s30, s[16:19], 0x20",
                 "s_buffer_load_dword s31, s[8:11], 0x28",
                 "s_waitcnt vmcnt(0) & lgkmcnt(0)",
                 "v_mov_b32 v11, s30",
                 "v_mov_b32 v12, s31"};
  uint64_t code = s->program(lines + dump_lines(out, 13, 0) + Lines{"s_endpgm"});
  Packets& w = s->stream;
  w.packet(packets::CLEAR_STATE::opcode, {0});
  w.set(COMPUTE_PGM_LO::address(), {uint32_t(code >> 8), uint32_t(code >> 40)});
  w.set(COMPUTE_PGM_RSRC1::address(), {0x000c000f, COMPUTE_PGM_RSRC2::USER_SGPR::of(2)});
  w.set(COMPUTE_USER_DATA::address(0), {uint32_t(words), uint32_t(words >> 32)});
  w.set(COMPUTE_NUM_THREAD_X::address(), {64, 1, 1});
  w.packet(packets::DISPATCH_DIRECT::opcode, {1, 1, 1, 1});
  s->blocks = {"SQ"};
  s->finish();
  return s;
}

}  // namespace

void add_compute_scenes(std::vector<std::unique_ptr<Scene>>& all) {
  all.push_back(dispatches(true));
  all.push_back(dispatches(false));
  all.push_back(buffers());
  all.push_back(debugger());
}

}  // namespace Atoll::ledger
