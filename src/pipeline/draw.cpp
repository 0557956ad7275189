#include "pipeline/draw.h"

namespace Atoll::pipeline {

Counters& Counters::operator+=(const Counters& more) {
  vertices += more.vertices, primitives += more.primitives;
  vertex_invocations += more.vertex_invocations, pixel_invocations += more.pixel_invocations;
  for (size_t n = 0; n < pixel_paths; n++) pixels_by_path[n] += more.pixels_by_path[n];
  geometry_invocations += more.geometry_invocations, geometry_primitives += more.geometry_primitives;
  hull_invocations += more.hull_invocations, domain_invocations += more.domain_invocations;
  clipped_primitives_in += more.clipped_primitives_in, clipped_primitives_out += more.clipped_primitives_out;
  samples_passed += more.samples_passed;
  line_length += more.line_length;
  return *this;
}

std::string_view name(PixelPath path) {
  constexpr std::string_view names[pixel_paths] = {"direct", "no_code", "program", "exports", "tests",
                                                   "copies", "format",  "twice",   "hidden"};
  return names[size_t(path)];
}

uint64_t new_draw_state() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace Atoll::pipeline
