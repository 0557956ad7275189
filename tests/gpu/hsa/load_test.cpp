// Segments and relocations in memory.
#include "gpu/hsa/load.h"

#include <gtest/gtest.h>

#include <cstring>

#include "codeobject/compiled_object.h"

namespace Atoll::hsa {
namespace {

const char* const pointers = R"(
  constant int here[4] = {11, 22, 33, 44};
  global int counter = 77;
  struct Table { constant int* a; constant int* b; global int* c; };
  constant struct Table table = {here, here + 2, &counter};
  kernel void k(global int* out, int i) { constant struct Table* volatile t = &table; out[0] = t->a[i] + t->b[i] + *t->c; }
)";

CodeObject object_of(const char* source, const char* options = "-O2") {
  auto object = read_code_object(compiled(source, "gfx1201", options), "k.co");
  EXPECT_TRUE(object) << object.error().message;
  return std::move(*object);
}

template <class T>
T at(AddressSpace& space, uint64_t address) {
  T value;
  std::memcpy(&value, space.host(address), sizeof value);
  return value;
}

TEST(Load, RelocatedPointersPointToTheirData) {
  CodeObject object = object_of(pointers);
  ASSERT_FALSE(object.elf.relocations.empty());
  auto space = AddressSpace::create();
  ASSERT_TRUE(space);
  for (int copy = 0; copy < 2; ++copy) {  // twice: the addresses differ
    auto loaded = load(object, **space);
    ASSERT_TRUE(loaded) << loaded.error().message;
    auto table = symbol_address(object, *loaded, "table"), here = symbol_address(object, *loaded, "here"),
         counter = symbol_address(object, *loaded, "counter");
    ASSERT_TRUE(table && here && counter);
    EXPECT_EQ(at<uint64_t>(**space, *table), *here);
    EXPECT_EQ(at<uint64_t>(**space, *table + 8), *here + 8);
    EXPECT_EQ(at<uint64_t>(**space, *table + 16), *counter);
    EXPECT_EQ(at<uint32_t>(**space, at<uint64_t>(**space, *table + 8)), 33u);
    EXPECT_EQ(at<uint32_t>(**space, *counter), 77u);
    EXPECT_FALSE(symbol_address(object, *loaded, "nothing"));
  }
}

TEST(Load, SegmentsStandAsInTheFileWithGapsUnmapped) {
  CodeObject object = object_of(pointers);
  auto space = AddressSpace::create();
  auto loaded = load(object, **space);
  ASSERT_TRUE(loaded);
  uint64_t high = 0;
  for (auto& s : object.elf.segments) {
    if (s.type != SEGMENT_LOAD) continue;
    uint64_t start = loaded->address(s.address);
    EXPECT_TRUE((*space)->contains(start, s.memory_bytes, true));
    if (!(s.flags & SEGMENT_WRITABLE))
      EXPECT_EQ(std::memcmp((*space)->host(start), object.elf.bytes.data() + s.offset, s.file_bytes), 0);
    for (uint64_t i = s.file_bytes; i < s.memory_bytes; ++i) ASSERT_EQ(*(*space)->host(start + i), 0);
    high = std::max(high, round_up(start + s.memory_bytes, page_bytes));
  }
  EXPECT_FALSE((*space)->contains(high, 1));
  EXPECT_FALSE((*space)->contains(loaded->start - 1, 1));
  unload(*loaded, **space);
  EXPECT_FALSE((*space)->contains(loaded->start, 1));
  EXPECT_EQ((*space)->memory().allocated_bytes(), 0u);
}

TEST(Load, LargePagesKeepTheirAlignment) {
  CodeObject object = object_of(pointers, "-O2 -Wl,-z,max-page-size=65536");
  auto space = AddressSpace::create();
  auto loaded = load(object, **space);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->bias % 65536, 0u);
  EXPECT_EQ(at<uint32_t>(**space, *symbol_address(object, *loaded, "counter")), 77u);
}

TEST(Load, EveryRelocationForm) {
  CodeObject object = object_of(pointers);
  uint64_t place = 0;
  for (auto& s : object.elf.dynamic_symbols)
    if (s.name == "k.kd") place = s.address;  // read-only data that relocations may write
  ASSERT_NE(place, 0u);
  uint32_t symbol = 1;
  while (!object.elf.dynamic_symbols[symbol].defined) ++symbol;
  uint64_t of_symbol = object.elf.dynamic_symbols[symbol].address;
  struct Case {
    uint32_t type;
    int bytes;
    uint64_t (*expected)(uint64_t s, uint64_t a, uint64_t p);
  };
  // AMDGPUUsage, "Relocation Records"
  const Case cases[] = {
      {1, 4, [](uint64_t s, uint64_t a, uint64_t) { return (s + a) & 0xffffffff; }},
      {2, 4, [](uint64_t s, uint64_t a, uint64_t) { return (s + a) >> 32; }},
      {3, 8, [](uint64_t s, uint64_t a, uint64_t) { return s + a; }},
      {4, 4, [](uint64_t s, uint64_t a, uint64_t p) { return (s + a - p) & 0xffffffff; }},
      {5, 8, [](uint64_t s, uint64_t a, uint64_t p) { return s + a - p; }},
      {6, 4, [](uint64_t s, uint64_t a, uint64_t) { return (s + a) & 0xffffffff; }},
      {10, 4, [](uint64_t s, uint64_t a, uint64_t p) { return (s + a - p) & 0xffffffff; }},
      {11, 4, [](uint64_t s, uint64_t a, uint64_t p) { return (s + a - p) >> 32; }},
  };
  auto space = AddressSpace::create();
  for (auto& c : cases)
    for (int64_t addend : {0, 8, -24}) {
      object.elf.relocations = {{.address = place, .type = c.type, .symbol = symbol, .addend = addend}};
      auto loaded = load(object, **space);
      ASSERT_TRUE(loaded) << loaded.error().message;
      uint64_t expected = c.expected(loaded->address(of_symbol), uint64_t(addend), loaded->address(place));
      if (c.bytes == 8)
        EXPECT_EQ(at<uint64_t>(**space, loaded->address(place)), expected) << c.type;
      else
        EXPECT_EQ(at<uint32_t>(**space, loaded->address(place)), uint32_t(expected)) << c.type;
    }
  object.elf.relocations = {{.address = place, .type = 13, .symbol = 0, .addend = 0x1234}};
  auto loaded = load(object, **space);
  EXPECT_EQ(at<uint64_t>(**space, loaded->address(place)), loaded->address(0x1234));
}

TEST(Load, BadRelocationsAreRefusedAndNothingStays) {
  CodeObject object = object_of(pointers);
  auto space = AddressSpace::create();
  auto message = [&](ElfRelocation r) {
    object.elf.relocations = {r};
    auto loaded = load(object, **space);
    EXPECT_FALSE(loaded);
    EXPECT_EQ((*space)->memory().allocated_bytes(), 0u);
    return loaded ? "" : loaded.error().message;
  };
  EXPECT_NE(message({.address = 0x10000000, .type = 13}).find("outside"), std::string::npos);
  EXPECT_NE(message({.address = UINT64_MAX - 3, .type = 13}).find("outside"), std::string::npos);
  EXPECT_NE(message({.address = 64, .type = 99}).find("relocation type 99"), std::string::npos);
  object.elf.dynamic_symbols[1].defined = false;
  object.elf.dynamic_symbols[1].name = "elsewhere";
  EXPECT_NE(message({.address = 64, .type = 3, .symbol = 1}).find("'elsewhere'"), std::string::npos);
  object.elf.dynamic_symbols[1].weak = true;  // may be missing, and is null then
  object.elf.relocations = {{.address = 64, .type = 3, .symbol = 1, .addend = 5}};
  auto loaded = load(object, **space);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(at<uint64_t>(**space, loaded->address(64)), 5u);
}

TEST(Load, MoreThanTheMachineHasIsRefused) {
  CodeObject object = object_of(pointers);
  for (auto& s : object.elf.segments)
    if (s.type == SEGMENT_LOAD && (s.flags & SEGMENT_WRITABLE)) s.memory_bytes = uint64_t(1) << 39;
  auto space = AddressSpace::create();
  auto loaded = load(object, **space);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("ask for less"), std::string::npos) << loaded.error().message;
}

}  // namespace
}  // namespace Atoll::hsa
