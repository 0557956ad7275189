#include "gpu/chips/family_programs.h"

namespace Atoll::gpu {
namespace {

constexpr FamilyPrograms rows[] = {
#include "gpu/chips/family_programs.inc"
};

}  // namespace

const FamilyPrograms& programs_of(const Chip& chip) { return rows[size_t(chip.family)]; }

}  // namespace Atoll::gpu
