// A machine of an instruction set that no tame generator has: registers of any values.
#pragma once
#include "attack.h"

namespace Atoll::attacker {

class PlainMachine : public Machine {
public:
  PlainMachine(const wave::Isa& isa, unsigned lanes) : isa_(isa), lanes_(lanes) {}
  const wave::Isa& isa(unsigned) const override { return isa_; }
  unsigned random_lanes(Random&) const override { return lanes_; }
  uint32_t random_mode(Random&) const override { return 0; }
  RandomProgram generate(Random&, unsigned) const override { return {}; }
  size_t row_count() const override { return 0; }
  size_t row_of(const wave::Step&) const override { return 0; }
  std::string row_name(size_t) const override { return {}; }

private:
  const wave::Isa& isa_;
  unsigned lanes_;

  void fill_registers(wave::Wave& wave, Random& random, uint32_t mode) const override;
  std::string register_name(uint32_t cell, unsigned) const override { return fmt::format("register file {:#x}", cell); }
};

}  // namespace Atoll::attacker
