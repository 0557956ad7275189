// Small pictures without a vertex shader: window coordinates from the command stream, a pixel shader of one or two instructions,
// a linear target.
#pragma once
#include <array>
#include <vector>

#include "registers/r5xx.h"
#include "tests/gpu/r5xx/stream.h"

namespace Atoll::r5xx::test {

struct Point {
  float x, y, z = 0.5f, w = 1;
  std::array<float, 4> a{};  // what the pixel shader gets, or colour 0
  std::array<float, 4> b{};  // colour 1, where there is one
};

class Scene {
public:
  static constexpr unsigned width = 64, height = 32;

  explicit Scene(std::string_view chip = "r580", gpu::Options options = {.engine = gpu::Engine::Interpreter, .threads = 1})
      : machine(chip, options) {
    target = machine.allocate(width * height * 64);
    depth = machine.allocate(width * height * 64);
    Stream& s = stream;
    // Vertices: position and one vector of texture coordinates, the vertex engine bypassed.
    s.set(VAP_CNTL_STATUS::address(), VAP_CNTL_STATUS::PVS_BYPASS::of(1));
    s.set(VAP_CLIP_CNTL::address(), VAP_CLIP_CNTL::CLIP_DISABLE::of(1));
    s.set(VAP_VTE_CNTL::address(), VAP_VTE_CNTL::VTX_XY_FMT::of(1) | VAP_VTE_CNTL::VTX_Z_FMT::of(1));
    s.set(SU_DEPTH_SCALE::address(), {0x4b7fffff, 0});
    s.set(VAP_PROG_STREAM_CNTL_EXT::address(0), 0xf688f688);
    textured();
    s.set(VAP_VTX_SIZE::address(), 8).set(VAP_VF_MAX_VTX_INDX::address(), {0xffffff, 0});
    s.set(GA_COLOR_CONTROL::address(), 0x0003aaaa).set(GA_ROUND_MODE::address(), 0x31).set(GA_POLY_MODE::address(), 0);
    s.set(SC_SCISSOR0::address(), {0, (height - 1) << 13 | (width - 1)}).set(SC_CLIP_RULE::address(), 0xffff);
    s.set(SC_EDGERULE::address(), 0x2da49525);
    s.set(SC_SCREENDOOR::address(), 0xffffff).set(SU_CULL_MODE::address(), 0);
    s.set(GA_POINT_SIZE::address(), 0x00060006).set(GA_LINE_CNTL::address(), 0x00020006);
    s.set(RB3D_CCTL::address(), 0x4000).set(RB3D_COLOR_CHANNEL_MASK::address(), 0xf).set(RB3D_BLENDCNTL::address(), {0, 0});
    colour_format(RB3D_COLORPITCH::COLORFORMAT::ARGB8888, 0x3900);
    s.set(ZB_ZTOP::address(), 1).set(US_CONFIG::address(), {2, 1}).set(US_CODE_ADDR::address(), 0);
    pass_register();
  }

  // Position and texture coordinates 0; or position and colours.
  Scene& textured() {
    stream.set(VAP_PROG_STREAM_CNTL::address(0), 3 | (3u | 6 << 8 | 1 << 13) << 16);
    stream.set(VAP_OUT_VTX_FMT_0::address(), {1, 4});
    stream.set(RS_IP::address(0), 0x000c2040).set(RS_COUNT::address(), {0x00040004, 0}).set(RS_INST::address(0), 0x10);
    return *this;
  }
  // Colours 0 and 1 to registers 0 and 1; two_sided: they are those of front and back faces.
  Scene& coloured(bool two_sided = false) {
    uint32_t second = two_sided ? 4 : 3;  // COLOR_2 is the back face's
    stream.set(VAP_PROG_STREAM_CNTL::address(0), {3 | (3u | 2 << 8) << 16, 3u | second << 8 | 1 << 13});
    stream.set(VAP_PROG_STREAM_CNTL_EXT::address(0), {0xf688f688, 0xf688});
    stream.set(VAP_OUT_VTX_FMT_0::address(), {1u | 2 | (two_sided ? 8u : 4u), 0});
    stream.set(VAP_VTX_SIZE::address(), 12);
    stream.set(RS_IP::address(0), {0, RS_IP::COL_PTR::of(1)});
    stream.set(RS_COUNT::address(), {RS_COUNT::IC_COUNT::of(two_sided ? 1 : 2), two_sided ? 0u : 1u});
    stream.set(RS_INST::address(0),
               {RS_INST::COL_CN::of(1), RS_INST::COL_CN::of(1) | RS_INST::COL_ID::of(1) | RS_INST::COL_ADDR::of(1)});
    has_colours = true;
    return *this;
  }
  Scene& colour_format(uint32_t format, uint32_t out_format, unsigned n = 0) {
    stream.set(RB3D_COLOROFFSET::address(n), uint32_t(target.gpu_address) + n * width * height * 16);
    stream.set(RB3D_COLORPITCH::address(n), width | RB3D_COLORPITCH::COLORFORMAT::of(format));
    stream.set(US_OUT_FMT::address(n), out_format);
    return *this;
  }
  Scene& depth_buffer(uint32_t format) {
    stream.set(ZB_FORMAT::address(), format).set(ZB_DEPTHOFFSET::address(), {uint32_t(depth.gpu_address), width});
    return *this;
  }
  // o`target` = t`number`
  static std::array<uint32_t, 6> move(uint32_t number, uint32_t output = 0) {
    return {0x00078005, 0x08020000 | number, 0x08020000 | number, 0x00db0220 | output << 29, 0x00c0c000 | output << 29,
            0x20490000};
  }
  Scene& code(std::initializer_list<std::array<uint32_t, 6>> instructions) {
    stream.set(GA_US_VECTOR_INDEX::address(), 0);
    for (auto& i : instructions) stream.burst(GA_US_VECTOR_DATA::address(), i);
    stream.set(US_CODE_ADDR::address(), US_CODE_ADDR::END_ADDR::of(uint32_t(instructions.size() - 1)));
    stream.set(US_CODE_RANGE::address(), US_CODE_RANGE::CODE_SIZE::of(uint32_t(instructions.size() - 1)));
    return *this;
  }
  Scene& pass_register() { return code({move(0)}); }

  Scene& draw(uint32_t type, const std::vector<Point>& points) {
    std::vector<uint32_t> words{type | 3u << 4 | uint32_t(points.size()) << 16};
    for (auto& p : points) {
      for (float v : {p.x, p.y, p.z, p.w}) words.push_back(bits(v));
      for (float v : p.a) words.push_back(bits(v));
      if (has_colours)
        for (float v : p.b) words.push_back(bits(v));
    }
    stream.packet(packets::_3D_DRAW_IMMD_2::opcode, words);
    return *this;
  }
  // A rectangle of one value.
  Scene& rectangle(float left, float top, float right, float bottom, std::array<float, 4> a, float z = 0.5f) {
    return draw(VAP_VF_CNTL::PRIM_TYPE::Quad_List,
                {{left, top, z, 1, a, a}, {right, top, z, 1, a, a}, {right, bottom, z, 1, a, a}, {left, bottom, z, 1, a, a}});
  }
  Scene& whole(std::array<float, 4> a, float z = 0.5f) { return rectangle(0, 0, width, height, a, z); }

  // Runs what has been collected; later calls go on in the same context.
  void run() {
    auto result = machine.run(stream);
    EXPECT_TRUE(result) << result.error().message;
    EXPECT_EQ(machine.unknowns(), "");
    stream.words.clear();
  }
  template <class T = uint32_t>
  T at(unsigned x, unsigned y, unsigned n = 0) const {
    T value;
    std::memcpy(&value, target.host_pointer + n * width * height * 16 + (y * width + x) * sizeof(T), sizeof(T));
    return value;
  }
  template <class T = uint32_t>
  T depth_at(unsigned x, unsigned y) const {
    T value;
    std::memcpy(&value, depth.host_pointer + (y * width + x) * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  void fill_depth(T value) {
    for (unsigned n = 0; n < width * height; n++) std::memcpy(depth.host_pointer + n * sizeof(T), &value, sizeof(T));
  }
  // Pixels that have this value.
  unsigned count(uint32_t value) const {
    unsigned n = 0;
    for (unsigned y = 0; y < height; y++)
      for (unsigned x = 0; x < width; x++) n += at(x, y) == value;
    return n;
  }

  Machine machine;
  Buffer target, depth;
  Stream stream;
  bool has_colours = false;
};

}  // namespace Atoll::r5xx::test
