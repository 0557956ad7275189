// The code round a pixel shader whose waves write their pixels themselves (pixel/framed_program.h): it sets the rasteriser's
// registers from the payload and writes the shader's outputs through the alpha function to the targets, for one state of the
// pipeline.
#pragma once
#include <array>
#include <bit>

#include "gpu/r5xx/shaders/routing.h"
#include "isa/r500/registers.h"
#include "pixel/framed_program.h"
#include "pixel/target_write.h"

namespace Atoll::r5xx {

// FG_ALPHA_FUNC: alpha as an integer of `bits` (8 or 10), or as a float, against a reference.
struct AlphaTest {
  bool enable = false;
  uint8_t function = 7;  // AF_FUNC: never, less, equal, less or equal, greater, not equal, greater or equal, always
  unsigned bits = 8;     // 0: floats
  uint32_t reference = 0;
  float float_reference = 0;
  // For integers: the least alpha that is the reference, and the least that is more. NaN: none is.
  float least_equal = 0, least_greater = 0;
  bool passes(float alpha) const {
    bool less, equal;
    if (bits) {
      less = reference != 0 && !(alpha >= least_equal);
      equal = !less && !(alpha >= least_greater);
    } else {
      alpha = as_stored(alpha);
      less = alpha < float_reference, equal = alpha == float_reference;
    }
    // The functions' numbers are masks: bit 0 less, bit 1 equal, bit 2 greater.
    return function >> (less ? 0 : equal ? 1 : 2) & 1;
  }
  // (What follows from the reference needs no look; a reference may be NaN.)
  bool operator==(const AlphaTest& o) const {
    return enable == o.enable && function == o.function && bits == o.bits && reference == o.reference &&
           std::bit_cast<uint32_t>(float_reference) == std::bit_cast<uint32_t>(o.float_reference);
  }

private:
  static float as_stored(float alpha);  // alpha comes to the comparison as the format of the reference
};

// The shader's channels (0 red to 3 alpha) that a target's four components take.
struct OutputRoute {
  bool used = false;
  uint8_t shader_output = 0;
  std::array<uint8_t, 4> channel{0, 1, 2, 3};
  bool operator==(const OutputRoute&) const = default;
};

// Values of a quad's primitive that a wave is fed beside the QuadPayload, by route: words by quad. If `flat` has a route's bit its
// value is `a` alone.
struct alignas(128) RoutePayload {
  static constexpr unsigned max_routes = 64;
  float a[max_routes][16], to_b[max_routes][16], to_c[max_routes][16];
  uint32_t flat[2][16];  // routes 0 to 31, 32 to 63
};

inline constexpr uint32_t quad_payload_cell = (wave::register_file_offset + r500::register_file_bytes + 127) / 128 * 128;
inline constexpr uint32_t route_payload_cell = quad_payload_cell + sizeof(pipeline::QuadPayload);
inline constexpr size_t pixel_wave_bytes = route_payload_cell + sizeof(RoutePayload);

struct PixelFrame {
  std::vector<Route> routes;
  bool perspective = true;
  AlphaTest alpha;
  struct Target {
    OutputRoute output;
    pixel::TargetState state;  // where it is used
    bool operator==(const Target& o) const { return output == o.output && (!output.used || state == o.state); }
  };
  std::array<Target, 4> targets;
  uint8_t samples = 1;
  bool second_pass = false;    // pixels are written in a second pass (pixel/framed_program.h)
  bool ends_anywhere = false;  // the program's ends are not known: who lives is found when the wave has ended
  bool one_primitive = false;  // for waves all of whose quads are of one
  bool operator==(const PixelFrame&) const = default;
};

// Frames of the host level in use.
pixel::Frame make_frame(std::shared_ptr<const PixelFrame> state);

// True if all ends of the program are instructions that end it whatever they do, and nothing leads back to its first one.
bool can_be_framed(const wave::Program& program, uint64_t entry);

}  // namespace Atoll::r5xx
