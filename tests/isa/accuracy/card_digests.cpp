// card_digests: RDNA4's transcendental functions over whole sets of operands, whose results on cards are published as digests: the same
// digests, from compiled code and from the interpreter, whatever MODE rounds to. Ends with 1 where one differs.
//
//   build/release/tests/card_digests [--interpreter] [--quick] [FUNCTION...]
//
// Captured on Radeon RX 9070 and R9700 (gfx1201), those of f32 on a W7900 as well: ROCm/rocm-systems, folder emulation/rocjitsu/tests,
// transcendental_test.cpp (tests named ...HardwareDigest) and the test Rdna4ExpLog.CapturedDomainHardwareDigests. A digest takes the
// results in the order of the operands: xor with the word, then times 1099511628211, from 14695981039346656037 on.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "machine.h"

using namespace Atoll;
using namespace Atoll::rdna4::accuracy;

namespace {

enum class Operands {
  Mantissas,     // of [1, 2)
  Two,           // of [1, 4): both parities of the exponent
  AroundOne,     // [1/2, 2)
  Fractions,     // n / 2^24
  BelowZero,     // -n / 2^24
  FewFractions,  // n / 2^23
  Halves,        // all 65,536
};

// MODE: denormals of halves flushed; kept in operands alone, in results alone, in both. Those of f32 are kept.
constexpr uint32_t denormals[4] = {0x30, 0x70, 0xb0, 0xf0}, overflow = 1u << 23;  // FP16_OVFL

struct Capture {
  const char* function;
  Operands operands;
  uint32_t mode;
  uint64_t digest;
};
constexpr Capture captures[] = {
    {"v_rcp_f32", Operands::Mantissas, 0xf0, 0xd54ec24992572df9},
    {"v_rsq_f32", Operands::Two, 0xf0, 0x010bc79eb6e48caf},
    {"v_sqrt_f32", Operands::Two, 0xf0, 0x514d49d31f12176b},
    {"v_log_f32", Operands::AroundOne, 0xf0, 0xc33a54efbae098be},
    {"v_log_f32", Operands::Mantissas, 0xf0, 0xdcabe314d2964004},
    {"v_exp_f32", Operands::Fractions, 0xf0, 0x68959bb684f42e5f},
    {"v_exp_f32", Operands::BelowZero, 0xf0, 0x88b75684494db8d3},
    {"v_exp_f32", Operands::FewFractions, 0xf0, 0xef14981b949b3960},
    {"v_log_f16", Operands::Halves, denormals[0], 0x7b139780c1becc29},
    {"v_log_f16", Operands::Halves, denormals[0] | overflow, 0x3999dfce791d6c29},
    {"v_log_f16", Operands::Halves, denormals[1], 0xab561022e31ba143},
    {"v_log_f16", Operands::Halves, denormals[1] | overflow, 0xab21f15c2191eb2b},
    {"v_log_f16", Operands::Halves, denormals[2], 0x7b139780c1becc29},
    {"v_log_f16", Operands::Halves, denormals[2] | overflow, 0x3999dfce791d6c29},
    {"v_log_f16", Operands::Halves, denormals[3], 0xab561022e31ba143},
    {"v_log_f16", Operands::Halves, denormals[3] | overflow, 0xab21f15c2191eb2b},
    {"v_exp_f16", Operands::Halves, denormals[0], 0xa9b68cfe7b8372d8},
    {"v_exp_f16", Operands::Halves, denormals[0] | overflow, 0xbdc5546b38d182d8},
    {"v_exp_f16", Operands::Halves, denormals[1], 0xa9b68cfe7b8372d8},
    {"v_exp_f16", Operands::Halves, denormals[1] | overflow, 0xbdc5546b38d182d8},
    {"v_exp_f16", Operands::Halves, denormals[2], 0x7a49d8175530c589},
    {"v_exp_f16", Operands::Halves, denormals[2] | overflow, 0x36d64dcb7d64d589},
    {"v_exp_f16", Operands::Halves, denormals[3], 0x7a49d8175530c589},
    {"v_exp_f16", Operands::Halves, denormals[3] | overflow, 0x36d64dcb7d64d589},
    {"v_rcp_f16", Operands::Halves, denormals[0], 0x36cc4b30e45154f5},
    {"v_rcp_f16", Operands::Halves, denormals[0] | overflow, 0x3f3980121e8cbcf5},
    {"v_rcp_f16", Operands::Halves, denormals[1], 0x4e50e3da9892a3ad},
    {"v_rcp_f16", Operands::Halves, denormals[1] | overflow, 0x8db5cd8283d4aa91},
    {"v_rcp_f16", Operands::Halves, denormals[2], 0x2c71ffe256ab1945},
    {"v_rcp_f16", Operands::Halves, denormals[2] | overflow, 0x73ec6be1844d8945},
    {"v_rcp_f16", Operands::Halves, denormals[3], 0x0667b75d288e9039},
    {"v_rcp_f16", Operands::Halves, denormals[3] | overflow, 0xd9f89262db736b55},
    {"v_s_rcp_f16", Operands::Halves, denormals[0], 0x36cc4b30e45154f5},
    {"v_s_rcp_f16", Operands::Halves, denormals[3] | overflow, 0xd9f89262db736b55},
    {"v_sin_f16", Operands::Halves, denormals[0], 0xbda621182e966565},
    {"v_sin_f16", Operands::Halves, denormals[1], 0xb708bf576f3d8aad},
    {"v_sin_f16", Operands::Halves, denormals[2] | overflow, 0xbda621182e966565},
    {"v_sin_f16", Operands::Halves, denormals[3], 0xb6245e65a23f99f9},
    {"v_cos_f16", Operands::Halves, denormals[0], 0xc6c3112c531e4391},
    {"v_cos_f16", Operands::Halves, denormals[1], 0xc6c3112c531e4391},
    {"v_cos_f16", Operands::Halves, denormals[2], 0xc6c3112c531e4391},
    {"v_cos_f16", Operands::Halves, denormals[3] | overflow, 0xc6c3112c531e4391},
};

// Operands in their order, as runs of words that are one step apart.
struct Run {
  uint32_t first, step;
  uint64_t count;
};
std::vector<Run> runs_of(Operands operands) {
  auto fractions = [](uint32_t sign, uint32_t bits) {
    std::vector<Run> runs = {{sign, 1, 1}};
    for (uint32_t top = 0; top < bits; top++)  // those whose highest bit is this one
      runs.push_back({sign | (top + 127 - bits) << 23, 1u << (23 - top), uint64_t(1) << top});
    return runs;
  };
  switch (operands) {
    case Operands::Mantissas: return {{0x3f800000, 1, 1u << 23}};
    case Operands::Two: return {{0x3f800000, 1, 1u << 24}};
    case Operands::AroundOne: return {{0x3f000000, 1, 1u << 24}};
    case Operands::Fractions: return fractions(0, 24);
    case Operands::BelowZero: return fractions(0x80000000, 24);
    case Operands::FewFractions: return fractions(0, 23);
    default: return {{0, 1, 65536}};
  }
}

Expected<uint64_t> digest_of(const Capture& capture, uint32_t mode, wave::EngineChoice engine) {
  auto machine = Machine::make(*find(capture.function), mode, engine, 8);
  if (!machine) return std::unexpected(machine.error());
  uint64_t digest = 14695981039346656037u;
  for (Run run : runs_of(capture.operands))
    for (uint64_t at = 0; at < run.count; at += (*machine)->count()) {
      if (auto done = (*machine)->run(run.first + uint32_t(at) * run.step, run.step); !done) return std::unexpected(done.error());
      const uint64_t here = std::min<uint64_t>((*machine)->count(), run.count - at);
      for (uint64_t n = 0; n < here; n++) digest = (digest ^ uint32_t((*machine)->results()[n])) * 1099511628211u;
    }
  if (engine == wave::EngineChoice::Jit && capture.operands != Operands::Halves && (*machine)->compiled() < 0.9)
    return fail("{}: {:.0f} % of the instructions were compiled", capture.function, (*machine)->compiled() * 100);
  return digest;
}

// `quick`: MODE rounds to nearest; else each digest in all four roundings.
int compare(wave::EngineChoice engine, bool quick, const std::vector<std::string_view>& names) {
  int compared = 0, bad = 0;
  for (const Capture& capture : captures) {
    if (!names.empty() && std::ranges::find(names, capture.function) == names.end()) continue;
    for (uint32_t rounding = 0; rounding < (quick ? 1u : 4u); rounding++) {
      const uint32_t mode = capture.mode | rounding * 5;
      auto digest = digest_of(capture, mode, engine);
      compared++;
      if (digest && *digest == capture.digest) continue;
      bad++;
      if (digest)
        fmt::print("{} in MODE {:#x}: {:#018x}, on the card {:#018x}\n", capture.function, mode, *digest, capture.digest);
      else
        fmt::print("{}\n", digest.error().message);
    }
  }
  fmt::print("{} of {} digests as captured\n", compared - bad, compared);
  return bad || !compared ? 1 : 0;
}

}  // namespace

int main(int count, char** arguments) {
  wave::EngineChoice engine = wave::EngineChoice::Jit;
  bool quick = false;
  std::vector<std::string_view> names;
  for (int n = 1; n < count; n++) {
    std::string_view a = arguments[n];
    if (a == "--interpreter") {
      engine = wave::EngineChoice::Interpreter;
    } else if (a == "--quick") {
      quick = true;
    } else if (find(arguments[n])) {
      names.push_back(a);
    } else {
      fmt::print(stderr, "card_digests [--interpreter] [--quick] [FUNCTION...]\n");
      return 2;
    }
  }
  int result = 0;
  std::thread([&] { result = compare(engine, quick, names); }).join();  // (GPU code runs on threads of its own)
  return result;
}
