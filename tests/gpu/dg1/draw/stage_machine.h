// A context of a DG1's render engine with memory, state that is set command by command, and kernels of few instructions, for tests of
// the stages of draws.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "../batch.h"
#include "../machine.h"
#include "gpu/dg1/state/context.h"
#include "isa/xe_lp/program.h"
#include "registers/lookup.h"

namespace Atoll::dg1_tests {

struct StageMachine {
  static constexpr uint64_t kernels_at = 0x200000000, data_at = 0x400000000, bytes = 1 << 20;

  explicit StageMachine(wave::EngineChoice engine) {
    options.engine = engine;
    for (uint64_t at : {kernels_at, data_at}) EXPECT_TRUE(space->map(at, *space->memory().allocate(bytes), bytes));
    context = std::make_unique<dg1::Context>(*gpu::find_chip("dg1"), gpu::QueueKind::graphics, *space, options, stop);
    context->environment = &environment;
    context->bases.instruction = kernels_at;
    context->registers.write(0x20d8, 0x00100010);  // constants by address
  }
  // Sets state, as the command stream would.
  template <class Command, class Set>
  void set(Set&& fields, uint32_t dwords = Command::dwords) {
    dg1::Batch words;
    words.add<Command>(fields, dwords);
    const registers::Command* row = registers::find_command(registers::dg1_tables, words[0]);
    ASSERT_TRUE(row);
    context->graphics.set(*row, words);
  }
  // Puts a kernel into memory; gives its Kernel Start Pointer.
  uint64_t kernel(const std::vector<std::string>& lines) {
    auto words = xe_lp::assemble(lines);
    EXPECT_TRUE(words) << words.error().message;
    if (!words) return 0;
    const uint64_t at = next_kernel;
    std::memcpy(space->host(kernels_at + at), words->data(), words->size() * 4);
    next_kernel += (words->size() * 4 + 63) / 64 * 64;
    context->kernels.invalidate();
    return at;
  }
  template <class T>
  T& data(uint64_t byte) {
    return *reinterpret_cast<T*>(space->host(data_at + byte));
  }
  // On a thread of its own, as the GPU's code wants it.
  template <class Work>
  void run(Work work) {
    std::thread(work).join();
  }

  std::atomic<int> stop{0};
  gpu::Options options;
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  dg1::ThreadEnvironment environment{*space};
  std::unique_ptr<dg1::Context> context;
  uint64_t next_kernel = 0;
};

// The text of a message to the URB that writes `data_length` registers; `rest`: its offset and flags.
inline std::string urb_write(unsigned handles, unsigned data, unsigned data_length, uint32_t slot, bool last = false,
                             uint32_t rest = 0, unsigned head = 1) {
  return send("urb", 8, "null", handles, data_length ? int(data) : -1, data_length, head << 25 | 1 << 19 | rest | slot << 4 | 7) +
         (last ? " {EOT}" : "");
}
inline std::string urb_read(unsigned to, unsigned handles, unsigned count, uint32_t slot, uint32_t rest = 0, unsigned head = 1) {
  return send("urb", 8, fmt::format("r{}", to).c_str(), handles, -1, 0,
              head << 25 | count << 20 | 1 << 19 | rest | slot << 4 | 8);
}

}  // namespace Atoll::dg1_tests
