// The ray-tracing stack in LDS against a model of lists: what the manual says of the fields of ADDR (RDNA4 ISA 12.5.3), and of pushing
// and popping. On both engines, over whole sequences, so that stacks run full, wrap and lose entries.
#include <deque>

#include "isa/rdna4/encode.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/parse.h"
#include "memory_model.h"
#include "wave/executor.h"

namespace Atoll::rdna4::test {
namespace {

constexpr uint32_t kNone = 0xffffffff, kTerminal = 0xfffffffe, kInstance = 6;

struct Form {
  const char* name;
  unsigned pushed, popped;
};
constexpr Form forms[] = {{"ds_bvh_stack_push4_pop1_rtn_b32", 4, 1},
                          {"ds_bvh_stack_push8_pop1_rtn_b32", 8, 1},
                          {"ds_bvh_stack_push8_pop2_rtn_b64", 8, 2}};

bool none(uint32_t node) { return node >= 0xfffffff8; }
bool primitive(uint32_t node) { return (node & 7) < 4; }

// The entries on a lane's stack, the oldest first. `mine`: entries pushed since an instance was popped.
struct Stack {
  size_t room = 16;
  std::deque<uint32_t> entries;
  size_t mine = 0, pushes = 0;
  bool parent = false, lost = false, left = false;

  void push(uint32_t node) {
    if (entries.size() == room) entries.pop_front(), lost = true;
    if (mine == room) parent = false;
    entries.push_back(node);
    mine = std::min(mine + 1, room);
    pushes++;
  }
  uint32_t drop() {
    uint32_t node = entries.back();
    entries.pop_back();
    mine -= mine > 0;
    pushes += room - 1;  // the ring's place goes back by one
    return node;
  }
  uint32_t pop() {
    left = parent && mine == 0;
    if (left) parent = false;
    if (entries.empty()) {
      left = parent = false;
      return lost ? kNone : kTerminal;
    }
    uint32_t node = drop();
    if ((node & 7) == kInstance) {
      if (parent) {
        lost = true;
        while (entries.size() > mine) entries.pop_front();
      }
      parent = true, mine = 0;
    }
    return node;
  }
  uint32_t address(uint32_t base) const {
    return uint32_t(entries.size()) | uint32_t(mine) << 5 | uint32_t(pushes % room) << 10 | base << 15 | uint32_t(parent) << 29 |
           uint32_t(lost) << 30 | uint32_t(left) << 31;
  }
};
struct Popped {
  uint32_t low, high;
};
Popped step(Stack& s, const Form& form, bool pairs, bool range, const std::vector<uint32_t>& data, uint32_t last) {
  const bool back = !none(last), next = range && !back && !(last & 4), end = next && last & 2;
  auto at = [&](uint32_t node) { return node == last || (range && primitive(node)); };
  std::vector<uint32_t> push;
  // Walking back: what lies behind the child that was visited. Else: everything up to a mark that says to leave out the rest.
  size_t from = 0;
  if (back) {
    bool found = range && primitive(last);
    for (size_t n = 0; n < data.size(); n++)
      if (at(data[n])) from = n + 1, found = true;
    if (!found) from = data.size();
  }
  if (end) from = data.size();
  bool low = true, high = true;
  for (size_t n = data.size(); n-- > from;) {
    bool& on = n < 4 ? low : high;
    if (none(data[n]) && on) {
      if (!(data[n] & 2)) low = false;
      if (n >= 4 && !(data[n] & 4)) high = false;
    }
    if (next && n + 1 < data.size()) low = high = false;
    if (none(data[n]) || !on) continue;
    uint32_t node = data[n];
    if (next) node = last & 1 ? (node | 15) + 1 : (node & 15) == 3 ? node + 5 : node + 1;
    push.push_back(node);
  }
  for (uint32_t node : push) s.push(node);
  uint32_t top = s.pop();
  if (form.popped == 1) return {top, 0};
  if (pairs && (top & 7) == 1) return {top & ~7u, top};
  if (s.entries.empty() || (s.parent && s.mine == 0) || (s.entries.back() & 7) == kInstance || s.entries.back() == kNone) {
    return {top, kNone};
  }
  return {s.drop(), top};
}

std::vector<uint32_t> assemble(const std::vector<std::string>& lines, unsigned lanes) {
  std::vector<uint32_t> code;
  for (const std::string& line : lines) {
    auto parsed = parse(line, {.wave = lanes});
    EXPECT_TRUE(parsed) << line;
    auto words = encode(parsed->main, {.wave = lanes});
    code.insert(code.end(), words->dwords.begin(), words->dwords.begin() + words->count);
  }
  return code;
}
std::string text(const Form& form, unsigned offset) {
  return fmt::format("{} {}, v10, v11, v[12:{}] offset:{}", form.name, form.popped == 2 ? "v[2:3]" : "v2", 11 + form.pushed,
                     offset);
}
void run(SingleStep& wave, const std::vector<uint32_t>& code, wave::EngineChoice engine) {
  wave::Program program(isa(wave.lanes()), 0x1000, code);
  wave::Executor executor(program, engine, *wave.w);
  wave.w->pc = 0x1000;
  executor.run(*wave.w);
}

uint32_t random_node(Words& r) {
  switch (r.next() % 12) {
    case 0:
    case 1: return kNone - (r.next() & 1 ? 0 : r.next() & 7);
    case 2: return (r.next() & 0xff) << 4 | kInstance;
    case 3:
    case 4: return (r.next() & 0xff) << 4 | (r.next() & 3) | (r.next() & 8);
    default: return (r.next() & 0xff) << 4 | 5;
  }
}

class RayStack : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Instructions, RayStack, testing::Values(0u, 1u, 2u));

TEST_P(RayStack, SequencesLeaveWhatTheModelLeaves) {
  const Form& form = forms[GetParam()];
  Words r(5 + GetParam());
  unsigned overflows = 0, walks = 0, changes = 0;
  for (unsigned round = 0; round < 60; round++) {
    bool wave64 = round & 1;
    unsigned lanes = wave64 ? 64 : 32, room = round % 3 ? 16 : 1 + r.next() % 15;
    if (wave64) room = std::min(room, 15u);
    bool range = r.next() & 1, pairs = r.next() & 1;
    SingleStep first(wave64), second(wave64);
    // Entries of a lane are 32 dwords apart: each half of a wave64 has rings of its own.
    auto base = [&](unsigned l) { return l % 32 + l / 32 * 32 * room; };
    std::vector<uint8_t> lds(64 * 32 * 4, 0x5a);
    std::vector<Stack> stacks(lanes);
    for (auto* w : {&first, &second}) {
      w->lds = lds, w->w->lds = w->lds.data(), w->w->lds_bytes = uint32_t(lds.size());
      for (unsigned l = 0; l < lanes; l++) w->v(10, l) = base(l) << 15;
    }
    for (Stack& s : stacks) s.room = room;
    auto code = assemble({text(form, room | unsigned(pairs) << 8 | unsigned(range) << 9), "s_endpgm"}, lanes);
    for (unsigned turn = 0; turn < 40; turn++) {
      uint64_t exec = r.next() % 4 ? ~uint64_t(0) : r.next64();
      for (unsigned l = 0; l < lanes; l++) {
        std::vector<uint32_t> data(form.pushed);
        bool empty = r.next() % 3 == 0;
        for (uint32_t& node : data) node = empty ? kNone : random_node(r);
        uint32_t last = r.next() % 4 ? kNone : r.next() & 1 ? data[r.next() % data.size()] : kNone - (r.next() & 7);
        if (r.next() % 16 == 0) last = random_node(r);
        walks += !none(last);
        for (auto* w : {&first, &second}) {
          w->set_exec(exec);
          w->v(11, l) = last;
          for (unsigned n = 0; n < form.pushed; n++) w->v(12 + n, l) = data[n];
        }
      }
      std::vector<std::array<uint32_t, 3>> expected(lanes);
      for (unsigned l = 0; l < lanes; l++) {
        expected[l] = {first.v(2, l), first.v(3, l), first.v(10, l)};
        if (!first.active(l)) continue;
        std::vector<uint32_t> data(form.pushed);
        for (unsigned n = 0; n < form.pushed; n++) data[n] = first.v(12 + n, l);
        Popped p = step(stacks[l], form, pairs, range, data, first.v(11, l));
        expected[l] = {p.low, form.popped == 2 ? p.high : expected[l][1], stacks[l].address(base(l))};
        overflows += stacks[l].lost, changes += stacks[l].left;
      }
      run(first, code, wave::EngineChoice::Interpreter);
      Model after(first);
      run(second, code, wave::EngineChoice::Jit);
      ASSERT_TRUE(after.agrees(second)) << form.name;
      ASSERT_EQ(first.w->stop, wave::Stop::End);
      for (unsigned l = 0; l < lanes; l++) {
        std::string where = fmt::format("round {} turn {} lane {} of {}, {} entries", round, turn, l, lanes, room);
        EXPECT_EQ(first.v(2, l), expected[l][0]) << where;
        EXPECT_EQ(first.v(3, l), expected[l][1]) << where;
        EXPECT_EQ(first.v(10, l), expected[l][2]) << where;
        // The entries stand in the ring, the newest below its place.
        for (size_t n = 0; n < stacks[l].entries.size(); n++) {
          size_t place = (stacks[l].pushes + 2 * room - 1 - n) % room, at = (base(l) + place * 32) * 4;
          uint32_t x;
          std::memcpy(&x, first.lds.data() + at, 4);
          EXPECT_EQ(x, stacks[l].entries[stacks[l].entries.size() - 1 - n]) << where;
        }
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(overflows, 500u);
  EXPECT_GT(walks, 500u);
  EXPECT_GT(changes, 20u);
}

// Addresses that no program would make: both engines do the same, registers and LDS keep what is not theirs, and LDS beyond its end
// reads 0.
TEST_P(RayStack, HostileAddresses) {
  const Form& form = forms[GetParam()];
  Words r(50 + GetParam());
  for (unsigned round = 0; round < 200; round++) {
    bool wave64 = round & 1;
    SingleStep first(wave64);
    scramble(first, r, round);
    SingleStep second(wave64);
    uint32_t lds_bytes = r.next() % 4 ? 4096 : r.next() % 4096;
    for (auto* w : {&first, &second}) w->w->lds_bytes = lds_bytes;
    second.lds = first.lds, second.w->lds = second.lds.data(), second.memory = first.memory, second.scratch = first.scratch;
    second.w->window = second.memory.data() - SingleStep::memory_base, second.w->scratch = second.scratch.data();
    for (unsigned l = 0; l < first.lanes(); l++) {
      if (r.next() & 1) first.v(10, l) = (first.v(10, l) & 0xe0007fff) | (r.next() % 1100) << 15;
      for (unsigned n = 0; n < Model::kRegisters; n++) second.v(n, l) = first.v(n, l);
    }
    second.set_exec(first.exec());
    auto before = first.lds;
    auto code = assemble({text(form, (1 + r.next() % 31) | (r.next() & 0x300)), "s_endpgm"}, first.lanes());
    run(first, code, wave::EngineChoice::Interpreter);
    Model after(first);
    run(second, code, wave::EngineChoice::Jit);
    ASSERT_TRUE(after.agrees(second));
    ASSERT_EQ(first.w->stop, wave::Stop::End);
    for (size_t n = lds_bytes & ~3u; n < before.size(); n++)
      ASSERT_EQ(first.lds[n], before[n]) << "LDS byte " << n << " of " << lds_bytes;
  }
}

TEST_P(RayStack, WithoutEntriesIsRefused) {
  SingleStep wave;
  auto code = assemble({text(forms[GetParam()], 0x200), "s_endpgm"}, 32);
  run(wave, code, wave::EngineChoice::Jit);
  EXPECT_EQ(wave.w->stop, wave::Stop::Fault);
  EXPECT_EQ(wave.w->fault.kind, wave::FaultKind::Illegal);
  EXPECT_NE(std::string(wave.w->fault.reason).find("without entries"), std::string::npos);
}

}  // namespace
}  // namespace Atoll::rdna4::test
