// The hazards that Gen12LP's hardware leaves to the annotation. If public sources differ, only what all of them take to be unsafe
// is reported: no finding is one that a compiler's rules allow.
//   - ALU and branches are in order: among them only a read of a result has to wait, up to 10 instructions behind it (Mesa:
//     brw_fs_scoreboard.cpp, ordered_dependency_swsb; IGC: SWSB_MAX_ALU_DEPENDENCE_DISTANCE, SWSB_G4IR.cpp, WAW and WAR "same pipeline").
//   - Messages and math are in no order: what reads or writes their result waits for $N.dst, what writes their sources for $N.src, and
//     they themselves for all that in-order instructions before them read or write of theirs by @N (both compilers). Messages to one
//     shared function read their sources in order, and so does math (IGC: WARDepRequired): waiting for one waits for the sources of those
//     before.
//   - Setting a token waits for whatever had it (Mesa: jay_scoreboard.c, "SBID.set implies SBID.dst"); the end of a thread for nothing.
//   - A branch that is taken lets the ALU finish (the same file, "taking a branch stalls all ALU pipelines"; IGC counts distances in
//     basic blocks alone).
//   - Flags, the accumulator and a0 the hardware watches itself where ALU instructions follow each other (Mesa: brw_fs_scoreboard.cpp
//     on f0 and f1; IGC: checkAccFlagRAW in SWSBSetter.cpp, and for Xe-LP getFootprintForOperand tracks none of the three).
//   - sp, sr, cr, ip, tm and dbg are used when all in-order instructions before are done (both).
// sync instructions do not count for @N, all others that are in order do.
#include "isa/xe_lp/software_scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "isa/xe_lp/registers.h"
#include "isa/xe_lp/swsb.h"

namespace Atoll::xe_lp {
namespace {

using wave::EarlyUse;
using wave::Hazard;
using wave::Step;
using wave::Wave;

constexpr unsigned longest_distance = 10, encoded_distance = 7, tokens = 16;
constexpr uint32_t grf_bytes = kRegisters * kRegisterBytes, mme_bytes = 8 * kRegisterBytes;  // the math macros' follow r0 to r127

uint32_t word_at(const Wave& wave, uint32_t cell) { return wave::word_of(const_cast<Wave&>(wave), cell); }

// --- what an instruction touches, byte by byte: put(first byte, bytes, lane), lane -1 for what belongs to no single one

// Channels that are on when it runs, those that come back at it included, as its lanes.
uint32_t lanes_on(const Wave& wave, const Instruction& i) {
  const uint32_t all = i.lanes == 32 ? ~0u : (1u << i.lanes) - 1;
  if (i.no_mask) return all;
  uint32_t active = word_at(wave, active_cell);
  if (i.rejoins)
    for (uint32_t l = 0; l < kChannels; l++)
      if (word_at(wave, resume_cell + l * 4) == key_of(wave.pc)) active |= 1u << l;
  return active >> i.channel & all;
}

template <class Put>
void visit_region(const Wave& wave, const Operand& o, RegionShape shape, uint32_t on, Put put) {
  const uint32_t bytes = bytes_of(o.type), width = shape.width ? shape.width : 1;
  const bool indirect = o.kind == Kind::Indirect;
  if (!indirect && (o.kind != Kind::Direct || (o.file != File::Grf && o.file != File::Mme))) return;
  for (uint32_t rest = on; rest; rest &= rest - 1) {
    const uint32_t l = uint32_t(std::countr_zero(rest)), row = l / width, column = l % width;
    uint32_t at = o.file == File::Mme && !indirect ? grf_bytes : 0;
    if (indirect) {
      const uint32_t element = o.number + (shape.vertical == kVxH ? row : 0);
      const uint32_t pair = word_at(wave, address_cell + element / 2 % (kAddresses / 2) * 4);
      at = (pair >> element % 2 * 16 & 0xffff) + uint32_t(int32_t(o.offset));
      at += shape.vertical == kVxH ? 0 : row * shape.vertical * bytes;
      at = (at + column * shape.horizontal * bytes) % grf_bytes;
    } else {
      at += byte_of(o) + (row * shape.vertical + column * shape.horizontal) * bytes;
    }
    put(at, bytes, int(l));
  }
}
template <class Put>
void visit_macro(const Operand& o, uint32_t on, Put put) {
  if (o.mme >= kNoMme || (o.kind != Kind::Direct)) return;
  for (uint32_t rest = on; rest; rest &= rest - 1) {
    const uint32_t l = uint32_t(std::countr_zero(rest));
    put(grf_bytes + (o.mme * kRegisterBytes + l * 4) % mme_bytes, 4u, int(l));
  }
}
template <class Put>
void visit_registers(const Operand& o, uint32_t count, Put put) {
  if (o.file == File::Grf && count) put(o.number * kRegisterBytes, std::min(count, kRegisters - o.number) * kRegisterBytes, -1);
}

uint32_t descriptor_of(const Wave& wave, const Instruction& i) {
  return i.descriptor_in_register ? word_at(wave, address_cell) : i.descriptor;
}

template <class Put>
void visit_reads(const Wave& wave, const Instruction& i, Put put) {
  if (is_send(i.op)) {
    const uint32_t extended = i.extended_descriptor_in_register
                                  ? word_at(wave, address_cell + i.extended_descriptor % (kAddresses / 2) * 4)
                                  : i.extended_descriptor;
    visit_registers(i.src[0], descriptor_of(wave, i) >> 25 & 15, put);
    visit_registers(i.src[1], extended >> 6 & 31, put);
    return;
  }
  if (i.op == Op::Sync || i.op == Op::Nop || i.op == Op::Illegal) return;
  if (is_control(i.op)) {
    for (const Operand& o : i.src)
      if (o.kind == Kind::Direct && o.file == File::Grf) put(byte_of(o), i.op == Op::Brc || i.op == Op::Ret ? 8u : 4u, -1);
    return;
  }
  const uint32_t on = lanes_on(wave, i);
  const unsigned sources = i.op == Op::Movi ? 1 : sources_of(i);
  for (unsigned n = 0; n < sources; n++) {
    visit_region(wave, i.src[n], shape_of(i.src[n], has_three_sources(i), n), on, put);
    if (is_macro(i)) visit_macro(i.src[n], on, put);
  }
}
template <class Put>
void visit_writes(const Wave& wave, const Instruction& i, Put put) {
  if (is_send(i.op)) return visit_registers(i.dst, descriptor_of(wave, i) >> 20 & 31, put);
  if (i.op == Op::Sync || i.op == Op::Nop || i.op == Op::Illegal) return;
  if (is_control(i.op)) {
    if ((i.op == Op::Call || i.op == Op::Calla) && i.dst.file == File::Grf) put(byte_of(i.dst), 8u, -1);
    return;
  }
  const uint32_t on = lanes_on(wave, i);
  const RegionShape shape{i.dst.horizontal, 1, 0};
  visit_region(wave, i.dst, shape, on, put);
  if (is_macro(i)) visit_macro(i.dst, on, put);
  if (i.op == Op::Math && MathFunction(i.function) == MathFunction::Idiv && i.dst.file == File::Grf)
    visit_region(wave, remainder_of(i), shape, on, put);
}

// Bytes of r0 to r127, and of mme0 to mme7 behind them.
struct Bytes {
  static constexpr size_t grf_words = grf_bytes / 64, words = (grf_bytes + mme_bytes) / 64;
  std::array<uint64_t, words> bits{};
  void add(uint32_t first, uint32_t count) {
    for (uint32_t b = first; b < first + count && b < words * 64; b++) bits[b / 64] |= uint64_t(1) << b % 64;
  }
  bool contains(uint32_t b) const { return bits[b / 64] >> b % 64 & 1; }
};
// The first byte of both; -1: there is none.
int first_common(const Bytes& a, const Bytes& b, size_t words = Bytes::words) {
  uint64_t any = 0;
  for (size_t n = 0; n < words; n++) any |= a.bits[n] & b.bits[n];
  if (!any) return -1;
  for (size_t n = 0;; n++)
    if (uint64_t both = a.bits[n] & b.bits[n]) return int(n * 64) + std::countr_zero(both);
}

struct Touched {
  const Step* step = nullptr;
  Bytes reads, writes;
  int unit = -1;  // that reads its sources in order: a shared function, math; of the ALU -1
};
constexpr int math_unit = 16;

Touched touched_by(const Wave& wave, const Step& step, const Instruction& i) {
  Touched t;
  t.step = &step;
  t.unit = is_send(i.op) ? i.function : i.op == Op::Math ? math_unit : -1;
  visit_reads(wave, i, [&](uint32_t first, uint32_t bytes, int) { t.reads.add(first, bytes); });
  visit_writes(wave, i, [&](uint32_t first, uint32_t bytes, int) { t.writes.add(first, bytes); });
  return t;
}

std::string place_text(uint32_t byte) {
  if (byte >= grf_bytes) return fmt::format("mme{}.{}", (byte - grf_bytes) / kRegisterBytes, byte % kRegisterBytes);
  return fmt::format("r{}.{}:ub", byte / kRegisterBytes, byte % kRegisterBytes);
}

constexpr bool needs_all_done(File f) {
  return f == File::Sp || f == File::Sr || f == File::Cr || f == File::Ip || f == File::Tm || f == File::Dbg;
}

class SoftwareScoreboard : public wave::WaitRule {
public:
  void before(const Wave& wave, const Step& step, std::vector<EarlyUse>& found) override {
    const Instruction& i = *static_cast<const Instruction*>(step.instruction);
    if (step.pc != next_pc_) done_ = begun_;
    next_pc_ = step.next_pc();
    wait(i);
    if (i.op == Op::Sync || i.op == Op::Illegal) return;
    const Touched now = touched_by(wave, step, i);
    const bool out_of_order = is_out_of_order(i.op);
    look_at_order(wave, i, now, out_of_order, found);
    look_at_tokens(wave, i, now, found);
    if (!out_of_order)
      in_order_[begun_++ % in_order_.size()] = now;
    else if (const Swsb swsb = swsb_of(i); swsb.mode == TokenMode::Set)
      set(swsb.token, now);
    else if (!i.end_of_thread)
      set(tokens, now);
  }

private:
  struct Token {
    Touched by;
    uint64_t number = 0;                 // of all that set a token
    bool reads = false, writes = false;  // still to be done
  };
  std::array<Touched, 16> in_order_;      // the last ones, by number
  uint64_t begun_ = 0, done_ = 0;         // in-order instructions so far; the first `done_` are done
  std::array<Token, tokens + 1> tokens_;  // the last is of those without a token, which nothing can wait for
  uint64_t next_pc_ = 0, set_ = 0;

  void set(unsigned n, const Touched& by) { tokens_[n] = {by, ++set_, true, true}; }
  void finish(unsigned n, bool written) {
    Token& done = tokens_[n];
    done.reads = false;
    if (written) done.writes = false;
    for (Token& t : tokens_)
      if (t.by.unit == done.by.unit && t.number < done.number) t.reads = false;
  }

  void wait(const Instruction& i) {
    const Swsb swsb = swsb_of(i);
    if (swsb.distance && begun_ >= swsb.distance) done_ = std::max(done_, begun_ - swsb.distance + 1);
    if (swsb.mode != TokenMode::None) finish(swsb.token, swsb.mode != TokenMode::Source);
    if (i.op != Op::Sync) return;
    const auto function = SyncFunction(i.function);
    if (function != SyncFunction::Allrd && function != SyncFunction::Allwr) return;
    const uint32_t which = i.src[0].kind == Kind::Immediate ? uint32_t(i.src[0].immediate) : ~0u;
    for (unsigned n = 0; n < tokens; n++)
      if (which >> n & 1) finish(n, function == SyncFunction::Allwr);
  }

  // A finding of `hazard`, if the instruction's `mine` and the other's `theirs` have a byte in common.
  template <class Lacks>
  static void compare(const Wave& wave, const Instruction& i, const Bytes& mine, const Bytes& theirs, size_t words, Hazard hazard,
                      const Step* producer, Lacks lacks, std::vector<EarlyUse>& found) {
    const int byte = first_common(mine, theirs, words);
    if (byte < 0) return;
    EarlyUse use{hazard, producer, place_text(uint32_t(byte)), lacks(), 0};
    auto note = [&](uint32_t first, uint32_t bytes, int lane) {
      for (uint32_t b = first; lane >= 0 && b < first + bytes; b++)
        if (theirs.contains(b)) use.lanes |= uint64_t(1) << (lane + i.channel);
    };
    if (hazard == Hazard::Read)
      visit_reads(wave, i, note);
    else
      visit_writes(wave, i, note);
    found.push_back(std::move(use));
  }

  void look_at_order(const Wave& wave, const Instruction& i, const Touched& now, bool out_of_order,
                     std::vector<EarlyUse>& found) {
    const uint64_t oldest = std::max(done_, begun_ > longest_distance ? begun_ - longest_distance : 0);
    for (uint64_t n = oldest; n < begun_; n++) {
      const Touched& before = in_order_[n % in_order_.size()];
      auto lacks = [&] { return fmt::format("@{}", std::min<uint64_t>(begun_ - n, encoded_distance)); };
      const size_t words = out_of_order ? Bytes::words : Bytes::grf_words;
      compare(wave, i, now.reads, before.writes, words, Hazard::Read, before.step, lacks, found);
      if (!out_of_order) continue;
      compare(wave, i, now.writes, before.writes, words, Hazard::Overwrite, before.step, lacks, found);
      compare(wave, i, now.writes, before.reads, words, Hazard::Source, before.step, lacks, found);
    }
    if (oldest == begun_) return;
    for (const Operand* o : {&i.dst, &i.src[0], &i.src[1], &i.src[2]})
      if (o->kind == Kind::Direct && needs_all_done(o->file)) {
        found.push_back(
            {Hazard::Unfinished, in_order_[(begun_ - 1) % in_order_.size()].step, std::string(row_of(o->file).name), "@1", 0});
        return;
      }
  }

  void look_at_tokens(const Wave& wave, const Instruction& i, const Touched& now, std::vector<EarlyUse>& found) {
    for (unsigned n = 0; n < tokens_.size(); n++) {
      const Token& t = tokens_[n];
      auto look = [&](const Bytes& mine, const Bytes& theirs, Hazard hazard, const char* which) {
        auto lacks = [&] { return n < tokens ? fmt::format("${}{}", n, which) : std::string("a token there"); };
        compare(wave, i, mine, theirs, Bytes::words, hazard, t.by.step, lacks, found);
      };
      if (t.writes) look(now.reads, t.by.writes, Hazard::Read, ".dst"), look(now.writes, t.by.writes, Hazard::Overwrite, ".dst");
      if (t.reads && t.by.unit != now.unit) look(now.writes, t.by.reads, Hazard::Source, ".src");
    }
  }
};

}  // namespace

std::shared_ptr<wave::WaitRule> software_scoreboard() { return std::make_shared<SoftwareScoreboard>(); }

}  // namespace Atoll::xe_lp
