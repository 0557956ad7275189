// The end of a program in memory: RDNA4's longest instructions have three words (RDNA4 ISA 15, VBUFFER and others of 96 bits),
// and may stand over the end of a page, to which reading comes first.
#include <gtest/gtest.h>

#include <cstring>

#include "gpu/gfx12/shaders/shaders.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/parse.h"

namespace Atoll::gfx12::test {
namespace {

std::vector<uint32_t> words_of(std::string_view line) {
  std::vector<uint32_t> words;
  auto parsed = rdna4::parse(line, {64});
  EXPECT_TRUE(parsed) << line;
  auto encoded = rdna4::encode(parsed->main, {64});
  EXPECT_TRUE(encoded) << line;
  words.assign(encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
  return words;
}

TEST(Programs, InstructionsStandOverTheEndsOfPages) {
  const auto space = *AddressSpace::create();
  const Buffer memory = *space->allocate(4 * page_bytes, page_bytes);
  const std::vector<uint32_t> load = words_of("buffer_load_b128 v[0:3], v0, s[0:3], null idxen"), end = words_of("s_endpgm");
  ASSERT_EQ(load.size(), 3u);
  for (unsigned pages = 1; pages < 3; pages++)
    for (unsigned before = 0; before < 5; before++) {  // words between the load's first and the page's end
      SCOPED_TRACE(testing::Message() << before << " words before the end of " << pages << " pages");
      std::vector<uint32_t> program(pages * page_bytes / 4 - before, words_of("s_nop 0")[0]);
      program.insert(program.end(), load.begin(), load.end());
      program.insert(program.end(), end.begin(), end.end());
      std::memset(memory.host_pointer, 0xff, memory.bytes);
      std::memcpy(memory.host_pointer, program.data(), program.size() * 4);
      auto read = read_program(*space, memory.gpu_address, 64, 0);
      ASSERT_TRUE(read);
      EXPECT_EQ(read->words, program);
    }
}

}  // namespace
}  // namespace Atoll::gfx12::test
