// R5xx: pixel programs in all their forms, alpha tests, depth from the program, four targets of all channels. Into targets of
// floats, so that nothing that a program works out is clamped away.
#include "r5xx_scene.h"

namespace Atoll::ledger {

using namespace r5xx;
using test::bits;
using test::Point;
using Prim = VAP_VF_CNTL::PRIM_TYPE;

namespace {

// Sources of both halves, relative ones among them, predicates, results that are kept, loops and branches.
std::unique_ptr<Scene> arithmetic() {
  auto s = std::make_unique<R5xxScene>("arithmetic of pixels");
  auto& w = s->w;
  s->float_target();
  s->s.coloured();
  s->constants({0.3f, 0.6f, -0.2f, 0.9f, 1.5f, -0.4f, 0.7f, 0.1f, 0.8f, 0.2f, -0.6f, 0.35f, -0.9f, 1.2f, 0.4f, -0.7f});
  w.set(US_PIXSIZE::address(), 12).set(US_FC_CTRL::address(), 1u << 31);
  w.set(US_FC_INT_CONST::address(0), 3 | 1 << 8 | 1 << 16);
  s->code({"{t1, c0, t0, s1-s0 | t1, c1, t0, s1-s0} mad t2.rgb, s2.xyz, s0.yzx, s1 | mad t2.a, sp.w, s1.w, s2.w",
           "mad t3.rgb, t0, c1.xyz, c2.xyz | mad t3.a, t0.w, c1.w, c2.w", "loop 7",
           "mad t3.rgb, c[al+0].xyz, 0.5, t3 | mad t3.a, c[al+0].w, 0.5, t3.w",
           "mad t4.rgb, t3, t0, c[al+0].xyz | mad t4.a, t0.w, c[al+0].w, t3.w",
           "mad t5.rgb, t3, c[al+0].xyz, t4 | mad t5.a, t3.w, t0.w, c[al+0].w", "endloop 3 @jump_func=255",
           "mad.ge p.rgb, t0, 2, -1 | mad.lt p.a, t1.w, 2, -1", "(p) mad t6.rgb, t2, 2, 0 | (!p) mad t6.a, t1.w, 4, 0",
           // The kept part of a result decides a branch; the other branch writes for those that are not in it as well.
           "mad _, t0.x, 1, -0.5 | mad _, t0.w, 1, -0.5 @alu_wmask @alu_result_op=lt",
           "jump 12 @jump_func=15 @b_op0=incr @b_pop_cnt=0", "mad t7.rgb, t5, 0.5, t0 | mad t7.a, t5.w, 0.5, t0.w",
           "jump 13 @jump_func=0 @b_op0=decr @b_op1=decr @b_pop_cnt=1",
           // 0 times infinity.
           "sop t8.rgb | rcp t8.a, 0", "mad t8.rgb, t8, 0, 0.25 | mad t8.a, t8.w, 0, 0.25",
           "mad t9.rgb, t2, 0.5, t6 | mad t9.a, t2.w, 0.5, t6.w", "mad t9.rgb, t5, 0.5, t9 | mad t9.a, t5.w, 0.5, t9.w",
           "mad t9.rgb, t7, 0.25, t9 | mad.x4 t9.a, t7.w, 0.25, t9.w", "mad o0.rgb, t8, 1, t9 | mad o0.a, t8.w, 1, t9.w @last"});
  s->s.draw(Prim::Triangle_List, corners());
  s->finish();
  return s;
}

// Jumps by a constant, by any pixel, a subroutine behind the program's end, code that does not begin at 0.
std::unique_ptr<Scene> flow() {
  auto s = std::make_unique<R5xxScene>("flow of pixel programs");
  auto& w = s->w;
  s->float_target();
  s->s.coloured();
  w.set(US_PIXSIZE::address(), 6).set(US_FC_CTRL::address(), 1u << 31);
  w.set(US_FC_BOOL_CONST::address(), 4);
  s->code({"mad t2.rgb, t0, 0.5, t1 | mad t2.a, t0.w, 1, 0", "mad o0.rgb, t2, 0.25, 0 | mad o0.a, t2.w, 1, 0 @last"});
  s->code({"mad t2.rgb, t0, 1, 0 | mad t2.a, t0.w, 1, 0", "jump 3 @jump_func=170 @bool_addr=2",
           "mad t2.rgb, t2, 0.5, 0.5 | mad t2.a, t2.w, 0.5, 0", "mad _, t0.x, 1, -0.5 @alu_wmask @alu_result_op=lt",
           "jump 6 @jump_func=240 @jump_any", "mad t2.rgb, t2, 2, 0.5 | mad t2.a, t2.w, 2, 0", "jump 8 @jump_func=255 @a_op=push",
           "mad o0.rgb, t2, 1, t1 | mad o0.a, t2.w, 1, 0 @last", "mad t2.rgb, t2, 0.75, t0 | mad t2.a, t2.w, 0.75, 0.5",
           "jump 0 @jump_func=255 @a_op=pop"},
          16);
  w.set(US_CODE_OFFSET::address(), 16).set(US_CODE_ADDR::address(), US_CODE_ADDR::END_ADDR::of(7));
  w.set(US_CODE_RANGE::address(), US_CODE_RANGE::CODE_ADDR::of(16) | US_CODE_RANGE::CODE_SIZE::of(9));
  s->s.draw(Prim::Triangle_List, corners());
  // A pixel among three that are not covered: what they would decide and write.
  s->code({"mad t2.rgb, t0, 1, 0 | mad t2.a, t0.w, 1, 0", "mad _, t0.x, 1, -0.5 @alu_wmask @alu_result_op=ge",
           "jump 4 @jump_func=240 @jump_any", "mad t2.rgb, t2, 2, 0.5 | mad t2.a, t2.w, 2, 0", "ld t3.rgba, tex0.xyzw, t0.xyzw",
           "mdv t4.rgb, t3.xyz, 1, t3.xyz | mdv t4.a, t3.w, 1, t3.w", "mdh t5.rgb, t3.xyz, 1, t3.xyz | mdh t5.a, t3.w, 1, t3.w",
           "mad t4.rgb, t4, 1, t5 | mad t4.a, t4.w, 1, t5.w", "mad o0.rgb, t2, 1, t4 | mad o0.a, t2.w, 1, t4.w @last"});
  w.set(US_CODE_OFFSET::address(), 0);
  Buffer texels = s->allocate(4096);
  for (unsigned n = 0; n < 1024; n++) reinterpret_cast<uint32_t*>(texels.host_pointer)[n] = n * 2654435761u | 0x01010101;
  w.set(TX_ENABLE::address(), 1).set(TX_FORMAT0::address(0), 15 | 15 << 11).set(TX_FORMAT2::address(0), 0);
  w.set(TX_FORMAT1::address(0), 12 | 3 << 9 | 0 << 12 | 1 << 15 | 2 << 18)
      .set(TX_OFFSET::address(0), uint32_t(texels.gpu_address));
  w.set(TX_FILTER0::address(0), 1 << 9 | 1 << 11).set(TX_FILTER1::address(0), 1 << 3).set(US_FORMAT0::address(0), 15 | 15 << 11);
  for (float x : {11.0f, 24.0f, 31.0f, 44.0f}) {
    const float y = x < 30 ? 7 : 12;
    s->s.draw(Prim::Triangle_List, {{x, y, 0.5f, 1, {0.2f, 0.3f, 0.1f, 1}, {0.1f, 0.9f, 0.5f, 0.5f}},
                                    {x + 1, y, 0.5f, 1, {0.6f, 0.7f, 0.2f, 1}, {0.1f, 0.9f, 0.5f, 0.5f}},
                                    {x + 0.5f, y + 1, 0.5f, 1, {0.1f, 1.1f, 0.5f, 1}, {0.1f, 0.9f, 0.5f, 0.5f}}});
  }
  s->finish();
  return s;
}

// Depth and colour of the program; alpha tests of all widths; blending into all four channels of four targets; the Z unit's clear.
std::unique_ptr<Scene> outputs() {
  auto s = std::make_unique<R5xxScene>("what programs give: depth, alpha, four targets");
  auto& w = s->w;
  s->s.coloured();
  for (unsigned n = 0; n < 4; n++) s->s.colour_format(RB3D_COLORPITCH::COLORFORMAT::ARGB8888, 0x3900, n);
  s->code({"mad o0.rgb, t0, 1, 0 | mad o0.a, t0.w, 1, 0", "mad o1.rgb, t1, 1, 0 | mad o1.a, t1.w, 1, 0",
           "mad o2.rgb, t0, t1, 0 | mad o2.a, t0.w, 1, 0", "mad o3.rgb, t0, 0.5, 0 | mad o3.a, t1.w, 1, 0 @last"});
  w.set(RB3D_CCTL::address(), 0x4000 | RB3D_CCTL::INDEPENDENT_COLOR_CHANNEL_MASK_ENABLE::of(1));
  w.set(RB3D_COLOR_CHANNEL_MASK::address(), 0xffff);
  using B = RB3D_BLENDCNTL;
  w.set(B::address(), {B::ALPHA_BLEND_ENABLE::of(1) | B::READ_ENABLE::of(1) | B::SRCBLEND::of(SourceBlendFactor::GL_SRC_ALPHA) |
                           B::DESTBLEND::of(SourceBlendFactor::GL_ONE),
                       0});
  s->s.draw(Prim::Triangle_List, corners());
  w.set(B::address(), {0, 0}).set(RB3D_CCTL::address(), 0x4000).set(RB3D_COLOR_CHANNEL_MASK::address(), 0xf);
  s->code({"mad o0.rgb, t0, 1, 0 | mad o0.a, t0.w, 1, 0 @last"});
  s->s.depth_buffer(2);
  w.set(ZB_CNTL::address(), 6).set(ZB_ZSTENCILCNTL::address(), 7).set(ZB_ZTOP::address(), 0);
  w.set(FG_DEPTH_SRC::address(), 1).set(US_W_FMT::address(), US_W_FMT::W_FMT::of(1));
  s->code({"mad o0.rgb, t0, 1, 0 | mad o0.a+depth, t0.w, 0.5, 0.25 @last"});
  s->s.draw(Prim::Triangle_List, corners());
  w.set(FG_DEPTH_SRC::address(), 0).set(US_W_FMT::address(), 0).set(ZB_ZTOP::address(), 1);
  s->code({"mad o0.rgb, t0, 1, 0 | mad o0.a, t0.w, 1, 0 @last"});
  // Lines and points pushed away from triangles.
  w.set(SU_POLY_OFFSET_FRONT_SCALE::address(), {bits(24), bits(100000), bits(12), bits(50000)});
  w.set(SU_POLY_OFFSET_ENABLE::address(), 1);
  s->s.draw(Prim::Line_Strip, corners());
  w.set(SU_POLY_OFFSET_ENABLE::address(), 0);
  w.set(ZB_CNTL::address(), 0);
  // The reference is another number in each of the forms: 8 bits, 10 bits, a half.
  w.set(FG_ALPHA_FUNC::address(), FG_ALPHA_FUNC::AF_VAL::of(0x60) | FG_ALPHA_FUNC::AF_FUNC::of(4) | FG_ALPHA_FUNC::AF_EN::of(1));
  w.set(FG_ALPHA_VALUE::address(), 0x3a00);
  s->s.draw(Prim::Triangle_List, corners());
  w.set(FG_ALPHA_FUNC::address(), 0);
  w.set(ZB_BW_CNTL::address(), ZB_BW_CNTL::ZB_CB_CLEAR::of(1)).set(ZB_DEPTHCLEARVALUE::address(), 0x12345678);
  w.set(SC_SCISSOR0::address(), {4 | 2 << 13, 20 | 10 << 13}).set(ZB_CNTL::address(), 0);
  s->s.draw(Prim::Triangle_List, corners());
  s->finish();
  return s;
}

// The colour buffer's treatment of colours besides blending: pixels that thresholds leave out, bits that are lost, texels that
// equal a colour.
std::unique_ptr<Scene> colour_buffer() {
  auto s = std::make_unique<R5xxScene>("thresholds of blending, lost bits, compared colours");
  auto& w = s->w;
  using B = RB3D_BLENDCNTL;
  w.set(RB3D_DISCARD_SRC_PIXEL_LTE_THRESHOLD::address(), 0x80808080);
  w.set(RB3D_DISCARD_SRC_PIXEL_GTE_THRESHOLD::address(), 0x60606060);
  auto blended = [&](uint32_t mode) {
    w.set(B::address(), {B::ALPHA_BLEND_ENABLE::of(1) | B::READ_ENABLE::of(1) | B::SRCBLEND::of(SourceBlendFactor::GL_ONE) |
                             B::DESTBLEND::of(SourceBlendFactor::GL_ONE) | B::DISCARD_SRC_PIXELS::of(mode),
                         0});
  };
  // Colours from all to none of which lie below: a component at a time.
  for (uint32_t mode : {3u, 6u})
    for (unsigned n = 0; n < 8; n++) {
      blended(mode);
      std::array<float, 4> colour{};
      colour.fill(mode == 3 ? 0.3f : 0.6f);
      colour[n % 4] = n < 4 ? 0.45f : 0.2f;
      s->s.rectangle(float(n * 8), mode == 3 ? 0 : 8, float(n * 8 + 8), mode == 3 ? 8 : 16, colour);
    }
  w.set(B::address(), {0, 0});
  s->s.colour_format(RB3D_COLORPITCH::COLORFORMAT::ARGB4444, 0x3900, 1);
  w.set(RB3D_COLOROFFSET::address(0), uint32_t(s->s.target.gpu_address) + 64 * 32 * 16);
  w.set(RB3D_COLORPITCH::address(0), 64 | RB3D_COLORPITCH::COLORFORMAT::of(RB3D_COLORPITCH::COLORFORMAT::ARGB4444));
  s->s.draw(Prim::Triangle_List, corners());
  s->s.colour_format(RB3D_COLORPITCH::COLORFORMAT::ARGB8888, 0x3900);
  w.set(RB3D_CCTL::address(), 0x4000 | RB3D_CCTL::CLRCMP_FLIPE_ENABLE::of(1));
  w.set(RB3D_CLRCMP_FLIPE::address(), {0x01020408, 0xff000000, 0xffffffff});
  for (unsigned n = 0; n < 8; n++)
    s->s.rectangle(float(n * 8), 24, float(n * 8 + 8), 32, {float(n) / 255, float(n >> 1) / 255, float(n >> 2) / 255, 1});
  s->finish();
  return s;
}

}  // namespace

void add_pixel_scenes(R5xxScenes& all) {
  for (auto make : {arithmetic, flow, outputs}) all.push_back(make());
  all.push_back(colour_buffer());
  all.back()->blocks = {"CB"};
  for (auto& s : all)
    if (s->name == "arithmetic of pixels" || s->name == "flow of pixel programs") s->blocks = {"US"};
}

}  // namespace Atoll::ledger
