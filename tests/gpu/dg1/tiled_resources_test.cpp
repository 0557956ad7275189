// TR-TT without a driver: tables put together here, batches that enable them and copy through them.
#include "batch.h"

namespace Atoll::dg1 {
namespace {

struct TiledResources : Commands {
  static constexpr uint64_t tile = 65536, range = uint64_t(0xe) << 44, at = 0xeffd'2346'0000;
  static constexpr uint64_t tables_at = 0x20'0000'0000, memory_at = 0x30'0000'0000;
  static constexpr uint64_t l3 = tables_at, l2 = tables_at + 4096, l1 = tables_at + 8192;
  static constexpr uint32_t nothing = 0, invalid = 1;

  TiledResources() {
    EXPECT_TRUE(space->map(tables_at, *memory->allocate(tile), tile));
    EXPECT_TRUE(space->map(memory_at, *memory->allocate(4 * tile), 4 * tile));
    for (unsigned n = 0; n < 512; n++) long_entry(l3, n) = 2, long_entry(l2, n) = 2;
    for (unsigned n = 0; n < 1024; n++) entry(n) = nothing;
    long_entry(l3, at >> 35 & 511) = l2, long_entry(l2, at >> 26 & 511) = l1;
  }
  uint64_t& long_entry(uint64_t table, uint64_t n) { return reinterpret_cast<uint64_t*>(space->host(table))[n]; }
  uint32_t& entry(uint64_t n) { return reinterpret_cast<uint32_t*>(space->host(l1))[n]; }
  uint32_t& tile_of(uint64_t address) { return entry(address >> 16 & 1023); }
  uint32_t& word(uint64_t address) { return *reinterpret_cast<uint32_t*>(space->host(address)); }

  static Batch enable(uint32_t va_range = 0xfe, uint64_t table = l3) {
    Batch b;
    auto set = [&](uint32_t address, uint64_t value) { b.add({0x11000001, address, uint32_t(value)}); };
    set(0x4414, invalid), set(0x4410, nothing), set(0x4408, table), set(0x440c, table >> 32), set(0x4404, va_range),
        set(0x4400, 1);
    return invalidate(b);
  }
  static Batch& invalidate(Batch& b) {
    return b.add<commands::PIPE_CONTROL>([](uint32_t* w) { commands::PIPE_CONTROL::TLB_Invalidate::set(w, 1); });
  }
  static Batch& copy(Batch& b, uint64_t to, uint64_t from) {
    return b.add({0x17000003, uint32_t(to), uint32_t(to >> 32), uint32_t(from), uint32_t(from >> 32)});
  }
};

TEST_F(TiledResources, AreFoundByTheirTables) {
  tile_of(at) = (memory_at + 2 * tile) >> 16, tile_of(at + tile) = memory_at >> 16, tile_of(at + 2 * tile) = invalid;
  word(memory_at + 2 * tile + 16) = 5, word(memory_at + 4) = 6;
  Batch b = enable();
  copy(b, data_at, at + 16), copy(b, data_at + 4, at + tile + 4), copy(b, data_at + 8, at + 3 * tile);
  b.store(at + 32, 7).store(at + 3 * tile, 8);
  copy(b, data_at + 12, at + 3 * tile), copy(b, data_at + 16, range + (uint64_t(1) << 44) - 4);
  data(2) = data(3) = data(4) = ~0u;
  EXPECT_EQ(run(b.end_batch()), "");
  EXPECT_EQ(data(0), 5u);
  EXPECT_EQ(data(1), 6u);
  EXPECT_EQ(data(2), 0u) << "nothing is bound there";
  EXPECT_EQ(word(memory_at + 2 * tile + 32), 7u);
  EXPECT_EQ(data(3), 0u) << "what is written there is dropped";
  // another tile by a store of the batch's, which counts from the invalidation on; state is the context's
  Batch again;
  again.store(l1 + (at >> 16 & 1023) * 4, uint32_t((memory_at + 3 * tile) >> 16));
  copy(again, data_at, at + 16);
  word(memory_at + 3 * tile + 16) = 9;
  copy(invalidate(again), data_at + 4, at + 16);
  EXPECT_EQ(run(again.end_batch()), "");
  EXPECT_EQ(data(0), 5u);
  EXPECT_EQ(data(1), 9u);
  // an invalid tile
  Batch fault;
  EXPECT_TRUE(run(copy(fault, data_at, at + 2 * tile).end_batch()).contains("where nothing is mapped"));
}

TEST_F(TiledResources, AreNothingWithoutTables) {
  tile_of(at) = memory_at >> 16;
  EXPECT_EQ(run(enable().end_batch()), "");
  EXPECT_TRUE(space->contains(at, tile));
  Batch off;
  off.add({0x11000001, 0x4400, 0});
  EXPECT_EQ(run(invalidate(off).end_batch()), "");
  EXPECT_FALSE(space->contains(at, 1));
  // a table that is not there
  open({});
  EXPECT_EQ(run(enable(0xfe, 0x77'0000'0000).end_batch()), "");
  EXPECT_FALSE(space->contains(at, 1));
  // and memory that has gone
  open({});
  EXPECT_EQ(run(enable().end_batch()), "");
  ASSERT_TRUE(space->unmap(memory_at, 4 * tile));
  EXPECT_FALSE(space->contains(at, 1));
}

// Tables that lead to themselves, to each other and to what is no memory: the context ends or finds nothing, others are not touched.
TEST_F(TiledResources, TablesOfNoUse) {
  for (unsigned n = 0; n < 512; n++) long_entry(l3, n) = l2, long_entry(l2, n) = l1;
  EXPECT_TRUE(run(enable().end_batch()).contains("leads to more than 2048 others"));
  // no third level at all, and more pieces than a process could map: nothing, by turns with what is invalid
  open({});
  for (unsigned n = 0; n < 512; n++) long_entry(l2, n) = 1 + n % 2;
  EXPECT_TRUE(run(enable().end_batch()).contains("or 32768 pieces"));
  open({});
  EXPECT_TRUE(run(enable(0x3e).end_batch()).contains("a mask of 0x3"));
  uint32_t random = 1;
  unsigned lost = 0;
  for (unsigned round = 0; round < 12; round++) {
    open({});
    auto next = [&] { return random = random * 1664525 + 1013904223; };
    auto any = [&]() -> uint64_t {
      const uint64_t addresses[] = {l3, l2, l1, memory_at, at, 0, ~uint64_t(0), uint64_t(next()) << 17, data_at, range};
      return addresses[next() >> 8 & 7] + (next() >> 30);
    };
    for (unsigned n = 0; n < 512; n++) long_entry(l3, n) = next() >> 29 ? 2 : any(), long_entry(l2, n) = next() >> 30 ? 1 : any();
    for (unsigned n = 0; n < 1024; n++) entry(n) = next() >> 31 ? next() : uint32_t(any() >> 16);
    word(memory_at) = 1234;
    Batch b = enable();
    for (unsigned n = 0; n < 8; n++) copy(b, data_at + 64, range + (uint64_t(next()) << 12 & 0xfff'ffff'f000));
    lost += !run(b.end_batch()).empty();
    EXPECT_EQ(word(memory_at), 1234u);
  }
  EXPECT_GT(lost, 0u);
}

}  // namespace
}  // namespace Atoll::dg1
