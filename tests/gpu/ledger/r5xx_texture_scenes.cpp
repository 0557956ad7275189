// R5xx: textures of all kinds, through all units and all instructions that look them up. Into targets of floats.
#include "r5xx_scene.h"

namespace Atoll::ledger {

using namespace r5xx;
using Prim = VAP_VF_CNTL::PRIM_TYPE;

namespace {

constexpr uint32_t rgba8 = 12 | 3 << 9 | 0 << 12 | 1 << 15 | 2 << 18;

Buffer noise(R5xxScene& s) {
  Buffer texels = s.allocate(1 << 16);
  for (unsigned n = 0; n < 1 << 14; n++) reinterpret_cast<uint32_t*>(texels.host_pointer)[n] = n * 2654435761u;
  return texels;
}

// A texture of 2^`size` texels a side with its levels.
void unit(R5xxScene& s, uint32_t n, const Buffer& texels, uint32_t size, uint32_t levels, uint32_t format1, uint32_t filter0) {
  const uint32_t last = (1u << size) - 1;
  s.w.set(TX_FORMAT0::address(n), last | last << 11 | TX_FORMAT0::NUM_LEVELS::of(levels - 1))
      .set(TX_FORMAT1::address(n), format1)
      .set(TX_FORMAT2::address(n), 0)
      .set(TX_OFFSET::address(n), uint32_t(texels.gpu_address))
      .set(TX_FILTER0::address(n), filter0)
      .set(TX_FILTER1::address(n), 1 << 3)
      .set(TX_BORDER_COLOR::address(n), 0x40c08020)
      .set(US_FORMAT0::address(n), last | last << 11);
}

// Levels of detail: minified by implicit, biased, explicit levels and given derivatives; borders; a volume.
std::unique_ptr<Scene> levels() {
  auto s = std::make_unique<R5xxScene>("textures with levels, minified, and borders");
  auto& w = s->w;
  s->float_target();
  const Buffer texels = noise(*s);
  using F = TX_FILTER0;
  const uint32_t trilinear = F::MAG_FILTER::of(2) | F::MIN_FILTER::of(2) | F::MIP_FILTER::of(2);
  unit(*s, 0, texels, 6, 7, rgba8, trilinear | F::CLAMP_S::of(6));
  // A ratio of anisotropy in 64 steps.
  w.set(TX_FILTER0::address(0), F::MAG_FILTER::of(2) | F::MIN_FILTER::of(3) | F::MIP_FILTER::of(2) | F::CLAMP_S::of(6));
  w.set(TX_FILTER1::address(0), 1 << 3 | 20 << 23 | 1 << 30);
  unit(*s, 1, texels, 4, 5, rgba8 | 1 << 25, trilinear | F::VOL_FILTER::of(2));
  w.set(TX_FORMAT0::address(1), 15 | 15 << 11 | 3 << 22 | TX_FORMAT0::NUM_LEVELS::of(4))
      .set(US_FORMAT0::address(1), 15 | 15 << 11 | 3 << 22);
  unit(*s, 2, texels, 6, 7, rgba8, F::MAG_FILTER::of(3) | F::MIN_FILTER::of(3) | F::MIP_FILTER::of(1) | F::Reserved::of(2));
  unit(*s, 3, texels, 6, 7, rgba8, trilinear);
  w.set(TX_ENABLE::address(), 15);
  s->constants({2.5f, -6, 3, 0.4f, 9, 0.3f, 0.01f, -1, 0.05f, -0.02f, 0.1f, 0.3f});
  w.set(US_FC_CTRL::address(), 1u << 31).set(US_FC_INT_CONST::address(0), 1 | 1 << 8 | 1 << 16);
  w.set(US_PIXSIZE::address(), 12);
  s->code({"mad t0.rgb, t0, c0.xyz, -0.5 | mad t0.a, t0.w, 1, 0.5",
           "mad t1.rgb, t0, c1.xyz, 0 | mad t1.a, t0.w, 1, 0.25",
           "ld t2.rgba, tex0.xyzw, t0.xyzw",
           "proj t3.rgba, tex1.xyzw, t0.xyzw",
           "lodbias t4.rgba, tex0.xyzw, t0.xyzw",
           "lod t5.rgba, tex1.xyzw, t0.xyzw",
           "ld t6.rgba, tex2.xyzw, t1.xyzw",
           "loop 12",
           "mad t8.rgb, t0, c2.xyz, 0.0625 | mad t8.a, t0.w, 1, 0",
           "mad t9.rgb, t0, c2.zyx, 0.03125 | mad t9.a, t0.w, 1, 0",
           "dxdy t7.rgba, tex3.xyzw, t0.xyzw, t8.xyzw, t9.xyzw",
           "ld t10.rgba, tex3.xyzw, t[al+0].xyzw",
           "endloop 8",
           "dxdy t11.rgba, tex1.xyzw, t0.xyzw, t8.xyzw, t9.xyzw",
           "mad t7.rgb, t10, 0.5, t7 | mad t7.a, t10.w, 0.5, t7.w",
           "mad t7.rgb, t11, 0.25, t7 | mad t7.a, t11.w, 0.25, t7.w",
           "mad t2.rgb, t2, 0.5, t3 | mad t2.a, t2.w, 0.5, t3.w",
           "mad t4.rgb, t4, 0.5, t5 | mad t4.a, t4.w, 0.5, t5.w",
           "mad t6.rgb, t6, 0.5, t7 | mad t6.a, t6.w, 0.5, t7.w",
           "mad t2.rgb, t2, 2, t4 | mad t2.a, t2.w, 2, t4.w",
           "mad o0.rgb, t2, 4, t6 | mad o0.a, t2.w, 4, t6.w @last"});
  s->s.draw(Prim::Triangle_List, corners());
  s->finish();
  return s;
}

// Sixteen units, of formats, tilings, wraps and byte orders.
std::unique_ptr<Scene> units() {
  auto s = std::make_unique<R5xxScene>("sixteen texture units");
  auto& w = s->w;
  s->float_target();
  const Buffer texels = noise(*s);
  using F = TX_FILTER0;
  using F1 = TX_FORMAT1::TXFORMAT;
  constexpr uint32_t formats[16] = {F1::TX_FMT_8_8_8_8, F1::TX_FMT_8_8_8_8, F1::TX_FMT_DXT1,       F1::TX_FMT_5_6_5,
                                    F1::TX_FMT_32f,     F1::TX_FMT_DXT5,    F1::TX_FMT_16f_16f,    F1::TX_FMT_4_4_4_4,
                                    F1::TX_FMT_1_5_5_5, F1::TX_FMT_ATI2N,   F1::TX_FMT_2_10_10_10, F1::TX_FMT_DXT3,
                                    F1::TX_FMT_8_8_8_8, F1::TX_FMT_6_5_5,   F1::TX_FMT_10_11_11,   F1::TX_FMT_11_11_10};
  std::vector<std::string> lines;
  for (uint32_t n = 0; n < 16; n++) {
    // (A base of eight bytes a texel takes 64x64 of the noise at most.)
    unit(*s, n, texels, n == 1 ? 6 : 5, 1, formats[n] | (rgba8 & ~31u), F::MAG_FILTER::of(1) | F::MIN_FILTER::of(1));
    lines.push_back("ld t1.rgba, tex" + std::to_string(n) + ".xyzw, t0.xyzw");
    lines.push_back(n ? "mad t2.rgb, t2, 0.5, t1 | mad t2.a, t2.w, 0.5, t1.w" : "mad t2.rgb, t1, 1, 0 | mad t2.a, t1.w, 1, 0");
  }
  // A pitch of its own; tiles, with levels where they stop.
  w.set(TX_FORMAT0::address(0), 31 | 31 << 11 | 1u << 31).set(TX_FORMAT2::address(0), TX_FORMAT2::TXPITCH::of(47));
  w.set(TX_FORMAT0::address(1), 63 | 63 << 11 | TX_FORMAT0::NUM_LEVELS::of(6));
  w.set(TX_OFFSET::address(1), uint32_t(texels.gpu_address) | TX_OFFSET::MACRO_TILE::of(1) | TX_OFFSET::MICRO_TILE::of(1));
  w.set(TX_FILTER0::address(1), F::MAG_FILTER::of(1) | F::MIN_FILTER::of(1) | F::MIP_FILTER::of(1));
  w.set(TX_ENABLE::address(), 0xffff).set(US_PIXSIZE::address(), 3);
  lines.push_back("mad o0.rgb, t2, 1, 0 | mad o0.a, t2.w, 1, 0 @last");
  s->code(lines);
  s->s.draw(Prim::Triangle_List, corners());
  // Farther away: another level.
  auto far = corners();
  for (auto& p : far) p.a = {p.a[0] * 1.6f, p.a[1] * 0.7f, p.a[2], 1};
  s->s.draw(Prim::Triangle_List, far);
  s->finish();
  return s;
}

// Keys, means of motion compensation, YUV, coordinates that are divided, four texels each way.
std::unique_ptr<Scene> video() {
  auto s = std::make_unique<R5xxScene>("textures of video");
  auto& w = s->w;
  s->float_target();
  const Buffer texels = noise(*s);
  using F = TX_FILTER0;
  const uint32_t linear = F::MAG_FILTER::of(2) | F::MIN_FILTER::of(2), point = F::MAG_FILTER::of(1) | F::MIN_FILTER::of(1);
  unit(*s, 0, texels, 3, 1, rgba8, point);
  w.set(TX_FILTER1::address(0), 1 << 3 | TX_FILTER1::CHROMA_KEY_MODE::of(2));
  w.set(TX_CHROMA_KEY::address(0), reinterpret_cast<const uint32_t*>(texels.host_pointer)[35]);
  unit(*s, 1, texels, 3, 1, rgba8 | TX_FORMAT1::YUV_TO_RGB::of(1), linear);
  unit(*s, 2, texels, 3, 1, rgba8, 0);
  w.set(TX_ENABLE::address(), 7);
  for (uint32_t direction : {0u, 1u})
    for (uint32_t n = 0; n < 18; n++)
      w.set(TX_FILTER4::address(), TX_FILTER4::WEIGHT_0::of(100 + n + direction * 60) | TX_FILTER4::WEIGHT_1::of(200 - n) |
                                       TX_FILTER4::WEIGHT_PAIR::of(n & 1) | TX_FILTER4::PHASE::of(n / 2) |
                                       TX_FILTER4::DIRECTION::of(direction));
  w.set(US_PIXSIZE::address(), 4);
  s->constants({1, 1, 1, 0.75f});
  s->code({"mad t0.rgb, t0, 1, 0 | mad t0.a, c0.w, 1, 0", "ld t1.rgba, tex0.xyzw, t0.xyzw", "ld t2.rgba, tex1.xyzw, t0.xyzw",
           "ld t3.rgba, tex2.xyzw, t0.xyzw", "mad t1.rgb, t2, 2, t1 | mad t1.a, t2.w, 2, t1.w",
           "mad o0.rgb, t3, 4, t1 | mad o0.a, t3.w, 4, t1.w @last"});
  s->s.draw(Prim::Triangle_List, corners());
  s->finish();
  return s;
}

}  // namespace

void add_texture_scenes(R5xxScenes& all) {
  for (auto make : {levels, units, video}) {
    all.push_back(make());
    all.back()->blocks = {"TX", "US"};
  }
}

}  // namespace Atoll::ledger
