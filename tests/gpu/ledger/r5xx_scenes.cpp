#include "r5xx_scene.h"

namespace Atoll::ledger {

using namespace r5xx;
using test::bits;
using test::Point;
using Prim = VAP_VF_CNTL::PRIM_TYPE;

std::vector<Point> corners() {
  return {{2, 3, 0.1f, 1, {0.1f, 0.9f, 0.3f, 1}, {0.9f, 0.1f, 0.5f, 0.5f}},
          {60, 5, 0.8f, 1, {0.7f, 0.2f, 0.8f, 0.4f}, {0.3f, 0.6f, 0.1f, 0.7f}},
          {20, 30, 0.4f, 1, {0.4f, 0.5f, 0.1f, 0.6f}, {0.2f, 0.8f, 0.9f, 0.2f}},
          {58, 29, 0.2f, 1, {0.9f, 0.3f, 0.6f, 0.8f}, {0.5f, 0.4f, 0.7f, 0.9f}},
          {30, 4, 0.6f, 1, {0.2f, 0.7f, 0.4f, 0.3f}, {0.8f, 0.2f, 0.3f, 0.4f}},
          {6, 28, 0.5f, 1, {0.6f, 0.1f, 0.9f, 0.9f}, {0.1f, 0.9f, 0.2f, 0.6f}}};
}

namespace {

void blend(test::Stream& w) {
  using B = RB3D_BLENDCNTL;
  w.set(B::address(), {B::ALPHA_BLEND_ENABLE::of(1) | B::SEPARATE_ALPHA_ENABLE::of(1) | B::READ_ENABLE::of(1) |
                           B::SRCBLEND::of(38) | B::DESTBLEND::of(43),
                       RB3D_ABLENDCNTL::SRCBLEND::of(33) | RB3D_ABLENDCNTL::DESTBLEND::of(45)});
  w.set(RB3D_CONSTANT_COLOR::address(), 0x80406030).set(RB3D_CONSTANT_COLOR_AR::address(), {0x02000180, 0x01000300});
}

std::unique_ptr<Scene> triangles() {
  auto s = std::make_unique<R5xxScene>("triangles, blended, with depth and stencil");
  auto& w = s->w;
  s->s.coloured(true).depth_buffer(2);
  s->code({"mad o0.rgb, t0, t1.w, t1 | max o0.a, t0.w, t1.w @last"});
  blend(w);
  using C = ZB_CNTL;
  w.set(C::address(), C::STENCIL_ENABLE::of(1) | C::Z_ENABLE::of(1) | C::ZWRITEENABLE::of(1) | C::STENCIL_FRONT_BACK::of(1) |
                          C::STENCIL_REFMASK_FRONT_BACK::of(1));
  w.set(ZB_ZSTENCILCNTL::address(), 1 | 4 << 3 | 3 << 6 | 4 << 9 | 5 << 12 | 6 << 15 | 2 << 18 | 6 << 21 | 3 << 24);
  w.set(ZB_STENCILREFMASK::address(), 0x00ffff40).set(ZB_STENCILREFMASK_BF::address(), 0x00ffff90);
  w.set(SU_POLY_OFFSET_FRONT_SCALE::address(), {bits(24), bits(1000), bits(12), bits(500)})
      .set(SU_POLY_OFFSET_ENABLE::address(), 3);
  w.set(FG_ALPHA_FUNC::address(), 0x30 | 4 << 8 | 1 << 11 | 1 << 12).set(FG_ALPHA_VALUE::address(), 0x3000);
  w.set(SC_EDGERULE::address(), 0x2da49525);
  w.set(SU_REG_DEST::address(), 15).set(ZB_ZPASS_DATA::address(), 0);
  s->s.draw(Prim::Triangle_List, corners());
  w.set(GA_POLY_MODE::address(),
        GA_POLY_MODE::POLY_MODE::of(1) | GA_POLY_MODE::FRONT_PTYPE::of(1) | GA_POLY_MODE::BACK_PTYPE::of(0));
  w.set(SU_POLY_OFFSET_ENABLE::address(), 4).set(FG_ALPHA_FUNC::address(), 0x30 | 4 << 8 | 1 << 11 | 1 << 28);
  w.set(GA_POINT_SIZE::address(), 0x00180012).set(GA_LINE_CNTL::address(), 0x00020010);
  s->s.draw(Prim::Triangle_List, corners());
  w.set(GA_POLY_MODE::address(), 0).set(ZB_CNTL::address(), 0).set(FG_ALPHA_FUNC::address(), 0);
  w.set(RB3D_BLENDCNTL::address(), {0, 0})
      .set(RB3D_ROPCNTL::address(), RB3D_ROPCNTL::ROP_ENABLE::of(1) | RB3D_ROPCNTL::ROP::of(6));
  w.set(GA_COLOR_CONTROL::address(), 0x5555 | 1 << 16);
  s->s.draw(Prim::Triangle_Strip, corners());
  Buffer out = s->allocate(4096);
  w.set(ZB_ZPASS_ADDR::address(), uint32_t(out.gpu_address));
  s->finish();
  return s;
}

std::unique_ptr<Scene> points_and_lines() {
  auto s = std::make_unique<R5xxScene>("points, lines, sprites");
  auto& w = s->w;
  w.set(GA_POINT_SIZE::address(), 0x00300024)
      .set(GA_POINT_MINMAX::address(), 0x00600010)
      .set(GA_LINE_CNTL::address(), 0x00020012);
  w.set(GB_ENABLE::address(), GB_ENABLE::POINT_STUFF_ENABLE::of(1) | GB_ENABLE::TEX0_SOURCE::of(1))
      .set(RS_IP::address(0), 0x00ffe040);
  w.set(GA_POINT_S0::address(), {bits(0.1f), bits(0.9f), bits(0.8f), bits(0.2f)});
  s->s.draw(Prim::Point_List, corners());
  w.set(GB_ENABLE::address(), 0).set(RS_IP::address(0), 0x000c2040);
  s->s.draw(Prim::Line_List, corners());
  w.set(GA_LINE_CNTL::address(), 0x00030006);
  s->s.draw(Prim::Line_Strip, corners());
  w.set(GA_OFFSET::address(), 0x00040008);
  s->s.draw(Prim::Point_List, corners());
  // Sizes from the vertices.
  w.set(GA_OFFSET::address(), 0).set(VAP_OUT_VTX_FMT_0::address(), {1 | 1 << 16, 4});
  s->finish();
  return s;
}

// Lines whose coordinates count along them, on from packet to packet.
std::unique_ptr<Scene> measured_lines() {
  auto s = std::make_unique<R5xxScene>("coordinates along lines");
  auto& w = s->w;
  s->float_target();
  w.set(VAP_OUT_VTX_FMT_1::address(), 0)
      .set(GB_ENABLE::address(), GB_ENABLE::LINE_STUFF_ENABLE::of(1) | GB_ENABLE::TEX0_SOURCE::of(1));
  w.set(RS_IP::address(0), 0u | 1 << 6 | 62 << 12 | 63 << 18).set(GA_LINE_S0::address(), {bits(0), bits(1)});
  w.set(GA_LINE_STIPPLE_CONFIG::address(), bits(0.125f)).set(GA_LINE_STIPPLE_VALUE::address(), 100);
  s->s.draw(Prim::Line_Strip, corners());
  s->s.draw(Prim::Line_List, corners());
  s->finish();
  return s;
}

std::unique_ptr<Scene> samples() {
  auto s = std::make_unique<R5xxScene>("six samples and a resolve");
  auto& w = s->w;
  Buffer resolved = s->allocate(64 * 32 * 4);
  w.set(GB_AA_CONFIG::address(), 1 | GB_AA_CONFIG::NUM_AA_SUBSAMPLES::of(3)).set(GB_MSPOS0::address(), {0x111b3713, 0x01955970});
  w.set(GB_MSPOS0::address(), {0x115b3713, 0x01995571});
  w.set(SC_SCREENDOOR::address(), 0xfbefbe);
  s->s.depth_buffer(2);
  w.set(ZB_CNTL::address(), 6).set(ZB_ZSTENCILCNTL::address(), 7);
  s->s.draw(Prim::Triangle_List, corners());
  w.set(FG_ALPHA_FUNC::address(), 1 << 16 | 1 << 17);
  w.set(RS_INST::address(0), 0x10 | 1 << 25);
  s->s.draw(Prim::Triangle_List, corners());
  w.set(FG_ALPHA_FUNC::address(), 0);
  w.set(RB3D_AARESOLVE_OFFSET::address(), {uint32_t(resolved.gpu_address), 64, 1 | 4});
  s->s.whole({0.5f, 0.25f, 0, 1});
  s->finish();
  return s;
}

std::unique_ptr<Scene> targets() {
  auto s = std::make_unique<R5xxScene>("four targets, formats, scissors, clears");
  auto& w = s->w;
  s->s.coloured();
  for (unsigned n = 0; n < 4; n++)
    s->s.colour_format(n == 2 ? RB3D_COLORPITCH::COLORFORMAT::RGB565 : RB3D_COLORPITCH::COLORFORMAT::ARGB8888, 0x3900, n);
  s->code({"mad o0.rgb, t0, 1, 0 | mad o0.a, t0.w, 1, 0", "mad o1.rgb, t1, 1, 0 | mad o1.a, t1.w, 1, 0",
           "mad o2.rgb, t0, t1, 0 | mad o2.a, t0.w, 1, 0", "mad o3.rgb, t0, 0.5, 0 | mad o3.a, t1.w, 1, 0 @last"});
  w.set(RB3D_CCTL::address(), 0x4000 | RB3D_CCTL::INDEPENDENT_COLOR_CHANNEL_MASK_ENABLE::of(1));
  w.set(RB3D_COLOR_CHANNEL_MASK::address(), 0x7fbd);
  s->s.draw(Prim::Triangle_List, corners());
  w.set(RB3D_CCTL::address(), 0x4000 | RB3D_CCTL::NUM_MULTIWRITES::of(1)).set(RB3D_COLOR_CHANNEL_MASK::address(), 0xf);
  w.set(SC_SCISSOR0::address(), {4 | 2 << 13, 50 | 28 << 13});
  for (uint32_t n = 0; n < 4; n++)
    w.set(SC_CLIP_0_A::address() + n * 8, {(5 + 6 * n) | (3 + n) << 13, (40 + 4 * n) | (20 + 2 * n) << 13});
  w.set(SC_CLIP_RULE::address(), 0x5a3c).set(GA_ROUND_MODE::address(), 0x31);
  s->s.draw(Prim::Quad_List, {corners()[0], corners()[1], corners()[3], corners()[5]});
  w.set(SC_SCISSOR0::address(), {0, 63 | 31 << 13}).set(SC_CLIP_RULE::address(), 0xffff);
  w.set(SU_CULL_MODE::address(), 1).set(RB3D_DITHER_CTL::address(), 0);
  s->s.draw(Prim::Triangle_List, corners());
  // Depth from the program, cleared by the Z unit.
  w.set(SU_CULL_MODE::address(), 0);
  s->s.depth_buffer(2);
  w.set(ZB_CNTL::address(), 6).set(ZB_ZSTENCILCNTL::address(), 1).set(FG_DEPTH_SRC::address(), 1).set(US_W_FMT::address(), 0);
  w.set(ZB_ZTOP::address(), 0);
  s->code({"mad o0.rgb, t0, 1, 0 | mad o0.a+depth, t0.w, 0.5, 0 @last"});
  s->s.draw(Prim::Triangle_List, corners());
  s->finish();
  return s;
}

std::unique_ptr<Scene> vertex_engine() {
  auto s = std::make_unique<R5xxScene>("the vertex engine: arrays, indices, clipping");
  auto& w = s->w;
  s->vertex_engine();
  Buffer data = s->allocate(4096), indices = s->allocate(4096);
  auto* f = reinterpret_cast<float*>(data.host_pointer);
  const float places[8][4] = {{-0.9f, -0.9f, 0, 1}, {0.9f, -0.8f, 0.5f, 1}, {-0.2f, 1.8f, 0.2f, 2}, {0.8f, 0.9f, -2, 1},
                              {-3, 0.3f, 0.1f, 1},  {0.2f, -0.4f, 0.9f, 1}, {0.5f, 3, 0.3f, 1.5f},  {-0.7f, 0.6f, 0.4f, 1}};
  for (unsigned n = 0; n < 8; n++)
    for (unsigned c = 0; c < 4; c++) f[n * 8 + c] = places[n][c], f[n * 8 + 4 + c] = 0.1f * float(n + c + 1);
  for (unsigned n = 0; n < 32; n++) reinterpret_cast<uint16_t*>(indices.host_pointer)[n] = uint16_t(n * 5 % 8);
  const auto at = uint32_t(data.gpu_address);
  w.set(VAP_VF_MAX_VTX_INDX::address(), {7, 0});
  w.packet(packets::_3D_LOAD_VBPNTR::opcode, {2, 4 | 8 << 8 | 4 << 16 | 8 << 24, at, at + 16});
  w.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Triangle_List | 2u << 4 | 6 << 16});
  w.set(VAP_CLIP_CNTL::address(), 0x8000 | 3).set(VAP_PVS_VECTOR_INDX_REG::address(), 0x600);
  w.burst(VAP_PVS_VECTOR_DATA_REG_128::address(), {bits(1), 0, 0, bits(0.5f), 0, bits(1), 0, bits(0.6f)});
  w.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Triangle_Strip | 2u << 4 | 8 << 16});
  w.set(VAP_CLIP_CNTL::address(), 0).set(VAP_INDEX_OFFSET::address(), 1);
  w.packet(packets::_3D_DRAW_INDX_2::opcode, {Prim::Triangle_List | 1u << 4 | 6 << 16});
  w.packet(packets::INDX_BUFFER::opcode, {(1u << 31) | (0x2040u >> 2), uint32_t(indices.gpu_address), 3});
  // Bytes as a colour, with sign and norm; a second vector swizzled.
  w.set(VAP_INDEX_OFFSET::address(), 0);
  w.set(VAP_PROG_STREAM_CNTL::address(0), 3u | (4u | 1 << 8 | 1 << 13 | 1 << 14 | 1 << 15) << 16);
  w.set(VAP_PSC_SGN_NORM_CNTL::address(), 0xaaaaaaaa).set(VAP_PROG_STREAM_CNTL_EXT::address(0), 0xfa53f688);
  w.packet(packets::_3D_LOAD_VBPNTR::opcode, {2, 4 | 8 << 8 | 1 << 16 | 8 << 24, at, at + 16});
  w.set(VAP_ALT_NUM_VERTICES::address(), 6);
  w.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Triangle_List | 2u << 4 | 1 << 14 | 3 << 16});
  w.set(VAP_CLIP_CNTL::address(), 1 << 16).set(VAP_VTE_CNTL::address(), 0x300);
  w.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Line_Strip | 2u << 4 | 8 << 16});
  s->finish();
  return s;
}

std::unique_ptr<Scene> textures() {
  auto s = std::make_unique<R5xxScene>("textures");
  auto& w = s->w;
  Buffer texels = s->allocate(1 << 16);
  for (unsigned n = 0; n < 1 << 14; n++) reinterpret_cast<uint32_t*>(texels.host_pointer)[n] = n * 2654435761u;
  w.set(TX_ENABLE::address(), 7);
  for (uint32_t n = 0; n < 3; n++) {
    w.set(TX_FORMAT0::address(n), 15 | 15 << 11 | (n == 1 ? 2 << 22 : 0) | (n == 1 ? 0 : 4u << 26));
    w.set(TX_FORMAT1::address(n), 12 | 3 << 9 | 0 << 12 | 1 << 15 | 2 << 18 | (n == 1 ? 1 << 25 : n == 2 ? 2 << 25 : 0));
    w.set(TX_FORMAT2::address(n), 0).set(TX_OFFSET::address(n), uint32_t(texels.gpu_address));
    w.set(TX_FILTER0::address(n), (n == 0 ? 6 | 1 << 3 : 0) | 2 << 9 | 2 << 11 | 2 << 13 | 2 << 15)
        .set(TX_FILTER1::address(n), 1 << 3);
    w.set(TX_BORDER_COLOR::address(n), 0x40c08020);
    w.set(US_FORMAT0::address(n), 15 | 15 << 11 | (n == 1 ? 2 << 22 : 0));
  }
  s->constants({2.5f, -0.7f, 3, 0.4f});
  s->code({"mad t0.rgb, t0, c0, -0.5 | mad t0.a, t0.w, 1, 0", "ld t1.rgba, tex0.xyzw, t0.xyzw @tex_sem_acquire @tex_sem_wait",
           "proj t2.rgba, tex1.xyzw, t0.xyzw @tex_sem_acquire @tex_sem_wait",
           "ld t3.rgba, tex2.xyzw, t0.xyzw @tex_sem_acquire @tex_sem_wait",
           "lodbias t4.rgba, tex0.xyzw, t0.xyzw @tex_sem_acquire @tex_sem_wait",
           "mad t1.rgb, t1, 0.5, t2 | mad t1.a, t1.w, 0.5, t2.w @tex_sem_wait",
           "mad t3.rgb, t3, 0.5, t4 | mad t3.a, t3.w, 0.5, t4.w @tex_sem_wait",
           "mad o0.rgb, t1, 0.5, t3 | mad o0.a, t1.w, 0.5, t3.w @last"});
  w.set(US_PIXSIZE::address(), 5);
  s->s.draw(Prim::Triangle_List, corners());
  w.set(GA_COLOR_CONTROL_PS3::address(), 0);
  s->s.whole({0.3f, 0.2f, 0.9f, 1});
  s->finish();
  return s;
}

// Arithmetic in all its forms, loops and branches.
std::unique_ptr<Scene> programs() {
  auto s = std::make_unique<R5xxScene>("programs of pixels");
  auto& w = s->w;
  s->s.coloured();
  s->constants({0.3f, 0.6f, -0.2f, 0.9f, 1.5f, -0.4f, 0.7f, 0.1f});
  w.set(US_PIXSIZE::address(), 8).set(US_FC_CTRL::address(), 1u << 31).set(US_FC_BOOL_CONST::address(), 5);
  for (uint32_t n = 0; n < 4; n++) w.set(US_FC_INT_CONST::address(n), 2 | 1 << 8 | 1 << 16);
  s->code({"mad.ge p.r, t0, 2, -1",
           "{t1, c0, 0, s1-s0 | t1, c1, 0, 1-s0} mad.x2.sat t2.rgb, sp.xyz, s0.yzx, s1 | mad.d2 t2.a, |s0.w|, -s1.w, sp.w",
           "(p.r) cmp t2.rg, t1, c0, -t0 | max t2.a, t0.w, t1.w", "dp3 t3.rgb, t0.xyz, c1.xyz | dp t3.a",
           "mad t4.rgb, t0, c[al+1].xyz, t1 | ex2 t4.a, t1.w", "sop t5.rgb | rcp t5.a, t0.w",
           "mad.sat o0.rgb, t2, t3, t4 | mad o0.a, t2.w, 0.5, t5.w @last"});
  s->s.draw(Prim::Triangle_List, corners());
  s->code({"mad t2.rgb, t0, 0.5, 0 | mad t2.a, t0.w, 1, 0", "loop 4",
           "mad t2.rgb, t2, 1, c[al+0].xyz | mad t2.a, t2.w, 0.5, 0.25", "endloop 2", "jump 6 @jump_func=255 @bool_addr=2",
           "mad t2.rgb, t2, 0.5, 0 | nop", "mad o0.rgb, t2, 1, 0 | mad o0.a, t2.w, 1, 0 @last"});
  w.set(US_CODE_OFFSET::address(), 0).set(US_CONFIG::address(), {2, 8});
  s->s.draw(Prim::Triangle_List, {corners()[3], corners()[4], corners()[5]});
  s->finish();
  return s;
}

// Scratch registers with copies in memory, indirect buffers, flushes.
std::unique_ptr<Scene> commands() {
  auto s = std::make_unique<R5xxScene>("the command processor");
  auto& w = s->w;
  Buffer copies = s->allocate(4096), inner = s->allocate(4096);
  test::Stream i;
  i.set(SCRATCH_REG::address(1), 11).set(SCRATCH_REG::address(2), 12);
  std::memcpy(inner.host_pointer, i.words.data(), i.words.size() * 4);
  w.set(SCRATCH_ADDR::address(), uint32_t(copies.gpu_address)).set(SCRATCH_UMSK::address(), 0x3f);
  w.set(CP_IB_BASE::address(), {uint32_t(inner.gpu_address), uint32_t(i.words.size())});
  w.set(CP_IB2_BASE::address(), {uint32_t(inner.gpu_address), 2});
  w.set(CP_RESYNC_ADDR::address(), {3, 0x77});
  s->s.whole({1, 0.5f, 0.25f, 1});
  w.set(RB3D_DSTCACHE_CTLSTAT::address(), 1 << 4 | 10);
  w.set(ZB_ZCACHE_CTLSTAT::address(), 3);
  s->finish();
  return s;
}

}  // namespace

std::vector<std::unique_ptr<Scene>> r5xx_scenes() {
  std::vector<std::unique_ptr<Scene>> all;
  for (auto make : {triangles, points_and_lines, samples, targets, vertex_engine, textures, programs, commands})
    all.push_back(make());
  all.push_back(measured_lines());
  all.back()->blocks = {"GA", "GB"};
  add_pixel_scenes(all);
  add_texture_scenes(all);
  add_vertex_scenes(all);
  add_immediate_scenes(all);
  add_input_scenes(all);
  add_depth_scenes(all);
  add_ring_scenes(all);
  for (auto& s : all)
    if (s->name == "textures") s->blocks = {"TX", "US", "FG", "GA", "SU", "RS"};
  return all;
}

}  // namespace Atoll::ledger
