// Runs one vector instruction on random and edge values, in wave32 and wave64 and under partial EXEC, with the destination at
// times in a source's registers, and compares every register it may touch with a scalar reference of one lane.
#pragma once
#include <functional>

#include "single_step.h"

namespace Atoll::rdna4::test {

// The inputs of the reference of one lane: up to four dwords a source, and the modifiers.
struct LaneInput {
  uint32_t a[4], b[4], c[4], old[4];
  uint32_t lane;
  bool carry;  // the lane's bit of the mask in source 2, where the instruction reads one
  const Instruction* i;
  uint64_t a64() const { return a[0] | uint64_t(a[1]) << 32; }
  uint64_t b64() const { return b[0] | uint64_t(b[1]) << 32; }
  uint64_t c64() const { return c[0] | uint64_t(c[1]) << 32; }
  // The half that OP_SEL picks.
  uint16_t half(int n) const {
    uint32_t word = n == 0 ? a[0] : n == 1 ? b[0] : c[0];
    return uint16_t(i->op_sel >> n & 1 ? word >> 16 : word);
  }
};
struct LaneOutput {
  uint32_t d[4];
  bool mask = false;
  // d with a 16-bit result in the half that OP_SEL bit 3 picks.
  void half(const LaneInput& in, uint32_t x) {
    d[0] = in.i->op_sel & 8 ? (in.old[0] & 0xffffu) | x << 16 : (in.old[0] & 0xffff0000u) | (x & 0xffffu);
  }
};

struct VectorCase {
  const char* name;
  int dwords = 1;            // of the vector result; 0: none
  bool writes_mask = false;  // into i.sdst
  bool writes_exec = false;
  bool reads_mask = false;                                // source 2 is a lane mask
  bool clamp = false, modifiers = false, op_sel = false;  // vary these fields of the instruction
  bool omod = false;
  bool packed = false, negations = false;  // vary OP_SEL and OP_SEL_HI; NEG and NEG_HI, of VOP3P
  uint8_t op_sel_bits = 0xf;
  wave::FloatClass float_class = wave::FloatClass::F32;
  uint32_t mode = MODE_DEFAULT;
  std::function<uint32_t(Words&)> words = [](Words& w) { return w.mixed(); };
  Instruction base{};  // fields that stay as given
  int rounds = 60;
};

using Reference = std::function<LaneOutput(const LaneInput&)>;

inline void check_vector(const VectorCase& t, const Reference& reference) {
  constexpr uint32_t source_vgpr[3] = {8, 16, 24}, mask_in = 30, mask_out = 20;
  Words random(0x5eed);
  for (int round = 0; round < t.rounds; round++) {
    bool wave64 = round & 1;
    SingleStep wave(wave64);
    wave.cell(mode_cell) = t.mode;
    for (uint32_t n = 0; n < 48; n++)
      for (uint32_t lane = 0; lane < wave.lanes(); lane++) wave.v(n, lane) = t.words(random);
    uint64_t all = wave64 ? ~uint64_t(0) : 0xffffffffu;
    wave.set_exec(round < 4 ? all : random.next64() & all);
    uint64_t exec = wave.exec(), carries = random.next64() & all;
    wave.set_s64(mask_in, carries);
    wave.set_s64(mask_out, random.next64());
    uint64_t mask_before = wave.s64(mask_out);

    Instruction i = t.base;
    constexpr uint16_t destinations[] = {40, 40, 8, 16, 24, 9};
    i.dst = destinations[random.next() % (t.reads_mask ? 4 : 6)];
    for (int n = 0; n < 3; n++) i.src[n] = uint16_t(VGPR0 + source_vgpr[n]);
    if (t.reads_mask) i.src[2] = mask_in;
    if (t.writes_mask) i.sdst = t.writes_exec ? EXEC_LO : mask_out;
    if (t.clamp) i.clamp = round >> 1 & 1;
    if (t.op_sel) i.op_sel = uint8_t(random.next() & t.op_sel_bits);
    if (t.modifiers) i.abs = random.next() & 7, i.neg = random.next() & 7;
    if (t.packed) i.op_sel = random.next() & 7, i.op_sel_hi = random.next() & 7;
    if (t.negations) i.neg = random.next() & 7, i.neg_hi = random.next() & 7;
    if (t.omod) i.omod = random.next() & 3;

    std::vector<std::array<uint32_t, 64>> before(48);
    for (uint32_t n = 0; n < 48; n++)
      for (uint32_t lane = 0; lane < wave.lanes(); lane++) before[n][lane] = wave.v(n, lane);
    wave.run(t.name, i, t.float_class);
    ASSERT_EQ(wave.w->stop, wave::Stop::Run) << t.name;

    uint64_t expected_mask = 0;
    for (uint32_t lane = 0; lane < wave.lanes(); lane++) {
      LaneInput in;
      for (uint32_t n = 0; n < 4; n++) {
        in.a[n] = before[source_vgpr[0] + n][lane], in.b[n] = before[source_vgpr[1] + n][lane];
        in.c[n] = before[source_vgpr[2] + n][lane], in.old[n] = before[i.dst + n][lane];
      }
      in.lane = lane, in.carry = carries >> lane & 1, in.i = &i;
      bool active = exec >> lane & 1;
      LaneOutput out = reference(in);
      if (active && out.mask) expected_mask |= uint64_t(1) << lane;
      for (uint32_t n = 0; n < 48; n++) {
        bool written = active && int(n) >= i.dst && int(n) < i.dst + t.dwords;
        uint32_t expected = written ? out.d[n - i.dst] : before[n][lane];
        ASSERT_EQ(wave.v(n, lane), expected)
            << t.name << (written ? " result" : " left alone") << " v" << n << " lane " << lane << " wave" << wave.lanes()
            << std::hex << " a " << in.a[1] << ":" << in.a[0] << " b " << in.b[1] << ":" << in.b[0] << " c " << in.c[1] << ":"
            << in.c[0] << " clamp " << i.clamp << " op_sel " << int(i.op_sel) << " abs " << int(i.abs) << " neg " << int(i.neg)
            << " omod " << int(i.omod) << " op_sel_hi " << int(i.op_sel_hi) << " neg_hi " << int(i.neg_hi) << " expected "
            << expected << " got " << wave.v(n, lane);
      }
    }
    if (t.writes_exec)
      ASSERT_EQ(wave.exec(), expected_mask) << t.name << " EXEC";
    else if (t.writes_mask)
      ASSERT_EQ(wave.s64(mask_out), wave64 ? expected_mask : (mask_before & ~uint64_t(0xffffffffu)) | expected_mask)
          << t.name << " mask, wave" << wave.lanes() << " clamp " << i.clamp;
    if (!t.writes_exec) ASSERT_EQ(wave.exec(), exec) << t.name;
  }
}

}  // namespace Atoll::rdna4::test
