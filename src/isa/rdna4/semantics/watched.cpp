// This runs for an instruction that is watched (isa/rdna4/watched.h): its exceptions are found from its operands, then it runs, then they
// are noted, and the wave may go to its trap handler. RDNA4 ISA 3.4.10.
#include "isa/rdna4/watched.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/amd/isa.h"
#include "isa/rdna4/semantics/buffer_memory.h"
#include "isa/rdna4/semantics/control.h"
#include "isa/rdna4/semantics/registration.h"
#include "isa/rdna4/semantics/valu_packed_float.h"

namespace Atoll::rdna4::ATOLL_SEMANTICS_NAMESPACE {
namespace {

#ifdef ATOLL_RECORDING
constexpr SemanticEntry watched_entries[] = {{"watched", nullptr, nullptr}};
#else

using Level = Adaptor<LevelInterpreter>;

uint32_t scalar_exceptions(Level& e, const Instruction& i, const AluOperation& o) {
  AluOperands operands{};
  for (unsigned n = 0; n < o.operands; n++) {
    const NumberType t = o.from[n];
    const bool destination = n >= i.opcode->source_count, small = t == NumberType::half && !o.upper;
    uint32_t word = destination ? e.scalar_register(i.dst).v : small ? e.s16(i, int(n)).v : e.s32(i, int(n)).v;
    if (t == NumberType::half) word = o.upper ? word >> 16 : word & 0xffff;
    const uint32_t sign = t == NumberType::half ? 0x8000 : 0x80000000u;
    if (!destination && i.abs >> n & 1) word &= ~sign;
    if (!destination && i.neg >> n & 1) word ^= sign;
    operands[n] = word;
  }
  return alu_exceptions(o, i, operands, e.core.float_mode());
}

// 32 lanes' operands.
using LaneWords = std::array<std::array<uint64_t, 32>, 3>;
template <class V>
void spread(const V& from, std::array<uint64_t, 32>& to) {
  std::array<decltype(from.v[0] + 0), 32> words;
  static_assert(sizeof words == sizeof from.v);
  std::memcpy(words.data(), &from.v, sizeof words);
  for (size_t lane = 0; lane < 32; lane++) to[lane] = words[lane];
}
void read_operand(Level& e, const Instruction& i, const AluOperation& o, unsigned n, bool high, std::array<uint64_t, 32>& to) {
  const int source = int(n);
  const NumberType t = operand_type(o, i, n);
  if (n >= i.opcode->source_count) {
    auto old = e.vgpr(i.dst);
    const bool upper = o.packed ? high : (i.op_sel & 8) != 0;
    spread(t == NumberType::half ? (upper ? old >> 16 : old & 0xffffu) : old, to);
  } else if (o.rule == AluRule::mixed_fma) {
    // As it stands: mixed_f32() would have quieted a NaN and normalised a denormal.
    spread(mixed_bits(e, i, source), to);
    const uint64_t sign = t == NumberType::half ? 0x8000 : 0x80000000u;
    for (uint64_t& word : to) {
      if (i.abs >> n & 1) word &= ~sign;
      if (i.neg >> n & 1) word ^= sign;
    }
  } else if (o.packed && i.opcode->format == Format::VOP2) {  // whole registers, no modifiers: v_pk_fmac_f16
    spread(packed_bits(e, whole_registers(i), source, high), to);
  } else if (t == NumberType::half) {
    spread(o.packed ? packed_bits(e, i, source, high) : e.bits16(i, source), to);
  } else if (t == NumberType::single) {
    spread(as_u32(e.f32(i, source)), to);
  } else if (t == NumberType::wide) {
    spread(as_u64(e.f64(i, source)), to);
  } else {
    spread(e.u32(i, source), to);
  }
}
uint32_t lane_exceptions(LevelInterpreter& core, const Instruction& i, const AluOperation& o) {
  uint32_t raised = 0;
  for (int chunk = 0; chunk < (core.wide ? 2 : 1); chunk++) {
    core.set_chunk(chunk);
    for (bool high : {false, true}) {
      if (high && !o.packed) break;
      Level e(core);
      LaneWords words;
      for (unsigned n = 0; n < o.operands; n++) read_operand(e, i, o, n, high, words[n]);
      const uint32_t scaled = o.rule == AluRule::divide_fmas ? e.mask(VCC_LO).bits : 0;
      for (uint32_t rest = (core.active() & e.enabled).bits; rest; rest &= rest - 1) {
        const auto lane = size_t(std::countr_zero(rest));
        raised |= alu_exceptions(o, i, {words[0][lane], words[1][lane], words[2][lane], scaled >> lane & 1}, core.float_mode());
      }
    }
  }
  core.set_chunk(0);
  return raised;
}

// True if an active lane of a buffer instruction asks for bytes that are out of range (table 56); of untyped ones any dword.
bool leaves_buffer(LevelInterpreter& core, const Instruction& i) {
  LevelInterpreter::M beyond{0};
  for (int chunk = 0; chunk < (core.wide ? 2 : 1); chunk++) {
    core.set_chunk(chunk);
    Level e(core);
    auto b = buffer_lanes(e, i);
    if (b.kind.type != 0) break;  // ignored
    uint32_t bytes = std::max<uint32_t>({1, i.opcode->load_bytes, i.opcode->store_bytes});
    const bool formatted = i.opcode->has(Flag::Formatted);
    if (formatted) {
      const BufferFormat* format = buffer_format(i.opcode->has(Flag::Typed) ? i.format : b.kind.format);
      bytes = format ? format->bytes() : 4;
    }
    const uint32_t step = formatted || i.opcode->has(Flag::Atomic) ? bytes : std::min(bytes, 4u);
    for (uint32_t byte = 0; byte < bytes; byte += step) beyond.bits |= (core.active() & ~b.in_range(e, byte, step)).bits;
  }
  core.set_chunk(0);
  return beyond.bits != 0;
}

void enter(LevelInterpreter& core, uint64_t pc) {
  const wave::Stop stop = core.wave.stop;
  core.jump_to(core.s64(enter_trap_handler(core.wave, 0, pc)));
  if (core.wave.stop == stop) core.stop(wave::Stop::Elsewhere);  // (else it is interrupted)
}

void run_watched(void* interpreter, const wave::Step& step) {
  auto& core = *static_cast<LevelInterpreter*>(interpreter);
  const auto& w = *static_cast<const Watched*>(step.instruction);
  wave::Wave& wave = core.wave;
  if (core.probing) return w.step.interpret(interpreter, w.step);
  const bool handled = !wave.privileged && wave.environment->trap_base(wave).handler >> 63;
  const uint32_t control = handled ? wave::word_of(wave, trap_control_cell) : 0;
  uint32_t& noted = wave::word_of(wave, private_flags_cell);
  if (w.ends && control & TRAP_ON_WAVE_END) {
    noted |= EXCP_WAVE_END;
    return enter(core, step.pc);
  }
  uint32_t raised = 0;
  for (const Watched::Part& part : w.parts) {
    if (!part.instruction || part.operation.rule == AluRule::none) continue;
    if (part.operation.scalar) {
      Level e(core);
      raised |= scalar_exceptions(e, *part.instruction, part.operation);
    } else {
      raised |= lane_exceptions(core, *part.instruction, part.operation);
    }
  }
  if (w.buffer && leaves_buffer(core, w.instruction)) raised |= EXCP_BUFFER_OOB;
  w.step.interpret(interpreter, w.step);
  wave::word_of(wave, trap_status_cell) |= raised;
  // Behind a wait: a wave that waits at a barrier goes into the handler when it may go on (Wave::waits_at_barrier).
  const bool goes_on = wave.stop == wave::Stop::Run || wave.stop == wave::Stop::Yield || wave.stop == wave::Stop::Barrier;
  if (!goes_on || !handled) return;
  const bool after_each = control & TRAP_AFTER_INST;
  if (after_each) noted |= EXCP_TRAP_AFTER_INST;
  if (after_each || raised & control & alu_exceptions_mask) enter(core, core.next->pc ? core.next->pc : wave.pc);
}
constexpr SemanticEntry watched_entries[] = {{"watched", &run_watched, nullptr}};
#endif

}  // namespace

std::span<const SemanticEntry> watched() { return watched_entries; }

}  // namespace Atoll::rdna4::ATOLL_SEMANTICS_NAMESPACE
