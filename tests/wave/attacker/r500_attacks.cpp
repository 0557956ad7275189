// R5xx: instructions of any words, whose relative addresses count from hostile loop and address registers.
#include "hostile_values.h"
#include "isa/r500/instruction.h"
#include "isa/r500/isa.h"
#include "isa/r500/registers.h"
#include "isa/r500/registers_vs.h"
#include "isa/r500/vertex_instruction.h"
#include "isa/r500/vertex_isa.h"
#include "plain_machine.h"

namespace Atoll::attacker {
namespace {

// Any instruction, word by word, as long as the decoder takes it.
template <size_t n, class Takes>
void any_instruction(Random& r, Code& code, Takes takes) {
  for (;;) {
    std::array<uint32_t, n> words;
    for (uint32_t& word : words) word = r.next();
    if (!takes(words)) continue;
    code.add(words);
    return;
  }
}

// Textures without memory: all that an access names decides what it gives.
void texture(wave::ImageAccess& a) {
  for (unsigned lane = 0; lane < a.lanes; lane++) {
    uint64_t h = a.unit | uint64_t(a.operation) << 8 | uint64_t(a.lod_mode) << 16 | uint64_t(a.projected) << 24;
    for (unsigned n = 0; n < a.coordinate_count; n++) h = Random{h ^ a.coordinate[n][lane]}.next64();
    for (auto& lanes : a.data) lanes[lane] = 0x3f000000u + uint32_t(h >> 40);
  }
}

class R500Attacker : public Attacker {
public:
  R500Attacker(const wave::Isa& isa, uint32_t lanes) : machine_(isa, lanes) { machine_.images = texture; }
  Machine& machine() override { return machine_; }
  Attack make(Random& r) override {
    Attack a = attack_on_registers(r);
    Code code;
    for (uint32_t n = 1 + r.below(6); n > 0; n--) instruction(r, code);
    a.program = {code.words, code.starts};
    return a;
  }

protected:
  PlainMachine machine_;
  virtual void instruction(Random& r, Code& code) = 0;
};

class Pixels : public R500Attacker {
public:
  Pixels() : R500Attacker(r500::fragment_isa(), r500::kPixels) {}
  const char* name() const override { return "r500-fs"; }
  void arm(const Attack& a, unsigned run, Ground&) override {
    wave::Wave& w = machine_.wave();
    Random r{a.state_seed * 31 + run};
    wave::word_of(w, r500::loop_register_cell) = run < a.tame_runs ? r.below(8) : hostile_index(r, r.chance(50) ? 128 : 256);
    wave::word_of(w, r500::loop_depth_cell) = r.below(r500::kLoops + 1);
    wave::word_of(w, r500::call_depth_cell) = 0;
    for (uint32_t n = 0; n < r500::kPixels; n++)
      wave::word_of(w, r500::branch_cell + n * 4) = wave::word_of(w, r500::break_cell + n * 4) =
          wave::word_of(w, r500::continue_cell + n * 4) = 0;
  }

private:
  void instruction(Random& r, Code& code) override {
    bool relative = r.chance(60);
    any_instruction<r500::kWords>(r, code, [&](r500::Words& words) {
      constexpr uint32_t sources = 1u << 9 | 1u << 19 | 1u << 29, destination = 1u << 11, write_inactive = 1u << 7;
      if (relative)
        words[1] |= sources, words[4] |= destination;
      else
        words[0] &= ~write_inactive, words[1] &= ~sources, words[2] &= ~sources, words[4] &= ~destination,
            words[5] &= ~destination;
      // Flow control may never end.
      if (!r500::objection(words).empty() || r500::type_of(words) == r500::Type::Fc) return false;
      bool pair = r500::type_of(words) != r500::Type::Tex;
      return !pair || r500::meaningless(r500::pair_of(words)).empty();
    });
  }
};

class Vertices : public R500Attacker {
public:
  Vertices() : R500Attacker(r500::vs::vertex_isa(), r500::vs::kVertices) {}
  const char* name() const override { return "r500-vs"; }
  void arm(const Attack& a, unsigned run, Ground&) override {
    using namespace r500::vs;
    wave::Wave& w = machine_.wave();
    Random r{a.state_seed * 31 + run};
    bool hostile = run >= a.tame_runs;
    wave::word_of(w, loop_index_cell) = hostile ? hostile_index(r, 256) : r.below(8);
    for (uint32_t c = 0; c < 4; c++)
      for (uint32_t l = 0; l < kVertices; l++)
        wave::word_of(w, address_cell(c) + l * 4) =
            hostile && r.chance(50) ? hostile_index(r, r.chance(50) ? 32 : 256) : r.below(8);
  }

private:
  void instruction(Random& r, Code& code) override {
    bool relative = r.chance(60);
    any_instruction<r500::vs::kWords>(r, code, [&](r500::vs::Words& words) {
      return r500::vs::objection(words).empty() && (relative || !r500::vs::instruction_of(words).relative());
    });
  }
};

}  // namespace

std::unique_ptr<Attacker> r500_pixel_attacker() { return std::make_unique<Pixels>(); }
std::unique_ptr<Attacker> r500_vertex_attacker() { return std::make_unique<Vertices>(); }

}  // namespace Atoll::attacker
