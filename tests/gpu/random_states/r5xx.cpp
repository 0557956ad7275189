#include "r5xx.h"

#include <fmt/format.h>

#include "draw_check.h"
#include "gpu/chips/chip.h"
#include "isa/r500/text.h"
#include "registers/pm4.h"

namespace Atoll::random_states {

namespace r500_states {
namespace {

class R5xxGpu : public RandomGpu {
public:
  explicit R5xxGpu(const gpu::Options& options) : machine_("r580", options) {
    for (Buffer& colour : colour_) colour = machine_.allocate(width * height * 16 * 6);
    depth_ = machine_.allocate(width * height * 4 * 6);
    counter_ = machine_.allocate(4096);
  }

  Expected<void> draw(uint64_t seed) override {
    Random r(seed);
    surfaces_ = random_surfaces(r);
    Random content(seed ^ 0x5ca1ab1e);
    for (unsigned n = 0; n < surfaces_.targets; n++)
      fill(content, bytes_of(colour_[n], surfaces_.colour[n].bytes), surfaces_.colour[n].content);
    fill(content, bytes_of(depth_, 4), Content::bytes);
    if (r.percent(30)) {  // one depth, a few stencils
      auto* words = reinterpret_cast<uint32_t*>(depth_.host_pointer);
      for (size_t n = 0; n < bytes_of(depth_, 4).size() / 4; n++)
        words[n] = surfaces_.depth_format ? (words[n] & 3) | 0x80000000 : 0x80008000;
    }
    exact_ = true;
    text_.clear();
    stream_ = {};
    begin();
    const unsigned draws = 1 + r.below(6);
    for (unsigned n = 0; n < draws; n++) random_draw(r, n);
    std::memset(counter_.host_pointer, 0, 4096);
    stream_.set(SU_REG_DEST::address(), 1).set(ZB_ZPASS_ADDR::address(), uint32_t(counter_.gpu_address));
    if (!exact_) draw_check().enabled = false;
    return machine_.run(stream_);
  }
  std::vector<Range> targets() const override {
    std::vector<Range> all;
    for (unsigned n = 0; n < surfaces_.targets; n++)
      all.push_back({fmt::format("colour {}", n), bytes_of(colour_[n], surfaces_.colour[n].bytes)});
    all.push_back({"depth and stencil", bytes_of(depth_, 4)});
    return all;
  }
  uint64_t samples_passed() const override { return *reinterpret_cast<const uint32_t*>(counter_.host_pointer); }
  gpu::Statistics statistics() const override { return machine_.queue->statistics(); }
  std::string text() const override { return text_ + stream_text(registers::r5xx_tables, stream_.words); }

private:
  std::span<uint8_t> bytes_of(const Buffer& buffer, unsigned texel_bytes) const {
    return {buffer.host_pointer, size_t(width) * height * texel_bytes * surfaces_.samples};
  }
  void begin() {
    Stream& s = stream_;
    // Vertices: position and two colours in window coordinates, the vertex engine bypassed (tests/gpu/r5xx/scene.h).
    s.set(VAP_CNTL_STATUS::address(), VAP_CNTL_STATUS::PVS_BYPASS::of(1));
    s.set(VAP_CLIP_CNTL::address(), VAP_CLIP_CNTL::CLIP_DISABLE::of(1));
    s.set(VAP_VTE_CNTL::address(), VAP_VTE_CNTL::VTX_XY_FMT::of(1) | VAP_VTE_CNTL::VTX_Z_FMT::of(1));
    s.set(SU_DEPTH_SCALE::address(), {surfaces_.depth_format ? 0x4b7fffffu : 0x477fff00u, 0});
    s.set(VAP_PROG_STREAM_CNTL::address(0), {3 | (3u | 2 << 8) << 16, 3u | 3 << 8 | 1 << 13});
    s.set(VAP_PROG_STREAM_CNTL_EXT::address(0), {0xf688f688, 0xf688});
    s.set(VAP_OUT_VTX_FMT_0::address(), {1u | 2 | 4, 0});
    s.set(VAP_VTX_SIZE::address(), 12).set(VAP_VF_MAX_VTX_INDX::address(), {0xffffff, 0});
    s.set(RS_IP::address(0), {0, RS_IP::COL_PTR::of(1)}).set(RS_COUNT::address(), {RS_COUNT::IC_COUNT::of(2), 1});
    s.set(RS_INST::address(0),
          {RS_INST::COL_CN::of(1), RS_INST::COL_CN::of(1) | RS_INST::COL_ID::of(1) | RS_INST::COL_ADDR::of(1)});
    s.set(GA_COLOR_CONTROL::address(), 0x0003aaaa).set(GA_ROUND_MODE::address(), 0x31).set(GA_POLY_MODE::address(), 0);
    s.set(SC_SCISSOR0::address(), {0, (height - 1) << 13 | (width - 1)}).set(SC_CLIP_RULE::address(), 0xffff);
    s.set(SC_SCREENDOOR::address(), 0xffffff);
    s.set(RB3D_CCTL::address(), RB3D_CCTL::NUM_MULTIWRITES::of(surfaces_.copied ? surfaces_.targets - 1 : 0) |
                                    RB3D_CCTL::INDEPENDENT_COLORFORMAT_ENABLE::of(1) |
                                    RB3D_CCTL::INDEPENDENT_COLOR_CHANNEL_MASK_ENABLE::of(1));
    for (unsigned n = 0; n < max_targets; n++) {
      s.set(US_OUT_FMT::address(n), US_OUT_FMT::OUT_FMT::of(US_OUT_FMT::OUT_FMT::UNUSED));
      if (n >= surfaces_.targets) continue;
      const ColourBuffer& c = surfaces_.colour[n];
      s.set(RB3D_COLOROFFSET::address(n), uint32_t(colour_[n].gpu_address));
      s.set(RB3D_COLORPITCH::address(n), width | RB3D_COLORPITCH::COLORFORMAT::of(c.colour_format));
      s.set(US_OUT_FMT::address(n), US_OUT_FMT::OUT_FMT::of(c.out_format) | US_OUT_FMT::C0_SEL::of(c.select[0]) |
                                        US_OUT_FMT::C1_SEL::of(c.select[1]) | US_OUT_FMT::C2_SEL::of(c.select[2]) |
                                        US_OUT_FMT::C3_SEL::of(c.select[3]));
    }
    s.set(ZB_FORMAT::address(), surfaces_.depth_format).set(ZB_DEPTHOFFSET::address(), {uint32_t(depth_.gpu_address), width});
    s.set(US_CONFIG::address(), {2, 8}).set(US_CODE_ADDR::address(), 0).set(US_PIXSIZE::address(), 8);
    s.set(ZB_ZPASS_DATA::address(), 0);
    set_samples(surfaces_, s);
  }
  void put_program(const std::vector<std::string>& lines) {
    stream_.set(GA_US_VECTOR_INDEX::address(), 0);
    for (const std::string& line : lines) {
      auto words = r500::parse(line);
      if (!words) {
        fmt::print(stderr, "{}: {}\n", line, words.error().message);
        std::abort();
      }
      stream_.burst(GA_US_VECTOR_DATA::address(), std::span<const uint32_t>(words->data(), 6));
      text_ += "    " + line + "\n";
    }
    const auto last = uint32_t(lines.size() - 1);
    stream_.set(US_CODE_ADDR::address(), US_CODE_ADDR::END_ADDR::of(last));
    stream_.set(US_CODE_RANGE::address(), US_CODE_RANGE::CODE_SIZE::of(last));
  }
  void random_draw(Random& r, unsigned n) {
    Stream& s = stream_;
    const bool depth_of_shader = r.percent(15);
    random_blending(r, surfaces_, s);
    exact_ &= !random_depth_stencil(r, surfaces_, depth_of_shader, s) || !surfaces_.twelfths;
    text_ += fmt::format("pixel shader of draw {}\n", n);
    put_program(random_shader(r, surfaces_, depth_of_shader));
    s.set(GA_US_VECTOR_INDEX::address(), GA_US_VECTOR_INDEX::TYPE::of(1));
    std::vector<uint32_t> constants;
    for (unsigned k = 0; k < 8; k++) constants.push_back(bits(r.percent(75) ? r.unit() : r.real(-1, 2)));
    s.burst(GA_US_VECTOR_DATA::address(), constants);
    s.set(SU_CULL_MODE::address(), r.percent(90) ? r.below(2) << 2 : r.below(8));
    const uint32_t size = r.percent(20) ? 600 : 6 + r.below(90);  // in twelfths
    s.set(GA_POINT_SIZE::address(), size | size << 16).set(GA_LINE_CNTL::address(), 0x00020000 | (6 + r.below(40)));
    s.set(GA_COLOR_CONTROL::address(), (r.percent(75) ? 0xaaaau : 0x5555u) | r.below(4) << 16);
    put_primitives(r);
  }
  // One primitive that fills blocks, or small ones, or both.
  void put_primitives(Random& r) {
    using Type = VAP_VF_CNTL::PRIM_TYPE;
    const uint32_t type = r.one_of({uint32_t(Type::Triangle_List), uint32_t(Type::Triangle_List), uint32_t(Type::Triangle_Strip),
                                    uint32_t(Type::Quad_List), uint32_t(Type::Point_List), uint32_t(Type::Line_List)});
    std::vector<uint32_t> words{0};
    uint32_t points = 0;
    const bool one_depth = r.percent(40);
    auto add = [&](float x, float y) {
      for (float v : {x, y, one_depth ? 0.5f : r.real(0.05f, 0.95f), r.percent(70) ? 1.0f : r.real(0.5f, 2)})
        words.push_back(bits(v));
      for (unsigned k = 0; k < 8; k++) words.push_back(bits(r.percent(85) ? r.unit() : r.real(-1, 2)));
      points++;
    };
    if (r.percent(65)) {
      if (type == Type::Quad_List)
        add(0, 0), add(width, 0), add(width, height), add(0, height);
      else
        add(0, 0), add(2 * width, 0), add(0, 2 * height);
    }
    const unsigned corners = type == Type::Quad_List ? 4 : 3, more = r.percent(30) ? 0 : 1 + r.below(12);
    const float reach = r.percent(50) ? 60 : 12;
    for (unsigned k = 0; k < more; k++) {
      const float x = r.real(0, width), y = r.real(0, height);
      for (unsigned corner = 0; corner < corners; corner++) add(x + r.real(-reach, reach), y + r.real(-reach, reach));
    }
    if (!points) return;
    words[0] = type | 3u << 4 | points << 16;
    stream_.packet(packets::_3D_DRAW_IMMD_2::opcode, words);
  }

  r5xx::test::Machine machine_;
  Buffer colour_[max_targets], depth_, counter_;
  Surfaces surfaces_;
  Stream stream_;
  std::string text_;
  bool exact_ = true;
};

}  // namespace
}  // namespace r500_states

std::unique_ptr<RandomGpu> make_r5xx(const gpu::Options& options) { return std::make_unique<r500_states::R5xxGpu>(options); }

}  // namespace Atoll::random_states
