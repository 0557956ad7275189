// Programs that the GPUs of a family take: columns of gpus/families.tsv.
#pragma once
#include "gpu/chips/chip.h"

namespace Atoll::gpu {

// The container that programs come in.
enum class Container : uint8_t {
  none,
  hsa,    // code objects of clang
  intel,  // device binaries of Intel's ocloc
};

struct FamilyPrograms {
  Container container;  // that is launched
  bool bare_waves;      // from instruction words and registers alone
  bool written;         // by --shaders
  unsigned mesa;        // the first one whose drivers know the family, where distributions have older ones; 0: all do
};

const FamilyPrograms& programs_of(const Chip& chip);

}  // namespace Atoll::gpu
