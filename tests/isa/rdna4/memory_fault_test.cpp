// Memory that is not there: which lane and address a fault names, whatever the form of the addresses, in front of and behind
// guard pages, at the window's end, in private memory, and for a wave64's second half.
#include <gtest/gtest.h>

#include <csetjmp>

#include "memory/address_space.h"
#include "memory/fault.h"
#include "memory_model.h"

namespace Atoll::rdna4::test {
namespace {

constexpr uint32_t kAddress = 40, kData = 8;

// A wave over a real window, whose faults are found out as the executor does: the step is gone through again without memory.
struct Guarded : SingleStep {
  explicit Guarded(bool wave64) : SingleStep(wave64) {
    space = std::move(*AddressSpace::create());
    buffer = *space->allocate(3 * 4096);
    w->window = space->base(), w->window_bytes = space->size();
  }
  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return space->contains(address, bytes, writable);
  }
  void execute(const char* mnemonic, const Instruction& i) {
    instruction = i;
    const SemanticEntry* entry = find_semantics(mnemonic);
    ASSERT_NE(entry, nullptr);
    for (size_t n = 0; n < steps.size(); n++) steps[n].pc = code_base + 4 * n;
    steps[0].interpret = entry->interpret, steps[0].instruction = &instruction, steps[0].decoded = true;
    w->pc = code_base, w->stop = wave::Stop::Run, w->fault = {};
    FaultRecovery recovery;
    if (sigsetjmp(recovery.environment, 0) == 0) {
      recovery.activate();
      wave::level_entries().run_one(*w, program, steps[0], isa.float_mode(*w));
      recovery.deactivate();
    } else {
      signalled++;
      wave::level_entries().probe(*w, program, steps[0], w->chunk);
    }
  }
  std::unique_ptr<AddressSpace> space;
  Buffer buffer;
  Instruction instruction;
  int signalled = 0;
};

struct Op {
  const char* name;
  unsigned bytes;  // in all
  unsigned piece;  // checked at once
  wave::FaultKind kind;
};
constexpr Op kOps[] = {
    {"global_load_u8", 1, 1, wave::FaultKind::Load},          {"global_load_i16", 2, 2, wave::FaultKind::Load},
    {"global_load_b32", 4, 4, wave::FaultKind::Load},         {"global_load_b64", 8, 4, wave::FaultKind::Load},
    {"global_load_b128", 16, 4, wave::FaultKind::Load},       {"flat_load_b32", 4, 4, wave::FaultKind::Load},
    {"global_store_b8", 1, 1, wave::FaultKind::Store},        {"global_store_b16", 2, 2, wave::FaultKind::Store},
    {"global_store_b32", 4, 4, wave::FaultKind::Store},       {"global_store_b96", 12, 4, wave::FaultKind::Store},
    {"flat_store_b64", 8, 4, wave::FaultKind::Store},         {"global_atomic_add_u32", 4, 4, wave::FaultKind::Atomic},
    {"global_atomic_swap_b64", 8, 8, wave::FaultKind::Atomic}};

// Runs `op` with each lane's address as given and compares the fault with what the mapping says.
void expect_fault(Guarded& wave, const Op& op, const std::vector<uint64_t>& addresses, int32_t offset, uint32_t dst) {
  int lane_expected = -1;
  uint64_t address_expected = 0;
  for (uint32_t lane = 0; lane < wave.lanes(); lane++) {
    wave.set_v64(kAddress, lane, addresses[lane] - uint64_t(int64_t(offset)));
    for (unsigned n = 0; n < op.bytes && wave.active(lane) && lane_expected < 0; n += op.piece)
      if (!wave.mapped(addresses[lane] + n, op.piece, op.kind != wave::FaultKind::Load))
        lane_expected = int(lane), address_expected = addresses[lane] + n;
  }
  wave.execute(op.name, {.dst = uint16_t(dst), .address = kAddress, .data = kData, .offset = offset, .th = 1});
  const wave::FaultReport& f = wave.w->fault;
  ASSERT_EQ(f.lane, lane_expected) << op.name << std::hex << " EXEC 0x" << wave.exec() << " address 0x" << f.address
                                   << ", expected 0x" << address_expected;
  ASSERT_EQ(wave.w->stop, lane_expected < 0 ? wave::Stop::Run : wave::Stop::Fault);
  if (lane_expected < 0) return;
  ASSERT_EQ(f.kind, op.kind) << op.name;
  ASSERT_EQ(f.address, address_expected) << op.name;
  ASSERT_EQ(f.bytes, op.piece);
  ASSERT_EQ(f.pc, SingleStep::code_base);
}

TEST(MemoryFaults, GuardPages) {
  Words random(11);
  int faults = 0, signalled = 0, clean = 0;
  for (bool wave64 : {false, true}) {
    Guarded wave(wave64);
    uint64_t end = wave.buffer.gpu_address + wave.buffer.bytes;
    for (const Op& op : kOps)
      for (unsigned round = 0; round < 60; round++) {
        wave.set_exec(round % 3 == 0   ? ~uint64_t(0)
                      : round % 3 == 1 ? random.next64()
                                       : uint64_t(1) << random.next() % wave.lanes());
        bool atomic = op.kind == wave::FaultKind::Atomic, front = round & 1;
        uint64_t edge = front ? wave.buffer.gpu_address : end;
        std::vector<uint64_t> addresses;
        uint64_t shift = random.next() % 80 * op.bytes;
        for (uint32_t lane = 0; lane < wave.lanes(); lane++) {
          uint64_t at = 0;
          switch (round / 2 % 5) {
            case 0: at = edge - shift + lane * op.bytes; break;                          // a row over the edge
            case 1: at = edge - 4 * op.bytes + shift % (8 * op.bytes); break;            // all the same
            case 2: at = edge - 40 * op.bytes + random.next() % (80 * op.bytes); break;  // anywhere
            case 3: at = edge + shift - lane * op.bytes; break;                          // backwards
            default:
              at = front ? edge + shift + lane * op.bytes : edge - wave.lanes() * op.bytes + lane * op.bytes;
              break;  // fits exactly
          }
          addresses.push_back(atomic ? at & ~uint64_t(op.bytes - 1) : at);
        }
        if (atomic && round / 2 % 5 == 4) continue;
        int before = wave.signalled;
        expect_fault(wave, op, addresses, atomic ? 16 : int32_t(random.next() % 40) - 20, round % 4 ? 4 : kAddress);
        if (HasFatalFailure()) return;
        (wave.w->stop == wave::Stop::Fault ? faults : clean)++;
        signalled += wave.signalled - before;
      }
  }
  EXPECT_GT(faults, 300);
  EXPECT_GT(clean, 300);
  EXPECT_EQ(signalled, faults);  // inside the window it is the processor that notices
}

// As guard pages are for loads, a page that may only be read is for stores and atomics.
TEST(MemoryFaults, PagesThatMayOnlyBeRead) {
  Words random(13);
  int faults = 0, clean = 0;
  for (bool wave64 : {false, true}) {
    Guarded wave(wave64);
    const uint64_t middle = wave.buffer.gpu_address + 4096;
    const auto part = wave.space->mapped_parts(middle, 4096).front();
    ASSERT_TRUE(wave.space->map(middle, part.file_offset, 4096, false));
    for (const Op& op : kOps)
      for (unsigned round = 0; round < 60; round++) {
        wave.set_exec(round % 3 ? random.next64() : ~uint64_t(0));
        std::vector<uint64_t> addresses;
        const uint64_t shift = random.next() % 80 * op.bytes, edge = middle + (round & 1) * 4096;
        for (uint32_t lane = 0; lane < wave.lanes(); lane++) {
          uint64_t at = edge - shift + lane * op.bytes;                               // a row over the edge
          if (round / 2 % 3 == 1) at = edge - 4 * op.bytes + shift % (8 * op.bytes);  // all the same
          if (round / 2 % 3 == 2) at = edge - 40 * op.bytes + random.next() % (80 * op.bytes);
          addresses.push_back(op.kind == wave::FaultKind::Atomic ? at & ~uint64_t(op.bytes - 1) : at);
        }
        expect_fault(wave, op, addresses, 0, 4);
        if (HasFatalFailure()) return;
        if (op.kind == wave::FaultKind::Load) EXPECT_EQ(wave.w->stop, wave::Stop::Run);
        (wave.w->stop == wave::Stop::Fault ? faults : clean)++;
      }
  }
  EXPECT_GT(faults, 300);
  EXPECT_GT(clean, 300);
}

// The second half's results must not hide behind the first half's, which may have been written over the addresses.
TEST(MemoryFaults, SecondHalfOverItsOwnAddresses) {
  Guarded wave(true);
  std::vector<uint64_t> addresses;
  for (uint32_t lane = 0; lane < 64; lane++) addresses.push_back(wave.buffer.gpu_address + wave.buffer.bytes - 45 * 8 + lane * 8);
  expect_fault(wave, {"global_load_b64", 8, 4, wave::FaultKind::Load}, addresses, 0, kAddress);
  EXPECT_EQ(wave.w->fault.lane, 45);
}

TEST(MemoryFaults, BeyondTheWindow) {
  Words random(12);
  for (bool wave64 : {false, true}) {
    Guarded wave(wave64);
    uint64_t size = wave.space->size();
    for (const Op& op : kOps)
      for (uint64_t start :
           {size, size - 16, size - 64, uint64_t(1) << 41, uint64_t(1) << 47, uint64_t(1) << 63, ~uint64_t(0) - 64,
            ~uint64_t(0) - 15, uint64_t(0), uint64_t(16), uint64_t(0xfffffff0), uint64_t(0x7ffffffff0)})
        for (unsigned form = 0; form < 3; form++) {
          wave.set_exec(form == 2 ? random.next64() | 4 : ~uint64_t(0));
          std::vector<uint64_t> addresses;
          for (uint32_t lane = 0; lane < wave.lanes(); lane++)
            addresses.push_back((start & ~15ull) + (form == 1 ? 0 : lane * op.bytes));
          expect_fault(wave, op, addresses, form == 1 ? -16 : 0, 4);
          if (HasFatalFailure()) return;
        }
  }
}

// A row whose low halves wrap while the high ones stay is not a row.
TEST(MemoryFaults, RowsThatWrapAt32Bits) {
  Guarded wave(false);
  ASSERT_TRUE(wave.space->map(uint64_t(5) << 32, 0, 4096));
  ASSERT_TRUE(wave.space->map((uint64_t(6) << 32) - 4096, 4096, 4096));
  ASSERT_TRUE(wave.space->map(uint64_t(6) << 32, 8192, 4096));
  for (uint32_t lane = 0; lane < 32; lane++) {
    wave.v(kAddress, lane) = 0xffffffe0 + 4 * lane, wave.v(kAddress + 1, lane) = 5;
    uint64_t at = uint64_t(5) << 32 | wave.v(kAddress, lane);
    uint32_t x = lane + 100;
    std::memcpy(wave.space->host(at), &x, 4);
  }
  uint32_t wrong[32] = {};
  std::memcpy(wave.space->host(uint64_t(6) << 32), wrong, sizeof wrong);
  wave.execute("global_load_b32", {.dst = 4, .address = kAddress});
  for (uint32_t lane = 0; lane < 32; lane++) EXPECT_EQ(wave.v(4, lane), lane + 100) << lane;
}

TEST(MemoryFaults, PrivateMemory) {
  for (bool wave64 : {false, true})
    for (const char* name : {"scratch_load_b32", "scratch_load_b64", "scratch_store_b32", "scratch_load_u8", "flat_load_b32"})
      for (bool equal : {false, true}) {
        Guarded wave(wave64);
        bool wide = std::string_view(name) == "scratch_load_b64";
        wave.set_exec(~uint64_t(0) << 3);
        for (uint32_t lane = 0; lane < wave.lanes(); lane++) {
          uint32_t at = lane == wave.lanes() - 5 || equal ? Guarded::scratch_bytes - (wide ? 4 : 0) : lane * 4 % 200;
          if (lane < 3) at = 0x7fffffff;  // inactive
          wave.v(kAddress, lane) = at - 8, wave.v(kAddress + 1, lane) = wave.w->flat_private_high;
        }
        wave.execute(name, {.dst = 4, .address = kAddress, .data = kData, .offset = 8});
        ASSERT_EQ(wave.w->stop, wave::Stop::Fault) << name;
        EXPECT_EQ(wave.w->fault.lane, equal ? 3 : int(wave.lanes()) - 5) << name;
        EXPECT_EQ(wave.w->fault.address, Guarded::scratch_bytes) << name;
        EXPECT_NE(std::string(wave.w->fault.reason).find("private memory"), std::string::npos);
        EXPECT_EQ(wave.signalled, 0);
      }
}

TEST(MemoryFaults, FlatAtomics) {
  Guarded wave(false);
  wave.set_exec(0x100);
  for (uint32_t lane = 0; lane < 32; lane++) wave.set_v64(kAddress, lane, uint64_t(wave.w->flat_private_high) << 32 | 16);
  wave.v(kData, 8) = 5;
  wave.execute("flat_atomic_add_u32", {.dst = 4, .address = kAddress, .data = kData});
  EXPECT_EQ(wave.w->stop, wave::Stop::Run);
  EXPECT_EQ(wave.scratch[(4 * 32 + 8) * 4], 5);
  wave.execute("flat_atomic_add_u64", {.dst = 4, .address = kAddress, .data = kData});
  EXPECT_EQ(wave.w->stop, wave::Stop::Fault);
  EXPECT_EQ(wave.w->fault.lane, 8);
  EXPECT_NE(wave.w->fault.reason, nullptr);
}

// Aperture and wrapping are decided by the base alone (RDNA4 ISA 11.2).
TEST(MemoryFaults, OffsetsDoNotChangeTheAperture) {
  Guarded wave(false);
  wave.set_exec(1);
  wave.set_v64(kAddress, 0, (uint64_t(wave.w->flat_shared_high) << 32) - 8);  // just below: memory, which is not there
  wave.execute("flat_load_b32", {.dst = 4, .address = kAddress, .offset = 16});
  EXPECT_EQ(wave.w->stop, wave::Stop::Fault);
  wave.set_v64(kAddress, 0, uint64_t(wave.w->flat_shared_high) << 32 | 0xfffffff0);  // above: LDS, cut to 17 bits
  uint32_t x = 77;
  std::memcpy(&wave.lds[16], &x, 4);
  wave.execute("flat_load_b32", {.dst = 4, .address = kAddress, .offset = 32});
  EXPECT_EQ(wave.w->stop, wave::Stop::Run);
  EXPECT_EQ(wave.v(4, 0), 77u);
}

TEST(MemoryFaults, ScalarLoads) {
  Guarded wave(false);
  wave.set_s64(20, wave.buffer.gpu_address + wave.buffer.bytes - 4);
  wave.execute("s_load_b64", {.dst = 4, .saddr = 20});
  EXPECT_EQ(wave.w->stop, wave::Stop::Fault);
  EXPECT_EQ(wave.w->fault.kind, wave::FaultKind::ScalarLoad);
  EXPECT_EQ(wave.w->fault.lane, -1);
  EXPECT_EQ(wave.w->fault.address, wave.buffer.gpu_address + wave.buffer.bytes);
}

}  // namespace
}  // namespace Atoll::rdna4::test
