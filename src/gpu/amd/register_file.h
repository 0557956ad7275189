// The registers of one context of an AMD GPU by byte address. Code reads them by field (registers/accessors.h):
//   auto info = registers.read<CB_COLOR_INFO>(n);
//   uint32_t format = registers.get<DB_Z_INFO::FORMAT>();
#pragma once
#include <cstdint>

#include "base/zeroed_array.h"
#include "registers/accessors.h"

namespace Atoll::gpu::amd {

// Plain storage of the bytes [0, end): what writing a register does is the command processor's. Addresses beyond the end read as 0
// and are not written.
class RegisterFile {
public:
  explicit RegisterFile(uint32_t end) : words_(end / 4) {}

  template <class Register, class... Index>
  registers::access::Word<Register> read(Index... index) const {
    return registers::access::Word<Register>(raw(Register::address(index...)));
  }
  template <class Field, class... Index>
  uint32_t get(Index... index) const {
    return Field::get(read<typename Field::register_type>(index...));
  }
  // A register that is one number.
  template <class Register, class... Index>
  uint32_t whole(Index... index) const {
    return read<Register>(index...).whole();
  }
  template <class Register, class... Index>
  float as_float(Index... index) const {
    return read<Register>(index...).as_float();
  }

  void set(uint32_t address, uint32_t value) {
    if (address / 4 >= words_.size()) return;
    changes_ += words_[address / 4] != value;
    words_[address / 4] = value;
  }
  // The same of a register that nothing is kept of as long as changes() stays.
  void set_uncounted(uint32_t address, uint32_t value) {
    if (address / 4 < words_.size()) words_[address / 4] = value;
  }
  // The number of changes of registers' values: while it stays the same, state that was found from registers stays valid.
  uint64_t changes() const { return changes_; }
  // The bits as they are, for packets that move registers without interpreting them.
  uint32_t raw(uint32_t address) const { return address / 4 < words_.size() ? words_[address / 4] : 0; }
  uint32_t end() const { return uint32_t(words_.size() * 4); }

private:
  ZeroedArray<uint32_t> words_;
  uint64_t changes_ = 0;
};

}  // namespace Atoll::gpu::amd
