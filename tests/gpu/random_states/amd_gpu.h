// The chip that random states of Sea Islands and GFX12 are drawn on, as far as both have it alike: memory, what targets hold before,
// programs, and the state of a draw's pixels.
#pragma once
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "amd_shaders.h"
#include "amd_states.h"
#include "random_draws.h"
#include "random_gpu.h"

namespace Atoll::random_states {

// States: what amd_states.h asks of a family; Words: its stream.
template <class States, class Words>
class AmdGpu : public RandomGpu {
public:
  std::vector<Range> targets() const override {
    std::vector<Range> all;
    for (unsigned n = 0; n < surfaces_.targets; n++)
      all.push_back({fmt::format("colour {}", n), bytes_of(colour_[n], surfaces_.colour[n].bytes)});
    all.push_back({"depth", bytes_of(depth_, 4)});
    all.push_back({"stencil", bytes_of(stencil_, 1)});
    return all;
  }
  gpu::Statistics statistics() const override { return queue_->statistics(); }

protected:
  static constexpr unsigned max_draws = 6, vertex_bytes = 4096, program_bytes = 2048;

  explicit AmdGpu(std::unique_ptr<gpu::Device> device) : space_(*AddressSpace::create()), device_(std::move(device)) {
    queue_ = *device_->make_queue(gpu::QueueKind::graphics, *space_);
    for (Buffer& colour : colour_) colour = allocate_blocks(side * side * 16 * 8);
    depth_ = allocate_blocks(side * side * 4 * 8);
    stencil_ = allocate_blocks(side * side * 8);
    vertices_ = *space_->allocate(max_draws * vertex_bytes, 4096);
    programs_ = *space_->allocate((max_draws + 1) * program_bytes, 4096);
    commands_ = *space_->allocate(1 << 18, 4096);
    counter_ = *space_->allocate(4096, 4096);
  }

  // From a multiple of 64 KiB on: the largest blocks of surfaces here, and what GFX12's register of the attribute ring counts.
  Buffer allocate_blocks(size_t bytes) {
    Buffer buffer = *space_->allocate(bytes + 0x10000, 4096);
    const uint64_t left_out = -buffer.gpu_address & 0xffff;
    buffer.gpu_address += left_out, buffer.host_pointer += left_out;
    return buffer;
  }
  std::span<uint8_t> bytes_of(const Buffer& buffer, unsigned texel_bytes) const {
    return {buffer.host_pointer, size_t(side) * side * texel_bytes << surfaces_.log_samples};
  }
  // The targets' contents before the state's draws.
  void fill_targets(Random& r, uint64_t seed) {
    Random content(seed ^ 0x5ca1ab1e);
    for (unsigned n = 0; n < surfaces_.targets; n++)
      fill(content, bytes_of(colour_[n], surfaces_.colour[n].bytes), surfaces_.colour[n].content);
    fill_depths(r, content, bytes_of(depth_, 4), bytes_of(stencil_, 1), surfaces_.depth_format);
  }
  // Program n's address. `encode`: the words of a line, or why there are none.
  template <class Encode>
  uint64_t put_program(unsigned n, const Lines& lines, Encode encode) {
    std::vector<uint32_t> words;
    for (const std::string& line : lines) {
      const auto encoded = encode(line);
      if (!encoded) {
        fmt::print(stderr, "{}: {}\n", line, encoded.error().message);
        std::abort();
      }
      words.insert(words.end(), encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
    }
    std::memset(programs_.host_pointer + n * program_bytes, 0, program_bytes);
    std::memcpy(programs_.host_pointer + n * program_bytes, words.data(), words.size() * 4);
    return programs_.gpu_address + n * program_bytes;
  }
  // The registers of draw n's pixels, but for the shader's own.
  PixelShader random_pixels(Random& r, unsigned n) {
    const bool dual_source = random_blending<States>(r, surfaces_, stream_);
    PixelShader shader = random_shader<States>(r, surfaces_, dual_source);
    random_depth_stencil<States>(r, surfaces_, shader, stream_);
    random_inputs<States>(r, stream_);
    random_rasterization<States>(r, surfaces_, stream_);
    text_ += fmt::format("pixel shader of draw {}\n", n);
    for (const std::string& line : shader.lines) text_ += "    " + line + "\n";
    return shader;
  }
  // Executes the stream.
  Expected<void> run_stream() {
    std::memcpy(commands_.host_pointer, stream_.data(), stream_.size() * 4);
    const gpu::CommandBuffer commands{commands_.gpu_address, uint32_t(stream_.size())};
    return queue_->run(std::span(&commands, 1));
  }

  std::unique_ptr<AddressSpace> space_;
  std::unique_ptr<gpu::Device> device_;
  std::unique_ptr<gpu::Queue> queue_;
  Buffer colour_[max_targets], depth_, stencil_, vertices_, programs_, commands_, counter_;
  Surfaces surfaces_;
  Words stream_;
  std::string text_;
};

}  // namespace Atoll::random_states
