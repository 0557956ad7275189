// Draws through the whole device by hostile programs and states: words of each
// stage's program that were changed anywhere, branches into the middle of
// instructions, exports in other numbers, orders and never, M0 written before
// parameters are loaded, messages with other counts; registers of every stage
// and target with other values. Whatever comes, the process lives, the draw
// ends or its context is lost by name, nothing changes that the programs and
// targets do not reach, and compiled code and the interpreter leave the same.
//
// Draws of each stage: ATOLL_COUNT (40); the first of them: ATOLL_SEED.
#include <algorithm>
#include <cstdlib>

#include "gpu/gfx12/stream.h"
#include "registers/lookup.h"
#include "tests/wave/random_programs/machine.h"

namespace Atoll::gfx12::test {
namespace {

using Atoll::test::Random;

// --- where things lie: regions with nothing between them

constexpr uint32_t upper = 0x10;
constexpr uint64_t base = uint64_t(upper) << 32;
namespace place {
constexpr uint64_t batch = base, code = base + 0x20000, tables = base + 0x40000, vertices = base + 0x60000, ring = base + 0x80000,
                   off_chip = base + 0x100000, factors = base + 0x140000, colour = base + 0x180000, depth = base + 0x1c0000;
constexpr uint32_t hull = 0x2000,
                   pixel = 0x4000;  // in `code`; the geometry program stands first
}  // namespace place
struct Region {
  uint64_t address;
  uint32_t bytes;
};
constexpr Region regions[] = {{place::batch, 0x10000},   {place::code, 0x10000},   {place::tables, 0x10000},
                              {place::vertices, 0x1000}, {place::ring, 0x40000},   {place::off_chip, 0x10000},
                              {place::factors, 0x4000},  {place::colour, 0x10000}, {place::depth, 0x10000}};
constexpr size_t all_bytes = [] {
  size_t bytes = 0;
  for (const Region& r : regions) bytes += r.bytes;
  return bytes;
}();
size_t offset_of(uint64_t address) {
  size_t at = 0;
  for (const Region& r : regions) {
    if (address >= r.address && address < r.address + r.bytes) return at + (address - r.address);
    at += r.bytes;
  }
  std::abort();
}
uint64_t address_of(size_t offset) {
  for (const Region& r : regions) {
    if (offset < r.bytes) return r.address + offset;
    offset -= r.bytes;
  }
  std::abort();
}

using Memory = std::vector<uint8_t>;  // of all regions
void put(Memory& memory, uint64_t at, std::span<const uint32_t> words) {
  std::memcpy(memory.data() + offset_of(at), words.data(), words.size_bytes());
}

struct World {
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  World() {
    for (const Region& r : regions)
      if (!space->map(r.address, *space->memory().allocate(r.bytes), r.bytes)) std::abort();
  }
};

// --- programs

enum class Stage : uint8_t { vertex, geometry, hull, domain, mesh, pixel };

std::string first_lanes(bool wide, const char* amount) {
  return std::string(wide ? "s_bfe_u64 exec, -1, " : "s_bfe_u32 exec_lo, -1, ") + amount + "\n";
}

// Each stage's program before it is changed. Positions are those of the vertices, attribute 0 is their
// colour.
std::string text_of(Stage stage, bool wide) {
  const std::string count = wide ? "s_lshl_b32 s13, s13, 6\nv_mbcnt_lo_u32_b32 v4, -1, "
                                   "s13\nv_mbcnt_hi_u32_b32 v4, -1, v4\n"
                                 : "s_lshl_b32 s13, s13, 5\nv_mbcnt_lo_u32_b32 v4, -1, s13\n";
  const std::string store =
      "s_or_b32 s21, s21, 0x100000\ns_and_b32 s5, s5, 0x7fff\ns_lshl_b32 s5, "
      "s5, 9\n"
      "buffer_store_b128 v[12:15], v4, s[20:23], s5 idxen scope:SCOPE_DEV\n";
  switch (stage) {
    case Stage::vertex:
    case Stage::geometry:
      return "s_pack_ll_b32_b16 s12, 0, s3\ns_load_b128 s[16:19], s[8:9], "
             "0x0\ns_load_b128 s[20:23], s[0:1], 0xa0\n" +
             std::string(stage == Stage::geometry ? "s_bfe_u32 s24, s2, 0x90016\ns_mul_i32 s25, s24, "
                                                    "3\ns_lshl_b32 s27, s24, 12\n"
                                                    "s_or_b32 m0, s27, s25\ns_sendmsg "
                                                    "sendmsg(MSG_GS_ALLOC_REQ)\n"
                                                  : "") +
             first_lanes(wide, "s12") +
             "s_wait_kmcnt 0x0\nbuffer_load_b128 v[8:11], v3, s[16:19], null "
             "idxen\n"
             "buffer_load_b128 v[12:15], v3, s[16:19], null idxen "
             "offset:16\ns_wait_loadcnt 0x0\n"
             "export pos0 v8, v9, v10, v11 done\ns_lshl_b32 s13, s3, 8\n" +
             first_lanes(wide, "s13") + "export prim v0, off, off, off done\n" + first_lanes(wide, "s12") +
             "s_bfe_u32 s13, s3, 0x40018\n" + count + store + "s_endpgm\n";
    case Stage::hull:
      return "s_pack_ll_b32_b16 s12, 0, s3\ns_load_b128 s[16:19], s[8:9], "
             "0x0\ns_load_b128 s[20:23], s[0:1], 0x60\n"
             "s_load_b128 s[24:27], s[0:1], 0x50\n" +
             first_lanes(wide, "s12") +
             "s_wait_kmcnt 0x0\nbuffer_load_b128 v[4:7], v2, s[16:19], null "
             "idxen\nv_bfe_u32 v12, v1, 8, 5\n"
             "v_and_b32_e32 v13, 0xff, v1\nv_mul_u32_u24_e32 v14, 0x60, "
             "v13\nv_lshl_add_u32 v14, v12, 5, v14\n"
             "s_wait_loadcnt 0x0\nbuffer_store_b128 v[4:7], v14, s[20:23], s2 "
             "offen scope:SCOPE_DEV\n"
             "v_cmpx_eq_u32_e32 0, v12\nv_mov_b32_e32 v16, v6\nv_mov_b32_e32 "
             "v17, 2.0\nv_mov_b32_e32 v18, 1.0\n"
             "v_mov_b32_e32 v19, 4.0\nv_lshlrev_b32_e32 v15, 4, v13\n"
             "buffer_store_b128 v[16:19], v15, s[24:27], s4 offen "
             "scope:SCOPE_SYS\ns_endpgm\n";
    case Stage::domain:
      return "s_pack_ll_b32_b16 s12, 0, s3\ns_load_b128 s[16:19], s[0:1], "
             "0x60\ns_load_b128 s[20:23], s[0:1], 0xa0\n" +
             first_lanes(wide, "s12") +
             "v_mul_u32_u24_e32 v7, 0x60, v5\ns_wait_kmcnt 0x0\n"
             "buffer_load_b128 v[16:19], v7, s[16:19], s4 offen "
             "scope:SCOPE_DEV\nv_mul_f32_e32 v8, 2.0, v3\n"
             "v_mul_f32_e32 v9, 2.0, v4\nv_mov_b32_e32 v10, 0.5\nv_mov_b32_e32 "
             "v11, 1.0\nv_mov_b32_e32 v12, v3\n"
             "v_mov_b32_e32 v13, v4\nv_mov_b32_e32 v14, 1.0\nv_mov_b32_e32 v15, "
             "1.0\ns_wait_loadcnt 0x0\n"
             "export pos0 v8, v9, v10, v11 done\ns_lshl_b32 s13, s3, 8\n" +
             first_lanes(wide, "s13") + "export prim v0, off, off, off done\n" + first_lanes(wide, "s12") +
             "s_bfe_u32 s13, s3, 0x40018\n" + count + store + "s_endpgm\n";
    case Stage::mesh:
      return std::string(wide ? "s_mov_b64 exec, -1\nv_mbcnt_lo_u32_b32 v4, -1, "
                                "0\nv_mbcnt_hi_u32_b32 v4, -1, v4\n"
                              : "s_mov_b32 exec_lo, -1\nv_mbcnt_lo_u32_b32 v4, -1, 0\n") +
             "s_load_b128 s[16:19], s[8:9], 0x0\ns_load_b128 s[20:23], s[0:1], "
             "0xa0\ns_mov_b32 m0, 0x8018\n"
             "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\ns_wait_kmcnt 0x0\n"
             "buffer_load_b128 v[8:11], v4, s[16:19], null idxen\n"
             "buffer_load_b128 v[12:15], v4, s[16:19], null idxen "
             "offset:16\ns_wait_loadcnt 0x0\ns_mov_b32 m0, 0\n"
             "export pos0 v8, v9, v10, v11 done row_en\nv_mul_u32_u24_e32 v1, 3, "
             "v4\nv_add_nc_u32_e32 v5, 1, v1\n"
             "v_add_nc_u32_e32 v6, 2, v1\nv_lshl_or_b32 v1, v5, 9, "
             "v1\nv_lshl_or_b32 v1, v6, 18, v1\n"
             "export prim v1, v1, off, off done row_en\n" +
             store + "s_endpgm\n";
    case Stage::pixel: break;
  }
  return "s_mov_b32 m0, s4\nds_param_load v4, attr0.x wait_va_vdst:15 "
         "wait_vm_vsrc:1\n"
         "ds_param_load v5, attr0.y wait_va_vdst:15 "
         "wait_vm_vsrc:1\nds_param_load v6, attr0.z wait_va_vdst:15 "
         "wait_vm_vsrc:1\n"
         "v_interp_p10_f32 v8, v4, v0, v4 wait_exp:2\nv_interp_p10_f32 v9, v5, "
         "v0, v5 wait_exp:1\n"
         "v_interp_p10_f32 v10, v6, v0, v6 wait_exp:0\nv_interp_p2_f32 v8, v4, "
         "v1, v8 wait_exp:7\n"
         "v_interp_p2_f32 v9, v5, v1, v9 wait_exp:7\nv_interp_p2_f32 v10, v6, "
         "v1, v10 wait_exp:7\nv_mov_b32_e32 v11, 1.0\n"
         "export mrt0 v8, v9, v10, v11 done\ns_endpgm\n";
}

std::vector<uint32_t> words_of_line(const std::string& line, unsigned lanes) {
  auto parsed = rdna4::parse(line, {lanes});
  EXPECT_TRUE(parsed) << line << ": " << parsed.error().message;
  if (!parsed) return {};
  auto encoded = rdna4::encode(parsed->main, {lanes});
  EXPECT_TRUE(encoded) << line;
  if (!encoded) return {};
  return {encoded->dwords.begin(), encoded->dwords.begin() + encoded->count};
}

using Program = std::vector<std::vector<uint32_t>>;  // words of instructions

Program assemble(const std::string& text, unsigned lanes) {
  Program all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) all.push_back(words_of_line(line, lanes));
  return all;
}

// Instructions that a hostile program has more of.
const Program& more_instructions(unsigned lanes) {
  static std::array<Program, 2> kept;
  Program& all = kept[lanes == 64];
  if (!all.empty()) return all;
  const std::string exec = lanes == 64 ? "exec" : "exec_lo", mov = lanes == 64 ? "s_mov_b64 exec, " : "s_mov_b32 exec_lo, ";
  for (std::string line : {"s_mov_b32 m0, -1",
                           "s_mov_b32 m0, s2",
                           "s_mov_b32 m0, s3",
                           "s_mov_b32 m0, 0",
                           "s_mov_b32 m0, 0x00800fff",
                           "s_lshl_b32 m0, s3, 12",
                           "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)",
                           "s_sendmsg sendmsg(MSG_HS_TESSFACTOR)",
                           "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)",
                           "export pos0 v8, v9, v10, v11 done",
                           "export pos1 v8, v9, v10, v11",
                           "export pos2 v8, v9, v10, v11",
                           "export pos3 v8, off, off, v11",
                           "export pos0 v8, v9, v10, v11 done row_en",
                           "export prim v0, off, off, off done",
                           "export prim v3, v4, off, off done",
                           "export prim v1, v0, off, off done row_en",
                           "export mrt0 v8, v9, v10, v11",
                           "export mrt1 v8, v9, v10, v11",
                           "export mrt7 v8, off, off, v11 done",
                           "export mrtz v8, v9, v10, v11 done",
                           "export dual_src_blend0 v8, v9, v10, v11",
                           "export dual_src_blend1 v8, v9, v10, v11 done",
                           "export mrt0 off, off, off, off done",
                           "ds_param_load v6, attr0.w wait_va_vdst:0 wait_vm_vsrc:0",
                           "ds_param_load v9, attr31.x wait_va_vdst:0 wait_vm_vsrc:0",
                           "ds_param_load v8, attr1.y wait_va_vdst:0 wait_vm_vsrc:0",
                           "ds_direct_load v7 wait_va_vdst:0 wait_vm_vsrc:0",
                           "v_interp_p2_f32 v9, v5, v1, v9 wait_exp:7",
                           "ds_store_b32 v3, v8 offset:65532",
                           "ds_store_b32 v3, v8",
                           "ds_load_b128 v[8:11], v3",
                           "ds_load_b32 v9, v0 offset:65535",
                           "v_mov_b32_e32 v8, 0x7fc00000",
                           "v_mov_b32_e32 v9, 0x7f800000",
                           "v_mov_b32_e32 v6, -1",
                           "v_mov_b32_e32 v16, -1.0",
                           "v_mov_b32_e32 v0, -1",
                           "v_mov_b32_e32 v3, 0xff7fffff",
                           "v_mov_b32_e32 v200, v0",
                           "v_mov_b32_e32 v8, v200",
                           "s_mov_b32 s3, -1",
                           "s_mov_b32 s5, -1",
                           "s_mov_b32 s4, 0x7fff",
                           "s_nop 0",
                           "s_endpgm",
                           "s_branch 1",
                           "s_branch 3",
                           "s_cbranch_scc0 1",
                           "s_cbranch_execz 2",
                           "s_branch 0xfffe",
                           "s_barrier_signal -1",
                           "s_barrier_wait 0xffff",
                           "v_cmpx_gt_f32_e64 v8, 0.5",
                           "v_cmpx_eq_u32_e32 0, v0"})
    all.push_back(words_of_line(line, lanes));
  for (const char* value : {"0", "-1", "1"}) all.push_back(words_of_line(mov + value, lanes));
  return all;
}

// The words, and whether nothing of it may store anywhere but in the ring of
// attributes, off chip or LDS.
std::vector<uint32_t> changed_program(Random& r, Stage stage, unsigned lanes) {
  Program program = assemble(text_of(stage, lanes == 64), lanes);
  const Program& more = more_instructions(lanes);
  for (unsigned n = r.below(5); n > 0; n--) {
    const auto at = program.begin() + r.below(uint32_t(program.size()));
    switch (r.below(4)) {
      case 0: program.erase(at); break;
      case 1: std::iter_swap(at, program.begin() + r.below(uint32_t(program.size()))); break;
      default: program.insert(at, more[r.below(uint32_t(more.size()))]);
    }
  }
  std::vector<uint32_t> words;
  for (const auto& instruction : program) words.insert(words.end(), instruction.begin(), instruction.end());
  if (r.chance(35))
    for (unsigned n = 1 + r.below(3); n > 0; n--) {
      uint32_t& word = words[r.below(uint32_t(words.size()))];
      word = r.chance(70) ? word ^ 1u << r.below(32) : r.word();
    }
  return words;
}

// --- states

struct Setting {
  uint32_t address, value;
};
using Settings = std::vector<Setting>;

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

constexpr unsigned width = 64, height = 32;

Settings settings_of(Stage stage, unsigned lanes) {
  const bool wide = lanes == 64, hull = stage == Stage::hull || stage == Stage::domain;
  Settings all;
  auto set = [&]<class Register>(std::type_identity<Register>, uint32_t value, auto... n) {
    all.push_back({Register::address(n...), value});
  };
#define SET(R, value, ...) set(std::type_identity<R>{}, value __VA_OPT__(, ) __VA_ARGS__)
  SET(SPI_SHADER_PGM_LO_ES, uint32_t(place::code >> 8)), SET(SPI_SHADER_PGM_HI_ES, uint32_t(place::code >> 40));
  SET(SPI_SHADER_PGM_LO_GS, uint32_t(place::tables)), SET(SPI_SHADER_PGM_HI_GS, upper);
  using One = SPI_SHADER_PGM_RSRC1_GS;
  using Two = SPI_SHADER_PGM_RSRC2_GS;
  SET(One, One::VGPRS::of(wide ? 15 : 7) | One::FLOAT_MODE::of(0xc0) | One::GS_VGPR_COMP_CNT::of(2));
  SET(Two, Two::USER_SGPR::of(4) | Two::ES_VGPR_COMP_CNT::of(hull ? 3 : 1) | Two::LDS_SIZE::of(2));
  SET(SPI_SHADER_USER_DATA_GS, uint32_t(place::tables + 0x1000), 0), SET(SPI_SHADER_USER_DATA_GS, upper, 1);
  SET(GE_CNTL, GE_CNTL::VERTS_PER_SUBGRP::of(64) | GE_CNTL::PRIMS_PER_SUBGRP::of(64));
  SET(GE_NGG_SUBGRP_CNTL, stage == Stage::geometry ? 3 : 1), SET(GE_MAX_OUTPUT_PER_SUBGROUP, 128);
  SET(SPI_SHADER_IDX_FORMAT, stage == Stage::mesh ? SPI_SHADER_FORMAT::SPI_SHADER_2COMP : SPI_SHADER_FORMAT::SPI_SHADER_1COMP);
  SET(SPI_SHADER_POS_FORMAT, 4), SET(PA_CL_VS_OUT_CNTL, 0), SET(PA_CL_NGG_CNTL, 0), SET(VGT_PRIMITIVEID_EN, 0);
  SET(SPI_ATTRIBUTE_RING_BASE, uint32_t(place::ring >> 16)), SET(SPI_ATTRIBUTE_RING_SIZE, 0);
  using Stages = VGT_SHADER_STAGES_EN;
  SET(Stages, Stages::GS_W32_EN::of(!wide) | Stages::HS_W32_EN::of(!wide) | Stages::HS_EN::of(hull) |
                  Stages::GS_EN::of(stage == Stage::geometry) | Stages::GS_FAST_LAUNCH::of(stage == Stage::mesh) |
                  Stages::PRIMGEN_PASSTHRU_NO_MSG::of(stage != Stage::geometry && stage != Stage::mesh));
  using Out = SPI_SHADER_GS_OUT_CONFIG_PS;
  SET(Out, Out::NUM_INTERP::of(1) | Out::PRIM_EXPORT_COUNT::of(stage == Stage::mesh) | Out::NUM_PRIM_INTERP::of(0));
  SET(VGT_GS_OUT_PRIM_TYPE, 2), SET(VGT_GS_INSTANCE_CNT, 0), SET(PA_SU_SC_MODE_CNTL, 0);
  SET(SPI_SHADER_GS_MESHLET_DIM, (lanes - 1) | (lanes - 1) << 24);
  using Room = SPI_SHADER_GS_MESHLET_EXP_ALLOC;
  SET(Room, Room::MAX_EXP_VERTS::of(24) | Room::MAX_EXP_PRIMS::of(8)), SET(SPI_SHADER_GS_MESHLET_CTRL, 0);
  SET(VGT_PRIMITIVE_TYPE, hull ? 9u | VGT_PRIMITIVE_TYPE::NUM_INPUT_CP::of(3) : 4u);
  SET(GE_MAX_VTX_INDX, ~0u), SET(GE_MIN_VTX_INDX, 0), SET(GE_INDX_OFFSET, 0), SET(GE_MULTI_PRIM_IB_RESET_EN, 0);
  // Hull shaders.
  SET(SPI_SHADER_PGM_LO_LS, uint32_t((place::code + place::hull) >> 8)), SET(SPI_SHADER_PGM_HI_LS, uint32_t(place::code >> 40));
  SET(SPI_SHADER_PGM_LO_HS, uint32_t(place::tables)), SET(SPI_SHADER_PGM_HI_HS, upper);
  SET(SPI_SHADER_PGM_RSRC1_HS, 63 | 0xf0 << 12), SET(SPI_SHADER_PGM_RSRC2_HS, SPI_SHADER_PGM_RSRC2_HS::USER_SGPR::of(4));
  SET(SPI_SHADER_USER_DATA_HS, uint32_t(place::tables + 0x1000), 0), SET(SPI_SHADER_USER_DATA_HS, upper, 1);
  using Config = VGT_LS_HS_CONFIG;
  SET(Config, Config::NUM_PATCHES::of(5) | Config::HS_NUM_OUTPUT_CP::of(3));
  using Param = VGT_TF_PARAM;
  SET(Param, Param::TYPE::of(1) | Param::PARTITIONING::of(2) | Param::TOPOLOGY::of(2));
  SET(VGT_HOS_MAX_TESS_LEVEL, bits(64)), SET(VGT_HOS_MIN_TESS_LEVEL, 0);
  using Offchip = VGT_HS_OFFCHIP_PARAM;
  SET(Offchip, Offchip::OFFCHIP_BUFFERING::of(1)), SET(VGT_TF_RING_SIZE, 0x1000);
  SET(VGT_TF_MEMORY_BASE, uint32_t(place::factors >> 8)), SET(VGT_TF_MEMORY_BASE_HI, uint32_t(place::factors >> 40));
  // Rasterization.
  SET(PA_CL_VTE_CNTL, 0x43f), SET(PA_CL_CLIP_CNTL, 0);
  const float viewport[] = {width / 2, width / 2, height / 2, height / 2, 1, 0};
  for (unsigned k = 0; k < 6; k++) all.push_back({PA_CL_VPORT_XSCALE::address(0) + 4 * k, bits(viewport[k])});
  SET(PA_SC_VPORT_ZMAX, bits(1), 0), SET(PA_SC_VPORT_ZMIN, 0, 0);
  for (float adjust : {1.0f}) {
    SET(PA_CL_GB_HORZ_CLIP_ADJ, bits(adjust)), SET(PA_CL_GB_VERT_CLIP_ADJ, bits(adjust));
    SET(PA_CL_GB_HORZ_DISC_ADJ, bits(adjust)), SET(PA_CL_GB_VERT_DISC_ADJ, bits(adjust));
  }
  constexpr uint32_t corner = (width - 1) | (height - 1) << 16;
  SET(PA_SC_SCREEN_SCISSOR_TL, 0), SET(PA_SC_SCREEN_SCISSOR_BR, corner);
  SET(PA_SC_WINDOW_SCISSOR_TL, 0), SET(PA_SC_WINDOW_SCISSOR_BR, corner);
  SET(PA_SC_GENERIC_SCISSOR_TL, 0), SET(PA_SC_GENERIC_SCISSOR_BR, corner);
  SET(PA_SC_VPORT_SCISSOR_TL, 0, 0), SET(PA_SC_VPORT_SCISSOR_BR, corner, 0);
  SET(PA_SC_MODE_CNTL_0, 0), SET(PA_SC_AA_CONFIG, 0), SET(PA_SU_VTX_CNTL, 0x2d), SET(PA_SC_CLIPRECT_RULE, 0xffff);
  SET(PA_SC_AA_MASK_X0Y0_X1Y0, ~0u), SET(PA_SC_AA_MASK_X0Y1_X1Y1, ~0u);
  SET(PA_SU_POINT_SIZE, 8 | 8 << 16), SET(PA_SU_POINT_MINMAX, 0xffff << 16), SET(PA_SU_LINE_CNTL, 8);
  // Pixels.
  SET(SPI_SHADER_PGM_LO_PS, uint32_t((place::code + place::pixel) >> 8)), SET(SPI_SHADER_PGM_HI_PS, uint32_t(place::code >> 40));
  SET(SPI_SHADER_PGM_RSRC1_PS, 15 | 0xc0 << 12), SET(SPI_SHADER_PGM_RSRC2_PS, SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(4));
  SET(SPI_PS_INPUT_ENA, 2), SET(SPI_PS_INPUT_ADDR, 2), SET(SPI_PS_IN_CONTROL, SPI_PS_IN_CONTROL::PS_W32_EN::of(!wide));
  SET(SPI_PS_INPUT_CNTL, 0, 0), SET(SPI_INTERP_CONTROL_0, 1), SET(SPI_BARYC_CNTL, 0);
  SET(SPI_SHADER_COL_FORMAT, SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR), SET(SPI_SHADER_Z_FORMAT, 0);
  SET(CB_SHADER_MASK, 0xf), SET(CB_TARGET_MASK, 0xf), SET(CB_COLOR_CONTROL, 1 << 4 | 0xcc << 16), SET(DB_SHADER_CONTROL, 0);
  SET(CB_BLEND_CONTROL, 0, 0);
  using Attributes = CB_COLOR_ATTRIB3;
  SET(CB_COLOR_BASE, uint32_t(place::colour >> 8), 0), SET(CB_COLOR_BASE_EXT, uint32_t(place::colour >> 40), 0);
  SET(CB_COLOR_INFO, 10, 0), SET(CB_COLOR_VIEW, 0, 0), SET(CB_COLOR_VIEW2, 0, 0), SET(CB_COLOR_ATTRIB, 0, 0);
  SET(CB_COLOR_ATTRIB2, (height - 1) | (width - 1) << 16, 0);
  SET(Attributes, Attributes::COLOR_SW_MODE::of(2) | Attributes::RESOURCE_TYPE::of(1), 0);
  SET(DB_Z_INFO, 3 | 2 << 4), SET(DB_STENCIL_INFO, 1 | 2 << 4), SET(DB_DEPTH_SIZE_XY, (width - 1) | (height - 1) << 16);
  SET(DB_DEPTH_VIEW, 0), SET(DB_DEPTH_VIEW1, 0);
  SET(DB_Z_READ_BASE, uint32_t(place::depth >> 8)), SET(DB_Z_READ_BASE_HI, uint32_t(place::depth >> 40));
  SET(DB_Z_WRITE_BASE, uint32_t(place::depth >> 8)), SET(DB_Z_WRITE_BASE_HI, uint32_t(place::depth >> 40));
  SET(DB_STENCIL_READ_BASE, uint32_t((place::depth + 0x8000) >> 8)), SET(DB_STENCIL_READ_BASE_HI, uint32_t(place::depth >> 40));
  SET(DB_STENCIL_WRITE_BASE, uint32_t((place::depth + 0x8000) >> 8)), SET(DB_STENCIL_WRITE_BASE_HI, uint32_t(place::depth >> 40));
  SET(DB_DEPTH_CONTROL, 6 | 7 << 4 | 1 | 7 << 8), SET(DB_EQAA, 0);
#undef SET
  return all;
}

uint32_t changed(Random& r, uint32_t value) {
  switch (r.below(8)) {
    case 0:
    case 1: return value ^ 1u << r.below(32);
    case 2: return value ^ 1u << r.below(32) ^ 1u << r.below(32);
    case 3: return r.below(256);
    case 4: return value + r.below(17) - 8;
    case 5: return 0xffffffffu >> r.below(32);
    case 6: return 0;
    default: return r.word();
  }
}

void set_register(Words& w, uint32_t address, uint32_t value) {
  if (address >= 0x30000)
    w.user(address, value);
  else if (address >= 0x28000)
    w.context(address, value);
  else if (address >= 0xb000 && address < 0xc000)
    w.shader(address, value);
}

void buffer_descriptor(Memory& memory, uint64_t at, uint64_t address, uint32_t stride, uint32_t records) {
  const uint32_t words[] = {uint32_t(address), uint32_t(address >> 32) | stride << 16, records,
                            63u << 12 | 4 | 5 << 3 | 6 << 6 | 7 << 9 | (stride ? 1u : 3u) << 28};
  put(memory, at, words);
}

struct Case {
  Memory memory;
  uint32_t batch_dwords = 0;
};

Case make_case(Random& r, Stage stage, bool tame, bool unchanged = false) {
  Case c;
  c.memory.resize(all_bytes);
  for (size_t n = 0; n < c.memory.size(); n++) c.memory[n] = uint8_t(n * 37 % 251);
  for (uint64_t region : {place::batch, place::code, place::tables, place::depth})
    std::fill_n(c.memory.begin() + ptrdiff_t(offset_of(region)), 0x10000, uint8_t(0));
  // (Which part of the ring a group has depends on the thread: what it does not store there is alike.)
  std::fill_n(c.memory.begin() + ptrdiff_t(offset_of(place::ring)), 0x40000, uint8_t(0));
  const unsigned lanes = r.chance(50) ? 64 : 32;
  const uint32_t ring[] = {uint32_t(place::ring), upper | 3u << 30, 0x40000, 0x0043'ffac};
  put(c.memory, place::tables + 0xa0, ring);
  buffer_descriptor(c.memory, place::tables + 0x50, place::factors, 0, 0x4000);
  buffer_descriptor(c.memory, place::tables + 0x60, place::off_chip, 0, 0x10000);
  buffer_descriptor(c.memory, place::tables + 0x1000, place::vertices, 32, 128);
  for (unsigned n = 0; n < 128; n++) {
    auto corner = [&](bool large) { return n < 3 ? (large ? 3.0f : -1.0f) : float(int(r.below(256)) - 128) / 100; };
    const uint32_t v[8] = {bits(corner(n == 1)),
                           bits(corner(n == 2)),
                           bits(float(n % 5) / 8),
                           bits(1),
                           bits(float(n % 3) / 2),
                           bits(0.5f),
                           bits(0.25f),
                           bits(1)};
    put(c.memory, place::vertices + n * 32, v);
  }
  if (!tame && r.chance(30)) {
    const uint32_t word = r.word();
    put(c.memory, place::vertices + r.below(1024) * 4, {&word, 1});
  }
  // The programs: one of them is changed.
  const bool tessellates = stage == Stage::hull || stage == Stage::domain;
  const Stage first = stage == Stage::pixel ? (r.chance(80) ? Stage::vertex : Stage::mesh) : stage;
  auto program_of = [&](Stage of) {
    if (of == stage && !unchanged) return changed_program(r, of, lanes);
    std::vector<uint32_t> words;
    for (const auto& i : assemble(text_of(of, lanes == 64), lanes)) words.insert(words.end(), i.begin(), i.end());
    return words;
  };
  put(c.memory, place::code, program_of(tessellates ? Stage::domain : first));
  put(c.memory, place::code + place::hull, program_of(Stage::hull));
  put(c.memory, place::code + place::pixel, program_of(Stage::pixel));
  Words w;
  const Settings settings = settings_of(first, lanes);
  for (const Setting& s : settings) set_register(w, s.address, s.value);
  const bool mesh = first == Stage::mesh;
  for (unsigned draws = 1 + r.below(2); draws > 0; draws--) {
    if (!tame)
      for (unsigned n = 1 + r.below(4); n > 0; n--) {
        const Setting& s = settings[r.below(uint32_t(settings.size()))];
        set_register(w, s.address, changed(r, s.value));
      }
    const uint32_t count = 3 * (1 + r.below(30));
    if (mesh != (!tame && r.chance(5))) {
      w.packet(packets::DISPATCH_MESH_DIRECT::opcode, {1 + r.below(3), 1 + r.below(2), 1, 2});
    } else if (!tame && r.chance(20)) {
      const uint32_t arguments[] = {count, 1, r.below(3), 0, 0}, most = 3;
      put(c.memory, place::tables + 0x4000, arguments), put(c.memory, place::tables + 0x4100, {&most, 1});
      w.packet(packets::SET_BASE::opcode, {1, low(place::tables), high(place::tables)});
      w.packet(packets::DRAW_INDIRECT_MULTI::opcode, {0x4000, changed(r, 2), changed(r, 3), changed(r, 1u << 30), changed(r, 2),
                                                      low(place::tables + 0x4100), high(place::tables), changed(r, 20), 2});
    } else if (!tame && r.chance(20)) {
      w.packet(packets::NUM_INSTANCES::opcode, {r.below(5)});
      w.packet(packets::DRAW_INDEX_2::opcode,
               {changed(r, 64), low(place::vertices + r.below(3)), high(place::vertices), count, 0});
    } else {
      w.packet(packets::NUM_INSTANCES::opcode, {1});
      w.packet(packets::DRAW_INDEX_AUTO::opcode, {count, 2});
    }
  }
  put(c.memory, place::batch, w);
  c.batch_dwords = uint32_t(w.size());
  return c;
}

// --- runs

struct Outcome {
  std::string lost;  // empty: the draw has ended
  Memory memory;
  uint64_t framed = 0, compiled = 0;
};
// True for a loop without an end, or if the machine had no time for it.
bool stands(const Outcome& out) { return out.lost.find("nothing moved") != out.lost.npos; }

Outcome run(World& world, const Case& c, gpu::Engine engine, unsigned threads, double most_still = 0.25) {
  size_t at = 0;
  for (const Region& r : regions) std::memcpy(world.space->host(r.address), c.memory.data() + at, r.bytes), at += r.bytes;
  gpu::Options options;
  options.engine = engine, options.threads = threads, options.deterministic = threads == 1;
  options.max_still_seconds = most_still;
  options.limits = {.packets = 2000, .dwords = 20000, .buffers = 50, .bytes = 1 << 20, .groups = 200, .vertices = 2000};
  auto device = *make_device(*gpu::find_chip("gfx1201"), options);
  auto queue = *device->make_queue(gpu::QueueKind::graphics, *world.space);
  const gpu::CommandBuffer buffer{place::batch, c.batch_dwords};
  Outcome out;
  testing::internal::CaptureStderr();
  auto done = queue->run({&buffer, 1});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("please report"), said.npos) << said;
  if (!done) out.lost = done.error().message.empty() ? "without a word" : done.error().message;
  const gpu::Statistics statistics = queue->statistics();
  if (auto found = statistics.pixel_paths.find("direct"); found != statistics.pixel_paths.end()) out.framed = found->second;
  out.compiled = statistics.compiled;
  queue.reset();
  out.memory.resize(all_bytes);
  at = 0;
  for (const Region& r : regions) std::memcpy(out.memory.data() + at, world.space->host(r.address), r.bytes), at += r.bytes;
  return out;
}

uint64_t number_of(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

struct HostileDraws : testing::TestWithParam<Stage> {
  uint64_t compiled = 0, framed = 0, ended = 0, lost = 0, compared = 0;

  void attack(bool tame) {
    World interpreted, translated;
    const uint64_t first = number_of("ATOLL_SEED", 1), count = number_of("ATOLL_COUNT", 40);
    for (uint64_t seed = first; seed < first + count; seed++) {
      SCOPED_TRACE(testing::Message() << "ATOLL_SEED=" << seed << " ATOLL_COUNT=1");
      Random r{seed * 1000 + uint64_t(GetParam()) * 10 + tame};
      const Case c = make_case(r, GetParam(), tame);
      const Outcome a = run(interpreted, c, gpu::Engine::Interpreter, 1), b = run(translated, c, gpu::Engine::Jit, 1);
      std::vector<const Outcome*> all_of{&a, &b};
      Outcome more;
      if (!stands(a))
        more = run(translated, c, seed & 1 ? gpu::Engine::Jit : gpu::Engine::Interpreter, 2), all_of.push_back(&more);
      for (const Outcome* out : all_of) {
        EXPECT_NE(out->lost, "without a word");
        ++(out->lost.empty() ? ended : lost);
        // Nobody has a reason to write here.
        for (uint64_t region : {place::batch, place::code, place::tables, place::vertices}) {
          const auto at = ptrdiff_t(offset_of(region));
          const size_t bytes = region == place::vertices ? 0x1000 : 0x10000;
          if (tame) {
            ASSERT_TRUE(std::equal(out->memory.begin() + at, out->memory.begin() + at + ptrdiff_t(bytes), c.memory.begin() + at))
                << "in the region at " << std::hex << region;
          }
        }
      }
      compiled += b.compiled, framed += b.framed;
      if (stands(a) || stands(b)) continue;
      ASSERT_EQ(a.lost.empty(), b.lost.empty()) << a.lost << "\n" << b.lost;
      if (!a.lost.empty()) continue;
      compared++;
      for (size_t n = 0; n < a.memory.size(); n++) ASSERT_EQ(a.memory[n], b.memory[n]) << "at " << std::hex << address_of(n);
    }
    RecordProperty("compared", std::to_string(compared));
    if (std::getenv("ATOLL_COUNT"))
      fmt::print(
          "{} instructions compiled; {} pixels framed; {} draws ended, "
          "{} contexts lost, {} compared\n",
          compiled, framed, ended, lost, compared);
  }
};
std::string name_of_stage(const testing::TestParamInfo<Stage>& info) {
  constexpr const char* names[] = {"Vertex", "Geometry", "Hull", "Domain", "Mesh", "Pixel"};
  return names[size_t(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Stages, HostileDraws,
                         testing::Values(Stage::vertex, Stage::geometry, Stage::hull, Stage::domain, Stage::mesh, Stage::pixel),
                         name_of_stage);

// Without a change each stage's draw draws.
TEST_P(HostileDraws, Unchanged) {
  World world;
  for (uint64_t seed = 1; seed < 5; seed++) {
    Random r{seed};
    const Case c = make_case(r, GetParam(), true, true);
    for (gpu::Engine engine : {gpu::Engine::Interpreter, gpu::Engine::Jit}) {
      const Outcome out = run(world, c, engine, 1, 60);
      EXPECT_EQ(out.lost, "");
      const size_t at = offset_of(place::colour);
      size_t drawn = 0;
      for (size_t n = 0; n < width * height * 4; n++) drawn += out.memory[at + n] != c.memory[at + n];
      EXPECT_GT(drawn, 1000u);
    }
  }
}
TEST_P(HostileDraws, ChangedPrograms) {
  attack(true);
  for (uint64_t some : {compiled, compared, ended}) EXPECT_GT(some, 0u);
}
TEST_P(HostileDraws, ChangedProgramsAndStates) {
  attack(false);
  for (uint64_t some : {compiled, ended, lost}) EXPECT_GT(some, 0u);
}

}  // namespace
}  // namespace Atoll::gfx12::test
