// Scenes of images and samplers.
#include <cstring>

#include "sea_islands_build.h"

namespace Atoll::ledger {

namespace {

using Lines = std::vector<std::string>;
using W1 = SQ_IMG_RSRC_WORD1;
using W2 = SQ_IMG_RSRC_WORD2;
using W3 = SQ_IMG_RSRC_WORD3;
using W4 = SQ_IMG_RSRC_WORD4;
using W5 = SQ_IMG_RSRC_WORD5;
using S0 = SQ_IMG_SAMP_WORD0;
using S1 = SQ_IMG_SAMP_WORD1;
using S2 = SQ_IMG_SAMP_WORD2;
using S3 = SQ_IMG_SAMP_WORD3;

struct Image {
  uint32_t type, format = 10, number = 0, layers = 0, depth = 1, levels = 1;
  uint32_t mode = 13;
};

std::vector<uint32_t> resource(uint64_t address, const Image& i) {
  return {uint32_t(address >> 8),
          W1::BASE_ADDRESS_HI::of(uint32_t(address >> 40)) | W1::DATA_FORMAT::of(i.format) | W1::NUM_FORMAT::of(i.number),
          W2::WIDTH::of(23) | W2::HEIGHT::of(23) | W2::PERF_MOD::of(4),
          W3::DST_SEL_X::of(4) | W3::DST_SEL_Y::of(5) | W3::DST_SEL_Z::of(6) | W3::DST_SEL_W::of(7) |
              W3::LAST_LEVEL::of(i.levels - 1) | W3::TILING_INDEX::of(i.mode) | W3::POW2_PAD::of(i.levels > 1) |
              W3::TYPE::of(i.type),
          W4::DEPTH::of(i.depth - 1) | W4::PITCH::of(31),
          W5::LAST_ARRAY::of(i.layers),
          0,
          0};
}

// Compute: a wave of 64 lanes samples at coordinates of its own, some of them outside.
std::unique_ptr<Scene> sampled_images() {
  auto s = std::make_unique<SeaIslandsScene>("sampled images");
  const uint64_t texels = s->take(0x20000, 0x10000), words = s->take(1024), borders = s->take(4096), out = s->take(dump_bytes);
  for (uint32_t n = 0; n < 0x8000; n++) s->words(texels)[n] = n * 2654435761u;
  for (uint32_t n = 0; n < 1024; n++) s->words(borders)[n] = number(float(n % 7) / 7);
  using Type = SQ_IMG_RSRC_WORD3::TYPE;
  const Image images[] = {{.type = Type::SQ_RSRC_IMG_2D, .levels = 6},
                          {.type = Type::SQ_RSRC_IMG_3D, .depth = 4},
                          {.type = Type::SQ_RSRC_IMG_CUBE, .layers = 5},
                          {.type = Type::SQ_RSRC_IMG_2D, .format = 4, .number = 7, .levels = 2},  // depth
                          {.type = Type::SQ_RSRC_IMG_2D_ARRAY, .layers = 3, .levels = 4},
                          {.type = Type::SQ_RSRC_IMG_1D}};
  unsigned n = 0;
  for (const Image& i : images) s->descriptor("SQ_IMG_RSRC_WORD0", words + n++ * 32, resource(texels, i));
  // Trilinear with a register's border colour; anisotropic; point with a border of white, down to between two levels; comparison; not normalized.
  const uint32_t lod = S1::MAX_LOD::of(0x500);
  const std::vector<uint32_t> samplers[] = {
      {S0::CLAMP_X::of(6) | S0::CLAMP_Y::of(1) | S0::CLAMP_Z::of(6), lod,
       S2::XY_MAG_FILTER::of(1) | S2::XY_MIN_FILTER::of(1) | S2::Z_FILTER::of(2) | S2::MIP_FILTER::of(2),
       S3::BORDER_COLOR_TYPE::of(3) | S3::BORDER_COLOR_PTR::of(2)},
      {S0::CLAMP_X::of(0) | S0::CLAMP_Y::of(2) | S0::MAX_ANISO_RATIO::of(3), lod,
       S2::XY_MAG_FILTER::of(3) | S2::XY_MIN_FILTER::of(3) | S2::MIP_FILTER::of(1) | S2::LOD_BIAS::of(0x40), 0},
      {S0::CLAMP_X::of(6) | S0::CLAMP_Y::of(6), S1::MAX_LOD::of(0xc0), S2::MIP_FILTER::of(1), S3::BORDER_COLOR_TYPE::of(2)},
      {S0::CLAMP_X::of(2) | S0::CLAMP_Y::of(2) | S0::DEPTH_COMPARE_FUNC::of(1), lod, S2::XY_MAG_FILTER::of(1), 0},
      {S0::CLAMP_X::of(2) | S0::CLAMP_Y::of(6) | S0::FORCE_UNNORMALIZED::of(1), 0, S2::XY_MAG_FILTER::of(1),
       S3::BORDER_COLOR_TYPE::of(1)}};
  n = 0;
  for (auto& content : samplers) s->descriptor("SQ_IMG_SAMP_WORD0", words + 512 + n++ * 16, content);
  Lines lines = {"v_and_b32 v1, 7, v0", "v_lshrrev_b32 v2, 3, v0", "v_cvt_f32_u32 v1, v1", "v_cvt_f32_u32 v2, v2",
                 // -0.6 to 1.85 in x, faster in y
                 "v_mul_f32 v4, 0x3eb33333, v1", "v_add_f32 v4, 0xbf19999a, v4", "v_mul_f32 v5, 0x3e6b851f, v2",
                 "v_add_f32 v5, 0xbe99999a, v5", "v_mul_f32 v6, 0x3e4ccccd, v2", "v_mov_b32 v7, 0x3fa66666",
                 "s_mov_b64 s[4:5], s[0:1]"};
  unsigned to = 10;
  auto sample = [&](const char* what, unsigned image, unsigned sampler, const char* address) {
    lines.push_back("s_load_dwordx8 s[8:15], s[4:5], " + literal(image * 8));
    lines.push_back("s_load_dwordx4 s[16:19], s[4:5], " + literal(128 + sampler * 4));
    lines.push_back("s_waitcnt lgkmcnt(0)");
    lines.push_back(std::string(what).replace(
        std::string(what).find('@'), 1,
        "v[" + std::to_string(to) + ":" + std::to_string(to + 3) + "], " + address + ", s[8:15], s[16:19]"));
    lines.push_back("s_waitcnt vmcnt(0)");
    to += 4;
  };
  sample("image_sample @ dmask:0xf", 0, 0, "v[4:7]");
  sample("image_sample @ dmask:0xf", 0, 1, "v[4:7]");
  sample("image_sample_l @ dmask:0xf", 0, 2, "v[4:7]");
  sample("image_sample @ dmask:0xf", 1, 0, "v[4:7]");
  sample("image_sample @ dmask:0xf da", 2, 0, "v[4:7]");
  sample("image_sample_c_lz @ dmask:0xf", 3, 3, "v[4:7]");
  sample("image_sample_l @ dmask:0xf da", 4, 0, "v[4:7]");
  sample("image_sample_lz @ dmask:0xf", 0, 4, "v[4:7]");
  sample("image_sample @ dmask:0xf lwe", 5, 2, "v[4:7]");
  uint64_t code = s->program(lines + dump_lines(out, 47, 0) + Lines{"s_endpgm"});
  Packets& w = s->stream;
  w.packet(packets::CLEAR_STATE::opcode, {0});
  w.set(TA_CS_BC_BASE_ADDR::address(), {uint32_t(borders >> 8), uint32_t(borders >> 40)});
  w.set(COMPUTE_PGM_LO::address(), {uint32_t(code >> 8), uint32_t(code >> 40)});
  w.set(COMPUTE_PGM_RSRC1::address(), {0x000c000f, COMPUTE_PGM_RSRC2::USER_SGPR::of(2)});
  w.set(COMPUTE_USER_DATA::address(0), {uint32_t(words), uint32_t(words >> 32)});
  w.set(COMPUTE_NUM_THREAD_X::address(), {64, 1, 1});
  w.packet(packets::DISPATCH_DIRECT::opcode, {1, 1, 1, 1});
  s->blocks = {"SQ", "TP", "TA"};
  s->finish();
  return s;
}

// Loads, stores and queries without a sampler; a pixel program's border colours.
std::unique_ptr<Scene> loaded_images() {
  auto s = std::make_unique<DrawScene>("loaded and stored images, a pixel program's textures");
  const uint64_t texels = s->take(0x20000, 0x10000), words = s->take(1024), borders = s->take(4096), out = s->take(dump_bytes),
                 target = s->take(0x8000, 4096);
  for (uint32_t n = 0; n < 0x8000; n++) s->words(texels)[n] = n * 2654435761u;
  for (uint32_t n = 0; n < 1024; n++) s->words(borders)[n] = number(float(n % 7) / 7);
  using Type = SQ_IMG_RSRC_WORD3::TYPE;
  s->descriptor("SQ_IMG_RSRC_WORD0", words, resource(texels, {.type = Type::SQ_RSRC_IMG_2D, .levels = 4}));
  s->descriptor("SQ_IMG_RSRC_WORD0", words + 32,
                resource(target, {.type = Type::SQ_RSRC_IMG_2D_ARRAY, .number = 4, .layers = 2}));
  s->descriptor("SQ_IMG_SAMP_WORD0", words + 64,
                {S0::CLAMP_X::of(6) | S0::CLAMP_Y::of(6), S1::MAX_LOD::of(0x300),
                 S2::XY_MAG_FILTER::of(1) | S2::XY_MIN_FILTER::of(1) | S2::MIP_FILTER::of(2),
                 S3::BORDER_COLOR_TYPE::of(3) | S3::BORDER_COLOR_PTR::of(3)});
  uint64_t vertex = s->table_program();
  uint64_t pixel = s->program(Lines{"s_mov_b64 s[4:5], s[0:1]",
                                    "s_mov_b32 m0, s2",
                                    "s_load_dwordx8 s[8:15], s[4:5], 0x0",
                                    "s_load_dwordx8 s[24:31], s[4:5], 0x8",
                                    "s_load_dwordx4 s[16:19], s[4:5], 0x10",
                                    "s_waitcnt lgkmcnt(0)",
                                    "v_interp_p1_f32 v10, v0, attr1.x",
                                    "v_interp_p2_f32 v10, v1, attr1.x",
                                    "v_interp_p1_f32 v11, v0, attr1.y",
                                    "v_interp_p2_f32 v11, v1, attr1.y",
                                    "v_mul_f32 v10, 4.0, v10",
                                    "image_sample v[12:15], v[10:11], s[8:15], s[16:19] dmask:0xf",
                                    "v_cvt_u32_f32 v20, v2",
                                    "v_cvt_u32_f32 v21, v3",
                                    "v_and_b32 v22, 1, v20",
                                    "image_load_mip v[24:27], v[20:23], s[8:15] dmask:0xf",
                                    "image_store v[20:23], v[20:23], s[24:31] dmask:0xf da",
                                    "image_get_resinfo v[28:31], v22, s[8:15] dmask:0xf",
                                    "image_get_resinfo v[32:35], v22, s[24:31] dmask:0xf da",
                                    "s_waitcnt vmcnt(0)"} +
                              dump_lines(out, 36, 0) + Lines{"exp mrt0 v12, v13, v14, v15 done vm", "s_endpgm"});
  std::vector<Vertex> v(3);
  v[0].position[0] = v[0].position[1] = v[1].position[1] = v[2].position[0] = -1;
  v[1].position[0] = v[2].position[1] = 3;
  s->vertices(v);
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  w.set(SPI_SHADER_PGM_RSRC2_PS::address(), SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(2));
  w.set(SPI_SHADER_USER_DATA_PS::address(0), {uint32_t(words), uint32_t(words >> 32)});
  w.set(SPI_SHADER_COL_FORMAT::address(), 9).set(CB_SHADER_MASK::address(), 15);
  w.set(TA_BC_BASE_ADDR::address(), {uint32_t(borders >> 8), uint32_t(borders >> 40)});
  s->draw(VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_TRILIST, 3);
  s->blocks = {"SQ", "TP", "TA"};
  s->finish();
  return s;
}

}  // namespace

void add_image_scenes(std::vector<std::unique_ptr<Scene>>& all) {
  all.push_back(sampled_images());
  all.push_back(loaded_images());
}

}  // namespace Atoll::ledger
