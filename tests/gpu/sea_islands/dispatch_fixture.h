// Compute dispatches for tests: a program, the registers, the packet.
#pragma once
#include "gpu/sea_islands/stream.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/parse.h"

namespace Atoll::sea_islands::test {

class DispatchTest : public SeaIslandsTest {
protected:
  using SeaIslandsTest::SeaIslandsTest;

  // A program in memory; its address is a multiple of 256.
  uint64_t program(const std::vector<const char*>& lines) {
    Buffer code = *space->allocate(4096, 4096);
    uint32_t* at = reinterpret_cast<uint32_t*>(code.host_pointer);
    for (const char* line : lines) {
      auto instruction = gfx7::parse(line);
      EXPECT_TRUE(instruction) << line << ": " << (instruction ? "" : instruction.error().message);
      auto words = gfx7::encode(*instruction);
      EXPECT_TRUE(words) << line;
      for (unsigned n = 0; n < words->count; n++) *at++ = words->dwords[n];
    }
    return code.gpu_address;
  }
  struct Setup {
    uint64_t program = 0;
    uint32_t threads[3] = {64, 1, 1}, groups[3] = {1, 1, 1};
    uint32_t initiator = 1;  // COMPUTE_SHADER_EN
    uint32_t rsrc1 = 3, rsrc2 = 0, start[3] = {0, 0, 0}, ring = 0;
    std::vector<uint32_t> user_data = {};
  };
  static Words registers(const Setup& s) {
    Words w;
    w.shader(COMPUTE_PGM_LO::address(), uint32_t(s.program >> 8)).shader(COMPUTE_PGM_HI::address(), uint32_t(s.program >> 40));
    w.shader(COMPUTE_PGM_RSRC1::address(), s.rsrc1).shader(COMPUTE_PGM_RSRC2::address(), s.rsrc2);
    for (unsigned n = 0; n < 3; n++) {
      w.shader(COMPUTE_NUM_THREAD_X::address() + n * 4, s.threads[n]);
      w.shader(COMPUTE_START_X::address() + n * 4, s.start[n]);
    }
    w.shader(COMPUTE_TMPRING_SIZE::address(), s.ring);
    for (unsigned n = 0; n < s.user_data.size(); n++) w.shader(COMPUTE_USER_DATA::address(n), s.user_data[n]);
    return w;
  }
  static Words stream(const Setup& s) {
    Words w = registers(s);
    return w.packet(packets::DISPATCH_DIRECT::opcode, {s.groups[0], s.groups[1], s.groups[2], s.initiator});
  }
  gpu::Statistics statistics() { return queue(gpu::QueueKind::graphics).statistics(); }
  uint64_t invocations(uint32_t offset = 0x800) {
    good(Words().packet(packets::EVENT_WRITE::opcode, {30 | 2 << 8, Words::low(at(offset)), Words::high(at(offset))}));
    return qword(offset + 80);
  }
};

}  // namespace Atoll::sea_islands::test
