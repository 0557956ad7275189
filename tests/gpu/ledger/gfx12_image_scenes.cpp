// Scenes of GFX12's images and samplers.
#include <cstring>

#include "gfx12_build.h"

namespace Atoll::ledger {

namespace {

using Lines = Gfx12Scene::Lines;
using W1 = SQ_IMG_RSRC_WORD1;
using W2 = SQ_IMG_RSRC_WORD2;
using W3 = SQ_IMG_RSRC_WORD3;
using W4 = SQ_IMG_RSRC_WORD4;
using S0 = SQ_IMG_SAMP_WORD0;
using S1 = SQ_IMG_SAMP_WORD1;
using S2 = SQ_IMG_SAMP_WORD2;
using S3 = SQ_IMG_SAMP_WORD3;

// TYPE of T#s (RDNA4 ISA 10.8).
enum ImageType : uint32_t { one = 8, two = 9, three = 10, cube = 11, two_array = 13 };

struct Image {
  uint32_t type, format = 42 /* 8_8_8_8_UNORM */, last_slice = 0, levels = 1;
  uint32_t mode = 2;
};

std::vector<uint32_t> resource(uint64_t address, const Image& i) {
  return {uint32_t(address >> 8),
          W1::BASE_ADDRESS_HI::of(uint32_t(address >> 40)) | W1::MAX_MIP::of(i.levels - 1) | W1::FORMAT::of(i.format) |
              W1::WIDTH_LO::of(23 & 3),
          W2::WIDTH_HI::of(23 >> 2) | W2::HEIGHT::of(23),
          W3::DST_SEL_X::of(4) | W3::DST_SEL_Y::of(5) | W3::DST_SEL_Z::of(6) | W3::DST_SEL_W::of(7) |
              W3::LAST_LEVEL::of(i.levels - 1) | W3::SW_MODE::of(i.mode) | W3::TYPE::of(i.type),
          W4::DEPTH::of(i.last_slice),
          0,
          0,
          0};
}

// Compute: a wave of 32 lanes samples at coordinates of its own, some of them outside; loads, stores and queries.
std::unique_ptr<Scene> sampled_images() {
  auto s = std::make_unique<Gfx12Scene>("sampled, loaded and stored images");
  const uint64_t texels = s->take(0x20000, 0x10000), words = s->take(1024), borders = s->take(4096), out = s->take(s->dump_bytes),
                 target = s->take(0x8000, 0x1000);
  for (uint32_t n = 0; n < 0x8000; n++) s->words(texels)[n] = n * 2654435761u;
  for (uint32_t n = 0; n < 1024; n++) s->words(borders)[n] = number(float(n % 7) / 7);
  const Image images[] = {{.type = two, .levels = 5},
                          {.type = three, .last_slice = 3},
                          {.type = cube, .last_slice = 5},
                          {.type = two, .format = 22, .levels = 2},  // depth
                          {.type = two_array, .last_slice = 3, .levels = 4},
                          {.type = one}};
  unsigned n = 0;
  for (const Image& i : images) s->descriptor("SQ_IMG_RSRC_WORD0", words + n++ * 32, resource(texels, i));
  s->descriptor("SQ_IMG_RSRC_WORD0", words + n * 32, resource(target, {.type = two_array, .format = 46, .last_slice = 2}));
  // Trilinear with a border colour from memory; anisotropic; point with a border of white, down to between two levels; comparison; not
  // normalized; the largest of the texels, converted from sRGB.
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
       S3::BORDER_COLOR_TYPE::of(1)},
      {S0::FILTER_MODE::of(2), lod, S2::XY_MAG_FILTER::of(1) | S2::XY_MIN_FILTER::of(1), 0}};
  n = 0;
  for (auto& content : samplers) s->descriptor("SQ_IMG_SAMP_WORD0", words + 512 + n++ * 16, content);
  Lines lines = {"v_and_b32_e32 v1, 7, v0", "v_lshrrev_b32_e32 v2, 3, v0", "v_mov_b32_e32 v8, v1", "v_mov_b32_e32 v9, v2",
                 "v_cvt_f32_u32_e32 v1, v1", "v_cvt_f32_u32_e32 v2, v2",
                 // -0.6 to 1.85 in x, faster in y
                 "v_mul_f32_e32 v4, 0x3eb33333, v1", "v_add_f32_e32 v4, 0xbf19999a, v4", "v_mul_f32_e32 v5, 0x3f100000, v2",
                 "v_add_f32_e32 v5, 0xbe99999a, v5", "v_mul_f32_e32 v6, 0x3e4ccccd, v2", "v_mov_b32_e32 v7, 0x3fa66666",
                 "s_mov_b64 s[4:5], s[0:1]", "v_mov_b32_e32 v3, 1"};
  unsigned to = 10;
  auto fetch = [&](unsigned image, unsigned sampler) {
    lines.push_back("s_load_b256 s[8:15], s[4:5], " + literal(image * 32));
    lines.push_back("s_load_b128 s[16:19], s[4:5], " + literal(512 + sampler * 16));
    lines.push_back("s_wait_kmcnt 0x0");
  };
  auto row = [&] { return "v[" + std::to_string(to) + ":" + std::to_string(to + 3) + "]"; };
  auto sample = [&](const std::string& what, unsigned image, unsigned sampler, const std::string& address,
                    const std::string& dimension) {
    fetch(image, sampler);
    lines.push_back(what + " " + row() + ", " + address + ", s[8:15], s[16:19] dmask:0xf dim:" + dimension);
    to += 4;
  };
  sample("image_sample", 0, 0, "[v4, v5]", "SQ_RSRC_IMG_2D");
  sample("image_sample", 0, 1, "[v4, v5]", "SQ_RSRC_IMG_2D");
  sample("image_sample_l", 0, 2, "[v4, v5, v6]", "SQ_RSRC_IMG_2D");
  sample("image_sample", 1, 0, "[v4, v5, v6]", "SQ_RSRC_IMG_3D");
  sample("image_sample", 2, 0, "[v4, v5, v6]", "SQ_RSRC_IMG_CUBE");
  sample("image_sample_l", 4, 0, "[v4, v5, v6, v7]", "SQ_RSRC_IMG_2D_ARRAY");
  sample("image_sample_lz", 0, 4, "[v4, v5]", "SQ_RSRC_IMG_2D");
  sample("image_sample", 5, 2, "v4", "SQ_RSRC_IMG_1D");
  sample("image_sample", 0, 5, "[v4, v5]", "SQ_RSRC_IMG_2D");
  fetch(3, 3);
  lines.push_back("image_sample_c_lz v46, [v6, v4, v5], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D");
  fetch(0, 0);
  lines.push_back("image_load_mip v[48:51], [v8, v9, v3], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D");
  lines.push_back("image_get_resinfo v[52:55], v3, s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D");
  lines.push_back("image_sample_d v[56:58], [v6, v4, v6, v[5:7]], s[8:15], s[16:19] dmask:0x7 dim:SQ_RSRC_IMG_2D");
  fetch(6, 0);
  lines.push_back("image_store v[8:11], [v8, v9, v3], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY");
  lines.push_back("s_wait_samplecnt 0x0");
  lines.push_back("s_wait_loadcnt 0x0");
  uint64_t code = s->program(lines + s->dump_lines(out, 59, 0) + Lines{"s_endpgm"});
  Packets& w = s->stream;
  w.set(TA_CS_BC_BASE_ADDR::address(), {uint32_t(borders >> 8), uint32_t(borders >> 40)});
  w.set(COMPUTE_PGM_LO::address(), uint32_t(code >> 8)).set(COMPUTE_PGM_HI::address(), uint32_t(code >> 40));
  w.set(COMPUTE_PGM_RSRC1::address(), COMPUTE_PGM_RSRC1::VGPRS::of(15) | COMPUTE_PGM_RSRC1::FLOAT_MODE::of(0xc0));
  w.set(COMPUTE_PGM_RSRC2::address(), COMPUTE_PGM_RSRC2::USER_SGPR::of(2));
  w.set(COMPUTE_USER_DATA::address(0), {uint32_t(words), uint32_t(words >> 32)});
  w.set(COMPUTE_NUM_THREAD_X::address(), {32, 1, 1});
  w.packet(packets::DISPATCH_DIRECT::opcode,
           {1, 1, 1, COMPUTE_DISPATCH_INITIATOR::COMPUTE_SHADER_EN::of(1) | COMPUTE_DISPATCH_INITIATOR::CS_W32_EN::of(1)});
  s->blocks = {"SQ", "TA"};
  s->finish();
  return s;
}

// A pixel program's border colours.
std::unique_ptr<Scene> borders_of_pixels() {
  auto s = std::make_unique<Gfx12DrawScene>("a pixel program's textures");
  const uint64_t texels = s->take(0x10000, 0x10000), words = s->take(1024), borders = s->take(4096);
  for (uint32_t n = 0; n < 0x4000; n++) s->words(texels)[n] = n * 2654435761u;
  for (uint32_t n = 0; n < 1024; n++) s->words(borders)[n] = number(float(n % 7) / 7);
  auto put = [&](uint64_t to, const std::vector<uint32_t>& content) {
    std::memcpy(s->words(to), content.data(), content.size() * 4);
  };
  put(words, resource(texels, {.type = two}));
  put(words + 64, {S0::CLAMP_X::of(6) | S0::CLAMP_Y::of(6), 0, S2::XY_MAG_FILTER::of(1),
                   S3::BORDER_COLOR_TYPE::of(3) | S3::BORDER_COLOR_PTR::of(3)});
  uint64_t vertex = s->table_program();
  uint64_t pixel =
      s->program(Lines{"s_mov_b32 m0, s4", "s_load_b256 s[8:15], s[0:1], 0x0", "s_load_b128 s[16:19], s[0:1], 0x40"} +
                 Gfx12DrawScene::interpolated(10, 1, 'x') + Gfx12DrawScene::interpolated(11, 1, 'y') +
                 Lines{"s_wait_kmcnt 0x0", "v_mul_f32_e32 v10, 4.0, v10",
                       "image_sample v[12:15], [v10, v11], s[8:15], s[16:19] dmask:0xf dim:SQ_RSRC_IMG_2D",
                       "s_wait_samplecnt 0x0", "export mrt0 v12, v13, v14, v15 done", "s_endpgm"});
  s->vertices({at(-1, -1), at(3, -1), at(-1, 3)});
  s->begin(vertex, pixel);
  s->one_target();
  s->stream.set(SPI_SHADER_USER_DATA_PS::address(0), {uint32_t(words), uint32_t(words >> 32)});
  s->stream.set(TA_BC_BASE_ADDR::address(), {uint32_t(borders >> 8), uint32_t(borders >> 40)});
  s->draw(VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_TRILIST, 3);
  s->blocks = {"TA"};
  s->finish();
  return s;
}

}  // namespace

void add_image_scenes(Gfx12Scenes& all) {
  all.push_back(sampled_images());
  all.push_back(borders_of_pixels());
}

}  // namespace Atoll::ledger
