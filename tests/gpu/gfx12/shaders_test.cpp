// Programs in memory: where they end.
#include "gpu/gfx12/shaders/shaders.h"

#include <gtest/gtest.h>

#include <cstring>

#include "gpu/gfx12/shaders/turns.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/parse.h"

namespace Atoll::gfx12 {
namespace {

std::vector<uint32_t> assemble(std::initializer_list<const char*> lines) {
  std::vector<uint32_t> words;
  for (const char* line : lines) {
    auto parsed = rdna4::parse(line, {64});
    EXPECT_TRUE(parsed) << line;
    if (!parsed) continue;
    auto encoded = rdna4::encode(parsed->main, {64});
    EXPECT_TRUE(encoded) << line;
    if (encoded) words.insert(words.end(), encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
  }
  return words;
}

class ShadersTest : public testing::Test {
protected:
  static constexpr uint64_t base = 0x10'0000'0000;
  ShadersTest() {
    const uint64_t bytes = 4 * page_bytes, offset = *space->memory().allocate(bytes);
    EXPECT_TRUE(space->map(base, offset, bytes));
    std::memset(space->host(base), 0xff, bytes);  // no instructions
  }
  ProgramWords read(const std::vector<uint32_t>& words, uint64_t at) {
    std::memcpy(space->host(at), words.data(), words.size() * 4);
    auto program = read_program(*space, at, 64, 1 << 16);
    EXPECT_TRUE(program);
    return program ? std::move(*program) : ProgramWords{};
  }
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
};

// However much of an instruction stands before a page's end.
TEST_F(ShadersTest, InstructionsCrossPages) {
  const auto words = assemble(
      {"s_mov_b32 s0, 0x12345678", "buffer_load_b128 v[8:11], v3, s[16:19], null idxen", "v_fma_f32 v1, v2, v3, 0x3f900000",
       "image_load v[4:7], [v0, v1], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D", "global_load_b32 v1, v2, s[2:3]", "s_endpgm"});
  for (unsigned before = 1; before <= words.size(); before++) {
    const ProgramWords program = read(words, base + page_bytes - before * 4);
    EXPECT_EQ(program.words, words) << before << " words before the page's end";
    EXPECT_FALSE(program.leaves);
  }
}

TEST_F(ShadersTest, BranchesReachOverEnds) {
  const auto words = assemble({"s_cbranch_scc0 1", "s_endpgm", "s_nop 0", "s_endpgm"});
  EXPECT_EQ(read(words, base).words, words);
}

TEST_F(ShadersTest, PrologsLeave) {
  const auto words = assemble({"v_mov_b32_e32 v1, v0", "s_setpc_b64 s[10:11]"});
  const ProgramWords program = read(words, base);
  EXPECT_EQ(program.words, words);
  EXPECT_TRUE(program.leaves);
  EXPECT_TRUE(program.is_prolog);
}

// The wait between what a wave reads of LDS behind a barrier and what it then writes there becomes a sleep; all else stays.
TEST(Turns, WavesReadBeforeOthersWrite) {
  const char *wait = "s_wait_dscnt 0x0", *barrier = "s_barrier_wait -1", *read = "ds_load_b32 v1, v0",
             *write = "ds_store_b8 v0, v2",
             *ordered = "global_atomic_ordered_add_b64 v[4:5], v0, v[2:3], s[0:1] th:TH_ATOMIC_RETURN",
             *nothing = "v_mov_b32 v3, v1", *end = "s_endpgm", *sleep = "s_sleep 1";
  auto turned = [](std::initializer_list<const char*> lines) { return with_turns(assemble(lines), 64); };
  EXPECT_EQ(turned({ordered, barrier, read, wait, nothing, write, end}),
            assemble({ordered, barrier, read, sleep, nothing, write, end}));
  EXPECT_EQ(turned({barrier, read, wait, wait, write, barrier, write, ordered, end}),
            assemble({barrier, read, sleep, wait, write, barrier, write, ordered, end}));
  for (auto lines : {std::initializer_list<const char*>{barrier, read, wait, write, end},  // it orders nothing
                     {ordered, barrier, read, wait, barrier, write, read, wait, end},      // a barrier stands between
                     {ordered, read, wait, write, end},
                     {ordered, barrier, wait, write, end},
                     {ordered, barrier, read, write, wait, end}})
    EXPECT_EQ(turned(lines), assemble(lines));
}

}  // namespace
}  // namespace Atoll::gfx12
