// R5xx: vertices that are written to state registers, with all their vectors.
#include "r5xx_scene.h"

namespace Atoll::ledger {

using namespace r5xx;
using test::bits;

namespace {

// Three vertices by the three forms of positions; a program adds up the 22 other vectors, seven pairs and eight single ones.
std::unique_ptr<Scene> immediate() {
  auto s = std::make_unique<R5xxScene>("immediate mode");
  auto& w = s->w;
  s->float_target();
  s->vertex_engine();
  constexpr unsigned vectors = 23, pairs = 7, elements = 16;
  for (uint32_t n = 0, vector = 0; n < elements; n++) {
    // (in order of the state, so that the pairs stand first)
    static uint32_t word;
    const bool pair = n < pairs;
    const uint32_t element = (pair ? 10u : 3u) | vector << 8 | (n + 1 == elements ? 1u << 13 : 0u);
    word = n % 2 ? word | element << 16 : element;
    if (n % 2) w.set(VAP_PROG_STREAM_CNTL::address(n / 2), word).set(VAP_PROG_STREAM_CNTL_EXT::address(n / 2), 0xf688f688);
    vector += pair ? 2 : 1;
  }
  std::vector<std::string> lines{"mov o0.xyzw, i0.xyzw", "mov t0.xyzw, i1.xyzw"};
  for (unsigned n = 2; n < vectors; n++) lines.push_back("add t0.xyzw, t0.xyzw, i" + std::to_string(n) + ".xyzw");
  lines.push_back("mov o1.xyzw, t0.xyzw");
  s->vertex_code(lines);
  w.set(VAP_VSM_VTX_ASSM::address(), (1u << vectors) - 1);
  using State = VAP_VTX_STATE_CNTL;
  auto number = [](unsigned n) { return bits(float(n % 17) / 16 - 0.4f); };
  auto vector = [&](uint32_t address, unsigned n) { w.set(address, {number(n), number(n + 3), number(n + 5), number(n + 6)}); };
  w.set(VAP_VF_CNTL::address(), VAP_VF_CNTL::PRIM_TYPE::Triangle_List | 3u << 16);
  w.set(State::address(), State::UPDATE_USER_COLOR_0_ENA::of(1));
  vector(VAP_VTX_ST_USR_CLR_R::address(), 2);
  w.set(State::address(), State::UPDATE_USER_COLOR_1_ENA::of(1));
  w.set(VAP_VTX_ST_USR_CLR_PKD::address(), 0x80402010);
  w.set(State::address(), State::COLOR_1_ASSEMBLY_CNTL::of(1) | State::COLOR_2_ASSEMBLY_CNTL::of(2));
  for (uint32_t n = 0; n < 8; n++) {
    w.set(VAP_VTX_ST_CLR_PKD::address(n), 0x9e3779b9u * (n + 1));
    vector(VAP_VTX_ST_TEX_S::address(n), n);
  }
  for (uint32_t first : {VAP_VTX_ST_NORM_0_X::address(), VAP_VTX_ST_PNT_SPRT_SZ::address(), VAP_VTX_ST_BLND_WT::address(0),
                         VAP_VTX_ST_POS_1_X::address()})
    vector(first, first / 16);
  w.set(VAP_VTX_ST_NORM_1_X::address(), {number(1), number(2), number(3), 1});
  // UPDATE_USER_COLOR_0_ENA is changed once more at a place where it would act.
  w.set(VAP_VTX_ST_POS_0_X_4::address(), {bits(-1.8f), bits(-1.6f), bits(0.4f), bits(2)});
  vector(VAP_VTX_ST_USR_CLR_R::address(), 7);
  for (uint32_t n = 0; n < 8; n++) vector(VAP_VTX_ST_CLR_R::address(n), n + 9);
  w.set(VAP_VTX_ST_POS_0_X_2::address(), {bits(0.9f), bits(-0.6f)});
  w.set(VAP_VTX_ST_POS_0_X_3::address(), {bits(0.1f), bits(0.9f), bits(0.3f)});
  s->finish();
  return s;
}

}  // namespace

void add_immediate_scenes(R5xxScenes& all) { all.push_back(immediate()); }

}  // namespace Atoll::ledger
