// run_asm() and its wider forms: kernels on this process's own memory, assembled by Atoll and by LLVM.
#include <sys/mman.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "gpu.h"

namespace Atoll::api_tests {
namespace {

// args: a, b, sum; groups of 64
constexpr const char* vector_add = R"(
  s_load_b128 s[4:7], s[0:1], 0x0
  s_load_b64 s[8:9], s[0:1], 0x10
  v_lshl_add_u32 v0, ttmp9, 6, v0
  v_lshlrev_b32_e32 v0, 2, v0
  s_wait_kmcnt 0x0
  global_load_b32 v1, v0, s[4:5]
  global_load_b32 v2, v0, s[6:7]
  s_wait_loadcnt 0x0
  v_add_f32_e32 v1, v1, v2
  global_store_b32 v0, v1, s[8:9]
  s_endpgm
)";

// args: in, out; the sum of 128 words a group, by way of LDS and barriers
constexpr const char* reduction = R"(
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_lshl_add_u32 v2, ttmp9, 9, v1
  s_wait_kmcnt 0x0
  global_load_b32 v3, v2, s[4:5]
  s_wait_loadcnt 0x0
  ds_store_b32 v1, v3
  s_movk_i32 s2, 0x40
  s_wait_dscnt 0x0
  s_barrier_signal -1
  s_barrier_wait -1
  v_cmp_gt_u32_e32 vcc_lo, s2, v0
  s_and_saveexec_b32 s3, vcc_lo
  s_lshl_b32 s8, s2, 2
  v_add_nc_u32_e32 v4, s8, v1
  ds_load_b32 v5, v4
  ds_load_b32 v6, v1
  s_wait_dscnt 0x0
  v_add_nc_u32_e32 v5, v5, v6
  ds_store_b32 v1, v5
  s_mov_b32 exec_lo, s3
  s_lshr_b32 s2, s2, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 65517
  s_wait_dscnt 0x0
  v_cmp_eq_u32_e32 vcc_lo, 0, v0
  s_and_saveexec_b32 s3, vcc_lo
  ds_load_b32 v5, v1
  s_lshl_b32 s8, ttmp9, 2
  v_mov_b32_e32 v2, s8
  s_wait_dscnt 0x0
  global_store_b32 v2, v5, s[6:7]
  s_endpgm
)";

// args: out; 3x2x2 groups of 4x2x2: v0 and the group's number of every work-item
constexpr const char* numbers = R"(
  s_load_b64 s[2:3], s[0:1], 0x0
  s_and_b32 s4, ttmp7, 0xffff
  s_lshr_b32 s5, ttmp7, 16
  s_lshl_b32 s6, s5, 1
  s_add_co_u32 s6, s6, s4
  s_mul_i32 s6, s6, 3
  s_add_co_u32 s6, s6, ttmp9
  s_lshl_b32 s6, s6, 4
  v_and_b32_e32 v1, 0x3ff, v0
  v_bfe_u32 v2, v0, 10, 10
  v_bfe_u32 v3, v0, 20, 10
  v_lshl_add_u32 v2, v3, 1, v2
  v_lshl_add_u32 v1, v2, 2, v1
  v_add_nc_u32_e32 v1, s6, v1
  v_lshlrev_b32_e32 v1, 3, v1
  s_lshl_b32 s4, s4, 8
  s_lshl_b32 s5, s5, 16
  s_or_b32 s4, s4, s5
  s_or_b32 s4, s4, ttmp9
  v_mov_b32_e32 v4, v0
  v_mov_b32_e32 v5, s4
  s_wait_kmcnt 0x0
  global_store_b64 v1, v[4:5], s[2:3]
  s_endpgm
)";

// args: out; by way of the lane's private memory
constexpr const char* scratch = R"(
  s_load_b64 s[2:3], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mul_u32_u24_e32 v2, 7, v0
  scratch_store_b32 off, v2, off offset:60
  s_wait_storecnt 0x0
  scratch_load_b32 v3, off, off offset:60
  s_wait_loadcnt 0x0
  s_wait_kmcnt 0x0
  global_store_b32 v1, v3, s[2:3]
  s_endpgm
)";

// args: out, in; every way to memory: scalar loads, scalar and vector buffers, flat, global by both forms, atomics
constexpr const char* ways = R"(
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v7, 5
  s_movk_i32 s10, 0x40
  s_mov_b32 s11, 0x30001000
  s_wait_kmcnt 0x0
  s_mov_b32 s8, s6
  s_mov_b32 s9, s7
  v_mov_b32_e32 v4, s6
  v_mov_b32_e32 v5, s7
  s_buffer_load_b32 s12, s[8:11], 0x4
  buffer_load_b32 v2, v1, s[8:11], null offen
  flat_load_b32 v3, v[4:5] offset:8
  global_load_b32 v6, v[4:5], off offset:12
  global_atomic_add_u32 v8, v1, v7, s[4:5] offset:1024 th:TH_ATOMIC_RETURN
  s_wait_loadcnt 0x0
  s_wait_dscnt 0x0
  s_wait_kmcnt 0x0
  v_add_nc_u32_e32 v2, v2, v3
  v_add_nc_u32_e32 v6, v6, v8
  v_add_nc_u32_e32 v2, s12, v2
  v_add_nc_u32_e32 v2, v2, v6
  global_store_b32 v1, v2, s[4:5]
  s_endpgm
)";

// args: out, a pointer to a pointer; adds to `out` before it meets memory that no argument points to
constexpr const char* late = R"(
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_wait_kmcnt 0x0
  global_load_b32 v2, v1, s[4:5]
  s_wait_loadcnt 0x0
  v_add_nc_u32_e32 v2, 5, v2
  global_store_b32 v1, v2, s[4:5]
  s_wait_storecnt 0x0
  s_load_b64 s[8:9], s[6:7], 0x0
  s_wait_kmcnt 0x0
  global_load_b32 v3, v1, s[8:9]
  s_wait_loadcnt 0x0
  v_add_nc_u32_e32 v2, v2, v3
  global_store_b32 v1, v2, s[4:5] offset:128
  s_endpgm
)";

uint64_t address_of(const void* p) { return uint64_t(uintptr_t(p)); }
const char* bytes_of(const std::vector<uint32_t>& words) { return reinterpret_cast<const char*>(words.data()); }

class RunAsm : public testing::TestWithParam<Assembler> {
protected:
  std::vector<uint32_t> words(const char* text) {
    auto out = assemble(text, GetParam());
    EXPECT_FALSE(out.empty()) << text;
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Assemblers, RunAsm, testing::Values(Assembler::Atoll, Assembler::Llvm),
                         [](const auto& info) { return info.param == Assembler::Atoll ? "Atoll" : "Llvm"; });

TEST_P(RunAsm, AddsVectors) {
  auto code = words(vector_add);
  for (uint32_t groups : {1u, 5u, 4096u}) {  // the last one: a mebibyte a vector
    std::vector<float> a(groups * 64), b(a.size(), 0.5f), sum(a.size());
    std::iota(a.begin(), a.end(), 0.f);
    const uint64_t args[] = {address_of(a.data()), address_of(b.data()), address_of(sum.data())};
    ASSERT_EQ(run_asm(bytes_of(code), uint32_t(code.size() * 4), groups, 1, 1, 64, 1, 1, args), 0) << atoll_error_message();
    for (size_t n = 0; n < sum.size(); n++) ASSERT_EQ(sum[n], a[n] + 0.5f) << n;
  }
}

TEST_P(RunAsm, ReducesInLdsWithBarriers) {
  auto code = words(reduction);
  std::vector<uint32_t> in(7 * 128), out(7);
  std::iota(in.begin(), in.end(), 3);
  const uint64_t args[] = {address_of(in.data()), address_of(out.data())};
  ASSERT_EQ(run_asm(bytes_of(code), uint32_t(code.size() * 4), 7, 1, 1, 128, 1, 1, args), 0) << atoll_error_message();
  for (size_t g = 0; g < out.size(); g++)
    EXPECT_EQ(out[g], std::accumulate(in.begin() + long(g * 128), in.begin() + long(g * 128 + 128), 0u)) << g;
  // 512 bytes of LDS as rsrc2 has them are enough; without the field there are none, and what is stored there comes to nothing.
  std::fill(out.begin(), out.end(), 0);
  ASSERT_EQ(run_asm_ex(bytes_of(code), uint32_t(code.size() * 4), 7, 1, 1, 128, 1, 1, args, 0x19c | 1 << 15, 0, "gfx1200"), 0);
  EXPECT_EQ(out[6], std::accumulate(in.end() - 128, in.end(), 0u));
  ASSERT_EQ(run_asm_ex(bytes_of(code), uint32_t(code.size() * 4), 7, 1, 1, 128, 1, 1, args, 0, 0, nullptr), 0);
  EXPECT_EQ(out[6], 0u);
}

TEST_P(RunAsm, NumbersOfGroupsAndItemsInThreeDimensions) {
  auto code = words(numbers);
  std::vector<uint32_t> out(3 * 2 * 2 * 16 * 2, ~0u);
  const uint64_t args[] = {address_of(out.data())};
  ASSERT_EQ(run_asm(bytes_of(code), uint32_t(code.size() * 4), 3, 2, 2, 4, 2, 2, args), 0) << atoll_error_message();
  size_t at = 0;
  for (uint32_t gz = 0; gz < 2; gz++)
    for (uint32_t gy = 0; gy < 2; gy++)
      for (uint32_t gx = 0; gx < 3; gx++)
        for (uint32_t z = 0; z < 2; z++)
          for (uint32_t y = 0; y < 2; y++)
            for (uint32_t x = 0; x < 4; x++, at += 2) {
              ASSERT_EQ(out[at], z << 20 | y << 10 | x) << at;
              ASSERT_EQ(out[at + 1], gz << 16 | gy << 8 | gx) << at;
            }
}

TEST_P(RunAsm, PrivateMemory) {
  auto code = words(scratch);
  std::vector<uint32_t> out(96);
  const uint64_t args[] = {address_of(out.data())};
  ASSERT_EQ(run_asm_ex(bytes_of(code), uint32_t(code.size() * 4), 1, 1, 1, 96, 1, 1, args, 0, 64, "rdna4"), 0)
      << atoll_error_message();
  for (uint32_t n = 0; n < 96; n++) EXPECT_EQ(out[n], n * 7);
  EXPECT_EQ(run_asm_ex(bytes_of(code), uint32_t(code.size() * 4), 1, 1, 1, 96, 1, 1, args, 0, 60, "rdna4"), ATOLL_ERROR_FAULT);
  EXPECT_NE(std::string(atoll_error_message()).find("beyond the lane's private memory"), std::string::npos);
}

TEST_P(RunAsm, EveryWayToMemoryOnBothEngines) {
  auto code = words(ways);
  for (uint32_t engine : {ATOLL_ENGINE_INTERPRETER, ATOLL_ENGINE_JIT})
    for (uint32_t lanes : {32u, 64u}) {
      std::vector<uint32_t> in(16), out(512);
      for (uint32_t n = 0; n < 16; n++) in[n] = 100 + n, out[256 + n] = n * 1000;
      const uint64_t args[] = {address_of(out.data()), address_of(in.data())};
      atoll_run_asm_options options{};
      options.size = sizeof options;
      options.lib = code.data(), options.lib_bytes = code.size() * 4;
      for (int n = 0; n < 3; n++) options.groups[n] = options.group[n] = 1;
      options.group[0] = 16, options.args = args, options.engine = engine, options.wave_lanes = lanes;
      auto result = new_result();
      ASSERT_EQ(atoll_run_asm(&options, &result), ATOLL_OK) << atoll_error_message();
      for (uint32_t n = 0; n < 16; n++) {
        EXPECT_EQ(out[n], 101 + 100 + n + 102 + 103 + n * 1000) << n;
        EXPECT_EQ(out[256 + n], n * 1000 + 5) << n;
      }
      if (engine == ATOLL_ENGINE_JIT) EXPECT_GT(result.compiled, 10u);
    }
}

TEST_P(RunAsm, WhatBeginsOnceMoreBeginsWithWhatWasThere) {
  auto code = words(late);
  const size_t bytes = 16 << 20;
  auto* pages = static_cast<uint8_t*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  auto* far = reinterpret_cast<uint32_t*>(pages + bytes / 2);
  std::vector<uint32_t> out(64);
  for (uint32_t n = 0; n < 32; n++) out[n] = n, far[n] = 1000 * n;
  // The place of `far` stands nowhere near the arguments.
  const uint64_t place = address_of(far);
  std::memcpy(pages, &place, sizeof place);
  static uint64_t args[64];
  args[0] = address_of(out.data()), args[1] = address_of(pages);
  ASSERT_EQ(run_asm(bytes_of(code), uint32_t(code.size() * 4), 1, 1, 1, 32, 1, 1, args), 0) << atoll_error_message();
  for (uint32_t n = 0; n < 32; n++) {
    EXPECT_EQ(out[n], n + 5) << n;
    EXPECT_EQ(out[32 + n], n + 5 + 1000 * n) << n;
  }
  ::munmap(pages, bytes);
}

// Words of the example words.c.
constexpr uint32_t square[] = {0xf4002080, 0xf8000000, 0xd72c0001, 0x00020100, 0x30000082,
                               0xbfc70000, 0xee068002, 0x00800000, 0x00000000, 0xbfb00000};

atoll_run_asm_options options_of(const void* args) {
  atoll_run_asm_options options{};
  options.size = sizeof options;
  options.lib = square, options.lib_bytes = sizeof square;
  for (int n = 0; n < 3; n++) options.groups[n] = options.group[n] = 1;
  options.group[0] = 32;
  options.args = args;
  return options;
}

TEST(RunAsmMemory, WhatIsMappedNowhereIsAFaultAndNothingIsWritten) {
  // Two pages, of which the second cannot be reached: half of the row would fit. (Nothing else is ever mapped there.)
  auto* pages = static_cast<uint8_t*>(::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ::mprotect(pages + 4096, 4096, PROT_NONE);
  const uint64_t args[] = {address_of(pages + 4096 - 64)};
  for (uint32_t engine : {ATOLL_ENGINE_INTERPRETER, ATOLL_ENGINE_JIT}) {
    auto options = options_of(args);
    options.engine = engine;
    auto result = new_result();
    ASSERT_EQ(atoll_run_asm(&options, &result), ATOLL_ERROR_FAULT) << atoll_error_message();
    EXPECT_EQ(result.fault.address, address_of(pages) + 4096);
    EXPECT_EQ(result.fault.lane, 16);
    EXPECT_EQ(result.fault.kind, uint32_t(ATOLL_FAULT_STORE));
    EXPECT_EQ(result.fault.instruction_offset, 24u);
    for (int n = 0; n < 64; n++) EXPECT_EQ(pages[4096 - 64 + n], 0);
  }
  for (uint64_t wild : {uint64_t(0), uint64_t(8), uint64_t(1) << 40, (uint64_t(1) << 47) - 64, uint64_t(1) << 47,
                        uint64_t(1) << 48, ~uint64_t(0) - 3, 0xffffffff80000000}) {
    const uint64_t wild_args[] = {wild};
    auto options = options_of(wild_args);
    auto result = new_result();
    EXPECT_EQ(atoll_run_asm(&options, &result), ATOLL_ERROR_FAULT) << std::hex << wild;
    EXPECT_EQ(result.fault.address, wild) << std::hex << wild;
  }
  auto options = options_of(nullptr);
  EXPECT_EQ(atoll_run_asm(&options, nullptr), ATOLL_ERROR_FAULT);  // of the load of the arguments
  ::munmap(pages, 8192);
}

TEST(RunAsmMemory, WhatTheProcessMayNotWriteIsAFault) {
  auto* page = static_cast<uint8_t*>(::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const uint64_t args[] = {address_of(page)};
  auto options = options_of(args);
  auto result = new_result();
  EXPECT_EQ(atoll_run_asm(&options, &result), ATOLL_ERROR_FAULT);
  EXPECT_EQ(result.fault.kind, uint32_t(ATOLL_FAULT_STORE));
  EXPECT_EQ(result.fault.address, address_of(page));
  static const uint32_t constant[32] = {};
  const uint64_t constant_args[] = {address_of(constant)};
  options.args = constant_args;
  EXPECT_EQ(atoll_run_asm(&options, nullptr), ATOLL_ERROR_FAULT);
  ::munmap(page, 4096);
}

TEST(RunAsmMemory, RangesKeepAKernelInside) {
  auto* pages = static_cast<uint8_t*>(::mmap(nullptr, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ::mprotect(pages + 12288, 4096, PROT_NONE);
  uint64_t args[] = {address_of(pages + 4096)};
  atoll_range ranges[2] = {{args, sizeof args, 0, 0}, {pages + 4096, 128, 1, 0}};
  auto options = options_of(args);
  options.ranges = ranges, options.range_count = 2, options.range_size = sizeof ranges[0];
  ASSERT_EQ(atoll_run_asm(&options, nullptr), ATOLL_OK) << atoll_error_message();
  EXPECT_EQ(reinterpret_cast<uint32_t*>(pages + 4096)[31], 31u * 31);
  args[0] = address_of(pages);  // the process's own, but not named
  EXPECT_EQ(atoll_run_asm(&options, nullptr), ATOLL_ERROR_FAULT);
  args[0] = address_of(pages + 4096 + 64);  // half of it behind the range, on its page: it comes to nothing
  std::memset(pages, 0, 12288);
  ASSERT_EQ(atoll_run_asm(&options, nullptr), ATOLL_OK) << atoll_error_message();
  EXPECT_EQ(reinterpret_cast<uint32_t*>(pages + 4096)[31], 15u * 15);
  for (int n = 128; n < 4096; n++) ASSERT_EQ(pages[4096 + n], 0);
  ranges[1].writable = 0;
  EXPECT_EQ(atoll_run_asm(&options, nullptr), ATOLL_ERROR_FAULT);
  ranges[1].writable = 1, ranges[1].pointer = reinterpret_cast<void*>(16);
  EXPECT_EQ(atoll_run_asm(&options, nullptr), ATOLL_ERROR_ARGUMENT);
  ranges[1].pointer = pages, ranges[1].bytes = ~uint64_t(0);
  EXPECT_EQ(atoll_run_asm(&options, nullptr), ATOLL_ERROR_ARGUMENT);
  ranges[1].bytes = 16384;  // more than there is
  EXPECT_EQ(atoll_run_asm(&options, nullptr), ATOLL_ERROR_ARGUMENT);
  options.range_count = 1;
  EXPECT_EQ(atoll_run_asm(&options, nullptr), ATOLL_ERROR_FAULT);
  options.range_size = 1;
  EXPECT_EQ(atoll_run_asm(&options, nullptr), ATOLL_ERROR_ARGUMENT);
  ::munmap(pages, 16384);
}

TEST(RunAsmMemory, ForeignArchitecturesAndShapesAreRefused) {
  const uint64_t args[] = {0};
  const auto* lib = reinterpret_cast<const char*>(square);
  for (const char* arch : {"rdna3", "cdna", "gfx1100", ""})
    EXPECT_EQ(run_asm_ex(lib, sizeof square, 1, 1, 1, 32, 1, 1, args, 0, 0, arch), ATOLL_ERROR_UNSUPPORTED);
  EXPECT_EQ(run_asm(lib, 3, 1, 1, 1, 32, 1, 1, args), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(run_asm(lib + 1, 8, 1, 1, 1, 32, 1, 1, args), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(run_asm(reinterpret_cast<const char*>(16), 64, 1, 1, 1, 32, 1, 1, args), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(run_asm(lib, sizeof square, 0, 1, 1, 32, 1, 1, args), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(run_asm(lib, sizeof square, 1, 1, 1, 1025, 1, 1, args), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(run_asm(lib, sizeof square, 1, 65537, 1, 32, 1, 1, args), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(run_asm(lib, sizeof square, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, args), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(run_asm_ex(lib, sizeof square, 1, 1, 1, 32, 1, 1, args, 0, ~0u, nullptr), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(run_asm_ex(lib, sizeof square, 1, 1, 1, 32, 1, 1, args, ~0u, 0, nullptr), ATOLL_ERROR_MISMATCH);
}

TEST(RunAsmMemory, CodeBehindFarMoreThanAKernelNeeds) {
  // As test/mockgpu passes it: all that is mapped behind the kernel's first instruction, of which little is code.
  std::vector<uint32_t> lib(8 << 20);
  std::copy(std::begin(square), std::end(square), lib.begin());
  std::vector<uint32_t> out(32);
  const uint64_t args[] = {address_of(out.data())};
  ASSERT_EQ(run_asm(bytes_of(lib), uint32_t(lib.size() * 4), 1, 1, 1, 32, 1, 1, args), 0) << atoll_error_message();
  EXPECT_EQ(out[31], 31u * 31);
  // A kernel that goes on far behind: s_branch by 32767 words, eight times.
  for (int n = 0; n < 8; n++) lib[size_t(n) * 32768] = 0xbfa00000 | 32767;
  std::copy(std::begin(square), std::end(square), lib.begin() + 8 * 32768);
  out.assign(32, 0);
  ASSERT_EQ(run_asm(bytes_of(lib), uint32_t(lib.size() * 4), 1, 1, 1, 32, 1, 1, args), 0) << atoll_error_message();
  EXPECT_EQ(out[31], 31u * 31);
}

TEST(RunAsmMemory, AnEndlessKernelEndsWithItsTime) {
  const uint32_t endless[] = {0xbfa0ffff};
  auto options = options_of(nullptr);
  options.lib = endless, options.lib_bytes = sizeof endless, options.timeout_seconds = 0.05;
  EXPECT_EQ(atoll_run_asm(&options, nullptr), ATOLL_ERROR_TIMEOUT);
}

TEST(RunAsmMemory, TwoThreadsAtOnce) {
  std::vector<uint32_t> out(64);
  std::atomic<int> wrong{0};
  auto work = [&](size_t at) {  // neighbours on one page
    for (int round = 0; round < 20; round++) {
      const uint64_t args[] = {address_of(out.data() + at)};
      auto options = options_of(args);
      if (atoll_run_asm(&options, nullptr) != ATOLL_OK) ++wrong;
      for (uint32_t n = 0; n < 32; n++) wrong += out[at + n] != n * n, out[at + n] = 0;
    }
  };
  std::thread a(work, 0), b(work, 32);
  a.join(), b.join();
  EXPECT_EQ(wrong, 0) << atoll_error_message();
}

}  // namespace
}  // namespace Atoll::api_tests
