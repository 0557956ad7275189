// A hostile program and the state that it starts from, and what makes them for an instruction set.
#pragma once
#include <memory>

#include "poison.h"

namespace Atoll::attacker {

// The code that runs a program besides the interpreter.
enum class Way : uint8_t { Quick, Full, FullExact, Auto };
inline constexpr unsigned way_count = 4, level_count = 3;
inline constexpr const char* way_names[way_count] = {"quick", "full", "full exact", "auto"};
inline constexpr const char* level_names[level_count] = {"baseline", "avx2", "avx512"};

// A program runs once or more on tame state, from which the profile of its addresses is learnt, and then on hostile state.
struct Attack {
  unsigned lanes = 32;
  uint32_t mode = 0;
  uint64_t state_seed = 0;
  uint32_t tame_runs = 1;
  bool learns = true;  // the interpreter goes through the tame runs before anything is compiled
  uint32_t lds_bytes = 4096, scratch_bytes = 256, shared_base = 256, shared_bytes = 1024;
  uint32_t vgprs = 256;         // allocated
  uint32_t stride = 4;          // of lanes in a row
  bool apertures = true;        // flat addresses have them
  uint32_t offsets[6][4] = {};  // by Aim::Space: what programs add to addresses, so that addresses may be as far below
  // One access whose outcome a model of the address checks knows; 0: none (amd_model.cpp).
  unsigned model = 0;
  RandomProgram program;
};

// An attack on an instruction set without LDS, private and shared memory: 32 lanes.
inline Attack attack_on_registers(Random& random) {
  Attack a;
  a.lanes = 32;
  a.state_seed = random.next64();
  a.tame_runs = random.below(2);
  a.lds_bytes = 0, a.scratch_bytes = 0, a.shared_bytes = 0;
  return a;
}

// One instruction set. Attacks come from a Random alone, the registers from the attack and the run's number.
class Attacker {
public:
  virtual ~Attacker() = default;
  virtual const char* name() const = 0;
  virtual Machine& machine() = 0;
  virtual Attack make(Random& random) = 0;
  // True if its address space has sections (memory/address_space.h).
  virtual bool sectioned() const { return false; }
  // Before machine().reset(): what else depends on the ground.
  virtual void prepare(Ground&, const Attack&, unsigned /*run*/) {}
  // After machine().reset(): registers that the program takes addresses and indices from. Run attack.tame_runs is the hostile
  // one.
  virtual void arm(const Attack& attack, unsigned run, Ground& ground) = 0;
  // After a run: poison among the registers is looked at (what is wrong is returned) and becomes 0, so that runs can be compared.
  virtual std::string settle(const Attack&, Ground&) { return {}; }
  // After a run of the interpreter: what a model of its own finds wrong, a line, or nothing.
  virtual std::string judge(const Attack&) { return {}; }
  // A word that does nothing, of which programs are made shorter; none: they are not.
  virtual std::optional<uint32_t> nop() const { return {}; }
};

std::unique_ptr<Attacker> rdna4_attacker();
std::unique_ptr<Attacker> gfx7_attacker();
std::unique_ptr<Attacker> r500_pixel_attacker();
std::unique_ptr<Attacker> r500_vertex_attacker();
std::unique_ptr<Attacker> xe_lp_attacker();

}  // namespace Atoll::attacker
