// Do pixel waves of GPUs to come fit src/pixel? A hand-made Xe-LP shader (planes in payload registers, one primitive a wave of 8, 16 or
// 32 lanes, messages that write render targets, several a wave) and one of GFX12 as Mesa 25 compiles them (parameter loads by quad
// from LDS, packed halves exported) pass through it: framed, run by both engines, drawn by the pipeline, compared with its oracle
// over the same colours in plain C++.
#include "other_families.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/half.h"
#include "direct_stage.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/exports.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/parse.h"
#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/program.h"
#include "pipeline/canvas.h"
#include "pipeline/oracle/recording.h"
#include "wave/environment.h"

namespace Atoll::pixel::test {
namespace {

using namespace pipeline;
using wave::EngineChoice;
using wave::Step;

constexpr uint64_t entry = 0x1000;

// --- instruction sets: Atoll's, with the messages that Xe-LP lacks and a payload

const OtherFunctions& functions() { return ATOLL_AT_LEVEL(other_functions); }

template <class Instruction>
Expected<void> make_step(Step& step, std::vector<std::shared_ptr<void>>& keep, const Instruction& instruction, uint8_t words,
                         wave::InterpretFunction interpret, wave::RecordFunction record) {
  auto kept = std::make_shared<Instruction>(instruction);
  keep.push_back(kept);
  step.instruction = kept.get(), step.words = words, step.interpret = interpret, step.record = record;
  return {};
}

class XeWithMessages : public wave::Isa {
public:
  const char* name() const override { return "xe-lp"; }
  wave::RegisterFile register_file() const override {
    wave::RegisterFile file = xe_lp::isa().register_file();
    file.bytes = xe_feed_cell - wave::register_file_offset;
    return file;
  }
  wave::FloatMode float_mode(const wave::Wave& w) const override { return xe_lp::isa().float_mode(w); }
  std::string text(const Step&) const override { return "xe-lp"; }
  Expected<void> decode(std::span<const uint32_t> code, Step& step, std::vector<std::shared_ptr<void>>& keep) const override {
    if (code[0] != xe_message_word) return xe_lp::isa().decode(code, step, keep);
    const uint32_t w = code[1];
    const XeMessage message{uint8_t(w), uint8_t(w >> 8), uint8_t(w >> 16), uint8_t(w >> 24 & 7), bool(w >> 31)};
    if (message.ends) step.flow = wave::Flow::End;
    return make_step(step, keep, message, 2, functions().xe_message, recording::other_functions.xe_message);
  }
  static bool is_message(const Step& step) { return step.record == recording::other_functions.xe_message; }
  static void append(std::vector<uint32_t>& code, const XeMessage& m) {
    code.push_back(xe_message_word);
    code.push_back(m.payload | uint32_t(m.first) << 8 | uint32_t(m.lanes) << 16 | uint32_t(m.target) << 24 |
                   uint32_t(m.ends) << 31);
  }
};

class Gfx12WithPixels : public wave::Isa {
public:
  const char* name() const override { return "gfx12"; }
  wave::RegisterFile register_file() const override {
    wave::RegisterFile file = rdna4::isa(64).register_file();
    file.bytes = gfx12_feed_cell - wave::register_file_offset;
    return file;
  }
  wave::FloatMode float_mode(const wave::Wave& w) const override { return rdna4::isa(64).float_mode(w); }
  std::string text(const Step&) const override { return "gfx12"; }
  Expected<void> decode(std::span<const uint32_t> code, Step& step, std::vector<std::shared_ptr<void>>& keep) const override {
    return rdna4::isa(64).decode(code, step, keep);
  }
};

// --- stages

// The environment of a GPU that has none.
class NoEnvironment : public wave::Environment {
public:
  bool mapped(uint64_t, uint64_t, bool) const override { return false; }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
};

class OtherStage : public DirectStage {
public:
  uint8_t barycentrics() const override { return 1 << PERSPECTIVE_CENTRE; }

protected:
  OtherStage(EngineChoice engine, uint32_t payload_cell, const wave::Isa& isa, std::vector<uint32_t> code, uint8_t lanes)
      : DirectStage(engine, payload_cell), lanes_(lanes), code_(std::move(code)), program_(isa, entry, code_) {}
  std::shared_ptr<FramedProgram> make(const DirectOutputs& outputs, bool one_primitive) override {
    auto state = std::make_shared<OtherFrame>();
    state->lanes = lanes_;
    for (unsigned n = 0; n < 8; n++)
      if (outputs.targets >> n & 1) state->target[n] = {outputs.path[n], outputs.blend[n]};
    Frame frame = functions_of_frame();
    frame.state = state, frame.payload = payload_cell_, frame.bytes = sizeof(QuadPayload), frame.one_primitive = one_primitive;
    wave::Wave like;
    like.lanes = lanes_, like.inspected = false, like.exports = true;
    return std::make_shared<FramedProgram>(program_, entry, frame, engine_, like);
  }
  virtual Frame functions_of_frame() const = 0;
  const uint8_t lanes_;

private:
  const std::vector<uint32_t> code_;
  wave::Program program_;
};

// How its messages come.
enum class Messages { one, each_half, overlapping };

class XeStage : public OtherStage {
public:
  XeStage(EngineChoice engine, unsigned lanes, Messages messages)
      : OtherStage(engine, xe_feed_cell, isa(), code(lanes, messages), uint8_t(lanes)) {}
  unsigned batch_size() const override { return lanes_; }
  bool one_primitive() const override { return true; }
  bool shade(unsigned, const PixelBatch& batch, PixelResults& results) override {
    counts.by_pipeline++;
    results.outputs = 1;
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
      for (unsigned c = 0; c < 4; c++) {
        const PrimitiveAttributes& p = batch.primitive[lane / 4];
        const auto& at = batch.barycentric[PERSPECTIVE_CENTRE];
        const float first = std::fma(at[0][lane], p.b[c] - p.a[c], p.a[c]);
        results.colour[0][c][lane] = std::bit_cast<uint32_t>(std::fma(at[1][lane], p.c[c] - p.a[c], first));
      }
    return true;
  }

protected:
  Frame functions_of_frame() const override {
    Frame frame;
    frame.begin = functions().xe_begin;
    frame.end = functions().xe_write;
    frame.record_begin = recording::other_functions.xe_begin;
    frame.record_end = recording::other_functions.xe_write;
    frame.writes = &XeWithMessages::is_message;
    return frame;
  }
  void start(wave::Wave& w) override {
    wave::word_of(w, xe_lp::control_cell) = 0;
    wave::word_of(w, xe_lp::active_cell) = lanes_ == 32 ? ~0u : (1u << lanes_) - 1;
    wave::word_of(w, xe_lp::every_channel_cell) = ~0u;
    std::memset(wave::bytes_of(w, xe_lp::resume_cell), 0, xe_lp::kChannels * 4);
    std::memset(wave::bytes_of(w, xe_written_cell(0)), 0, 32);
  }
  void load(wave::Wave& w, const PixelBatch& batch) override {
    const PrimitiveAttributes& p = batch.primitive[0];
    for (unsigned c = 0; c < 4; c++) {
      const float plane[4] = {p.b[c] - p.a[c], p.c[c] - p.a[c], 0, p.a[c]};
      std::memcpy(wave::bytes_of(w, xe_register_cell(xe_plane_register + c)), plane, sizeof plane);
    }
    std::memset(wave::bytes_of(w, xe_written_cell(0)), 0, 32);
  }
  uint64_t written(wave::Wave& w, const PixelBatch&, unsigned target) override {
    return wave::word_of(w, xe_written_cell(target));
  }

private:
  static const wave::Isa& isa() {
    static const XeWithMessages isa;
    return isa;
  }
  // The colours of 8 channels at a time go to the payload: for messages of all lanes registers of each colour follow each other, for
  // messages of 8 all colours of 8 channels do.
  static std::vector<uint32_t> code(unsigned lanes, Messages messages) {
    const unsigned groups = lanes / 8, in_message = messages == Messages::each_half && groups > 1 ? groups / 2 : groups;
    std::vector<std::string> lines;
    for (unsigned g = 0; g < groups; g++)
      for (unsigned c = 0; c < 4; c++) {
        const unsigned to = 30 + g / in_message * in_message * 4 + c * in_message + g % in_message, plane = xe_plane_register + c;
        lines.push_back(fmt::format("(W) mad (8|M0) r{0}.0<1>:f r{1}.3<0;0>:f r{2}.0<1;0>:f r{1}.0<0>:f", to, plane, 2 + 2 * g));
        lines.push_back(fmt::format("(W) mad (8|M0) r{0}.0<1>:f r{0}.0<1;0>:f r{2}.0<1;0>:f r{1}.1<0>:f", to, plane, 3 + 2 * g));
      }
    auto assembled = xe_lp::assemble(lines);
    EXPECT_TRUE(assembled) << (assembled ? "" : assembled.error().message);
    std::vector<uint32_t> code = assembled ? *assembled : std::vector<uint32_t>();
    const unsigned count = groups / in_message, times = messages == Messages::overlapping ? 2 : 1;
    for (unsigned m = 0; m < count * times; m++) {
      const unsigned n = m % count;
      XeWithMessages::append(code, {.payload = uint8_t(30 + n * in_message * 4),
                                    .first = uint8_t(n * in_message * 8),
                                    .lanes = uint8_t(in_message * 8),
                                    .ends = m + 1 == count * times});
    }
    return code;
  }
};

// To the next half toward zero.
uint16_t half_toward_zero(float value) {
  uint16_t half = half_from_float(value);
  return std::abs(float_from_half(half)) > std::abs(value) ? uint16_t(half - 1) : half;
}

class Gfx12Stage : public OtherStage {
public:
  Gfx12Stage(EngineChoice engine, bool flat)
      : OtherStage(engine, gfx12_feed_cell, isa(), code(flat), 64), flat_(flat), parameters_(max_quads * attribute_bytes) {}
  unsigned batch_size() const override { return 64; }
  bool shade(unsigned, const PixelBatch& batch, PixelResults& results) override {
    counts.by_pipeline++;
    results.outputs = 1;
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
      for (unsigned c = 0; c < 4; c++) {
        const PrimitiveAttributes& p = batch.primitive[lane / 4];
        const auto& at = batch.barycentric[PERSPECTIVE_CENTRE];
        float value = p.a[c];
        if (!flat_) value = std::fma(p.c[c] - p.a[c], at[1][lane], std::fma(p.b[c] - p.a[c], at[0][lane], value));
        results.colour[0][c][lane] = std::bit_cast<uint32_t>(float_from_half(half_toward_zero(value)));
      }
    return true;
  }

protected:
  Frame functions_of_frame() const override {
    Frame frame;
    frame.begin = functions().gfx12_begin;
    frame.end = functions().gfx12_end;
    frame.record_begin = recording::other_functions.gfx12_begin;
    frame.record_end = recording::other_functions.gfx12_end;
    return frame;
  }
  void start(wave::Wave& w) override {
    std::memset(wave::bytes_of(w, wave::register_file_offset), 0, rdna4::vgpr_cell(0, true) - wave::register_file_offset);
    wave::word_of(w, rdna4::mode_cell) = rdna4::MODE_DEFAULT;
    rdna4::begin_exports(w);
  }
  void load(wave::Wave& w, const PixelBatch& batch) override {
    w.environment = &environment_;
    w.lds = parameters_.data(), w.lds_bytes = uint32_t(parameters_.size());
    wave::word_of(w, rdna4::scalar_cell(rdna4::M0)) = 0x7fff0000;  // each quad begins a primitive
    std::memset(wave::bytes_of(w, rdna4::export_mask_cell(0, true)), 0, 8);
    wave::word_of(w, rdna4::scalar_cell(rdna4::EXEC_LO)) = uint32_t(batch.covered);
    wave::word_of(w, rdna4::scalar_cell(rdna4::EXEC_HI)) = uint32_t(batch.covered >> 32);
    for (unsigned q = 0; q < batch.quads; q++) {
      const PrimitiveAttributes& p = batch.primitive[batch.one_primitive ? 0 : q];
      for (unsigned c = 0; c < 4; c++) {
        const float parameter[3] = {p.a[c], p.b[c] - p.a[c], p.c[c] - p.a[c]};
        for (unsigned part = 0; part < 3; part++)
          std::memcpy(&parameters_[q * attribute_bytes + part * 16 + c * 4], &parameter[part], 4);
      }
    }
  }
  uint64_t written(wave::Wave& w, const PixelBatch& batch, unsigned) override {
    const uint32_t* mask = &wave::word_of(w, rdna4::export_mask_cell(0, true));
    return batch.covered & (mask[0] | uint64_t(mask[1]) << 32);
  }

private:
  const bool flat_;
  std::vector<uint8_t> parameters_;
  NoEnvironment environment_;

  static const wave::Isa& isa() {
    static const Gfx12WithPixels isa;
    return isa;
  }
  static std::vector<uint32_t> code(bool flat) {
    std::vector<std::string> lines = {"s_mov_b64 s[8:9], exec", "s_wqm_b64 exec, exec"};
    for (unsigned c = 0; c < 4; c++)
      lines.push_back(fmt::format("ds_param_load v{}, attr0.{} wait_va_vdst:15 wait_vm_vsrc:1", 16 + c, "xyzw"[c]));
    for (unsigned c = 0; c < 4; c++) {
      if (flat) {
        lines.push_back(fmt::format("s_wait_expcnt 0x{}", 3 - c));
        lines.push_back(
            fmt::format("v_mov_b32_dpp v{0}, v{0} quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1", 16 + c));
      } else {
        lines.push_back(fmt::format("v_interp_p10_f32 v4, v{0}, v0, v{0} wait_exp:{1}", 16 + c, 3 - c));
        lines.push_back(fmt::format("v_interp_p2_f32 v{0}, v{0}, v1, v4 wait_exp:7", 16 + c));
      }
    }
    for (const char* line :
         {"s_mov_b64 exec, s[8:9]", "v_cvt_pk_rtz_f16_f32_e32 v0, v16, v17", "v_cvt_pk_rtz_f16_f32_e32 v2, v18, v19",
          "export mrt0 v0, v2, off, off done", "s_nop 0", "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", "s_endpgm"})
      lines.push_back(line);
    std::vector<uint32_t> code;
    for (const std::string& line : lines) {
      auto parsed = rdna4::parse(line, {64});
      EXPECT_TRUE(parsed) << line << (parsed ? "" : parsed.error().message);
      if (!parsed) continue;
      auto words = rdna4::encode(parsed->main, {64});
      EXPECT_TRUE(words) << line;
      if (words) code.insert(code.end(), words->dwords.begin(), words->dwords.begin() + words->count);
    }
    return code;
  }
};

// --- drawing

// Triangles large and small, in perspective, drawn with and without blending. `times`: each pixel is written as often.
void compare(OtherStage& stage, unsigned times = 1) {
  for (bool blends : {false, true}) {
    constexpr unsigned width = 90, height = 40;
    Canvas canvas(width, height);
    canvas.draw.pixel_stage = &stage;
    canvas.draw.depth_stencil.early = true;
    canvas.colour.fill(0x40302010);
    Blend& blend = canvas.draw.colour.blend[0];
    blend.enable = blends;
    blend.source_colour = BlendFactor::source_alpha, blend.target_colour = BlendFactor::one_minus_source_alpha;
    blend.source_alpha = blend.target_alpha = BlendFactor::one;
    blend.write_mask = blends ? 0xf : 0xb;
    for (unsigned t = 0; t < 12; t++) {
      const float x = t ? float(t * 37 % 80) : -10, y = t ? float(t * 23 % 35) : -10, size = t ? float(3 + t * 5 % 17) : 300;
      auto colour = [&](unsigned n) {
        auto part = [&](unsigned k) { return float((t * 7 + n * 5 + k * 3) % 11) / 8 - 0.125f; };
        return std::vector<float>{part(0), part(1), part(2), part(3)};
      };
      canvas.vertices.add(x, y, 0, 1, colour(0));
      canvas.vertices.add(x + size, y, 0, 1.5f, colour(1));
      canvas.vertices.add(x, y + size, 0, 0.75f, colour(2));
    }
    canvas.draw.vertices.count = uint32_t(canvas.vertices.vertices.size());
    Workers workers(1);
    std::vector<std::array<oracle::Outputs, 16>> outputs;
    auto fragments = oracle::record(canvas.draw, workers, &stage, &outputs);
    std::vector<oracle::Fragment> all;
    for (const oracle::Fragment& f : fragments) all.insert(all.end(), times, f);
    oracle::Buffers expected;
    expected.colour[0] = oracle::Buffer(width, height, 4, 1);
    expected.colour[0].texels = canvas.colour.texels;
    oracle::draw_fragments(
        canvas.draw, all, [&](size_t index, const oracle::Fragment&, unsigned) { return outputs[index / times][0]; }, expected);
    stage.counts = {};
    ASSERT_TRUE(canvas.run(workers));
    for (unsigned n = 0; n < width * height; n++)
      ASSERT_EQ(canvas.colour.word(n % width, n / width), *reinterpret_cast<uint32_t*>(&expected.colour[0].texels[n * 4]))
          << "at " << n % width << " " << n / width << ", blends " << blends;
    EXPECT_GT(stage.counts.blocks + stage.counts.packed, 50u);
    EXPECT_LT(stage.counts.by_pipeline, (stage.counts.blocks + stage.counts.packed) / 4);
  }
}

class OtherFamilies : public testing::TestWithParam<EngineChoice> {};
INSTANTIATE_TEST_SUITE_P(Engines, OtherFamilies, testing::Values(EngineChoice::Interpreter, EngineChoice::Jit),
                         [](const auto& info) { return info.param == EngineChoice::Jit ? "jit" : "interpreter"; });

TEST_P(OtherFamilies, XeLp) {
  for (unsigned lanes : {8, 16, 32})
    for (Messages messages : {Messages::one, Messages::each_half, Messages::overlapping}) {
      SCOPED_TRACE(testing::Message() << lanes << " lanes, messages " << int(messages));
      XeStage stage(GetParam(), lanes, messages);
      compare(stage, messages == Messages::overlapping ? 2 : 1);
      EXPECT_EQ(stage.counts.mixed + stage.counts.blocks, 0u);
      if (GetParam() == EngineChoice::Jit) EXPECT_EQ(stage.called + stage.interpreted, 0u);
      if (HasFatalFailure()) return;
    }
}

TEST_P(OtherFamilies, Gfx12) {
  for (bool flat : {false, true}) {
    SCOPED_TRACE(flat ? "flat" : "smooth");
    Gfx12Stage stage(GetParam(), flat);
    compare(stage);
    EXPECT_GT(stage.counts.mixed, 0u);
    EXPECT_GT(stage.counts.blocks, 10u);
    if (GetParam() == EngineChoice::Jit && !flat) EXPECT_EQ(stage.called + stage.interpreted, 0u);  // flat: DPP
    if (GetParam() == EngineChoice::Jit) EXPECT_GT(stage.compiled, stage.called);
  }
}

}  // namespace
}  // namespace Atoll::pixel::test
