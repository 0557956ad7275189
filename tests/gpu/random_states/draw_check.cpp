#include "draw_check.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "pipeline/oracle/recording.h"

namespace Atoll::random_states {

DrawCheck& draw_check() {
  static DrawCheck check;
  return check;
}

namespace {

using namespace pipeline;

oracle::Buffer contents(Target* target, const Targets& targets, unsigned bytes) {
  if (!target) return {};
  oracle::Buffer buffer(targets.width, targets.height, bytes, targets.samples);
  std::vector<uint8_t> block(size_t(bytes) * pixels_in_block * targets.samples);
  for (unsigned by = 0; by < targets.height; by += block_size)
    for (unsigned bx = 0; bx < targets.width; bx += block_size) {
      target->load(bx / block_size, by / block_size, 0, block.data());
      for (unsigned s = 0; s < targets.samples; s++)
        for (unsigned n = 0; n < pixels_in_block; n++) {
          const unsigned x = bx + x_in_block(n), y = by + y_in_block(n);
          if (x < targets.width && y < targets.height)
            std::memcpy(buffer.at(x, y, s), &block[(size_t(s) * pixels_in_block + n) * bytes], bytes);
        }
    }
  return buffer;
}

oracle::Buffers contents(const Draw& draw) {
  oracle::Buffers buffers;
  for (unsigned n = 0; n < 8; n++) {
    const ColourTarget& target = draw.targets.colour[n];
    buffers.colour[n] = contents(target.target, draw.targets, target.texel_bytes);
  }
  const DepthTarget& depth = draw.targets.depth;
  buffers.depth = contents(depth.depth, draw.targets, depth.depth_bits == 16 ? 2 : 4);
  buffers.stencil = contents(depth.stencil, draw.targets, 1);
  return buffers;
}

std::string difference(const char* name, unsigned number, const oracle::Buffer& drawn, const oracle::Buffer& expected) {
  for (size_t at = 0; at < expected.texels.size(); at += expected.bytes) {
    if (!std::memcmp(&drawn.texels[at], &expected.texels[at], expected.bytes)) continue;
    const size_t texel = at / expected.bytes, pixel = texel / expected.samples;
    std::string is, should;
    for (unsigned n = expected.bytes; n--;) {
      is += fmt::format("{:02x}", drawn.texels[at + n]);
      should += fmt::format("{:02x}", expected.texels[at + n]);
    }
    return fmt::format("{} {} at x {} y {} sample {}: {} drawn, {} expected", name, number, pixel % expected.width,
                       pixel / expected.width, texel % expected.samples, is, should);
  }
  return {};
}

std::string difference(const oracle::Buffers& drawn, const oracle::Buffers& expected) {
  for (unsigned n = 0; n < 8; n++)
    if (auto text = difference("colour", n, drawn.colour[n], expected.colour[n]); !text.empty()) return text;
  if (auto text = difference("depth", 0, drawn.depth, expected.depth); !text.empty()) return text;
  return difference("stencil", 0, drawn.stencil, expected.stencil);
}

}  // namespace

bool checked(const Draw& draw, Workers& workers, Counters& counters, const std::function<bool()>& run,
             const std::function<void(const Draw& plain)>& run_plain) {
  DrawCheck& check = draw_check();
  if (check.in_submission < check.expectations.size() && check.difference.empty()) {
    if (std::string other = check.expectations[check.in_submission](draw); !other.empty())
      check.difference = fmt::format("draw {}: {}", check.in_submission, other);
  }
  check.in_submission++;
  write_back(workers);
  oracle::Buffers expected = contents(draw);
  std::vector<std::array<oracle::Outputs, 16>> outputs;
  const std::vector<oracle::Fragment> fragments = oracle::record(draw, workers, draw.pixel_stage, &outputs, run_plain);
  const oracle::Counts counts = oracle::draw_fragments(
      draw, fragments, [&](size_t index, const oracle::Fragment&, unsigned sample) { return outputs[index][sample]; }, expected);
  // The draw itself goes the way that it would have gone.
  const Counters before = counters;
  const bool good = run();
  write_back(workers);
  check.draws++, check.fragments += fragments.size(), check.samples_passed += counts.samples_passed;
  if (!check.difference.empty()) return good;
  check.difference = difference(contents(draw), expected);
  const uint64_t passed = counters.samples_passed - before.samples_passed;
  if (check.difference.empty() && passed != counts.samples_passed)
    check.difference = fmt::format("{} samples passed, {} expected", passed, counts.samples_passed);
  if (!check.difference.empty()) check.difference = fmt::format("draw {}: {}", check.draws - 1, check.difference);
  return good;
}

}  // namespace Atoll::random_states

// NOLINTBEGIN: the linker's names of pipeline::run()
using namespace Atoll::pipeline;
extern "C" {
bool __real__ZN5Atoll8pipeline3runERKNS0_4DrawERNS0_7WorkersERNS0_8CountersERKSt6atomicIiEPS8_ImE(
    const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop, std::atomic<uint64_t>* progress);
bool __wrap__ZN5Atoll8pipeline3runERKNS0_4DrawERNS0_7WorkersERNS0_8CountersERKSt6atomicIiEPS8_ImE(
    const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  auto run = [&] {
    return __real__ZN5Atoll8pipeline3runERKNS0_4DrawERNS0_7WorkersERNS0_8CountersERKSt6atomicIiEPS8_ImE(draw, workers, counters,
                                                                                                        stop, progress);
  };
  return Atoll::random_states::draw_check().enabled ? Atoll::random_states::checked(draw, workers, counters, run) : run();
}
bool __real__ZN5Atoll8pipeline3runESt10unique_ptrINS0_11WaitingDrawESt14default_deleteIS2_EERNS0_7WorkersERKSt6atomicIiEPS8_ImE(
    std::unique_ptr<WaitingDraw> draw, Workers& workers, const std::atomic<int>& stop, std::atomic<uint64_t>* progress);
bool __wrap__ZN5Atoll8pipeline3runESt10unique_ptrINS0_11WaitingDrawESt14default_deleteIS2_EERNS0_7WorkersERKSt6atomicIiEPS8_ImE(
    std::unique_ptr<WaitingDraw> waiting, Workers& workers, const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  auto run = [&](std::unique_ptr<WaitingDraw> draw) {
    return __real__ZN5Atoll8pipeline3runESt10unique_ptrINS0_11WaitingDrawESt14default_deleteIS2_EERNS0_7WorkersERKSt6atomicIiEPS8_ImE(
        std::move(draw), workers, stop, progress);
  };
  if (!Atoll::random_states::draw_check().enabled) return run(std::move(waiting));
  Counters counters;
  const Draw draw = waiting->draw;
  auto counted = std::make_unique<Atoll::random_states::CountedDraw>(std::move(waiting), counters);
  return Atoll::random_states::checked(draw, workers, counters, [&] { return run(std::move(counted)); });
}
}
// NOLINTEND
