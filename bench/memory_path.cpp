// The interpreter's way to memory: nanoseconds a wave32 instruction (wave64: two of them), by what the addresses look like.
//   build/release/bench/bench_memory_path [--benchmark_filter=load]
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "isa/rdna4/registers.h"
#include "isa/rdna4/semantics/semantics.h"
#include "wave/environment.h"
#include "wave/interpreter/level.h"
#include "wave/program.h"

namespace Atoll::rdna4 {
namespace {

// Decodes every word as one and the same instruction, the last as the program's end.
struct OneInstruction : wave::Isa {
  Instruction instruction;
  const SemanticEntry* entry = nullptr;
  uint64_t last = 0;
  const char* name() const override { return "one instruction"; }
  wave::RegisterFile register_file() const override { return {register_file_bytes(false), scalar_cell(EXEC_LO)}; }
  Expected<void> decode(std::span<const uint32_t>, wave::Step& step, std::vector<std::shared_ptr<void>>&) const override {
    step.interpret = (step.pc == last ? find_semantics("s_endpgm") : entry)->interpret;
    step.instruction = &instruction;
    return {};
  }
  std::string text(const wave::Step&) const override { return {}; }
  wave::FloatMode float_mode(const wave::Wave&) const override { return {}; }
};
struct NoEnvironment : wave::Environment {
  bool mapped(uint64_t, uint64_t, bool) const override { return true; }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
};

enum Addresses { Row, Equal, Scattered, Backwards };
constexpr const char* kAddressNames[] = {"row", "equal", "scattered", "backwards"};

void run(benchmark::State& state, const char* name, Addresses addresses, uint32_t stride, uint32_t exec) {
  constexpr uint32_t words = 1024;
  OneInstruction isa;
  isa.entry = find_semantics(name);
  bool lds = std::string_view(name).starts_with("ds_"), scratch = std::string_view(name).starts_with("scratch");
  isa.instruction = {.dst = 4, .address = 2, .data = 8};
  std::vector<uint32_t> code(words);
  isa.last = 0x1000 + (words - 1) * 4;
  wave::Program program(isa, 0x1000, code);
  auto* storage = static_cast<uint8_t*>(std::aligned_alloc(128, wave::register_file_offset + register_file_bytes(false)));
  std::memset(storage, 0, wave::register_file_offset + register_file_bytes(false));
  auto* wave = new (storage) wave::Wave;
  std::vector<uint8_t> memory(1 << 16), lds_memory(1 << 16), private_memory(1 << 16);
  std::atomic<int> stop{0};
  NoEnvironment environment;
  wave->window = memory.data() - 0x200000;
  wave->lds = lds_memory.data(), wave->lds_bytes = 1 << 16;
  wave->scratch = private_memory.data(), wave->scratch_bytes = 2048;
  wave->flat_shared_high = 0x00020000, wave->flat_private_high = 0x00030000;
  wave->stop_flag = &stop, wave->environment = &environment, wave->program = &program;
  wave::word_of(*wave, scalar_cell(EXEC_LO)) = exec;
  for (uint32_t lane = 0; lane < 32; lane++) {
    uint32_t at = addresses == Row         ? lane * stride
                  : addresses == Equal     ? 64
                  : addresses == Backwards ? (31 - lane) * stride
                                           : lane * 0x9e3779b9u >> 20 & ~3u;
    if (scratch) at &= 1020;
    wave::word_of(*wave, vgpr_cell(2, false) + lane * 4) = lds || scratch ? at : 0x200000 + at;
  }
  for (auto _ : state) {
    wave->pc = 0x1000;
    wave::level_entries().run(*wave, program, ~uint64_t(0), false);
  }
  state.counters["ns"] =
      benchmark::Counter(double(state.iterations() * words), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  std::free(storage);
}

void add(const char* name, uint32_t stride) {
  for (Addresses a : {Row, Equal, Scattered, Backwards})
    for (uint32_t exec : {~0u, 0x0ff0f0f0u}) {
      std::string full = std::string(name) + "/" + kAddressNames[a] + (exec == ~0u ? "" : "/half");
      benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) { run(state, name, a, stride, exec); });
    }
}

}  // namespace
}  // namespace Atoll::rdna4

int main(int argc, char** argv) {
  using Atoll::rdna4::add;
  for (auto [name, stride] : {std::pair{"global_load_b32", 4u},
                              {"global_load_b64", 8u},
                              {"global_load_b128", 16u},
                              {"global_load_u8", 1u},
                              {"global_load_u16", 2u},
                              {"global_store_b32", 4u},
                              {"global_store_b64", 8u},
                              {"global_store_b128", 16u},
                              {"global_store_b8", 1u},
                              {"flat_load_b32", 4u},
                              {"flat_store_b32", 4u},
                              {"scratch_load_b32", 4u},
                              {"scratch_store_b32", 4u},
                              {"ds_load_b32", 4u},
                              {"ds_store_b32", 4u},
                              {"ds_load_b64", 8u},
                              {"ds_add_u32", 4u},
                              {"global_atomic_add_u32", 4u},
                              {"v_mov_b32", 4u}})
    add(name, stride);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
