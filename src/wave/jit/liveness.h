// Finds lane registers that may still be read: any other one need not be stored at a region's end.
#pragma once
#include "wave/jit/regions.h"

namespace Atoll::wave {

// Fills `live` and `dead` of each region. `inspected`: all registers are looked at when a wave has ended, else only the file's
// results.
void find_dead_registers(std::vector<CodeRegion>& regions, const RegisterFile& file, bool inspected);
// The same of a file of bytes, by dwords.
void find_dead_bytes(std::vector<CodeRegion>& regions, bool inspected);

}  // namespace Atoll::wave
