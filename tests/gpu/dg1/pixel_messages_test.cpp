// Messages of pixel threads on small hand-written kernels: every form of render target write with every kind of data and mask against a
// model of the payload written apart, the pixel interpolator against planes in doubles, and messages that nobody trusts.
#include <bit>
#include <cmath>

#include "gpu/dg1/draw/coarse_pixels.h"
#include "pixel_machine.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1_tests;
using pipeline::PixelBatch;

constexpr unsigned data_register = 20, data_registers = 40;

uint32_t word_of_data(unsigned r, unsigned dword) { return 0x9e3779b9u * (r * 8 + dword + 1); }

// Loads r20 to r59 from the memory, dword after dword.
std::vector<std::string> load_data() {
  std::vector<std::string> lines{"(W) mov (8|M0) r126.0<1>:ud 0:ud"};
  for (unsigned r = 0; r < data_registers; r += 4) {
    lines.push_back(fmt::format("(W) send.dc0 (8|M0) r{} r126 null 0x0 0x02480400", data_register + r));  // 8 owords of surface 0
    lines.emplace_back("(W) add (1|M0) r126.2<1>:ud r126.2<0;1,0>:ud 8:ud");
  }
  return lines;
}

enum Form : unsigned { Simd16, Replicated, DualLow, DualHigh, Simd8 };
struct Write {
  Form form = Simd8;
  bool upper = false, last = true, ends = true, null_target = false, source0_alpha = false;
  unsigned target = 0, surface = 0, first_length = 4, length = 4, payload = data_register, second = 0;
  std::string mask;  // "(f1.0) "
  unsigned lanes() const { return form == Simd16 || form == Replicated ? 16 : 8; }
};
std::string text(const Write& w) {
  const unsigned descriptor = w.first_length << 25 | 0xc << 14 | unsigned(w.last) << 12 | unsigned(w.upper) << 11 | w.form << 8 |
                              w.surface,
                 extended = (w.length - w.first_length) << 6 | w.target << 12 | unsigned(w.source0_alpha) << 15 |
                            unsigned(w.null_target) << 20;
  const std::string second = w.length > w.first_length ? fmt::format("r{}", w.second) : "null";
  return fmt::format("{}sendc.rc ({}|M{}) null r{} {} 0x{:x} 0x{:08x}{}", w.mask, w.lanes(),
                     w.upper              ? 16
                     : w.form == DualHigh ? 8
                                          : 0,
                     w.payload, second, extended, descriptor, w.ends ? " {EOT}" : "");
}

class PixelMessages : public testing::TestWithParam<gpu::Engine> {
protected:
  PixelMachine m{GetParam()};

  static void begin(PixelMachine& m, unsigned width, const std::vector<std::string>& messages, bool mask = false,
                    bool depth = false, bool stencil = false, bool vector_mask = true) {
    for (unsigned r = 0; r < data_registers; r++)
      for (unsigned d = 0; d < 8; d++) {
        const uint32_t word = word_of_data(r, d);
        std::memcpy(m.space->host(PixelMachine::memory_at + (r * 8 + d) * 4), &word, 4);
      }
    m.set<_3DSTATE_PS>([&](uint32_t* words) {
      using PS = _3DSTATE_PS;
      PS::_8_Pixel_Dispatch_Enable::set(words, width == 8), PS::_16_Pixel_Dispatch_Enable::set(words, width == 16);
      PS::_32_Pixel_Dispatch_Enable::set(words, width == 32), PS::Vector_Mask_Enable::set(words, vector_mask);
    });
    m.set<_3DSTATE_PS_EXTRA>([&](uint32_t* words) {
      using Extra = _3DSTATE_PS_EXTRA;
      Extra::Pixel_Shader_Valid::set(words, 1), Extra::oMask_Present_to_Render_Target::set(words, mask);
      Extra::Pixel_Shader_Computed_Depth_Mode::set(words, depth), Extra::Pixel_Shader_Computes_Stencil::set(words, stencil);
      Extra::Pixel_Shader_Pulls_Bary::set(words, 1);
    });
    std::vector<std::string> lines = load_data();
    lines.insert(lines.end(), messages.begin(), messages.end());
    m.put_kernel(lines);
    ASSERT_EQ(m.make(), "");
  }
};

// The payload as the order of its data says: registers from `at` on.
struct Layout {
  int alpha = -1, mask = -1, colour = -1, second = -1, depth = -1, stencil = -1;
  unsigned length = 0;
};
Layout layout_of(const Write& w, bool mask, bool depth, bool stencil) {
  Layout l;
  const unsigned each = w.lanes() / 8;
  if (w.source0_alpha) l.alpha = int(l.length), l.length += each;
  if (mask) l.mask = int(l.length), l.length++;
  l.colour = int(l.length), l.length += w.form == Replicated ? 1 : 4 * each;
  if (w.form == DualLow || w.form == DualHigh) l.second = int(l.length), l.length += 4;
  if (w.form == Replicated) return l;
  if (depth) l.depth = int(l.length), l.length += each;
  if (stencil) l.stencil = int(l.length), l.length++;
  return l;
}

// One thread with one write, all that it may bring, whole or in two pieces, to a target of any number.
TEST_P(PixelMessages, WritesOfEveryForm) {
  unsigned seed = 0;
  for (unsigned form = 0; form < 5; form++)
    for (unsigned brings = 0; brings < 16; brings++) {
      const bool mask = brings & 1, depth = brings & 2, stencil = brings & 4, alpha = brings & 8;
      if (stencil && (form == Simd16 || form == Replicated)) continue;      // the driver's rule: stencil has 8 pixels
      if (GetParam() == gpu::Engine::Jit && (form + brings) % 3) continue;  // (each is a kernel to compile)
      Write w{.form = Form(form), .source0_alpha = alpha};
      w.target = form == DualLow || form == DualHigh ? 0 : seed % 8;
      w.surface = seed % 3 ? w.target : 7 + seed;
      const Layout layout = layout_of(w, mask, depth, stencil);
      w.length = layout.length;
      w.first_length = std::min(15u, seed % 3 ? layout.length : 1 + seed % layout.length);
      // The two pieces stand apart.
      w.second = data_register + 20;
      const unsigned width = form == Simd16 || form == Replicated || form == DualHigh ? 16 : 8;
      begin(m, width, {text(w)}, mask, depth, stencil);
      if (HasFatalFailure()) return;
      auto batch = random_batch(++seed, width / 4, (uint64_t(1) << width) - 1);
      ASSERT_TRUE(m.shade(*batch)) << m.context.report();
      const unsigned first = form == DualHigh ? 8 : 0;
      EXPECT_EQ(m.results.killed, form == DualHigh ? 0xffu : 0u);
      EXPECT_EQ(m.results.outputs, 1u << w.target);
      EXPECT_EQ(m.results.has_coverage, mask);
      EXPECT_EQ(m.results.has_depth, depth && form != Replicated);
      EXPECT_EQ(m.results.has_stencil, stencil);
      EXPECT_EQ(m.results.has_second_source, layout.second >= 0);
      auto data = [&](unsigned r, unsigned dword) {
        return r < w.first_length ? word_of_data(r, dword) : word_of_data(20 + r - w.first_length, dword);
      };
      for (unsigned l = 0; l < w.lanes(); l++) {
        auto of_lane = [&](int r) { return data(unsigned(r) + l / 8, l % 8); };
        for (unsigned c = 0; c < 4; c++) {
          const uint32_t colour =
              form == Replicated ? data(unsigned(layout.colour), c) : of_lane(layout.colour + int(c * w.lanes() / 8));
          ASSERT_EQ(m.results.colour[w.target][c][first + l], colour) << "form " << form << " brings " << brings << " lane " << l;
          if (layout.second >= 0) {
            ASSERT_EQ(m.results.colour[1][c][first + l], of_lane(layout.second + int(c))) << l;
          }
        }
        if (mask) {
          const unsigned at = first + l;
          ASSERT_EQ(m.results.coverage[first + l], data(unsigned(layout.mask), at / 2) >> at % 2 * 16 & 0xffff) << l;
        }
        if (layout.depth >= 0) {
          ASSERT_EQ(std::bit_cast<uint32_t>(m.results.depth[first + l]), of_lane(layout.depth)) << l;
        }
        if (layout.stencil >= 0) {
          ASSERT_EQ(m.results.stencil[first + l], data(unsigned(layout.stencil), l / 4) >> l % 4 * 8 & 0xff) << l;
        }
      }
    }
}

// Pixels that are written: those that are drawn, run, and that the flag lets through; helpers never, whatever runs.
TEST_P(PixelMessages, WritesAreMasked) {
  std::mt19937_64 random(5);
  for (unsigned width : {8u, 16u, 32u})
    for (unsigned round = 0; round < (GetParam() == gpu::Engine::Jit ? 8 : 24); round++) {
      const bool by_flag = round % 2, vector_mask = round % 3;
      const uint32_t flag = uint32_t(random());
      std::vector<std::string> lines{fmt::format("(W) mov (1|M0) f1.0<1>:ud 0x{:x}:ud", flag)};
      for (unsigned first = 0; first < width; first += 16) {
        Write w{.form = width == 8 ? Simd8 : Simd16, .upper = first != 0};
        w.length = width == 8 ? 4 : 8, w.first_length = w.length;
        w.ends = first + 16 >= width;
        if (by_flag) w.mask = first ? "(f1.0) " : "(f1.0) ";
        lines.push_back(text(w));
      }
      begin(m, width, lines, false, false, false, vector_mask);
      if (HasFatalFailure()) return;
      const unsigned quads = 1 + unsigned(random() % 16);
      uint64_t covered = random();
      if (quads < 16) covered &= (uint64_t(1) << quads * 4) - 1;
      auto batch = random_batch(round, quads, covered);
      ASSERT_TRUE(m.shade(*batch)) << m.context.report();
      uint64_t alive = 0;
      for (unsigned l = 0; l < 64; l++)
        if (!by_flag || flag >> l % width & 1) alive |= uint64_t(1) << l;
      EXPECT_EQ(m.results.killed, covered & ~alive) << "width " << width << " round " << round;
      for (unsigned l = 0; l < quads * 4; l++)
        if (covered & alive & uint64_t(1) << l)
          for (unsigned c = 0; c < 4; c++) {
            const unsigned in = l % std::min(width, 16u);
            ASSERT_EQ(m.results.colour[0][c][l], word_of_data(c * (width == 8 ? 1 : 2) + in / 8, in % 8)) << l;
          }
    }
}

// Several targets, the last of which says that the pixels are done with; and a write to no target.
TEST_P(PixelMessages, SeveralTargetsAndNone) {
  std::vector<std::string> lines;
  for (unsigned n = 0; n < 4; n++) {
    Write w{.last = n == 3, .ends = n == 3};
    w.target = w.surface = n, w.payload = data_register + n * 4;
    lines.push_back(text(w));
  }
  begin(m, 8, lines);
  auto batch = random_batch(1, 16, ~uint64_t(0));
  ASSERT_TRUE(m.shade(*batch)) << m.context.report();
  EXPECT_EQ(m.results.outputs, 15u);
  EXPECT_EQ(m.results.killed, 0u);
  for (unsigned n = 0; n < 4; n++)
    for (unsigned c = 0; c < 4; c++)
      for (unsigned l = 0; l < 64; l++) ASSERT_EQ(m.results.colour[n][c][l], word_of_data(n * 4 + c, l % 8));
  Write none{.null_target = true};
  begin(m, 8, {text(none)});
  ASSERT_TRUE(m.shade(*batch)) << m.context.report();
  EXPECT_EQ(m.results.outputs, 0u);
  EXPECT_EQ(m.results.killed, 0u);
}

// The interpolator: planes in doubles, at offsets of the message and of each pixel, at samples, linear and in perspective.
TEST_P(PixelMessages, Interpolation) {
  m.set<_3DSTATE_MULTISAMPLE>([](uint32_t* w) { _3DSTATE_MULTISAMPLE::Number_of_Multisamples::set(w, 1); });
  m.set<_3DSTATE_SAMPLE_PATTERN>([](uint32_t* w) {
    using P = _3DSTATE_SAMPLE_PATTERN;
    P::_2x_Sample0_X_Offset::set(w, 12), P::_2x_Sample0_Y_Offset::set(w, 12);
    P::_2x_Sample1_X_Offset::set(w, 4), P::_2x_Sample1_Y_Offset::set(w, 4);
  });
  struct Plane {
    double at, x, y;
    double operator()(double px, double py) const { return at + x * px + y * py; }
  };
  const Plane one_over_w{0.75, 0.0125, -0.004}, over_w[2] = {{0.2, 0.011, 0.002}, {0.3, -0.007, 0.003}},
                                                linear[2] = {{0.1, 0.02, 0.001}, {0.4, -0.01, -0.002}};
  for (unsigned width : {8u, 16u})
    for (unsigned place : {0u, 1u, 3u})
      for (bool is_linear : {false, true})
        for (unsigned control : {0x00u, 0x10u, 0x7fu, 0x88u, 0x3cu}) {
          const unsigned groups = width / 8;
          const unsigned immediate = place == 0 ? control : place == 1 ? control & 0x10 : 0;
          const unsigned descriptor = (place == 3 ? 2 * groups : 1) << 25 | 2 * groups << 20 | unsigned(width == 16) << 16 |
                                      unsigned(is_linear) << 14 | place << 12 | immediate;
          // Answers go to r100 on; they are written as colours: x, y, and in x and y of 8 to 15 for 16.
          std::vector<std::string> lines{
              fmt::format("send.pixi ({}|M0) r100 r{} null 0x0 0x{:08x}", width, data_register, descriptor)};
          Write w{.form = width == 8 ? Simd8 : Simd16};
          w.payload = 100, w.length = w.first_length = 4 * groups;
          lines.push_back(text(w));
          begin(m, width, lines);
          if (HasFatalFailure()) return;
          auto batch = random_batch(1, width / 4, (uint64_t(1) << width) - 1);
          for (unsigned l = 0; l < 64; l++) {
            const double x = batch->x[l] + 0.5, y = batch->y[l] + 0.5;
            batch->one_over_w[l] = float(one_over_w(x, y));
            for (unsigned c = 0; c < 2; c++) {
              batch->barycentric[pipeline::PERSPECTIVE_CENTRE][c][l] = float(over_w[c](x, y) / one_over_w(x, y));
              batch->barycentric[pipeline::LINEAR_CENTRE][c][l] = float(linear[c](x, y));
            }
          }
          ASSERT_TRUE(m.shade(*batch)) << m.context.report();
          for (unsigned l = 0; l < width; l++) {
            auto nibble = [](uint32_t x) { return int((x & 15) ^ 8) - 8; };
            double dx, dy;
            if (place == 1) {
              dx = dy = immediate ? -0.25 : 0.25;
            } else if (place == 0) {
              dx = nibble(control) / 16.0, dy = nibble(control >> 4) / 16.0;
            } else {
              dx = nibble(word_of_data(l / 8, l % 8)) / 16.0, dy = nibble(word_of_data(groups + l / 8, l % 8)) / 16.0;
            }
            const double x = batch->x[l] + 0.5 + dx, y = batch->y[l] + 0.5 + dy;
            for (unsigned c = 0; c < 2; c++) {
              const double expected = is_linear ? linear[c](x, y) : over_w[c](x, y) / one_over_w(x, y);
              // r100: both of pixels 0 to 7, then of 8 to 15; the colours' registers follow each other likewise.
              const unsigned r = l / 8 * 2 + c, component = r / groups, lane = r % groups * 8 + l % 8;
              const double found = std::bit_cast<float>(m.results.colour[0][component][lane]);
              ASSERT_NEAR(found, expected, 2e-6) << "width " << width << " place " << place << " lane " << l;
            }
          }
        }
}

// Reads of every width give each pixel what its target holds, component after component (Mesa 22.3.6 brw_eu.h, brw_fb_read_desc;
// brw_fs_nir.cpp, emit_coherent_fb_read): of a target that is written, or of one that is only read, which takes the first number that is
// free.
TEST_P(PixelMessages, Reads) {
  auto read = [](unsigned to, unsigned lanes, unsigned surface, bool upper) {
    const unsigned descriptor =
        2u << 25 | lanes / 2 << 20 | 1 << 19 | 0xd << 14 | unsigned(upper) << 11 | unsigned(lanes == 8) << 8 | surface;
    return fmt::format("sendc.rc ({}|M{}) r{} r0 null 0x0 0x{:08x}", lanes, upper ? 16 : 0, to, descriptor);
  };
  unsigned seed = 100;
  for (const unsigned width : {8u, 16u, 32u})
    for (const unsigned surface : {0u, 5u}) {
      const unsigned slot = surface ? 1 : 0, lanes = std::min(width, 16u);
      std::vector<std::string> lines;
      for (bool upper : {false, true}) {
        if (upper && width < 32) break;
        lines.push_back(read(70, lanes, surface, upper));
        Write w{.form = lanes == 8 ? Simd8 : Simd16, .upper = upper, .payload = 70};
        w.ends = upper || width < 32, w.first_length = w.length = lanes / 2;
        lines.push_back(text(w));
      }
      begin(m, width, lines);
      if (HasFatalFailure()) return;
      EXPECT_EQ(m.stage->reads_colours(), 1u << slot);
      std::mt19937 random(++seed);
      const uint64_t covered = random() | uint64_t(random()) << 32 | 1;
      auto batch = random_batch(seed, 16, covered);
      auto before = std::make_unique<pipeline::PixelResults>();
      for (auto& target : before->colour)
        for (auto& component : target)
          for (uint32_t& word : component) word = random();
      ASSERT_TRUE(m.shade(*batch, [&](pipeline::PixelResults& results) { results.colour = before->colour; }))
          << m.context.report();
      EXPECT_EQ(m.results.outputs, 1u);
      for (unsigned l = 0; l < 64; l++)
        for (unsigned c = 0; c < 4; c++) {
          if (covered >> l & 1) ASSERT_EQ(m.results.colour[0][c][l], before->colour[slot][c][l]) << width << ", lane " << l;
          if (slot) ASSERT_EQ(m.results.colour[slot][c][l], before->colour[slot][c][l]);
        }
    }
}

// Anything else loses the context, by name, and leaves memory as it was.
TEST_P(PixelMessages, WhatNobodyTrusts) {
  struct Hostile {
    std::vector<std::string> lines;
    const char* says;
    unsigned width = 8;
  };
  const std::string end = text(Write{});
  auto in_register = [&](uint32_t descriptor, const char* message) {
    return std::vector<std::string>{fmt::format("(W) mov (1|M0) a0.0<1>:ud 0x{:08x}:ud", descriptor), message, end};
  };
  auto with = [](auto change) {
    Write w;
    change(w);
    return text(w);
  };
  const Hostile all[] = {
      {in_register(4u << 25 | 0x30400, "sendc.rc (8|M0) null r125 null 0x0 a0.0"), "beyond the register file"},
      {in_register(4u << 25 | 0x30700, "sendc.rc (8|M0) null r20 null 0x0 a0.0"), "a form that Xe-LP does not have"},
      {in_register(4u << 25 | 0x0c400, "sendc.rc (8|M0) null r20 null 0x0 a0.0"), "that Xe-LP does not have"},
      {in_register(1u << 25 | 2 << 20 | 0x3000, "send.pixi (8|M0) r100 r20 null 0x0 a0.0"), "too few registers"},
      {in_register(2u << 25 | 1 << 20, "send.pixi (8|M0) r100 r20 null 0x0 a0.0"), "too few registers"},
      {in_register(1u << 25 | 8 << 20, "send.pixi (8|M0) r124 r20 null 0x0 a0.0"), "beyond the register file"},
      {in_register(1u << 25 | 4 << 20 | 1 << 16, "send.pixi (16|M0) r100 r20 null 0x0 a0.0"), "does not have"},
      {in_register(4u << 25 | 0x304c8, "sendc.rc (8|M0) null r20 null 0x0 a0.0"), "none of the kernel's words names"},
      {in_register(4u << 25 | 0x30400, "sendc.rc (8|M0) null r20 null 0x3000 a0.0"), "none of the kernel's words names"},
      {in_register(2u << 25 | 4 << 20 | 1 << 19 | 0x34101, "sendc.rc (8|M0) r70 r0 null 0x0 a0.0"),
       "none of the kernel's words names"},
      {{"sendc.rc (8|M0) r70 r0 null 0x0 0x043b4100", end}, "too few registers"},
      {{"sendc.rc (16|M0) r70 r0 null 0x0 0x048b4000", end}, "pixels that the thread does not have"},
      {{"sendc.rc (8|M0) r70 r0 null 0x0 0x044b4900", end}, "pixels that the thread does not have"},
      {{with([](Write& w) { w.first_length = w.length = 3; })}, "fewer registers"},
      {{with([](Write& w) { w.form = Simd16, w.first_length = w.length = 8; })}, "pixels that the thread does not have"},
      {{with([](Write& w) { w.upper = true, w.mask = "(W) "; })}, "pixels that the thread does not have"},
      {{text(Write{.last = false, .ends = false}), "(W) mov (1|M0) f1.0<1>:ud 0xf:ud",
        "(f1.0) " + with([](Write& w) { w.target = w.surface = 1, w.last = w.ends = false; }),
        with([](Write& w) { w.target = w.surface = 2; })},
       "without one to a target"},
  };
  for (const Hostile& h : all) {
    PixelMachine m(GetParam());
    begin(m, h.width, h.lines);
    if (HasFatalFailure()) return;
    std::vector<uint8_t> before(m.space->host(PixelMachine::memory_at),
                                m.space->host(PixelMachine::memory_at) + PixelMachine::bytes);
    auto batch = random_batch(1, 16, ~uint64_t(0));
    EXPECT_FALSE(m.shade(*batch)) << h.says;
    EXPECT_TRUE(m.context.lost());
    EXPECT_NE(m.context.report().find(h.says), std::string::npos) << m.context.report() << "\nand not: " << h.says;
    EXPECT_NE(m.context.report().find("pixel shader at 0x200000000"), std::string::npos) << m.context.report();
    EXPECT_TRUE(std::equal(before.begin(), before.end(), m.space->host(PixelMachine::memory_at)));
  }
}

// A thread of coarse pixels finds their size where others have their sample (Mesa 22.3.6 brw_fs_visitor.cpp,
// emit_interpolation_setup_gfx6: bytes 0 and 1 of r1.0), and writes them by messages that say so (bit 18 of the descriptor).
TEST_P(PixelMessages, CoarsePixels) {
  for (bool coarse_write : {true, false}) {
    begin(m, 8,
          {"(W) mov (8|M0) r20.0<1>:ud r1.0<0;1,0>:ud",
           fmt::format("sendc.rc (8|M0) null r20 null 0x0 {:#010x} {{EOT}}", coarse_write ? 0x08071400 : 0x08031400)});
    m.set<_3DSTATE_PS_EXTRA>([&](uint32_t* words) {
      using Extra = _3DSTATE_PS_EXTRA;
      Extra::Pixel_Shader_Valid::set(words, 1), Extra::Pixel_Shader_Is_Per_Coarse_Pixel::set(words, 1);
    });
    ASSERT_EQ(m.make(), "");
    for (uint8_t x : {1, 2, 4})
      for (uint8_t y : {1, 2, 4}) {
        const auto batch = random_batch(x * 5u + y, 2, 0xff);
        batch->coarse = {x, y};
        if (!coarse_write && x * y > 1) {
          EXPECT_FALSE(m.shade(*batch));
          EXPECT_NE(m.context.report().find("single pixels by a thread of coarse ones"), std::string::npos);
          return;
        }
        ASSERT_TRUE(m.shade(*batch));
        for (unsigned lane = 0; lane < 8; lane++) EXPECT_EQ(m.results.colour[0][0][lane] & 0xffff, x | y << 8u) << lane;
      }
  }
}

// Their size, by viewport, and what no shader of them has.
TEST(CoarsePixels, HaveTheSizesOfCpsState) {
  constexpr uint32_t sizes_at = 0x9000;
  using Size = structures::CPS_STATE;
  using Extra = _3DSTATE_PS_EXTRA;
  unsigned made = 0, refused = 0;
  for (uint32_t mode : {0u, 1u, 2u})
    for (uint32_t x : {0u, 64u, 128u, 256u, 384u, 512u})
      for (uint32_t y : {128u, 512u, 513u})
        for (unsigned viewport : {0u, 1u}) {
          PixelMachine m(gpu::Engine::Interpreter);
          m.set<_3DSTATE_PS_EXTRA>([&](uint32_t* words) {
            Extra::Pixel_Shader_Valid::set(words, 1), Extra::Pixel_Shader_Is_Per_Coarse_Pixel::set(words, 1);
          });
          m.set<_3DSTATE_PS_BLEND>([](uint32_t* words) { _3DSTATE_PS_BLEND::Has_Writeable_RT::set(words, 1); });
          m.set<_3DSTATE_CPS_POINTERS>(
              [](uint32_t* words) { _3DSTATE_CPS_POINTERS::Coarse_Pixel_Shading_State_Array_Pointer::set(words, sizes_at); });
          m.set<_3DSTATE_CLIP>([](uint32_t* words) { _3DSTATE_CLIP::Maximum_VP_Index::set(words, 1); });
          for (unsigned n = 0; n < 2; n++) {
            uint32_t words[Size::dwords] = {};
            Size::Coarse_Pixel_Shading_Mode::set(words, n == viewport ? mode : 1u);
            Size::Min_CP_Size_X::set(words, n == viewport ? x : 256), Size::Min_CP_Size_Y::set(words, n == viewport ? y : 128);
            std::memcpy(m.space->host(PixelMachine::states + sizes_at + n * sizeof words), words, sizeof words);
          }
          pipeline::Rasterization raster;
          const bool good = find_coarse_pixels(m.context, raster);
          const bool exists = mode == 0 || (mode == 1 && (x == 128 || x == 256 || x == 512) && y != 513);
          EXPECT_EQ(good, exists) << mode << " " << x << " " << y;
          EXPECT_EQ(m.context.report().find(fmt::format("CPS_STATE {}", viewport)) != std::string::npos, !exists);
          (good ? made : refused)++;
          if (!good) continue;
          const pipeline::CoarsePixel wanted =
              mode ? pipeline::CoarsePixel{uint8_t(x / 128), uint8_t(y / 128)} : pipeline::CoarsePixel{};
          EXPECT_EQ(raster.coarse[viewport], wanted);
          EXPECT_EQ(raster.coarse[!viewport], (pipeline::CoarsePixel{2, 1}));
          EXPECT_TRUE(raster.has_coarse_pixels);
        }
  EXPECT_EQ(made, 48u);
  EXPECT_EQ(refused, 60u);
}

// The plane of depths: its value at a pixel's centre, by which a shader finds that of any place (Mesa 22.3.6 brw_fs_visitor.cpp,
// emit_interpolation_setup_gfx6: across in dword 1, down in 0, from dwords 2 and 6 on, where it is dword 3).
TEST_P(PixelMessages, PlanesOfDepth) {
  for (unsigned width : {8u, 16u}) {
    begin(m, width, {}, false, false, false, true);
    m.set<_3DSTATE_PS_EXTRA>([&](uint32_t* words) {
      using Extra = _3DSTATE_PS_EXTRA;
      Extra::Pixel_Shader_Valid::set(words, 1),
          Extra::Pixel_Shader_Requires_Source_Depth_and_or_W_Plane_Coefficients::set(words, 1);
    });
    // The registers behind the place's, dword by dword.
    m.put_kernel({"(W) mov (8|M0) r20.0<1>:ud r2.0<0;1,0>:ud", "(W) mov (8|M0) r21.0<1>:ud r2.1<0;1,0>:ud",
                  "(W) mov (8|M0) r22.0<1>:ud r2.3<0;1,0>:ud", "(W) mov (8|M0) r23.0<1>:ud r2.2<0;1,0>:ud",
                  "(W) mov (8|M0) r24.0<1>:ud r2.6<0;1,0>:ud", "(W) mov (8|M0) r126.0<1>:ud 0:ud",
                  "(W) send.dc0 (8|M0) null r126 r20 0x40 0x020a0200", "(W) add (1|M0) r126.2<1>:ud r126.2<0;1,0>:ud 2:ud",
                  "(W) send.dc0 (8|M0) null r126 r21 0x40 0x020a0200", "(W) add (1|M0) r126.2<1>:ud r126.2<0;1,0>:ud 2:ud",
                  "(W) send.dc0 (8|M0) null r126 r22 0x40 0x020a0200", "(W) add (1|M0) r126.2<1>:ud r126.2<0;1,0>:ud 2:ud",
                  "(W) send.dc0 (8|M0) null r126 r23 0x40 0x020a0200", "(W) add (1|M0) r126.2<1>:ud r126.2<0;1,0>:ud 2:ud",
                  "(W) send.dc0 (8|M0) null r126 r24 0x40 0x020a0200", text(Write{})});
    ASSERT_EQ(m.make(), "");
    const auto batch = random_batch(width, 2, 0xff);
    for (unsigned lane = 0; lane < 8; lane++)
      batch->z[lane] = 0.25f + float(batch->x[lane]) / 64 - float(batch->y[lane] - 34) / 128;
    ASSERT_TRUE(m.shade(*batch)) << m.context.report();
    const float down = std::bit_cast<float>(m.word(0)), across = std::bit_cast<float>(m.word(8)),
                from = std::bit_cast<float>(m.word(16)), x = std::bit_cast<float>(m.word(24)),
                y = std::bit_cast<float>(m.word(32));
    for (unsigned lane = 0; lane < 8; lane++)
      EXPECT_EQ(from + across * (float(batch->x[lane]) + 0.5f - x) + down * (float(batch->y[lane]) + 0.5f - y), batch->z[lane])
          << width << " " << lane;
  }
}

// Planes of 1/w and of both barycentrics, perspective (times 1/w) and linear, and samples' places, behind the plane of depths: by them a shader
// finds barycentrics anywhere (Mesa 25.0.7 brw_fs_nir.cpp, emit_pixel_interpolater_alu_at_offset), here at each pixel's centre and a sample of
// its own, as a double has them.
TEST_P(PixelMessages, PlanesOfBarycentrics) {
  for (unsigned width : {8u, 16u, 32u}) {
    begin(m, width, {});
    m.set<_3DSTATE_PS_EXTRA>([&](uint32_t* words) {
      using Extra = _3DSTATE_PS_EXTRA;
      Extra::Pixel_Shader_Valid::set(words, 1),
          Extra::Pixel_Shader_Requires_Source_Depth_and_or_W_Plane_Coefficients::set(words, 1);
      Extra::Pixel_Shader_Requires_Perspective_Bary_Plane_Coefficients::set(words, 1),
          Extra::Pixel_Shader_Requires_Non_Perspective_Bary_Plane_Coefficients::set(words, 1),
          Extra::Pixel_Shader_Requires_Subpixel_Sample_Offsets::set(words, 1);
    });
    m.set<_3DSTATE_MULTISAMPLE>([](uint32_t* words) { _3DSTATE_MULTISAMPLE::Number_of_Multisamples::set(words, 1); });
    m.set<_3DSTATE_SAMPLE_PATTERN>([](uint32_t* words) {
      using P = _3DSTATE_SAMPLE_PATTERN;
      P::_2x_Sample0_X_Offset::set(words, 12), P::_2x_Sample0_Y_Offset::set(words, 5), P::_2x_Sample1_X_Offset::set(words, 3),
          P::_2x_Sample1_Y_Offset::set(words, 9);
    });
    // The header and one or two registers of places stand before them.
    const unsigned first = width == 32 ? 3 : 2;
    std::vector<std::string> lines{"(W) mov (8|M0) r126.0<1>:ud 0:ud"};
    for (unsigned n = 0; n < 4; n++) {
      lines.push_back(fmt::format("(W) send.dc0 (8|M0) null r126 r{} 0x40 0x020a0200", first + n));
      lines.emplace_back("(W) add (1|M0) r126.2<1>:ud r126.2<0;1,0>:ud 2:ud");
    }
    lines.push_back(text(width == 8 ? Write{} : Write{.form = Simd16, .first_length = 8, .length = 8, .ends = width == 16}));
    if (width == 32) lines.push_back(text(Write{.form = Simd16, .upper = true, .first_length = 8, .length = 8}));
    m.put_kernel(lines);
    ASSERT_EQ(m.make(), "");
    EXPECT_TRUE(m.stage->wants_depth());
    EXPECT_EQ(m.stage->barycentrics() & (1 << pipeline::PERSPECTIVE_CENTRE | 1 << pipeline::LINEAR_CENTRE),
              1 << pipeline::PERSPECTIVE_CENTRE | 1 << pipeline::LINEAR_CENTRE);
    {
      auto batch = random_batch(width, 2, 0xff);
      auto linear = [](double x, double y, unsigned b) { return b ? 0.5 - x / 128 + y / 64 : 0.25 + x / 64 + y / 256; };
      auto over_w = [](double x, double y) { return 0.75 + x / 512 - (y - 34) / 256; };
      for (unsigned lane = 0; lane < 8; lane++) {
        const double x = batch->x[lane] + 0.5, y = batch->y[lane] + 0.5;
        batch->z[lane] = float(0.25 + x / 64 - y / 1024), batch->one_over_w[lane] = float(over_w(x, y));
        for (unsigned b = 0; b < 2; b++) {
          batch->barycentric[pipeline::LINEAR_CENTRE][b][lane] = float(linear(x, y, b));
          batch->barycentric[pipeline::PERSPECTIVE_CENTRE][b][lane] = float(linear(x, y, b) / over_w(x, y));
        }
      }
      ASSERT_TRUE(m.shade(*batch)) << m.context.report();
      auto word = [&](unsigned r, unsigned dword) { return double(std::bit_cast<float>(m.word(r * 8 + dword))); };
      const uint32_t xs = m.word(3 * 8), ys = m.word(3 * 8 + 4);
      EXPECT_EQ(xs & 0xffff, 0x030cu);
      EXPECT_EQ(ys & 0xffff, 0x0905u);
      for (unsigned lane = 0; lane < 8; lane++)
        for (double dx : {0.5, 0.75, 0.1875}) {
          const double x = batch->x[lane] + dx, y = batch->y[lane] + 0.5625;
          auto plane = [&](unsigned r, unsigned from, unsigned places) {
            return word(r, from + 3) + word(r, from + 1) * (x - word(places, 2)) + word(r, from) * (y - word(places, 6));
          };
          EXPECT_NEAR(plane(0, 0, 0), 0.25 + x / 64 - y / 1024, 1e-5);
          EXPECT_NEAR(plane(0, 4, 1), over_w(x, y), 1e-5);
          for (unsigned b = 0; b < 2; b++) {
            EXPECT_NEAR(plane(1, 4 * b, 1) / plane(0, 4, 1), linear(x, y, b) / over_w(x, y), 1e-4) << width << " " << lane;
            EXPECT_NEAR(plane(2, 4 * b, 2), linear(x, y, b), 1e-5) << width << " " << lane;
          }
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, PixelMessages, testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit),
                         [](const auto& info) { return info.param == gpu::Engine::Jit ? "jit" : "interpreter"; });

}  // namespace
