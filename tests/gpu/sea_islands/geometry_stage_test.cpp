// The messages that are kept of a geometry shader's wave, and how many patches are in work at once.
#include "gpu/sea_islands/draw/geometry_stage.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "gpu/amd/images.h"
#include "gpu/sea_islands/draw/tessellation_stage.h"
#include "gpu/sea_islands/packets/context.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "pipeline/workers.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

constexpr uint8_t cut = 1, emit = 2, emit_and_cut = 3;

TEST(GeometryStage, MessagesForEverTakeNoMemory) {
  GeometryStage::GsMessages messages;
  messages.begin(64);
  for (unsigned n = 0; n < 100000; n++) {
    messages.add({~uint64_t(0), n % 2 ? emit : emit_and_cut, uint8_t(n / 7 % 4)}, 30);
    messages.add({uint64_t(1) << n % 64, cut, uint8_t(n % 4)}, 30);
    messages.add({~uint64_t(0), cut, 1}, 30);
  }
  // Each lane has at most 30 vertices and as many ends in each stream.
  EXPECT_LE(messages.events.size(), 4u * 64 * 30 * 2);
  for (auto& stream : messages.vertices)
    for (unsigned lane = 0; lane < 64; lane++) EXPECT_EQ(stream[lane], 30);
}

TEST(GeometryStage, MessagesThatCountAreKept) {
  GeometryStage::GsMessages messages;
  messages.begin(2);
  messages.add({3, cut, 0}, 2);  // nothing to end
  EXPECT_TRUE(messages.events.empty());
  messages.add({3, emit, 0}, 2);
  messages.add({1, cut, 0}, 2);
  messages.add({3, emit, 0}, 2);
  messages.add({3, emit, 0}, 2);          // no lane may
  messages.add({3, emit_and_cut, 0}, 2);  // but strips end
  messages.add({3, cut, 0}, 2);
  ASSERT_EQ(messages.events.size(), 4u);
  EXPECT_EQ(messages.events[3].lanes, 3u);
  messages.begin(2);
  EXPECT_TRUE(messages.events.empty());
  messages.add({1, emit, 0}, 2);
  EXPECT_EQ(messages.events.size(), 1u);
}

// A patch may become thousands of triangles: what is kept of those in work has a bound.
TEST(TessellationStage, NotTooManyPatchesAtOnce) {
  auto space = *AddressSpace::create();
  Buffer program = *space->allocate(4096, 4096);
  uint32_t s_endpgm = 0xbf810000;
  std::memcpy(program.host_pointer, &s_endpgm, 4);
  gpu::Options options;
  std::atomic<int> stop{0};
  Context c(*gpu::find_chip("bonaire"), gpu::QueueKind::graphics, *space, options, stop);
  c.shaders = std::make_shared<ShaderCache>(*space, wave::EngineChoice::Interpreter);
  for (uint32_t low : {SPI_SHADER_PGM_LO_LS::address(), SPI_SHADER_PGM_LO_HS::address()}) {
    c.registers.set(low, uint32_t(program.gpu_address >> 8));
    c.registers.set(low + 4, uint32_t(program.gpu_address >> 40));
  }
  c.registers.set(VGT_HS_OFFCHIP_PARAM::address(), VGT_HS_OFFCHIP_PARAM::OFFCHIP_BUFFERING::of(0x1ff));
  c.registers.set(VGT_TF_RING_SIZE::address(), VGT_TF_RING_SIZE::SIZE::of(0xffff));
  for (uint32_t patches : {1u, 40u, 255u}) {
    using Config = VGT_LS_HS_CONFIG;
    c.registers.set(Config::address(),
                    Config::NUM_PATCHES::of(patches) | Config::HS_NUM_INPUT_CP::of(3) | Config::HS_NUM_OUTPUT_CP::of(3));
    TessellationStage stage;
    ASSERT_TRUE(stage.prepare(c, StageSelection{})) << c.report();
    EXPECT_LE(stage.max_patches(), 1024u);
    EXPECT_GE(stage.max_patches(), 32u);
  }
}

// Factors that are above zero are held between the registers' bounds: as if the program had left the bound.
TEST(TessellationStage, FactorsBetweenTheirBounds) {
  auto space = *AddressSpace::create();
  Buffer program = *space->allocate(4096, 4096), factors = *space->allocate(4096, 4096);
  const uint32_t s_endpgm = 0xbf810000;
  std::memcpy(program.host_pointer, &s_endpgm, 4);
  gpu::Options options;
  std::atomic<int> stop{0};
  Context c(*gpu::find_chip("bonaire"), gpu::QueueKind::graphics, *space, options, stop);
  c.shaders = std::make_shared<ShaderCache>(*space, wave::EngineChoice::Interpreter);
  pipeline::Workers workers(1);
  c.workers = &workers;
  for (uint32_t low : {SPI_SHADER_PGM_LO_LS::address(), SPI_SHADER_PGM_LO_HS::address()}) {
    c.registers.set(low, uint32_t(program.gpu_address >> 8));
    c.registers.set(low + 4, uint32_t(program.gpu_address >> 40));
  }
  c.registers.set(VGT_HS_OFFCHIP_PARAM::address(), VGT_HS_OFFCHIP_PARAM::OFFCHIP_BUFFERING::of(1));
  c.registers.set(VGT_TF_RING_SIZE::address(), VGT_TF_RING_SIZE::SIZE::of(0xffff));
  c.registers.set(VGT_TF_MEMORY_BASE::address(), uint32_t(factors.gpu_address >> 8));
  c.registers.set(VGT_TF_PARAM::address(), VGT_TF_PARAM::TYPE::of(2) | VGT_TF_PARAM::TOPOLOGY::of(2));  // quads, triangles
  using Config = VGT_LS_HS_CONFIG;
  c.registers.set(Config::address(),
                  Config::NUM_PATCHES::of(1) | Config::HS_NUM_INPUT_CP::of(3) | Config::HS_NUM_OUTPUT_CP::of(3));
  auto triangles = [&](float factor, float least, float most) -> size_t {
    c.registers.set(VGT_HOS_MIN_TESS_LEVEL::address(), std::bit_cast<uint32_t>(least));
    c.registers.set(VGT_HOS_MAX_TESS_LEVEL::address(), std::bit_cast<uint32_t>(most));
    for (unsigned n = 0; n < 6; n++) std::memcpy(factors.host_pointer + n * 4, &factor, 4);
    TessellationStage stage;
    const uint32_t numbers[] = {0, 1, 2};
    std::vector<TessellatedGroup> groups;
    if (!stage.prepare(c, StageSelection{}) || !stage.run(numbers, 0, 0, groups)) {
      ADD_FAILURE() << c.report();
      return 0;
    }
    return groups[0].primitives.identifier.size();
  };
  for (float factor : {-1.0f, 0.0f, NAN, 0.5f, 1.0f, 3.0f, 5.0f, 17.0f, 60.0f})
    for (float least : {0.0f, 1.0f, 4.0f, 16.0f})
      for (float most : {64.0f, 20.0f, 6.0f}) {
        const float held = factor > 0 ? std::min(std::max(factor, least), most) : factor;
        const size_t got = triangles(factor, least, most);
        EXPECT_EQ(got, triangles(held, 0, 64)) << factor << " between " << least << " and " << most;
        const auto whole = size_t(std::ceil(held));  // of a side, each square two triangles
        EXPECT_EQ(got, held > 0 ? 2 * whole * whole : 0) << factor << " between " << least << " and " << most;
      }
}

}  // namespace
}  // namespace Atoll::sea_islands
