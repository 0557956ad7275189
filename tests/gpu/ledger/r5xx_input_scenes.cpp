// R5xx: what pixels start with besides coordinates and colours (fog, fill colours, places on the screen, colours that are textures),
// and what the depth unit leaves of colours; copies by DMA.
#include "r5xx_scene.h"

namespace Atoll::ledger {

using namespace r5xx;
using test::bits;
using Prim = VAP_VF_CNTL::PRIM_TYPE;

namespace {

void draw(R5xxScene& s) { s.s.draw(Prim::Triangle_List, corners()); }

// Four colours, of which two are textures; both sides; a fill colour.
std::unique_ptr<Scene> colours_as_textures() {
  auto s = std::make_unique<R5xxScene>("colours that are textures, fill colours");
  auto& w = s->w;
  s->float_target();
  s->s.coloured();
  w.set(VAP_PROG_STREAM_CNTL::address(0), {3u | (3u | 2 << 8) << 16, 3u | 3 << 8 | (3u | 4 << 8) << 16, 3u | 5 << 8 | 1 << 13});
  w.set(VAP_PROG_STREAM_CNTL_EXT::address(0), {0xf688f688, 0xf688f688, 0xf688});
  w.set(VAP_OUT_VTX_FMT_0::address(), {0x1f, 0}).set(VAP_VTX_SIZE::address(), 20);
  w.set(VAP_CLIP_CNTL::address(),
        VAP_CLIP_CNTL::CLIP_DISABLE::of(1) | VAP_CLIP_CNTL::COLOR2_IS_TEXTURE::of(1) | VAP_CLIP_CNTL::COLOR3_IS_TEXTURE::of(1));
  w.set(GA_COLOR_CONTROL_PS3::address(), 2u << 16 | 2u << 18);
  w.set(GA_ROUND_MODE::address(), 0x31);
  w.set(GA_SOLID_RG::address(), {0x04000800, 0x0c001000});
  s->code({"mad t4.rgb, t0, 1, t1 | mad t4.a, t0.w, 1, t1.w", "mad t4.rgb, t4, 0.75, t2 | mad t4.a, t4.w, 0.75, t2.w",
           "mad o0.rgb, t4, 0.75, t3 | mad o0.a, t4.w, 0.75, t3.w @last"});
  w.set(US_PIXSIZE::address(), 4);
  for (uint32_t n = 0; n < 4; n++) {
    w.set(RS_IP::address(n), RS_IP::COL_PTR::of(n));
    w.set(RS_INST::address(n), RS_INST::COL_ID::of(n) | RS_INST::COL_CN::of(1) | RS_INST::COL_ADDR::of(n));
  }
  std::vector<uint32_t> words{Prim::Triangle_List | 3u << 4 | 6 << 16};
  for (unsigned v = 0; v < 6; v++) {
    const auto p = corners()[v];
    for (float f : {p.x, p.y, p.z, p.w}) words.push_back(bits(f));
    for (unsigned n = 0; n < 16; n++) words.push_back(bits(float((n * 5 + v * 9) % 19) / 18));
  }
  w.set(RS_COUNT::address(), {RS_COUNT::IC_COUNT::of(4), 3});
  w.packet(packets::_3D_DRAW_IMMD_2::opcode, words);
  w.set(RS_COUNT::address(), {RS_COUNT::IC_COUNT::of(2), 3});
  w.set(SC_SCISSOR0::address(), {0, 15 << 13 | (test::Scene::width - 1)});  // the upper half
  w.set(VAP_CLIP_CNTL::address(), VAP_CLIP_CNTL::CLIP_DISABLE::of(1)).set(GA_COLOR_CONTROL::address(), 0x0003aaa0);
  w.packet(packets::_3D_DRAW_IMMD_2::opcode, words);
  s->finish();
  return s;
}

std::unique_ptr<Scene> fog() {
  auto s = std::make_unique<R5xxScene>("fog");
  auto& w = s->w;
  s->float_target();
  s->s.coloured();
  w.set(GA_FOG_SCALE::address(), {bits(0.7f), bits(0.1f)});
  w.set(FG_FOG_FACTOR::address(), {300, 0x200, 0x100, 0x3f0}).set(FG_FOG_BLEND::address(), FG_FOG_BLEND::ENABLE::of(1));
  draw(*s);
  w.set(FG_FOG_BLEND::address(), FG_FOG_BLEND::ENABLE::of(1) | FG_FOG_BLEND::FN::of(3));
  s->s.whole({0.5f, 0.25f, 1, 1});
  w.set(FG_FOG_BLEND::address(), 0);
  s->s.has_colours = false;
  s->s.textured();
  w.set(VAP_VTX_SIZE::address(), 8);
  w.set(GB_SELECT::address(), GB_SELECT::FOG_SELECT::of(5) | GB_SELECT::FOG_STUFF_ENABLE::of(1));
  draw(*s);
  s->finish();
  return s;
}

std::unique_ptr<Scene> places() {
  auto s = std::make_unique<R5xxScene>("places of triangles, depth divided apart");
  auto& w = s->w;
  s->float_target();
  s->s.depth_buffer(2);
  w.set(ZB_CNTL::address(), 6).set(ZB_ZSTENCILCNTL::address(), 7);
  w.set(GB_ENABLE::address(), GB_ENABLE::TRIANGLE_STUFF_ENABLE::of(1) | GB_ENABLE::TEX0_SOURCE::of(1));
  w.set(RS_IP::address(0), 0u | 1 << 6 | 62 << 12 | 63 << 18).set(GA_TRIANGLE_STIPPLE::address(), 4 | 5 << 16);
  auto points = corners();
  for (auto& p : points) p.w = 0.5f;
  s->s.draw(Prim::Triangle_List, points);
  s->finish();
  return s;
}

std::unique_ptr<Scene> dma() {
  auto s = std::make_unique<R5xxScene>("copies by DMA");
  auto& w = s->w;
  Buffer from = s->allocate(4096), to = s->allocate(4096);
  for (uint32_t n = 0; n < 1024; n++) reinterpret_cast<uint32_t*>(from.host_pointer)[n] = n * 0x9e3779b9;
  w.set(CP_GUI_SRC_ADDR::address(), {uint32_t(from.gpu_address) + 256, uint32_t(to.gpu_address) + 256});
  w.set(CP_GUI_COMMAND::address(), 64);
  w.set(CP_VID_SRC_ADDR::address(), {uint32_t(from.gpu_address) + 1024, uint32_t(to.gpu_address) + 1024});
  w.set(CP_VID_COMMAND::address(), 64);
  s->finish();
  return s;
}

}  // namespace

void add_input_scenes(R5xxScenes& all) {
  for (auto make : {colours_as_textures, fog, places, dma}) {
    all.push_back(make());
    all.back()->blocks = {"VAP", "GA", "GB", "RS", "SU", "FG", "ZB"};
  }
  all.back()->blocks = {"CP"};
}

}  // namespace Atoll::ledger
