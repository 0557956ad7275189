// Scenes whose registers Sea Islands and GFX12 have under the same names: templates over these (R: a family's DrawRegisters, and
// SPI_PS_INPUT_CNTL) and over its scenes of draws.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "scene_vertices.h"

namespace Atoll::ledger {

template <class DrawScene>
std::unique_ptr<DrawScene> triangle_scene(const std::string& name) {
  auto s = std::make_unique<DrawScene>(name);
  const uint64_t vertex = s->table_program(), pixel = s->plain_pixel();
  s->vertices(triangles());
  s->begin(vertex, pixel);
  return s;
}

template <class R, class DrawScene>
std::unique_ptr<Scene> positions_beyond_numbers() {
  using Clip = typename R::PA_CL_CLIP_CNTL;
  using Depth = typename R::DB_DEPTH_CONTROL;
  using Out = typename R::PA_CL_VS_OUT_CNTL;
  using Type = typename R::VGT_PRIMITIVE_TYPE::PRIM_TYPE;
  constexpr uint32_t always = 7;
  auto s = std::make_unique<DrawScene>("positions that are infinite or no numbers");
  const uint64_t vertex = s->table_program(), pixel = s->plain_pixel();
  const std::vector<Vertex> v = triangles_beyond_numbers();
  const uint32_t all = uint32_t(v.size());
  s->vertices(v);
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  s->bind_depth(3, false);
  w.set(Depth::address(), Depth::Z_ENABLE::of(1) | Depth::Z_WRITE_ENABLE::of(1) | Depth::ZFUNC::of(always));
  w.set(Clip::address(), Clip::CLIP_DISABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, all);
  // As window coordinates: the reciprocal of w is worked out nevertheless.
  w.set(R::PA_CL_VTE_CNTL::address(), 0x73f);
  s->draw(Type::DI_PT_TRILIST, all);
  w.set(R::PA_CL_VTE_CNTL::address(), 0x43f).set(Clip::address(), 0);
  w.set(Out::address(), Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::VS_OUT_CCDIST0_VEC_ENA::of(1) |
                            Out::VS_OUT_CCDIST1_VEC_ENA::of(1) | Out::CLIP_DIST_ENA_0::of(1));
  s->draw_indexed(Type::DI_PT_TRILIST, {4, 5, 7});
  s->counters();
  s->finish();
  return s;
}

// Points at the planes that registers have, one of them in a viewport of its own; then lines between two viewports.
template <class R, class DrawScene>
std::unique_ptr<Scene> points_at_planes() {
  using Clip = typename R::PA_CL_CLIP_CNTL;
  using Interp = typename R::SPI_INTERP_CONTROL_0;
  using Out = typename R::PA_CL_VS_OUT_CNTL;
  using Type = typename R::VGT_PRIMITIVE_TYPE::PRIM_TYPE;
  auto s = triangle_scene<DrawScene>("points at user planes");
  Packets& w = s->stream;
  std::vector<Vertex> places;
  for (unsigned n = 0; n < 12; n++) {
    places.push_back(at(float(n) / 6 - 0.9f, float(n % 3) / 3 - 0.4f, 0.2f, 1.25f));
    places.back().misc[3].word = n & 1;
  }
  s->vertices(places);
  w.set(Interp::address(), Interp::PNT_SPRITE_ENA::of(1) | Interp::PNT_SPRITE_OVRD_X::of(2) | Interp::PNT_SPRITE_OVRD_Y::of(3));
  w.set(R::SPI_PS_INPUT_CNTL::address(0), R::SPI_PS_INPUT_CNTL::PT_SPRITE_TEX::of(1));
  w.set(R::PA_SU_POINT_SIZE::address(), 0x00180020).set(R::PA_SU_POINT_MINMAX::address(), 0xffff0000);
  w.set(R::PA_CL_UCP_X::address(0), {number(1), number(0.5f), 0, number(0.1f)});
  w.set(R::PA_CL_POINT_X_RAD::address(), {number(0.1f), number(0.2f), number(1.5f), number(0.2f)});
  for (uint32_t mode = 1; mode < 4; mode++) {
    w.set(Clip::address(), Clip::UCP_ENA_0::of(1) | Clip::PS_UCP_MODE::of(mode));
    s->draw(Type::DI_PT_POINTLIST, 12);
  }
  w.set(Clip::address(), 0).set(R::PA_SC_LINE_CNTL::address(), 0);
  w.set(Out::address(), Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::USE_VTX_VIEWPORT_INDX::of(1));
  s->draw(Type::DI_PT_LINELIST, 12);
  s->counters();
  s->finish();
  return s;
}

}  // namespace Atoll::ledger
