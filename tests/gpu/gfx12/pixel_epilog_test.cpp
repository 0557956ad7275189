// Pixel shaders that go on to an epilog, which exports for them: RADV has those where the targets' formats are known late.
#include "pixel_machine.h"

namespace Atoll::gfx12::test {
namespace {

class PixelEpilogTest : public testing::TestWithParam<gpu::Engine> {};
INSTANTIATE_TEST_SUITE_P(Engines, PixelEpilogTest, testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit),
                         [](const auto& info) { return std::string(wave::name_of(info.param)); });

std::vector<uint32_t> words_of(std::initializer_list<const char*> lines, unsigned lanes) {
  std::vector<uint32_t> words;
  for (const char* line : lines) {
    auto parsed = rdna4::parse(line, {lanes});
    EXPECT_TRUE(parsed) << line;
    if (!parsed) continue;
    auto encoded = rdna4::encode(parsed->main, {lanes});
    EXPECT_TRUE(encoded) << line;
    if (encoded) words.insert(words.end(), encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
  }
  return words;
}

TEST_P(PixelEpilogTest, ExportsWhatTheProgramLeaves) {
  for (unsigned lanes : {32u, 64u}) {
    PixelMachine machine(GetParam());
    machine.set<SPI_SHADER_PGM_RSRC2_PS>(SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(4));
    machine.set<SPI_SHADER_COL_FORMAT>(SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR | SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR << 4);
    machine.set<CB_SHADER_MASK>(0xff);
    machine.assemble("v_mov_b32_e32 v0, 0x3e800000\nv_mov_b32_e32 v1, 0.5\ns_setpc_b64 s[2:3]\n", lanes);
    const uint64_t epilog = code_page + 0x4000;
    const auto words =
        words_of({"export mrt0 v0, v1, v1, v0", "v_mov_b32_e32 v2, 1.0", "export mrt1 v2, v0, off, v1 done", "s_endpgm"}, lanes);
    std::memcpy(machine.space->host(epilog), words.data(), words.size() * 4);
    machine.set<SPI_SHADER_USER_DATA_PS>(uint32_t(epilog), 2), machine.set<SPI_SHADER_USER_DATA_PS>(uint32_t(epilog >> 32), 3);
    auto stage = machine.stage();
    auto batch = std::make_unique<pipeline::PixelBatch>();
    auto results = std::make_unique<pipeline::PixelResults>();
    // The second time as after any other wave.
    for (unsigned twice = 0; twice < 2; twice++) {
      begin_batch(*batch, lanes / 4);
      ASSERT_TRUE(machine.shade(*stage, *batch, *results)) << machine.context->report();
      EXPECT_EQ(results->outputs, 3);
      EXPECT_EQ(results->killed, 0u);
      for (unsigned lane = 0; lane < lanes; lane++) {
        const float expected[2][4] = {{0.25f, 0.5f, 0.5f, 0.25f}, {1, 0.25f, 0, 0.5f}};
        for (unsigned n = 0; n < 2; n++)
          for (unsigned c = 0; c < 4; c++)
            ASSERT_EQ(results->colour[n][c][lane], bits(expected[n][c])) << lane << " output " << n << " component " << c;
      }
    }
    EXPECT_TRUE(machine.context->unknowns().empty());
  }
}

}  // namespace
}  // namespace Atoll::gfx12::test
