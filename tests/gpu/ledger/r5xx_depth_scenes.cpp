// R5xx: the places of depth.
#include "r5xx_scene.h"

namespace Atoll::ledger {

using namespace r5xx;
using Prim = VAP_VF_CNTL::PRIM_TYPE;

namespace {

std::unique_ptr<Scene> depth_places() {
  auto s = std::make_unique<R5xxScene>("depth by the rasteriser, elsewhere");
  auto& w = s->w;
  s->s.depth_buffer(2);
  w.set(ZB_DEPTHPITCH::address(), 128);
  w.set(ZB_CNTL::address(), 6).set(ZB_ZSTENCILCNTL::address(), 7).set(FG_DEPTH_SRC::address(), 1).set(ZB_ZTOP::address(), 0);
  w.set(US_W_FMT::address(), US_W_FMT::W_FMT::of(1) | US_W_FMT::W_SRC::of(1));
  w.set(RS_COUNT::address(), RS_COUNT::IT_COUNT::of(4) | RS_COUNT::W_ADDR::of(1));
  w.set(RS_INST::address(0), 0x10 | RS_INST::W_CN::of(1));
  s->s.draw(Prim::Triangle_List, corners());
  s->finish();
  return s;
}

// Words that are compared as signed numbers; floats of 16 bits.
std::unique_ptr<Scene> depth_words() {
  auto s = std::make_unique<R5xxScene>("depth as signed numbers, and as floats");
  auto& w = s->w;
  using C = ZB_CNTL;
  s->s.depth_buffer(2);
  w.set(C::address(), C::Z_ENABLE::of(1) | C::ZWRITEENABLE::of(1) | C::ZSIGNED_COMPARE::of(1));
  w.set(ZB_ZSTENCILCNTL::address(), ZB_ZSTENCILCNTL::ZFUNC::of(1));
  s->s.draw(Prim::Triangle_List, corners());
  s->s.depth_buffer(1);
  w.set(C::address(), C::Z_ENABLE::of(1) | C::ZWRITEENABLE::of(1)).set(ZB_ZSTENCILCNTL::address(), 7);
  s->s.draw(Prim::Triangle_List, corners());
  s->finish();
  return s;
}

// Tiles that the masks say are cleared, in a part of the picture: of depth and stencil, of a word a pixel and of four halves.
std::unique_ptr<Scene> cleared_tiles() {
  auto s = std::make_unique<R5xxScene>("cleared tiles");
  auto& w = s->w;
  s->s.depth_buffer(2);
  w.packet(packets::_3D_CLEAR_ZMASK::opcode, {0, 1, 0}).set(ZB_ZMASK_OFFSET::address(), {0, r5xx::test::Scene::width});
  w.set(ZB_BW_CNTL::address(), ZB_BW_CNTL::FAST_FILL::of(1)).set(ZB_DEPTHCLEARVALUE::address(), 0xc0000035);
  w.set(ZB_CNTL::address(), {ZB_CNTL::Z_ENABLE::of(1), 7});
  s->s.draw(Prim::Triangle_List, corners());
  w.set(ZB_CNTL::address(), 0).set(RB3D_CCTL::address(), 0x4000 | RB3D_CCTL::CMASK_ENABLE::of(1));
  w.packet(packets::_3D_CLEAR_CMASK::opcode, {0, 1, 0}).set(RB3D_CMASK_PITCH::address(0), r5xx::test::Scene::width);
  w.set(RB3D_COLOR_CLEAR_VALUE::address(), 0x12345678);
  s->s.draw(Prim::Triangle_List, corners());
  using Out = US_OUT_FMT::OUT_FMT;
  s->s.colour_format(RB3D_COLORPITCH::COLORFORMAT::ARGB16161616, Out::of(Out::C4_16_FP));
  w.packet(packets::_3D_CLEAR_CMASK::opcode, {0, 1, 0}).set(RB3D_COLOR_CLEAR_VALUE_AR::address(), {0x3c003555, 0x38003955});
  s->s.draw(Prim::Triangle_List, corners());
  s->finish();
  return s;
}

}  // namespace

void add_depth_scenes(R5xxScenes& all) {
  all.push_back(depth_places());
  all.back()->blocks = {"ZB", "RS"};
  all.push_back(depth_words());
  all.back()->blocks = {"ZB"};
  all.push_back(cleared_tiles());
  all.back()->blocks = {"ZB", "CB", "GB"};
}

}  // namespace Atoll::ledger
