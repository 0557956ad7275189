// The packets that are not one chip's, on GFX12: its registers, its words, no global data share. Memory must hold what the
// packets' public descriptions say (Mesa 25.0.7 src/amd/common/sid.h and src/amd/registers/pkt3.json; PAL
// src/core/hw/gfxip/gfx12/chip/gfx12_merged_f32_me_pm4_packets.h); words are written here bit by bit.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <vector>

#include "gpu/amd/gfx12_queue.h"

namespace Atoll::gfx12::test {
namespace {

uint32_t low(uint64_t address) { return uint32_t(address); }
uint32_t high(uint64_t address) { return uint32_t(address >> 32); }

struct Words : std::vector<uint32_t> {
  Words& packet(uint32_t opcode, std::initializer_list<uint32_t> body, bool predicated = false) {
    push_back(3u << 30 | uint32_t(body.size() - 1) << 16 | opcode << 8 | predicated);
    insert(end(), body.begin(), body.end());
    return *this;
  }
  Words& write(uint64_t to, uint32_t value, bool predicated = false) {
    return packet(0x37, {5u << 8, low(to), high(to), value}, predicated);
  }
};

class Gfx12Packets : public testing::Test {
protected:
  Gfx12Packets() : space(*AddressSpace::create()), memory(*space->allocate(0x1000)), c(*space, options, stop), processor(c) {}

  void run(const std::vector<uint32_t>& words) {
    gpu::amd::CommandStream stream(c, registers::Pm4Dialect::SeaIslands, 0x1000, words);
    processor.execute(stream);
  }
  uint32_t& at(uint32_t dword) { return reinterpret_cast<uint32_t*>(memory.host_pointer)[dword]; }
  uint64_t wide(uint32_t dword) { return at(dword) | uint64_t(at(dword + 1)) << 32; }
  uint64_t address(uint32_t dword) const { return memory.gpu_address + dword * 4; }
  std::string unknown() const {
    std::string all;
    for (auto& u : c.unknowns()) all += u.what + "\n";
    return all;
  }

  gpu::Options options;
  std::atomic<int> stop{0};
  std::unique_ptr<AddressSpace> space;
  Buffer memory;
  Context c;
  Processor processor;
};

TEST_F(Gfx12Packets, SetRegisters) {
  run(Words()
          .packet(0x69, {0x318, 0x1111, 0x2222})                // SET_CONTEXT_REG: CB_COLOR0_BASE and the next
          .packet(0xb8, {0x2d3, 0x7f, 0x400, 0x1, 0x3b0, 0x8})  // SET_CONTEXT_REG_PAIRS; the second lies in no register
          .packet(0x76, {0x8c, 1, 2, 3})                        // SET_SH_REG: SPI_SHADER_USER_DATA_GS_0 ...
          .packet(0xba, {0x9f, 5, 0x0c, 6})                     // SET_SH_REG_PAIRS: ..._GS_19 and ..._PS_0
          .packet(0x9b, {0x30000007, 0xffff})                   // SET_SH_REG_INDEX: SPI_SHADER_PGM_RSRC4_PS
          .packet(0x79, {0x242, 4})                             // SET_UCONFIG_REG: VGT_PRIMITIVE_TYPE
          .packet(0x51, {0x318, 0xff00, 0x33ff}));              // CONTEXT_REG_RMW
  EXPECT_EQ(c.registers.whole<CB_COLOR_BASE>(0), 0x3311u);
  EXPECT_EQ(c.registers.raw(0x28c64), 0x2222u);
  EXPECT_EQ(c.registers.raw(0x28b4c), 0x7fu);
  EXPECT_EQ(c.registers.raw(0x28ec0), 8u);
  EXPECT_EQ(c.registers.whole<SPI_SHADER_USER_DATA_GS>(2), 3u);
  EXPECT_EQ(c.registers.whole<SPI_SHADER_USER_DATA_GS>(19), 5u);
  EXPECT_EQ(c.registers.whole<SPI_SHADER_USER_DATA_PS>(0), 6u);
  EXPECT_EQ(c.registers.raw(0xb01c), 0xffffu);
  EXPECT_EQ(c.registers.get<VGT_PRIMITIVE_TYPE::PRIM_TYPE>(), 4u);
  EXPECT_EQ(unknown(), "register 0x29000\n");
  EXPECT_FALSE(c.lost()) << c.report();
  EXPECT_EQ(c.statistics.packets, 7u);
}

TEST_F(Gfx12Packets, SetRegistersBeyondTheirRangeOrWithoutAValue) {
  run(Words().packet(0x76, {0x3ff, 1, 2}).packet(0xb8, {0x318, 0x1111, 0x3b0}));
  EXPECT_NE(unknown().find("register 0xc000 beyond the packet's range\n"), std::string::npos) << unknown();
  EXPECT_NE(unknown().find("a register without a value behind its number\n"), std::string::npos) << unknown();
  EXPECT_EQ(c.registers.whole<CB_COLOR_BASE>(0), 0x1111u);
}

TEST_F(Gfx12Packets, LoadsRegistersFromMemory) {
  at(0x8c) = 7, at(0x8d) = 8;  // register n of the range stands n dwords behind the address
  run(Words().packet(0x5f, {low(address(0)), high(address(0)), 0x8c, 2}));
  EXPECT_EQ(c.registers.whole<SPI_SHADER_USER_DATA_GS>(0), 7u);
  EXPECT_EQ(c.registers.whole<SPI_SHADER_USER_DATA_GS>(1), 8u);
}

TEST_F(Gfx12Packets, WriteData) {
  run(Words()
          .packet(0x37, {5u << 8, low(address(0)), high(address(0)), 0x11, 0x22})
          .packet(0x37, {5u << 8 | 1u << 16, low(address(4)), high(address(4)), 0x33, 0x44})  // all to one address
          .packet(0x37, {2u << 8, low(address(6)), high(address(6)) | 0xffff0000, 0x55})      // a canonical address
          .packet(0x37, {0u << 8, 0x28c60 / 4, 0, 0x66})                                      // a register
          .packet(0x37, {3u << 8, 0, 0, 0x77}));                                              // what was the GDS
  EXPECT_EQ(at(0), 0x11u);
  EXPECT_EQ(at(1), 0x22u);
  EXPECT_EQ(at(4), 0x44u);
  EXPECT_EQ(at(5), 0u);
  EXPECT_EQ(at(6), 0x55u);
  EXPECT_EQ(c.registers.whole<CB_COLOR_BASE>(0), 0x66u);
  EXPECT_EQ(unknown(), "WRITE_DATA to 3\n");
}

TEST_F(Gfx12Packets, CopyData) {
  at(0) = 0x11, at(1) = 0x22;
  c.registers.set(0x28c60, 0x33);
  const uint32_t to_memory = 5u << 8, wide_copy = 1u << 16;
  run(Words()
          .packet(0x40, {1 | to_memory | wide_copy, low(address(0)), high(address(0)), low(address(8)), high(address(8))})
          .packet(0x40, {0 | to_memory, 0x28c60 / 4, 0, low(address(10)), high(address(10))})
          .packet(0x40, {5 | 0u << 8, 0x44, 0, 0x28c64 / 4, 0})  // the immediate to a register
          .packet(0x40, {9 | to_memory | wide_copy, 0, 0, low(address(12)), high(address(12))})
          .packet(0x40, {10 | to_memory | wide_copy, 0, 0, low(address(14)), high(address(14))})
          .packet(0x40, {3 | to_memory, 0, 0, low(address(16)), high(address(16))}));
  EXPECT_EQ(wide(8), 0x22'0000'0011u);
  EXPECT_EQ(at(10), 0x33u);
  EXPECT_EQ(c.registers.raw(0x28c64), 0x44u);
  EXPECT_EQ(wide(12), 1000u);
  EXPECT_EQ(wide(14), 2000u);
  EXPECT_EQ(unknown(), "COPY_DATA from 3\n");
}

// BYTE_COUNT has 26 bits (Sea Islands: 21), and destination 2 is nowhere: a fetch into a cache, as both drivers fetch shaders.
TEST_F(Gfx12Packets, DmaData) {
  c.registers.set(0x28c60, 0x5a5a);
  const uint32_t bytes = (1 << 21) + 64;
  Buffer from = *space->allocate(bytes), to = *space->allocate(bytes);
  std::memset(from.host_pointer, 0xa5, bytes);
  const uint32_t memory_to_memory = 3u << 29 | 3u << 20;
  run(Words()
          .packet(0x50, {memory_to_memory, low(from.gpu_address), high(from.gpu_address) | 0xffff0000, low(to.gpu_address),
                         high(to.gpu_address) | 0xffff0000, bytes})
          .packet(0x50, {0x60200000, 0x00c00000, 0xffff8000, 0x00c00000, 0xffff8000, 0x80000280})  // of a recorded stream
          .packet(0x50, {2u << 29 | 3u << 20, 0xdead, 0, low(address(0)), high(address(0)), 8})    // the immediate
          .packet(0x50, {0u << 29 | 3u << 20, 0x28c60, 0, low(address(4)), high(address(4)), 4 | 1u << 26}));
  EXPECT_EQ(std::memcmp(from.host_pointer, to.host_pointer, bytes), 0);
  EXPECT_EQ(at(0), 0xdeadu);
  EXPECT_EQ(at(1), 0xdeadu);
  EXPECT_EQ(at(2), 0u);
  EXPECT_EQ(at(4), 0x5a5au);
  EXPECT_EQ(unknown(), "");
  EXPECT_FALSE(c.lost()) << c.report();
  EXPECT_EQ(c.write_backs, 3u) << "the fetch concerns no target";
  run(Words().packet(0x50, {1u << 29 | 3u << 20, 0, 0, low(address(0)), high(address(0)), 4}));
  EXPECT_EQ(unknown(), "DMA with a GDS, which there is none of\n");
}

TEST_F(Gfx12Packets, AtomicMem) {
  at(0) = 0xffffffff, at(1) = 1, at(2) = 5;
  run(Words()
          .packet(0x1e, {0x6f, low(address(0)), high(address(0)), 1, 0, 0, 0, 0})    // add, 64 bits wide
          .packet(0x1e, {0x48, low(address(2)), high(address(2)), 9, 0, 5, 0, 0})    // compare and swap
          .packet(0x1e, {0x5a, low(address(2)), high(address(2)), 9, 0, 5, 0, 0}));  // clamped subtraction: not modelled
  EXPECT_EQ(wide(0), 0x2'0000'0000u);
  EXPECT_EQ(at(2), 9u);
  EXPECT_EQ(unknown(), "ATOMIC_MEM operation 0x5a\n");
}

TEST_F(Gfx12Packets, ReleaseMem) {
  auto release = [&](uint32_t select, uint32_t dword) {
    return Words().packet(0x49, {0x528, select << 29, low(address(dword)), high(address(dword)), 0x1234, 0x5678, 0});
  };
  for (auto [select, dword] : {std::pair{0u, 0u}, {1u, 2u}, {2u, 4u}, {3u, 6u}, {4u, 8u}, {7u, 10u}}) run(release(select, dword));
  EXPECT_EQ(wide(0), 0u);
  EXPECT_EQ(wide(2), 0x1234u);
  EXPECT_EQ(wide(4), 0x5678'0000'1234u);
  EXPECT_EQ(wide(6), 1000u);
  EXPECT_EQ(wide(8), 2000u);
  EXPECT_EQ(unknown(), "end-of-pipe data 7\n");
  EXPECT_EQ(c.events, std::vector<uint32_t>(6, 0x28)) << "BOTTOM_OF_PIPE_TS";
}

TEST_F(Gfx12Packets, WaitRegMem) {
  at(0) = 0x105;
  c.registers.set(0x28c60, 4);
  // memory & 0xff >= 5; a register == 4; a register written and waited for; a condition that holds and one that does not
  run(Words()
          .packet(0x3c, {5 | 1 << 4, low(address(0)), high(address(0)), 5, 0xff, 10})
          .packet(0x3c, {3, 0x28c60 / 4, 0, 4, ~0u, 10})
          .packet(0x3c, {3 | 1 << 6, 0x28c64 / 4, 0x28c64 / 4, 0x77, ~0u, 10})
          .packet(0x45,
                  {3 | 1 << 4 | 1 << 8, low(address(0)), high(address(0)), 5, 0xff, low(address(1)), high(address(1)), 0x88})
          .packet(0x45,
                  {4 | 1 << 4 | 1 << 8, low(address(0)), high(address(0)), 5, 0xff, low(address(2)), high(address(2)), 0x99}));
  EXPECT_FALSE(c.lost()) << c.report();
  EXPECT_EQ(c.registers.raw(0x28c64), 0x77u);
  EXPECT_EQ(at(1), 0x88u);
  EXPECT_EQ(at(2), 0u);
  run(Words().packet(0x3c, {3, 0x28c60 / 4, 0, 5, ~0u, 10}).write(address(3), 1));
  EXPECT_TRUE(c.lost());
  EXPECT_EQ(at(3), 0u) << "nothing behind it is executed";
}

TEST_F(Gfx12Packets, BuffersAreCalledAndChained) {
  auto buffer = [&](const Words& words) {
    Buffer b = *space->allocate(words.size() * 4);
    std::memcpy(b.host_pointer, words.data(), words.size() * 4);
    return b;
  };
  const Words last = Words().write(address(2), 3), called = Words().write(address(0), 1);
  const Buffer c0 = buffer(called), c1 = buffer(last);
  run(Words()
          .packet(0x3f, {low(c0.gpu_address), high(c0.gpu_address) | 0xffff0000, uint32_t(called.size())})
          .write(address(1), 2)
          .packet(0x3f, {low(c1.gpu_address), high(c1.gpu_address), uint32_t(last.size()) | 1u << 20})
          .write(address(3), 4));
  EXPECT_EQ(at(0), 1u);
  EXPECT_EQ(at(1), 2u);
  EXPECT_EQ(at(2), 3u);
  EXPECT_EQ(at(3), 0u) << "a chain does not come back";
}

TEST_F(Gfx12Packets, ConditionsAndPredicates) {
  const uint32_t one = 5;  // dwords of a write of one
  at(0) = 0, at(1) = 1;
  at(8) = 10, at(9) = 0x80000000, at(10) = 12, at(11) = 0x80000000;  // an occlusion query of two backends: the first counted 2
  at(12) = 0, at(13) = 0x80000000, at(14) = 0, at(15) = 0x80000000;
  run(Words()
          .packet(0x22, {low(address(0)), high(address(0)), 0, one})
          .write(address(20), 1)  // skipped
          .packet(0x22, {low(address(1)), high(address(1)), 0, one})
          .write(address(21), 1)
          .packet(0x23, {2u << 24 | one})                                                      // for the second device
          .write(address(22), 1)                                                               // skipped
          .packet(0x20, {3u << 16 | 1u << 8, low(address(0)), high(address(0)) | 0xffff0000})  // BOOL64: draw if not 0
          .write(address(23), 1, true)
          .packet(0x20, {4u << 16 | 1u << 8, low(address(0)), high(address(0))})  // BOOL32
          .write(address(24), 1, true)                                            // skipped
          .packet(0x20, {1u << 16 | 0u << 8, low(address(8)), high(address(8))})  // ZPASS: draw if not visible
          .write(address(25), 1, true)                                            // skipped
          .packet(0x20, {0, 0, 0})
          .write(address(26), 1, true));
  EXPECT_FALSE(c.lost()) << c.report();
  const uint32_t expected[] = {0, 1, 0, 1, 0, 0, 1};
  for (uint32_t n = 0; n < std::size(expected); n++) EXPECT_EQ(at(20 + n), expected[n]) << n;
}

// SGPRs stand by their numbers in the shader registers: 0x8c is SPI_SHADER_USER_DATA_GS_0.
TEST_F(Gfx12Packets, DrawsByArgumentsInMemory) {
  const uint32_t arguments[2][5] = {{3, 1, 7, 0, 0}, {6, 2, 8, 9, 10}};
  for (uint32_t n = 0; n < 2; n++) std::memcpy(&at(n * 8), arguments[n], 20);
  at(32) = 1;
  c.indirect_base = address(0);
  const uint32_t with_index = 1u << 31 | 0x8e, counted = 1u << 30;
  run(Words()
          .packet(0x2c, {0, 0x8c, 0x8d, with_index, 2, 0, 0, 32, 2})
          .packet(0x38, {0, 0x8c, 0x8d, with_index | counted, 2, low(address(32)), high(address(32)), 32, 0})
          .packet(0x24, {32, 0, 0, 2}));
  ASSERT_EQ(c.draws.size(), 4u);
  EXPECT_EQ(c.draws[0].arguments.count, 3u);
  EXPECT_EQ(c.draws[0].initiator, 2u);
  EXPECT_FALSE(c.draws[0].indexed);
  EXPECT_EQ(c.draws[0].users, (std::vector<uint32_t>{7, 0, 0}));
  EXPECT_EQ(c.draws[1].arguments.instances, 2u);
  EXPECT_EQ(c.draws[1].users, (std::vector<uint32_t>{8, 9, 1}));
  EXPECT_TRUE(c.draws[2].indexed);
  EXPECT_EQ(c.draws[2].arguments.first, 7u);
  EXPECT_EQ(c.draws[2].users, (std::vector<uint32_t>{0, 0, 0})) << "of indexed ones the fourth and fifth";
  EXPECT_EQ(c.draws[3].users, (std::vector<uint32_t>{0, 0, 0})) << "register 0 is none";
  EXPECT_EQ(c.registers.whole<VGT_NUM_INSTANCES>(), 2u);
}

TEST_F(Gfx12Packets, WhatIsWrongIsSaid) {
  run(Words().packet(0x4e, {1, 1, 1, 2}).packet(0xcf, {0}));
  EXPECT_EQ(unknown(), "packet DISPATCH_MESH_DIRECT\npacket 0xcf\n");
  run(Words().packet(0x49, {0x528, 0, 0}).write(address(0), 1));
  EXPECT_NE(c.report().find("3 dwords behind the header, 7 are needed"), std::string::npos) << c.report();
  EXPECT_EQ(at(0), 0u);
}

TEST_F(Gfx12Packets, MemoryThatIsNotThere) {
  run(Words().write(0x7fff'0000'0000, 1));
  EXPECT_TRUE(c.lost());
  EXPECT_NE(c.report().find("write of data"), std::string::npos) << c.report();
}

}  // namespace
}  // namespace Atoll::gfx12::test
