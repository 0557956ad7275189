// Scenes of GFX12's dispatches: what waves of work-groups are given, grids, LDS, scratch, buffers in all their forms.
#include "gfx12_build.h"

namespace Atoll::ledger {

namespace {

using Lines = Gfx12Scene::Lines;
using Start = COMPUTE_DISPATCH_INITIATOR;
using One = COMPUTE_PGM_RSRC1;
using Two = COMPUTE_PGM_RSRC2;
constexpr uint32_t start = Start::COMPUTE_SHADER_EN::of(1) | Start::CS_W32_EN::of(1);

void program_of(Packets& w, uint64_t code) {
  w.set(COMPUTE_PGM_LO::address(), uint32_t(code >> 8)).set(COMPUTE_PGM_HI::address(), uint32_t(code >> 40));
  w.set(One::address(), One::VGPRS::of(15) | One::FLOAT_MODE::of(0xc0));
}

// The least that a program does.
std::unique_ptr<Scene> one_store() {
  auto s = std::make_unique<Gfx12Scene>("one store");
  const uint64_t out = s->take(256);
  uint64_t code = s->program({"v_mov_b32_e32 v1, 0", "v_mov_b32_e32 v2, 7", "s_mov_b32 s10, " + literal(uint32_t(out)),
                              "s_mov_b32 s11, " + literal(uint32_t(out >> 32)), "global_store_b32 v1, v2, s[10:11]", "s_endpgm"});
  Packets& w = s->stream;
  program_of(w, code);
  w.set(COMPUTE_NUM_THREAD_X::address(), {1, 1, 1});
  w.packet(packets::DISPATCH_DIRECT::opcode, {1, 1, 1, start});
  s->blocks = {"COMPUTE"};
  s->finish();
  return s;
}

// Grids of three directions; the count of threads, a dump, LDS far up, scratch, arithmetic of the modes.
std::unique_ptr<Scene> dispatches() {
  auto s = std::make_unique<Gfx12Scene>("dispatches");
  const uint64_t count = s->take(256), dump = s->take(s->dump_bytes);
  uint64_t code = s->program(Lines{"v_mov_b32_e32 v20, ttmp7", "v_mov_b32_e32 v21, ttmp8", "v_mov_b32_e32 v22, ttmp9"} +
                             s->dump_lines(dump, 23, 26) +
                             Lines{"s_mov_b32 s90, " + literal(uint32_t(count)),
                                   "s_mov_b32 s91, " + literal(uint32_t(count >> 32)),
                                   "v_mov_b32_e32 v10, 0",
                                   "v_mov_b32_e32 v12, 1",
                                   "global_atomic_add_u32 v10, v12, s[90:91]",
                                   "v_mov_b32_e32 v14, 0xc00",
                                   "v_mov_b32_e32 v15, 0x55",
                                   "ds_store_b32 v14, v15",
                                   "ds_load_b32 v16, v14",
                                   "v_mov_b32_e32 v17, 0x77",
                                   "scratch_store_b32 off, v17, off offset:128",
                                   "scratch_load_b32 v18, off, off offset:128",
                                   "v_mov_b32_e32 v19, 0x3e000000",
                                   "v_mul_f32_e32 v19, 0x00400000, v19",
                                   "v_mov_b32_e32 v23, 0x7bff",
                                   "v_add_f16_e32 v23, v23, v23",
                                   "s_wait_dscnt 0x0",
                                   "s_wait_loadcnt 0x0",
                                   "global_store_b32 v10, v16, s[90:91] offset:16",
                                   "global_store_b32 v10, v18, s[90:91] offset:32",
                                   "global_store_b32 v10, v19, s[90:91] offset:48",
                                   "global_store_b32 v10, v23, s[90:91] offset:64",
                                   "s_endpgm"});
  Packets& w = s->stream;
  program_of(w, code);
  w.set(Two::address(), Two::USER_SGPR::of(16) | Two::TGID_X_EN::of(1) | Two::TGID_Y_EN::of(1) | Two::TG_SIZE_EN::of(1) |
                            Two::TIDIG_COMP_CNT::of(2) | Two::LDS_SIZE::of(8) | Two::SCRATCH_EN::of(1));
  w.set(COMPUTE_TMPRING_SIZE::address(), COMPUTE_TMPRING_SIZE::WAVES::of(4) | COMPUTE_TMPRING_SIZE::WAVESIZE::of(64));
  for (uint32_t n = 0; n < 16; n++) w.set(COMPUTE_USER_DATA::address(n), 0x400 + n);
  w.set(COMPUTE_START_X::address(), {1, 0, 0});
  using Size = COMPUTE_NUM_THREAD_X;
  w.set(Size::address(), {Size::NUM_THREAD_FULL::of(8) | Size::NUM_THREAD_PARTIAL::of(3), 4 | Size::NUM_THREAD_PARTIAL::of(2),
                          2 | Size::NUM_THREAD_PARTIAL::of(1)});
  w.packet(packets::DISPATCH_DIRECT::opcode, {3, 2, 2, start});
  w.packet(packets::DISPATCH_DIRECT::opcode, {3, 2, 2, start | Start::PARTIAL_TG_EN::of(1)});
  w.packet(packets::DISPATCH_DIRECT::opcode,
           {13, 6, 3, start | Start::USE_THREAD_DIMENSIONS::of(1) | Start::FORCE_START_AT_000::of(1)});
  // A group without a place in y and z, whose lanes are squares of threads.
  using SizeY = COMPUTE_NUM_THREAD_Y;
  w.set(Size::address(), {Size::NUM_THREAD_FULL::of(8) | Size::INTERLEAVE_BITS_X::of(1),
                          SizeY::NUM_THREAD_FULL::of(4) | SizeY::INTERLEAVE_BITS_Y::of(1), 2});
  w.set(Two::address(), Two::USER_SGPR::of(2) | Two::TGID_Z_EN::of(1) | Two::SCRATCH_EN::of(1))
      .set(COMPUTE_START_X::address(), {0, 0, 1});
  w.packet(packets::DISPATCH_DIRECT::opcode, {1, 1, 2, start});
  w.packet(packets::EVENT_WRITE::opcode, {30 | 2 << 8, uint32_t(count + 128), uint32_t(count >> 32)});
  s->blocks = {"COMPUTE"};
  s->finish();
  return s;
}

// Loads and stores by V#: formats, swizzling, ranges, thread ids.
std::unique_ptr<Scene> buffers() {
  auto s = std::make_unique<Gfx12Scene>("buffers");
  const uint64_t data = s->take(0x4000), words = s->take(256), out = s->take(s->dump_bytes);
  for (uint32_t n = 0; n < 0x1000; n++) s->words(data)[n] = n * 0x01234567 + 0x40302010;
  using W1 = SQ_BUF_RSRC_WORD1;
  using W3 = SQ_BUF_RSRC_WORD3;
  const uint32_t low = uint32_t(data), high = uint32_t(data >> 32);
  const uint32_t identity = W3::DST_SEL_X::of(4) | W3::DST_SEL_Y::of(5) | W3::DST_SEL_Z::of(6) | W3::DST_SEL_W::of(7);
  // Structures of 16 bytes with a format; swizzled with thread ids; bytes; swizzled by offsets.
  const std::vector<uint32_t> all[] = {
      {low, high | W1::STRIDE::of(16), 40, identity | W3::FORMAT::of(42) | W3::OOB_SELECT::of(1)},
      {low, high | W1::STRIDE::of(8) | W1::SWIZZLE_ENABLE::of(1), 0x1000,
       identity | W3::FORMAT::of(20) | W3::INDEX_STRIDE::of(1) | W3::ADD_TID_ENABLE::of(1)},
      {low, high, 200, identity | W3::FORMAT::of(20) | W3::OOB_SELECT::of(3)},
      {low, high | W1::STRIDE::of(16) | W1::SWIZZLE_ENABLE::of(1), 0x1000,
       identity | W3::FORMAT::of(20) | W3::INDEX_STRIDE::of(1)},
      {low, high | W1::STRIDE::of(4), 50, identity | W3::FORMAT::of(20) | W3::STRIDE_SCALE::of(1)}};
  for (uint32_t n = 0; n < 5; n++) s->descriptor("SQ_BUF_RSRC_WORD0", words + n * 16, all[n]);
  Lines lines = {"s_load_b128 s[8:11], s[0:1], 0x0",
                 "s_load_b128 s[12:15], s[0:1], 0x10",
                 "s_load_b128 s[16:19], s[0:1], 0x20",
                 "s_load_b128 s[20:23], s[0:1], 0x30",
                 "s_load_b128 s[24:27], s[0:1], 0x40",
                 "s_wait_kmcnt 0x0",
                 "v_mov_b32_e32 v20, v0",
                 "v_lshlrev_b32_e32 v1, 2, v20",
                 "buffer_load_format_xyzw v[4:7], v20, s[8:11], null idxen",
                 "buffer_load_b32 v8, off, s[12:15], null",
                 "buffer_load_b32 v9, v1, s[16:19], null offen",
                 "v_mov_b32_e32 v2, v20",
                 "v_and_b32_e32 v3, 12, v1",
                 "buffer_load_b32 v10, v[2:3], s[20:23], null idxen offen",
                 "buffer_load_b32 v11, v[2:3], s[24:27], null idxen offen",
                 "buffer_load_b32 v12, v[2:3], s[8:11], null idxen offen",
                 "s_buffer_load_b32 s30, s[16:19], 0x80",
                 "s_buffer_load_b32 s31, s[8:11], 0xa0",
                 "s_wait_loadcnt 0x0",
                 "s_wait_kmcnt 0x0",
                 "v_mov_b32_e32 v13, s30",
                 "v_mov_b32_e32 v14, s31"};
  uint64_t code = s->program(lines + s->dump_lines(out, 15, 0) + Lines{"s_endpgm"});
  Packets& w = s->stream;
  program_of(w, code);
  w.set(Two::address(), Two::USER_SGPR::of(2));
  w.set(COMPUTE_USER_DATA::address(0), {uint32_t(words), uint32_t(words >> 32)});
  w.set(COMPUTE_NUM_THREAD_X::address(), {64, 1, 1});
  w.packet(packets::DISPATCH_DIRECT::opcode, {1, 1, 1, start});
  s->blocks = {"SQ"};
  s->finish();
  return s;
}

}  // namespace

void add_compute_scenes(Gfx12Scenes& all) {
  all.push_back(one_store());
  all.push_back(dispatches());
  all.push_back(buffers());
}

}  // namespace Atoll::ledger
