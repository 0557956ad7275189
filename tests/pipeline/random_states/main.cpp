// random_states: draws of random state through the pipeline, against the oracle (oracle/fragments.h), in every bit of all targets
// and in the counts. Prints the state of the first difference, and ends with status 1.
//
//   random_states [--count N] [--seed S] [--only INDEX] [--verbose]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "case.h"
#include "pipeline/oracle/recording.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline::test {
namespace {

struct Totals {
  uint64_t draws = 0, fragments = 0, samples_passed = 0;
};

// The first pixel in which two buffers differ.
bool same(const char* name, unsigned number, const MemoryTarget* target, const oracle::Buffer& expected) {
  if (!target || target->texels == expected.texels) return true;
  const unsigned bytes = expected.bytes;
  for (size_t at = 0; at < expected.texels.size(); at += bytes) {
    if (!std::memcmp(&target->texels[at], &expected.texels[at], bytes)) continue;
    const size_t texel = at / bytes, pixel = texel / expected.samples;
    std::printf("%s %u differs at x %zu y %zu sample %zu: ", name, number, pixel % expected.width, pixel / expected.width,
                texel % expected.samples);
    for (unsigned n = bytes; n--;) std::printf("%02x", target->texels[at + n]);
    std::printf(" drawn, ");
    for (unsigned n = bytes; n--;) std::printf("%02x", expected.texels[at + n]);
    std::printf(" expected\n");
    break;
  }
  return false;
}

bool same(const char* name, uint64_t drawn, uint64_t expected) {
  if (drawn == expected) return true;
  std::printf("%s: %llu drawn, %llu expected\n", name, (unsigned long long)drawn, (unsigned long long)expected);
  return false;
}

class Targets {
public:
  Targets(const Case& c) {
    for (unsigned n = 0; n < 8; n++) colour[n] = of(c.buffers.colour[n]);
    depth = of(c.buffers.depth), stencil = of(c.buffers.stencil);
  }
  void bind(const Case& c, Draw& draw) const {
    for (unsigned n = 0; n < 8; n++) {
      if (!c.has_colour[n]) continue;
      draw.targets.colour[n] = c.colour[n];
      draw.targets.colour[n].target = colour[n].get();
    }
    draw.targets.depth = {depth.get(), c.depth_bits, stencil.get(), c.stencil_in_upper_byte};
  }
  bool as(const oracle::Buffers& expected) const {
    bool good = same("depth", 0, depth.get(), expected.depth) && same("stencil", 0, stencil.get(), expected.stencil);
    for (unsigned n = 0; n < 8; n++) good = good && same("colour", n, colour[n].get(), expected.colour[n]);
    return good;
  }

private:
  static std::unique_ptr<MemoryTarget> of(const oracle::Buffer& buffer) {
    if (!buffer.bytes) return nullptr;
    auto target = std::make_unique<MemoryTarget>(buffer.width, buffer.height, buffer.bytes, buffer.samples);
    target->texels = buffer.texels;
    return target;
  }
  std::unique_ptr<MemoryTarget> colour[8], depth, stencil;
};

// Draws up to the first of them that leaves something else than it should (which is only looked for where `each` is told).
bool agrees(const Case& c, Workers& workers, bool each, Totals& totals) {
  const Targets targets(c);
  oracle::Buffers expected = c.buffers;
  for (size_t n = 0; n < c.draws.size(); n++) {
    RandomDraw& d = *c.draws[n];
    Draw draw = d.draw;
    draw.vertex_stage = &d.vertices;
    targets.bind(c, draw);
    ShaderStage stage(d.shader);
    draw.pixel_stage = d.depth_only ? nullptr : &stage;
    const std::vector<oracle::Fragment> fragments = oracle::record(draw, workers);
    const oracle::Counts counts = oracle::draw_fragments(
        draw, fragments,
        [&](size_t, const oracle::Fragment& f, unsigned sample) {
          return d.shader.outputs(f.x, f.y, f.primitive, f.front, sample);
        },
        expected);
    Counters counters;
    const std::atomic<int> stop{0};
    if (!run(draw, workers, counters, stop)) return std::printf("draw %zu: not drawn\n", n), false;
    totals.draws++, totals.fragments += fragments.size(), totals.samples_passed += counts.samples_passed;
    bool good = same("samples passed", counters.samples_passed, counts.samples_passed) &&
                same("pixel invocations", counters.pixel_invocations, counts.pixel_invocations);
    const bool last = n + 1 == c.draws.size();
    if (each || last || !good) write_back(workers);
    if (each || last) good = targets.as(expected) && good;
    if (!good) {
      std::printf("draw %zu:\n%s", n, text_of(c, d).c_str());
      return false;
    }
  }
  return true;
}

int run(int argc, char** argv) {
  uint64_t count = 300, seed = 1, only = ~uint64_t(0);
  bool verbose = false;
  for (int n = 1; n < argc; n++) {
    const std::string_view option = argv[n];
    auto value = [&] { return n + 1 < argc ? std::strtoull(argv[++n], nullptr, 0) : 0; };
    if (option == "--count")
      count = value();
    else if (option == "--seed")
      seed = value();
    else if (option == "--only")
      only = value();
    else if (option == "--verbose")
      verbose = true;
    else
      return std::fprintf(stderr, "random_states: %s is no option: --count N, --seed S, --only INDEX, --verbose\n", argv[n]), 2;
  }
  Workers one(1), two(2);
  Totals totals;
  const uint64_t first = only == ~uint64_t(0) ? 0 : only, last = only == ~uint64_t(0) ? count : only + 1;
  for (uint64_t n = first; n < last; n++) {
    const Case c(mixed(seed) + n);
    if (verbose) {
      std::printf("state %llu\n%s", (unsigned long long)n, text_of(c).c_str());
      for (auto& d : c.draws) std::printf("%s", text_of(c, *d).c_str());
    }
    Workers& workers = c.threads == 1 ? one : two;
    if (agrees(c, workers, false, totals)) continue;
    std::printf("random_states --seed %llu --only %llu\n%s", (unsigned long long)seed, (unsigned long long)n, text_of(c).c_str());
    std::printf("once more, a draw at a time:\n");
    if (agrees(c, workers, true, totals)) std::printf("no difference then: blocks that are cached between draws are not right\n");
    return 1;
  }
  std::printf("%llu random states agree with the oracle in every bit: %llu draws, %llu fragments, %llu samples passed\n",
              (unsigned long long)(last - first), (unsigned long long)totals.draws, (unsigned long long)totals.fragments,
              (unsigned long long)totals.samples_passed);
  return totals.fragments ? 0 : 1;
}

}  // namespace
}  // namespace Atoll::pipeline::test

int main(int argc, char** argv) { return Atoll::pipeline::test::run(argc, argv); }
