// Depth and stencil of draws field by field, without a driver: functions, operations, bounds, what a shader exports, clamps, and
// when the tests happen. Expectations are worked out here.
#include <array>
#include <cmath>
#include <limits>

#include "gpu/sea_islands/draws.h"

namespace Atoll::sea_islands::test {
namespace {

using Control = DB_DEPTH_CONTROL;
using Shader = DB_SHADER_CONTROL;

class DepthState : public Draws {
protected:
  DepthState() : depth(*space->allocate(width * height * 4, 4096)), stencil(*space->allocate(width * height, 4096)) {
    vertex = big_triangle();
  }
  // One pixel; depth 0.5 + 0.5 * `position`.
  Words begin(uint64_t pixel, uint32_t format, float position) {
    Words w = state(vertex, pixel);
    bind_depth(w, depth, format);
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    w.context(PA_SC_GENERIC_SCISSOR_TL::address(), 1u << 31).context(PA_SC_GENERIC_SCISSOR_BR::address(), 1 | 1 << 16);
    return w.shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(position));
  }
  Words& bind_stencil(Words& w) {
    w.context(DB_STENCIL_INFO::address(), DB_STENCIL_INFO::FORMAT::of(1));
    return w.context(DB_STENCIL_READ_BASE::address(), uint32_t(stencil.gpu_address >> 8))
        .context(DB_STENCIL_WRITE_BASE::address(), uint32_t(stencil.gpu_address >> 8));
  }
  uint64_t white() { return program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"}); }
  uint32_t& first() { return *reinterpret_cast<uint32_t*>(depth.host_pointer); }

  Buffer depth, stencil;
  uint64_t vertex = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, DepthState, testing::Values("interpreter", "jit"));

struct Format {
  uint32_t value;
  unsigned bits;
};
constexpr Format formats[] = {
    {DB_Z_INFO::FORMAT::Z_16, 16}, {2 /* Z_24, a public value */, 24}, {DB_Z_INFO::FORMAT::Z_32_FLOAT, 32}};
uint32_t word_of(const Format& f, double z) {
  if (f.bits == 32) return std::bit_cast<uint32_t>(float(z));
  return uint32_t(std::lround(z * ((1u << f.bits) - 1)));
}
bool compares(uint32_t function, double a, double b) {
  switch (function) {
    case CompareFrag::FRAG_NEVER: return false;
    case CompareFrag::FRAG_LESS: return a < b;
    case CompareFrag::FRAG_EQUAL: return a == b;
    case CompareFrag::FRAG_LEQUAL: return a <= b;
    case CompareFrag::FRAG_GREATER: return a > b;
    case CompareFrag::FRAG_NOTEQUAL: return a != b;
    case CompareFrag::FRAG_GEQUAL: return a >= b;
    default: return true;
  }
}

// Functions, writes, read-only views, the time of the test, programs that kill, bounds.
TEST_P(DepthState, TestsAndWritesDepth) {
  const uint64_t pixel[2] = {white(), program({"s_mov_b64 exec, 0", "exp null off, off, off, off done vm", "s_endpgm"})};
  unsigned cases = 0;
  for (const Format& f : formats)
    for (uint32_t function = 0; function < 8; function++)
      for (double old : {0.25, 0.75, 0.875})
        for (unsigned form = 0; form < 96; form++) {
          const bool writes = form & 1, read_only = form & 2, kills = form & 4, bounds = form & 8;
          // LATE_Z, EARLY_Z_THEN_LATE_Z, EARLY_Z_THEN_LATE_Z before the shader whatever it does.
          const unsigned when = form / 16 % 3;
          const bool front_only = form / 48;  // (another clear field: the mask of the other face)
          Words w = begin(pixel[kills], f.value, 0.5f);
          w.context(Control::address(), Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(writes) |
                                            Control::ZFUNC::of(function) | Control::DEPTH_BOUNDS_ENABLE::of(bounds) |
                                            Control::BACKFACE_ENABLE::of(front_only));
          w.context(DB_DEPTH_BOUNDS_MIN::address(), std::bit_cast<uint32_t>(0.5f))
              .context(DB_DEPTH_BOUNDS_MAX::address(), std::bit_cast<uint32_t>(0.8f));
          w.context(DB_DEPTH_VIEW::address(), DB_DEPTH_VIEW::Z_READ_ONLY::of(read_only));
          w.context(Shader::address(),
                    Shader::KILL_ENABLE::of(kills) | Shader::Z_ORDER::of(when > 0) | Shader::DEPTH_BEFORE_SHADER::of(when == 2));
          if (kills) w.context(SPI_SHADER_COL_FORMAT::address(), 0).context(CB_SHADER_MASK::address(), 0);
          const uint32_t before = word_of(f, old) | (f.bits == 24 ? 0xab000000 : f.bits == 16 ? 0x12340000 : 0);
          first() = before;
          *reinterpret_cast<uint32_t*>(colour.host_pointer) = 0;
          good(triangle(w));
          const uint32_t of_depth = f.bits == 32 ? ~0u : (1u << f.bits) - 1;
          bool passes = (!bounds || (old >= 0.5 && old <= 0.8)) && compares(function, word_of(f, 0.75), before & of_depth);
          if (f.bits == 32) passes = (!bounds || (old >= 0.5 && old <= 0.8)) && compares(function, 0.75, old);
          // A pixel that the program kills has been written if the test came before it.
          const bool stored = passes && writes && !read_only && (!kills || when == 2);
          const uint32_t after = stored ? word_of(f, 0.75) | (before & ~of_depth) : before;
          ASSERT_EQ(first(), after) << f.bits << " bits, function " << function << ", from " << old << ", form " << form;
          ASSERT_EQ(*reinterpret_cast<uint32_t*>(colour.host_pointer), passes && !kills ? ~0u : 0)
              << f.bits << " bits, function " << function << ", from " << old << ", form " << form;
          cases++;
        }
  EXPECT_EQ(cases, 3u * 8 * 3 * 96);
}

// --- stencil

uint8_t operated(uint32_t op, uint8_t old, uint8_t test, uint8_t value) {
  using Op = DB_STENCIL_CONTROL::STENCILFAIL;
  switch (op) {
    case Op::STENCIL_KEEP: return old;
    case Op::STENCIL_ZERO: return 0;
    case Op::STENCIL_ONES: return 0xff;
    case Op::STENCIL_REPLACE_TEST: return test;
    case Op::STENCIL_REPLACE_OP: return value;
    case Op::STENCIL_ADD_CLAMP: return uint8_t(std::min(255, old + value));
    case Op::STENCIL_SUB_CLAMP: return uint8_t(std::max(0, old - value));
    case Op::STENCIL_INVERT: return uint8_t(~old);
    case Op::STENCIL_ADD_WRAP: return uint8_t(old + value);
    case Op::STENCIL_SUB_WRAP: return uint8_t(old - value);
    case Op::STENCIL_AND: return old & value;
    case Op::STENCIL_OR: return old | value;
    case Op::STENCIL_XOR: return old ^ value;
    case Op::STENCIL_NAND: return uint8_t(~(old & value));
    case Op::STENCIL_NOR: return uint8_t(~(old | value));
    default: return uint8_t(~(old ^ value));
  }
}

// Every operation for each outcome on each face, with functions, masks and references in turns.
TEST_P(DepthState, OperatesOnStencil) {
  const uint64_t pixel = white();
  unsigned cases = 0, number = 0;
  for (uint32_t op = 0; op < 16; op++)
    for (unsigned outcome = 0; outcome < 3; outcome++)  // stencil fails, depth fails, both pass
      for (bool back : {false, true})
        for (bool own_back : {false, true})
          for (uint8_t old : {uint8_t(0), uint8_t(1), uint8_t(0x5a), uint8_t(0xfe), uint8_t(0xff)}) {
            number++;
            const uint8_t test = uint8_t(number * 37), value = number % 3 ? 1 : uint8_t(number * 11),
                          compared = uint8_t(number % 4 ? 0xff : 0x3c), written = uint8_t(number % 5 ? 0xff : 0x0f);
            // A function that ends as it should, from those that can.
            std::vector<uint32_t> functions;
            for (uint32_t f = 0; f < 8; f++)
              if (compares(f, test & compared, old & compared) == (outcome != 0)) functions.push_back(f);
            const uint32_t function = functions[number % functions.size()];
            using Ops = DB_STENCIL_CONTROL;
            Words w = begin(pixel, DB_Z_INFO::FORMAT::Z_32_FLOAT, 0.5f);
            bind_stencil(w);
            const uint32_t other = (op + 5) % 16;
            const bool uses_back = back && own_back;
            auto ops = [&](uint32_t o, bool of_back) {
              const uint32_t fail = outcome == 0 ? o : other, z_fail = outcome == 1 ? o : other, pass = outcome == 2 ? o : other;
              return of_back ? Ops::STENCILFAIL_BF::of(fail) | Ops::STENCILZFAIL_BF::of(z_fail) | Ops::STENCILZPASS_BF::of(pass)
                             : Ops::STENCILFAIL::of(fail) | Ops::STENCILZFAIL::of(z_fail) | Ops::STENCILZPASS::of(pass);
            };
            // The face that does not count has another operation, function and reference.
            const uint32_t wrong = (op + 9) % 16, wrong_function = (function + 3) % 8;
            w.context(Ops::address(), ops(uses_back ? wrong : op, false) | ops(uses_back ? op : wrong, true));
            using Masks = DB_STENCILREFMASK;
            const uint32_t masks = Masks::STENCILTESTVAL::of(test) | Masks::STENCILMASK::of(compared) |
                                   Masks::STENCILWRITEMASK::of(written) | Masks::STENCILOPVAL::of(value),
                           wrong_masks = 0x63c3a55a;
            w.context(DB_STENCILREFMASK::address(), uses_back ? wrong_masks : masks)
                .context(DB_STENCILREFMASK_BF::address(), uses_back ? masks : wrong_masks);
            w.context(Control::address(),
                      Control::STENCIL_ENABLE::of(1) | Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(1) |
                          Control::ZFUNC::of(outcome == 1 ? CompareFrag::FRAG_NEVER : CompareFrag::FRAG_ALWAYS) |
                          Control::BACKFACE_ENABLE::of(own_back) |
                          Control::STENCILFUNC::of(uses_back ? wrong_function : function) |
                          Control::STENCILFUNC_BF::of(uses_back ? function : wrong_function));
            // With FACE 1 the triangle shows its front.
            w.context(PA_SU_SC_MODE_CNTL::address(), PA_SU_SC_MODE_CNTL::FACE::of(!back));
            *stencil.host_pointer = old;
            *reinterpret_cast<uint32_t*>(colour.host_pointer) = 0;
            good(triangle(w));
            const uint8_t fresh = operated(op, old, test, value), expected = uint8_t((fresh & written) | (old & ~written));
            ASSERT_EQ(unsigned(*stencil.host_pointer), unsigned(expected))
                << "operation " << op << ", outcome " << outcome << (back ? ", back" : ", front")
                << (own_back ? " with its own state" : "") << ", from " << unsigned(old) << ", reference " << unsigned(test)
                << ", value " << unsigned(value);
            ASSERT_EQ(pixel && *reinterpret_cast<uint32_t*>(colour.host_pointer) != 0, outcome == 2);
            cases++;
          }
  EXPECT_EQ(cases, 16u * 3 * 2 * 2 * 5);
}

// --- exports

// Depth, stencil references and masks of samples in every form that drivers export them.
TEST_P(DepthState, TakesWhatAShaderExports) {
  // v0: depth, v1: stencil, v2: mask; v3: stencil in bits 23:16, v4: mask, packed.
  auto exporting = [&](bool packed, unsigned enabled) {
    std::vector<std::string> lines = {"v_mov_b32 v0, s0",         "v_mov_b32 v1, s1",  "v_mov_b32 v2, s2",
                                      "v_lshlrev_b32 v3, 16, v1", "v_mov_b32 v5, 1.0", "exp mrt0 v5, v5, v5, v5"};
    auto on = [&](unsigned bit, const char* name) { return enabled & bit ? name : "off"; };
    if (packed)
      lines.push_back(fmt::format("exp mrtz {}, {}, {}, {} done compr vm", on(2, "v3"), on(2, "v3"), on(4, "v2"), on(4, "v2")));
    else
      lines.push_back(fmt::format("exp mrtz {}, {}, {}, off done vm", on(1, "v0"), on(2, "v1"), on(4, "v2")));
    lines.push_back("s_endpgm");
    return program(lines);
  };
  using Export = SPI_SHADER_EX_FORMAT;
  struct Form {
    unsigned enabled;
    bool packed;
    uint32_t format;
  };
  const Form forms[] = {{1, false, Export::SPI_SHADER_32_R},       {3, false, Export::SPI_SHADER_32_GR},
                        {5, false, Export::SPI_SHADER_32_ABGR},    {7, false, Export::SPI_SHADER_32_ABGR},
                        {2, true, Export::SPI_SHADER_UINT16_ABGR}, {4, true, Export::SPI_SHADER_UINT16_ABGR},
                        {6, true, Export::SPI_SHADER_UINT16_ABGR}, {2, false, Export::SPI_SHADER_32_GR}};
  for (const Form& form : forms) {
    const uint64_t pixel = exporting(form.packed, form.enabled);
    for (float exported : {0.25f, 0.9f, -1.0f, 3.0f})
      for (uint32_t mask : {0u, 1u, 2u})
        for (bool clamps : {true, false})
          for (uint32_t order : {uint32_t(Shader::Z_ORDER::LATE_Z), uint32_t(Shader::Z_ORDER::EARLY_Z_THEN_LATE_Z)}) {
            Words w = begin(pixel, DB_Z_INFO::FORMAT::Z_32_FLOAT, 0.25f);  // 0.625 where no depth is exported
            bind_stencil(w);
            w.shader(SPI_SHADER_PGM_RSRC2_PS::address(), SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(3));
            w.shader(SPI_SHADER_USER_DATA_PS::address(0), std::bit_cast<uint32_t>(exported))
                .shader(SPI_SHADER_USER_DATA_PS::address(1), 0x1a7)
                .shader(SPI_SHADER_USER_DATA_PS::address(2), mask);
            w.context(SPI_SHADER_Z_FORMAT::address(), form.format);
            w.context(Shader::address(), Shader::Z_EXPORT_ENABLE::of(form.enabled & 1) |
                                             Shader::STENCIL_TEST_VAL_EXPORT_ENABLE::of(form.enabled >> 1 & 1) |
                                             Shader::MASK_EXPORT_ENABLE::of(form.enabled >> 2) | Shader::Z_ORDER::of(order));
            w.context(Control::address(), Control::STENCIL_ENABLE::of(1) | Control::Z_ENABLE::of(1) |
                                              Control::Z_WRITE_ENABLE::of(1) | Control::ZFUNC::of(CompareFrag::FRAG_ALWAYS) |
                                              Control::STENCILFUNC::of(CompareFrag::FRAG_ALWAYS));
            w.context(DB_STENCIL_CONTROL::address(),
                      DB_STENCIL_CONTROL::STENCILZPASS::of(DB_STENCIL_CONTROL::STENCILZPASS::STENCIL_REPLACE_TEST));
            w.context(DB_STENCILREFMASK::address(), 0xffff33);
            w.context(PA_SC_VPORT_ZMIN::address(0), std::bit_cast<uint32_t>(0.125f))
                .context(PA_SC_VPORT_ZMAX::address(0), std::bit_cast<uint32_t>(0.75f));
            w.context(DB_RENDER_OVERRIDE::address(), DB_RENDER_OVERRIDE::DISABLE_VIEWPORT_CLAMP::of(!clamps));
            first() = 0x3c000000, *stencil.host_pointer = 0x77;
            *reinterpret_cast<uint32_t*>(colour.host_pointer) = 0;
            good(triangle(w));
            const bool drawn = !(form.enabled & 4) || (mask & 1);
            float z = form.enabled & 1 ? exported : 0.625f;
            if (clamps) z = std::clamp(z, 0.125f, 0.75f);
            SCOPED_TRACE(fmt::format("enabled {}, format {}, depth {}, mask {}, clamps {}, order {}", form.enabled, form.format,
                                     exported, mask, clamps, order));
            ASSERT_EQ(std::bit_cast<float>(first()), drawn ? z : std::bit_cast<float>(0x3c000000));
            ASSERT_EQ(unsigned(*stencil.host_pointer), !drawn ? 0x77u : form.enabled & 2 ? 0xa7u : 0x33u);
            ASSERT_EQ(*reinterpret_cast<uint32_t*>(colour.host_pointer), drawn ? ~0u : 0u);
          }
  }
}

// The depth of the primitive is clamped to the viewport's range, or not at all (RADV without depth clipping).
TEST_P(DepthState, ClampsDepthToTheViewport) {
  const uint64_t pixel = white();
  for (float position : {-3.0f, -0.5f, 0.0f, 0.4f, 0.9f, 5.0f})
    for (bool clamps : {true, false})
      for (const Format& f : formats) {
        Words w = begin(pixel, f.value, position);
        using Clip = PA_CL_CLIP_CNTL;
        w.context(Clip::address(), Clip::ZCLIP_NEAR_DISABLE::of(1) | Clip::ZCLIP_FAR_DISABLE::of(1));
        w.context(PA_SC_VPORT_ZMIN::address(0), std::bit_cast<uint32_t>(0.25f))
            .context(PA_SC_VPORT_ZMAX::address(0), std::bit_cast<uint32_t>(0.75f));
        w.context(DB_RENDER_OVERRIDE::address(), DB_RENDER_OVERRIDE::DISABLE_VIEWPORT_CLAMP::of(!clamps));
        first() = 0;
        good(triangle(w));
        float z = 0.5f + 0.5f * position;
        if (clamps) z = std::clamp(z, 0.25f, 0.75f);
        if (f.bits < 32) z = std::clamp(z, 0.0f, 1.0f);
        if (f.bits == 32)
          ASSERT_NEAR(std::bit_cast<float>(first()), z, 1e-6) << position;
        else
          ASSERT_NEAR(double(first()), double(z) * ((1u << f.bits) - 1), 1) << position << ", clamps " << clamps;
      }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
