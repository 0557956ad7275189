// R5xx: from vertices to what pixels start with: eight coordinates and four colours of triangles, lines and points, the vertex
// engine's formats, program and flow, user planes, ports.
#include "r5xx_scene.h"

namespace Atoll::ledger {

using namespace r5xx;
using test::bits;
using test::Point;
using Prim = VAP_VF_CNTL::PRIM_TYPE;

namespace {

// Places 0 to 5 of a picture of 64x32.
constexpr float places[6][2] = {{2, 3}, {60, 5}, {20, 30}, {58, 29}, {30, 4}, {6, 28}};

// `vectors` of four numbers behind the position, each other than all others.
std::vector<uint32_t> vertices(uint32_t type, unsigned count, unsigned vectors) {
  std::vector<uint32_t> words{type | 3u << 4 | count << 16};
  for (unsigned v = 0; v < count; v++) {
    for (float p : {places[v % 6][0], places[v % 6][1], 0.1f + 0.1f * float(v), 1.0f}) words.push_back(bits(p));
    for (unsigned n = 0; n < vectors * 4; n++) words.push_back(bits(float((n * 7 + v * 11) % 23) / 10 - 0.6f));
  }
  return words;
}

std::unique_ptr<Scene> attributes() {
  auto s = std::make_unique<R5xxScene>("eight coordinates and four colours");
  auto& w = s->w;
  s->float_target();
  // Position, colours 0 to 3 (places 2 to 5), coordinates 0 to 7 (6 to 13); all of four numbers.
  for (uint32_t n = 0; n < 7; n++) {
    auto element = [](uint32_t e) { return 3u | (e == 0 ? 0 : e + 1) << 8 | (e == 12 ? 1u << 13 : 0u); };
    w.set(VAP_PROG_STREAM_CNTL::address(n), element(2 * n) | (n < 6 ? element(2 * n + 1) << 16 : 0u));
    w.set(VAP_PROG_STREAM_CNTL_EXT::address(n), 0xf688f688);
  }
  w.set(VAP_VTX_SIZE::address(), 52).set(VAP_OUT_VTX_FMT_0::address(), {0x1f, 0x924924});
  w.set(GA_ROUND_MODE::address(),
        GA_ROUND_MODE::RGB_CLAMP::of(1) | GA_ROUND_MODE::ALPHA_CLAMP::of(1) | GA_ROUND_MODE::GEOMETRY_ROUND::of(1));
  w.set(GA_COLOR_CONTROL::address(), 0x3aaaa).set(GA_COLOR_CONTROL_PS3::address(), 0);
  std::vector<std::string> lines{"mad t12.rgb, t0, 1, 0 | mad t12.a, t0.w, 1, 0"};
  for (uint32_t n = 0; n < 8; n++) {
    auto pointer = [&](uint32_t c) { return std::min(4 * n + c, 29u); };
    w.set(RS_IP::address(n), RS_IP::TEX_PTR_S::of(pointer(0)) | RS_IP::TEX_PTR_T::of(pointer(1)) |
                                 RS_IP::TEX_PTR_R::of(pointer(2)) | RS_IP::TEX_PTR_Q::of(pointer(3)) | RS_IP::COL_PTR::of(n % 4));
    w.set(RS_INST::address(n), RS_INST::TEX_ID::of(n) | RS_INST::TEX_CN::of(1) | RS_INST::TEX_ADDR::of(n) |
                                   (n < 4 ? RS_INST::COL_ID::of(n) | RS_INST::COL_CN::of(1) | RS_INST::COL_ADDR::of(8 + n) : 0u));
  }
  for (int n = 1; n < 12; n++) {
    const std::string t = "t" + std::to_string(n);
    lines.push_back("mad t12.rgb, t12, 0.75, " + t + " | mad t12.a, t12.w, 0.75, " + t + ".w");
  }
  lines.push_back("mad o0.rgb, t12, 1, 0 | mad o0.a, t12.w, 1, 0 @last");
  s->code(lines);
  w.set(US_PIXSIZE::address(), 12);
  w.set(RS_COUNT::address(), {RS_COUNT::IT_COUNT::of(32) | RS_COUNT::IC_COUNT::of(4), 7});
  w.packet(packets::_3D_DRAW_IMMD_2::opcode, vertices(Prim::Triangle_List, 6, 12));
  w.set(GB_ENABLE::address(), GB_ENABLE::LINE_STUFF_ENABLE::of(1) | GB_ENABLE::TEX0_SOURCE::of(1));
  w.set(GA_LINE_S0::address(), {bits(0.2f), bits(0.9f)}).set(GA_LINE_CNTL::address(), 0x00030010);
  w.packet(packets::_3D_DRAW_IMMD_2::opcode, vertices(Prim::Line_List, 6, 12));
  w.set(GB_ENABLE::address(), GB_ENABLE::POINT_STUFF_ENABLE::of(1) | GB_ENABLE::TEX0_SOURCE::of(1));
  w.set(GA_POINT_S0::address(), {bits(0.1f), bits(0.9f), bits(0.8f), bits(0.2f)}).set(GA_POINT_SIZE::address(), 0x00300024);
  w.packet(packets::_3D_DRAW_IMMD_2::opcode, vertices(Prim::Point_List, 6, 12));
  s->finish();
  return s;
}

// Sizes of points from their vertices.
std::unique_ptr<Scene> point_sizes() {
  auto s = std::make_unique<R5xxScene>("points of their vertices' sizes");
  auto& w = s->w;
  w.set(VAP_PROG_STREAM_CNTL::address(0), {3u | (3u | 1 << 8) << 16, 3u | 6 << 8 | 1 << 13});
  w.set(VAP_PROG_STREAM_CNTL_EXT::address(0), {0xf688f688, 0xf688});
  w.set(VAP_VTX_SIZE::address(), 12).set(VAP_OUT_VTX_FMT_0::address(), {1 | 1 << 16, 4});
  w.set(GA_POINT_MINMAX::address(), GA_POINT_MINMAX::MIN_SIZE::of(12) | GA_POINT_MINMAX::MAX_SIZE::of(40));
  std::vector<uint32_t> words{Prim::Point_List | 3u << 4 | 6 << 16};
  const float sizes[6] = {1, 3, 5, 7, 12, 20};
  for (unsigned v = 0; v < 6; v++)
    for (float f : {places[v][0], places[v][1], 0.5f, 1.0f, sizes[v], 0.0f, 0.0f, 0.0f, 0.1f * float(v), 0.9f, 0.3f, 1.0f})
      words.push_back(bits(f));
  w.packet(packets::_3D_DRAW_IMMD_2::opcode, words);
  s->finish();
  return s;
}

// Sixteen elements of signed numbers, a program with loops and calls over its constants, depth, six planes.
std::unique_ptr<Scene> engine() {
  auto s = std::make_unique<R5xxScene>("the vertex engine: signed elements, flow, planes");
  auto& w = s->w;
  s->float_target();
  s->vertex_engine();
  s->s.depth_buffer(2);
  w.set(ZB_CNTL::address(), 6).set(ZB_ZSTENCILCNTL::address(), 7);
  w.set(VAP_VPORT_ZSCALE::address(), {bits(0.4f), bits(0.45f)});
  using P = VAP_PROG_STREAM_CNTL;
  for (uint32_t n = 0; n < 8; n++) {
    auto element = [](uint32_t e) { return (e ? 4u : 7u) | e << 8 | (e == 15 ? 1u << 13 : 0u) | 1 << 14 | 1 << 15; };
    w.set(P::address(n), element(2 * n) | element(2 * n + 1) << 16).set(VAP_PROG_STREAM_CNTL_EXT::address(n), 0xf688f688);
  }
  w.set(VAP_PSC_SGN_NORM_CNTL::address(), 0);
  // Two dwords of four shorts, then fifteen of four bytes.
  constexpr unsigned dwords = 17, count = 6;
  Buffer data = s->allocate(4096);
  for (unsigned v = 0; v < count; v++) {
    auto* d = reinterpret_cast<uint32_t*>(data.host_pointer) + v * dwords;
    const int16_t position[6][4] = {{-32768, -30000, 3000, 32767}, {31000, -28000, 9000, 32767}, {-8000, 30000, 15000, 32767},
                                    {30000, 29000, -9000, 32767},  {2000, -27000, 20000, 32767}, {-30000, 26000, 5000, 32767}};
    std::memcpy(d, position[v], 8);
    for (unsigned n = 0; n < 15; n++) d[2 + n] = (v * 15 + n + 1) * 0x9e3779b1u | 0x80;
  }
  w.set(VAP_VF_MAX_VTX_INDX::address(), {count - 1, 0});
  w.packet(packets::_3D_LOAD_VBPNTR::opcode, {1, dwords | dwords << 8, uint32_t(data.gpu_address)});
  std::vector<float> constants;
  for (int n = 0; n < 16; n++) constants.push_back(float(n % 7) / 8 - 0.3f);
  s->vertex_constants(constants);
  w.set(VAP_PVS_CONST_CNTL::address(), VAP_PVS_CONST_CNTL::PVS_MAX_CONST_ADDR::of(3));
  std::vector<std::string> lines{"mov o0.xyzw, i0.xyzw", "mov t0.xyzw, c0.xyzw"};
  for (int n = 1; n < 16; n++) lines.push_back("mad t0.xyzw, t0.xyzw, c1.1111, i" + std::to_string(n) + ".xyzw");
  const auto loop = uint32_t(lines.size());
  lines.push_back("add t0.xyzw, t0.xyzw, c[al+0].xyzw");  // the outer loop's
  lines.push_back("add t0.xyzw, t0.xyzw, c[al+1].xyzw");  // the inner one's
  lines.push_back("mul t0.xyzw, t0.xyzw, c3.xyzw");
  lines.push_back("mad t0.xyzw, t0.xyzw, c2.xyzw, i0.xyzw");  // jumped over
  lines.push_back("mov o1.xyzw, t0.xyzw");
  const auto last = uint32_t(lines.size() - 1);
  lines.push_back("add t0.xyzw, t0.xyzw, c2.xyzw");  // a subroutine
  s->vertex_code(lines);
  w.set(VAP_PVS_CODE_CNTL_0::address(), VAP_PVS_CODE_CNTL_0::PVS_LAST_INST::of(last));
  using L = VAP_PVS_FLOW_CNTL_LOOP_INDEX;
  auto flow = [&](uint32_t n, uint32_t after, uint32_t count_or_target, uint32_t end, uint32_t resume, uint32_t index) {
    w.set(VAP_PVS_FLOW_CNTL_ADDRS_LW::address(n), after | count_or_target << 16);
    w.set(VAP_PVS_FLOW_CNTL_ADDRS_UW::address(n), end | resume << 16);
    w.set(L::address(n), index);
  };
  using O = VAP_PVS_FLOW_CNTL_OPC;
  w.set(O::address(), O::PVS_FC_OPC_0::of(2) | O::PVS_FC_OPC_1::of(2) | O::PVS_FC_OPC_2::of(3) | O::PVS_FC_OPC_3::of(1));
  flow(0, loop - 1, 2, loop + 1, loop, L::PVS_FC_LOOP_INIT_VAL_0::of(1) | L::PVS_FC_LOOP_STEP_VAL_0::of(1));
  flow(1, loop, 2, loop + 1, loop + 1, L::PVS_FC_LOOP_REPEAT_NO_FLI_0::of(1) | L::PVS_FC_LOOP_STEP_VAL_0::of(1));
  flow(2, 1, last + 1, last + 1, 2, 0);
  flow(3, loop + 2, loop + 4, 0, 0, 0);
  w.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Triangle_List | 2u << 4 | count << 16});
  // Six planes that cut triangles and points.
  w.set(VAP_CLIP_CNTL::address(), 3u << 14).set(VAP_PVS_VECTOR_INDX_REG::address(), 0x600);
  std::vector<uint32_t> planes;
  for (int n = 0; n < 6; n++)
    for (float f : {n % 2 ? 1.0f : -0.8f, n % 3 ? -0.5f : 0.7f, 0.2f, 0.45f - 0.05f * float(n)}) planes.push_back(bits(f));
  w.burst(VAP_PVS_VECTOR_DATA_REG_128::address(), planes);
  w.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Triangle_Strip | 2u << 4 | count << 16});
  w.set(VAP_CLIP_CNTL::address(), 3u << 14 | 1).set(GA_POINT_SIZE::address(), 0x00600060);
  w.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Point_List | 2u << 4 | count << 16});
  // Outlines of triangles that one of them cuts.
  w.set(GA_POLY_MODE::address(), 1 | GA_POLY_MODE::FRONT_PTYPE::of(1) | GA_POLY_MODE::BACK_PTYPE::of(1));
  w.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Triangle_Strip | 2u << 4 | count << 16});
  s->finish();
  return s;
}

// Draws whose vertices and indices come by registers.
std::unique_ptr<Scene> ports() {
  auto s = std::make_unique<R5xxScene>("the vertex port by registers");
  auto& w = s->w;
  const auto words = vertices(Prim::Triangle_List, 3, 1);
  w.set(VAP_VF_CNTL::address(), words[0]);
  for (size_t n = 1; n < words.size(); n++) w.set(VAP_PORT_DATA::address(0), words[n]);
  w.set(VAP_VF_CNTL::address(), words[0]);
  const auto others = vertices(Prim::Triangle_List, 6, 1);
  w.burst(VAP_PORT_DATA_IDX_128::address(), std::span(others).subspan(1 + 24, 24));
  Buffer data = s->allocate(4096);
  std::memcpy(data.host_pointer, others.data() + 1, (others.size() - 1) * 4);
  w.packet(packets::_3D_LOAD_VBPNTR::opcode, {1, 8 | 8 << 8, uint32_t(data.gpu_address)});
  w.set(VAP_VF_MAX_VTX_INDX::address(), {5, 0});
  w.set(VAP_VF_CNTL::address(), Prim::Line_Strip | 1u << 4 | 4 << 16);
  for (uint32_t pair : {0u | 3u << 16, 5u | 1u << 16}) w.set(VAP_PORT_IDX::address(0), pair);
  // Two indices a vertex: position from one array, coordinates from the other; bytes in order 0.
  w.packet(packets::_3D_LOAD_VBPNTR::opcode,
           {2, 4 | 8 << 8 | 4 << 16 | 8 << 24, uint32_t(data.gpu_address), uint32_t(data.gpu_address) + 16});
  w.set(VAP_VF_MAX_VTX_INDX::address(), {0xffffff, 0});
  w.set(VAP_VF_CNTL::address(), Prim::Triangle_List | 1u << 4 | 1 << 11 | 1 << 13 | 3 << 16);
  for (uint32_t index : {0u << 16 | 2u, 3u << 16 | 1u, 5u << 16 | 4u}) w.set(VAP_PORT_IDX::address(0), index);
  s->finish();
  return s;
}

}  // namespace

void add_vertex_scenes(R5xxScenes& all) {
  for (auto make : {attributes, point_sizes, engine, ports}) {
    all.push_back(make());
    all.back()->blocks = {"VAP", "GA", "GB", "RS", "SU"};
  }
}

}  // namespace Atoll::ledger
