#include "gpu/gfx12/state/register_context.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "pipeline/draw.h"
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
    : QueueState(space, options, stop),
      chip(chip),
      kind(kind),
      registers(first_registers()),
      not_yet(not_yet_of_family()),
      threads(options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency())) {}

bool RegisterContext::write_back_targets() {
  write_backs++;
  if (workers) pipeline::write_back(*workers);
  return !lost();
}

uint64_t RegisterContext::clock() {
  if (options.deterministic) return ++clock_reads_;
  using namespace std::chrono;
  auto now = duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  return uint64_t(static_cast<unsigned __int128>(now) * chip.crystal_clock / 1'000'000);
}

}  // namespace Atoll::gfx12
