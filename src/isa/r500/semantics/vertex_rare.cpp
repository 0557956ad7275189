#include "isa/r500/semantics/vertex_rare.h"

#include "base/removable_check.h"

namespace Atoll::r500::vs {
namespace {

uint32_t& at(wave::Wave& wave, uint32_t cell) { return wave::word_of(wave, cell); }

// Register `offset` of vertex `lane` as its address mode has it: may lie outside of the bank.
int64_t index_of(wave::Wave& wave, uint8_t mode, uint8_t address_channel, uint32_t offset, uint32_t lane) {
  if (mode == BY_ADDRESS) return int64_t(offset) + int32_t(at(wave, address_cell(address_channel) + lane * 4));
  return int64_t(offset) + int32_t(at(wave, loop_index_cell));
}

uint32_t source_bits(wave::Wave& wave, uint8_t type, int64_t n, uint32_t channel, uint32_t lane) {
  auto among = [&](uint32_t count) { return ATOLL_CHECK("r500.vertex.source", n >= 0 && n < int64_t(count)); };
  const uint32_t m = uint32_t(n);
  switch (type) {
    case SOURCE_CONSTANT: return among(kConstants) ? at(wave, constant_cell(m, channel)) : 0;
    case SOURCE_TEMPORARY: return among(kTemporaries) ? at(wave, temporary_cell(m, channel) + lane * 4) : 0;
    case SOURCE_INPUT: return among(kInputs) ? at(wave, input_cell(m, channel) + lane * 4) : 0;
    default: return among(kAlternates) ? at(wave, alternate_cell(m, channel) + lane * 4) : 0;
  }
}

// The register that a relative destination names for a vertex; null: outside of its bank.
uint32_t* destination(wave::Wave& wave, const Destination& d, uint32_t channel, uint32_t lane) {
  const int64_t n = index_of(wave, d.mode, d.address_channel, d.offset, lane);
  auto place = [&](uint32_t (*cell)(uint32_t, uint32_t), uint32_t count) -> uint32_t* {
    return ATOLL_CHECK("r500.vertex.destination", n >= 0 && n < int64_t(count)) ? &at(wave, cell(uint32_t(n), channel) + lane * 4)
                                                                                : nullptr;
  };
  switch (d.type) {
    case DESTINATION_TEMPORARY: return place(temporary_cell, kTemporaries);
    case DESTINATION_ALTERNATE: return place(alternate_cell, kAlternates);
    case DESTINATION_INPUT: return place(input_cell, kInputs);
    default: return place(output_cell, kOutputs);
  }
}

bool goes_elsewhere(const Destination& d) { return d.mode != ABSOLUTE && d.type != DESTINATION_ADDRESS; }

// Flow control's counters where they stand in a wave.
struct InWave {
  wave::Wave& wave;
  uint32_t& left(uint32_t k) { return at(wave, rounds_cell(k)); }
  uint32_t& call(uint32_t k) { return at(wave, called_cell(k)); }
  uint32_t& index() { return at(wave, loop_index_cell); }
  void enter(uint32_t k, const FlowOperation& o) {
    at(wave, outer_index_cell(k)) = index();
    if (!o.keeps_index) index() = o.loop_start;
  }
  void step(uint32_t, const FlowOperation& o) { index() += uint32_t(int32_t(o.loop_step)); }
  void leave(uint32_t k) { index() = at(wave, outer_index_cell(k)); }
};

}  // namespace

void before_relative(wave::Wave& wave, const Instruction& i) {
  auto fetch = [&](const Source& s, uint32_t n) {
    if (s.mode == ABSOLUTE) return;
    for (uint32_t lane = 0; lane < kVertices; lane++) {
      const int64_t index = index_of(wave, s.mode, s.address_channel, s.offset, lane);
      for (uint32_t channel = 0; channel < 4; channel++)
        at(wave, relative_cell(n, channel) + lane * 4) = source_bits(wave, s.type, index, channel, lane);
    }
  };
  for (uint32_t n = 0; n < 3; n++)
    if (n < 2 || !i.is_dual) fetch(i.source[n], n);
  if (i.is_dual) fetch(i.dual.source, 2);
  if (!goes_elsewhere(i.destination)) return;
  for (uint32_t channel = 0; channel < 4; channel++)
    for (uint32_t lane = 0; lane < kVertices; lane++)
      if (const uint32_t* from = destination(wave, i.destination, channel, lane))
        at(wave, result_cell(channel) + lane * 4) = *from;
}

void finish_relative(wave::Wave& wave, const Instruction& i) {
  if (!goes_elsewhere(i.destination)) return;
  // A dual operation's result, which is there already, is written after the other one.
  const uint32_t dual = alternate_cell(i.dual.destination, i.dual.channel);
  std::array<uint32_t, kVertices> last;
  std::copy_n(&at(wave, dual), kVertices, last.begin());
  for (uint32_t channel = 0; channel < 4; channel++)
    for (uint32_t lane = 0; lane < kVertices; lane++)
      if (i.destination.mask >> channel & 1)
        if (uint32_t* to = destination(wave, i.destination, channel, lane)) *to = at(wave, result_cell(channel) + lane * 4);
  if (i.is_dual && i.dual.op != Op::MathNop) std::copy_n(last.begin(), kVertices, &at(wave, dual));
}

std::optional<uint32_t> control(wave::Wave& wave, const Flow& flow, const ControlPoint& point, uint32_t n) {
  InWave state{wave};
  return after_instruction(flow, point, n, state);
}

}  // namespace Atoll::r500::vs
