// Small programs through the executor on the interpreter and on the JIT: what the hardware would give, and the same bits on both.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstring>
#include <memory>

#include "isa/rdna4/isa.h"
#include "isa/rdna4/registers.h"
#include "wave/environment.h"
#include "wave/executor.h"

namespace Atoll::rdna4 {
namespace {

class NoMemory : public wave::Environment {
public:
  bool mapped(uint64_t, uint64_t, bool) const override { return false; }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
};

struct Machine {
  explicit Machine(std::vector<uint32_t> words, unsigned lanes = 32) : code(std::move(words)), wide(lanes == 64) {
    size_t bytes = wave::register_file_offset + register_file_bytes(wide);
    storage.reset(static_cast<uint8_t*>(std::aligned_alloc(128, (bytes + 127) / 128 * 128)));
    std::memset(storage.get(), 0, bytes);
    w = new (storage.get()) wave::Wave;
    w->lanes = lanes;
    w->stop_flag = &stop;
    w->environment = &environment;
    w->pc = 0x1000;
    wave::word_of(*w, mode_cell) = MODE_DEFAULT;
    s(EXEC_LO) = ~0u;
    if (wide) s(EXEC_HI) = ~0u;
    for (unsigned l = 0; l < lanes; l++) v(0, l) = l;
  }
  uint32_t& s(uint32_t n) { return wave::word_of(*w, scalar_cell(n)); }
  uint32_t& v(uint32_t n, uint32_t lane) { return wave::word_of(*w, vgpr_cell(n, wide) + lane * 4); }
  void run(wave::EngineChoice engine) {
    program = std::make_unique<wave::Program>(isa(w->lanes), 0x1000, code);
    wave::Executor executor(*program, engine, *w);
    ASSERT_EQ(executor.error(), "");
    executor.run(*w);
    executor.wait_for_compilation();
  }
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  std::vector<uint32_t> code;
  bool wide;
  std::unique_ptr<uint8_t, Free> storage;
  wave::Wave* w;
  std::atomic<int> stop{0};
  NoMemory environment;
  std::unique_ptr<wave::Program> program;
};

// s_mov s0,0; v_mov v1,0; v_mov v2,0; L: v_add v1,v1,v0; s_add s0,s0,1; v_lshlrev v3,1,v1; s_cmp_lt s0,100; s_cbranch_scc1 L;
// v_cmp_gt_u32 vcc,7,v0; s_and_saveexec s1,vcc; s_cbranch_execz E; v_add v2,v0,77; v_cndmask v4,v0,v1,vcc; E: s_or exec,exec,s1;
// D: v_add v5,v5,1; v_cmp_lt_u32 vcc,v5,v0; s_and exec,exec,vcc; s_cbranch_execnz D; s_mov exec,-1;
// v_add_f32 v6,v7,v8; v_add_nc_u32 v9,v6,1; v_add_f32 v10,v6,v6; s_endpgm
const std::vector<uint32_t> mixed = {0xbe800080, 0x7e020280, 0x7e040280, 0x4a020101, 0x81008100, 0x30060281, 0xbf04ff00,
                                     0x00000064, 0xbfa2fffa, 0x7c980087, 0xbe81206a, 0xbfa50004, 0xd5250002, 0x0001ff00,
                                     0x0000004d, 0x02080300, 0x8c7e017e, 0xd5250005, 0x00010305, 0x7c920105, 0x8b7e6a7e,
                                     0xbfa6fffb, 0xbefe00c1, 0x060c1107, 0xd5250009, 0x00010306, 0x06140d06, 0xbfb00000};

class Engines : public testing::TestWithParam<wave::EngineChoice> {};

TEST_P(Engines, LoopsMasksAndDivergence) {
  Machine m(mixed);
  for (unsigned l = 0; l < 32; l++) m.v(7, l) = std::bit_cast<uint32_t>(float(l)), m.v(8, l) = std::bit_cast<uint32_t>(0.5f);
  m.v(7, 3) = 0x7f812345;  // a signalling NaN: its payload must come through
  m.v(8, 20) = 0xffc54321;
  m.run(GetParam());
  ASSERT_EQ(m.w->stop, wave::Stop::End);
  if (GetParam() == wave::EngineChoice::Jit) {
    EXPECT_GT(m.w->compiled, 600u);
    EXPECT_EQ(m.w->interpreted, 0u);
  }
  EXPECT_EQ(m.s(0), 100u);
  EXPECT_EQ(m.s(1), ~0u);
  for (unsigned l = 0; l < 32; l++) {
    SCOPED_TRACE(l);
    EXPECT_EQ(m.v(1, l), 100 * l);
    EXPECT_EQ(m.v(3, l), 200 * l);
    EXPECT_EQ(m.v(2, l), l < 7 ? l + 77 : 0);
    EXPECT_EQ(m.v(4, l), l < 7 ? 100 * l : 0);
    EXPECT_EQ(m.v(5, l), l < 1 ? 1 : l);
    uint32_t sum = l == 3 ? 0x7fc12345u : l == 20 ? 0xffc54321u : std::bit_cast<uint32_t>(float(l) + 0.5f);
    EXPECT_EQ(m.v(6, l), sum);
    EXPECT_EQ(m.v(9, l), sum + 1);
    EXPECT_EQ(m.v(10, l), l == 3 || l == 20 ? sum : std::bit_cast<uint32_t>(2 * (float(l) + 0.5f)));
  }
}

// v_cndmask v1,v2,v3,vcc; s_or vcc,s0,s1 (wave64: s[0:1], s[2:3]); v_cndmask v4,v2,v3,vcc; v_add_co v5,vcc,v2,v3; s_endpgm: VCC
// as it was, then as a scalar leaves it, then a mask that the lanes make, all in one region.
TEST_P(Engines, LanesReadAMaskThatAScalarOverwrites) {
  for (unsigned lanes : {32u, 64u}) {
    SCOPED_TRACE(lanes);
    Machine m({0x02020702, lanes == 64 ? 0x8cea0200u : 0x8c6a0100u, 0x02080702, 0xd7006a05, 0x00020702, 0xbfb00000}, lanes);
    const uint64_t before = 0xf0f01234'00ff5678, after = 0x13579bdf'2468ace0;
    m.s(VCC_LO) = uint32_t(before), m.s(VCC_LO + 1) = uint32_t(before >> 32);
    m.s(0) = uint32_t(after);
    if (lanes == 64) m.s(1) = uint32_t(after >> 32);
    for (unsigned l = 0; l < lanes; l++) m.v(2, l) = 100 + l, m.v(3, l) = 200 + l;
    m.run(GetParam());
    ASSERT_EQ(m.w->stop, wave::Stop::End);
    for (unsigned l = 0; l < lanes; l++) {
      EXPECT_EQ(m.v(1, l), (before >> l & 1 ? 200 : 100) + l);
      EXPECT_EQ(m.v(4, l), (after >> l & 1 ? 200 : 100) + l);
      EXPECT_EQ(m.v(5, l), 300 + 2 * l);
    }
  }
}

TEST_P(Engines, JumpOutOfTheProgramIsAFetchFault) {
  Machine m({0xbfa00100});  // s_branch far away
  m.run(GetParam());
  EXPECT_EQ(m.w->stop, wave::Stop::Fault);
  EXPECT_EQ(m.w->fault.kind, wave::FaultKind::Fetch);
  EXPECT_EQ(m.w->fault.address, 0x1000u + 4 + 0x400);
}

TEST_P(Engines, EndlessLoopStopsOnRequest) {
  Machine m({0xbfa0ffff});  // s_branch to itself
  m.stop = 1;
  m.run(GetParam());
  EXPECT_EQ(m.w->stop, wave::Stop::Interrupted);
}

INSTANTIATE_TEST_SUITE_P(All, Engines,
                         testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit, wave::EngineChoice::Auto),
                         [](const auto& info) {
                           return std::string(info.param == wave::EngineChoice::Interpreter ? "Interpreter"
                                              : info.param == wave::EngineChoice::Jit       ? "Jit"
                                                                                            : "Auto");
                         });

// After barriers the waves of a work-group go on in the order of turns, also where compiled waves hand over to each other.
TEST(Engines, WavesKeepTheirOrderAtBarriers) {
  const std::vector<uint32_t> code{0xbe804ec1, 0xbf94ffff,   // s_barrier_signal -1; s_barrier_wait -1
                                   0xbe804ec1, 0xbf94ffff,   // once more
                                   0xd8800000, 0x01000302,   // ds_add_rtn_u32 v1, v2, v3
                                   0xbfc60000, 0xbfb00000};  // s_wait_dscnt 0; s_endpgm
  auto tickets = [&](wave::EngineChoice engine) {
    std::vector<std::unique_ptr<Machine>> machines;
    std::vector<wave::Wave*> waves;
    alignas(64) uint8_t lds[64] = {};
    wave::WorkGroup group;
    for (uint32_t n = 0; n < 4; n++) {
      Machine& m = *machines.emplace_back(std::make_unique<Machine>(code));
      m.s(EXEC_LO) = 1, m.v(3, 0) = 1;
      m.w->index = n, m.w->lds = lds, m.w->lds_bytes = sizeof lds, m.w->group = &group;
      waves.push_back(m.w);
    }
    wave::Program program(isa(32), 0x1000, code);
    wave::Executor executor(program, engine, *waves[0], {.first_tier = wave::Tier::Full});
    EXPECT_EQ(executor.run_group(group, waves).stop, wave::Stop::End);
    std::vector<uint32_t> given;
    for (auto& m : machines) given.push_back(m->v(1, 0));
    return given;
  };
  EXPECT_EQ(tickets(wave::EngineChoice::Interpreter), (std::vector<uint32_t>{2, 3, 0, 1}));
  EXPECT_EQ(tickets(wave::EngineChoice::Jit), (std::vector<uint32_t>{2, 3, 0, 1}));
}

}  // namespace
}  // namespace Atoll::rdna4
