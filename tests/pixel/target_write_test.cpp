// Blending, encoding and writing of waves that write their pixels themselves (pixel/target_write.h, with the engines' e.pixels and
// e.set_pixels) against the pipeline's oracle, in every bit: all factors, operations, masks, component orders and clamps of 8_8_8_8;
// all formats whose fields lie in words, with several samples and logic operations; late tests.
// A Sea Islands program gives the colours, by its own frame; eight targets a draw, each in a state of its own. Triangles cover whole
// blocks and parts of them, so that quads stand in a row and apart; some pixels are killed; waves follow each other in the same
// registers, and a scalar that one of them changes would spoil the next one's colours.
#include <gtest/gtest.h>

#include "base/half.h"
#include "direct_stage.h"
#include "gpu/sea_islands/shaders/pixel_frame.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/isa.h"
#include "isa/gfx7/parse.h"
#include "pipeline/canvas.h"
#include "pipeline/oracle/recording.h"
#include "pipeline/random_states/shader.h"

namespace Atoll::pixel::test {
namespace {

using namespace pipeline;
using pipeline::test::Random;

std::vector<uint32_t> assembled(const std::vector<std::string>& lines) {
  std::vector<uint32_t> code;
  for (const std::string& line : lines) {
    auto parsed = gfx7::parse(line);
    EXPECT_TRUE(parsed) << line;
    auto words = parsed ? gfx7::encode(*parsed) : fail("");
    if (!words) continue;
    code.insert(code.end(), words->dwords.begin(), words->dwords.begin() + words->count);
  }
  return code;
}

// Target n gets v[n % 4], v[(n + 1) % 4] and so on of v0 to v3; v4 is not 0 where the pixel lives. `valid`: the exports say which
// pixels live, else no export does, and those that did not export are left.
std::vector<uint32_t> shader_code(bool valid) {
  std::vector<std::string> lines = {
      "s_add_u32 s4, s4, 1",  // 2, as s4 starts as 1
      "v_mov_b32 v5, s4",        "v_cmp_eq_u32 vcc, 2, v5",   "v_cndmask_b32 v0, 0, v0, vcc",
      "v_cmp_ne_u32 vcc, 0, v4", "s_and_b64 exec, exec, vcc",
  };
  for (unsigned n = 0; n < 8; n++)
    lines.push_back(fmt::format("exp mrt{} v{}, v{}, v{}, v{}{}{}", n, n % 4, (n + 1) % 4, (n + 2) % 4, (n + 3) % 4,
                                n == 7 ? " done" : "", valid ? " vm" : ""));
  lines.push_back("s_endpgm");
  return assembled(lines);
}

class Gfx7Stage : public DirectStage {
public:
  Gfx7Stage(wave::EngineChoice engine, const std::vector<uint32_t>& code)
      : DirectStage(engine, sea_islands::quad_payload_cell), code_(code), program_(gfx7::isa(), entry, code_) {}
  pipeline::test::Shader colours;

  unsigned batch_size() const override { return max_pixels; }
  uint8_t barycentrics() const override { return 0; }
  bool shade(unsigned, const PixelBatch& batch, PixelResults& results) override {
    counts.by_pipeline++;
    results.outputs = 0xff;
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
      const oracle::Outputs o = outputs(batch, lane);
      results.killed |= uint64_t(o.killed) << lane;
      for (unsigned n = 0; n < 8; n++)
        for (unsigned c = 0; c < 4; c++) results.colour[n][c][lane] = o.colour[0][(n + c) % 4];
    }
    return true;
  }

protected:
  virtual bool halves(unsigned /*target*/) const { return false; }
  virtual oracle::Outputs outputs(const PixelBatch& batch, unsigned lane) const {
    return colours.outputs(unsigned(batch.x[lane]), unsigned(batch.y[lane]), batch.primitive[lane / 4].primitive, true, 0);
  }
  std::shared_ptr<FramedProgram> make(const DirectOutputs& outputs, bool one_primitive) override {
    auto frame = std::make_shared<sea_islands::PixelFrame>();
    using Shape = gpu::amd::ExportShape;
    frame->one_primitive = one_primitive;
    frame->samples = uint8_t(outputs.samples), frame->second_pass = outputs.second_pass;
    for (uint8_t n = 0; n < 8; n++) {
      if (!(outputs.targets >> n & 1)) continue;
      frame->targets[n] = {.colour = {.is_made = true,
                                      .number = n,
                                      .shape = halves(n) ? Shape::halves : Shape::dwords,
                                      .enabled = halves(n) ? uint8_t(3) : uint8_t(15)},
                           .second_source = {},
                           .state = {outputs.path[n], outputs.blend[n]}};
      std::ranges::fill(frame->targets[n].state.path.constant, 0.0f);
    }
    wave::Wave like;
    like.lanes = 64, like.inspected = false;
    return std::make_shared<FramedProgram>(program_, entry, sea_islands::make_frame(frame), engine_, like);
  }
  void start(wave::Wave& w) override {
    using namespace gfx7;
    std::memset(wave::bytes_of(w, wave::register_file_offset), 0, vgpr_cell(0) - wave::register_file_offset);
    std::memset(wave::bytes_of(w, export_control_begin), 0, export_control_end - export_control_begin);
    wave::word_of(w, mode_cell) = MODE_DEFAULT & ~0x30u;  // no denormals of 32 bits
    wave::word_of(w, vgpr_count_cell) = 8;
    wave::word_of(w, scalar_cell(4)) = 1;
  }
  void load(wave::Wave& w, const PixelBatch& batch) override {
    using namespace gfx7;
    wave::word_of(w, scalar_cell(EXEC_LO)) = uint32_t(batch.covered);
    wave::word_of(w, scalar_cell(EXEC_HI)) = uint32_t(batch.covered >> 32);
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
      PixelBatch at = {};
      const unsigned q = lane / 4;
      at.primitive[0] = batch.primitive[batch.one_primitive ? 0 : q];
      at.x[0] = payload().x[q] + int(lane & 1), at.y[0] = payload().y[q] + int(lane >> 1 & 1);
      const oracle::Outputs o = outputs(at, 0);
      for (unsigned c = 0; c < 4; c++) wave::word_of(w, lane_cell(vgpr_cell(c), lane)) = o.colour[0][c];
      wave::word_of(w, lane_cell(vgpr_cell(4), lane)) = !o.killed;
    }
  }
  uint64_t written(wave::Wave& w, const PixelBatch& batch, unsigned target) override {
    using namespace gfx7;
    auto mask = [&](uint32_t cell) { return wave::word_of(w, cell) | uint64_t(wave::word_of(w, cell + 4)) << 32; };
    const uint64_t valid = wave::word_of(w, export_valid_seen_cell) ? mask(export_valid_cell) : ~uint64_t(0);
    return batch.covered & valid & mask(export_mask_cell(target));
  }

private:
  static constexpr uint64_t entry = 0x1000;
  const std::vector<uint32_t> code_;
  wave::Program program_;
};

constexpr int factors = 15;  // without those of a second source
constexpr unsigned equations = factors * factors * 5;

void set_colour(Blend& blend, unsigned equation) {
  blend.source_colour = any_factor(int(equation % factors)), blend.target_colour = any_factor(int(equation / factors % factors));
  blend.colour = BlendOp(equation / (factors * factors));
}
void set_alpha(Blend& blend, unsigned equation) {
  blend.source_alpha = any_factor(int(equation % factors)), blend.target_alpha = any_factor(int(equation / factors % factors));
  blend.alpha = BlendOp(equation / (factors * factors));
}

using surface::Select;
const surface::Order orders[] = {
    surface::natural_order,
    surface::bgra_order,
    {Select::field_3, Select::field_2, Select::field_1, Select::field_0},
    {Select::field_1, Select::field_2, Select::field_3, Select::field_0},
    {Select::field_2, Select::field_1, Select::field_0, Select::one},
    {Select::field_0, Select::zero, Select::field_2, Select::field_2},
};

// The state of writes to one target.
struct State {
  Blend blend;
  surface::Order order = surface::natural_order;
  bool alpha_reads_as_one = false;
  surface::Layout layout = surface::Layout::bits_8_8_8_8;
  surface::Number number = surface::Number::unorm;
  bool round_toward_zero = false;
};

// The state of writes to all targets.
struct Options {
  bool clamps = true;
  unsigned samples = 1;
  int logic_op = -1;        // none
  unsigned depth_bits = 0;  // of late tests; none
  bool integers = false;    // the shader's numbers
};

class Case {
public:
  explicit Case(wave::EngineChoice engine)
      : stages_{Gfx7Stage(engine, shader_code(true)), Gfx7Stage(engine, shader_code(false))} {}

  // Draws with eight states; false: something differs.
  bool agrees(const std::array<State, 8>& states, const Options& options, Random& r) {
    constexpr unsigned width = 44, height = 20;
    const bool clamps = options.clamps;
    Canvas canvas(width, height, options.samples);
    for (SamplePosition& position : canvas.draw.rasterization.sample_positions)
      if (options.samples > 1) position = {int8_t(r.below(16)), int8_t(r.below(16))};
    Gfx7Stage& stage = stages_[r.below(2)];
    stage.colours = {.seed = r.next64(), .written = 1, .kill_percent = r.one_of({0u, 0u, 30u}), .special_percent = 10};
    if (r.percent(70)) stage.colours.steps[0] = r.one_of({255u, 31u, 1023u, 65535u});
    stage.colours.exact_numbers = true;
    stage.colours.integers[0] = options.integers;
    canvas.draw.colour.logic_op_enable = options.logic_op >= 0;
    canvas.draw.colour.logic_op = LogicOp(options.logic_op & 15);
    canvas.draw.pixel_stage = &stage;
    oracle::Buffers expected;
    std::vector<MemoryTarget> targets;
    targets.reserve(8);
    for (unsigned n = 0; n < 8; n++) {
      const State& s = states[n];
      const unsigned bytes = surface::row(s.layout).bytes;
      MemoryTarget& target = targets.emplace_back(width, height, bytes, options.samples);
      for (uint8_t& byte : target.texels) byte = r.percent(20) ? uint8_t(-(r.next() & 1)) : uint8_t(r.next());
      if (s.number == surface::Number::floating)  // no NaNs, whose order is nobody's
        for (size_t at = 0; at < target.texels.size(); at += bytes)
          for (const surface::Field& field : surface::row(s.layout).field)
            if (field.bits % 16 == 0 && field.bits) target.texels[at + (field.first_bit + field.bits) / 8u - 1] &= 0xbf;
      canvas.draw.targets.colour[n] = {&target, {s.layout, s.number, s.order}, bytes, s.round_toward_zero, s.alpha_reads_as_one};
      canvas.draw.colour.blend[n] = s.blend;
      expected.colour[n] = oracle::Buffer(width, height, bytes, options.samples);
      expected.colour[n].texels = target.texels;
    }
    MemoryTarget depth(width, height, options.depth_bits == 16 ? 2 : 4, options.samples);
    if (options.depth_bits) {
      for (size_t at = 0; at < depth.texels.size(); at += depth.bytes) {
        const float z = r.percent(40) ? 0.5f : r.unit();
        const uint32_t word =
            options.depth_bits == 32 ? std::bit_cast<uint32_t>(z) : uint32_t(double(z) * ((1u << options.depth_bits) - 1) + 0.5);
        std::memcpy(&depth.texels[at], &word, depth.bytes);
      }
      canvas.draw.targets.depth = {&depth, options.depth_bits, nullptr, false};
      expected.depth = oracle::Buffer(width, height, depth.bytes, options.samples);
      expected.depth.texels = depth.texels;
      DepthStencil& state = canvas.draw.depth_stencil;
      state.depth_test = true, state.depth_write = r.percent(70), state.depth_compare = Compare(r.below(8));
      state.count_samples = r.percent(50);
    }
    canvas.draw.colour.clamp_before_blending = clamps;
    for (float& constant : canvas.draw.colour.constant) constant = r.percent(80) ? r.unit() : r.real(-1, 2);
    canvas.draw.depth_stencil.early = !options.depth_bits;
    // One that covers whole blocks, then smaller ones.
    for (float x : {r.real(-20, 30), r.real(0, 5), r.real(20, 40)}) {
      const float y = x < 20 && canvas.vertices.vertices.empty() ? -10 : r.real(0, 18),
                  size = canvas.vertices.vertices.empty() ? 70 : 9;
      auto z = [&] { return options.depth_bits ? r.one_of({0.5f, 0.25f, 0.75f}) : 0.0f; };
      canvas.vertices.add(x, y, z()), canvas.vertices.add(x + size, y, z()), canvas.vertices.add(x, y + size, z());
    }
    // And small ones that meet in one place: pixels that a wave has twice.
    const float x = r.real(0, 40), y = r.real(0, 16);
    for (unsigned n = 0; n < 4; n++) {
      canvas.vertices.add(x + float(n), y, 0.5f), canvas.vertices.add(x + 4, y, 0.5f), canvas.vertices.add(x, y + 3, 0.5f);
    }
    canvas.draw.vertices.count = 21;
    Workers& workers = workers_;
    std::vector<std::array<oracle::Outputs, 16>> outputs;
    const auto fragments = oracle::record(canvas.draw, workers, &stage, &outputs);
    oracle::draw_fragments(
        canvas.draw, fragments, [&](size_t index, const oracle::Fragment&, unsigned) { return outputs[index][0]; }, expected);
    stage.counts.by_pipeline = 0;
    EXPECT_TRUE(canvas.run(workers));
    by_pipeline += stage.counts.by_pipeline, pixels += fragments.size();
    for (unsigned n = 0; n < 8; n++) {
      if (targets[n].texels == expected.colour[n].texels) continue;
      const size_t at =
          size_t(std::ranges::mismatch(targets[n].texels, expected.colour[n].texels).in1 - targets[n].texels.begin()) /
          targets[n].bytes / options.samples;
      const Blend& b = states[n].blend;
      ADD_FAILURE() << surface::row(states[n].layout).name << " " << surface::name(states[n].number) << ", logic "
                    << options.logic_op << ", samples " << options.samples << ", target " << n << " at " << at % width << " "
                    << at / width << std::hex << ": " << targets[n].word(unsigned(at % width), unsigned(at / width)) << " drawn, "
                    << oracle_word(expected.colour[n], at) << " expected" << std::dec << "; colour " << int(b.colour) << " "
                    << int(b.source_colour) << " " << int(b.target_colour) << ", alpha " << int(b.alpha) << " "
                    << int(b.source_alpha) << " " << int(b.target_alpha) << ", mask " << int(b.write_mask) << ", clamped "
                    << b.clamp_colour << b.clamp_alpha << clamps;
      return false;
    }
    EXPECT_EQ(depth.texels, options.depth_bits ? expected.depth.texels : depth.texels);
    return true;
  }
  static uint64_t oracle_word(const oracle::Buffer& buffer, size_t pixel) {
    uint64_t word = 0;
    std::memcpy(&word, &buffer.texels[pixel * buffer.bytes * buffer.samples], std::min(buffer.bytes, 8u));
    return word;
  }
  uint64_t by_pipeline = 0, pixels = 0;
  DirectStage::Counts counts() const {
    DirectStage::Counts sum;
    for (const Gfx7Stage& s : stages_)
      sum.blocks += s.counts.blocks, sum.packed += s.counts.packed, sum.mixed += s.counts.mixed, sum.partly += s.counts.partly,
          sum.apart_writes += s.counts.apart_writes;
    return sum;
  }
  uint64_t compiled() const { return stages_[0].compiled + stages_[1].compiled; }
  uint64_t interpreted() const { return stages_[0].interpreted + stages_[1].interpreted; }

private:
  Gfx7Stage stages_[2];
  Workers workers_{1};
};

class TargetWrites : public testing::TestWithParam<wave::EngineChoice> {
protected:
  Case drawing{GetParam()};
  Random r{uint64_t(GetParam()) + 1};

  // Expects that waves took the path that is tested.
  void look_at_counts() {
    const auto counts = drawing.counts();
    EXPECT_GT(counts.blocks, 300u);
    EXPECT_GT(counts.packed, 300u);
    EXPECT_GT(counts.mixed, 50u);
    EXPECT_GT(counts.partly, 100u);
    EXPECT_GT(counts.apart_writes, 20u);  // of pixels that a wave has twice,
    EXPECT_LT(drawing.by_pipeline, 20u);  // once some have been met
    if (GetParam() == wave::EngineChoice::Jit)
      EXPECT_GT(drawing.compiled(), 9 * drawing.interpreted());
    else
      EXPECT_EQ(drawing.compiled(), 0u);
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, TargetWrites, testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                         [](const auto& info) { return info.param == wave::EngineChoice::Jit ? "jit" : "interpreter"; });

TEST_P(TargetWrites, EveryEquation) {
  for (unsigned first = 0; first < equations; first += 8) {
    std::array<State, 8> states;
    for (unsigned n = 0; n < 8; n++) {
      State& s = states[n];
      const unsigned equation = (first + n) % equations;
      s.blend.enable = true;
      set_colour(s.blend, equation);
      set_alpha(s.blend, (equation * 7 + 3) % equations);  // (each comes once)
      if (r.percent(25))
        s.blend.discard = {
            .when = SourceDiscard::When(1 + r.below(2)), .components = uint8_t(r.below(16)), .bound = {0.5f, 0.25f, 0.75f, 0.5f}};
      s.blend.clamp_colour = r.percent(25), s.blend.clamp_alpha = r.percent(25);
      s.blend.write_mask = r.percent(60) ? 0xf : uint8_t(r.below(16));
      s.order = orders[r.below(std::size(orders))];
      s.alpha_reads_as_one = r.percent(20);
    }
    ASSERT_TRUE(drawing.agrees(states, {}, r));
  }
  look_at_counts();
}

// Every layout with every number that it has and that lies in words, in random states; several at once.
TEST_P(TargetWrites, EveryFormat) {
  std::vector<State> floats, integers;
  for (const surface::LayoutRow& row : surface::layouts())
    for (int n = 0; n < surface::target_number_count; n++) {
      const auto number = surface::Number(n);
      bool in_words = std::has_single_bit(unsigned(row.bytes)) && row.block_width == 1 &&
                      number != surface::Number::depth_stencil && row.layout != surface::Layout::bits_9_9_9_e5 &&
                      surface::make_format(row.layout, number);
      for (unsigned f = 0; f < row.fields && in_words; f++) {
        in_words &= number != surface::Number::srgb || row.field[f].bits == 8;
        in_words &= (number != surface::Number::unorm && number != surface::Number::snorm) || row.field[f].bits <= 16;
        in_words &= number != surface::Number::snorm || row.field[f].bits >= 2;
        in_words &= number != surface::Number::floating || row.field[f].bits >= 10;
      }
      if (!in_words) continue;
      (surface::is_integer(number) ? integers : floats)
          .push_back({.blend = {}, .order = orders[0], .layout = row.layout, .number = number});
    }
  EXPECT_GT(floats.size(), 50u);
  EXPECT_GT(integers.size(), 20u);
  for (unsigned round = 0; round < 3; round++)
    for (auto* formats : {&floats, &integers})
      for (size_t first = 0; first < formats->size(); first += 8) {
        std::array<State, 8> states;
        for (size_t n = 0; n < 8; n++) {
          State& s = states[n] = (*formats)[(first + n) % formats->size()];
          s.blend.enable = r.percent(60);
          set_colour(s.blend, r.below(equations)), set_alpha(s.blend, r.below(equations));
          s.blend.clamp_colour = r.percent(15), s.blend.clamp_alpha = r.percent(15);
          s.blend.write_mask = r.percent(60) ? 0xf : uint8_t(r.below(16));
          s.order = orders[r.percent(40) ? 0 : r.below(std::size(orders))];
          s.round_toward_zero = r.percent(50);
          s.blend.colour_cut = {uint8_t(r.one_of({0u, 8u, 10u})), r.percent(50)};
          s.blend.alpha_cut = {uint8_t(r.one_of({0u, 8u, 10u})), r.percent(50)};
          s.alpha_reads_as_one = r.percent(10);
        }
        const Options options{.clamps = r.percent(80),
                              .samples = round == 1 ? r.one_of({2u, 4u, 8u}) : 1,
                              .logic_op = round == 2 ? int(r.below(16)) : -1,
                              .integers = formats == &integers};
        ASSERT_TRUE(drawing.agrees(states, options, r));
      }
  EXPECT_GT(drawing.counts().apart_writes, 50u);
  EXPECT_GT(drawing.counts().packed, 100u);
  EXPECT_LT(drawing.by_pipeline, 20u) << "pixels that the pipeline wrote";
}

// Depth is tested after the shader, which kills some: by blocks and by quads, and where pixels come twice in a wave.
TEST_P(TargetWrites, LateTests) {
  for (unsigned draw = 0; draw < 120; draw++) {
    std::array<State, 8> states;
    for (State& s : states) {
      s.order = orders[0];
      s.blend.enable = r.percent(50);
      set_colour(s.blend, r.below(equations)), set_alpha(s.blend, r.below(equations));
    }
    const Options options{.samples = r.percent(50) ? 1 : r.one_of({2u, 4u, 8u}), .depth_bits = r.one_of({16u, 24u, 32u})};
    ASSERT_TRUE(drawing.agrees(states, options, r));
  }
  EXPECT_GT(drawing.counts().apart_writes, 200u);
  EXPECT_EQ(drawing.by_pipeline, 0u);
}

TEST_P(TargetWrites, EveryMaskOrderAndClamp) {
  unsigned at = 0;
  std::array<State, 8> states;
  for (bool clamps : {false, true})
    for (const surface::Order& order : orders)
      for (unsigned mask = 0; mask < 16; mask++)
        for (unsigned flags = 0; flags < 16; flags++) {
          State& s = states[at++ % 8];
          s = {};
          s.blend.enable = clamps && flags & 1;
          set_colour(s.blend, r.below(equations)), set_alpha(s.blend, r.below(equations));
          s.blend.clamp_colour = flags >> 1 & 1, s.blend.clamp_alpha = flags >> 2 & 1;
          s.alpha_reads_as_one = flags >> 3 & 1;
          s.blend.write_mask = uint8_t(mask);
          s.order = order;
          if (at % 8 == 0) ASSERT_TRUE(drawing.agrees(states, {.clamps = clamps}, r));
        }
  look_at_counts();
}

// Colours that are not clamped are blended when the wave has ended: infinities times denormals, which waves take for 0.
TEST_P(TargetWrites, WhatIsNotClampedIsBlendedWithDenormals) {
  for (unsigned draw = 0; draw < 100; draw++) {
    std::array<State, 8> states;
    for (State& s : states) {
      s.blend.enable = true;
      set_colour(s.blend, r.below(equations)), set_alpha(s.blend, r.below(equations));
    }
    ASSERT_TRUE(drawing.agrees(states, {.clamps = false}, r));
  }
  EXPECT_GT(drawing.counts().apart_writes, 100u);
  EXPECT_EQ(drawing.by_pipeline, 0u);
}

// Target 0 is blended, then target 1 gets the bits of a product, which is a NaN here and there: compiled code that leaves for it, to
// have its payload by rule, must not blend once more.
class ProductStage : public Gfx7Stage {
public:
  explicit ProductStage(wave::EngineChoice engine)
      : Gfx7Stage(engine, assembled({"v_mul_f32 v6, v0, v1", "exp mrt0 v2, v2, v3, v3 vm",
                                     "exp mrt1 v6, v6, v6, v6 done compr vm", "s_endpgm"})) {}
  bool shade(unsigned, const PixelBatch& batch, PixelResults& results) override {
    counts.by_pipeline++;
    results.outputs = 3;
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
      const auto values = outputs(batch, lane).colour[0];
      const bool nan = values[1] == 0;
      const uint32_t product = nan ? 0xffc00000 : 0x3c003800;
      for (unsigned c = 0; c < 4; c++) {
        results.colour[0][c][lane] = values[2 + c / 2];
        results.colour[1][c][lane] = std::bit_cast<uint32_t>(float_from_half(uint16_t(product >> c % 2 * 16)));
      }
    }
    return true;
  }

protected:
  bool halves(unsigned target) const override { return target == 1; }
  oracle::Outputs outputs(const PixelBatch& batch, unsigned lane) const override {
    const bool nan = (batch.x[lane] + batch.y[lane]) % 5 == 0;
    oracle::Outputs o;
    auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
    o.colour[0] = {nan ? 0x7f800000u : 0x3c003800u, nan ? 0u : bits(1), bits(0.25f), bits(0.125f)};
    return o;
  }
};

TEST_P(TargetWrites, NanIsSeenBehindABlendedTarget) {
  ProductStage stage(GetParam());
  Canvas canvas(40, 24);
  canvas.draw.pixel_stage = &stage;
  MemoryTarget other(40, 24, 4);
  canvas.draw.targets.colour[1] = {&other, {}, 4, false};
  Blend& blend = canvas.draw.colour.blend[0];
  blend.enable = true, blend.source_colour = blend.target_colour = blend.target_alpha = BlendFactor::one;
  canvas.draw.depth_stencil.early = true;
  canvas.vertices.add(-10, -10), canvas.vertices.add(150, -10), canvas.vertices.add(-10, 150);
  ASSERT_TRUE(canvas.run());
  EXPECT_GT(stage.counts.blocks, 5u);
  for (unsigned y = 0; y < 24; y++)
    for (unsigned x = 0; x < 40; x++) {
      ASSERT_EQ(canvas.colour.word(x, y), 0x20204040u) << x << " " << y;
      // Halves of 0x3c003800: 0.5 and 1; of the NaN: 0 and a NaN.
      ASSERT_EQ(other.word(x, y), (x + y) % 5 ? 0xff80ff80u : 0u) << x << " " << y;
    }
}

}  // namespace
}  // namespace Atoll::pixel::test
