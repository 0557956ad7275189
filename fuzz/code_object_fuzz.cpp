// The code object reader (ELF, offload bundles, metadata) on arbitrary bytes. Its own mutator repairs nothing: start it
// on real objects (fuzz/README.md says how).
#include <cstddef>
#include <cstdint>

#include "codeobject/code_object.h"
#include "codeobject/metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const uint8_t> bytes(data, size);
  for (auto processor : {"", "gfx1201"}) {
    auto object = Atoll::read_code_object(bytes, "fuzz", processor);
    if (!object) continue;
    for (auto& kernel : object->kernels) {
      if (!object->elf.at(kernel.entry_address, 4) && !object->elf.at(kernel.entry_address, 1)) __builtin_trap();
      for (auto& argument : kernel.arguments)
        if (uint64_t(argument.offset) + argument.bytes > kernel.kernarg_bytes) __builtin_trap();
    }
  }
  (void)Atoll::read_metadata(bytes);  // reached seldom through the ELF reader
  return 0;
}
