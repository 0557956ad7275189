// unary_accuracy: RDNA4's functions of one 32- or 16-bit operand over all operands (or every Nth), on compiled code: a table of the worst
// errors and where they are. Ends with 1 where a result is not the one that has to come, or is further away than the bound.
//
//   build/release/tests/unary_accuracy [--stride N] [--mode BITS] [--interpreter] [FUNCTION...]
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "machine.h"

using namespace Atoll;
using namespace Atoll::rdna4::accuracy;

namespace {

struct Options {
  uint32_t stride = 1, mode = 0xf0;
  wave::EngineChoice engine = wave::EngineChoice::Jit;
  std::vector<const Function*> functions;
};

bool halves(const Function& f) { return f.input == Operand::F16 || f.input == Operand::Integer16; }

// Around these (and their negatives) something changes: all formats' least and largest numbers, ones, ends of ranges.
constexpr uint32_t corners[] = {0,          0x00000001, 0x007fffff, 0x00800000, 0x01000000, 0x33000000, 0x33800000, 0x387fe000,
                                0x38800000, 0x3e000000, 0x3e800000, 0x3f000000, 0x3f3504f3, 0x3f800000, 0x3fc00000, 0x40000000,
                                0x41800000, 0x42fc0000, 0x43000000, 0x477fe000, 0x477ff000, 0x47800000, 0x4affffff, 0x4b000000,
                                0x4b800000, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x7e800000, 0x7f000000, 0x7f7fffff,
                                0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000};

Expected<Tally> measure(const Function& f, const Options& o) {
  auto machine = Machine::make(f, o.mode, o.engine);
  if (!machine) return std::unexpected(machine.error());
  const Mode mode = mode_of(o.mode);
  const size_t count = (*machine)->count();
  Tally tally;
  auto run = [&](uint32_t first, uint32_t step, uint64_t limit) -> Expected<void> {
    if (auto done = (*machine)->run(first, step); !done) return done;
    f.check(mode, first, step, (*machine)->results(), size_t(std::min<uint64_t>(count, limit)), tally);
    return {};
  };
  if (halves(f)) {
    for (uint32_t first = 0; first < 0x10000; first += uint32_t(count))
      if (auto done = run(first, 1, 0x10000 - first); !done) return std::unexpected(done.error());
  } else {
    for (uint64_t first = 0; first < uint64_t(1) << 32; first += count * o.stride)
      if (auto done = run(uint32_t(first), o.stride, ((uint64_t(1) << 32) - first + o.stride - 1) / o.stride); !done)
        return std::unexpected(done.error());
    for (uint32_t corner : corners)
      for (uint32_t sign : {0u, 0x80000000u})
        if (o.stride > 1)
          if (auto done = run((corner | sign) - uint32_t(count / 2), 1, count); !done) return std::unexpected(done.error());
  }
  if (o.engine == wave::EngineChoice::Jit && (*machine)->compiled() < 0.9)
    return fail("{}: {:.0f} % of the instructions were compiled", f.name, (*machine)->compiled() * 100);
  return tally;
}

int usage() {
  fmt::print(stderr, "unary_accuracy [--stride N] [--mode BITS] [--interpreter] [FUNCTION...]\n");
  return 2;
}

int measure_all(const Options& o) {
  fmt::print("MODE {:#04x}, every operand{}\n", o.mode, o.stride > 1 ? fmt::format(" of {}", o.stride) : "");
  fmt::print("{:<24}{:>14}{:>14}  {:<12}{:>12}  {}\n", "function", "exact", "measured", "worst (ulp)", "absolute", "at");
  int bad = 0;
  for (const Function* f : o.functions) {
    auto tally = measure(*f, o);
    if (!tally) {
      fmt::print("{}\n", tally.error().message);
      bad++;
      continue;
    }
    std::string worst, absolute, at;
    if (tally->measured) {
      worst = fmt::format("{:.8f}", tally->worst), at = fmt::format("{:#010x}", tally->worst_operand);
      if (std::string_view(f->name).find("sin") != std::string_view::npos ||
          std::string_view(f->name).find("cos") != std::string_view::npos)
        absolute = fmt::format("2^{:.2f}", std::log2(tally->worst_absolute));
    }
    fmt::print("{:<24}{:>14}{:>14}  {:<12}{:>12}  {}\n", f->name, tally->known, tally->measured, worst, absolute, at);
    if (tally->wrong)
      fmt::print("  WRONG: {} operands, the first {:#x}: {:#x} instead of {:#x}\n", tally->wrong, tally->first_wrong, tally->got,
                 tally->expected);
    if (!(tally->worst <= f->bound)) fmt::print("  BEYOND the bound of {} ulp\n", f->bound);
    bad += tally->wrong || !(tally->worst <= f->bound);
    std::fflush(stdout);
  }
  fmt::print("{} of {} functions as they have to be\n", o.functions.size() - size_t(bad), o.functions.size());
  return bad ? 1 : 0;
}

}  // namespace

int main(int count, char** arguments) {
  Options o;
  for (int n = 1; n < count; n++) {
    std::string_view a = arguments[n];
    const char* next = n + 1 < count ? arguments[n + 1] : nullptr;
    if (a == "--interpreter") {
      o.engine = wave::EngineChoice::Interpreter;
    } else if ((a == "--stride" || a == "--mode") && next) {
      (a == "--stride" ? o.stride : o.mode) = uint32_t(std::strtoul(next, nullptr, 0));
      n++;
    } else if (const Function* f = find(arguments[n])) {
      o.functions.push_back(f);
    } else {
      return usage();
    }
  }
  if (!o.stride) return usage();
  if (o.functions.empty())
    for (const Function& f : functions()) o.functions.push_back(&f);
  int result = 0;
  std::thread([&] { result = measure_all(o); }).join();  // (GPU code runs on threads of its own)
  return result;
}
