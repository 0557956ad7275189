#include "gpu/r5xx/draw/vertex_fetch.h"

#include <gtest/gtest.h>

#include <random>

#include "registers/r5xx.h"
#include "tests/gpu/r5xx/stream.h"

namespace Atoll::r5xx {
namespace {

using test::bits;
constexpr uint32_t xyzw = 0 | 1 << 3 | 2 << 6 | 3 << 9 | 0xf << 12;

// One element: type, flags, two dwords in memory, what comes out.
struct Case {
  const char* name;
  uint32_t type, flags, method;
  uint32_t dwords[4];
  float expected[4];
};
constexpr uint32_t is_signed = 1 << 14, normalized = 1 << 15;
const Case cases[] = {
    {"float_1", 0, 0, 0, {0x3f800000}, {1, 0, 0, 0}},
    {"float_4", 3, 0, 0, {0x3f800000, 0x40000000, 0x40400000, 0x40800000}, {1, 2, 3, 4}},
    {"bytes", 4, 0, 0, {0xff800100}, {0, 1, 128, 255}},
    {"bytes normalized", 4, normalized, 0, {0xff000033}, {0.2f, 0, 0, 1}},
    {"signed bytes", 4, is_signed, 0, {0x807f01ff}, {-1, 1, 127, -128}},
    {"signed bytes, zero exact", 4, is_signed | normalized, 0, {0x807f0081}, {-1, 0, 1, -128.0f / 127}},
    {"signed bytes, clamped", 4, is_signed | normalized, 1, {0x807f0081}, {-1, 0, 1, -1}},
    {"signed bytes, no zero", 4, is_signed | normalized, 2, {0x807f0081}, {-253.0f / 255, 1.0f / 255, 1, -1}},
    {"colour", 5, normalized, 0, {0xff336600}, {0.2f, 0.4f, 0, 1}},
    {"short_2", 6, is_signed, 0, {0x0003fffe}, {-2, 3, 0, 1}},
    {"short_4", 7, 0, 0, {0x00020001, 0x00040003}, {1, 2, 3, 4}},
    {"ttt", 8, 0, 0, {1023u | 5u << 10 | 7u << 20}, {1023, 5, 7, 1}},
    {"eet", 9, 0, 0, {2047u | 5u << 11 | 7u << 22}, {2047, 5, 7, 1}},
    {"half_2", 11, 0, 0, {0xc0003c00}, {1, -2, 0, 1}},
    {"half_4", 12, 0, 0, {0xc0003c00, 0x3c003800}, {1, -2, 0.5f, 1}},
};

TEST(VertexFetch, ElementsAreReadAsTheirTypesSay) {
  for (auto& c : cases) {
    RegisterFile r(registers_end);
    r.set(VAP_PROG_STREAM_CNTL::address(0), c.type | 2 << 8 | 1 << 13 | c.flags);
    r.set(VAP_PROG_STREAM_CNTL_EXT::address(0), xyzw);
    r.set(VAP_PSC_SGN_NORM_CNTL::address(), c.method);
    auto layout = stream_layout(r);
    ASSERT_TRUE(layout) << c.name << ": " << layout.error().message;
    ASSERT_EQ(layout->elements.size(), 1u);
    EXPECT_EQ(layout->vectors_written, 4u);
    std::array<float, 4> vector{-9, -9, -9, -9};
    read_element(layout->elements[0], c.dwords, vector);
    for (int n = 0; n < 4; n++) EXPECT_FLOAT_EQ(vector[n], c.expected[n]) << c.name << " component " << n;
  }
}

TEST(VertexFetch, SwizzleConstantsAndWriteMask) {
  RegisterFile r(registers_end);
  r.set(VAP_PROG_STREAM_CNTL::address(0), 1 | 1 << 13);
  r.set(VAP_PROG_STREAM_CNTL_EXT::address(0), 1 | 0 << 3 | 4 << 6 | 5 << 9 | 0xb << 12);
  auto layout = stream_layout(r);
  ASSERT_TRUE(layout);
  std::array<float, 4> vector{-9, -9, -9, -9};
  uint32_t dwords[] = {bits(3), bits(4)};
  read_element(layout->elements[0], dwords, vector);
  EXPECT_EQ(vector, (std::array<float, 4>{4, 3, -9, 1}));
}

TEST(VertexFetch, ReservedTypesAndSwizzlesAreRefused) {
  RegisterFile r(registers_end);
  r.set(VAP_PROG_STREAM_CNTL::address(0), 13 | 1 << 13);
  EXPECT_FALSE(stream_layout(r));
  r.set(VAP_PROG_STREAM_CNTL::address(0), 3 | 1 << 13);
  r.set(VAP_PROG_STREAM_CNTL_EXT::address(0), 6);
  EXPECT_FALSE(stream_layout(r));
}

// Two arrays, the second element skips a dword; vectors 0 and 5.
TEST(VertexFetch, ArraysFollowEachOther) {
  test::Machine machine;
  std::vector<uint32_t> first{bits(1), bits(2), bits(3), bits(4)};
  std::vector<uint32_t> second{0, bits(10), 7, 0, bits(20), 7};
  Buffer a = machine.upload(first), b = machine.upload(second);
  RegisterFile r(registers_end);
  r.set(VAP_PROG_STREAM_CNTL::address(0), (1u | 0 << 8) | (0u | 1 << 4 | 5 << 8 | 1 << 13) << 16);
  r.set(VAP_PROG_STREAM_CNTL_EXT::address(0), xyzw | xyzw << 16);
  r.set(VAP_VTX_NUM_ARRAYS::address(), 2);
  r.set(VAP_VTX_AOS_ATTR::address(0), 2 | 2 << 8 | 2 << 16 | 3 << 24);
  r.set(VAP_VTX_AOS_ADDR::address(0), uint32_t(a.gpu_address));
  r.set(VAP_VTX_AOS_ADDR::address(1), uint32_t(b.gpu_address + 4));
  auto fetcher = VertexFetcher::from_arrays(r, *machine.space, 1);
  ASSERT_TRUE(fetcher) << fetcher.error().message;
  InputVectors inputs{};
  std::string fault;
  ASSERT_TRUE(fetcher->fetch(1, inputs, fault)) << fault;
  EXPECT_EQ(inputs[0], (std::array<float, 4>{3, 4, 0, 0}));
  EXPECT_EQ(inputs[5][0], 20);
  // Numbers beyond what was expected are looked at one by one.
  EXPECT_FALSE(fetcher->fetch(100000, inputs, fault));
  // The page behind the arrays is not mapped.
  auto beyond = VertexFetcher::from_arrays(r, *machine.space, 100000);
  ASSERT_TRUE(beyond);
  EXPECT_TRUE(beyond->fetch(1, inputs, fault)) << fault;
  EXPECT_FALSE(beyond->fetch(100000, inputs, fault));
  EXPECT_NE(fault.find("array 0"), std::string::npos) << fault;
}

// Random elements, most of them floats.
template <class Below>
void set_elements(RegisterFile& r, unsigned elements, Below below) {
  for (unsigned n = 0; n < elements; n++) {
    const uint32_t type = below(20) ? below(4) : 4;
    const uint32_t control = type | (below(4) ? 0 : below(3)) << 4 | below(5) << 8 | (n + 1 == elements ? 1u : 0u) << 13;
    uint32_t swizzle = (below(2) ? 0xf : below(16)) << 12;
    for (unsigned c = 0; c < 4; c++) swizzle |= (below(2) ? c : below(6)) << 3 * c;
    auto set = [&](uint32_t address, uint32_t half) { r.set(address, n % 2 ? r.raw(address) | half << 16 : half); };
    set(VAP_PROG_STREAM_CNTL::address(n / 2), control);
    set(VAP_PROG_STREAM_CNTL_EXT::address(n / 2), swizzle);
  }
}

// Many vertices at once give what each gives by itself.
void expect_same_words(const VertexFetcher& fetcher, std::span<const uint32_t> vertices, unsigned round) {
  std::vector<uint32_t> lanes(input_vectors * 4 * vertices.size(), ~0u);
  std::string fault;
  ASSERT_TRUE(fetcher.fetch_words(vertices, lanes.data(), vertices.size(), fault)) << fault;
  for (size_t v = 0; v < vertices.size(); v++) {
    InputVectors inputs{};
    ASSERT_TRUE(fetcher.fetch(vertices[v], inputs, fault)) << fault;
    for (unsigned n = 0; n < input_vectors; n++)
      for (unsigned c = 0; c < 4; c++)
        ASSERT_EQ(lanes[(n * 4 + c) * vertices.size() + v], fetcher.layout().vectors_written >> n & 1 ? bits(inputs[n][c]) : ~0u)
            << "round " << round << " vector " << n << " component " << c;
  }
}

// Floats as they stand in arrays.
TEST(VertexFetch, WordsAreWhatElementsAre) {
  test::Machine machine;
  std::mt19937 random(7);
  auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  std::vector<uint32_t> dwords(4096);
  for (uint32_t& dword : dwords) dword = below(8) ? bits(float(below(1000)) - 500) : uint32_t(random());
  Buffer memory = machine.upload(dwords);
  unsigned tried = 0, refused = 0;
  for (unsigned round = 0; round < 400; round++) {
    RegisterFile r(registers_end);
    const unsigned elements = 1 + below(4), arrays = 1 + below(3);
    set_elements(r, elements, below);
    r.set(VAP_VTX_NUM_ARRAYS::address(), arrays);
    for (unsigned n = 0; n < arrays; n++) {
      const uint32_t array = below(9) | below(12) << 8, address = VAP_VTX_AOS_ATTR::address(n / 2);
      r.set(address, n % 2 ? r.raw(address) | array << 16 : array);
      r.set(VAP_VTX_AOS_ADDR::address(n), uint32_t(memory.gpu_address) + 4 * below(64));
    }
    auto fetcher = VertexFetcher::from_arrays(r, *machine.space, 100);
    ASSERT_TRUE(fetcher) << fetcher.error().message;
    std::array<uint32_t, 32> vertices;
    for (uint32_t& vertex : vertices) vertex = below(101);
    if (!fetcher->has_words(vertices)) continue;
    tried++;
    expect_same_words(*fetcher, vertices, round);
    std::vector<uint32_t> lanes(input_vectors * 4 * vertices.size());
    std::string fault;
    // Both report the same for memory that is not there.
    vertices[5] = 1u << 20;
    InputVectors inputs{};
    std::string own;
    const bool mapped = fetcher->fetch(vertices[5], inputs, own);
    ASSERT_EQ(fetcher->fetch_words(vertices, lanes.data(), vertices.size(), fault), mapped);
    if (!mapped) EXPECT_EQ(fault, own);
    refused += !mapped;
  }
  EXPECT_GT(tried, 100u);
  EXPECT_GT(refused, 50u);
}

// Floats of the command stream, to its end.
TEST(VertexFetch, WordsOfTheStream) {
  std::mt19937 random(8);
  auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  unsigned tried = 0;
  for (unsigned round = 0; round < 400; round++) {
    RegisterFile r(registers_end);
    set_elements(r, 1 + below(4), below);
    const uint32_t stride = below(16), whole = 1 + below(40);
    std::vector<uint32_t> dwords(whole * stride + (stride ? below(stride) : 0));
    for (uint32_t& dword : dwords) dword = bits(float(below(1000)) - 500);
    auto fetcher = VertexFetcher::from_stream(r, dwords, stride);
    ASSERT_TRUE(fetcher) << fetcher.error().message;
    std::array<uint32_t, 32> vertices;
    for (uint32_t& vertex : vertices) vertex = below(whole);
    const bool has_words = fetcher->has_words(vertices);
    vertices[below(32)] = whole + below(3);
    EXPECT_FALSE(fetcher->has_words(vertices));  // some of it is behind the end
    if (!has_words) continue;
    tried++;
    for (uint32_t& vertex : vertices) vertex = std::min(vertex, whole - 1);
    expect_same_words(*fetcher, vertices, round);
  }
  EXPECT_GT(tried, 50u);
}

// VAP_CNTL_STATUS.VC_SWAP on dwords of arrays; DUAL_INDEX_MODE: bits 23:16 of the number are array 0's.
TEST(VertexFetch, SwappedBytesAndTwoIndices) {
  test::Machine machine;
  std::vector<uint32_t> words{0xaabbccdd, 0x11223344, 0x55667788};
  Buffer a = machine.upload(words);
  for (auto [swap, first] : {std::pair{0u, 0xaabbccddu}, {1u, 0xbbaaddccu}, {2u, 0xddccbbaau}, {3u, 0xccddaabbu}}) {
    RegisterFile r(registers_end);
    // Two elements of two shorts, a dword each, of two arrays.
    r.set(VAP_PROG_STREAM_CNTL::address(0), 6u | (6u | 5 << 8 | 1 << 13) << 16);
    r.set(VAP_PROG_STREAM_CNTL_EXT::address(0), xyzw | xyzw << 16);
    r.set(VAP_VTX_NUM_ARRAYS::address(), 2);
    r.set(VAP_VTX_AOS_ATTR::address(0), 1 | 1 << 8 | 1 << 16 | 1 << 24);
    r.set(VAP_VTX_AOS_ADDR::address(0), uint32_t(a.gpu_address));
    r.set(VAP_VTX_AOS_ADDR::address(1), uint32_t(a.gpu_address));
    r.set(VAP_CNTL_STATUS::address(), VAP_CNTL_STATUS::VC_SWAP::of(swap));
    auto fetcher = VertexFetcher::from_arrays(r, *machine.space, 0xffffff, true);
    ASSERT_TRUE(fetcher) << fetcher.error().message;
    InputVectors inputs{};
    std::string fault;
    ASSERT_TRUE(fetcher->fetch(0 << 16 | 2, inputs, fault)) << fault;
    EXPECT_EQ(inputs[0][0], float(first & 0xffff)) << swap;
    EXPECT_EQ(inputs[0][1], float(first >> 16)) << swap;
    if (swap == 0) EXPECT_EQ(inputs[5][0], float(0x7788));
    ASSERT_TRUE(fetcher->fetch(1 << 16 | 0, inputs, fault)) << fault;
    EXPECT_EQ(inputs[5][1], float(first >> 16)) << swap;
    if (swap == 0) EXPECT_EQ(inputs[0][1], float(0x1122));
  }
}

TEST(VertexFetch, VerticesOfTheStream) {
  RegisterFile r(registers_end);
  r.set(VAP_PROG_STREAM_CNTL::address(0), (1u | 1 << 4) | (0u | 1 << 8 | 1 << 13) << 16);
  r.set(VAP_PROG_STREAM_CNTL_EXT::address(0), xyzw | xyzw << 16);
  r.set(VAP_VTX_SIZE::address(), 4);
  std::vector<uint32_t> words{bits(1), bits(2), 9, bits(3), bits(4), bits(5), 9, bits(6)};
  auto fetcher = VertexFetcher::from_stream(r, words, r.get<VAP_VTX_SIZE::DWORDS_PER_VTX>());
  ASSERT_TRUE(fetcher);
  InputVectors inputs{};
  std::string fault;
  ASSERT_TRUE(fetcher->fetch(1, inputs, fault));
  EXPECT_EQ(inputs[0][0], 4);
  EXPECT_EQ(inputs[0][1], 5);
  EXPECT_EQ(inputs[1][0], 6);
  ASSERT_TRUE(fetcher->fetch(2, inputs, fault));
  EXPECT_EQ(inputs[0][0], 0);  // beyond the stream
}

}  // namespace
}  // namespace Atoll::r5xx
