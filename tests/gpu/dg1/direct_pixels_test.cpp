// Pixel threads that write their pixels themselves: kernels of 8, 16 and 32 pixels, with every form of message, pixels that they discard,
// branches, two sets of barycentrics and push constants, into targets of many formats and blends, of one and four samples. Colours are
// what the same kernel leaves by the other way, and what becomes of them is the pipeline's oracle's.
#include "pipeline/canvas.h"
#include "pipeline/oracle/recording.h"
#include "pixel_machine.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1_tests;
using namespace pipeline;

constexpr unsigned planes_register = 40;

struct Program {
  unsigned width = 8;
  bool linear = false;  // beside the perspective ones
  bool two_sources = false, replicated = false;
  bool discards = false;  // by the flags that the message is predicated with
  bool branches = false;
  bool split = false;  // the payload comes in two pieces
  // It looks at registers that nobody sets, and leaves other values there and in its payload: nothing of it is another thread's.
  bool leaves = false, leaves_unset = false;  // also at a general one
  friend std::ostream& operator<<(std::ostream& to, const Program& p) {
    return to << p.width << " pixels, linear " << p.linear << ", two sources " << p.two_sources << ", replicated " << p.replicated
              << ", discards " << p.discards << ", branches " << p.branches << ", split " << p.split << ", leaves " << p.leaves
              << p.leaves_unset;
  }
};

// The colour is the first attribute in perspective, and where there are linear barycentrics the second by these on top; the second
// source is the colour of the other half of the pixels' registers turned round (alpha first).
std::vector<std::string> kernel_of(const Program& p) {
  const unsigned halves = p.width > 16 ? 2 : 1, in_half = p.width / halves / 8, sets = p.linear ? 2 : 1;
  std::vector<std::string> lines;
  constexpr unsigned colours = 60, others = 80;
  for (unsigned g = 0; g < p.width / 8; g++)
    for (unsigned c = 0; c < 4; c++) {
      const unsigned half = g / in_half, to = colours + half * 4 * in_half + c * in_half + g % in_half;
      for (unsigned set = 0; set < sets; set++) {
        const unsigned plane = planes_register + set * 2 + c / 2, at = c % 2 * 4;
        const unsigned i = 1 + halves + half * sets * 2 * in_half + set * 2 * in_half + g % in_half * 2;
        if (!set)
          lines.push_back(
              fmt::format("(W) mad (8|M0) r{0}.0<1>:f r{1}.{2}<0;0>:f r{3}.0<1;0>:f r{1}.{4}<0>:f", to, plane, at + 3, i, at));
        else
          lines.push_back(
              fmt::format("(W) mad (8|M0) r{0}.0<1>:f r{0}.0<1;0>:f r{3}.0<1;0>:f r{1}.{4}<0>:f", to, plane, at + 3, i, at));
        lines.push_back(
            fmt::format("(W) mad (8|M0) r{0}.0<1>:f r{0}.0<1;0>:f r{2}.0<1;0>:f r{1}.{3}<0>:f", to, plane, i + 1, at + 1));
      }
    }
  if (p.leaves) {
    for (const char* line :
         {"(W) mov (8|M0) r110.0<1>:f acc0.0<8;8,1>:f", "(W) mov (8|M0) r111.0<1>:uw a0.0<8;8,1>:uw",
          "(W) mov (1|M0) r112.0<1>:ud f0.0<0;1,0>:ud", "(W) mov (8|M0) r113.0<1>:f r111.0<8;8,1>:uw",
          "(W) mov (1|M0) r114.0<1>:f r112.0<0;1,0>:ud", "(W) add (8|M0) r110.0<1>:f r110.0<8;8,1>:f r113.0<8;8,1>:f",
          "(W) add (8|M0) r110.0<1>:f r110.0<8;8,1>:f r114.0<0;1,0>:f"})
      lines.push_back(line);
    if (p.leaves_unset) lines.push_back("(W) add (8|M0) r110.0<1>:f r110.0<8;8,1>:f r100.0<8;8,1>:f");
    for (unsigned g = 0; g < p.width / 8; g++) {
      const unsigned red = colours + g / in_half * 4 * in_half + g % in_half;
      lines.push_back(fmt::format("(W) add (8|M0) r{0}.0<1>:f r{0}.0<8;8,1>:f r110.0<8;8,1>:f", red));
    }
    for (unsigned n = 0; n < 60; n++)
      if (!p.replicated || n != planes_register) lines.push_back(fmt::format("(W) mov (8|M0) r{}.0<1>:f 0.25:f", n));
    if (p.leaves_unset) lines.push_back("(W) mov (8|M0) r100.0<1>:f 0.125:f");
    for (const char* line :
         {"(W) mov (8|M0) acc0.0<1>:f 0.5:f", "(W) mov (8|M0) a0.0<1>:uw 0x3:uw", "(W) mov (1|M0) f0.0<1>:ud 0x5:ud"})
      lines.push_back(line);
  }
  // Reds at or above 0.5 go.
  const unsigned lanes = std::min(p.width, 16u);
  if (p.discards || p.branches)
    for (unsigned half = 0; half < halves; half++)
      lines.push_back(fmt::format("cmp ({}|M{}) (lt)f1.0 null<1>:f r{}.0<8;8,1>:f 0.5:f", lanes, half * 16, colours + half * 8));
  // Green of the pixels that stay becomes 1 minus itself; the others skip that.
  if (p.branches) {
    const unsigned all = p.width;
    lines.push_back(fmt::format("(f1.0) if ({}|M0) end end", all));
    for (unsigned half = 0; half < halves; half++)
      lines.push_back(
          fmt::format("add ({0}|M{1}) r{2}.0<1>:f -r{2}.0<8;8,1>:f 1.0:f", lanes, half * 16, colours + half * 8 + in_half));
    lines.push_back(fmt::format("end: endif ({}|M0) next", all));
    lines.push_back("next:");
  }
  const std::string mask = p.discards ? "(f1.0) " : "";
  auto message = [&](unsigned form, unsigned channels, unsigned first, unsigned payload, unsigned length, unsigned second,
                     bool ends, bool upper) {
    const unsigned split = p.split ? length / 2 : length;
    const unsigned descriptor = split << 25 | 0xc << 14 | 1u << 12 | unsigned(upper) << 11 | form << 8;
    lines.push_back(fmt::format("{}sendc.rc ({}|M{}) null r{} {} 0x{:x} 0x{:08x}{}", mask, channels, first, payload,
                                p.split ? fmt::format("r{}", second) : "null", (length - split) << 6, descriptor,
                                ends ? " {EOT}" : ""));
  };
  // (A payload that ends the thread may stand anywhere here.)
  for (unsigned half = 0; half < halves; half++) {
    const bool last = half + 1 == halves;
    const unsigned from = colours + half * 8;
    if (p.replicated) {
      message(1, 16, half * 16, planes_register, 1, 0, last, half);
    } else if (p.two_sources) {
      for (unsigned n = 0; n < in_half; n++) {
        for (unsigned c = 0; c < 4; c++) {
          lines.push_back(fmt::format("(W) mov (8|M0) r{}.0<1>:f r{}.0<8;8,1>:f", others + c, from + c * in_half + n));
          lines.push_back(fmt::format("(W) mov (8|M0) r{}.0<1>:f r{}.0<8;8,1>:f", others + 4 + c, from + (3 - c) * in_half + n));
        }
        message(n ? 3 : 2, 8, half * 16 + n * 8, others, 8, others + 4, last && n + 1 == in_half, half);
      }
    } else {
      message(p.width == 8 ? 4 : 0, lanes, half * 16, from, 4 * in_half, from + 2 * in_half, last, half);
    }
  }
  return lines;
}

class DirectPixels : public testing::TestWithParam<gpu::Engine> {
protected:
  void draw(const Program& p, const ColourTarget& format, unsigned bytes, const Blend& blend, unsigned samples) {
    PixelMachine m(GetParam());
    m.attributes.vertex_attributes = 2;
    m.attributes.inputs = {{.front = 0, .back = 0}, {.front = 1, .back = 1}};
    m.set<_3DSTATE_PS>([&](uint32_t* words) {
      using PS = _3DSTATE_PS;
      PS::_8_Pixel_Dispatch_Enable::set(words, p.width == 8), PS::_16_Pixel_Dispatch_Enable::set(words, p.width == 16);
      PS::_32_Pixel_Dispatch_Enable::set(words, p.width == 32), PS::Vector_Mask_Enable::set(words, 1);
      PS::Dispatch_GRF_Start_Register_For_Constant_Setup_Data_0::set(words, planes_register);
    });
    m.set<_3DSTATE_PS_EXTRA>([&](uint32_t* words) {
      using Extra = _3DSTATE_PS_EXTRA;
      Extra::Pixel_Shader_Valid::set(words, 1), Extra::Attribute_Enable::set(words, 1);
    });
    m.set<_3DSTATE_WM>([&](uint32_t* words) { _3DSTATE_WM::Barycentric_Interpolation_Mode::set(words, p.linear ? 1 | 8 : 1); });
    m.put_kernel(kernel_of(p));
    ASSERT_EQ(m.make(), "");
    EXPECT_EQ(m.stage->writes_always(), p.discards ? 0 : 1);
    constexpr unsigned width = 90, height = 40;
    Canvas canvas(width, height, samples);
    MemoryTarget target(width, height, bytes, samples);
    for (size_t n = 0; n < target.texels.size(); n++) target.texels[n] = uint8_t(n * 37 % 61);
    canvas.draw.targets.colour[0] = format;
    canvas.draw.targets.colour[0].target = &target, canvas.draw.targets.colour[0].texel_bytes = bytes;
    canvas.draw.pixel_stage = m.stage.get();
    canvas.draw.depth_stencil.early = true;
    canvas.draw.colour.blend[0] = blend;
    canvas.draw.colour.clamp_before_blending = true;
    canvas.draw.colour.constant = {0.25f, 0.5f, 0.75f, 0.125f};
    canvas.vertices.count = 2;
    for (unsigned t = 0; t < 12; t++) {
      const float x = t ? float(t * 37 % 80) : -10, y = t ? float(t * 23 % 35) : -10, size = t ? float(3 + t * 5 % 17) : 300;
      auto colour = [&](unsigned n) {
        std::vector<float> of_vertex;
        for (unsigned k = 0; k < 8; k++) of_vertex.push_back(float((t * 7 + n * 5 + k * 3) % 11) / 8 - 0.125f);
        return of_vertex;
      };
      canvas.vertices.add(x, y, 0, 1, colour(0));
      canvas.vertices.add(x + size, y, 0, 1.5f, colour(1));
      canvas.vertices.add(x, y + size, 0, 0.75f, colour(2));
    }
    canvas.draw.vertices.count = uint32_t(canvas.vertices.vertices.size());
    std::thread([&] {  // GPU code runs on threads that handle its faults
      Workers& workers = *m.context.workers;
      std::vector<std::array<oracle::Outputs, 16>> outputs;
      const auto fragments = oracle::record(canvas.draw, workers, m.stage.get(), &outputs);
      oracle::Buffers expected;
      expected.colour[0] = oracle::Buffer(width, height, bytes, samples);
      expected.colour[0].texels = target.texels;
      oracle::draw_fragments(
          canvas.draw, fragments, [&](size_t index, const oracle::Fragment&, unsigned) { return outputs[index][0]; }, expected);
      ASSERT_TRUE(canvas.run(workers)) << m.context.report();
      for (size_t n = 0; n < target.texels.size(); n++)
        ASSERT_EQ(target.texels[n], expected.colour[0].texels[n])
            << p << ", byte " << n << " at " << n / bytes / samples % width << " " << n / bytes / samples / width;
    })
        .join();
    const auto& ways = canvas.counters.pixels_by_path;
    EXPECT_EQ(ways[size_t(PixelPath::direct)], canvas.counters.pixel_invocations);
    EXPECT_GT(canvas.counters.pixel_invocations, 3600u);
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, DirectPixels, testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit),
                         [](const auto& info) { return info.param == gpu::Engine::Jit ? "jit" : "interpreter"; });

struct Kind {
  ColourTarget format;
  unsigned bytes;
};
const Kind kinds[] = {
    {{nullptr, {}, 4, false}, 4},
    {{nullptr, {surface::Layout::bits_16_16_16_16, surface::Number::floating, surface::natural_order}, 8, false}, 8},
    {{nullptr, {surface::Layout::bits_5_6_5, surface::Number::unorm, surface::natural_order}, 2, false}, 2},
    {{nullptr, {surface::Layout::bits_32_32_32_32, surface::Number::floating, surface::natural_order}, 16, false}, 16}};

Blend blending(bool two_sources) {
  Blend blend;
  blend.enable = true, blend.clamp_source = true;
  blend.source_colour = BlendFactor::source_alpha;
  blend.target_colour = two_sources ? BlendFactor::second_source_colour : BlendFactor::one_minus_source_alpha;
  blend.source_alpha = BlendFactor::constant_alpha, blend.target_alpha = BlendFactor::one;
  return blend;
}

TEST_P(DirectPixels, EveryFormOfMessage) {
  for (unsigned width : {8, 16, 32})
    for (unsigned form = 0; form < 32; form++) {
      Program p{.width = width, .linear = bool(form & 1), .discards = bool(form & 4), .branches = bool(form & 8)};
      p.two_sources = form & 2, p.split = form & 16;
      SCOPED_TRACE(testing::Message() << p);
      draw(p, kinds[0].format, kinds[0].bytes, p.two_sources || form & 8 ? blending(p.two_sources) : Blend{}, 1);
      if (HasFatalFailure()) return;
    }
}
TEST_P(DirectPixels, OneColourForAll) {
  for (unsigned width : {16, 32}) draw({.width = width, .replicated = true}, kinds[0].format, kinds[0].bytes, {}, 1);
}
TEST_P(DirectPixels, ThreadsBeginAnew) {
  for (unsigned width : {8, 16, 32})
    for (unsigned form = 0; form < 16; form++) {
      Program p{.width = width, .linear = bool(form & 1), .discards = bool(form & 2), .branches = bool(form & 4)};
      p.leaves = true, p.leaves_unset = form & 8;
      SCOPED_TRACE(testing::Message() << p);
      draw(p, kinds[0].format, kinds[0].bytes, {}, 1);
      if (HasFatalFailure()) return;
    }
}
TEST_P(DirectPixels, FormatsAndSamples) {
  for (unsigned width : {8, 16, 32})
    for (const Kind& kind : kinds)
      for (unsigned samples : {1, 4}) {
        SCOPED_TRACE(testing::Message() << width << " pixels, " << kind.bytes << " bytes, " << samples << " samples");
        Blend mask;
        mask.write_mask = 0xb;
        draw({.width = width, .discards = true}, kind.format, kind.bytes, mask, samples);
        if (HasFatalFailure()) return;
      }
}

}  // namespace
