// DS_DIRECT_LOAD: a value of LDS for all lanes, whose place and type M0 has. RDNA4 ISA 12.4, 16.14.
#include <cstring>

#include "base/removable_check.h"
#include "isa/rdna4/semantics/interpolation.h"
#include "isa/rdna4/semantics/whole.h"
#include "wave/program.h"

namespace Atoll::rdna4 {

// M0: {0, DataType[18:16], LDS_address[15:0]}; the address is that of a dword, of which bytes and halves are the low ones.
void ds_direct_load(wave::Wave& wave, const Instruction& i) {
  const uint32_t m0 = register_of(wave, M0), address = m0 & 0xfffc;
  uint32_t word = 0;
  if (ATOLL_CHECK("direct_load.bounds", address + 4 <= wave.lds_bytes)) std::memcpy(&word, wave.lds + address, 4);
  switch (m0 >> 16 & 7) {
    case 0: word &= 0xff; break;
    case 1: word &= 0xffff; break;
    case 2: break;
    case 4: word = uint32_t(int32_t(int8_t(word))); break;
    case 5: word = uint32_t(int32_t(int16_t(word))); break;
    default:
      wave.stop = wave::Stop::Fault;
      wave.fault = {wave::FaultKind::Illegal, 0, 0, wave.step ? wave.step->pc : wave.pc, -1, "ds_direct_load of a reserved type"};
      return;
  }
  const uint64_t active = exec_of(wave);
  for (uint32_t lane = 0; lane < wave.lanes; lane++)
    if (active >> (lane & ~3u) & 15) lane_of(wave, i.dst, lane) = word;
}

}  // namespace Atoll::rdna4
