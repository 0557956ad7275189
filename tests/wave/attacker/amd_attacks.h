// Hostile programs of AMD's GPUs: the same pieces for RDNA4 and Sea Islands, in the words that both assemblers share.
#pragma once
#include "attack.h"

namespace Atoll::attacker {

// Registers that programs take addresses and indices from; arm() fills them. The generators' own lie below.
namespace amd_registers {
enum Vgpr : uint32_t {
  // In a row, all equal, far apart, each its own: of LDS and private memory an offset, of memory two registers.
  LDS_ROW = 64,
  LDS_EQUAL,
  LDS_APART,
  LDS_ANY,
  PRIVATE_EQUAL,
  PRIVATE_EQUAL_2,
  PRIVATE_ANY,
  PRIVATE_ROW,
  GLOBAL_ROW = 72,
  GLOBAL_EQUAL = 74,
  GLOBAL_APART = 76,
  GLOBAL_ANY = 78,
  FLAT_ROW = 80,
  FLAT_ANY = 82,
  INDEX = 84,  // of buffers: an index and an offset
  INDEX_ANY = 86,
  BAD = 88,  // hostile in tame runs too: what loops turn to in their last rounds
  BAD_ROW,
  BAD_GLOBAL = 90,
  WORK = 92,  // to WORK_END: computed
  WORK_END = 104
};
enum Sgpr : uint32_t {
  DESCRIPTOR = 64,
  DESCRIPTOR_2 = 68,
  GOOD = 84,      // an offset
  BASE = 86,      // two
  BAD_BASE = 88,  // two
  BAD_OFFSET = 90,
  REGISTER_INDEX = 91,
  LANE_INDEX = 92,
  LIMIT = 93,  // of LDS, or base and size of a part of the global share
  LOOP = 94,
  PICKED = 95,
  MASK = 96,         // two
  FLAT_SCRATCH = 98  // two
};
}  // namespace amd_registers

class AmdAttacker : public Attacker {
public:
  Machine& machine() override { return *machine_; }
  Attack make(Random& random) override;
  void arm(const Attack& attack, unsigned run, Ground& ground) override;
  std::string settle(const Attack& attack, Ground& ground) override;
  std::string judge(const Attack& attack) override;
  std::optional<uint32_t> nop() const override { return 0xbf800000; }

protected:
  explicit AmdAttacker(std::unique_ptr<Machine> machine) : machine_(std::move(machine)) {}
  std::unique_ptr<Machine> machine_;
  Random* r_ = nullptr;  // while a program is made
  const Attack* attack_ = nullptr;

  // --- what the instruction set says
  virtual bool is_rdna4() const = 0;
  virtual void begin(Random& random, unsigned lanes) = 0;
  virtual void line(Code& code, const std::string& text) = 0;
  virtual void straight(Code& code, uint32_t count) = 0;
  virtual void memory(Code& code, const Aim& aim) = 0;
  // The begin of a program.
  virtual void opening(Code&) {}
  // A piece that only this instruction set has.
  virtual void special(Code& code) = 0;
  virtual void arm_more(wave::Wave& wave, Random& random, const Attack& attack, bool hostile) = 0;

  template <class... Args>
  void text(Code& code, fmt::format_string<Args...> format, Args&&... args) {
    line(code, fmt::format(format, std::forward<Args>(args)...));
  }
  uint32_t below(uint32_t n) { return r_->below(n); }
  bool chance(uint32_t percent) { return r_->chance(percent); }

private:
  std::string pair(uint32_t n) { return fmt::format("s[{}:{}]", n, n + 1); }
  void add(Code& code, uint32_t to, const std::string& a, uint32_t b);
  uint32_t alias(Code& code, uint32_t from, bool equal, unsigned dwords);
  uint32_t offset_of(Aim::Space space);
  void accesses(Code& code, Aim::Space space, std::vector<uint32_t> addresses, uint32_t count);
  std::vector<uint32_t> addresses_of(Aim::Space space);
  void same_value(Code& code);
  void piece(Code& code);
  void loop(Code& code);
  void registers_by_index(Code& code);
  void lanes_by_index(Code& code);
  unsigned model_program(Code& code);
  uint32_t next_work_ = 0;
};

}  // namespace Atoll::attacker
