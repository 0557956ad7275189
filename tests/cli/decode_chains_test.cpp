// decode of recordings whose buffers chain to each other: a chain takes no stack, and one that comes back to itself ends.
#include "cli/cli.h"
#include "memory/memory_file.h"
#include "trace/writer.h"

namespace Atoll {
namespace {

using trace::Kind;

class DecodeChains : public Cli {
protected:
  static constexpr uint64_t address = 0x100000;

  static trace::Bytes numbers(std::initializer_list<uint64_t> values) {
    trace::Bytes bytes;
    for (uint64_t value : values) bytes.number(value);
    return bytes;
  }
  // A submission of the first four of the dwords.
  void record(std::vector<uint32_t> words) {
    auto writer = *trace::Writer::create(path("recording"));
    uint64_t pages = (words.size() * 4 + page_bytes - 1) / page_bytes;
    words.resize(pages * page_bytes / 4);
    trace::Bytes name, content = numbers({1, pages});
    name.text("bonaire");
    content.raw(words.data(), words.size() * 4);
    writer->record(Kind::device, name);
    writer->record(Kind::space, numbers({0, uint64_t(1) << 32}));
    writer->record(Kind::map, numbers({0, address, page_bytes, pages * page_bytes, 1}));
    writer->record(Kind::queue, numbers({0, 0, 0}));
    writer->record(Kind::pages, content);
    writer->record(Kind::submit, numbers({0, 1, address, 4, 0}));
    ASSERT_TRUE(writer->flush());
  }
  static void chain_to(std::vector<uint32_t>& words, uint64_t link, uint32_t dwords = 4) {
    words.insert(words.end(), {0xc0023f00, uint32_t(address + link * 16), 0, dwords | 1u << 20});
  }
  size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) found++;
    return found;
  }
};

TEST_F(DecodeChains, ALongOne) {
  constexpr uint32_t links = 50'000;
  std::vector<uint32_t> words;
  for (uint32_t link = 1; link <= links; link++) chain_to(words, link);
  words.insert(words.end(), 4, 0x80000000);
  record(words);
  auto r = atoll("decode " + path("recording"));
  EXPECT_EQ(count(r.out, "INDIRECT_BUFFER"), links);
  EXPECT_EQ(count(r.out, "PACKET2"), 4u);
  EXPECT_EQ(r.err.find("calls itself"), r.err.npos) << r.err;
}

TEST_F(DecodeChains, OneThatComesBack) {
  std::vector<uint32_t> words;
  for (uint32_t link : {1, 2, 1}) chain_to(words, link);
  record(words);
  auto r = atoll("decode " + path("recording"));
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(count(r.out, "INDIRECT_BUFFER"), 3u);
  EXPECT_NE(r.err.find("the buffer at 0x100010 calls itself"), r.err.npos) << r.err;
}

}  // namespace
}  // namespace Atoll
