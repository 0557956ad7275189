#include "gpu/gfx12/state/register_context.h"

#include "registers/tables.h"

namespace Atoll::gfx12 {
namespace {

RegisterFile first_registers() {
  RegisterFile registers(registers_end);
  registers.set(GB_ADDR_CONFIG::address(), gb_addr_config);
  return registers;
}

const gpu::amd::NotYet& not_yet_of_family() {
  [[clang::no_destroy]] static const gpu::amd::NotYet all(registers::gfx12_tables, first_registers());
  return all;
}

}  // namespace

RegisterContext::RegisterContext(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options,
                                 std::atomic<int>& stop)
    : gpu::amd::RegisterContext(chip, kind, space, options, stop, first_registers(), not_yet_of_family()) {}

}  // namespace Atoll::gfx12
