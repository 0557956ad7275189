// Registers of a draw without a device: words at byte addresses, as Mesa 25.0.7 src/amd/registers/gfx12.json has them.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <initializer_list>
#include <string>
#include <utility>

#include "gpu/chips/chip.h"
#include "gpu/gfx12/state/register_context.h"

namespace Atoll::gfx12::test {

struct DrawRegistersTest : testing::Test {
  gpu::Options options;
  std::atomic<int> stop{0};
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  RegisterContext context{*gpu::find_chip("gfx1201"), gpu::QueueKind::graphics, *space, options, stop};

  void set(uint32_t address, uint32_t value) { context.registers.set(address, value); }
  void set_float(uint32_t address, float value) { set(address, std::bit_cast<uint32_t>(value)); }
  void set(std::initializer_list<std::pair<uint32_t, uint32_t>> words) {
    for (auto [address, value] : words) set(address, value);
  }
  // The reports of unknown things, a line each.
  std::string unknown() const {
    std::string all;
    for (auto& u : context.unknowns()) all += u.what + "\n";
    return all;
  }
};

}  // namespace Atoll::gfx12::test
