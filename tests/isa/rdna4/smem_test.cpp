// Scalar loads: widths, alignment, bounds, overlap with their own base (RDNA4 ISA 8).
#include "single_step.h"

namespace Atoll::rdna4::test {
namespace {

struct Width {
  const char* suffix;
  int bytes;
  bool sign;
};
constexpr Width widths[] = {{"b32", 4, false},   {"b64", 8, false}, {"b96", 12, false}, {"b128", 16, false}, {"b256", 32, false},
                            {"b512", 64, false}, {"i8", 1, true},   {"u8", 1, false},   {"i16", 2, true},    {"u16", 2, false}};
constexpr uint32_t untouched = 0xdeadbeef;

class Smem : public ::testing::Test {
protected:
  Smem() {
    for (auto& byte : wave.memory) byte = uint8_t(words.next());
  }
  uint32_t expected(uint64_t address, const Width& w) {
    uint32_t x = 0;
    std::memcpy(&x, &wave.memory[address - SingleStep::memory_base], size_t(w.bytes < 4 ? w.bytes : 4));
    if (w.sign) x = w.bytes == 1 ? uint32_t(int32_t(int8_t(x))) : uint32_t(int32_t(int16_t(x)));
    return x;
  }
  Words words{3};
  SingleStep wave;
};

TEST_F(Smem, LoadsOfEveryWidth) {
  for (auto& w : widths)
    for (int n = 0; n < 200; n++) {
      uint32_t ignored = w.bytes >= 4 ? 3 : uint32_t(w.bytes - 1);
      uint64_t base = SingleStep::memory_base + 4096 + words.next() % 8192;
      uint32_t soffset = words.next() % 4096;
      Instruction i;
      i.saddr = 2,
      i.soffset = n % 2   ? uint16_t(NULL_SGPR)
                  : n % 4 ? uint16_t(M0)
                          : 1,
      i.offset = int32_t(words.next() % 4096) - 2048, i.dst = 8;
      if (n % 2) soffset = 0;
      wave.s(1) = wave.s(M0) = soffset;
      wave.set_s64(2, base);
      for (int k = 0; k < 20; k++) wave.s(8 + k) = untouched;
      wave.run((std::string("s_load_") + w.suffix).c_str(), i);
      ASSERT_EQ(wave.w->stop, wave::Stop::Run);
      uint64_t address = (base & ~uint64_t(ignored)) + (soffset & ~ignored) + uint64_t(int64_t(i.offset & ~int32_t(ignored)));
      int count = (w.bytes + 3) / 4;
      for (int k = 0; k < 20; k++)
        ASSERT_EQ(wave.s(8 + k), k < count ? expected(address + 4 * k, w) : untouched) << w.suffix << " dword " << k;
    }
}

TEST_F(Smem, MayOverwriteItsBase) {
  wave.set_s64(4, SingleStep::memory_base + 64);
  Instruction i;
  i.saddr = 4, i.dst = 4;
  wave.run("s_load_b256", i);
  for (int k = 0; k < 8; k++) EXPECT_EQ(wave.s(4 + k), expected(SingleStep::memory_base + 64 + 4 * k, widths[0]));
}

TEST_F(Smem, FaultsNameTheAddress) {
  wave.set_s64(4, uint64_t(1) << 45);
  Instruction i;
  i.saddr = 4, i.dst = 8, i.offset = 12;
  wave.run("s_load_b32", i);
  EXPECT_EQ(wave.w->stop, wave::Stop::Fault);
  EXPECT_EQ(wave.w->fault.kind, wave::FaultKind::ScalarLoad);
  EXPECT_EQ(wave.w->fault.address, (uint64_t(1) << 45) + 12);
  EXPECT_EQ(wave.w->fault.pc, SingleStep::code_base);
}

TEST_F(Smem, BuffersReadZeroOutside) {
  for (auto& w : widths)
    for (int n = 0; n < 300; n++) {
      uint32_t ignored = w.bytes >= 4 ? 3 : uint32_t(w.bytes - 1), stride = n % 3 ? words.next() % 3 * 4 : 0,
               records = words.next() % 64;
      uint64_t base = SingleStep::memory_base + words.next() % 4096;
      if (n % 17 == 0) base = uint64_t(1) << 45, records = 0;  // never touched
      wave.s(4) = uint32_t(base), wave.s(5) = uint32_t(base >> 32) | stride << 16 | 0xc0000000u, wave.s(6) = records,
      wave.s(7) = words.next();
      uint32_t soffset = words.next() % 96;
      wave.s(1) = soffset;
      Instruction i;
      i.saddr = 4, i.soffset = 1, i.offset = int32_t(words.next() % 64), i.dst = 8;
      wave.run((std::string("s_buffer_load_") + w.suffix).c_str(), i);
      ASSERT_EQ(wave.w->stop, wave::Stop::Run);
      uint64_t size = (uint64_t(stride ? stride : 1) * records) & ~uint64_t(ignored),
               offset = (soffset & ~ignored) + (uint32_t(i.offset) & ~ignored);
      for (int k = 0; k < (w.bytes + 3) / 4; k++) {
        uint64_t at = offset + 4u * k;
        ASSERT_EQ(wave.s(8 + k), at < size ? expected((base & ~uint64_t(ignored)) + at, w) : 0u) << w.suffix << " dword " << k;
      }
    }
}

TEST_F(Smem, NegativeBufferOffsetIsAFault) {
  Instruction i;
  i.saddr = 4, i.offset = -4, i.dst = 8;
  wave.run("s_buffer_load_b32", i);
  EXPECT_EQ(wave.w->stop, wave::Stop::Fault);
}

TEST_F(Smem, NullDestinationWritesNothing) {
  wave.set_s64(4, SingleStep::memory_base);
  Instruction i;
  i.saddr = 4, i.dst = NULL_SGPR;
  uint64_t exec = wave.exec();
  wave.run("s_load_b128", i);
  EXPECT_EQ(wave.exec(), exec);
  EXPECT_EQ(wave.s(M0), 0u);
}

}  // namespace
}  // namespace Atoll::rdna4::test
