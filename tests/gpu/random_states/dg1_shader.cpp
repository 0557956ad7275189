// Pixel shaders of DG1 at random: two values of four components of attributes, constants and what the payload has, sent to the targets by
// messages with all that such messages may bring.
#include <fmt/format.h>

#include "dg1.h"

namespace Atoll::random_states::dg1_states {

using namespace dg1::commands;

namespace {

// Registers: constants, planes (setup_register on), two values of so many pixels, a scratch register, a message.
constexpr unsigned values_register = 60, scratch = 93, message_register = 100;
constexpr unsigned eight = 8;

// The payload of `pixels` pixels as 3DSTATE_WM and _PS_EXTRA ask for it, register by register (dg1's payload: Mesa 22.3.6
// brw_fs.cpp, setup_fs_payload_gfx6).
struct Places {
  const PixelShader& shader;
  unsigned half_lanes() const { return std::min(shader.pixels, 16u); }
  unsigned sets() const { return unsigned(std::popcount(shader.barycentrics)); }
  unsigned groups() const { return shader.pixels / eight; }
  unsigned of_half(unsigned half) const {
    const unsigned each = half_lanes() / eight;
    const unsigned registers = sets() * 2 * each + (shader.depth ? each : 0) + (shader.w ? each : 0) + (shader.offsets ? 1 : 0) +
                               (shader.coverage ? each : 0);
    return (shader.pixels > 16 ? 3 : 2) + half * registers;
  }
  // Registers of the group's 8 pixels; set n of those that are there, barycentric b.
  unsigned barycentric(unsigned group, unsigned n, unsigned b) const {
    const unsigned each = half_lanes() / eight;
    return of_half(group / 2) + n * 2 * each + group % 2 * 2 + b;
  }
  unsigned depth(unsigned group) const { return of_half(group / 2) + sets() * 2 * half_lanes() / eight + group % 2; }
  unsigned w(unsigned group) const { return depth(group) + (shader.depth ? half_lanes() / eight : 0); }
  unsigned coverage(unsigned group) const { return w(group) + (shader.w ? half_lanes() / eight : 0) + (shader.offsets ? 1 : 0); }
  // Value v's component: those of 16 pixels stand one behind the other, as messages take them.
  unsigned value(unsigned group, unsigned v, unsigned component) const {
    const unsigned each = half_lanes() / eight;
    return values_register + group / 2 * 16 + v * 4 * each + component * each + group % 2;
  }
};

struct Writer {
  Random& r;
  PixelShader& s;
  const Places places;
  std::vector<std::string>& lines = s.lines;

  void line(std::string text) { lines.push_back(std::move(text)); }

  // One component of a value, the same for all groups of 8 pixels.
  void component(unsigned v, unsigned c) {
    const unsigned kind = r.below(10), attribute = r.below(2), other = r.below(2), from = r.below(4), constant = r.below(8);
    const unsigned set = r.below(std::max(places.sets(), 1u));
    const char* saturate = r.percent(20) ? "(sat)" : "";
    for (unsigned group = 0; group < places.groups(); group++) {
      const std::string lanes = fmt::format("(8|M{})", group * eight);
      const unsigned to = places.value(group, v, c);
      auto scalar = [&](unsigned n) { return fmt::format("r{}.{}<0;1,0>:f", setup_register, n); };
      auto attribute_at = [&](unsigned a, unsigned k, unsigned where) {
        const unsigned plane = setup_register + 1 + 2 * a + k / 2, at = k % 2 * 4;
        line(fmt::format("mul {} r{}.0<1>:f r{}.0<8;8,1>:f r{}.{}<0;1,0>:f", lanes, scratch, places.barycentric(group, set, 0),
                         plane, at));
        line(fmt::format("mul {} r{}.0<1>:f r{}.0<8;8,1>:f r{}.{}<0;1,0>:f", lanes, scratch + 1,
                         places.barycentric(group, set, 1), plane, at + 1));
        line(fmt::format("add {} r{}.0<1>:f r{}.0<8;8,1>:f r{}.0<8;8,1>:f", lanes, scratch, scratch, scratch + 1));
        line(fmt::format("add {} r{}.0<1>:f r{}.0<8;8,1>:f r{}.{}<0;1,0>:f", lanes, where, scratch, plane, at + 3));
      };
      if (kind == 0 || !places.sets()) {
        line(fmt::format("mov {} {}r{}.0<1>:f {}", lanes, saturate, to, scalar(constant)));
      } else if (kind == 1 && s.depth) {
        line(fmt::format("mul {} {}r{}.0<1>:f r{}.0<8;8,1>:f {}", lanes, saturate, to, places.depth(group), scalar(constant)));
      } else if (kind == 2 && s.w) {
        line(fmt::format("mul {} {}r{}.0<1>:f r{}.0<8;8,1>:f {}", lanes, saturate, to, places.w(group), scalar(constant)));
      } else if (kind < 5 && s.coverage) {
        line(fmt::format("mov {} r{}.0<1>:f r{}.0<8;8,1>:ud", lanes, scratch, places.coverage(group)));
        line(fmt::format("mul {} {}r{}.0<1>:f r{}.0<8;8,1>:f {}", lanes, saturate, to, scratch, scalar(constant)));
      } else {
        attribute_at(attribute, from, to);
        if (kind == 5) {
          attribute_at(other, 3 - from, scratch + 2);
          line(fmt::format("mul {} {}r{}.0<1>:f r{}.0<8;8,1>:f r{}.0<8;8,1>:f", lanes, saturate, to, to, scratch + 2));
        } else if (kind == 6 || *saturate) {
          line(fmt::format("mul {} {}r{}.0<1>:f r{}.0<8;8,1>:f {}", lanes, saturate, to, to, scalar(constant)));
        }
      }
    }
  }

  // Keeps in f1 those of the drawn pixels that pass (r1.7: the pixels; as Mesa's compiler has it).
  void kill() {
    line("(W) mov (1|M0) f1.0<1>:uw r1.14<0;1,0>:uw");
    if (s.pixels == 32) line("(W) mov (1|M0) f1.1<1>:uw r2.14<0;1,0>:uw");
    const unsigned v = r.below(2), c = r.below(4);
    const char* condition = r.one_of({"ge", "lt"});
    for (unsigned group = 0; group < places.groups(); group++)
      line(fmt::format("(f1.0) cmp (8|M{}) ({})f1.0 null<1>:f r{}.0<8;8,1>:f r{}.7<0;1,0>:f", group * eight, condition,
                       places.value(group, v, c), setup_register));
  }

  // Pixels `group` on, 8 or 16 of them, of target n (or of none).
  void write(unsigned group, unsigned pixels, int target, unsigned v, bool last) {
    const unsigned each = pixels / eight, other = 1 - v;
    unsigned length = 0;
    auto take = [&](unsigned count) {
      const unsigned at = message_register + length;
      length += count;
      return at;
    };
    auto copy = [&](unsigned from, unsigned count) {
      const unsigned at = take(count);
      for (unsigned n = 0; n < count; n++)
        line(fmt::format("mov (8|M{}) r{}.0<1>:f r{}.0<8;8,1>:f", (group + n % each) * eight, at + n, from + n));
    };
    if (s.source0_alpha) copy(places.value(group, 0, 3), each);
    if (s.mask) {
      // A word a pixel: the low halves of what another value has. 8 pixels stand where they are among 16.
      const unsigned at = take(1);
      for (unsigned n = 0; n < each; n++)
        line(fmt::format("mov (8|M{}) r{}.{}<1>:uw r{}.0<16;8,2>:uw", (group + n) * eight, at, (group + n) % 2 * eight,
                         places.value(group + n, other, 1)));
    }
    copy(places.value(group, v, 0), 4 * each);
    if (s.dual_source) copy(places.value(group, other, 0), 4 * each);
    if (s.depth_mode) copy(places.value(group, other, 2), each);
    if (s.stencil)
      line(fmt::format("mov (8|M{}) r{}.0<1>:ub r{}.0<32;8,4>:ub", group * eight, take(1), places.value(group, other, 3)));
    const unsigned form = s.dual_source ? 2 : pixels == 16 ? 0 : 4;
    const unsigned number = target < 0 ? 0 : unsigned(target);
    const unsigned descriptor = length << 25 | 0xc << 14 | unsigned(last) << 12 | unsigned(group >= 2) << 11 | form << 8 | number,
                   extended = number << 12 | unsigned(s.source0_alpha) << 15 | unsigned(target < 0) << 20;
    line(fmt::format("{}sendc.rc ({}|M{}) null r{} null 0x{:x} 0x{:08x}{}", s.kills ? "(f1.0) " : "", pixels, group * eight,
                     message_register, extended, descriptor, last && group + each == places.groups() ? " {EOT}" : ""));
  }

  void write_targets(unsigned targets) {
    unsigned value[max_targets];
    for (unsigned& v : value) v = r.below(2);
    const unsigned pixels = std::min(s.pixels, 16u);
    for (unsigned group = 0; group < places.groups(); group += pixels / eight) {
      int left = std::popcount(s.written);
      if (!left) write(group, pixels, -1, value[0], true);
      for (unsigned n = 0; n < targets; n++)
        if (s.written >> n & 1) write(group, pixels, int(n), value[n], !--left);
    }
  }
};

}  // namespace

PixelShader random_shader(Random& r, const Surfaces& surfaces, bool dual_source) {
  PixelShader s;
  s.valid = !r.percent(5);
  s.dual_source = dual_source;
  s.stencil = r.percent(10);
  s.pixels = dual_source || s.stencil ? 8 : r.one_of({8u, 16u, 16u, 32u});
  s.per_sample = r.percent(25);
  // Perspective and linear, at pixels, centroids and samples: two at most.
  const uint32_t places = surfaces.coverage_seen ? 077 : s.per_sample || !surfaces.log2_samples ? 055 : 011;
  do s.barycentrics = r.percent(60) ? 1u << r.below(6) : 1u << r.below(6) | 1u << r.below(6);
  while (s.barycentrics & ~places);
  s.depth = r.percent(20), s.w = r.percent(20), s.coverage = surfaces.coverage_seen && r.percent(50);
  s.offsets = r.percent(80) ? 0 : surfaces.coverage_seen ? 2 + r.below(2) : 3;
  using Depth = _3DSTATE_PS_EXTRA::Pixel_Shader_Computed_Depth_Mode;
  s.depth_mode = r.percent(15)
                     ? r.one_of({uint32_t(Depth::PSCDEPTH_ON), uint32_t(Depth::PSCDEPTH_ON_GE), uint32_t(Depth::PSCDEPTH_ON_LE)})
                     : 0;
  s.mask = r.percent(12), s.kills = r.percent(25);
  s.source0_alpha = surfaces.targets > 1 && r.percent(15);
  for (unsigned n = 0; n < surfaces.targets; n++)
    if (n == 0 ? dual_source || !r.percent(5) : !r.percent(10)) s.written |= uint8_t(1u << n);
  Writer writer{r, s, {s}};
  for (unsigned v = 0; v < 2; v++)
    for (unsigned c = 0; c < 4; c++) writer.component(v, c);
  if (s.kills) writer.kill();
  writer.write_targets(surfaces.targets);
  return s;
}

void set_shader(const PixelShader& s, uint64_t kernel, Batch& b) {
  b.add<_3DSTATE_PS>([&](uint32_t* words) {
    using P = _3DSTATE_PS;
    P::Kernel_Start_Pointer_0::set(words, kernel);
    P::_8_Pixel_Dispatch_Enable::set(words, s.pixels == 8), P::_16_Pixel_Dispatch_Enable::set(words, s.pixels == 16);
    P::_32_Pixel_Dispatch_Enable::set(words, s.pixels == 32);
    P::Vector_Mask_Enable::set(words, 1), P::Push_Constant_Enable::set(words, 1);
    P::Position_XY_Offset_Select::set(words, s.offsets);
    P::Dispatch_GRF_Start_Register_For_Constant_Setup_Data_0::set(words, setup_register);
  });
  b.add<_3DSTATE_PS_EXTRA>([&](uint32_t* words) {
    using X = _3DSTATE_PS_EXTRA;
    X::Pixel_Shader_Valid::set(words, s.valid), X::Attribute_Enable::set(words, 1);
    X::Pixel_Shader_Uses_Source_Depth::set(words, s.depth), X::Pixel_Shader_Uses_Source_W::set(words, s.w);
    X::Input_Coverage_Mask_State::set(words, s.coverage), X::Pixel_Shader_Is_Per_Sample::set(words, s.per_sample);
    X::Pixel_Shader_Computed_Depth_Mode::set(words, s.depth_mode), X::Pixel_Shader_Computes_Stencil::set(words, s.stencil);
    X::oMask_Present_to_Render_Target::set(words, s.mask), X::Pixel_Shader_Kills_Pixel::set(words, s.kills);
  });
}

}  // namespace Atoll::random_states::dg1_states
