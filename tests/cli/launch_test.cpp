// The atoll binary from outside: verbs launch and gpus, their output, messages and exit statuses.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <thread>

#include "cli/cli.h"

namespace Atoll {
namespace {

using Launch = Cli;
using Gpus = Cli;
// Tests that must give the same whichever GPU runs them.
struct LaunchOn : Cli, testing::WithParamInterface<const char*> {
  LaunchOn() { processor = GetParam(); }
  bool sea_islands() const { return processor == "bonaire"; }
};
INSTANTIATE_TEST_SUITE_P(, LaunchOn, testing::Values("gfx1200", "bonaire"),
                         [](const auto& info) { return std::string(info.param); });

const char* const vadd =
    "kernel void vadd(global const int* a, global const int* b, global int* c, int n) { int i = global_id(); if (i < n) c[i] = "
    "a[i] + b[i]; }";

TEST_P(LaunchOn, AddsOnEveryEngineWithAPartialLastGroup) {
  std::vector<int> a, b;
  for (int i = 0; i < 1000; ++i) a.push_back(i * 7), b.push_back(-i * i);
  put("a", a), put("b", b);
  using Names = std::vector<const char*>;
  for (std::string made_for :
       sea_islands() ? Names{"bonaire", "hawaii", "kaveri", "kabini", "gfx702", "gfx705"} : Names{"gfx1200", "gfx1201"})
    for (std::string options : {"-O0", "-O2", sea_islands() ? "-O1" : "-O2 -mwavefrontsize64", "-O2 -mcode-object-version=6"}) {
      object("v.co", vadd, made_for, options);
      for (const char* engine : {"auto", "interpreter", "jit"}) {
        ::unlink(path("c").c_str());
        Result r = atoll(fmt::format("launch v.co --grid 1000 --group 64 --engine {} in=a in=b out=c:4000 i32=1000", engine));
        ASSERT_EQ(r.status, 0) << made_for << options << engine << r.err;
        EXPECT_EQ(r.out + r.err, "");
        auto c = values<int>("c");
        ASSERT_EQ(c.size(), 1000u);
        for (int i = 0; i < 1000; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << made_for << options << engine << i;
      }
    }
}

TEST_P(LaunchOn, PartialGroupsAreSmaller) {
  object("k.co", R"(kernel void k(global uint* out) {
    constant ushort* sizes = (constant ushort*)ARGS + 6;
    constant uint* counts = (constant uint*)ARGS;
    uint x = __builtin_amdgcn_workgroup_id_x() * sizes[0] + __builtin_amdgcn_workitem_id_x();
    uint y = __builtin_amdgcn_workgroup_id_y() * sizes[1] + __builtin_amdgcn_workitem_id_y();
    uint z = __builtin_amdgcn_workgroup_id_z() * sizes[2] + __builtin_amdgcn_workitem_id_z();
    out[(z * 7 + y) * 10 + x] = x | y << 8 | z << 16 | counts[0] << 24;
  })");
  Result r = atoll("launch k.co --grid 10,7,3 --group 4,2,2 out=o:840");
  ASSERT_EQ(r.status, 0) << r.err;
  auto o = values<uint32_t>("o");
  for (uint32_t z = 0; z < 3; ++z)
    for (uint32_t y = 0; y < 7; ++y)
      for (uint32_t x = 0; x < 10; ++x)
        ASSERT_EQ(o[(z * 7 + y) * 10 + x], x | y << 8 | z << 16 | 2u << 24) << x << "," << y << "," << z;
}

TEST_P(LaunchOn, EveryArgumentForm) {
  object("k.co", R"(
    struct S { char c; double d; int i[3]; };
    kernel void k(global char* out, char i8, ushort u16, int i32, ulong u64, float f32, double f64, short2 v2, float3 v3, float4 v4, uchar16 v16,
                  global int* both, global int* nothing, local int* block, struct S s, constant int* in) {
      if (ITEM) return;
      *(global char*)(out + 0) = i8;
      *(global ushort*)(out + 2) = u16;
      *(global int*)(out + 4) = i32;
      *(global ulong*)(out + 8) = u64;
      *(global float*)(out + 16) = f32;
      *(global double*)(out + 24) = f64;
      *(global short2*)(out + 32) = v2;
      global float* three = (global float*)(out + 36);
      three[0] = v3.x; three[1] = v3.y; three[2] = v3.z;
      *(global float4*)(out + 48) = v4;
      *(global uchar16*)(out + 64) = v16;
      *(global int*)(out + 80) = nothing == 0;
      block[3] = 5; block[0] = 6;
      *(global int*)(out + 84) = block[3] + (uint)block;
      *(global int*)(out + 88) = s.i[2] + s.c;
      *(global int*)(out + 92) = in[1];
      both[1] += both[0];
    })");
  struct S {
    char c;
    double d;
    int i[3];
  } s{3, 2.5, {10, 20, 30}};
  put("s", std::string(reinterpret_cast<char*>(&s), sizeof s));
  put("both", std::vector<int>{40, 2});
  put("in", std::vector<int>{8, 9});
  Result r = atoll(
      "launch k.co --grid 32 --group 32 out=o:96 i8=-3 u16=0xfffe i32=-70000 u64=0x123456789abcdef0 f32=1.5 f64=-0.1 i16x2=-1,7 "
      "f32x3=1,2,3 "
      "f32x4=4,5,6,7 u8x16=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,255 inout=both:both2 null local=64 struct=s in=in");
  ASSERT_EQ(r.status, 0) << r.err;
  std::string o = get("o");
  auto at = [&]<class T>(size_t offset, T) {
    T value;
    std::memcpy(&value, o.data() + offset, sizeof value);
    return value;
  };
  EXPECT_EQ(at(0, int8_t()), -3);
  EXPECT_EQ(at(2, uint16_t()), 0xfffe);
  EXPECT_EQ(at(4, int()), -70000);
  EXPECT_EQ(at(8, uint64_t()), 0x123456789abcdef0u);
  EXPECT_EQ(at(16, float()), 1.5f);
  EXPECT_EQ(at(24, double()), -0.1);
  EXPECT_EQ(at(34, int16_t()), 7);
  EXPECT_EQ(at(36, float()), 1.0f);
  EXPECT_EQ(at(44, float()), 3.0f);
  EXPECT_EQ(at(60, float()), 7.0f);
  EXPECT_EQ(at(79, uint8_t()), 255);
  EXPECT_EQ(at(80, int()), 1);
  EXPECT_EQ(at(84, int()), 5);
  EXPECT_EQ(at(88, int()), 33);
  EXPECT_EQ(at(92, int()), 9);
  EXPECT_EQ(values<int>("both"), (std::vector<int>{40, 2}));
  EXPECT_EQ(values<int>("both2"), (std::vector<int>{40, 42}));
  object("i.co", "kernel void i(global int* p) { if (ITEM == 0) p[0]++; }");
  ASSERT_EQ(atoll("launch i.co --grid 1 --group 1 inout=both").status, 0);
  EXPECT_EQ(values<int>("both"), (std::vector<int>{41, 2}));
}

TEST_P(LaunchOn, StandardInputAndOutput) {
  object("v.co", vadd);
  put("a", std::vector<int>{1, 2}), put("b", std::vector<int>{10, 20});
  Result r = atoll("launch - --grid 2 --group 2 in=a in=b out=-:8 i32=2 < v.co");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, std::string("\x0b\0\0\0\x16\0\0\0", 8));
  r = atoll("launch v.co --grid 2 --group 2 in=- in=b out=c:8 i32=2 < a");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(values<int>("c"), (std::vector<int>{11, 22}));
  expect(2, "only once", "launch - --grid 2 --group 2 in=- in=b out=c:8 i32=2 < a");
}

TEST_P(LaunchOn, PrintfGoesToStandardOutput) {
  object("p.co", R"(
    global char* __printf_alloc(uint bytes) {
      global char* p = *(global char* constant*)((constant char*)ARGS + 72);
      global uint* words = (global uint*)p;
      uint at = __atomic_fetch_add(words, bytes, __ATOMIC_RELAXED);
      return 8 + at + bytes > words[1] ? 0 : p + 8 + at;
    }
    kernel void p(int i, float f, float4 v, long l) {
      if (ITEM) return;
      printf("%d: %s %.2f 50%%\n", i, "text", f);
      printf("%v4hlf|%ld|%x|%c\n", v, l, i, 'z');
    })");
  Result r = atoll("launch p.co --grid 4 --group 4 i32=-7 f32=1.25 f32x4=1,2,3,4.5 i64=-5000000000");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, "-7: text 1.25 50%\n1.000000,2.000000,3.000000,4.500000|-5000000000|fffffff9|z\n");
}

TEST_P(LaunchOn, StatsAreOneJsonObject) {
  object("v.co", vadd);
  put("a", std::vector<int>(256)), put("b", std::vector<int>(256));
  for (const char* engine : {"interpreter", "jit"}) {
    Result r = atoll(fmt::format(
        "launch v.co --grid 256 --group 64 --stats --threads 1 --deterministic --engine {} in=a in=b out=c:1024 i32=256",
        engine));
    ASSERT_EQ(r.status, 0) << r.err;
    auto stats = nlohmann::json::parse(r.out);
    EXPECT_EQ(stats["waves"], sea_islands() ? 4 : 8);
    EXPECT_GT(stats["instructions"], sea_islands() ? 60 : 80);
    EXPECT_EQ(stats["threads"], 1);
    EXPECT_EQ(stats["engine"], engine);
    EXPECT_GE(stats["compile_seconds"], 0.0);
    EXPECT_GT(stats["run_seconds"], 0.0);
    double shares = stats["compiled"].get<double>() + stats["called"].get<double>() + stats["interpreted"].get<double>();
    EXPECT_NEAR(shares, 1, 1e-9) << r.out;
  }
}

TEST_P(LaunchOn, KernelsAreChosenByName) {
  object("two.co", "kernel void one(global int* p) { p[0] = 1; } kernel void two(global int* p) { p[0] = 2; }");
  Result r = atoll("launch two.co --kernel two --grid 1 --group 1 out=o:4");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(values<int>("o"), std::vector<int>{2});
  expect(1, "one, two", "launch two.co --grid 1 --group 1 out=o:4");
  expect(1, "no kernel 'three': it has one, two", "launch two.co --kernel three --grid 1 --group 1 out=o:4");
}

TEST_F(Launch, GpusAreCheckedAgainstTheObject) {
  object("v.co", "kernel void k(global int* p) { p[0] = 5; }");
  EXPECT_EQ(atoll("launch v.co --gpu GFX1200 --grid 1 --group 1 out=o:4").status, 0);
  expect(1, "made for gfx1200, but --gpu asks for gfx1201", "launch v.co --gpu gfx1201 --grid 1 --group 1 out=o:4");
  expect(2, "no such GPU", "launch v.co --gpu gfx9999 --grid 1 --group 1 out=o:4");
  expect(2, "it runs no code objects: one of gfx1200, gfx1201, bonaire, hawaii, kaveri, kabini, dg1",
         "launch v.co --gpu r580 --grid 1 --group 1 out=o:4");
  expect(1, "--gpu dg1 runs device binaries of Intel's compiler", "launch v.co --gpu dg1 --grid 1 --group 1 out=o:4");
  object("g.co", "kernel void k(global int* p) { p[0] = 5; }", "gfx12-generic", "-O2 -mcode-object-version=6");
  for (const char* gpu : {"", "--gpu gfx1200", "--gpu gfx1201"})
    EXPECT_EQ(atoll(fmt::format("launch g.co {} --grid 1 --group 1 out=o:4", gpu)).status, 0) << gpu;
  object("b.co", "kernel void k(global int* p) { p[0] = 6; }", "bonaire");
  EXPECT_EQ(atoll("launch b.co --gpu Bonaire --grid 1 --group 1 out=o:4").status, 0);
  EXPECT_EQ(values<int>("o"), std::vector<int>{6});
  expect(1, "made for gfx704, but --gpu asks for gfx1200: compile it with -mcpu=gfx1200",
         "launch b.co --gpu gfx1200 --grid 1 --group 1 out=o:4");
  expect(1, "made for gfx704, but --gpu asks for hawaii: compile it with -mcpu=hawaii",
         "launch b.co --gpu hawaii --grid 1 --group 1 out=o:4");
  expect(1, "made for gfx1200, but --gpu asks for bonaire", "launch v.co --gpu bonaire --grid 1 --group 1 out=o:4");
  expect(1, "made for gfx12-generic, but --gpu asks for bonaire", "launch g.co --gpu bonaire --grid 1 --group 1 out=o:4");
  object("other.co", "kernel void k(global int* p) { p[0] = 5; }", "gfx1030");
  expect(1, "made for gfx1030", "launch other.co --grid 1 --group 1 out=o:4");
}

TEST_P(LaunchOn, FaultsNameInstructionAddressGroupAndLane) {
  object("v.co", vadd);
  put("a", std::vector<int>(256)), put("b", std::vector<int>(256));
  for (const char* engine : {"interpreter", "jit"}) {
    SCOPED_TRACE(engine);
    auto launch = [&](const std::string& rest) {
      return fmt::format("launch v.co --grid 256 --group 64 --deterministic --threads 1 --engine {} {}", engine, rest);
    };
    expect(1, "atoll: launch: vadd: fault: load of 4 bytes at 0x0, instruction 0x", launch("null in=b out=c:1024 i32=256"));
    EXPECT_FALSE(exists("c"));
    // 400 bytes hold 100 ints: the first that overruns is lane 4 of the second group's second wave
    Result r = atoll(launch("in=a in=b out=c:400 i32=256"));
    EXPECT_EQ(r.status, 1);
    EXPECT_NE(r.err.find("fault: store of 4 bytes at 0x"), std::string::npos) << r.err;
    EXPECT_NE(r.err.find(sea_islands() ? "'flat_store_dword " : "'global_store_b32 "), std::string::npos) << r.err;
    EXPECT_NE(r.err.find(sea_islands() ? ", group 1,0,0 lane 36\n" : ", group 1,0,0 lane 4\n"), std::string::npos) << r.err;
    EXPECT_FALSE(exists("c"));
    EXPECT_EQ(r.out, "");
  }
}

TEST_P(LaunchOn, EndlessLoopsEndByTimeoutOrSignal) {
  object("spin.co", "kernel void spin(global volatile int* p) { while (p[0] == 0) {} p[1] = 1; }");
  for (const char* engine : {"interpreter", "jit"}) {
    expect(1, "did not end within 0.3 seconds",
           fmt::format("launch spin.co --grid 64 --group 64 out=o:8 --timeout 0.3 --engine {}", engine));
    EXPECT_FALSE(exists("o"));
    for (int signal : {SIGINT, SIGTERM}) {
      pid_t child = ::fork();
      if (child == 0) {
        if (::chdir(folder.path.c_str()) != 0 || !std::freopen(".err", "w", stderr)) ::_exit(99);
        ::execl(ATOLL_BINARY, "atoll", "launch", "spin.co", "--grid", "64", "--group", "64", "out=o:8", "--engine", engine,
                nullptr);
        ::_exit(98);
      }
      // the signal comes when the verb has its handler, which is before anything runs
      bool caught = false;
      for (int i = 0; i < 1000 && !caught; ++i) {
        std::ifstream proc(fmt::format("/proc/{}/status", child));
        for (std::string line; std::getline(proc, line);)
          if (line.starts_with("SigCgt:")) caught = std::stoull(line.substr(8), nullptr, 16) >> (signal - 1) & 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      EXPECT_TRUE(caught);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      ::kill(child, signal);
      int status = 0;
      ::waitpid(child, &status, 0);
      ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
      EXPECT_EQ(WEXITSTATUS(status), 1);
      EXPECT_NE(get(".err").find("atoll: launch: spin: ended by a signal"), std::string::npos) << get(".err");
      EXPECT_FALSE(exists("o"));
    }
  }
}

TEST_P(LaunchOn, WhatTheMetadataDoesNotFitEndsWithOne) {
  object("v.co", vadd);
  put("a", std::vector<int>(64));
  auto launch = [](const std::string& rest) { return "launch v.co --grid 64 --group 64 " + rest; };
  expect(1, "takes 4 arguments", launch("in=a in=a out=c:256"));
  expect(1, "takes 4 arguments", launch("in=a in=a out=c:256 i32=1 i32=2"));
  expect(1, "argument 4", launch("in=a in=a out=c:256 i64=1"));
  expect(1, "argument 4", launch("in=a in=a out=c:256 f32=1"));
  expect(1, "argument 4", launch("in=a in=a out=c:256 in=a"));
  expect(1, "argument 1", launch("i32=1 in=a out=c:256 i32=1"));
  expect(1, "argument 3", launch("in=a in=a local=256 i32=1"));
  expect(1, "cannot open missing", launch("in=missing in=a out=c:256 i32=1"));
  expect(1, "the folder nowhere is not there", launch("in=a in=a out=nowhere/c:256 i32=1"));
  expect(1, "maximum of 256", "launch v.co --grid 64 --group 257 in=a in=a out=c:256 i32=1");
  expect(1, "ask for less", launch("in=a in=a out=c:0x7fffffffffff i32=1"));
  EXPECT_FALSE(exists("c"));
  object("r.co", "__attribute__((reqd_work_group_size(8, 1, 1))) kernel void r(global int* p) { p[0] = 1; }");
  expect(1, "--group 8,1,1", "launch r.co --grid 16 --group 16 out=c:4");
  object("l.co", "kernel void l(local int* a, global int* p) { a[p[0]] = 1; __builtin_amdgcn_s_barrier(); p[0] = a[p[1]]; }");
  expect(1, "66000 bytes of LDS", "launch l.co --grid 1 --group 1 local=66000 out=c:8");
  object("i.co", "kernel void i(read_only image2d_t a, global int* p) { p[0] = 1; }");
  put("texels", std::string(63, 'x'));
  expect(1, "the image takes 64 bytes, the file has 63", "launch i.co --grid 1 --group 1 image=texels:rgba-unorm8:4x4 out=c:4");
  expect(1, "an image2d_t takes no depth", "launch i.co --grid 1 --group 1 image=texels:rgba-unorm8:4x4x2 out=c:4");
}

// Private memory and LDS through generic pointers, whose place only the address tells.
TEST_P(LaunchOn, GenericPointers) {
  for (const char* options : {"-O0", "-O2", "-O2 -mcode-object-version=4"}) {
    object("g.co", R"(
      __attribute__((noinline)) int sum(int* p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
      __attribute__((noinline)) void add(int* p, int n) { __opencl_atomic_fetch_add((atomic_int*)p, n, memory_order_relaxed, memory_scope_device); }
      kernel void g(global int* out, local int* block) {
        int own[20];
        for (int i = 0; i < 20; i++) own[i] = i * (int)ITEM;
        block[ITEM] = ITEM;
        __builtin_amdgcn_s_barrier();
        add(own + ITEM % 20, 1000);
        add(block + 3, 1);
        add((int*)out, 1);
        __builtin_amdgcn_s_barrier();
        out[1 + GROUP * group_items() + ITEM] = sum(own + 3, 10) + sum(block, 5);
      })",
           "", options);
    for (const char* engine : {"auto", "interpreter", "jit"}) {
      Result r = atoll(fmt::format("launch g.co --grid 200 --group 100 --threads 2 --engine {} out=o:804 local=400", engine));
      ASSERT_EQ(r.status, 0) << options << engine << r.err;
      auto o = values<int>("o");
      EXPECT_EQ(o[0], 200);
      for (int i = 0; i < 200; i++) {
        int item = i % 100, touched = item % 20 >= 3 && item % 20 < 13 ? 1000 : 0;
        ASSERT_EQ(o[size_t(1 + i)], 75 * item + touched + 10 + 100) << options << engine << i;
      }
    }
  }
}

TEST_P(LaunchOn, FaultsOutsideOfMemory) {
  object("p.co", R"(
    kernel void beyond(global int* out) { int own[4]; own[ITEM & 3] = 1; int* volatile p = own + out[0]; p[0x10000 * (ITEM == 9)] = 5; out[1] = own[0]; }
    kernel void unaligned(global int* out) { int* p = (int*)((global char*)out + 2); __opencl_atomic_fetch_add((atomic_int*)p, 1, memory_order_relaxed, memory_scope_device); }
    kernel void never(global int* out) { if (ITEM >= 64) { __builtin_amdgcn_s_barrier(); out[1] = 1; } if (out[0] == 77) __builtin_amdgcn_s_barrier(); }
  )");
  for (const char* engine : {"interpreter", "jit"}) {
    auto launch = [&](const char* kernel, const char* group) {
      return fmt::format("launch p.co --kernel {} --grid 128 --group {} --threads 1 --deterministic --engine {} out=o:16", kernel,
                         group, engine);
    };
    Result r = atoll(launch("beyond", "64"));
    EXPECT_EQ(r.status, 1);
    EXPECT_NE(r.err.find("beyond: fault: store (beyond the lane's private memory) of 4 bytes at 0x400"), std::string::npos)
        << r.err;
    EXPECT_NE(r.err.find("group 0,0,0 lane 9\n"), std::string::npos) << r.err;
    expect(1, "unaligned: fault: atomic (not aligned to its size) of 4 bytes at 0x", launch("unaligned", "64"));
  }
}

TEST_P(LaunchOn, RepeatsAndOrder) {
  object("r.co", "kernel void r(global int* p) { if (ITEM == 0) { int n = p[0]; p[1 + n] = GROUP; p[0] = n + 1; } }");
  Result r = atoll("launch r.co --grid 640 --group 64 --deterministic --repeat 3 --stats out=o:124");
  ASSERT_EQ(r.status, 0) << r.err;
  auto o = values<int>("o");
  EXPECT_EQ(o[0], 30);
  for (int i = 0; i < 30; i++) EXPECT_EQ(o[size_t(1 + i)], i % 10);
  EXPECT_EQ(nlohmann::json::parse(r.out)["waves"], sea_islands() ? 10 : 20) << "of one round";
}

TEST_F(Launch, BadObjectsEndWithOne) {
  object("v.co", "kernel void k(global int* p) { p[0] = 5; }");
  std::string whole = get("v.co");
  for (size_t length : {size_t(0), size_t(3), size_t(40), size_t(64), size_t(500), whole.size() / 2, whole.size() - 1}) {
    put("cut.co", whole.substr(0, length));
    expect(1, "cut.co", "launch cut.co --grid 1 --group 1 out=o:4");
  }
  put("text.co", "this is no object");
  expect(1, "text.co: not an ELF object", "launch text.co --grid 1 --group 1 out=o:4");
  expect(1, "x86-64", "launch /proc/self/exe --grid 1 --group 1 out=o:4");
  object("o.o", "kernel void k(global int* p) { p[0] = 5; }", "gfx1200", "-O2 -c");
  expect(1, "ld.lld -shared", "launch o.o --grid 1 --group 1 out=o:4");
  expect(1, "nowhere.co", "launch nowhere.co --grid 1 --group 1 out=o:4");
  expect(1, "directory", "launch . --grid 1 --group 1 out=o:4");
  EXPECT_FALSE(exists("o"));
}

TEST_F(Launch, WrongCallsEndWithTwo) {
  for (const char* call : {"launch",
                           "launch v.co",
                           "launch v.co --grid 1",
                           "launch v.co --group 1",
                           "launch v.co --grid 1 --group 1 --bogus",
                           "launch v.co --grid 0 --group 1",
                           "launch v.co --grid 1,2,3,4 --group 1",
                           "launch v.co --grid x --group 1",
                           "launch v.co --grid 1 --group 1,0",
                           "launch v.co --grid 1 --group 1 foo",
                           "launch v.co --grid 1 --group 1 f33=1",
                           "launch v.co --grid 1 --group 1 i8=999",
                           "launch v.co --grid 1 --group 1 f32x4=1,2,3",
                           "launch v.co --grid 1 --group 1 out=c",
                           "launch v.co --grid 1 --group 1 --engine gpu",
                           "launch v.co --grid 1 --group 1 --threads 0",
                           "launch v.co --grid 1 --group 1 --threads x",
                           "launch v.co --grid 1 --group 1 --timeout 0",
                           "launch v.co --grid 1 --group 1 --timeout soon",
                           "launch v.co --grid 1 --group 1 --gpu nothing",
                           "launch v.co --grid -1 --group 1",
                           "launch v.co --grid --group 1"})
    expect(2, "atoll: launch: ", call);
  expect(2, "no verb 'fly'", "fly");
  expect(2, "see atoll --help", "");
  Result help = atoll("--help");
  EXPECT_EQ(help.status, 0);
  for (const char* verb : {"gpus", "run", "doctor", "launch", "asm", "disasm", "eval", "decode", "reg", "enum", "replay",
                           "registers-used", "fidelity"})
    EXPECT_NE(help.out.find(fmt::format("\n  {} ", verb)), std::string::npos) << verb;
}

// Results captured on a card rank above those exact by the manual, and only for the card that they were captured on.
TEST_F(Gpus, FidelitySaysWhatACardGave) {
  auto states = [&](const std::string& isa) {
    std::map<std::string, nlohmann::json> found;
    std::istringstream lines(atoll("fidelity --json --isa " + isa).out);
    for (std::string line; std::getline(lines, line);) {
      auto row = nlohmann::json::parse(line);
      found[row["name"]] = row;
    }
    return found;
  };
  auto captured = states("gfx1201"), other = states("gfx1200");
  EXPECT_EQ(captured["v_div_scale_f32"]["state"], "card");
  EXPECT_NE(captured["v_div_scale_f32"]["source"].get<std::string>().find("RX 9070"), std::string::npos);
  EXPECT_FALSE(captured["v_div_scale_f32"].contains("reason"));
  EXPECT_NE(captured["v_fract_f32"]["reason"].get<std::string>().find("no value is published"), std::string::npos);
  EXPECT_EQ(captured["v_and_b32"]["state"], "exact");
  EXPECT_EQ(other["v_div_scale_f32"]["reason"], "not captured on gfx1200");
  EXPECT_NE(atoll("fidelity --isa gfx1201").out.find(" instructions: "), std::string::npos);
  for (auto& [name, row] : captured)
    if (row["state"] == "card") EXPECT_TRUE(row.contains("source")) << name;
}

// Every field of every command and structure of DG1 has one state and says why, whether it is a command's own or one that repeats.
TEST_F(Gpus, FidelityListsTheFieldsOfDg1) {
  std::map<std::string, nlohmann::json> found;
  std::istringstream lines(atoll("fidelity --json --gpu dg1").out);
  std::map<std::string, size_t> kinds;
  for (std::string line; std::getline(lines, line);) {
    auto row = nlohmann::json::parse(line);
    kinds[row["kind"]]++;
    if (row["kind"] == "enumeration value") continue;
    const std::string name = row["name"];
    EXPECT_TRUE(found.emplace(name, row).second) << name << " twice";
    const std::string state = row["state"];
    EXPECT_TRUE(state == "acts" || state == "stored only" || state == "not yet") << name << ": " << state;
    EXPECT_NE(row[state == "acts" ? "test" : "reason"].get<std::string>(), "") << name;
    EXPECT_NE(row["unit"].get<std::string>(), "") << name;
  }
  EXPECT_GT(kinds["enumeration value"], 600u);
  std::ifstream file(ATOLL_SOURCE_DIR "/registers/dg1/commands.json");
  size_t fields = 0;
  const auto data = nlohmann::json::parse(file);
  for (const char* kind : {"commands", "structures"})
    for (const auto& owner : data[kind]) {
      std::map<std::string, unsigned> names;
      auto all = owner["fields"];
      if (owner.contains("repeat"))
        for (const auto& f : owner["repeat"]["fields"]) all.push_back(f);
      fields += all.size();
      for (const auto& f : all) names[f["name"]]++;
      for (const auto& [name, count] : names)
        if (count == 1)
          EXPECT_TRUE(found.contains(owner["name"].get<std::string>() + "." + name)) << owner["name"] << " " << name;
    }
  EXPECT_EQ(found.size(), fields);
  EXPECT_EQ(kinds["command field"] + kinds["structure field"], fields);
  EXPECT_EQ(found["3DSTATE_RASTER.Cull Mode"]["state"], "acts");
  EXPECT_EQ(found["RENDER_SURFACE_STATE.Corner Texel Mode"]["state"], "not yet");
  EXPECT_EQ(found["SAMPLER_STATE.Mag Mode Filter"]["state"], "acts");
}

TEST_F(Gpus, AreListed) {
  Result text = atoll("gpus"), json = atoll("gpus --json");
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(json.status, 0);
  std::istringstream lines(json.out);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    auto gpu = nlohmann::json::parse(line);
    names.push_back(gpu["name"]);
    EXPECT_TRUE(gpu["driven_by"].is_array());
    EXPECT_NE(text.out.find(names.back()), std::string::npos);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"gfx1200", "gfx1201", "bonaire", "hawaii", "kaveri", "kabini", "rv515", "r520",
                                             "rv530", "r580", "dg1"}));
  expect(2, "atoll: gpus: ", "gpus --bogus");
  int status = std::system(fmt::format("'{}' gpus > /dev/full 2> '{}'", ATOLL_BINARY, path("err")).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(get("err"), "atoll: gpus: cannot write standard output: No space left on device\n");
}

// A function that a kernel calls may lie before it: the offset counts back from the kernel's first instruction.
TEST_F(Launch, AFaultBeforeTheKernelHasANegativeOffset) {
  object("call.co", R"(
    __attribute__((noinline)) int touch(global const int* p) { return p[1]; }
    kernel void outer(global int* out, global const int* p) { out[0] = touch(p); }
  )");
  Result r = atoll("launch call.co --grid 1 --group 1 out=o.bin:4 null");
  EXPECT_EQ(r.status, 1);
  static const std::regex offset("fault: load of 4 bytes at 0x4, instruction -0x[0-9a-f]{1,4} '");
  EXPECT_TRUE(std::regex_search(r.err, offset)) << r.err;
}

}  // namespace
}  // namespace Atoll
