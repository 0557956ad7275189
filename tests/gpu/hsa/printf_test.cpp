// printf entries as clang lays them down, turned into text; numbers as the host's C library prints them.
#include "gpu/hsa/printf.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <limits>

namespace Atoll::hsa {
namespace {

struct Entry {
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> sizes;

  template <class T>
  Entry& put(const T& value) {
    return put(&value, sizeof value);
  }
  Entry& text(const char* string) {
    size_t size = (std::strlen(string) + 4) / 4 * 4;  // with its zero, whole dwords
    std::vector<char> padded(size);
    std::strcpy(padded.data(), string);
    return put(padded.data(), size);
  }
  Entry& put(const void* from, size_t size) {
    sizes.push_back(uint32_t(size));
    auto* p = static_cast<const uint8_t*>(from);
    bytes.insert(bytes.end(), p, p + size);
    bytes.resize((bytes.size() + 3) / 4 * 4);
    return *this;
  }
};

std::string text_of(const std::string& format, const Entry& entry) {
  auto text = format_printf({.id = 1, .argument_bytes = entry.sizes, .format = format}, entry.bytes);
  return text ? *text : "! " + text.error().message;
}

template <class... T>
std::string host(const char* format, T... values) {
  char out[1000];
  std::snprintf(out, sizeof out, format, values...);
  return out;
}

TEST(Printf, IntegersOfAllSizes) {
  for (int32_t v : {0, 1, -1, 42, INT32_MAX, INT32_MIN})
    for (const char* format : {"%d", "%i", "%5d", "%-8d|", "%+d", "% d", "%08d", "%.6d", "%u", "%x", "%#X", "%o", "%#o"})
      EXPECT_EQ(text_of(format, Entry().put(v)), host(format, v)) << format;
  for (int64_t v : {int64_t(0), int64_t(-1), INT64_MAX, INT64_MIN})
    for (const char* format : {"%ld", "%20ld", "%lu", "%lx", "%lo"})
      EXPECT_EQ(text_of(format, Entry().put(v)), host(format, v)) << format;
  EXPECT_EQ(text_of("%hhd %hd %hhu %hu", Entry().put(0x1ff).put(0x18000).put(0x1ff).put(0x18000)), "-1 -32768 255 32768");
  EXPECT_EQ(text_of("%c%c", Entry().put(int('a')).put(int('%'))), "a%");
  EXPECT_EQ(text_of("[%3c|%-3c]", Entry().put(int('a')).put(int('b'))), "[  a|b  ]");
}

TEST(Printf, FloatsOfBothWidths) {
  for (double v :
       {0.0, -0.0, 1.5, -3.14159, 1e30, 1e-30, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    for (const char* format : {"%f", "%e", "%g", "%a", "%5.2f", "%+.3e", "%-12.1f|", "%G", "%012.3f"}) {
      EXPECT_EQ(text_of(format, Entry().put(v)), host(format, v)) << format;
      EXPECT_EQ(text_of(format, Entry().put(float(v))), host(format, double(float(v)))) << format;
    }
}

TEST(Printf, Strings) {
  EXPECT_EQ(text_of("<%s>", Entry().text("hello")), "<hello>");
  EXPECT_EQ(text_of("<%s%s>", Entry().text("abc").text("")), "<abc>");
  EXPECT_EQ(text_of("<%8s|%-8s|%.2s>", Entry().text("one").text("two").text("three")), "<     one|two     |th>");
  EXPECT_EQ(text_of("<%s>", Entry().put("four", 4)), "<four>");  // no zero within its bytes
  EXPECT_EQ(text_of("100%% done", Entry()), "100% done");
}

TEST(Printf, Vectors) {
  float f[4] = {1, 2.5, -3, 4};
  EXPECT_EQ(text_of("%v4hlf", Entry().put(f)), "1.000000,2.500000,-3.000000,4.000000");
  EXPECT_EQ(text_of("%5.1v3hlf.", Entry().put(f)), "  1.0,  2.5, -3.0.");
  double d[2] = {0.5, 0.25};
  EXPECT_EQ(text_of("%v2lf", Entry().put(d)), "0.500000,0.250000");
  int16_t s[2] = {-1, 7};
  EXPECT_EQ(text_of("%v2hd %v2hu", Entry().put(s).put(s)), "-1,7 65535,7");
  int8_t c[16] = {-1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  EXPECT_EQ(text_of("%v16hhx", Entry().put(c)), "ff,2,3,4,5,6,7,8,9,a,b,c,d,e,f,10");
  int64_t l[2] = {-5, 6};
  EXPECT_EQ(text_of("%v2ld", Entry().put(l)), "-5,6");
  int32_t i[4] = {1, -2, 3, 99};
  EXPECT_EQ(text_of("%v3hld", Entry().put(i)), "1,-2,3");
  _Float16 h[2] = {_Float16(1.5), _Float16(-2)};
  EXPECT_EQ(text_of("%.1v2hf", Entry().put(h)), "1.5,-2.0");
}

TEST(Printf, PointersAndStars) {
  EXPECT_EQ(text_of("%p", Entry().put(uint64_t(0x123456789ab))), "0x123456789ab");
  EXPECT_EQ(text_of("%*d|%-*d|%.*f", Entry().put(5).put(42).put(4).put(7).put(1).put(2.25)), "   42|7   |2.2");
}

TEST(Printf, DamagedFormatsAreErrors) {
  for (const char* format : {"%", "%5", "%v5d", "%q", "%d %d", "%n", "%ll"})
    EXPECT_EQ(text_of(format, Entry().put(1))[0], '!') << format;
  EXPECT_EQ(text_of("%v4hld", Entry().put(int16_t(1)))[0], '!');  // too few bytes an element
  EXPECT_EQ(text_of("%99999999999999999999d", Entry().put(1)).size(), 4096u);
}

std::vector<uint8_t> buffer_of(const std::vector<std::pair<uint32_t, Entry>>& entries, uint32_t more = 0) {
  std::vector<uint8_t> bytes(8);
  for (auto& [id, entry] : entries) {
    auto* p = reinterpret_cast<const uint8_t*>(&id);
    bytes.insert(bytes.end(), p, p + 4);
    bytes.insert(bytes.end(), entry.bytes.begin(), entry.bytes.end());
  }
  uint32_t used = uint32_t(bytes.size()) - 8 + more;
  std::memcpy(bytes.data(), &used, 4);
  return bytes;
}

TEST(Printf, BuffersOfEntries) {
  std::vector<PrintfFormat> formats{{.id = 7, .argument_bytes = {4}, .format = "i=%d\n"},
                                    {.id = 2, .argument_bytes = {}, .format = "none\n"}};
  auto printed = decode_printf(buffer_of({{7, Entry().put(1)}, {2, {}}, {7, Entry().put(-2)}}), formats);
  EXPECT_EQ(printed.text, "i=1\nnone\ni=-2\n");
  EXPECT_EQ(printed.problem, "");
  printed = decode_printf(buffer_of({{7, Entry().put(1)}, {9, {}}}), formats);
  EXPECT_EQ(printed.text, "i=1\n");
  EXPECT_NE(printed.problem.find("format 9"), std::string::npos);
  printed = decode_printf(buffer_of({{2, {}}, {7, {}}}), formats);
  EXPECT_EQ(printed.text, "none\n");
  EXPECT_NE(printed.problem.find("within an entry"), std::string::npos);
  EXPECT_EQ(decode_printf(buffer_of({{2, {}}}, 1 << 30), formats).text, "none\n");  // says it holds more than there is
  EXPECT_EQ(decode_printf({}, formats).text, "");
}

// As clang 19 stores a constant string: without its zero where the length is a multiple of 4, though the size counts one.
Entry& text_of_clang_19(Entry& entry, const char* string) {
  size_t length = std::strlen(string), whole = (length + 4) / 4 * 4;
  std::vector<char> padded(whole);
  std::strcpy(padded.data(), string);
  entry.put(padded.data(), length ? (length + 3) / 4 * 4 : 4);
  entry.sizes.back() = uint32_t(whole);
  return entry;
}

TEST(Printf, StringsWithoutTheirZero) {
  for (const char* string : {"", "a", "abc", "abcd", "abcde", "abcdefg", "abcdefgh", "abcdefghi", "0123456789abcdef"})
    for (bool old : {false, true}) {  // with and without the zero
      std::vector<PrintfFormat> formats{{.id = 3, .argument_bytes = {}, .format = "%d:%s=%.2f\n"}};
      std::vector<std::pair<uint32_t, Entry>> entries;
      std::string expected;
      for (int i = 0; i < 3; ++i) {
        Entry e;
        e.put(i);
        if (old)
          e.text(string);
        else
          text_of_clang_19(e, string);
        e.put(1.25f + float(i));
        formats[0].argument_bytes = e.sizes;
        size_t allocated = 0;
        for (uint32_t size : e.sizes) allocated += size;
        e.bytes.resize(allocated);  // the dword that is counted but not used stands at the end
        entries.push_back({3, e});
        expected += fmt::format("{}:{}={:.2f}\n", i, string, 1.25 + i);
      }
      auto printed = decode_printf(buffer_of(entries), formats);
      EXPECT_EQ(printed.text, expected) << old;
      EXPECT_EQ(printed.problem, "");
    }
}

TEST(Printf, TwoStringsWithoutTheirZeros) {
  Entry e;
  text_of_clang_19(e, "left");
  e.put(-5);
  text_of_clang_19(e, "rightest");
  e.put(int64_t(-6));
  text_of_clang_19(e, "odd");
  e.bytes.resize(8 + 4 + 12 + 8 + 4);
  std::vector<PrintfFormat> formats{{.id = 1, .argument_bytes = e.sizes, .format = "%s|%d|%s|%ld|%s"}};
  EXPECT_EQ(decode_printf(buffer_of({{1, e}}), formats).text, "left|-5|rightest|-6|odd");
}

}  // namespace
}  // namespace Atoll::hsa
