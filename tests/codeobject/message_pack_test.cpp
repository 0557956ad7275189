// The MessagePack reader, against values packed by msgpack-cxx and against damaged ones.
#include "codeobject/message_pack.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <msgpack.hpp>
#include <string>

namespace Atoll {
namespace {

using Kind = MessagePack::Kind;

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
  EXPECT_EQ(read->kind, value < 0 ? Kind::Negative : Kind::Unsigned);
  EXPECT_EQ(read->number, uint64_t(value));
  EXPECT_EQ(read->as_unsigned().has_value(), value >= 0);
}

TEST(MessagePack, Numbers) {
  for (int64_t v : {0L,  1L,   127L, 128L,  255L,  256L,    65535L,  65536L,       0xffffffffL,  0x100000000L, INT64_MAX,
                    -1L, -32L, -33L, -128L, -129L, -32768L, -32769L, -2147483648L, -2147483649L, INT64_MIN})
    expect_number(v);
  auto most = read_message_pack(packed(UINT64_MAX));
  EXPECT_EQ(most->as_unsigned(), UINT64_MAX);
  for (double d : {0.0, 1.5, -3.25e100}) EXPECT_EQ(read_message_pack(packed(d))->number, std::bit_cast<uint64_t>(d));
  EXPECT_EQ(read_message_pack(packed(1.5f))->number, std::bit_cast<uint64_t>(1.5));
  EXPECT_EQ(read_message_pack(packed(true))->as_boolean(), true);
  EXPECT_EQ(read_message_pack(packed(false))->as_boolean(), false);
  // int 8 and int 16 holding positive values count as unsigned
  EXPECT_EQ(read_message_pack(std::vector<uint8_t>{0xd0, 5})->as_unsigned(), 5u);
  EXPECT_EQ(read_message_pack(std::vector<uint8_t>{0xd1, 0x01, 0x00})->as_unsigned(), 256u);
}

TEST(MessagePack, TextsOfAllLengths) {
  for (size_t length : {0, 1, 31, 32, 255, 256, 65535, 65536}) {
    std::string text(length, 'x');
    auto bytes = packed(text);
    auto read = read_message_pack(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->as_text(), text);
  }
}

TEST(MessagePack, ArraysAndMaps) {
  for (size_t length : {0, 1, 15, 16, 65535, 65536}) {
    std::vector<int> numbers(length, 300);
    auto bytes = packed(numbers);
    auto read = read_message_pack(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, Kind::Array);
    EXPECT_EQ(read->items.size(), length);
  }
  std::map<std::string, std::map<std::string, int>> map{{"a", {{"x", 1}, {"y", 2}}}, {"b", {}}};
  auto bytes = packed(map);
  auto read = read_message_pack(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->find("a")->find("y")->as_unsigned(), 2u);
  EXPECT_EQ(read->find("c"), nullptr);
  EXPECT_EQ(read->find("a")->find("y")->find("z"), nullptr);
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
  EXPECT_FALSE(read_message_pack(std::vector<uint8_t>(100000, 0x91)));  // nested endlessly
}

}  // namespace
}  // namespace Atoll
