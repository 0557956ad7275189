// Messages to the URB on small programs, on both engines: random ones against a model written apart, and those that name nothing. The
// messages' layout: Mesa 22.3.6 brw_eu.h, brw_urb_desc; docs of what vertex and geometry shaders send.
#include <gtest/gtest.h>

#include <random>

#include "machine.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1_tests;

constexpr uint32_t urb_bytes = 2048;
constexpr xe_lp::UrbEntries vertices{1, 7, 2}, patches{8, 17, 3};  // of 128 and 192 bytes

class UrbMessages : public testing::TestWithParam<wave::EngineChoice> {
protected:
  Machine machine{GetParam(), false};
  std::mt19937 random{7};
  uint32_t below(uint32_t n) { return random() % n; }

  UrbMessages() {
    machine.groups.simd = 8, machine.groups.slm_bytes = urb_bytes;
    machine.groups.context.urb[0] = vertices, machine.groups.context.urb[1] = patches;
  }
  // The handle of any entry.
  uint32_t handle() {
    const uint32_t n = below(6);
    return (n < 3 ? 1 + 2 * n : 8 + 3 * (n - 3)) | below(32) << 27;
  }
};

// As a URB message's descriptor has it; without lengths.
struct Message {
  bool write = false, offsets = false, masks = false;
  uint32_t offset = 0;
  uint32_t descriptor() const {
    return (write ? 7 : 8) | offset << 4 | uint32_t(masks) << 15 | uint32_t(offsets) << 17 | 1 << 19;
  }
};

TEST_P(UrbMessages, RandomOnesDoAsTheModel) {
  Machine& m = machine;
  constexpr unsigned blocks = 8, block_registers = 11, answer = 90, place = 99;
  const unsigned rounds = GetParam() == wave::EngineChoice::Jit ? 8 : 60;  // (each is a program to compile)
  for (unsigned round = 0; round < rounds; round++) {
    // A block of registers is handles, and behind them offsets, masks, data, as its messages will take them.
    uint32_t registers[128][8] = {};
    Message form[blocks];
    for (unsigned b = 0; b < blocks; b++) {
      Message& f = form[b];
      f.write = below(3) != 0, f.offsets = below(2), f.masks = f.write && below(2), f.offset = below(14);
      for (unsigned r = 0; r < block_registers; r++)
        for (uint32_t& x : registers[1 + b * block_registers + r])
          x = r == 0 ? handle() : r == 1 && f.offsets ? (below(8) ? below(12) : uint32_t(random())) : uint32_t(random());
    }
    std::vector<uint8_t> payload(88 * 32);
    std::memcpy(payload.data(), registers[1], payload.size());
    m.groups.cross_thread = payload;
    const uint32_t dispatched = below(2) ? 0xff : below(256);
    m.groups.right_mask = dispatched;

    std::vector<uint32_t> urb(urb_bytes / 4), expected;
    std::vector<std::string> lines = {"(W) mov (8|M0) r98.0<1>:uw 0x76543210:v", "(W) mov (8|M0) r99.0<1>:ud r98.0<8;8,1>:uw",
                                      "(W) shl (8|M0) r99.0<1>:ud r99.0<8;8,1>:ud 2:ud"};
    for (unsigned n = 0; n < 10; n++) {
      const unsigned b = below(blocks), first = 1 + b * block_registers;
      const Message& f = form[b];
      const unsigned head = 1u + f.offsets + f.masks, components = 1 + below(8), all = head + (f.write ? components : 0);
      const unsigned split = 1 + below(all);
      const uint32_t on = below(2) ? 0xff : below(256);
      const bool everywhere = below(4) == 0;  // (W): lanes that were not dispatched act too
      const uint32_t acting = on & (everywhere ? 0xff : dispatched);
      lines.push_back(fmt::format("(W) mov (1|M0) f0.0<1>:uw 0x{:x}:uw", on));
      lines.push_back(fmt::format("(W) mov (8|M0) r{}.0<1>:ud 0x5a5a:ud", answer));
      for (unsigned c = 1; c < components; c++) lines.push_back(fmt::format("(W) mov (8|M0) r{}.0<1>:ud 0x5a5a:ud", answer + c));
      lines.push_back(send(
          "urb", 8, f.write ? "null" : fmt::format("r{}", answer).c_str(), first, all > split ? int(first + split) : -1,
          all - split, f.descriptor() | split << 25 | (f.write ? 0 : components) << 20, everywhere ? "(W&f0.0) " : "(f0.0) "));
      uint32_t got[8][8];
      for (auto& row : got) std::fill(row, row + 8, 0x5a5a);
      for (unsigned lane = 0; lane < 8; lane++) {
        if (!(acting >> lane & 1)) continue;
        const uint32_t row = registers[first][lane] & 0x7ffffff, bytes = row < 8 ? 128 : 192;
        for (unsigned c = 0; c < components; c++) {
          const uint64_t at = (uint64_t(f.offset) + (f.offsets ? registers[first + 1][lane] : 0)) * 16 + c * 4;
          const bool inside = at < bytes;
          uint32_t& dword = urb[inside ? (row * 64 + at) / 4 : 0];
          if (!f.write)
            got[c][lane] = inside ? dword : 0;
          else if (inside && (!f.masks || registers[first + head - 1][lane] >> (16 + c) & 1))
            dword = registers[first + head + c][lane];
        }
      }
      if (f.write) continue;
      for (unsigned c = 0; c < components; c++) {
        lines.push_back(
            send("dc1", 8, "null", place, int(answer + c), 1, descriptor(1, 0, false, 9, 0xe00 | 2 << 12 | 1), "(W) "));
        lines.push_back(fmt::format("(W) add (8|M0) r{}.0<1>:ud r{}.0<8;8,1>:ud 32:ud", place, place));
        expected.insert(expected.end(), got[c], got[c] + 8);
      }
    }
    // All of it, as shared local memory sees it.
    lines.push_back("(W) mov (8|M0) r100.0<1>:ud r98.0<8;8,1>:uw"),
        lines.push_back("(W) shl (8|M0) r100.0<1>:ud r100.0<8;8,1>:ud 2:ud");
    for (unsigned n = 0; n < 17 * 2; n++) {
      lines.push_back(send("dc1", 8, "r101", 100, -1, 0, descriptor(1, 1, false, 1, 0xe00 | 2 << 12 | 254), "(W) "));
      lines.push_back(send("dc1", 8, "null", place, 101, 1, descriptor(1, 0, false, 9, 0xe00 | 2 << 12 | 1), "(W) "));
      for (unsigned r : {100u, place}) lines.push_back(fmt::format("(W) add (8|M0) r{}.0<1>:ud r{}.0<8;8,1>:ud 32:ud", r, r));
    }
    expected.insert(expected.end(), urb.begin(), urb.begin() + 17 * 16);
    auto result = m.run(lines);
    ASSERT_FALSE(result.fault) << text_of(result);
    for (size_t n = 0; n < expected.size(); n++)
      ASSERT_EQ(m.word(m.output + n * 4), expected[n]) << "round " << round << ", " << n;
  }
}

// Handles of no entry, of its middle, behind the last; the message is named, and the lane.
TEST_P(UrbMessages, WildHandlesFault) {
  Machine& m = machine;
  for (uint32_t wild : {0u, 2u, 7u, 9u, 17u, 0x10001u, 0x7ffffffu, 0xffffffffu}) {
    for (bool write : {false, true}) {
      std::vector<uint8_t> payload(32);
      uint32_t handles[8] = {1, 3, 5, wild, 8, 11, 14, 1};
      std::memcpy(payload.data(), handles, sizeof handles);
      m.groups.cross_thread = payload;
      auto result = m.run({send("urb", 8, write ? "null" : "r20", 1, write ? 10 : -1, write,
                                Message{.write = write}.descriptor() | 1 << 25 | (write ? 0 : 1 << 20))});
      ASSERT_TRUE(result.fault);
      EXPECT_EQ(result.fault->kind, gpu::FaultKind::IllegalInstruction) << text_of(result);
      EXPECT_EQ(result.fault->lane, 3) << text_of(result);
      EXPECT_NE(result.fault->other.find("send.urb: a handle that names no entry"), std::string::npos) << text_of(result);
      EXPECT_NE(result.fault->instruction_text.find("send.urb"), std::string::npos) << text_of(result);
    }
  }
}

// Payloads without what they should have, and messages that the URB has not; the descriptor in a register, so that it is seen late.
TEST_P(UrbMessages, WrongDescriptorsFault) {
  Machine& m = machine;
  std::vector<uint8_t> payload(32);
  for (uint32_t n = 0; n < 8; n++) payload[n * 4] = 1;
  m.groups.cross_thread = payload;
  const Message read{}, masked_read{.masks = true}, offsets{.write = true, .offsets = true, .masks = true};
  const std::pair<uint32_t, const char*> cases[] = {{read.descriptor(), "payload without"},
                                                    {read.descriptor() | 1 << 25 | 9 << 20, "more than two slots"},
                                                    {masked_read.descriptor() | 2 << 25 | 1 << 20, "a read with channel masks"},
                                                    {offsets.descriptor() | 2 << 25, "payload without"},
                                                    {Message{.write = true}.descriptor() | 10u << 25, "more than two slots"},
                                                    {1 << 25 | 1 << 19 | 4, "does not have"}};
  for (auto [d, why] : cases) {
    auto result = m.run({fmt::format("(W) mov (1|M0) a0.0<1>:ud 0x{:x}:ud", d), "send.urb (8|M0) r20 r1 null 0x0 a0.0"});
    ASSERT_TRUE(result.fault) << why;
    EXPECT_NE(result.fault->other.find(why), std::string::npos) << text_of(result);
  }
  auto fence =
      m.run({fmt::format("(W) mov (1|M0) a0.0<1>:ud 0x{:x}:ud", 1 << 25 | 1 << 19 | 9), "send.urb (8|M0) null r1 null 0x0 a0.0"});
  EXPECT_FALSE(fence.fault) << text_of(fence);
}

INSTANTIATE_TEST_SUITE_P(Engines, UrbMessages, testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                         [](const auto& info) { return info.param == wave::EngineChoice::Jit ? "jit" : "interpreter"; });

}  // namespace
