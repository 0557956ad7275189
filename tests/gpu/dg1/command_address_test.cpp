// Addresses at which the command streamer reads and writes, and the lowest bits that it drops: those that Mesa's genxml
// (src/intel/genxml, gen120.xml and what it builds on) leaves out of the field of the address. Values of 8 bytes stand at
// multiples of 8 (DG1 PRM volume 2a, MI_STORE_DATA_IMM, PIPE_CONTROL: the lowest bit of the address is 0 then).
#include <functional>

#include "batch.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;

constexpr uint32_t mark = 0x13579bdf;
constexpr uint32_t general_purpose = 0x2600;

struct Row {
  const char* what;
  uint32_t alignment, dropped;  // of the field: 1 << the lowest bit that genxml has, less 1
  uint32_t bytes;               // written at the address; 0: they are read, and tell so in `result`
  std::function<void(Batch&, uint64_t address, uint64_t result)> add;
};

// Fields are written past their lowest bits: dword `at` of the command and the one behind it hold the address as it is.
template <class Command>
void add(Batch& b, uint32_t at, uint64_t address, std::initializer_list<std::pair<uint32_t, uint32_t>> more, uint32_t dwords) {
  b.add<Command>(
      [&](uint32_t* w) {
        for (auto [n, word] : more) w[n] |= word;
        w[at] |= uint32_t(address), w[at + 1] |= uint32_t(address >> 32);
      },
      dwords);
}

const Row rows[] = {
    {"MI_STORE_DATA_IMM Address", 4, 3, 4,
     [](Batch& b, uint64_t a, uint64_t) { add<MI_STORE_DATA_IMM>(b, 1, a, {{3, mark}}, 4); }},
    {"MI_STORE_DATA_IMM Address, 64 bits", 8, 3, 8,
     [](Batch& b, uint64_t a, uint64_t) { add<MI_STORE_DATA_IMM>(b, 1, a, {{0, 1u << 21}, {3, mark}, {4, mark}}, 5); }},
    {"MI_STORE_REGISTER_MEM Memory Address", 4, 3, 4,
     [](Batch& b, uint64_t a, uint64_t) {
       b.load(general_purpose, mark);
       add<MI_STORE_REGISTER_MEM>(b, 2, a, {{1, general_purpose}}, 4);
     }},
    {"MI_COPY_MEM_MEM Destination Memory Address", 4, 3, 4,
     [](Batch& b, uint64_t a, uint64_t r) {
       b.store(r, mark);
       add<MI_COPY_MEM_MEM>(b, 1, a, {{3, uint32_t(r)}, {4, uint32_t(r >> 32)}}, 5);
     }},
    {"PIPE_CONTROL Address", 8, 3, 8,
     [](Batch& b, uint64_t a, uint64_t) { add<PIPE_CONTROL>(b, 2, a, {{1, 1u << 14}, {4, mark}, {5, mark}}, 6); }},
    {"MI_ATOMIC Memory Address", 4, 3, 4,
     [](Batch& b, uint64_t a, uint64_t) { add<MI_ATOMIC>(b, 1, a, {{0, 4u << 8 | 1u << 18}, {3, mark}}, 11); }},
    {"MI_ATOMIC Memory Address, 64 bits", 8, 3, 8,
     [](Batch& b, uint64_t a, uint64_t) { add<MI_ATOMIC>(b, 1, a, {{0, 0x24u << 8 | 1u << 18}, {3, mark}, {5, mark}}, 11); }},
    {"MI_REPORT_PERF_COUNT Memory Address", 64, 63, 256,
     [](Batch& b, uint64_t a, uint64_t) { add<MI_REPORT_PERF_COUNT>(b, 1, a, {{3, mark}}, 4); }},
    {"MI_LOAD_REGISTER_MEM Memory Address", 4, 3, 0,
     [](Batch& b, uint64_t a, uint64_t r) {
       add<MI_LOAD_REGISTER_MEM>(b, 2, a, {{1, general_purpose}}, 4);
       b.store_register(general_purpose, r);
     }},
    {"MI_COPY_MEM_MEM Source Memory Address", 4, 3, 0,
     [](Batch& b, uint64_t a, uint64_t r) { add<MI_COPY_MEM_MEM>(b, 3, a, {{1, uint32_t(r)}, {2, uint32_t(r >> 32)}}, 5); }},
    {"MI_SEMAPHORE_WAIT Semaphore Address", 4, 3, 0,
     [](Batch& b, uint64_t a, uint64_t r) {
       add<MI_SEMAPHORE_WAIT>(b, 2, a, {{0, 1u << 15 | 4u << 12}, {1, mark}}, 4);
       b.store(r, mark);
     }},
};

struct CommandAddresses : Commands {};

TEST_F(CommandAddresses, ReadAndWritten) {
  unsigned cases = 0;
  gpu::Options options;
  options.max_still_seconds = 0.5;
  open(options);
  constexpr uint64_t window = 0x1000, around = 0x400, result = 0x8000;
  auto* bytes = reinterpret_cast<uint8_t*>(&data(0));
  for (const Row& row : rows) {
    auto check = [&](uint64_t offset, uint32_t below) {
      cases++;
      for (uint64_t n = window - around; n < window + around; n++) bytes[n] = uint8_t(0xa5 ^ (row.bytes ? 0 : n * 37));
      std::memset(bytes + result, 0, 64);
      if (!row.bytes) std::memcpy(bytes + offset, &mark, 4);
      Batch b;
      row.add(b, data_at + offset + below, data_at + result);
      b.end_batch();
      ASSERT_EQ(run(b), "") << row.what << " at " << offset << " + " << below;
      const auto where = testing::Message() << row.what << " at " << offset << " + " << below;
      if (!row.bytes) {
        EXPECT_EQ(data(result / 4), mark) << where;
        return;
      }
      uint64_t first = window + around, last = 0;
      for (uint64_t n = window - around; n < window + around; n++)
        if (bytes[n] != 0xa5) first = std::min(first, n), last = n;
      EXPECT_EQ(first, offset) << where;
      EXPECT_EQ(last, offset + row.bytes - 1) << where;
    };
    for (uint64_t offset = 0; offset <= 128; offset += row.alignment) check(window + offset, 0);
    for (uint32_t below = 1; below <= row.dropped; below++) check(window + row.alignment, below);
  }
  EXPECT_GT(cases, 250u);
}

}  // namespace
}  // namespace Atoll::dg1
