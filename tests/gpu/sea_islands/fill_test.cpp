// Draws that are clears in effect are filled (pipeline/draws/fill.h): sequences of them and of other draws leave the bits that the same
// draws leave whose program could tell one pixel from another, for all that the driver knows of it, and which are drawn.
#include <fmt/format.h>

#include <random>

#include "gpu/sea_islands/draws.h"

namespace Atoll::sea_islands::test {
namespace {

struct Planes {
  const char* name;
  uint32_t depth;  // DB_Z_INFO.FORMAT
  bool stencil, htile;
};
constexpr Planes planes[] = {{"none", 0, false, false},
                             {"16", DB_Z_INFO::FORMAT::Z_16, false, true},
                             {"16 and stencil", DB_Z_INFO::FORMAT::Z_16, true, false},
                             {"24", 2 /* Z_24, a public value */, false, false},
                             {"24 and stencil", 2, true, false},
                             {"24 and stencil, HTILE", 2, true, true},
                             {"32 float and stencil", DB_Z_INFO::FORMAT::Z_32_FLOAT, true, false},
                             {"stencil", 0, true, false}};

class FilledDraws : public Draws {
protected:
  static constexpr size_t bytes = width * height * 4;
  Buffer depth = *space->allocate(bytes, 4096), stencil = *space->allocate(bytes, 4096), htile = *space->allocate(16384, 4096);

  // Corners of the window in the order of a rectangle's, z from s0.
  uint64_t rectangle() {
    return program({"v_mov_b32 v1, -1.0", "v_mov_b32 v2, 1.0", "v_cmp_eq_u32 vcc, 1, v0", "v_cndmask_b32 v3, v1, v2, vcc",
                    "v_cmp_eq_u32 vcc, 2, v0", "v_cndmask_b32 v4, v1, v2, vcc", "v_mov_b32 v5, s0",
                    "exp pos0 v3, v4, v5, v2 done", "exp param0 v2, v2, v2, v2", "s_endpgm"});
  }
  uint64_t paint(const char* red, bool may_fill) {
    return program({may_fill ? "s_nop 0" : "s_branch 0", fmt::format("v_mov_b32 v2, {}", red), "v_mov_b32 v3, 1.0",
                    "v_cvt_pkrtz_f16_f32 v2, v2, v3", "exp mrt0 v2, v2, v2, v2 done compr vm", "s_endpgm"});
  }
  // Waves that a sequence of draws took.
  uint64_t draw(const Planes& of, unsigned seed, bool may_fill) {
    std::mt19937 random(seed);
    auto pick = [&](unsigned n) { return unsigned(random() % n); };
    for (const Buffer* buffer : {&colour, &depth, &stencil}) {
      auto* words = reinterpret_cast<uint32_t*>(buffer->host_pointer);
      for (unsigned n = 0; n < width * height; n++) words[n] = uint32_t(random()) & (of.depth == 3 ? 0x3fffffff : ~0u);
    }
    std::memset(htile.host_pointer, pick(2) ? 0 : 0xff, 16384);  // cleared tiles, or plain ones
    const uint64_t corners = rectangle(), around = big_triangle(), shaded = interpolating();
    const uint64_t paints[] = {paint("0.5", may_fill), paint("0", may_fill)};
    const uint64_t before = queue(gpu::QueueKind::graphics).statistics().waves;
    auto number = [](float x) { return std::bit_cast<uint32_t>(x); };
    Words w;
    for (unsigned n = 0; n < 8; n++) {
      const bool clears = pick(3) != 0;
      const uint32_t function = clears ? uint32_t(CompareFrag::FRAG_ALWAYS) : uint32_t(CompareFrag::FRAG_LESS);
      const Words one = state(clears ? corners : around, clears ? paints[pick(2)] : shaded);
      w.insert(w.end(), one.begin(), one.end());
      bind_depth(w, depth, of.depth, function);
      w.context(DB_Z_INFO::address(), DB_Z_INFO::FORMAT::of(of.depth) | DB_Z_INFO::TILE_SURFACE_ENABLE::of(of.htile));
      w.context(DB_STENCIL_INFO::address(),
                DB_STENCIL_INFO::FORMAT::of(of.stencil) | DB_STENCIL_INFO::TILE_STENCIL_DISABLE::of(!of.stencil || !of.htile));
      for (uint32_t base : {DB_STENCIL_READ_BASE::address(), DB_STENCIL_WRITE_BASE::address()})
        w.context(base, uint32_t(stencil.gpu_address >> 8));
      w.context(DB_HTILE_DATA_BASE::address(), uint32_t(htile.gpu_address >> 8));
      w.context(DB_DEPTH_CLEAR::address(), number(0.125f)).context(DB_STENCIL_CLEAR::address(), 0x5a);
      using Control = DB_DEPTH_CONTROL;
      w.context(Control::address(), Control::Z_ENABLE::of(pick(4) != 0) | Control::Z_WRITE_ENABLE::of(pick(4) != 0) |
                                        Control::ZFUNC::of(function) | Control::STENCIL_ENABLE::of(pick(2)) |
                                        Control::STENCILFUNC::of(CompareRef::REF_ALWAYS));
      w.context(DB_STENCIL_CONTROL::address(), DB_STENCIL_CONTROL::STENCILZPASS::of(pick(2) ? 2 /* replace */ : 0));
      w.context(DB_STENCILREFMASK::address(), DB_STENCILREFMASK::STENCILTESTVAL::of(pick(256)) |
                                                  DB_STENCILREFMASK::STENCILMASK::of(0xff) |
                                                  DB_STENCILREFMASK::STENCILWRITEMASK::of(pick(2) ? 0xff : 0x3c));
      w.context(CB_TARGET_MASK::address(), pick(3) ? 0xf : pick(16));
      // Scissors, of which those of viewports are switched on as drivers have them.
      const unsigned left = pick(3) ? 0 : pick(20), top = pick(3) ? 0 : pick(10);
      const unsigned right = pick(3) ? width : width - pick(10), bottom = pick(3) ? height : height - pick(6);
      const bool by_viewport = pick(2);
      w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::VPORT_SCISSOR_ENABLE::of(by_viewport));
      const uint32_t tl = by_viewport ? PA_SC_VPORT_SCISSOR_TL::address(0) : PA_SC_GENERIC_SCISSOR_TL::address();
      w.context(tl, 1u << 31 | left | top << 16).context(tl + 4, right | bottom << 16);
      w.shader(SPI_SHADER_USER_DATA_VS::address(0), number(float(pick(5)) / 4));
      if (clears) w.user(VGT_PRIMITIVE_TYPE::address(), VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_RECTLIST);
      triangle(w);
      if (pick(4)) continue;
      good(w);  // what is kept is written back
      w = {};
    }
    if (!w.empty()) good(w);
    return queue(gpu::QueueKind::graphics).statistics().waves - before;
  }
  std::vector<uint8_t> memory() {
    std::vector<uint8_t> all;
    for (const Buffer* buffer : {&colour, &depth, &stencil, &htile}) {
      const auto* from = reinterpret_cast<const uint8_t*>(buffer->host_pointer);
      all.insert(all.end(), from, from + (buffer == &htile ? 16384 : bytes));
    }
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, FilledDraws, testing::Values("interpreter", "jit"));

TEST_P(FilledDraws, LeaveTheBitsOfDraws) {
  uint64_t filling = 0, drawing = 0;
  for (const Planes& of : planes)
    for (unsigned seed = 1; seed <= (GetParam() == std::string_view("jit") ? 6u : 60u); seed++) {
      drawing += draw(of, seed, false);
      const std::vector<uint8_t> drawn = memory();
      filling += draw(of, seed, true);
      const std::vector<uint8_t> filled = memory();
      const auto first = std::ranges::mismatch(drawn, filled);
      ASSERT_EQ(first.in1 - drawn.begin(), ptrdiff_t(drawn.size())) << "depth " << of.name << ", seed " << seed;
    }
  EXPECT_LT(filling, drawing / 2);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
