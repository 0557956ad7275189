// Programs' words copied out of GPU memory, also when that goes away meanwhile.
#include "gpu/device/program_words.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace Atoll::gpu {
namespace {

constexpr uint64_t address = 0x10'0000, page_words = page_bytes / 4, all_words = 8 * page_words;
constexpr uint32_t end_word = 0xe000'000d;

// Eight pages whose words count; the program at `address` + 8 ends with `end_word`.
struct Code {
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  uint32_t* words;
  explicit Code(size_t end) {
    auto offset = space->memory().allocate(8 * page_bytes);
    EXPECT_TRUE(offset && space->map(address, *offset, 8 * page_bytes));
    words = reinterpret_cast<uint32_t*>(space->host(address));
    for (uint32_t n = 0; n < all_words; n++) words[n] = n;
    words[end] = end_word;
  }
  // As another thread's unmapping does it, between the question whether it is mapped and the reading.
  void take_away(unsigned page) { EXPECT_EQ(::mprotect(space->host(address + page * page_bytes), page_bytes, PROT_NONE), 0); }
  Expected<std::vector<uint32_t>> read(size_t most = 1 << 20) const {
    return read_words(*space, address + 8, most, "a kernel", [](std::span<const uint32_t> code) {
      for (size_t n = 0; n < code.size(); n++)
        if (code[n] == end_word) return n + 1;
      return code.size();
    });
  }
};

TEST(ProgramWords, AreReadUpToTheProgramsEndOverAsManyPagesAsItTakes) {
  for (size_t end : {size_t(5), page_words + 3, 6 * page_words, all_words - 1}) {
    Code code(end);
    auto words = code.read();
    ASSERT_TRUE(words);
    EXPECT_EQ(words->size(), end - 1);
    EXPECT_EQ(words->front(), 2u);
    EXPECT_EQ(words->back(), end_word);
    EXPECT_TRUE(holds_words(*code.space, address + 8, *words));
    code.words[end] = 0;
    EXPECT_FALSE(holds_words(*code.space, address + 8, *words));
    // One without an end goes on to where nothing is mapped.
    EXPECT_EQ(code.read()->size(), all_words - 2);
  }
}

TEST(ProgramWords, WhoseMemoryGoesWhileTheyAreReadAreAnError) {
  Code code(5 * page_words);
  auto words = code.read();
  ASSERT_TRUE(words);
  code.take_away(3);
  auto again = code.read();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "a kernel at 0x100008, where nothing is mapped");
  EXPECT_FALSE(holds_words(*code.space, address + 8, *words));
  uint32_t some[4];
  EXPECT_FALSE(copy_words(*code.space, address + 3 * page_bytes, some));
  EXPECT_TRUE(copy_words(*code.space, address + 4 * page_bytes, some));
  EXPECT_EQ(some[0], 4 * page_words);
}

}  // namespace
}  // namespace Atoll::gpu
