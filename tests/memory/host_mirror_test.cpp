// Copies of this process's memory in a GPU's address space, and what comes back from them.
#include "memory/host_mirror.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <thread>

namespace Atoll {
namespace {

uint64_t address_of(const void* p) { return uint64_t(uintptr_t(p)); }

// Faults are values on threads of Atoll's own.
template <class Body>
void apart(Body body) {
  std::thread(body).join();
}

struct Pages {
  uint64_t bytes;
  uint8_t* at;
  explicit Pages(uint64_t count, int rights = PROT_READ | PROT_WRITE)
      : bytes(count * page_bytes),
        at(static_cast<uint8_t*>(::mmap(nullptr, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Pages() { ::munmap(at, bytes); }
};

TEST(HostMirror, OnlyChangedBytesComeBack) {
  apart([] {
    auto space = *AddressSpace::create_sectioned();
    Pages pages(3);
    std::memset(pages.at, 1, pages.bytes);
    HostMirror mirror(*space);
    ASSERT_TRUE(mirror.add({address_of(pages.at) + 100, 2 * page_bytes, true}));
    EXPECT_EQ(mirror.bytes(), 3 * page_bytes);
    uint8_t* copy = space->host(address_of(pages.at));
    EXPECT_EQ(copy[99], 0);  // on a page of the range, but not of it
    EXPECT_EQ(copy[100], 1);
    copy[99] = 7, copy[101] = 7, copy[5000] = 7, copy[100 + 2 * page_bytes] = 7;
    pages.at[102] = 9;  // somebody else writes meanwhile, into the same dword
    ASSERT_TRUE(mirror.write_back());
    EXPECT_EQ(pages.at[99], 1);
    EXPECT_EQ(pages.at[101], 7);
    EXPECT_EQ(pages.at[102], 9);
    EXPECT_EQ(pages.at[5000], 7);
    EXPECT_EQ(pages.at[100 + 2 * page_bytes], 1);
  });
}

TEST(HostMirror, RangesShareAPageAndItsRights) {
  apart([] {
    auto space = *AddressSpace::create_sectioned();
    Pages pages(4);
    const uint64_t start = address_of(pages.at);
    HostMirror mirror(*space);
    ASSERT_TRUE(mirror.add({start, 4 * page_bytes, false}));
    EXPECT_FALSE(space->contains(start, 8, true));
    ASSERT_TRUE(mirror.add({start + page_bytes + 8, page_bytes, true}));
    EXPECT_EQ(mirror.bytes(), 4 * page_bytes);
    EXPECT_FALSE(space->contains(start, 8, true));
    EXPECT_TRUE(space->contains(start + page_bytes, 2 * page_bytes, true));
    EXPECT_FALSE(space->contains(start + 3 * page_bytes, 8, true));
    EXPECT_TRUE(space->contains(start, 4 * page_bytes));
    space->host(start + page_bytes)[8] = 5;
    mirror.restore();
    EXPECT_EQ(space->host(start + page_bytes)[8], 0);
  });
}

TEST(HostMirror, WhatCannotBeReadIsNotThere) {
  apart([] {
    auto space = *AddressSpace::create_sectioned();
    Pages pages(3);
    ::mprotect(pages.at + page_bytes, page_bytes, PROT_NONE);
    const uint64_t start = address_of(pages.at);
    HostMirror mirror(*space);
    EXPECT_FALSE(mirror.add({start, 2 * page_bytes, true}));
    EXPECT_FALSE(mirror.contains(start));
    for (uint64_t wild : {uint64_t(0), uint64_t(100), uint64_t(1) << 47, ~uint64_t(0) - 100})
      EXPECT_FALSE(mirror.add({wild, 64, true}));
    EXPECT_FALSE(mirror.add({start, ~uint64_t(0), true}));
    EXPECT_EQ(mirror.bytes(), 0u);
    ASSERT_TRUE(mirror.add({start + 2 * page_bytes, page_bytes, true}));
    // Gone, or read-only, when it is to be written: an error.
    space->host(start + 2 * page_bytes)[0] = 1;
    ::mprotect(pages.at + 2 * page_bytes, page_bytes, PROT_READ);
    EXPECT_FALSE(mirror.write_back());
  });
}

TEST(HostMirror, KnowsWhatIsFreeAroundAnAddress) {
  apart([] {
    auto space = *AddressSpace::create_sectioned();
    Pages pages(8);
    const uint64_t start = address_of(pages.at);
    HostMirror mirror(*space);
    ASSERT_TRUE(mirror.add({start + page_bytes, page_bytes, true}));
    ASSERT_TRUE(mirror.add({start + 5 * page_bytes, page_bytes, true}));
    auto free = mirror.free_around(start + 3 * page_bytes, start, start + 8 * page_bytes);
    EXPECT_EQ(free.start, start + 2 * page_bytes);
    EXPECT_EQ(free.end(), start + 5 * page_bytes);
  });
}

TEST(HostMirror, TheProcessKnowsItsMemory) {
  Pages one(1, PROT_READ), both(1), none(1, PROT_NONE);
  auto ranges = readable_host_ranges();
  ASSERT_TRUE(ranges);
  auto find = [&](const void* p) -> const HostRange* {
    for (const HostRange& range : *ranges)
      if (range.contains(address_of(p))) return &range;
    return nullptr;
  };
  ASSERT_TRUE(find(one.at));
  EXPECT_FALSE(find(one.at)->writable);
  ASSERT_TRUE(find(both.at));
  EXPECT_TRUE(find(both.at)->writable);
  EXPECT_FALSE(find(none.at));
  EXPECT_TRUE(find(&ranges));
}

TEST(AllocateAt, TakesPagesThatAreFree) {
  auto space = *AddressSpace::create();
  auto chosen = space->allocate(page_bytes);
  ASSERT_TRUE(chosen);
  EXPECT_FALSE(space->is_free(chosen->gpu_address, 1));
  EXPECT_FALSE(space->allocate_at(chosen->gpu_address, 1));
  auto given = space->allocate_at(0x5000, 5000);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->gpu_address, 0x5000u);
  EXPECT_TRUE(space->contains(0x5000, 2 * page_bytes, true));
  EXPECT_TRUE(space->find(0x5000 + 4999));
  EXPECT_FALSE(space->find(0x5000 + 5000));
  for (uint64_t wrong : {uint64_t(0), uint64_t(1), uint64_t(0x4001), uint64_t(0x6000), space->size()})
    EXPECT_FALSE(space->allocate_at(wrong, 8)) << wrong;
  EXPECT_FALSE(space->allocate_at(0x4000, 4097));
  EXPECT_TRUE(space->allocate_at(0x4000, 4096));
  EXPECT_FALSE(space->allocate_at(0x9000, ~uint64_t(0)));
  space->free(*given);
  EXPECT_TRUE(space->is_free(0x5000, 2 * page_bytes));
}

}  // namespace
}  // namespace Atoll
