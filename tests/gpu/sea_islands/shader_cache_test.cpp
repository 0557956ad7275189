// Programs that come and go: what is kept of them has a bound, those used last stay, and whoever holds one may run it on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "gpu/sea_islands/shaders/shaders.h"
#include "heap_bytes.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/isa.h"
#include "isa/gfx7/parse.h"
#include "isa/gfx7/registers.h"

namespace Atoll::sea_islands {
namespace {

void append(std::vector<uint32_t>& code, const std::string& line) {
  auto parsed = gfx7::parse(line);
  ASSERT_TRUE(parsed) << line;
  auto words = gfx7::encode(*parsed);
  ASSERT_TRUE(words) << line;
  code.insert(code.end(), words->dwords.begin(), words->dwords.begin() + words->count);
}

class ShaderCacheTest : public testing::Test {
protected:
  static constexpr uint64_t max_bytes = 512;  // of a program
  static constexpr uint32_t instructions = 40;

  ShaderCacheTest() {
    space = *AddressSpace::create();
    memory = *space->allocate(6000 * max_bytes, page_bytes);
    size_t bytes = (gfx7::register_file_end + 127) / 128 * 128;
    storage.reset(static_cast<uint8_t*>(std::aligned_alloc(128, bytes)));
    std::memset(storage.get(), 0, bytes);
  }

  // The program of that number: it adds it up and exports the sum.
  uint64_t put(uint32_t number) {
    std::vector<uint32_t> code;
    append(code, "v_mov_b32 v0, 0");
    for (uint32_t n = 0; n < instructions; n++) append(code, "v_add_i32 v0, vcc, " + std::to_string(number + 1000) + ", v0");
    append(code, "exp pos0 v0, off, off, off done");
    append(code, "s_endpgm");
    EXPECT_LE(code.size() * 4, max_bytes);
    std::memcpy(memory.host_pointer + number * max_bytes, code.data(), code.size() * 4);
    return memory.gpu_address + number * max_bytes;
  }
  // Lane 0's export.
  uint32_t run(const Shader& shader) {
    wave::Wave& w = *new (storage.get()) wave::Wave;
    w.lanes = 64;
    w.window = space->base(), w.window_bytes = space->size();
    w.stop_flag = &stop;
    wave::word_of(w, gfx7::scalar_cell(gfx7::EXEC_LO)) = ~0u;
    wave::word_of(w, gfx7::mode_cell) = gfx7::MODE_DEFAULT;
    w.pc = shader.address;
    shader.executor->run(w);
    EXPECT_EQ(w.stop, wave::Stop::End);
    return wave::word_of(w, gfx7::export_cell(gfx7::POS0, 0));
  }
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  std::unique_ptr<AddressSpace> space;
  Buffer memory;
  std::unique_ptr<uint8_t, Free> storage;
  std::atomic<int> stop{0};
};

TEST_F(ShaderCacheTest, ManyProgramsTakeNoMoreMemoryThanSome) {
  ShaderCache cache(*space, wave::EngineChoice::Interpreter);
  auto first = *cache.find(put(0));
  size_t after[2] = {};
  for (uint32_t n = 1; n < 6000; n++) {
    cache.invalidate();
    auto found = cache.find(put(n));
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(run(**found), instructions * (n + 1000));
    ASSERT_EQ(*cache.find(memory.gpu_address), first);  // used all the time: stays
    if (n == 2999) after[0] = heap_bytes();
    if (n == 5999) after[1] = heap_bytes();
  }
  EXPECT_LE(cache.programs(), gpu::ProgramLimits{}.programs);
  EXPECT_LT(after[1], after[0] + after[0] / 20);
}

TEST_F(ShaderCacheTest, LargeProgramsCountByTheirSize) {
  ShaderCache cache(*space, wave::EngineChoice::Interpreter, {.programs = 1000, .bytes = 400000});
  for (uint32_t n = 0; n < 300; n++) ASSERT_TRUE(cache.find(put(n)));
  size_t one = (*cache.find(memory.gpu_address))->bytes();
  EXPECT_LE(cache.programs(), 400000 / one + 1);
  EXPECT_GE(cache.programs(), 400000 / one / 2);
}

// Machine code and what belongs to it goes with its program, but not under whoever holds it.
TEST_F(ShaderCacheTest, CompiledProgramsGoAsAWhole) {
  ShaderCache cache(*space, wave::EngineChoice::Jit, {.programs = 50});
  auto held = cache.find(put(0));
  ASSERT_TRUE(held) << held.error().message;
  ASSERT_EQ(run(**held), instructions * 1000);
  size_t after[2] = {};
  for (uint32_t n = 1; n < 600; n++) {
    auto found = cache.find(put(n));
    ASSERT_TRUE(found);
    ASSERT_EQ(run(**found), instructions * (n + 1000));
    if (n == 299) after[0] = heap_bytes();
    if (n == 599) after[1] = heap_bytes();
  }
  EXPECT_LE(cache.programs(), 50u);
  EXPECT_LT(after[1], after[0] + after[0] / 10);
  EXPECT_EQ(run(**held), instructions * 1000);
  EXPECT_NE(*cache.find(memory.gpu_address), *held);  // made anew
}

// Programs of every length in pages that begin anywhere in one and end with the last that is mapped.
TEST_F(ShaderCacheTest, AProgramMayEndWhereMemoryDoes) {
  for (uint64_t pages = 1; pages < 12; pages++)
    for (uint64_t offset : {0u, 4u, 2048u, 4092u}) {
      Buffer mapped = *space->allocate(pages * page_bytes, page_bytes);
      std::vector<uint32_t> nop, end;
      append(nop, "s_nop 0"), append(end, "s_endpgm");
      const size_t words = size_t(pages * page_bytes / 4);
      auto* dwords = reinterpret_cast<uint32_t*>(mapped.host_pointer);
      std::fill_n(dwords, words, nop[0]);
      dwords[words - 1] = end[0];
      auto read = read_program(*space, mapped.gpu_address + offset, 0);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->words.size(), words - offset / 4) << pages << " pages, from " << offset;
      space->free(mapped);
    }
}

// A program is there until its executor has gone, whose end waits for compilations that read it.
TEST_F(ShaderCacheTest, AProgramStandsAsLongAsItsExecutor) {
  auto findings = std::make_shared<wave::Findings>();
  const std::weak_ptr<wave::Findings> held_by_executor = findings;
  bool ended = false;
  {
    Shader shader;
    append(shader.words, "s_endpgm");
    shader.program = {new wave::Program(gfx7::isa(), 0, shader.words), [&](const wave::Program* program) {
                        EXPECT_TRUE(held_by_executor.expired());
                        ended = true;
                        delete program;
                      }};
    ASSERT_TRUE(shader.make_executor(wave::EngineChoice::Interpreter, std::move(findings)));
    EXPECT_FALSE(held_by_executor.expired());
  }
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace Atoll::sea_islands
