// The MessagePack reader, against values packed by msgpack-cxx and against damaged ones.
#include "codeobject/message_pack.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <msgpack.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace Atoll {
namespace {

template <class T>
std::vector<uint8_t> packed(const T& value) {
  msgpack::sbuffer buffer;
  msgpack::pack(buffer, value);
  return {buffer.data(), buffer.data() + buffer.size()};
}

template <class T>
void expect_number(T value) {
  auto bytes = packed(value);
  auto read = read_message_pack(bytes);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->is_number_integer());
  EXPECT_EQ(read->template get<int64_t>(), value);
  EXPECT_EQ(unsigned_of(*read).has_value(), value >= 0);
  EXPECT_EQ(unsigned_of(*read).value_or(uint64_t(value)), uint64_t(value));
}

TEST(MessagePack, Numbers) {
  for (int64_t v : {0L,  1L,   127L, 128L,  255L,  256L,    65535L,  65536L,       0xffffffffL,  0x100000000L, INT64_MAX,
                    -1L, -32L, -33L, -128L, -129L, -32768L, -32769L, -2147483648L, -2147483649L, INT64_MIN})
    expect_number(v);
  auto most = read_message_pack(packed(UINT64_MAX));
  EXPECT_EQ(unsigned_of(*most), UINT64_MAX);
  for (double d : {0.0, 1.5, -3.25e100})
    EXPECT_EQ(std::bit_cast<uint64_t>(read_message_pack(packed(d))->get<double>()), std::bit_cast<uint64_t>(d));
  EXPECT_EQ(read_message_pack(packed(1.5f))->get<double>(), 1.5);
  EXPECT_FALSE(unsigned_of(*read_message_pack(packed(1.5f))));
  EXPECT_TRUE(read_message_pack(packed(true))->get<bool>());
  EXPECT_FALSE(read_message_pack(packed(false))->get<bool>());
  // int 8 and int 16 holding positive values count as unsigned
  EXPECT_EQ(unsigned_of(*read_message_pack(std::vector<uint8_t>{0xd0, 5})), 5u);
  EXPECT_EQ(unsigned_of(*read_message_pack(std::vector<uint8_t>{0xd1, 0x01, 0x00})), 256u);
}

TEST(MessagePack, TextsOfAllLengths) {
  for (size_t length : {0, 1, 31, 32, 255, 256, 65535, 65536}) {
    std::string text(length, 'x');
    auto bytes = packed(text);
    auto read = read_message_pack(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->get<std::string>(), text);
  }
}

TEST(MessagePack, ArraysAndMaps) {
  for (size_t length : {0, 1, 15, 16, 65535, 65536}) {
    std::vector<int> numbers(length, 300);
    auto bytes = packed(numbers);
    auto read = read_message_pack(bytes);
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->is_array());
    EXPECT_EQ(read->size(), length);
  }
  std::map<std::string, std::map<std::string, int>> map{{"a", {{"x", 1}, {"y", 2}}}, {"b", {}}};
  auto bytes = packed(map);
  auto read = read_message_pack(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(unsigned_of(read->at("a").at("y")), 2u);
  EXPECT_TRUE(read->at("b").is_object());
  EXPECT_FALSE(read->contains("c"));
}

TEST(MessagePack, EveryTruncationIsRefused) {
  std::map<std::string, std::vector<uint64_t>> map{{"one", {1, 1000, 100000, UINT64_MAX}}, {std::string(300, 'k'), {}}};
  auto bytes = packed(map);
  ASSERT_TRUE(read_message_pack(bytes));
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(read_message_pack(std::span(bytes).first(length))) << length;
}

TEST(MessagePack, LimitsAndLeftovers) {
  EXPECT_TRUE(read_message_pack(std::vector<uint8_t>{1, 0, 0, 0}));  // padding
  EXPECT_FALSE(read_message_pack(std::vector<uint8_t>{1, 0, 1}));
  EXPECT_FALSE(read_message_pack(std::vector<uint8_t>{0xc1}));
  EXPECT_FALSE(read_message_pack(std::vector<uint8_t>{0xdd, 0xff, 0xff, 0xff, 0xff, 1}));  // 4 G elements
  EXPECT_FALSE(read_message_pack(std::vector<uint8_t>{0xdf, 0xff, 0xff, 0xff, 0xff, 1}));
  EXPECT_FALSE(read_message_pack(std::vector<uint8_t>{0xdb, 0xff, 0xff, 0xff, 0xff, 1}));  // a text of 4 GB
  EXPECT_FALSE(read_message_pack(std::vector<uint8_t>{0xc9, 0xff, 0xff, 0xff, 0xff, 1}));
  EXPECT_FALSE(read_message_pack(std::vector<uint8_t>{0x81, 1, 2}));         // a key that is no text
  EXPECT_FALSE(read_message_pack(std::vector<uint8_t>(100'000'000, 0x91)));  // nested endlessly
  EXPECT_FALSE(read_message_pack(std::vector<uint8_t>(100'000'000, 0x81)));
  std::vector<uint8_t> deep(16, 0x91);
  deep.push_back(0x90);
  EXPECT_FALSE(read_message_pack(deep));
  EXPECT_TRUE(read_message_pack(std::span(deep).subspan(1)));
  // Every error has words.
  for (uint8_t first = 0x80; first != 0; first++)
    if (auto read = read_message_pack(std::vector<uint8_t>{first}); !read) EXPECT_NE(read.error().message, "");
}

}  // namespace
}  // namespace Atoll
