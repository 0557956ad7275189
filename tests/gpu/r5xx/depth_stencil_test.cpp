// Depth and stencil in every form that Mesa's r300g writes (22.3.6: r300_state.c, r300_create_dsa_state): functions, operations,
// masks and references by face, against a model; depth from the shader, tests before and after it.
#include <gtest/gtest.h>

#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

using test::Scene;
using Prim = VAP_VF_CNTL::PRIM_TYPE;
using C = ZB_ZSTENCILCNTL;

bool compares(uint32_t function, uint32_t a, uint32_t b) {
  switch (function) {
    case 0: return false;
    case 1: return a < b;
    case 2: return a <= b;
    case 3: return a == b;
    case 4: return a >= b;
    case 5: return a > b;
    case 6: return a != b;
    default: return true;
  }
}

struct Face {
  uint32_t function, fail, pass, depth_fail;
  uint8_t reference, compare_mask, write_mask;
};

// r300_reg.h: keep, zero, replace, increment, decrement, invert, increment and decrement with wrapping.
uint8_t operate(uint32_t operation, uint8_t stencil, const Face& face) {
  uint8_t made = stencil;
  switch (operation) {
    case 1: made = 0; break;
    case 2: made = face.reference; break;
    case 3: made = stencil == 255 ? 255 : uint8_t(stencil + 1); break;
    case 4: made = stencil == 0 ? 0 : uint8_t(stencil - 1); break;
    case 5: made = uint8_t(~stencil); break;
    case 6: made = uint8_t(stencil + 1); break;
    case 7: made = uint8_t(stencil - 1); break;
    default: break;
  }
  return uint8_t((made & face.write_mask) | (stencil & ~face.write_mask));
}

uint32_t word(const Face& f) {
  return ZB_STENCILREFMASK::STENCILREF::of(f.reference) | ZB_STENCILREFMASK::STENCILMASK::of(f.compare_mask) |
         ZB_STENCILREFMASK::STENCILWRITEMASK::of(f.write_mask);
}

// Each of the functions with each of the operations in each place, on both faces at once, over 16 stencil values; with and
// without a depth test, one-sided and two-sided.
TEST(DepthStencilForms, FunctionsOperationsMasksAndFaces) {
  constexpr uint8_t values[16] = {0, 1, 2, 0x0f, 0x10, 0x35, 0x5a, 0x7f, 0x80, 0x81, 0xa5, 0xc3, 0xf0, 0xfd, 0xfe, 0xff};
  constexpr uint32_t depth = 0x800000;
  Scene scene;
  scene.depth_buffer(2);
  unsigned states = 0;
  for (uint32_t function = 0; function < 8; function++)
    for (uint32_t operation = 0; operation < 8; operation++)
      for (uint32_t depth_function = 0; depth_function < 8; depth_function++)
        for (unsigned form = 0; form < 4; form++) {
          const bool two_sided = form & 1, tests_depth = form & 2;
          if (!tests_depth && depth_function) continue;
          const Face front{
              function, operation, (operation + 3) % 8, (operation + 5) % 8, 0x5a, 0xff, uint8_t(operation % 2 ? 0x3f : 0xff)};
          const Face back{(function + 5) % 8, (operation + 1) % 8, (operation + 6) % 8, operation, 0x81, 0xf0, 0xff};
          for (unsigned y = 0; y < Scene::height; y++)
            for (unsigned x = 0; x < Scene::width; x++) {
              uint32_t texel = depth << 8 | values[x / 4];
              std::memcpy(scene.depth.host_pointer + (y * Scene::width + x) * 4, &texel, 4);
            }
          scene.stream.set(ZB_CNTL::address(),
                           {ZB_CNTL::STENCIL_ENABLE::of(1) | ZB_CNTL::Z_ENABLE::of(tests_depth) | ZB_CNTL::ZWRITEENABLE::of(1) |
                                ZB_CNTL::STENCIL_FRONT_BACK::of(two_sided) | ZB_CNTL::STENCIL_REFMASK_FRONT_BACK::of(two_sided),
                            C::ZFUNC::of(depth_function) | C::STENCILFUNC::of(front.function) | C::STENCILFAIL::of(front.fail) |
                                C::STENCILZPASS::of(front.pass) | C::STENCILZFAIL::of(front.depth_fail) |
                                (two_sided ? C::STENCILFUNC_BF::of(back.function) | C::STENCILFAIL_BF::of(back.fail) |
                                                 C::STENCILZPASS_BF::of(back.pass) | C::STENCILZFAIL_BF::of(back.depth_fail)
                                           : 0u),
                            word(front)});
          scene.stream.set(ZB_STENCILREFMASK_BF::address(), two_sided ? word(back) : 0);
          // Upper rows counter-clockwise (front), lower ones clockwise; nearer than what stands there.
          scene.draw(Prim::Quad_List, {{0, 0, 0.25f}, {0, 16, 0.25f}, {64, 16, 0.25f}, {64, 0, 0.25f}});
          scene.draw(Prim::Quad_List, {{0, 16, 0.25f}, {64, 16, 0.25f}, {64, 32, 0.25f}, {0, 32, 0.25f}}).run();
          for (unsigned n = 0; n < 16; n++)
            for (bool is_back : {false, true}) {
              const Face& face = is_back && two_sided ? back : front;
              const uint8_t stencil = values[n];
              bool passes = compares(face.function, face.reference & face.compare_mask, stencil & face.compare_mask);
              bool nearer = !tests_depth || compares(depth_function, 0x400000, depth);
              uint8_t expected = operate(!passes ? face.fail : nearer ? face.pass : face.depth_fail, stencil, face);
              const uint32_t found = scene.depth_at(n * 4 + 1, is_back ? 20 : 4);
              ASSERT_EQ(found & 0xff, expected)
                  << "function " << function << " operation " << operation << " depth " << depth_function << " form " << form
                  << " of " << unsigned(stencil) << (is_back ? " back" : " front");
              ASSERT_NEAR(double(found >> 8), passes && nearer && tests_depth ? 0x3fffff : depth, 1);
            }
          states++;
        }
  EXPECT_EQ(states, 64u * (2 + 16));
}

// Mesa writes the depth's mask also where there is no test: nothing is written then.
TEST(DepthStencilForms, NoDepthIsWrittenWithoutATest) {
  Scene scene;
  scene.depth_buffer(2).fill_depth<uint32_t>(0x12345678);
  scene.stream.set(ZB_CNTL::address(), {ZB_CNTL::ZWRITEENABLE::of(1), 7});
  scene.whole({1, 1, 1, 1}, 0.75f).run();
  EXPECT_EQ(scene.depth_at(9, 9), 0x12345678u);
  EXPECT_EQ(scene.count(0xffffffff), Scene::width * Scene::height);
}

// US_W_FMT and FG_DEPTH_SRC: Mesa's shaders give their depth in the w output.
TEST(DepthStencilForms, DepthFromTheShader) {
  for (bool from_shader : {false, true})
    for (uint32_t format : {0u, 2u}) {
      Scene scene;
      scene.depth_buffer(format).fill_depth<uint32_t>(0);
      // o0 = t0, w = t0.alpha
      auto code = Scene::move(0);
      code[4] |= 1u << 31;  // US_ALU_ALPHA_INST.W_OMASK
      scene.stream.set(ZB_CNTL::address(), {ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1), 7})
          .set(ZB_ZTOP::address(), 0);
      scene.stream.set(FG_DEPTH_SRC::address(), from_shader).set(US_W_FMT::address(), US_W_FMT::W_FMT::of(from_shader));
      scene.code({code});
      scene.whole({0, 0, 0, 0.75f}, 0.25f).run();
      const double most = format ? 16777215 : 65535;
      double found = format ? scene.depth_at(3, 3) >> 8 : scene.depth_at<uint16_t>(3, 3);
      EXPECT_NEAR(found, (from_shader ? 0.75 : 0.25) * most, 2) << format;
    }
}

// ZB_ZTOP off: what the alpha test drops changes neither depth nor the count of samples.
TEST(DepthStencilForms, TestsAfterTheShader) {
  for (bool early : {false, true}) {
    Scene scene;
    Buffer results = scene.machine.allocate(4096);
    scene.depth_buffer(2).fill_depth<uint32_t>(0xffffff00);
    scene.stream.set(ZB_ZTOP::address(), early)
        .set(ZB_CNTL::address(), {ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1), 1});
    // Greater than half, by 8 bits as Mesa has it.
    scene.stream.set(FG_ALPHA_FUNC::address(), FG_ALPHA_FUNC::AF_VAL::of(128) | FG_ALPHA_FUNC::AF_FUNC::of(4) |
                                                   FG_ALPHA_FUNC::AF_EN::of(1) | FG_ALPHA_FUNC::AF_EN_8BIT::of(1));
    scene.stream.set(ZB_ZPASS_DATA::address(), 0);
    scene.rectangle(0, 0, 32, 32, {1, 1, 1, 0.25f}, 0.5f).rectangle(32, 0, 64, 32, {1, 1, 1, 0.75f}, 0.5f);
    scene.stream.set(SU_REG_DEST::address(), 1).set(ZB_ZPASS_ADDR::address(), uint32_t(results.gpu_address));
    scene.run();
    uint32_t count;
    std::memcpy(&count, results.host_pointer, 4);
    EXPECT_EQ(count, early ? 2048u : 1024u);
    EXPECT_EQ(scene.depth_at(8, 8) == 0xffffff00, !early);
    EXPECT_NE(scene.depth_at(40, 8), 0xffffff00u);
    EXPECT_EQ(scene.at(8, 8), 0u);
    EXPECT_NE(scene.at(40, 8), 0u);
  }
}

// Words of 24 and 16 bits as signed numbers of both kinds, before and after the shader; of blocks, of a quad, beside stencils.
TEST(SignedDepth, EveryFunction) {
  for (uint32_t format : {0u, 2u})
    for (uint32_t magnitude : {0u, 1u})
      for (unsigned form = 0; form < 6; form++)
        for (uint32_t function = 0; function < 8; function++) {
          const uint32_t early = form & 1, stencil = form >= 4;
          const float begin = form / 2 == 1 ? 4 : 0, end = form / 2 == 1 ? 6 : 8;
          const unsigned size = format ? 24 : 16;
          const uint32_t top = 1u << (size - 1), all = 2 * top - 1;
          auto number = [&](uint32_t word) {
            if (!(word & top)) return int32_t(word);
            return magnitude ? -int32_t(word & (top - 1)) : int32_t(word) - int32_t(all) - 1;
          };
          for (uint32_t old : {0u, 5u, top - 1, top, top + 5, all}) {
            Scene scene;
            scene.depth_buffer(format);
            scene.stream.set(ZB_CNTL::address(), ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZSIGNED_COMPARE::of(1) |
                                                     ZB_CNTL::ZSIGNED_MAGNITUDE::of(magnitude) |
                                                     ZB_CNTL::STENCIL_ENABLE::of(stencil));
            scene.stream.set(ZB_ZSTENCILCNTL::address(), C::ZFUNC::of(function) | C::STENCILFUNC::of(7))
                .set(ZB_ZTOP::address(), early);
            if (format)
              scene.fill_depth(uint32_t(old << 8));
            else
              scene.fill_depth(uint16_t(old));
            uint32_t column = 0;
            const std::array<uint32_t, 6> words{0u, 5u, top - 1, top, top + 5, all};
            for (uint32_t word : words) {
              const float left = float(column * 8), z = float(double(word) / double(all));
              scene.rectangle(left + begin, begin, left + end, end, {1, 1, 1, 1}, z);
              column++;
            }
            scene.run();
            for (column = 0; column < words.size(); column++) {
              const int32_t a = number(words[column]), b = number(old);
              const bool passes = function == 0   ? false
                                  : function == 1 ? a < b
                                  : function == 2 ? a <= b
                                  : function == 3 ? a == b
                                  : function == 4 ? a >= b
                                  : function == 5 ? a > b
                                  : function == 6 ? a != b
                                                  : true;
              ASSERT_EQ(scene.at(column * 8 + 4, 4) != 0, passes)
                  << format << " " << magnitude << " form " << form << " function " << function << ": " << words[column]
                  << " and " << old;
            }
          }
        }
}

// 13E3: three bits count the ones that 24 bits begin with, 13 are those that follow behind the first zero; INVERT counts zeros.
TEST(FloatDepth, CodesAndOrder) {
  auto code_of = [](uint32_t depth) {
    uint32_t ones = 0;
    while (ones < 7 && depth >> (23 - ones) & 1) ones++;
    const uint32_t rest = depth << (ones < 7 ? ones + 1 : 7) & 0xffffff;
    return ones << 13 | rest >> 11;
  };
  const std::array<uint32_t, 8> depths{0, 0x123456, 0x7fffff, 0x800000, 0xc0ffee, 0xfd1234, 0xfeffff, 0xffffff};
  for (uint32_t invert : {0u, 1u})
    for (uint32_t early : {0u, 1u}) {
      Scene scene;
      scene.depth_buffer(1 | ZB_FORMAT::INVERT::of(invert));
      scene.stream.set(ZB_CNTL::address(), ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1));
      scene.stream.set(ZB_ZSTENCILCNTL::address(), C::ZFUNC::of(7)).set(ZB_ZTOP::address(), early);
      for (unsigned n = 0; n < depths.size(); n++)
        scene.rectangle(float(n * 8), 0, float(n * 8 + 8), 8, {1, 0, 0, 1}, float(double(depths[n]) / 0xffffff));
      scene.run();
      for (unsigned n = 0; n < depths.size(); n++) {
        const uint32_t code = invert ? 0xffff & ~code_of(0xffffff & ~depths[n]) : code_of(depths[n]);
        EXPECT_EQ(scene.depth_at<uint16_t>(n * 8 + 3, 3), code) << depths[n] << " " << invert;
      }
      // Nearer ones are in front all over the range.
      scene.stream.set(ZB_ZSTENCILCNTL::address(), C::ZFUNC::of(1));
      scene.whole({0, 1, 0, 1}, float(double(0xc00000) / 0xffffff)).run();
      for (unsigned n = 0; n < depths.size(); n++)
        EXPECT_EQ(scene.at(n * 8 + 3, 3), depths[n] > 0xc00000 ? 0xff00ff00u : 0xff0000ffu) << depths[n] << " " << invert;
    }
}

// GB_SELECT.DEPTH_SELECT: w instead of z, past the viewport, through SU_DEPTH_SCALE and _OFFSET.
TEST(DepthOfW, GoesPastTheViewport) {
  for (uint32_t of_w : {0u, 1u}) {
    Scene scene;
    scene.depth_buffer(2);
    scene.stream.set(VAP_VTE_CNTL::address(), VAP_VTE_CNTL::VTX_XY_FMT::of(1) | VAP_VTE_CNTL::VTX_Z_FMT::of(1) |
                                                  VAP_VTE_CNTL::VTX_W0_FMT::of(1) | VAP_VTE_CNTL::VPORT_Z_SCALE_ENA::of(1));
    scene.stream.set(VAP_VPORT_ZSCALE::address(), test::bits(0.5f));
    scene.stream.set(SU_DEPTH_SCALE::address(), {test::bits(65536), test::bits(256)});
    scene.stream.set(GB_SELECT::address(), GB_SELECT::DEPTH_SELECT::of(of_w));
    scene.stream.set(ZB_CNTL::address(), ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1));
    scene.stream.set(ZB_ZSTENCILCNTL::address(), C::ZFUNC::of(7));
    const std::array<float, 4> white{1, 1, 1, 1};
    scene.draw(Prim::Triangle_List, {{0, 0, 64, 10, white}, {128, 0, 64, 20, white}, {0, 64, 64, 10, white}}).run();
    const double x = 20.5, expected = of_w ? (10 + 10 * x / 128) * 65536 + 256 : 64 * 0.5 * 65536 + 256;
    EXPECT_NEAR(double(scene.depth_at(20, 3) >> 8), expected, 2) << of_w;
  }
}

}  // namespace
}  // namespace Atoll::r5xx
