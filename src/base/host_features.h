// The processor features that x86-64-v2, -v3 and -v4 add to x86-64 (System V psABI for AMD64, 3.1.1, "Micro-Architecture Levels"),
// and which of them the host levels' code is compiled with. A level asks for those and for no other: virtual machines hide single
// features (LZCNT and MOVBE on clouds' AMD guests) that the code does well without. cmake/levels.cmake reads the rows, the code
// generator gives them to LLVM.
#pragma once
#include <sys/platform/x86.h>

#include <cstddef>
#include <cstdint>

namespace Atoll {

struct HostFeature {
  int version;           // of x86-64, the first that has it
  bool used;             // false: the levels are compiled without it
  const char* name;      // as clang's -m options and LLVM's features have it
  unsigned int of_host;  // as the C library has it
};

inline constexpr HostFeature host_features[] = {
    {2, true, "sse3", x86_cpu_SSE3},            //
    {2, true, "ssse3", x86_cpu_SSSE3},          //
    {2, true, "sse4.1", x86_cpu_SSE4_1},        //
    {2, true, "sse4.2", x86_cpu_SSE4_2},        //
    {2, true, "popcnt", x86_cpu_POPCNT},        //
    {2, false, "crc32", x86_cpu_SSE4_2},        // (a part of SSE4.2 that compilers can do without)
    {2, false, "cx16", x86_cpu_CMPXCHG16B},     //
    {2, false, "sahf", x86_cpu_LAHF64_SAHF64},  //
    {3, true, "avx", x86_cpu_AVX},              //
    {3, true, "avx2", x86_cpu_AVX2},            //
    {3, true, "bmi", x86_cpu_BMI1},             //
    {3, true, "bmi2", x86_cpu_BMI2},            //
    {3, true, "f16c", x86_cpu_F16C},            //
    {3, true, "fma", x86_cpu_FMA},              //
    {3, false, "lzcnt", x86_cpu_LZCNT},         //
    {3, false, "movbe", x86_cpu_MOVBE},         //
    {3, false, "xsave", x86_cpu_OSXSAVE},       // (that the system keeps the registers the C library has in AVX and AVX512F)
    {4, true, "avx512f", x86_cpu_AVX512F},      //
    {4, true, "avx512bw", x86_cpu_AVX512BW},    //
    {4, true, "avx512cd", x86_cpu_AVX512CD},    //
    {4, true, "avx512dq", x86_cpu_AVX512DQ},    //
    {4, true, "avx512vl", x86_cpu_AVX512VL},    //
};

using HostFeatures = uint32_t;  // bit n: host_features[n]

// The features that code for this version of x86-64 needs, as it is compiled here.
constexpr HostFeatures features_needed(int version) {
  HostFeatures needed = 0;
  for (size_t n = 0; n < sizeof host_features / sizeof *host_features; n++)
    if (host_features[n].used && host_features[n].version <= version) needed |= HostFeatures(1) << n;
  return needed;
}

// The best of 1, 3 and 4 whose code runs where these are.
constexpr int best_version(HostFeatures there) {
  for (int version = 4; version > 2; version--)
    if ((features_needed(version) & ~there) == 0) return version;
  return 1;
}

// As the loader found them, and with what GLIBC_TUNABLES (glibc.cpu.hwcaps) leaves of them. The compiler's __builtin_cpu_supports
// asks the processor again, in every process at its start, and a virtual machine takes 0.1 ms to answer.
inline HostFeatures features_of_host() {
  HostFeatures there = 0;
  for (size_t n = 0; n < sizeof host_features / sizeof *host_features; n++)
    if (x86_cpu_active(host_features[n].of_host)) there |= HostFeatures(1) << n;
  return there;
}

}  // namespace Atoll
