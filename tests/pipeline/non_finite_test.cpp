// Positions that are no numbers or infinite, rule by rule (NonFinite), without clipping.
#include <gtest/gtest.h>

#include <limits>

#include "canvas.h"
#include "pipeline/front/setup.h"
#include "pipeline/front/viewport.h"

namespace Atoll::pipeline {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();

struct Case {
  const char* what;
  bool NonFinite::* rule;
  float position[4];
  float distance;
  float scale_x;            // of the viewport
  bool divide;              // false: window coordinates
  bool dropped, then;       // without the rule, with it
  int32_t x_pixels = -999;  // with it
};
constexpr Case cases[] = {
    {"x is a NaN", &NonFinite::xy_nan_to_infinity, {none, 0, 0, 1}, 0, 50, true, true, false},
    {"z is a NaN", &NonFinite::z_nan_to_infinity, {0, 0, none, 1}, 0, 50, true, true, false},
    {"w is a NaN", &NonFinite::w_nan_to_infinity, {0.5f, 0, 0, none}, 0, 50, true, true, false, 50},
    {"an infinite distance", &NonFinite::drop_infinite_distances, {0, 0, 0, 1}, infinite, 50, true, false, true},
    {"x is infinite", &NonFinite::drop_infinite_xy, {infinite, 0, 0, 1}, 0, 50, true, false, true},
    {"y is infinite", &NonFinite::drop_infinite_xy, {0, -infinite, 0, 1}, 0, 50, true, false, true},
    {"z is infinite", &NonFinite::drop_infinite_z, {0, 0, infinite, 1}, 0, 50, true, false, true},
    {"1/w is infinite", &NonFinite::drop_infinite_w, {0, 0, 0, 0}, 0, 50, false, false, true},
    {"infinity by infinity", &NonFinite::zero_wins, {infinite, 0, 0, infinite}, 0, 50, true, true, false, 50},
    {"infinity times a scale of 0", &NonFinite::zero_wins, {infinite, 0, 0, 1}, 0, 0, true, true, false, 50},
    {"the reciprocal of a NaN", &NonFinite::reciprocal_nan_is_zero, {0.5f, 0, 0, none}, 0, 50, true, true, false, 50},
};

TEST(NonFinite, EachRuleChangesWhatItIsAbout) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    for (bool rule : {false, true}) {
      Canvas canvas(100, 100, 1);
      canvas.clip_space();
      Clip& clip = canvas.draw.clip;
      clip.enable = false, clip.divide = c.divide, clip.w_is_reciprocal = false, clip.distances = c.distance != 0;
      clip.non_finite.*c.rule = rule;
      canvas.draw.viewports[0].scale = {c.scale_x, 50, 1}, canvas.draw.viewports[0].offset = {50, 50, 0};
      DrawConstants constants;
      ASSERT_TRUE(make_constants(canvas.draw, constants));
      Vertex vertex{};
      for (unsigned n = 0; n < 4; n++) vertex.position[n] = c.position[n];
      vertex.clip_distance[0] = c.distance;
      const GuardBand guard = guard_band(constants, canvas.draw.viewports[0]);
      ScreenVertex out;
      to_screen(constants, {&guard, 1}, {&vertex, 1}, &out);
      EXPECT_EQ(bool(out.outcode & UNUSABLE), rule ? c.then : c.dropped) << (rule ? "with" : "without");
      if (rule && c.x_pixels != -999) EXPECT_EQ(out.x / constants.denominator, c.x_pixels);
    }
  }
}

}  // namespace
}  // namespace Atoll::pipeline
