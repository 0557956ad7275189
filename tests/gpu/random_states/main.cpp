// gpu_random_states: random pipeline states as registers and packets, drawn by both engines on one thread and on several, draws waiting
// for each other and not. All targets must have the same bits, and every draw those of the oracle. Prints the first state that differs, and ends with status 1.
//
//   gpu_random_states --gpu bonaire|dg1|gfx1200|gfx1201|r580 [--count N] [--seed S] [--only INDEX] [--verbose]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "draw_check.h"
#include "pipeline/tiles/scene.h"
#include "random_gpu.h"
#include "registers/stream_text.h"

namespace Atoll::random_states {

void fill(Random& r, std::span<uint8_t> bytes, Content content) {
  for (size_t at = 0; at < bytes.size(); at += 8) {
    uint64_t word = r.next64();
    const size_t left = std::min<size_t>(8, bytes.size() - at);
    // Exponents of about 1.
    if (content == Content::floats) word = (word & 0x83ffffff83ffffff) | 0x3c0000003c000000;
    if (content == Content::halves) word = (word & 0x8fff8fff8fff8fff) | 0x3000300030003000;
    std::memcpy(&bytes[at], &word, left);
  }
}

std::string stream_text(const registers::Family& family, std::span<const uint32_t> stream) {
  std::string text;
  for (size_t at = 0; at < stream.size();) {
    auto packet = registers::read_packet(family, stream, at);
    if (!packet || !packet->length) break;
    registers::append_text(text, *packet, "  ");
    at += packet->length;
  }
  return text;
}

namespace {

// The first has every draw checked; the others leave the same bits, or are found.
struct Way {
  const char* name;
  gpu::Engine engine;
  unsigned threads;
  bool checked;
  unsigned draws;  // that wait for their pixels to be drawn (pipeline/tiles/scene.h); 1: each is drawn before the next
};
constexpr unsigned many = pipeline::SceneLimits{}.draws;
constexpr Way ways[] = {{"interpreter, 1 thread, checked", gpu::Engine::Interpreter, 1, true, 1},
                        {"jit, 2 threads", gpu::Engine::Jit, 2, false, many},
                        {"interpreter, 2 threads, pixels beside the next draw", gpu::Engine::Interpreter, 2, false, 2},
                        {"jit, 2 threads, each draw at once", gpu::Engine::Jit, 2, false, 1},
                        {"jit, 3 threads, pixels beside the next draw", gpu::Engine::Jit, 3, false, 2},
                        {"jit, 1 thread", gpu::Engine::Jit, 1, false, many}};

// True if the JIT's code ran where it was asked for; also prints which way pixels went.
bool compiled(const RandomGpu& gpu, const Way& way, bool most_direct) {
  const gpu::Statistics s = gpu.statistics();
  const unsigned long long compiled = s.compiled + s.called, interpreted = s.interpreted;
  std::printf("%s: %llu instructions compiled, %llu interpreted\n", way.name, compiled, interpreted);
  uint64_t direct = 0, all = 0;
  for (const auto& [pixel_way, pixels] : s.pixel_paths) {
    std::printf("  %llu pixels: %.*s\n", (unsigned long long)pixels, int(pixel_way.size()), pixel_way.data());
    all += pixels;
    if (pixel_way == "direct") direct += pixels;
  }
  if (most_direct && direct < all / 2) return false;  // (by waves that write them themselves, src/pixel)
  return way.engine == gpu::Engine::Jit ? s.compiled > 9 * s.interpreted : !s.compiled;
}

bool same(const RandomGpu& first, const RandomGpu& other, const char* name) {
  const auto expected = first.targets(), found = other.targets();
  for (size_t n = 0; n < expected.size(); n++) {
    const auto &a = expected[n].bytes, &b = found[n].bytes;
    if (!std::memcmp(a.data(), b.data(), a.size())) continue;
    const size_t at = size_t(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
    std::printf("%s at byte %zu: %02x (%s), %02x (%s)\n", expected[n].name.c_str(), at, b[at], name, a[at], ways[0].name);
    return false;
  }
  if (first.samples_passed() == other.samples_passed()) return true;
  std::printf("samples passed: %llu (%s), %llu (%s)\n", (unsigned long long)other.samples_passed(), name,
              (unsigned long long)first.samples_passed(), ways[0].name);
  return false;
}

int run(int argc, char** argv) {
  std::string_view gpu = "bonaire";
  uint64_t count = 60, seed = 1, only = ~uint64_t(0);
  bool verbose = false;
  for (int n = 1; n < argc; n++) {
    const std::string_view option = argv[n];
    auto value = [&] { return n + 1 < argc ? std::strtoull(argv[++n], nullptr, 0) : 0; };
    if (option == "--gpu" && n + 1 < argc)
      gpu = argv[++n];
    else if (option == "--count")
      count = value();
    else if (option == "--seed")
      seed = value();
    else if (option == "--only")
      only = value();
    else if (option == "--verbose")
      verbose = true;
    else
      return std::fprintf(stderr,
                          "gpu_random_states: %s is no option: --gpu NAME, --count N, --seed S, --only INDEX, --verbose\n",
                          argv[n]),
             2;
  }
  struct {
    std::string_view name;
    std::unique_ptr<RandomGpu> (*make)(const gpu::Options&);
    bool direct;  // its waves write pixels themselves
  } constexpr makers[] = {{"bonaire", make_sea_islands, true},
                          {"dg1", make_dg1, false},
                          {"gfx1200", make_gfx1200, true},
                          {"gfx1201", make_gfx1201, true},
                          {"r580", make_r5xx, true}};
  const auto* maker = std::ranges::find(makers, gpu, [](const auto& m) { return m.name; });
  if (maker == std::end(makers))
    return std::fprintf(stderr, "gpu_random_states: --gpu is bonaire, dg1, gfx1200, gfx1201 or r580\n"), 2;
  std::vector<std::unique_ptr<RandomGpu>> gpus;
  for (const Way& way : ways) {
    const gpu::Options options{.engine = way.engine, .threads = way.threads};
    gpus.push_back(maker->make(options));
  }
  DrawCheck& check = draw_check();
  const uint64_t first = only == ~uint64_t(0) ? 0 : only, last = only == ~uint64_t(0) ? count : only + 1;
  for (uint64_t n = first; n < last; n++) {
    bool good = true;
    for (size_t w = 0; w < std::size(ways) && good; w++) {
      check.enabled = ways[w].checked, check.in_submission = 0;
      pipeline::scene_limits().draws = ways[w].draws;  // (read before the first draw)
      auto drawn = gpus[w]->draw(mixed(seed) + n);
      if (!drawn) std::printf("%s: %s\n", ways[w].name, drawn.error().message.c_str()), good = false;
      if (!check.difference.empty()) std::printf("%s: %s\n", ways[w].name, check.difference.c_str()), good = false;
      if (w > 0 && good) good = same(*gpus[0], *gpus[w], ways[w].name);
    }
    if (verbose || !good) std::printf("state %llu\n%s", (unsigned long long)n, gpus[0]->text().c_str());
    if (good) continue;
    std::printf("gpu_random_states --gpu %.*s --seed %llu --only %llu\n", int(gpu.size()), gpu.data(), (unsigned long long)seed,
                (unsigned long long)n);
    return 1;
  }
  bool ways_good = true;
  for (size_t w = 0; w < std::size(ways); w++) ways_good &= compiled(*gpus[w], ways[w], maker->direct && last - first >= 10);
  for (const auto& unknown : gpus[0]->statistics().unknown)
    std::printf("not modelled: %s, %llu times\n", unknown.what.c_str(), (unsigned long long)unknown.times);
  if (!ways_good) return std::printf("an engine other than asked for, or few pixels that waves write themselves\n"), 1;
  std::printf(
      "%llu random states on %.*s agree in every bit: %llu draws against the oracle, %llu fragments, %llu samples passed\n",
      (unsigned long long)(last - first), int(gpu.size()), gpu.data(), (unsigned long long)check.draws,
      (unsigned long long)check.fragments, (unsigned long long)check.samples_passed);
  return check.fragments ? 0 : 1;
}

}  // namespace
}  // namespace Atoll::random_states

int main(int argc, char** argv) { return Atoll::random_states::run(argc, argv); }
