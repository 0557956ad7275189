// The R5xx pixel shader's registers: t0-t127, c0-c255, o0-o3 of four components each, p of four bits; i0-i15 are t0-t15 (the
// rasterizer's results stand in temporaries). A request is about one pixel: the wave's first.
#include <optional>

#include "eval/target.h"
#include "isa/r500/isa.h"
#include "isa/r500/registers.h"
#include "isa/r500/text.h"

namespace Atoll::eval {
namespace {

using namespace r500;

class FragmentTarget : public Target {
public:
  std::span<const unsigned> wave_sizes() const override {
    static constexpr unsigned sizes[] = {32};
    return sizes;
  }
  const wave::Isa& isa(unsigned, std::span<const uint32_t>) const override { return fragment_isa(); }
  void initialise(wave::Wave& wave) const override { wave::word_of(wave, active_cell) = 1; }

  Expected<Register> find(std::string_view name, unsigned) const override {
    if (auto r = state(name)) return *r;
    size_t dot = name.find('.');
    std::string_view base = name.substr(0, dot), letters = dot == name.npos ? "xyzw" : name.substr(dot + 1);
    unsigned n = 0;
    uint32_t (*cell)(uint32_t, uint32_t) = nullptr;
    if (numbered(base, "t", kTemporaries, n)) cell = temporary_cell;
    if (numbered(base, "c", kConstants, n)) cell = constant_cell;
    if (numbered(base, "i", kInputs, n)) cell = input_cell;
    if (numbered(base, "o", kOutputs, n)) cell = output_cell;
    bool known = cell || base == "p";
    Register r{{}, base == "p" ? 1u : 32u, true};
    for (char c : letters) {
      size_t channel = std::min(std::string_view("xyzw").find(c), std::string_view("rgba").find(c));
      known &= channel < 4;
      if (known) r.places.push_back({cell ? cell(n, uint32_t(channel)) : predicate_cell(uint32_t(channel))});
    }
    if (!known || letters.empty() || letters.size() > 4)
      return fail(
          "register '{}': there are t0-t{}, c0-c{}, i0-i{}, o0-o{} and p, each with components .xyzw or .rgba; depth, "
          "alu_result, killed, al, us_config, us_code_offset, us_fc_bool_const, us_fc_int_const_0-{}",
          name, kTemporaries - 1, kConstants - 1, kInputs - 1, kOutputs - 1, kIntegerConstants - 1);
    return r;
  }
  // Registers of one component.
  static std::optional<Register> state(std::string_view name) {
    unsigned n = 0;
    if (name == "depth") return Register{{{depth_cell}}, 32};
    if (name == "alu_result") return Register{{{alu_result_cell}}, 1};
    if (name == "killed") return Register{{{killed_cell}}, 1};
    if (name == "al") return Register{{{loop_register_cell}}, 32};
    if (name == "us_config") return Register{{{config_cell}}, 32};
    if (name == "us_fc_bool_const") return Register{{{boolean_constants_cell}}, 32};
    if (name == "us_code_offset") return Register{{{code_offset_cell}}, 32};
    if (numbered(name, "us_fc_int_const_", kIntegerConstants, n)) return Register{{{integer_constant_cell(n)}}, 32};
    return {};
  }

  std::vector<std::string> names(unsigned) const override {
    std::vector<std::string> all;
    all.reserve(kTemporaries + kOutputs + 5);
    for (unsigned n = 0; n < kTemporaries; n++) all.push_back(fmt::format("t{}", n));
    for (unsigned n = 0; n < kOutputs; n++) all.push_back(fmt::format("o{}", n));
    for (const char* name : {"p", "depth", "alu_result", "killed", "al"}) all.push_back(name);
    return all;
  }

  Expected<std::vector<uint32_t>> assemble(std::string_view text, unsigned) const override {
    auto words = parse(text);
    if (!words) return std::unexpected(words.error());
    return std::vector<uint32_t>(words->begin(), words->end());
  }
};

}  // namespace

const Target& r500_fragment_target() {
  static const FragmentTarget target;
  return target;
}

}  // namespace Atoll::eval
