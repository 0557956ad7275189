// Addresses that compiled code must not follow although the profile says that it may: what the interpreter gives, in every lane
// and byte, the same fault, and the memory around untouched. Found by kernels written for it (docs/decisions.md, "one place").
#include <fmt/format.h>

#include <memory>

#include "isa/rdna4/encode.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/parse.h"
#include "memory/address_space.h"
#include "single_step.h"
#include "wave/executor.h"

namespace Atoll::rdna4::test {
namespace {

std::vector<uint32_t> assemble_lines(const std::vector<const char*>& lines) {
  std::vector<uint32_t> code;
  for (const char* line : lines) {
    auto parsed = parse(line, {.wave = 32});
    EXPECT_TRUE(parsed) << line << ": " << (parsed ? "" : parsed.error().message);
    if (!parsed) return {};
    auto words = encode(parsed->main, {.wave = 32});
    EXPECT_TRUE(words) << line;
    for (unsigned n = 0; words && n < words->count; n++) code.push_back(words->dwords[n]);
  }
  return code;
}

std::vector<uint32_t> assemble(std::initializer_list<const char*> lines) { return assemble_lines(lines); }

// Knows what is mapped in the window: a fault is of the first lane whose address is not.
struct Window : SingleStep {
  std::unique_ptr<AddressSpace> space = std::move(*AddressSpace::create());
  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return space->contains(address, bytes, writable);
  }
};

// LDS and private memory amid poison, and a window of which single pages are mapped.
struct Victim {
  static constexpr uint32_t around = 1 << 20, lds_bytes = 1024, scratch_bytes = 64;
  static constexpr uint8_t poison = 0xa5;

  Window step;
  AddressSpace* space = step.space.get();
  std::vector<uint8_t> lds = std::vector<uint8_t>(2 * around + lds_bytes, poison);
  std::vector<uint8_t> scratch = std::vector<uint8_t>(2 * around + scratch_bytes * 32, poison);

  Victim() {
    step.w->lds = lds.data() + around, step.w->lds_bytes = lds_bytes;
    step.w->scratch = scratch.data() + around, step.w->scratch_bytes = scratch_bytes;
    step.w->window = space->base(), step.w->window_bytes = space->size();
    std::memset(step.w->lds, 0, lds_bytes), std::memset(step.w->scratch, 0, scratch_bytes * 32);
  }
  void map(uint64_t address, uint32_t first_word) {
    auto at = space->memory().allocate(page_bytes);
    ASSERT_TRUE(at);
    ASSERT_TRUE(space->map(address, *at, page_bytes));
    for (uint32_t n = 0; n < page_bytes / 4; n++)
      std::memcpy(space->host(address) + 4 * n, &(const uint32_t&)(first_word + n), 4);
  }
  void start() { step.w->pc = 0x1000, step.w->stop = wave::Stop::Run, step.w->step = nullptr, step.w->fault = {}; }
  void spread_poison() {
    for (auto* bytes : {&lds, &scratch}) {
      std::fill_n(bytes->begin(), around, poison);
      std::fill_n(bytes->rbegin(), around, poison);
    }
  }
  bool poison_is_whole() const {
    auto whole = [](const std::vector<uint8_t>& bytes) {
      for (size_t n = 0; n < around; n++)
        if (bytes[n] != poison || bytes[bytes.size() - 1 - n] != poison) return false;
      return true;
    };
    return whole(lds) && whole(scratch);
  }
};

struct Outcome {
  wave::Stop stop;
  wave::FaultReport fault;
  std::vector<uint32_t> v;
  bool whole;
};

enum class Engine { Interpreter, Full, Quick };

// Runs the program `train`ed as often, then once more on the state of `strike`.
template <class Set>
Outcome run(Engine engine, const std::vector<uint32_t>& code, Set set) {
  Victim victim;
  wave::Wave& w = *victim.step.w;
  wave::Program program(isa(32), 0x1000, code);
  w.program = &program;
  for (int n = 0; n < 4; n++) {  // the interpreter learns forms of addresses
    set(victim, false), victim.start();
    for (unsigned jumps = 0; jumps < 1000 && w.stop == wave::Stop::Run; jumps++)
      wave::level_entries().run(w, program, 1000, true);
    EXPECT_EQ(w.stop, wave::Stop::End);
  }
  set(victim, true), victim.start(), victim.spread_poison();
  wave::Executor executor(program, engine == Engine::Interpreter ? wave::EngineChoice::Interpreter : wave::EngineChoice::Jit, w,
                          {.first_tier = engine == Engine::Full ? wave::Tier::Full : wave::Tier::Quick});
  executor.run(w);
  EXPECT_EQ(executor.error(), "");
  EXPECT_TRUE(engine == Engine::Interpreter || w.stop == wave::Stop::Fault || w.compiled > 0);
  Outcome out{w.stop, w.fault, {}, victim.poison_is_whole()};
  for (uint32_t n = 0; n < 16; n++)
    for (uint32_t lane = 0; lane < 32; lane++) out.v.push_back(victim.step.v(n, lane));
  return out;
}

template <class Set>
void expect_same(const std::vector<uint32_t>& code, Set set) {
  Outcome reference = run(Engine::Interpreter, code, set);
  EXPECT_TRUE(reference.whole);
  for (Engine engine : {Engine::Full, Engine::Quick}) {
    SCOPED_TRACE(engine == Engine::Full ? "full tier" : "quick tier");
    Outcome found = run(engine, code, set);
    EXPECT_TRUE(found.whole) << "memory around was written";
    EXPECT_EQ(found.stop, reference.stop);
    EXPECT_EQ(found.fault.kind, reference.fault.kind);
    EXPECT_EQ(found.fault.address, reference.fault.address);
    EXPECT_EQ(found.fault.bytes, reference.fault.bytes);
    EXPECT_EQ(found.fault.pc, reference.fault.pc);
    EXPECT_EQ(found.fault.lane, reference.fault.lane);
    EXPECT_EQ(found.v, reference.v);
  }
}

// Two registers hold one value; the second's offset reaches far behind.
TEST(HostileAddress, LdsThroughACopyOfTheRegister) {
  auto loads =
      assemble({"v_mov_b32 v3, v2", "ds_load_b32 v5, v2", "ds_load_b32 v6, v3 offset:60000", "s_wait_dscnt 0x0", "s_endpgm"});
  auto constants = assemble({"v_mov_b32 v2, 16", "v_mov_b32 v3, 16", "ds_load_b32 v5, v2", "ds_load_b32 v6, v3 offset:65532",
                             "s_wait_dscnt 0x0", "s_endpgm"});
  for (const auto& code : {loads, constants})
    expect_same(code, [](Victim& v, bool) {
      for (uint32_t lane = 0; lane < 32; lane++) v.step.v(2, lane) = 16;
    });
}
TEST(HostileAddress, LdsRowThroughACopyOfTheRegister) {
  auto code = assemble({"v_mov_b32 v3, v2", "ds_store_b32 v2, v4", "s_endpgm"});
  auto far =
      assemble({"v_mov_b32 v3, v2", "ds_load_b32 v5, v2", "ds_load_b32 v6, v3 offset:1000", "s_wait_dscnt 0x0", "s_endpgm"});
  for (const auto& program : {code, far})
    expect_same(program, [](Victim& v, bool strike) {
      for (uint32_t lane = 0; lane < 32; lane++) v.step.v(2, lane) = (strike ? 960 : 0) + lane * 4;
    });
}

TEST(HostileAddress, ScratchThroughACopyOfTheRegister) {
  auto code =
      assemble({"v_mov_b32 v3, v2", "scratch_store_b32 v2, v4, off", "scratch_store_b32 v3, v4, off offset:8188", "s_endpgm"});
  auto swapped = assemble({"v_swap_b32 v3, v2", "scratch_load_b32 v5, v2, off", "scratch_load_b32 v6, v3, off offset:4096",
                           "s_wait_loadcnt 0x0", "s_endpgm"});
  for (const auto& program : {code, swapped}) {
    auto set = [](Victim& v, bool strike) {
      v.step.w->scratch_bytes = strike ? Victim::scratch_bytes : 16384;  // enough while it learns
      for (uint32_t lane = 0; lane < 32; lane++) v.step.v(2, lane) = v.step.v(3, lane) = 0;
    };
    expect_same(program, set);
    EXPECT_EQ(run(Engine::Interpreter, program, set).stop, wave::Stop::Fault);
  }
}

// A row whose low halves wrap while the high ones stay goes on at the start of the same 4 GiB.
TEST(HostileAddress, RowThatWrapsItsLowHalf) {
  auto load = assemble({"s_delay_alu instid0(VALU_DEP_1)", "global_load_b32 v5, v[2:3], off", "s_wait_loadcnt 0x0", "s_endpgm"});
  auto store = assemble({"global_store_b32 v[2:3], v4, off", "s_endpgm"});
  for (const auto& code : {load, store})
    for (bool first_page : {true, false}) {  // without it: a fault, of lane 8
      auto set = [first_page](Victim& v, bool strike) {
        constexpr uint64_t high = 3;
        if (!v.space->contains((high << 32) + 0xfffff000, 4)) {
          v.map((high << 32) + 0xfffff000, 1000), v.map((high + 1) << 32, 3000);
          if (first_page) v.map(high << 32, 2000);
        }
        for (uint32_t lane = 0; lane < 32; lane++)
          v.step.v(2, lane) = (strike ? 0xffffffe0u : 0xfffff000u) + lane * 4, v.step.v(3, lane) = high;
      };
      expect_same(code, set);
      if (first_page) continue;
      wave::FaultReport fault = run(Engine::Interpreter, code, set).fault;
      EXPECT_EQ(fault.lane, 8);
      EXPECT_EQ(fault.address, 0x3'0000'0000u);
    }
}

// LLVM leaves loads out whose values nothing wants.
TEST(HostileAddress, ALoadThatNothingWantsFaults) {
  auto lanes = assemble({"global_load_b32 v5, v[2:3], off", "v_mov_b32 v5, 0", "s_endpgm"});
  auto scalar = assemble({"s_load_b32 s6, s[4:5], 0x0", "s_mov_b32 s6, 0", "v_mov_b32 v5, s6", "s_endpgm"});
  auto masked = assemble({"global_load_b32 v5, v[2:3], off", "v_and_b32 v5, 0, v5", "s_endpgm"});
  for (const auto& code : {lanes, scalar, masked}) {
    auto set = [](Victim& v, bool strike) {
      if (!v.space->contains(0x100000000, 4)) v.map(0x100000000, 1);
      uint64_t at = strike ? 0x100002000 : 0x100000000;
      for (uint32_t lane = 0; lane < 32; lane++) v.step.set_v64(2, lane, at + lane * 4);
      v.step.set_s64(4, at);
    };
    expect_same(code, set);
    EXPECT_EQ(run(Engine::Interpreter, code, set).stop, wave::Stop::Fault);
  }
}

// A loop's register is wanted by its last round alone, and LLVM moves such loads behind the loop.
TEST(HostileAddress, ALoadFaultsInTheRoundThatItIsIn) {
  auto equal = assemble({"s_mov_b32 s6, s10", "s_cmp_eq_u32 s6, 2", "s_cselect_b32 s7, s8, s9", "v_mov_b32 v2, s7",
                         "global_load_b32 v5, v[2:3], off", "s_add_co_i32 s6, s6, -1", "s_cmp_lg_u32 s6, 0",
                         "s_cbranch_scc1 65527", "s_endpgm"});
  auto row = assemble({"s_mov_b32 s6, s10", "s_cmp_eq_u32 s6, 2", "s_cselect_b32 s7, s8, s9", "v_add_nc_u32 v2, s7, v4",
                       "global_load_b32 v5, v[2:3], off", "s_add_co_i32 s6, s6, -1", "s_cmp_lg_u32 s6, 0", "s_cbranch_scc1 65527",
                       "s_endpgm"});
  auto scalar = assemble({"s_mov_b32 s6, s10", "s_mov_b32 s13, 1", "s_cmp_eq_u32 s6, 2", "s_cselect_b32 s12, s8, s9",
                          "s_load_b32 s14, s[12:13], 0x0", "s_add_co_i32 s6, s6, -1", "s_cmp_lg_u32 s6, 0",
                          "s_cbranch_scc1 65528", "v_mov_b32 v5, s14", "s_endpgm"});
  for (const auto& code : {equal, row, scalar}) {
    auto set = [](Victim& v, bool strike) {
      if (!v.space->contains(0x100000000, 4)) v.map(0x100000000, 1);
      for (uint32_t lane = 0; lane < 32; lane++) v.step.v(3, lane) = 1, v.step.v(4, lane) = lane * 4;
      v.step.set_s64(8, strike ? 0x2000 : 0);  // s8 the address in the round, s9 in the others
      v.step.set_s64(10, strike ? 5 : 1);
    };
    expect_same(code, set);
    EXPECT_EQ(run(Engine::Interpreter, code, set).stop, wave::Stop::Fault);
  }
}

// A loop that lanes leave one after the other, as one function (wave/jit/loops.h): each lane's own steps and rounds.
std::vector<uint32_t> divergent_loop(std::initializer_list<const char*> round) {
  std::vector<const char*> lines = {"s_mov_b32 s6, 0", "s_mov_b32 s7, 0"};
  lines.insert(lines.end(), round);
  const std::string branch = fmt::format("s_cbranch_execnz {}", uint16_t(-int(assemble(round).size() + 5)));
  lines.insert(lines.end(), {"s_add_co_i32 s6, s6, 1", "v_cmp_ge_u32 vcc_lo, s6, v8", "s_or_b32 s7, vcc_lo, s7",
                             "s_and_not1_b32 exec_lo, exec_lo, vcc_lo", branch.c_str(), "s_mov_b32 exec_lo, s7", "s_endpgm"});
  return assemble_lines(lines);
}

constexpr uint64_t loop_page = 0x100000000;

// v[2:3] an address, v7 what it moves by, v8 how many rounds.
void set_walk(Victim& v, uint32_t rounds) {
  if (!v.space->contains(loop_page, 4)) v.map(loop_page, 1);
  for (uint32_t lane = 0; lane < 32; lane++) {
    v.step.set_v64(2, lane, loop_page + lane * 44 % 512 * 4), v.step.v(7, lane) = lane % 5 * 4,
                                                                          v.step.v(8, lane) = 1 + lane % rounds;
    v.step.v(5, lane) = v.step.v(6, lane) = 0;
  }
  v.step.set_exec(~0u);
}

const auto walk = [] {
  return divergent_loop(
      {"global_load_b32 v5, v[2:3], off", "s_wait_loadcnt 0x0", "v_add_nc_u32 v6, v6, v5", "v_add_nc_u32 v2, v2, v7"});
};

TEST(LoopsThatLoad, LanesWalkThroughMemory) {
  auto set = [](Victim& v, bool strike) {
    set_walk(v, strike ? 13 : 4);
    if (!strike) return;
    v.step.set_exec(0x7fff7ffe);
    v.step.set_v64(2, 0, ~uint64_t(0)), v.step.set_v64(2, 15, uint64_t(1) << 45);  // that are off
  };
  expect_same(walk(), set);
  EXPECT_EQ(run(Engine::Full, walk(), set).stop, wave::Stop::End);
}

// In its fifth round a lane comes to a page that is not there, or leaves the window.
TEST(LoopsThatLoad, ALaneFaultsInItsOwnRound) {
  for (uint32_t step : {4096u, 0x40000000u})
    // Lanes of the first chunk, which SSE2's hosts make of 4: what chunks before it have done of a round is not the
    // interpreter's.
    for (unsigned lane : {3u, 2u, 0u}) {
      auto set = [&](Victim& v, bool strike) {
        set_walk(v, 4);
        if (!strike) return;
        v.step.set_v64(2, lane, loop_page + 4096 - 4 - (step == 4096 ? 16 : 0)), v.step.v(8, lane) = 9;
        v.step.v(7, lane) = step == 4096 ? 4 : step;
      };
      expect_same(walk(), set);
      Outcome met = run(Engine::Interpreter, walk(), set);
      EXPECT_EQ(met.stop, wave::Stop::Fault);
      EXPECT_EQ(met.fault.lane, int(lane));
    }
}

// Long after the loop began, in a lane of the first chunk.
TEST(LoopsThatLoad, AFaultAfterManyRounds) {
  auto set = [](Victim& v, bool strike) {
    set_walk(v, 4);
    for (uint32_t lane = 0; lane < 32; lane++) v.step.v(7, lane) = 0;
    if (!strike) return;
    for (uint32_t lane = 0; lane < 32; lane++) v.step.v(8, lane) = 5000;
    v.map(loop_page - 8192, 3), v.map(loop_page - 4096, 3);
    v.step.set_v64(2, 3, loop_page + 4096 - 4 * 3000), v.step.v(7, 3) = 4;
  };
  expect_same(walk(), set);
  EXPECT_EQ(run(Engine::Interpreter, walk(), set).stop, wave::Stop::Fault);
}

// LDS beyond its end reads 0, which is no code of the loop's.
TEST(LoopsThatLoad, LdsBeyondItsEnd) {
  auto code =
      divergent_loop({"ds_load_b32 v5, v2 offset:8", "s_wait_dscnt 0x0", "v_add_nc_u32 v6, v6, v5", "v_add_nc_u32 v2, v2, v7"});
  expect_same(code, [](Victim& v, bool strike) {
    for (uint32_t n = 0; n < Victim::lds_bytes / 4; n++) reinterpret_cast<uint32_t*>(v.step.w->lds)[n] = n * 0x10001;
    set_walk(v, strike ? 13 : 4);
    for (uint32_t lane = 0; lane < 32; lane++) v.step.v(2, lane) = lane * 4;
    if (strike) v.step.v(2, 11) = Victim::lds_bytes - 16, v.step.v(7, 11) = 4, v.step.v(8, 11) = 12;
  });
}

// An address made from the bits of a NaN that the round before has made, whose payload is the first operand's.
TEST(LoopsThatLoad, AddressesOfNans) {
  auto code = divergent_loop({"v_mul_f32 v9, v9, v10", "v_and_b32 v11, 0xffc, v9", "v_add_nc_u32 v2, v12, v11",
                              "global_load_b32 v5, v[2:3], off", "s_wait_loadcnt 0x0", "v_add_nc_u32 v6, v6, v5"});
  expect_same(code, [](Victim& v, bool strike) {
    set_walk(v, strike ? 13 : 4);
    for (uint32_t lane = 0; lane < 32; lane++)
      v.step.v(12, lane) = uint32_t(loop_page),
                   v.step.v(9, lane) = strike && lane % 3 == 0 ? 0x7f800000u + lane * 0x104 + 1 : 0x3f800000u,
                   v.step.v(10, lane) = 0x3f900000u;
  });
}

TEST(LoopsThatLoad, AScalarFaultsInItsRound) {
  auto code = divergent_loop(
      {"s_load_b32 s14, s[12:13], 0x0", "s_wait_kmcnt 0x0", "v_add_nc_u32 v6, s14, v6", "s_add_co_u32 s12, s12, s15"});
  auto set = [](Victim& v, bool strike) {
    set_walk(v, 9);
    v.step.set_s64(12, loop_page + 4096 - 16);
    v.step.s(15) = strike ? 4 : 0;
  };
  expect_same(code, set);
  EXPECT_EQ(run(Engine::Interpreter, code, set).stop, wave::Stop::Fault);
}

}  // namespace
}  // namespace Atoll::rdna4::test
