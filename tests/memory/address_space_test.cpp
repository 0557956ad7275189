// Windows, allocations, guard pages and the table of mappings.
#include "memory/address_space.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "memory/fault.h"

namespace Atoll {
namespace {

// Does reading (or writing) the host byte fault?
bool faults(volatile uint8_t* at, bool write = false) {
  static thread_local FaultRecovery recovery;
  if (sigsetjmp(recovery.environment, 0) != 0) return true;
  recovery.activate();
  if (write)
    *at = 1;
  else
    (void)*at;
  recovery.deactivate();
  return false;
}

std::unique_ptr<AddressSpace> space() {
  auto made = AddressSpace::create();
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

TEST(AddressSpace, WindowIsTwoToTheForty) { EXPECT_EQ(space()->size(), uint64_t(1) << 40); }

// Places that drivers of 48-bit GPUs use at once: the lowest pages, a process's own addresses, both ends of the upper half.
TEST(AddressSpace, SectionsOf48BitsAreApart) {
  auto memory = *MemoryFile::create();
  auto s = *AddressSpace::create_sectioned(memory);
  EXPECT_EQ(s->size(), uint64_t(1) << 48);
  const uint64_t places[] = {0x1000, 0x5555'5555'6000, 0x7fff'f7ff'0000, 0x8000'0000'1000, 0xc002'0001'0000, 0xffff'ffff'f000};
  const uint64_t offset = *memory->allocate(std::size(places) * page_bytes);
  uint64_t n = 0;
  for (uint64_t at : places) {
    ASSERT_TRUE(s->map(at, offset + n * page_bytes, page_bytes));
    *s->host(at) = uint8_t(++n);
  }
  n = 0;
  for (uint64_t at : places) {
    EXPECT_EQ(*s->host(at), ++n) << std::hex << at;
    EXPECT_EQ(s->gpu_address_of(s->host(at)), int64_t(at));
    EXPECT_TRUE(s->contains(at, page_bytes));
    EXPECT_FALSE(s->contains(at ^ uint64_t(1) << 45, 1));
    EXPECT_FALSE(faults(s->host(at), true));
    EXPECT_GE(s->sections().window_address(at ^ uint64_t(1) << 45), s->window_bytes());
    ASSERT_TRUE(s->unmap(at, page_bytes));
    EXPECT_TRUE(faults(s->host(at)));
  }
  EXPECT_GE(s->sections().window_address(uint64_t(1) << 48), s->window_bytes());
}

TEST(AddressSpace, SectionsAreFoundByTheirWindow) {
  auto memory = *MemoryFile::create();
  auto plain = *AddressSpace::create(memory);
  const uint8_t* window;
  {
    auto s = *AddressSpace::create_sectioned(memory);
    window = s->base();
    ASSERT_TRUE(s->map(0x7fff'f7ff'0000, *memory->allocate(page_bytes), page_bytes));
    const Sections found = Sections::of_window(window);
    EXPECT_EQ(found.window_address(0x7fff'f7ff'0123), s->sections().window_address(0x7fff'f7ff'0123));
    EXPECT_EQ(found.words()[0x7fffu >> (found.bits - 32)], uint32_t(found.window_address(0x7fff'f7ff'0000) >> 32) - 0x7fff);
    EXPECT_EQ(Sections::of_window(plain->base()).window_address(0x1234), 0x1234u);
  }
  EXPECT_FALSE(Sections::of_window(window).shifts);
}

TEST(AddressSpace, AMappingOverTheEndOfASectionIsInOnePiece) {
  auto memory = *MemoryFile::create();
  auto s = *AddressSpace::create_sectioned(memory);
  const uint64_t section = s->window_bytes() / 16, offset = *memory->allocate(2 * page_bytes);
  for (uint64_t at : {5 * section - page_bytes, 100 * section - page_bytes}) {
    ASSERT_TRUE(s->map(at, offset, 2 * page_bytes));
    std::memset(s->host(at), 0x11, 2 * page_bytes);
    EXPECT_EQ(s->host(at) + page_bytes, s->host(at + page_bytes));
  }
  // the neighbour of one that is there stands beside it
  ASSERT_TRUE(s->map(101 * section, offset, page_bytes));
  ASSERT_TRUE(s->map(101 * section - page_bytes, offset, 2 * page_bytes));
  // all places are taken one day
  uint64_t placed = 0;
  for (uint64_t n = 8; n < 80; n += 2) placed += bool(s->map(n * section, offset, page_bytes));
  EXPECT_EQ(placed, 16u - 5);
  EXPECT_FALSE(s->map(255 * section, offset, page_bytes));
  ASSERT_TRUE(s->unmap(0, s->size()));
  EXPECT_TRUE(faults(s->host(5 * section)));
}

// As many as programs make contexts and devices: the first ones wide, all of them with guards.
TEST(AddressSpace, AThousandOfEachFitIntoAProcess) {
  auto memory = *MemoryFile::create();
  const uint64_t offset = *memory->allocate(page_bytes);
  for (bool sectioned : {false, true}) {
    std::vector<std::unique_ptr<AddressSpace>> all;
    for (unsigned n = 0; n < 1024; n++) {
      auto made = sectioned ? AddressSpace::create_sectioned(memory) : AddressSpace::create(memory);
      ASSERT_TRUE(made) << n << ": " << made.error().message;
      auto& s = *all.emplace_back(std::move(*made));
      EXPECT_GE(s.window_bytes(), AddressSpace::narrow_window);
      if (n == 0) EXPECT_EQ(s.window_bytes(), uint64_t(1) << (sectioned ? 44 : 40));
      const uint64_t at = sectioned ? 0x7fff'f7ff'0000 : 0xf'0000'0000;
      ASSERT_TRUE(s.map(at, offset, page_bytes));
      EXPECT_FALSE(faults(s.host(at), true));
      EXPECT_TRUE(faults(s.host(at) + page_bytes));
      EXPECT_TRUE(faults(s.base() - 1));
      EXPECT_TRUE(faults(s.base() - AddressSpace::outside_bytes));
      EXPECT_TRUE(faults(s.base() + s.window_bytes()));
      EXPECT_TRUE(faults(s.base() + s.window_bytes() + AddressSpace::outside_bytes - 1));
      if (sectioned) EXPECT_GE(s.sections().window_address(0x1234'0000'0000), s.window_bytes());
    }
    // Room comes back with those that go.
    all.clear();
    EXPECT_EQ((*AddressSpace::create_sectioned(memory))->window_bytes(), uint64_t(1) << 44);
  }
}

TEST(AddressSpace, BuffersAreZeroedAndAligned) {
  auto s = space();
  for (uint64_t bytes : {1, 15, 16, 17, 100, 4095, 4096, 4097, 70000, 1 << 20})
    for (uint64_t alignment : {16, 64, 256, 4096}) {
      auto buffer = s->allocate(bytes, alignment);
      ASSERT_TRUE(buffer) << buffer.error().message;
      EXPECT_EQ(buffer->gpu_address % alignment, 0u);
      EXPECT_EQ(buffer->host_pointer, s->base() + buffer->gpu_address);
      EXPECT_EQ(buffer->bytes, bytes);
      for (uint64_t i = 0; i < bytes; ++i) ASSERT_EQ(buffer->host_pointer[i], 0);
      std::memset(buffer->host_pointer, 0xee, bytes);
      // the end: no further from unmapped space than the alignment forces
      uint64_t slack = round_up(buffer->gpu_address + bytes, page_bytes) - (buffer->gpu_address + bytes);
      EXPECT_LT(slack, alignment);
      EXPECT_TRUE(faults(buffer->host_pointer + bytes + slack));
      EXPECT_TRUE(faults(s->host(round_down(buffer->gpu_address, page_bytes)) - 1));
      EXPECT_FALSE(faults(buffer->host_pointer + bytes - 1, true));
    }
}

TEST(AddressSpace, OneByteOverrunFaultsWhenTheSizeIsAMultipleOfTheAlignment) {
  auto s = space();
  for (uint64_t bytes : {16, 48, 4096, 4112}) {
    auto buffer = s->allocate(bytes);
    ASSERT_TRUE(buffer);
    EXPECT_FALSE(faults(buffer->host_pointer + bytes - 1));
    EXPECT_TRUE(faults(buffer->host_pointer + bytes));
    EXPECT_TRUE(faults(buffer->host_pointer + bytes, true));
  }
}

TEST(AddressSpace, EmptyBufferHasAnAddressWithNothingThere) {
  auto s = space();
  auto a = s->allocate(0), b = s->allocate(0);
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->gpu_address, 0u);
  EXPECT_NE(a->gpu_address, b->gpu_address);
  EXPECT_TRUE(faults(a->host_pointer));
  EXPECT_TRUE(faults(a->host_pointer - 1));
  EXPECT_FALSE(s->contains(a->gpu_address, 1));
  s->free(*a);
}

TEST(AddressSpace, NullAndTheOutsideFault) {
  auto s = space();
  EXPECT_TRUE(faults(s->base()));
  EXPECT_TRUE(faults(s->base() + 4095, true));
  EXPECT_TRUE(faults(s->base() - 1));
  EXPECT_TRUE(faults(s->base() + s->size()));
  EXPECT_TRUE(faults(s->base() + s->size() + (uint64_t(4) << 30)));
  EXPECT_FALSE(s->map(0, 0, page_bytes));
  EXPECT_FALSE(s->map(s->size(), 0, page_bytes));
  EXPECT_FALSE(s->map(s->size() - page_bytes, 0, 2 * page_bytes));
  EXPECT_FALSE(s->map(page_bytes + 1, 0, page_bytes));
}

TEST(AddressSpace, ContainsKnowsMappedPages) {
  auto s = space();
  auto offset = s->memory().allocate(8 * page_bytes);
  auto range = s->reserve(8 * page_bytes);
  ASSERT_TRUE(offset && range);
  uint64_t at = *range;
  EXPECT_FALSE(s->contains(at, 1));
  ASSERT_TRUE(s->map(at, *offset, 3 * page_bytes));
  ASSERT_TRUE(s->map(at + 3 * page_bytes, *offset + 3 * page_bytes, 2 * page_bytes, false));
  EXPECT_TRUE(s->contains(at, 5 * page_bytes));
  EXPECT_FALSE(s->contains(at, 5 * page_bytes + 1));
  EXPECT_FALSE(s->contains(at - 1, 1));
  EXPECT_TRUE(s->contains(at, 3 * page_bytes, true));
  EXPECT_FALSE(s->contains(at, 3 * page_bytes + 1, true));
  EXPECT_FALSE(s->contains(UINT64_MAX, 2));
  EXPECT_TRUE(faults(s->host(at + 3 * page_bytes), true));
  ASSERT_TRUE(s->unmap(at + page_bytes, page_bytes));  // a hole in the middle of a mapping
  EXPECT_TRUE(s->contains(at, page_bytes));
  EXPECT_FALSE(s->contains(at + page_bytes, 1));
  EXPECT_TRUE(s->contains(at + 2 * page_bytes, 3 * page_bytes));
  EXPECT_TRUE(faults(s->host(at + page_bytes)));
  s->release(at);
  EXPECT_FALSE(s->contains(at, 1));
  EXPECT_TRUE(faults(s->host(at)));
}

TEST(AddressSpace, OnePageAtTwoAddressesAndInTwoSpaces) {
  auto memory = MemoryFile::create();
  ASSERT_TRUE(memory);
  auto one = AddressSpace::create(*memory), two = AddressSpace::create(*memory);
  ASSERT_TRUE(one && two);
  auto offset = (*memory)->allocate(page_bytes);
  auto a = (*one)->reserve(2 * page_bytes), b = (*two)->reserve(page_bytes);
  ASSERT_TRUE(offset && a && b);
  ASSERT_TRUE((*one)->map(*a, *offset, page_bytes));
  ASSERT_TRUE((*one)->map(*a + page_bytes, *offset, page_bytes));
  ASSERT_TRUE((*two)->map(*b, *offset, page_bytes));
  *(*one)->host(*a + 5) = 77;
  EXPECT_EQ(*(*one)->host(*a + page_bytes + 5), 77);
  EXPECT_EQ(*(*two)->host(*b + 5), 77);
}

TEST(AddressSpace, FreedMemoryIsUnmappedAndComesBackZeroed) {
  auto s = space();
  auto first = s->allocate(page_bytes);
  ASSERT_TRUE(first);
  std::memset(first->host_pointer, 0xab, page_bytes);
  s->free(*first);
  EXPECT_TRUE(faults(first->host_pointer));
  EXPECT_EQ(s->memory().allocated_bytes(), 0u);
  auto second = s->allocate(page_bytes);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->gpu_address, first->gpu_address);
  EXPECT_EQ(second->host_pointer[17], 0);
}

TEST(AddressSpace, FindsTheBufferOfAnAddress) {
  auto s = space();
  auto a = s->allocate(100), b = s->allocate(200);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(s->find(a->gpu_address + 99)->gpu_address, a->gpu_address);
  EXPECT_FALSE(s->find(a->gpu_address + 100));
  EXPECT_EQ(s->find(b->gpu_address)->bytes, 200u);
  EXPECT_FALSE(s->find(0));
  EXPECT_EQ(*s->gpu_address_of(b->host_pointer), int64_t(b->gpu_address));
  EXPECT_EQ(*s->gpu_address_of(s->base() - 4), -4);
  EXPECT_FALSE(s->gpu_address_of(&a));
}

TEST(AddressSpace, TooMuchIsRefused) {
  auto s = space();
  for (uint64_t bytes : {s->size() + 1, s->size() / 2, UINT64_MAX, UINT64_MAX - 4096}) {
    auto buffer = s->allocate(bytes);
    ASSERT_FALSE(buffer) << bytes;
    EXPECT_NE(buffer.error().message.find("ask for less"), std::string::npos);
  }
  EXPECT_EQ(s->memory().allocated_bytes(), 0u);
  EXPECT_TRUE(s->allocate(16));
}

#if !__has_feature(address_sanitizer)  // which itself needs more addresses than the limit
TEST(AddressSpace, WorksInASmallerWindowUnderALimit) {
  pid_t child = ::fork();
  if (child == 0) {
    rlimit limit{uint64_t(1) << 38, uint64_t(1) << 38};
    ::setrlimit(RLIMIT_AS, &limit);
    auto s = AddressSpace::create();
    if (!s || (*s)->size() >= uint64_t(1) << 38 || (*s)->size() < uint64_t(1) << 36) ::_exit(1);
    auto buffer = (*s)->allocate(64);
    if (!buffer) ::_exit(2);
    buffer->host_pointer[63] = 1;
    limit = {uint64_t(1) << 32, uint64_t(1) << 32};
    ::setrlimit(RLIMIT_AS, &limit);
    auto none = AddressSpace::create();
    ::_exit(none || none.error().message.find("ulimit -v") == std::string::npos ? 3 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
#endif

TEST(AddressSpace, ManyThreadsAllocateAndLookUp) {
  auto s = space();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        auto buffer = s->allocate(uint64_t(16 + i * 8));
        if (!buffer || !s->contains(buffer->gpu_address, buffer->bytes, true) || !s->find(buffer->gpu_address + 1)) ++wrong;
        if (buffer && i % 3) s->free(*buffer);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace Atoll
