// A pixel shader of GFX12 without a driver: its program in memory, the registers that its state is found from, a stage that runs it.
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "gpu/chips/chip.h"
#include "gpu/gfx12/draw/pixel_stage.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/parse.h"
#include "pipeline/workers.h"

namespace Atoll::gfx12::test {

inline constexpr uint64_t code_page = 0x10'0000'0000;

inline uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

class PixelMachine {
public:
  explicit PixelMachine(gpu::Engine engine, unsigned threads = 1) : workers(threads) {
    options.engine = engine;
    const uint64_t bytes = 0x10000, offset = *space->memory().allocate(bytes);
    EXPECT_TRUE(space->map(code_page, offset, bytes));
    context = std::make_unique<ShaderContext>(*gpu::find_chip("gfx1201"), gpu::QueueKind::graphics, *space, options, stop);
    context->workers = &workers;
    context->shaders = std::make_shared<ShaderCache>(
        *space, engine == gpu::Engine::Jit ? wave::EngineChoice::Jit : wave::EngineChoice::Interpreter);
    set<SPI_SHADER_PGM_LO_PS>(uint32_t(code_page >> 8)), set<SPI_SHADER_PGM_HI_PS>(uint32_t(code_page >> 40));
    set<SPI_SHADER_PGM_RSRC1_PS>(63 | 0xc0 << 12);  // all VGPRs; denormals of halves alone, as drivers have it
    set<SPI_INTERP_CONTROL_0>(SPI_INTERP_CONTROL_0::FLAT_SHADE_ENA::of(1));
    set<SPI_SHADER_COL_FORMAT>(SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    set<CB_SHADER_MASK>(0xf);
  }
  template <class Register, class... Index>
  void set(uint32_t value, Index... index) {
    context->registers.set(Register::address(index...), value);
  }
  void assemble(const std::string& text, unsigned wave_size) {
    std::vector<uint32_t> words;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      auto parsed = rdna4::parse(line, {wave_size});
      ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
      auto encoded = rdna4::encode(parsed->main, {wave_size});
      ASSERT_TRUE(encoded) << line;
      words.insert(words.end(), encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
    }
    std::memset(space->host(code_page), 0, 0x10000);
    std::memcpy(space->host(code_page), words.data(), words.size() * 4);
    context->shaders->invalidate();
    const uint32_t control = context->registers.raw(SPI_PS_IN_CONTROL::address());
    set<SPI_PS_IN_CONTROL>(SPI_PS_IN_CONTROL::PS_W32_EN::set(control, wave_size == 32));
  }
  // A stage of the registers as they are.
  std::unique_ptr<PixelStage> stage(unsigned vertex_attributes = 0, const pipeline::Rasterization& raster = {}) {
    auto state = std::make_shared<PixelState>();
    EXPECT_TRUE(find_pixel_state(*context, raster, vertex_attributes, *state));
    reports = std::make_unique<gpu::Reports::Kept>(*context);
    environment = std::make_unique<QueueEnvironment>(*context);
    auto stage = std::make_unique<PixelStage>();
    stage->prepare(*context, *environment, *reports, state);
    return stage;
  }
  // One batch. Results are as the pipeline hands them to a stage. (GPU code runs on threads of Atoll's only.)
  bool shade(PixelStage& stage, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
    bool good = false;
    results.outputs = 0, results.unwritten.fill(0), results.halves.fill(nullptr);
    std::thread([&] { good = stage.shade(0, batch, results); }).join();
    return good;
  }

  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  std::atomic<int> stop{0};
  gpu::Options options;
  pipeline::Workers workers;
  std::unique_ptr<ShaderContext> context;
  std::unique_ptr<gpu::Reports::Kept> reports;
  std::unique_ptr<QueueEnvironment> environment;
};

// Quads of nothing, all lanes covered.
inline void begin_batch(pipeline::PixelBatch& batch, unsigned quads) {
  batch.quads = quads, batch.covered = quads == 16 ? ~uint64_t(0) : (uint64_t(1) << 4 * quads) - 1;
  batch.one_primitive = false, batch.segment = 0, batch.sample = 0, batch.pixel = 0;
  for (unsigned lane = 0; lane < pipeline::max_pixels; lane++) {
    batch.x[lane] = int(lane / 4 * 2 + lane % 2), batch.y[lane] = int(lane / 2 % 2);
    batch.coverage[lane] = 1;
  }
  for (auto& p : batch.primitive) p = {};
}

}  // namespace Atoll::gfx12::test
