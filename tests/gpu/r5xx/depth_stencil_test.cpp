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

}  // namespace
}  // namespace Atoll::r5xx
