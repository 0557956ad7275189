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

}  // namespace

void add_depth_scenes(R5xxScenes& all) {
  all.push_back(depth_places());
  all.back()->blocks = {"ZB", "RS"};
  all.push_back(depth_words());
  all.back()->blocks = {"ZB"};
}

}  // namespace Atoll::ledger
