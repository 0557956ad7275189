// Thread groups on small hand-written programs: payloads, masks, and every kind of data message against a scalar model, on both
// engines, in spaces with and without sections.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <tuple>

#include "gpu/dg1/threads/thread_groups.h"
#include "isa/xe_lp/program.h"

namespace {

using namespace Atoll;

class SimpleEnvironment : public wave::Environment {
public:
  explicit SimpleEnvironment(AddressSpace& space) : space_(space) {}
  bool mapped(uint64_t address, uint64_t bytes) const override {
    auto gpu = space_.gpu_address_of(space_.base() + address);
    return gpu && space_.contains(uint64_t(*gpu), bytes);
  }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }

private:
  AddressSpace& space_;
};

constexpr uint64_t page = 4096;

// A GPU's memory with a kernel, tables of states and two buffers in far places.
struct Machine {
  explicit Machine(wave::EngineChoice engine, bool sectioned) : engine(engine) {
    space = sectioned ? *AddressSpace::create_sectioned() : *AddressSpace::create();
    const uint64_t upper = sectioned ? uint64_t(0xff) << 40 : 0, middle = sectioned ? uint64_t(0x7f) << 40 : 0;
    kernel_at = 0x200000000 + upper, states = 0x300000000 + upper, input = 0x400000000 + middle, output = 0x500000000;
    for (uint64_t at : {kernel_at, states, input, output}) {
      auto offset = *space->memory().allocate(4 * page);
      EXPECT_TRUE(space->map(at, offset, 4 * page));
    }
    groups.context.surface_state_base = states;
    groups.context.binding_table = states + 0x800;
    groups.context.general_state_base = output;
    buffer(0, input, 1000);
    buffer(1, output, 3 * page);
  }
  void buffer(unsigned index, uint64_t address, uint32_t bytes) {
    uint32_t state[16] = {};
    const uint32_t n = bytes - 1;
    state[0] = 4u << 29 | 0x1ffu << 18;
    state[2] = (n >> 7 & 0x3fff) << 16 | (n & 0x7f);
    state[3] = n >> 21 << 21;
    state[8] = uint32_t(address), state[9] = uint32_t(address >> 32);
    std::memcpy(space->host(states + index * 64), state, sizeof state);
    uint32_t entry = index * 64;
    std::memcpy(space->host(states + 0x800 + index * 4), &entry, 4);
  }
  dg1::GroupsResult run(std::vector<std::string> lines) {
    lines.emplace_back("(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}");
    auto words = xe_lp::assemble(lines);
    EXPECT_TRUE(words) << words.error().message;
    if (!words) return {};
    std::memcpy(space->host(kernel_at), words->data(), words->size() * 4);
    dg1::Kernels kernels(*space, engine);
    auto kernel = kernels.find(kernel_at);
    EXPECT_TRUE(kernel) << kernel.error().message;
    WorkerPool pool(2);
    SimpleEnvironment environment(*space);
    std::atomic<int> stop{0};
    dg1::GroupsResult result;
    std::thread([&] {  // GPU code runs on threads that handle its faults
      auto ended = dg1::run_thread_groups(groups, **kernel, *space, pool, environment, stop);
      EXPECT_TRUE(ended) << ended.error().message;
      if (ended) result = *ended;
    })
        .join();
    return result;
  }
  uint32_t word(uint64_t address) const {
    uint32_t x;
    std::memcpy(&x, space->host(address), 4);
    return x;
  }
  void put(uint64_t address, uint32_t x) { std::memcpy(space->host(address), &x, 4); }

  wave::EngineChoice engine;
  std::unique_ptr<AddressSpace> space;
  uint64_t kernel_at = 0, states = 0, input = 0, output = 0;
  dg1::ThreadGroups groups;
};

std::string text_of(const dg1::GroupsResult& r) {
  if (!r.fault) return "no fault";
  return fmt::format("kind {} of {} bytes at {:#x}, instruction {:#x} {}, lane {}: {}", int(r.fault->kind), r.fault->bytes,
                     r.fault->address, r.fault->pc_offset, r.fault->instruction_text, r.fault->lane, r.fault->other);
}

class Threads : public testing::TestWithParam<std::tuple<wave::EngineChoice, bool>> {
protected:
  Machine machine{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

// c[i] = a[i] + 1 through surfaces, the last thread with some channels only; reads beyond the surface give 0.
TEST_P(Threads, SurfacesAreBounded) {
  Machine& m = machine;
  for (uint32_t n = 0; n < 1024; n++) m.put(m.input + n * 4, n * 3 + 7);
  std::vector<uint8_t> ids(5 * 32);
  for (uint16_t n = 0; n < 80; n++) std::memcpy(&ids[n / 16 * 32u + n % 16 * 2u], &n, 2);
  m.groups.simd = 16, m.groups.threads = {5, 1, 1}, m.groups.end = {4, 1, 1}, m.groups.right_mask = 0x00ff;
  m.groups.per_thread = ids, m.groups.per_thread_bytes = 32;
  auto result = m.run({"mov (16|M0) r10.0<1>:ud r1.0<8;8,1>:uw", "mul (16|M0) r12.0<1>:ud r0.1<0;1,0>:ud 80:uw",
                       "add (16|M0) r10.0<1>:ud r10.0<8;8,1>:ud r12.0<8;8,1>:ud", "shl (16|M0) r10.0<1>:ud r10.0<8;8,1>:ud 2:ud",
                       "send.dc1 (16|M0) r20 r10 null 0x0 0x04205E00", "add (16|M0) r20.0<1>:ud r20.0<8;8,1>:ud 1:ud",
                       "send.dc1 (16|M0) null r10 r20 0x80 0x04025E01"});
  ASSERT_FALSE(result.fault) << text_of(result);
  for (uint32_t n = 0; n < 320; n++) {
    uint32_t expected = n % 80 >= 72 ? 0 : (n * 4 + 4 <= 1000 ? n * 3 + 7 : 0) + 1;
    ASSERT_EQ(m.word(m.output + n * 4), expected) << n;
  }
  EXPECT_EQ(result.counters.waves, 20u);
}

INSTANTIATE_TEST_SUITE_P(Engines, Threads,
                         testing::Combine(testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                                          testing::Bool()));

}  // namespace
