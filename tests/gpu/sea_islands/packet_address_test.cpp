// Addresses at which packets read and write: all that a public source allows, without the lowest bits that it leaves out. A row a
// field; `alignment` is the one that the source asks for, `dropped` the bits below it that the packet ignores here. Sources:
//   pal   AMD PAL, src/core/hw/gfxip/gfx6/gfx6CmdUtil.cpp (assertions of Build*) and chip/si_ci_vi_merged_pm4defs.h (comments of fields)
//   oss2  AMD PAL, src/core/hw/ossip/oss2/sdma20_pkt_struct.h and oss2DmaCmdBuffer.cpp
//   cikd  Linux drivers/gpu/drm/radeon/cikd.h, cik.c and cik_sdma.c
//   radv  Mesa 22.3.6 src/amd/vulkan/radv_cmd_buffer.c
#include <functional>

#include "gpu/sea_islands/stream.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;
using Kind = gpu::QueueKind;

constexpr uint32_t mark = 0x13579bdf;
constexpr uint64_t there_bit = uint64_t(1) << 63;

class PacketAddresses : public SeaIslandsTest {
protected:
  PacketAddresses() : SeaIslandsTest("bonaire", {.engine = gpu::Engine::Interpreter, .threads = 2, .max_still_seconds = 0.5}) {}
  // Packets access memory around here, and tell at `result` what they found.
  static constexpr uint32_t window = 0x4000, margin = 0x200, result = 0x8000;
  uint8_t* bytes(uint32_t offset) { return memory.host_pointer + offset; }
  void fill(const std::function<uint8_t(uint32_t)>& byte) {
    for (uint32_t n = window - margin; n < window + margin; n++) *bytes(n) = byte(n);
  }
};

using Make = std::function<Words(uint64_t address, uint64_t result)>;

struct Write {
  const char* what;
  uint32_t alignment, dropped, size;
  const char* source;
  Make make;
  Kind kind = Kind::graphics;
};

Words one(uint32_t opcode, std::initializer_list<uint32_t> body, uint32_t flags = 0) {
  return Words().packet(opcode, body, flags);
}
Words plain(std::initializer_list<uint32_t> words) {
  Words w;
  w.assign(words);
  return w;
}
uint32_t low(uint64_t a) { return Words::low(a); }
uint32_t high(uint64_t a) { return Words::high(a); }

constexpr uint32_t end_of_pipe = EVENT_TYPE::BOTTOM_OF_PIPE_TS | 5u << 8, mem = 5u << 8;
constexpr uint32_t scratch = SCRATCH_REG::address(0);

Words end_of_pipe_event(uint64_t a, uint32_t select) {
  return one(EVENT_WRITE_EOP::opcode, {end_of_pipe, low(a), high(a) | select << 29, mark, mark});
}
Words release(uint64_t a, uint32_t select) {
  return one(RELEASE_MEM::opcode, {end_of_pipe, select << 29, low(a), high(a), mark, mark});
}
Words event_with_address(uint64_t a, uint32_t type, uint32_t index) {
  return one(EVENT_WRITE::opcode, {type | index << 8, low(a), high(a)});
}
Words atomic(uint64_t a, uint32_t operation) {
  return one(ATOMIC_MEM::opcode, {operation, low(a), high(a), mark, mark, 0, 0, 0});
}

const Write writes[] = {
    {"WRITE_DATA DST_ADDR", 4, 3, 4, "pal",
     [](uint64_t a, uint64_t) { return one(WRITE_DATA::opcode, {mem, low(a), high(a), mark}); }},
    {"COPY_DATA DST_ADDRESS", 4, 3, 4, "pal",
     [](uint64_t a, uint64_t) { return one(COPY_DATA::opcode, {5 | mem, mark, 0, low(a), high(a)}); }},
    {"COPY_DATA DST_ADDRESS, 64 bits", 4, 3, 8, "pal: no more than of 32 bits",
     [](uint64_t a, uint64_t) { return one(COPY_DATA::opcode, {5 | mem | 1u << 16, mark, mark, low(a), high(a)}); }},
    {"COPY_DW DST_ADDR", 4, 3, 4, "Mesa src/amd/common/sid.h, as COPY_DATA",
     [](uint64_t a, uint64_t) {
       Words w;
       w.user(scratch, mark).packet(COPY_DW::opcode, {2, scratch / 4, 0, low(a), high(a)});
       return w;
     }},
    {"COND_WRITE WRITE_ADDRESS", 4, 3, 4, "pal: as WAIT_REG_MEM",
     [](uint64_t a, uint64_t) { return one(COND_WRITE::opcode, {1u << 8, scratch / 4, 0, 0, 0, low(a), high(a), mark}); }},
    {"EVENT_WRITE_EOP, 32 bits", 4, 3, 4, "pal", [](uint64_t a, uint64_t) { return end_of_pipe_event(a, 1); }},
    {"EVENT_WRITE_EOP, 64 bits", 8, 7, 8, "pal", [](uint64_t a, uint64_t) { return end_of_pipe_event(a, 2); }},
    {"EVENT_WRITE_EOP, timestamp", 8, 7, 8, "pal", [](uint64_t a, uint64_t) { return end_of_pipe_event(a, 3); }},
    {"EVENT_WRITE_EOS", 4, 3, 4, "pal",
     [](uint64_t a, uint64_t) {
       return one(EVENT_WRITE_EOS::opcode, {EVENT_TYPE::CS_DONE | 6u << 8, low(a), high(a) | 2u << 29, mark});
     }},
    {"RELEASE_MEM, 32 bits", 4, 3, 4, "pal", [](uint64_t a, uint64_t) { return release(a, 1); }, Kind::compute},
    {"RELEASE_MEM, 64 bits", 8, 7, 8, "pal", [](uint64_t a, uint64_t) { return release(a, 2); }, Kind::compute},
    {"RELEASE_MEM, timestamp", 8, 7, 8, "pal", [](uint64_t a, uint64_t) { return release(a, 3); }, Kind::compute},
    {"EVENT_WRITE ZPASS_DONE", 8, 7, 56, "pal",
     [](uint64_t a, uint64_t) { return event_with_address(a, EVENT_TYPE::ZPASS_DONE, 1); }},
    {"EVENT_WRITE SAMPLE_PIPELINESTAT", 8, 7, 88, "pal",
     [](uint64_t a, uint64_t) { return event_with_address(a, EVENT_TYPE::SAMPLE_PIPELINESTAT, 2); }},
    {"EVENT_WRITE SAMPLE_STREAMOUTSTATS", 8, 7, 16, "pal",
     [](uint64_t a, uint64_t) { return event_with_address(a, EVENT_TYPE::SAMPLE_STREAMOUTSTATS, 3); }},
    {"STRMOUT_BUFFER_UPDATE DST_ADDRESS", 4, 3, 4, "pal",
     [](uint64_t a, uint64_t) { return one(STRMOUT_BUFFER_UPDATE::opcode, {1 | 3 << 1, low(a), high(a), 0, 0}); }},
    {"DUMP_CONST_RAM ADDR", 4, 3, 4, "pal",
     [](uint64_t a, uint64_t) {
       Words w;
       w.packet(WRITE_CONST_RAM::opcode, {16, mark}).packet(DUMP_CONST_RAM::opcode, {16, 1, low(a), high(a)});
       return w;
     }},
    {"DMA_DATA DST_ADDR", 1, 0, 3, "pal: bytes",
     [](uint64_t a, uint64_t) { return one(DMA_DATA::opcode, {2u << 29, mark, 0, low(a), high(a), 3}); }},
    {"CP_DMA DST_ADDR", 1, 0, 3, "pal: bytes",
     [](uint64_t a, uint64_t) { return one(CP_DMA::opcode, {mark, 2u << 29, low(a), high(a), 3}); }},
    {"ATOMIC_MEM ADDRESS, 32 bits", 4, 3, 4, "pal", [](uint64_t a, uint64_t) { return atomic(a, 7); }},
    {"ATOMIC_MEM ADDRESS, 64 bits", 8, 7, 8, "pal", [](uint64_t a, uint64_t) { return atomic(a, 0x27); }},
    {"MEM_SEMAPHORE ADDRESS", 8, 7, 8, "cikd: cik_semaphore_ring_emit()",
     [](uint64_t a, uint64_t) { return one(MEM_SEMAPHORE::opcode, {low(a), high(a) | 1u << 20 | 6u << 29}); }},
    {"SDMA_WRITE DST_ADDR", 4, 3, 4, "oss2: dwords", [](uint64_t a, uint64_t) { return plain({2, low(a), high(a), 1, mark}); },
     Kind::copy},
    {"SDMA_FENCE ADDR", 4, 3, 4, "oss2", [](uint64_t a, uint64_t) { return plain({5, low(a), high(a), mark}); }, Kind::copy},
    {"SDMA_TIMESTAMP GET_LOCAL", 8, 7, 8, "oss2: bits 31:3",
     [](uint64_t a, uint64_t) { return plain({13 | 1u << 8, low(a), high(a)}); }, Kind::copy},
    {"SDMA_TIMESTAMP GET_GLOBAL", 8, 7, 8, "oss2: bits 31:3",
     [](uint64_t a, uint64_t) { return plain({13 | 2u << 8, low(a), high(a)}); }, Kind::copy},
    {"SDMA_SEMAPHORE ADDR", 8, 7, 8, "cikd: cik_sdma_semaphore_ring_emit()",
     [](uint64_t a, uint64_t) { return plain({7 | 3u << 29, low(a), high(a)}); }, Kind::copy},
    {"SDMA_CONSTANT_FILL DST_ADDR", 1, 0, 3, "oss2: bytes",
     [](uint64_t a, uint64_t) { return plain({11, low(a), high(a), mark, 3}); }, Kind::copy},
    {"SDMA_COPY DST_ADDR", 1, 0, 3, "oss2: bytes",
     [](uint64_t a, uint64_t r) { return plain({1, 3, 0, low(r), high(r), low(a), high(a)}); }, Kind::copy},
    {"SDMA_GENERATE_PTE_PDE DST_ADDR", 8, 7, 8, "cikd: cik_sdma_vm_set_pages(), entries of 8 bytes",
     [](uint64_t a, uint64_t) { return plain({12, low(a), high(a), 0, 0, mark, mark, 0, 0, 1}); }, Kind::copy},
};

TEST_F(PacketAddresses, Written) {
  size_t cases = 0;
  for (const Write& row : writes) {
    auto check = [&](uint32_t offset, uint32_t below) {
      cases++;
      uint32_t first = window + margin, last = 0;
      for (uint8_t old : {0xa5, 0x5a, 0xc3}) {  // (a timestamp may have one of them anywhere)
        fill([&](uint32_t) { return old; });
        qword(result) = 0;
        good(row.make(at(offset) + below, at(result)), row.kind);
        for (uint32_t n = window - margin; n < window + margin; n++)
          if (*bytes(n) != old) first = std::min(first, n), last = std::max(last, n);
      }
      EXPECT_EQ(first, offset) << row.what << " at " << offset - window << " + " << below << " (" << row.source << ")";
      EXPECT_EQ(last, offset + row.size - 1) << row.what << " at " << offset - window << " + " << below;
    };
    for (uint32_t offset = 0; offset <= 64; offset += row.alignment) check(window + offset, 0);
    for (uint32_t below = 1; below <= row.dropped; below++)
      for (uint32_t offset = 0; offset < 64; offset += row.alignment) check(window + offset, below);
  }
  RecordProperty("cases", int(cases));
  EXPECT_GT(cases, 1500u);
}

// "If the address isn't 32-byte aligned", zero is written (oss2DmaCmdBuffer.cpp, WriteTimestampCmd()).
TEST_F(PacketAddresses, GlobalTimestampsOfCopyEngines) {
  for (uint32_t offset = 0; offset < 64; offset += 8) {
    qword(window + offset) = 77;
    good(plain({13 | 2u << 8, low(at(window + offset)), high(at(window + offset))}), Kind::copy);
    EXPECT_EQ(qword(window + offset) == 0, offset % 32 != 0) << offset;
  }
}

// Memory that a packet reads at its address, seen by what it leaves at `result` (which holds 0 before).
struct Read {
  const char* what;
  uint32_t alignment, dropped;
  const char* source;
  std::vector<uint32_t> there;  // dwords at the address
  uint32_t expected;
  Make make;
  // The dwords around: with all of them alike, those that make the difference where the packet reads beside its address.
  std::function<uint32_t(uint32_t n)> elsewhere = [](uint32_t) { return 0u; };
  Kind kind = Kind::graphics;
};

uint32_t zero(uint32_t) { return 0; }
uint32_t ones(uint32_t) { return 1; }
uint32_t noise(uint32_t n) { return (n * 2654435761u) ^ 0x5bd1e995u; }
// Counts of which the second of a pair is greater, wherever pairs begin.
uint32_t growing(uint32_t n) { return n % 2 ? 0x80000000u : 1000 + n; }

Words predicate_of(uint64_t a, uint32_t operation, uint64_t r) {
  Words w = one(SET_PREDICATION::opcode, {low(a), high(a) | operation << 16 | 1u << 8});
  w.packet(WRITE_DATA::opcode, {mem, low(r), high(r), 1}, predicate);
  w.packet(SET_PREDICATION::opcode, {0, 0});
  return w;
}
Words condition(uint64_t a, uint64_t r) { return one(COND_EXEC::opcode, {low(a), high(a), 0, 5}).write(r, 1); }

std::vector<Read> reads() {
  enum { ZPASS = 1, PRIMCOUNT, BOOL64, BOOL32 };
  const uint32_t t = uint32_t(there_bit >> 32);
  auto bool64 = [](uint64_t a, uint64_t r) { return predicate_of(a, BOOL64, r); };
  auto bool32 = [](uint64_t a, uint64_t r) { return predicate_of(a, BOOL32, r); };
  auto stored = [](Words w, uint32_t address, uint64_t r) {
    w.store(address, r);
    return w;
  };
  auto indirect = [=](uint64_t base, uint32_t offset, uint64_t r) {
    Words w;
    w.packet(SET_BASE::opcode, {1, low(base), high(base)}).packet(DRAW_INDIRECT::opcode, {offset, 0, 0, 2});
    return stored(w, VGT_NUM_INSTANCES::address(), r);
  };
  return {
      {"SET_PREDICATION BOOL64, true", 8, 7, "pal", {1, 0}, 1, bool64, zero},
      {"SET_PREDICATION BOOL64, true above", 8, 7, "pal", {0, 1}, 1, bool64, zero},
      {"SET_PREDICATION BOOL64, false", 8, 7, "pal", {0, 0}, 0, bool64, ones},
      {"SET_PREDICATION BOOL32, true", 4, 3, "VkConditionalRenderingBeginInfoEXT::offset", {1}, 1, bool32, zero},
      {"SET_PREDICATION BOOL32, false", 4, 3, "VkConditionalRenderingBeginInfoEXT::offset", {0}, 0, bool32, ones},
      {"SET_PREDICATION ZPASS",
       16,
       15,
       "pal",
       {5, t, 5, t, 6, t, 6, t, 7, t, 7, t, 8, t, 8, t},
       0,
       [](uint64_t a, uint64_t r) { return predicate_of(a, ZPASS, r); },
       growing},
      {"SET_PREDICATION PRIMCOUNT",
       16,
       15,
       "pal",
       {1, t, 1, t, 4, t, 4, t},
       1,
       [](uint64_t a, uint64_t r) { return predicate_of(a, PRIMCOUNT, r); },
       noise},
      {"COND_EXEC ADDRESS, true", 4, 3, "pal", {1}, 1, condition, zero},
      {"COND_EXEC ADDRESS, false", 4, 3, "pal", {0}, 0, condition, ones},
      {"COPY_DATA SRC_ADDRESS",
       4,
       3,
       "pal",
       {mark},
       mark,
       [](uint64_t a, uint64_t r) { return one(COPY_DATA::opcode, {1 | mem, low(a), high(a), low(r), high(r)}); },
       noise},
      {"COPY_DATA SRC_ADDRESS, 64 bits",
       4,
       3,
       "pal: no more than of 32 bits",
       {0, mark},
       mark,
       [](uint64_t a, uint64_t r) { return one(COPY_DATA::opcode, {1 | mem | 1u << 16, low(a), high(a), low(r - 4), high(r)}); },
       noise},
      {"COPY_DW SRC_ADDR",
       4,
       3,
       "Mesa src/amd/common/sid.h, as COPY_DATA",
       {mark},
       mark,
       [=](uint64_t a, uint64_t r) { return stored(one(COPY_DW::opcode, {1, low(a), high(a), scratch / 4, 0}), scratch, r); },
       noise},
      {"COND_WRITE POLL_ADDRESS",
       4,
       3,
       "pal: as WAIT_REG_MEM",
       {mark},
       1,
       [](uint64_t a, uint64_t r) {
         return one(COND_WRITE::opcode, {3 | 1 << 4 | 1 << 8, low(a), high(a), mark, ~0u, low(r), high(r), 1});
       },
       noise},
      {"WAIT_REG_MEM POLL_ADDRESS",
       4,
       3,
       "pal",
       {mark},
       1,
       [](uint64_t a, uint64_t r) { return one(WAIT_REG_MEM::opcode, {3 | 1 << 4, low(a), high(a), mark, ~0u, 4}).write(r, 1); },
       noise},
      {"STRMOUT_BUFFER_UPDATE SRC_ADDRESS",
       4,
       3,
       "pal",
       {mark},
       mark,
       [=](uint64_t a, uint64_t r) {
         return stored(one(STRMOUT_BUFFER_UPDATE::opcode, {2 << 1, 0, 0, low(a), high(a)}),
                       VGT_STRMOUT_BUFFER_OFFSET_0::address(), r);
       },
       noise},
      {"LOAD_CONST_RAM ADDR",
       4,
       3,
       "pal asks for 32, which nothing here needs",
       {mark, 2, 3, 4, 5, 6, 7, 8},
       mark,
       [](uint64_t a, uint64_t r) {
         Words w = one(LOAD_CONST_RAM::opcode, {low(a), high(a), 8, 32});
         return w.packet(DUMP_CONST_RAM::opcode, {32, 1, low(r), high(r)}), w;
       },
       noise},
      {"LOAD_UCONFIG_REG ADDR",
       4,
       3,
       "pal",
       {mark},
       mark,
       [=](uint64_t a, uint64_t r) {
         const uint32_t first = (scratch - LOAD_UCONFIG_REG::space.first) / 4;
         return stored(one(LOAD_UCONFIG_REG::opcode, {low(a - first * 4), high(a - first * 4), first, 1}), scratch, r);
       },
       noise},
      {"SET_BASE ADDRESS",
       4,
       0,
       "radv: draws' arguments at any multiple of 4 (pal asks for 8)",
       {0, mark, 0, 0},
       mark,
       [=](uint64_t a, uint64_t r) { return indirect(a, 0, r); },
       noise},
      {"DRAW_INDIRECT DATA_OFFSET",
       4,
       0,
       "pal",
       {0, mark, 0, 0},
       mark,
       [=](uint64_t a, uint64_t r) { return indirect(a & ~uint64_t(0xfff), uint32_t(a & 0xfff), r); },
       noise},
      {"DRAW_INDIRECT_MULTI COUNT_ADDR",
       4,
       3,
       "pal",
       {0},
       0,
       [=](uint64_t a, uint64_t r) {
         Words w;
         w.packet(NUM_INSTANCES::opcode, {0}).packet(SET_BASE::opcode, {1, low(r + 64), high(r)});
         w.packet(DRAW_INDIRECT_MULTI::opcode, {0, 0, 0, 1u << 30, 1, low(a), high(a), 16, 2});
         return stored(w, VGT_NUM_INSTANCES::address(), r);
       },
       ones},
      {"INDIRECT_BUFFER IB_BASE",
       4,
       3,
       "pal",
       {3u << 30 | 3u << 16 | WRITE_DATA::opcode << 8, mem, 0, 0, mark},
       mark,
       [](uint64_t a, uint64_t) { return one(INDIRECT_BUFFER_CIK::opcode, {low(a), high(a), 5 | 1u << 23}); },
       [](uint32_t) { return 0x80000000u; }},
      {"SDMA_COPY SRC_ADDR",
       1,
       0,
       "oss2: bytes",
       {mark},
       mark,
       [](uint64_t a, uint64_t r) { return plain({1, 4, 0, low(a), high(a), low(r), high(r)}); },
       noise,
       Kind::copy},
      {"SDMA_POLL_REG_MEM ADDR",
       4,
       3,
       "cikd: cik_sdma_hdp_flush_ring_emit()",
       {mark},
       1,
       [](uint64_t a, uint64_t r) {
         return plain({8 | 3u << 28 | 1u << 31, low(a), high(a), mark, ~0u, 0xfff0000a, 5, low(r), high(r), 1});
       },
       noise,
       Kind::copy},
      {"SDMA_INDIRECT_BUFFER IB_BASE",
       4,
       3,
       "oss2: 32 bits of it (Linux places buffers at multiples of 32)",
       {5, 0, 0, mark},
       mark,
       [](uint64_t a, uint64_t) { return plain({4, low(a), high(a), 4}); },
       zero,
       Kind::copy},
      {"DMA_DATA SRC_ADDR",
       1,
       0,
       "pal: bytes",
       {mark},
       mark,
       [](uint64_t a, uint64_t r) { return one(DMA_DATA::opcode, {0, low(a), high(a), low(r), high(r), 4}); },
       noise},
      {"CP_DMA SRC_ADDR",
       1,
       0,
       "pal: bytes",
       {mark},
       mark,
       [](uint64_t a, uint64_t r) { return one(CP_DMA::opcode, {low(a), high(a), low(r), high(r), 4}); },
       noise},
  };
}

TEST_F(PacketAddresses, Read) {
  size_t cases = 0;
  for (const Read& row : reads()) {
    auto check = [&](uint32_t offset, uint32_t below) {
      cases++;
      for (uint32_t n = 0; n < 2 * margin; n += 4) {
        const uint32_t word = row.elsewhere(n / 4);
        std::memcpy(bytes(window - margin + n), &word, 4);
      }
      std::vector<uint32_t> there = row.there;
      // A buffer that is called says itself where it writes.
      if (row.expected == mark && there.size() == 5) there[2] = low(at(result)), there[3] = high(at(result));
      if (row.expected == mark && there.size() == 4 && there[0] == 5) there[1] = low(at(result)), there[2] = high(at(result));
      std::memcpy(bytes(offset), there.data(), there.size() * 4);
      for (uint32_t n = 0; n < 128; n += 4) dword(result - 8 + n) = 0;
      dword(result + 64 + 4) = mark;  // (arguments of a draw that is not to happen)
      good(row.make(at(offset) + below, at(result)), row.kind);
      EXPECT_EQ(dword(result), row.expected)
          << row.what << " at " << offset - window << " + " << below << " (" << row.source << ")";
    };
    for (uint32_t offset = 0; offset <= 64; offset += row.alignment) check(window + offset, 0);
    for (uint32_t below = 1; below <= row.dropped; below++)
      for (uint32_t offset = 0; offset < 64; offset += row.alignment) check(window + offset, below);
  }
  RecordProperty("cases", int(cases));
  EXPECT_GT(cases, 1500u);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
