// The R5xx vertex shader's registers: t0-t127, u0-u19 (alternate temporaries), c0-c255, i0-i31, o0-o31 of four components each,
// a0 of four integers. A request is about one vertex: the wave's first. Flow control stands in registers that a request has not.
#include "eval/target.h"
#include "isa/r500/vertex_isa.h"
#include "isa/r500/vertex_text.h"

namespace Atoll::eval {
namespace {

using namespace r500::vs;

class VertexTarget : public Target {
public:
  std::span<const unsigned> wave_sizes() const override {
    static constexpr unsigned sizes[] = {kVertices};
    return sizes;
  }
  const wave::Isa& isa(unsigned, std::span<const uint32_t>) const override { return vertex_isa(); }
  void initialise(wave::Wave& wave) const override { wave::word_of(wave, active_cell) = 1; }

  Expected<Register> find(std::string_view name, unsigned) const override {
    if (name == "al") return Register{{{loop_index_cell}}, 32};
    if (name == "p") return Register{{{predicate_cell}}, 1};
    size_t dot = name.find('.');
    std::string_view base = name.substr(0, dot), letters = dot == name.npos ? "xyzw" : name.substr(dot + 1);
    unsigned n = 0;
    uint32_t (*cell)(uint32_t, uint32_t) = nullptr;
    if (numbered(base, "t", kTemporaries, n)) cell = temporary_cell;
    if (numbered(base, "u", kAlternates, n)) cell = alternate_cell;
    if (numbered(base, "c", kConstants, n)) cell = constant_cell;
    if (numbered(base, "i", kInputs, n)) cell = input_cell;
    if (numbered(base, "o", kOutputs, n)) cell = output_cell;
    bool known = cell || base == "a0";
    Register r{{}, 32, true};
    for (char c : letters) {
      size_t channel = std::string_view("xyzw").find(c);
      known &= channel < 4;
      if (known) r.places.push_back({cell ? cell(n, uint32_t(channel)) : address_cell(uint32_t(channel))});
    }
    if (!known || letters.empty() || letters.size() > 4)
      return fail("register '{}': there are t0-t{}, u0-u{}, c0-c{}, i0-i{}, o0-o{} and a0, each with components .xyzw; p, al",
                  name, kTemporaries - 1, kAlternates - 1, kConstants - 1, kInputs - 1, kOutputs - 1);
    return r;
  }

  std::vector<std::string> names(unsigned) const override {
    std::vector<std::string> all;
    for (unsigned n = 0; n < kTemporaries; n++) all.push_back(fmt::format("t{}", n));
    for (unsigned n = 0; n < kAlternates; n++) all.push_back(fmt::format("u{}", n));
    for (unsigned n = 0; n < kInputs; n++) all.push_back(fmt::format("i{}", n));
    for (unsigned n = 0; n < kOutputs; n++) all.push_back(fmt::format("o{}", n));
    for (const char* name : {"a0", "p", "al"}) all.push_back(name);
    return all;
  }

  Expected<std::vector<uint32_t>> assemble(std::string_view text, unsigned) const override {
    auto words = parse(text);
    if (!words) return std::unexpected(words.error());
    return std::vector<uint32_t>(words->begin(), words->end());
  }
};

}  // namespace

const Target& r500_vertex_target() {
  static const VertexTarget target;
  return target;
}

}  // namespace Atoll::eval
