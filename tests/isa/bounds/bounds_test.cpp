// Random instructions of every ISA on random registers, one at a time: registers, LDS, private memory, the GDS and the GPU's
// memory each stand alone in the host's address space, so that an index or address that leaves them is met. State that a wave
// may not change (the place of its memory) must be as before.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>

#include "isa/gfx7/isa.h"
#include "isa/gfx7/registers.h"
#include "isa/gfx7/word_generator.h"
#include "isa/r500/isa.h"
#include "isa/r500/registers.h"
#include "isa/r500/registers_vs.h"
#include "isa/r500/vertex_instruction.h"
#include "isa/r500/vertex_isa.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/registers.h"
#include "isa/rdna4/word_generator.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/isa.h"
#include "memory/address_space.h"
#include "wave/environment.h"
#include "wave/executor.h"
#include "wave/work_group.h"

namespace Atoll::wave {
namespace {

class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint32_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return uint32_t((z ^ z >> 31) >> 32);
  }
  uint32_t below(uint32_t n) { return next() % n; }

private:
  uint64_t state_;
};

// `bytes` up to an unmapped page; the page in front of them is not mapped either, and what they leave of theirs is poisoned.
class Alone {
public:
  explicit Alone(size_t bytes) : bytes_(bytes), pages_((bytes + 4095) / 4096 * 4096) {
    all_ =
        static_cast<uint8_t*>(mmap(nullptr, pages_ + 2 * around, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    EXPECT_NE(all_, MAP_FAILED);
    EXPECT_EQ(mprotect(all_ + around, pages_, PROT_READ | PROT_WRITE), 0);
    std::memset(all_ + around, poison, pages_ - bytes_);
  }
  ~Alone() { munmap(all_, pages_ + 2 * around); }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  uint8_t* data() const { return all_ + around + pages_ - bytes_; }
  bool whole() const {
    for (const uint8_t* p = all_ + around; p != data(); p++)
      if (*p != poison) return false;
    return true;
  }

private:
  static constexpr size_t around = size_t(1) << 20;
  static constexpr uint8_t poison = 0xa5;
  size_t bytes_, pages_;
  uint8_t* all_;
};

class Hostile : public Environment {
public:
  Hostile(AddressSpace& space, GlobalShare& share) : space_(space) { part = {&share, 4096, GlobalShare::bytes - 4096, 5, 20}; }
  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return space_.contains(address, bytes, writable);
  }
  uint64_t clock() override { return 5; }
  uint64_t message(Wave&, uint32_t, uint32_t) override { return ~uint64_t(0); }
  void image(Wave&, ImageAccess& access) override {
    // The descriptors are looked at whole.
    uint32_t sum = 0;
    if (access.resource)
      for (unsigned n = 0; n < (access.short_resource ? 4u : 8u); n++) sum += access.resource[n];
    if (access.sampler && access.operation >= ImageOperation::sample)
      for (unsigned n = 0; n < 4; n++) sum += access.sampler[n];
    for (auto& lanes : access.data) lanes.fill(sum);
    access.status.fill(sum);
  }
  GlobalPart global_part() override { return part; }
  WaveOrder* order(uint32_t stage) override { return stage & 1 ? nullptr : &waves; }
  TrapAnswer trap(Wave&) override { return TrapAnswer(++asked % 3); }
  GlobalPart part;
  WaveOrder waves{3, 0x1000};
  unsigned asked = 0;

private:
  AddressSpace& space_;
};

struct Subject {
  const char* name;
  const Isa* isa;
  uint32_t lanes;
  uint32_t scratch_bytes;
  std::function<std::vector<uint32_t>(Random&)> words;
  std::function<void(Wave&, Random&)> set_up = [](Wave&, Random&) {};
};

// A register's value: anything, small, near the ends of what there is, an address.
uint32_t value(Random& r, uint64_t memory) {
  switch (r.below(10)) {
    case 0: return r.next();
    case 1: return r.below(64);
    case 2: return ~0u - r.below(64);
    case 3: return 1000 + r.below(64);
    case 4: return uint32_t(memory) + r.below(8192);
    case 5: return uint32_t(memory >> 32);
    case 6: return r.below(1 << 16);
    case 7: return r.below(256) << 16 | r.below(256);
    case 8: return 1u << r.below(32);
    default: return 0;
  }
}

// ATOLL_BOUNDS=n: n instructions of each.
const unsigned count = std::getenv("ATOLL_BOUNDS") ? unsigned(std::atoi(std::getenv("ATOLL_BOUNDS"))) : 20000;

void run(const Subject& subject, unsigned many, uint64_t first_seed) {
  auto made = AddressSpace::create();
  ASSERT_TRUE(made);
  AddressSpace& space = **made;
  Buffer memory = *space.allocate(8192, 4096);
  auto share = std::make_unique<GlobalShare>();
  Hostile environment(space, *share);
  const RegisterFile file = subject.isa->register_file();
  const size_t bytes = register_file_offset + file.bytes;
  ASSERT_EQ(bytes % 128, 0u);
  Alone wave_storage(bytes), lds(1003), scratch(size_t(subject.scratch_bytes) * subject.lanes);
  std::atomic<int> stop{1};  // jumps back end the wave
  unsigned ran = 0, faults = 0;
  for (uint64_t seed = first_seed; seed < first_seed + many; seed++) {
    Random r(seed);
    std::vector<uint32_t> code = subject.words(r);
    Program program(*subject.isa, 0x10000, code);
    if (program.decoded(*program.at(0x10000)).interpret == raise_illegal()) continue;
    ran++;
    Wave& w = *new (wave_storage.data()) Wave;
    auto* registers = reinterpret_cast<uint32_t*>(bytes_of(w, register_file_offset));
    uint32_t same = value(r, memory.gpu_address);
    // All registers now and then, the first (scalars, constants) always.
    const size_t filled = seed % 64 == first_seed % 64 ? file.bytes / 4 : 256;
    for (size_t n = 0; n < filled; n++) registers[n] = r.below(4) ? value(r, memory.gpu_address) : same;
    for (size_t n = 0; n < 256; n++) registers[r.below(file.bytes / 4)] = value(r, memory.gpu_address);
    w.window = space.base(), w.window_bytes = space.size();
    w.lds = lds.data(), w.lds_bytes = 1003;
    w.scratch = scratch.data(), w.scratch_bytes = subject.scratch_bytes;
    w.lanes = subject.lanes;
    w.stop_flag = &stop, w.environment = &environment;
    if (r.below(2)) w.flat_shared_high = 0x20000, w.flat_private_high = 0x30000;
    subject.set_up(w, r);
    w.pc = 0x10000;
    WorkGroup group;
    reset(group, 1 + r.below(3));
    group.current = &w;
    w.group = &group;
    const Wave before = w;
    Executor(program, EngineChoice::Interpreter, before).run(w);
    std::string what = subject.isa->text(*program.at(0x10000));
    ASSERT_TRUE(w.window == before.window && w.window_bytes == before.window_bytes && w.lds == before.lds &&
                w.lds_bytes == before.lds_bytes && w.scratch == before.scratch && w.scratch_bytes == before.scratch_bytes &&
                w.environment == before.environment && w.lanes == before.lanes && w.group == before.group &&
                w.stop_flag == before.stop_flag && w.flat_scratch_cell == before.flat_scratch_cell)
        << subject.name << " seed " << seed << ": " << what;
    ASSERT_TRUE(wave_storage.whole() && lds.whole() && scratch.whole()) << subject.name << " seed " << seed << ": " << what;
    if (w.stop != Stop::Fault) continue;
    faults++;
    // Every fault is one that the probe explains: what is not was an access outside of all that there is.
    bool of_memory = w.fault.kind == FaultKind::Load || w.fault.kind == FaultKind::Store || w.fault.kind == FaultKind::Atomic ||
                     w.fault.kind == FaultKind::ScalarLoad;
    ASSERT_TRUE(!of_memory || w.fault.bytes || w.fault.reason)
        << subject.name << " seed " << seed << ": " << what << ": host address " << static_cast<void*>(w.window + w.fault.address)
        << ", wave at " << static_cast<void*>(&w) << ", " << bytes << " bytes";
  }
  EXPECT_GT(ran, many / 20) << subject.name;
  EXPECT_GT(faults, 0u) << subject.name;
}

std::vector<uint32_t> gfx7_words(Random& r) {
  gfx7::test::WordGenerator generator(r.next());
  auto rows = gfx7::opcodes();
  auto bytes = generator(rows[r.below(uint32_t(rows.size()))]);
  std::vector<uint32_t> code(bytes.size() / 4 + 1);
  std::memcpy(code.data(), bytes.data(), bytes.size());
  if (r.below(4) == 0) code[r.below(2)] ^= 1u << r.below(32);
  code.back() = 0xbf810000;  // s_endpgm
  return code;
}
std::vector<uint32_t> rdna4_words(Random& r) {
  rdna4::test::WordGenerator generator(r.next());
  auto rows = rdna4::opcodes();
  auto bytes = generator(rows[r.below(uint32_t(rows.size()))]);
  std::vector<uint32_t> code(bytes.size() / 4 + 1);
  std::memcpy(code.data(), bytes.data(), bytes.size());
  if (r.below(4) == 0) code[r.below(3)] ^= 1u << r.below(32);
  code.back() = 0xbfb00000;
  return code;
}
std::vector<uint32_t> any_words(Random& r, size_t count) {
  std::vector<uint32_t> code(count);
  for (auto& word : code) word = r.next() & (r.below(3) ? ~0u : r.next());
  return code;
}

TEST(Bounds, Gcn2) {
  run({"gfx7", &gfx7::isa(), 64, 1004, gfx7_words,
       [](Wave& w, Random& r) {
         word_of(w, gfx7::mode_cell) &= ~uint32_t(gfx7::MODE_VSKIP);
         w.privileged = r.below(4) == 0;
         if (r.below(2)) w.flat_scratch_cell = gfx7::scalar_cell(gfx7::FLAT_SCRATCH_LO), w.flat_scratch_base = r.next();
       }},
      count, 1);
}
void clear_null(Wave& w, Random& r) {
  word_of(w, rdna4::scalar_cell(rdna4::NULL_SGPR)) = 0;
  if (r.below(2)) word_of(w, rdna4::vgpr_count_cell) = 256;
}
TEST(Bounds, Rdna4Wave32) { run({"gfx12", &rdna4::isa(32), 32, 1004, rdna4_words, clear_null}, count, 1); }
TEST(Bounds, Rdna4Wave64) { run({"gfx12 wave64", &rdna4::isa(64), 64, 1004, rdna4_words, clear_null}, count, 1); }

TEST(Bounds, R500Pixels) {
  run({"r500-fs", &r500::fragment_isa(), 32, 4,
       [](Random& r) {
         auto code = any_words(r, r500::kWords);
         if (r.below(2)) code[0] = (code[0] & ~3u) | 2u + r.below(2);  // texture and flow
         return code;
       },
       [](Wave& w, Random& r) {
         word_of(w, r500::loop_depth_cell) = r.below(r500::kLoops + 1);
         word_of(w, r500::call_depth_cell) = r.below(r500::kCalls + 1);
       }},
      count, 1);
}
TEST(Bounds, R500Vertices) {
  run({"r500-vs", &r500::vs::vertex_isa(), 32, 4, [](Random& r) { return any_words(r, r500::vs::kWords); }}, count, 1);
}
TEST(Bounds, XeLp) {
  run({"xe-lp", &xe_lp::isa(), 32, 4,
       [](Random& r) {
         using xe_lp::bytes_in, xe_lp::Condition, xe_lp::File, xe_lp::Instruction, xe_lp::Kind, xe_lp::Op, xe_lp::Operand,
             xe_lp::Type;
         constexpr Op ops[] = {Op::Mov, Op::Sel, Op::Not, Op::And, Op::Or,   Op::Xor,   Op::Shl,   Op::Shr,   Op::Asr,  Op::Cmp,
                               Op::Add, Op::Mul, Op::Mad, Op::If,  Op::Else, Op::Endif, Op::While, Op::Break, Op::Cont, Op::Join};
         constexpr Type types[] = {Type::UD, Type::D, Type::UW, Type::W, Type::F};
         for (;;) {
           Instruction i;
           i.op = ops[r.below(std::size(ops))];
           i.lanes = uint8_t(1u << r.below(6));
           i.condition = Condition(r.below(2) ? 0 : r.below(7));
           i.predicate = uint8_t(r.below(2)), i.predicate_inverted = r.below(4) == 0;
           i.flag = uint8_t(r.below(2));
           i.saturate = r.below(4) == 0;
           Type type = types[r.below(std::size(types))];
           bool control = xe_lp::is_control(i.op);
           for (Operand* o : {&i.dst, &i.src[0], &i.src[1], &i.src[2]}) {
             if (control) break;
             constexpr File files[] = {File::Grf, File::A, File::Acc};
             o->kind = o == &i.dst || r.below(4) ? Kind::Direct : Kind::Immediate;
             o->file = files[r.below(3)];
             o->type = r.below(6) ? type : types[r.below(std::size(types))];
             o->modifiers = uint8_t(o == &i.dst || r.below(2) ? 0 : r.below(4));
             o->width = uint8_t(1u << r.below(5));
             uint32_t size = bytes_in(o->file), byte = (r.below(2) ? r.below(size) : size - r.below(40) - 1) & ~3u;
             o->number = uint8_t(byte / 32), o->sub = uint8_t(byte % 32);
             o->vertical = uint8_t(r.below(3) ? 1u << r.below(6) : 0);
             o->horizontal = uint8_t(r.below(3) ? 1u << r.below(3) : o == &i.dst);
             if (o->kind == Kind::Immediate) o->immediate = uint16_t(r.next());
           }
           for (unsigned n = 0; control && n < xe_lp::find_opcode(unsigned(i.op))->sources; n++) {
             i.src[n].kind = Kind::Label;
             i.src[n].immediate = uint64_t(n ? int64_t(int32_t(r.next()) & ~7) : (int64_t(r.below(100)) - 50) * 8);
           }
           auto native = xe_lp::encode_native(i);
           if (!native) continue;
           std::vector<uint32_t> words(4);
           std::memcpy(words.data(), native->half, 16);
           if (r.below(8) == 0) words[r.below(4)] ^= 1u << r.below(32);
           return words;
         }
       }},
      count, 1);
}

}  // namespace
}  // namespace Atoll::wave
