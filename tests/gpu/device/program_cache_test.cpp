// The programs that are kept, and for how long. Here they are nothing but words: up to a 0, in GPU memory.
#include "gpu/device/program_cache.h"

#include <gtest/gtest.h>

#include <thread>

namespace Atoll::gpu {
namespace {

constexpr uint64_t address = 0x10'0000;  // of the memory
constexpr size_t program_words = 64;     // from one program's first word to the next one's

struct Words {
  std::vector<uint32_t> words;
  uint64_t at = 0;
  double compile_seconds() const { return double(words[0]); }
  uint64_t instructions_compiled() const { return words.size(); }
  void wait_for_compilation() { waited = true; }
  size_t bytes() const { return words.size() * 4; }
  bool waited = false;
};

struct WordsSource {
  using Key = uint64_t;
  using Less = std::less<>;
  using Program = Words;
  AddressSpace* space;
  int* made;

  Expected<std::shared_ptr<Words>> make(uint64_t at) const {
    auto words = read_words(*space, at, 1 << 20, "a program",
                            [](std::span<const uint32_t> code) { return size_t(std::ranges::find(code, 0u) - code.begin()); });
    if (!words) return std::unexpected(words.error());
    ++*made;
    return std::make_shared<Words>(Words{std::move(*words), at});
  }
  bool is_current(const Words& program) const { return holds_words(*space, program.at, program.words); }
};

struct ProgramCacheTest : testing::Test {
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  uint32_t* memory = nullptr;
  int made = 0;

  ProgramCacheTest() {
    auto offset = space->memory().allocate(16 * page_bytes);
    EXPECT_TRUE(offset && space->map(address, *offset, 16 * page_bytes));
    memory = reinterpret_cast<uint32_t*>(space->host(address));
  }
  // Program `n`: `count` words of that value.
  uint64_t put(uint32_t n, uint32_t value, uint32_t count = 4) {
    std::fill_n(memory + n * program_words, count, value);
    memory[n * program_words + count] = 0;
    return address + n * program_words * 4;
  }
  static uint64_t place(uint32_t n) { return address + n * program_words * 4; }
};

using Cache = ProgramCache<WordsSource>;

TEST_F(ProgramCacheTest, AProgramIsMadeOnce) {
  Cache cache({space.get(), &made});
  auto first = cache.find(put(0, 7));
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)->words, std::vector<uint32_t>(4, 7));
  EXPECT_EQ(*cache.find(place(0)), *first);
  EXPECT_EQ(made, 1);
  EXPECT_NE(*cache.find(put(1, 7)), *first) << "the same words elsewhere are another program";
}

// Nothing is compared with memory between two invalidations. After one, those alone are made anew whose words have changed.
TEST_F(ProgramCacheTest, WhatIsWrittenOverIsMadeAnewOnceItIsInvalidated) {
  Cache cache({space.get(), &made});
  std::vector<std::shared_ptr<Words>> before;
  for (uint32_t n = 0; n < 5; n++) before.push_back(*cache.find(put(n, n + 1)));
  memory[2 * program_words + 3] = 99;   // the last word of the third
  memory[3 * program_words + 10] = 99;  // behind the end of the fourth
  put(4, 5);                            // the same again
  EXPECT_EQ(*cache.find(place(2)), before[2]);
  const uint64_t invalidations = cache.invalidations();
  cache.invalidate();
  EXPECT_NE(cache.invalidations(), invalidations);
  for (uint32_t n = 0; n < 5; n++) EXPECT_EQ(*cache.find(place(n)) == before[n], n != 2) << n;
  EXPECT_EQ((*cache.find(place(2)))->words[3], 99u);
  EXPECT_EQ(before[2]->words[3], 3u) << "whoever runs it still has it";
  EXPECT_EQ(made, 6);
  EXPECT_EQ(cache.programs(), 5u);
}

TEST_F(ProgramCacheTest, ThoseNotUsedForLongestGoFirst) {
  Cache cache({space.get(), &made}, {.programs = 3});
  for (uint32_t n = 0; n < 3; n++) ASSERT_TRUE(cache.find(put(n, n + 1)));
  ASSERT_TRUE(cache.find(place(0)));
  ASSERT_TRUE(cache.find(put(3, 4)));  // 1 goes
  ASSERT_TRUE(cache.find(put(4, 5)));  // 2 goes
  EXPECT_EQ(cache.programs(), 3u);
  EXPECT_EQ(made, 5);
  for (uint32_t n : {0u, 3u, 4u}) ASSERT_TRUE(cache.find(place(n)));
  EXPECT_EQ(made, 5);
  ASSERT_TRUE(cache.find(place(1)));
  EXPECT_EQ(made, 6);
}

TEST_F(ProgramCacheTest, ManyGoForOneWhereTheyAreLarge) {
  Cache cache({space.get(), &made}, {.programs = 100, .bytes = 64});
  for (uint32_t n = 0; n < 5; n++) ASSERT_TRUE(cache.find(put(n, n + 1, 4)));  // 16 bytes each: the fifth finds 64 and stays
  EXPECT_EQ(cache.programs(), 5u);
  ASSERT_TRUE(cache.find(put(5, 6, 60)));  // finds 80: the first goes
  EXPECT_EQ(cache.programs(), 5u);
  ASSERT_TRUE(cache.find(put(6, 7, 4)));  // finds 304: all but the large one and more go
  EXPECT_EQ(cache.programs(), 1u);
}

// The cost of programs that were dropped is still counted.
TEST_F(ProgramCacheTest, CountsThoseThatWentToo) {
  Cache cache({space.get(), &made}, {.programs = 2});
  for (uint32_t n = 0; n < 4; n++) ASSERT_TRUE(cache.find(put(n, n + 1, n + 2)));
  memory[3 * program_words] = 8;
  cache.invalidate();
  ASSERT_TRUE(cache.find(place(3)));
  EXPECT_EQ(cache.programs(), 2u);
  EXPECT_EQ(cache.compile_seconds(), 1 + 2 + 3 + 4 + 8);
  EXPECT_EQ(cache.instructions_compiled(), 2u + 3 + 4 + 5 + 5);
}

TEST_F(ProgramCacheTest, WaitsForAllThatItKeeps) {
  Cache cache({space.get(), &made}, {.programs = 2});
  std::vector<std::shared_ptr<Words>> all;
  for (uint32_t n = 0; n < 3; n++) all.push_back(*cache.find(put(n, n + 1)));
  cache.wait_for_compilation();
  EXPECT_FALSE(all[0]->waited);
  EXPECT_TRUE(all[1]->waited && all[2]->waited);
}

TEST_F(ProgramCacheTest, WhereNothingIsMappedThereIsNone) {
  Cache cache({space.get(), &made});
  EXPECT_FALSE(cache.find(address - 64));
  EXPECT_EQ(cache.programs(), 0u);
  auto found = cache.find(put(0, 1));
  ASSERT_TRUE(found);
  space->unmap(address, 16 * page_bytes);
  cache.invalidate();
  EXPECT_FALSE(cache.find(address));
  EXPECT_EQ(cache.programs(), 0u);
  EXPECT_EQ((*found)->words[0], 1u);
}

// Threads that ask for the same program at once get the same.
TEST_F(ProgramCacheTest, IsForManyThreads) {
  Cache cache({space.get(), &made}, {.programs = 8});
  for (uint32_t n = 0; n < 16; n++) put(n, n + 1);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; t++)
    threads.emplace_back([&, t] {
      for (uint32_t n = 0; n < 2000; n++) {
        const uint32_t which = (n * 7 + t) % 16;
        auto found = cache.find(place(which));
        wrong += !found || (*found)->words != std::vector<uint32_t>(4, which + 1);
        if (n % 50 == t) cache.invalidate();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cache.programs(), 8u);
}

}  // namespace
}  // namespace Atoll::gpu
