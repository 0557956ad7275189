// State that waves of different work-groups share (GDS, ordered count, global wave sync): dispatches whose programs, sizes
// and registers the fuzzer makes, and packets that read and write the GDS. The stream ends or its context is lost with a
// report; waits that nobody ends are ended by the watch; nothing outside of the address space or the GDS is touched.
#include "gpu/sea_islands/packets/command_processor.h"
#include "sea_islands_world.h"

using namespace Atoll;
using namespace Atoll::sea_islands;
using namespace Atoll::sea_islands::fuzz;

namespace {

constexpr uint32_t code = 0, data = 0x4000;

const std::vector<std::vector<uint32_t>>& instructions() {
  static const auto all = assembled({
      "s_mov_b32 m0, 0x1000100",
      "s_mov_b32 m0, 0xffff",
      "s_mov_b32 m0, 0",
      "s_mov_b32 m0, -1",
      "s_mov_b32 m0, s6",
      "s_mov_b32 m0, s7",
      "v_mov_b32 v1, 0",
      "v_mov_b32 v2, 3",
      "v_mov_b32 v1, s6",
      "v_mov_b32 v1, s7",
      "v_mov_b32 v1, v0",
      "v_lshlrev_b32 v1, 2, v0",
      "ds_add_u32 v1, v2 offset:8 gds",
      "ds_append v3 offset:12 gds",
      "ds_consume v3 offset:16 gds",
      "ds_inc_u32 v1, v2 gds",
      "ds_add_rtn_u32 v4, v1, v2 offset:65532 gds",
      "ds_wrxchg_rtn_b32 v4, v1, v2 gds",
      "ds_cmpst_rtn_b32 v4, v1, v2, v3 gds",
      "ds_cmpst_b64 v1, v[2:3], v[4:5] gds",
      "ds_add_u64 v1, v[2:3] gds",
      "ds_min_rtn_f32 v4, v1, v2 gds",
      "ds_write_b32 v1, v2 gds",
      "ds_write_b64 v1, v[2:3] gds",
      "ds_write_b8 v1, v2 offset:65535 gds",
      "ds_read_b32 v4, v1 gds",
      "ds_read_b64 v[4:5], v1 gds",
      "ds_read2_b32 v[4:5], v1 offset0:255 offset1:254 gds",
      "ds_write2_b64 v1, v[2:3], v[4:5] offset0:1 offset1:255 gds",
      "ds_write2st64_b32 v1, v2, v3 offset0:255 offset1:1 gds",
      "ds_read_u8 v4, v1 offset:65535 gds",
      "ds_read_b128 v[4:7], v1 gds",
      "ds_wrap_rtn_b32 v4, v1, v2, v3 gds",
      "ds_ordered_count v4, v2 offset:768 gds",
      "ds_ordered_count v4, v2 offset:256 gds",
      "ds_ordered_count v4, v2 offset:4 gds",
      "ds_gws_init v1 gds",
      "ds_gws_init v2 offset:63 gds",
      "ds_gws_barrier v1 gds",
      "ds_gws_barrier v2 offset:63 gds",
      "ds_gws_sema_p offset:63 gds",
      "ds_gws_sema_v offset:63 gds",
      "ds_gws_sema_v gds",
      "ds_gws_sema_br v2 gds",
      "ds_gws_sema_release_all gds",
      "ds_add_u32 v1, v2",
      "ds_append v3",
      "ds_write_b32 v1, v2 offset:65532",
      "s_bfe_u32 s8, s3, 0xb0006",
      "s_or_b32 m0, s8, 0x200000",
      "s_bfe_u32 s8, s5, 0xb0006",
      "s_lshl_b32 m0, s6, 16",
      "s_mov_b64 exec, 1",
      "s_mov_b64 exec, 0",
      "s_mov_b64 exec, -1",
      "s_barrier",
      "s_sleep 1",
      "s_bitcmp1_b32 s2, 0",
      "s_cbranch_scc1 0x3",
      "s_cbranch_scc1 0xfffc",
      "s_sub_u32 s9, s9, 1",
      "s_cmp_lg_u32 s9, 0",
      "s_setprio 1",
      "flat_store_dword v[8:9], v4",
      "flat_atomic_add v[8:9], v2",
      "v_mov_b32 v8, s0",
      "v_mov_b32 v9, s1",
      "s_waitcnt 0",
      "s_sendmsg 0x4",
      "s_trap 3",
      "v_readfirstlane_b32 s9, v0",
  });
  return all;
}

std::vector<Setting> settings(const World& w) {
  return {
      {COMPUTE_PGM_LO::address(), uint32_t(w.address(code) >> 8)},
      {COMPUTE_PGM_HI::address(), uint32_t(w.address(code) >> 40)},
      {COMPUTE_PGM_RSRC1::address(), 3},
      {COMPUTE_PGM_RSRC2::address(), COMPUTE_PGM_RSRC2::USER_SGPR::of(2) | COMPUTE_PGM_RSRC2::TGID_X_EN::of(1) |
                                         COMPUTE_PGM_RSRC2::TG_SIZE_EN::of(1) | COMPUTE_PGM_RSRC2::LDS_SIZE::of(1)},
      {COMPUTE_NUM_THREAD_X::address(), 64},
      {COMPUTE_NUM_THREAD_Y::address(), 1},
      {COMPUTE_NUM_THREAD_Z::address(), 1},
      {COMPUTE_START_X::address(), 0},
      {COMPUTE_START_Y::address(), 0},
      {COMPUTE_START_Z::address(), 0},
      {COMPUTE_TMPRING_SIZE::address(), 0},
      {COMPUTE_USER_DATA::address(0), uint32_t(w.address(data))},
      {COMPUTE_USER_DATA::address(1), uint32_t(w.address(data) >> 32)},
      {GDS_VMID_BASE::address(0), 0},
      {GDS_VMID_SIZE::address(0), 0x10000},
      {GDS_GWS_VMID::address(0), GDS_GWS_VMID::SIZE::of(64)},
      {GDS_COMPUTE_MAX_WAVE_ID::address(), 0x13f},
  };
}

void dispatch(World& w, Bytes& in, Words& words) {
  put_settings(words, in, settings(w));
  uint8_t how = in.byte();
  uint32_t groups = how & 1 ? in.byte() : 1 + (in.byte() & 15u), initiator = 1;
  if (how & 2) initiator |= COMPUTE_DISPATCH_INITIATOR::ORDERED_APPEND_ENBL::of(1);
  if (how & 4) initiator |= COMPUTE_DISPATCH_INITIATOR::ORDERED_APPEND_MODE::of(1);
  if (how & 8) initiator |= in.dword();
  words.packet(packets::DISPATCH_DIRECT::opcode, {groups, how & 16 ? 2u : 1u, 1, initiator});
}

// An offset in the GDS, and a length: small, at its end, or anything.
uint32_t place_in_share(Bytes& in) {
  switch (in.byte() & 3) {
    case 0: return in.byte() * 4u;
    case 1: return 0x10000 - in.byte();
    case 2: return in.byte() | uint32_t(in.byte()) << 8;
    default: return in.dword();
  }
}

void packet(World& w, Bytes& in, Words& words) {
  using Dma = packets::DMA_DATA::DMA_DATA_WORD0;
  const uint32_t low = uint32_t(w.address(data)) + in.byte() * 4u, high = uint32_t(w.address(0) >> 32);
  switch (in.byte() % 8) {
    case 0:
      return words.packet(packets::DMA_DATA::opcode, {Dma::SRC_SEL::of(1), place_in_share(in), 0, low, high, place_in_share(in)});
    case 1:
      return words.packet(packets::DMA_DATA::opcode, {Dma::DST_SEL::of(1), low, high, place_in_share(in), 0, place_in_share(in)});
    case 2:
      return words.packet(packets::DMA_DATA::opcode, {Dma::DST_SEL::of(1) | Dma::SRC_SEL::of(in.byte() & 3), in.dword(), 0,
                                                      place_in_share(in), 0, place_in_share(in)});
    case 3: return words.packet(packets::WRITE_DATA::opcode, {3u << 8, place_in_share(in), 0, in.dword(), in.dword()});
    case 4:
      return words.packet(packets::COPY_DATA::opcode,
                          {5u | 3u << 8 | (in.byte() & 1u) << 16, in.dword(), 0, place_in_share(in), 0});
    case 5:
      return words.packet(packets::COPY_DATA::opcode, {3u | 5u << 8 | (in.byte() & 1u) << 16, place_in_share(in), 0, low, high});
    case 6:
      return words.packet(packets::EVENT_WRITE_EOP::opcode,
                          {in.byte() | 5u << 8, low, high | 5u << 29, (place_in_share(in) & 0xffff) | in.dword() << 16, 0});
    default: {  // the GDS by registers
      static constexpr uint32_t addresses[] = {
          GDS_WR_ADDR::address(),       GDS_WR_DATA::address(),    GDS_WR_BURST_ADDR::address(),
          GDS_WR_BURST_DATA::address(), GDS_RD_ADDR::address(),    GDS_RD_BURST_ADDR::address(),
          GDS_ATOM_BASE::address(),     GDS_ATOM_SIZE::address(),  GDS_ATOM_OFFSET0::address(),
          GDS_ATOM_OFFSET1::address(),  GDS_ATOM_DST::address(),   GDS_ATOM_SRC::address(0),
          GDS_ATOM_SRC_U::address(1),   GDS_ATOM_OP::address(),    GDS_GWS_RESOURCE_CNTL::address(),
          GDS_GWS_VMID::address(0),     GDS_VMID_BASE::address(0), GDS_VMID_SIZE::address(0),
      };
      uint32_t address = addresses[in.byte() % std::size(addresses)];
      words.packet(packets::WRITE_DATA::opcode, {0, address / 4, 0, place_in_share(in)});
      static constexpr uint32_t read[] = {GDS_RD_DATA::address(), GDS_RD_BURST_DATA::address(), GDS_GWS_RESOURCE::address(),
                                          GDS_ATOM_READ::address(0)};
      return words.packet(packets::COPY_DATA::opcode, {5u << 8, read[in.byte() & 3] / 4, 0, low, high});
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static World& w = *new World(10);
  Bytes in{bytes, size};
  uint8_t mode = in.byte();
  w.fill();
  Words words;
  for (unsigned n = 0; n < 4; n++) put_program(w, in, code + n * 0x400, instructions());
  while (in.left && words.size() < 4096) {
    if (in.byte() & 3)
      packet(w, in, words);
    else
      dispatch(w, in, words);
  }
  dispatch(w, in, words);
  auto share = std::make_unique<wave::GlobalShare>();
  w.queue(mode & 4 ? "kabini" : "hawaii", mode & 1 ? gpu::QueueKind::compute : gpu::QueueKind::graphics, share.get(),
          [&](Context& c) { return CommandProcessor(c).run(w.memory.gpu_address, words); });
  return 0;
}
