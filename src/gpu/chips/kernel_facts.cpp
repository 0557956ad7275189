#include "gpu/chips/kernel_facts.h"

namespace Atoll::gpu {
namespace {

constexpr KernelFacts rows[] = {
#include "gpu/chips/kernel_facts.inc"
};

}  // namespace

const KernelFacts& kernel_facts(const Chip& chip) { return rows[&chip - chips().data()]; }

}  // namespace Atoll::gpu
