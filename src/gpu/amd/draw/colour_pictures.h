// The colour targets as Device::after_draw shows them, for the families that enable them in CB_TARGET_MASK (`R`: register_names.h).
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gpu/amd/draw/field_lists.h"
#include "gpu/amd/register_file.h"
#include "gpu/device/device.h"
#include "pipeline/picture.h"

namespace Atoll::gpu::amd {

// One target: its size in pixels, padding included, and the target itself.
struct ShownTarget {
  uint32_t width = 0, height = 0;
  pipeline::ColourTarget target;
};

// `shown(n)`: target n as an optional ShownTarget. Programs see no more of surfaces than the screen and window scissors let through.
template <class R, class Shown>
std::vector<Picture> colour_pictures(const RegisterFile& r, Shown shown) {
  using Window = typename R::PA_SC_WINDOW_SCISSOR_BR;
  using Screen = typename R::PA_SC_SCREEN_SCISSOR_BR;
  constexpr uint32_t beyond = R::last_pixel_is_inside ? 1 : 0;
  const uint32_t right = std::min(r.get<typename Window::BR_X>(), r.get<typename Screen::BR_X>()) + beyond;
  const uint32_t bottom = std::min(r.get<typename Window::BR_Y>(), r.get<typename Screen::BR_Y>()) + beyond;
  std::vector<Picture> list;
  for (unsigned n = 0; n < 8; n++) {
    if (!TargetEnables<R>::get(r, n)) continue;
    auto of = shown(n);
    if (!of) continue;
    Picture picture;
    picture.name = fmt::format("colour {}", n);
    picture.width = std::min(of->width, right);
    picture.height = std::min(of->height, bottom);
    picture.rgba = pipeline::rgba8_of(of->target, picture.width, picture.height);
    list.push_back(std::move(picture));
  }
  return list;
}

}  // namespace Atoll::gpu::amd
