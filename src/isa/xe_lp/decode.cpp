#include <algorithm>
#include <iterator>

#include "isa/xe_lp/code.h"
#include "isa/xe_lp/registers.h"

namespace Atoll::xe_lp {
namespace {

constexpr Opcode rows[] = {
#include "isa/xe_lp/rows.inc"
};

Expected<DataType> type_of(unsigned encoding) {
  switch (DataType(encoding)) {
    case DataType::ub:
    case DataType::uw:
    case DataType::ud:
    case DataType::b:
    case DataType::w:
    case DataType::d:
    case DataType::f: return DataType(encoding);
  }
  return fail("data type {} is not there yet", encoding);
}

// Ternary types: 3 bits, integers as in RegDataType, floats 1 hf, 2 f.
Expected<DataType> ternary_type(unsigned encoding, bool floats) { return type_of(floats ? encoding | 8 : encoding); }

constexpr uint8_t vertical_strides[] = {0, 1, 2, 4, 8, 16, 32}, horizontal_strides[] = {0, 1, 2, 4}, ternary_verticals[] = {0, 1, 4, 8};

Expected<void> check_register(const Operand& o, const Instruction& i, bool destination) {
  if (o.immediate || o.null()) return {};
  unsigned bytes = size_of(o.type);
  if (o.byte % bytes) return fail("subregister byte {} is not aligned to the type", o.byte);
  uint32_t last = 0;
  for (uint32_t n = 0; n < i.lanes; n++)
    last = std::max<uint32_t>(last, destination ? n * o.horizontal : n / o.width * o.vertical + n % o.width * o.horizontal);
  uint32_t end = o.byte + (last + 1) * bytes;
  if (o.grf) {
    if (o.number >= kGrfCount) return fail("r{}: there are r0 to r{}", o.number, kGrfCount - 1);
    if (o.number * kGrfBytes + end > kGrfCount * kGrfBytes) return fail("a region reaches past r{}", kGrfCount - 1);
    return {};
  }
  unsigned n = o.number & 15, room = 0;
  switch (Arf(o.number >> 4)) {
    case Arf::a: room = n == 0 ? 32 : 0; break;
    case Arf::acc: room = n < kAccumulators ? (kAccumulators - n) * 32 : 0; break;
    case Arf::f: room = n < 2 ? (2 - n) * 4 : 0; break;
    case Arf::cr: room = n == 0 ? 16 : 0; break;
    default: break;
  }
  if (!room) return fail("architecture register {:#x} is not there yet", o.number);
  if (end > room) return fail("a region reaches past its architecture register");
  return {};
}

Expected<void> check(const Instruction& i) {
  if (i.offset % i.lanes && i.lanes <= 32 && i.offset % std::min<unsigned>(i.lanes, 4))
    return fail("M{} is no multiple of {} channels", i.offset, i.lanes);
  if (i.offset + i.lanes > kChannels) return fail("channels {} to {}: there are {}", i.offset, i.offset + i.lanes - 1, kChannels);
  if (i.saturate && !i.opcode->saturates) return fail("{} does not saturate", i.opcode->name);
  unsigned sources = i.opcode->sources();
  if (!sources) return {};
  if (i.condition != Condition::none && !i.opcode->cmod) return fail("{} has no condition modifier", i.opcode->name);
  if (i.condition == Condition::ov) return fail("condition modifier ov is not there yet");
  if (i.dst.immediate) return fail("the destination is an immediate");
  if (auto done = check_register(i.dst, i, true); !done) return done;
  if (!i.dst.null() && i.lanes > 1 && i.dst.horizontal == 0) return fail("the destination has no stride");
  for (unsigned n = 0; n < sources; n++) {
    const Operand& o = i.src[n];
    if (o.null() && i.opcode->number != 0x61 && sources < 3) return fail("source {} is null", n);
    if (o.width > i.lanes) return fail("source {}: a width of {} in {} channels", n, o.width, i.lanes);
    if (auto done = check_register(o, i, false); !done) return done;
    if (is_float(o.type) != is_float(i.src[0].type)) return fail("integers and floats as sources of one instruction");
  }
  if (is_float(i.src[0].type) ? !i.opcode->floats : !i.opcode->integers) return fail("{} does not take that type", i.opcode->name);
  if (sources == 3 && !is_float(i.src[0].type) && size_of(i.src[1].type) > 2 && size_of(i.src[2].type) > 2)
    return fail("mad of integers multiplies with a word at least in source 2");
  return {};
}

Expected<void> read_source(const Words& w, Instruction& i, unsigned n) {
  const bits::Source& s = bits::source[n];
  Operand& o = i.src[n];
  auto type = type_of(s.type.get(w));
  if (!type) return std::unexpected(type.error());
  o.type = *type;
  if (s.immediate.get(w)) {
    o.immediate = true;
    o.value = bits::immediate32.get(w);
    if (size_of(o.type) == 1) return fail("an immediate of a byte type");
    if (size_of(o.type) == 2) o.value &= 0xffff;
    o.width = 1;
    return {};
  }
  o.grf = s.grf.get(w), o.number = uint8_t(s.number.get(w)), o.byte = uint8_t(s.byte.get(w));
  o.negate = s.negate.get(w), o.absolute = s.absolute.get(w);
  if (s.indirect.get(w)) return fail("indirect registers are not there yet");
  unsigned vertical = s.vertical.get(w), width = s.width.get(w);
  if (vertical >= std::size(vertical_strides) || width > 4) return fail("source {}: a region that does not exist", n);
  o.vertical = vertical_strides[vertical], o.width = uint8_t(1u << width), o.horizontal = horizontal_strides[s.horizontal.get(w)];
  return {};
}

Expected<void> read_ternary(const Words& w, Instruction& i) {
  bool floats = bits::ternary_floats.get(w);
  auto type = ternary_type(bits::ternary_dst_type.get(w), floats);
  if (!type) return std::unexpected(type.error());
  i.dst.type = *type;
  i.dst.grf = bits::dst_grf.get(w), i.dst.number = uint8_t(bits::dst_number.get(w));
  i.dst.byte = uint8_t(bits::ternary_dst_byte8.get(w) * 8);
  i.dst.horizontal = uint8_t(1 + bits::ternary_dst_horizontal.get(w));
  for (unsigned n = 0; n < 3; n++) {
    const bits::TernarySource& s = bits::ternary_source[n];
    Operand& o = i.src[n];
    auto source_type = ternary_type(s.type.get(w), floats);
    if (!source_type) return std::unexpected(source_type.error());
    o.type = *source_type;
    bool immediate = n == 0 ? bits::ternary_immediate0.get(w) : n == 2 && bits::ternary_immediate2.get(w);
    if (immediate) {
      if (size_of(o.type) != 2) return fail("an immediate that is no word in an instruction of three sources");
      o.immediate = true;
      o.value = (n == 0 ? bits::ternary_value0 : bits::ternary_value2).get(w);
      continue;
    }
    o.grf = s.grf.get(w), o.number = uint8_t(s.number.get(w)), o.byte = uint8_t(s.byte.get(w));
    o.negate = s.negate.get(w), o.absolute = s.absolute.get(w);
    o.horizontal = horizontal_strides[s.horizontal.get(w)];
    if (n == 2) {  // one row
      o.width = i.lanes, o.vertical = 0;
      if (o.horizontal == 0) o.width = 1;
      continue;
    }
    // The width follows from the strides.
    o.vertical = ternary_verticals[s.vertical_low.get(w) | s.vertical_high.get(w) << 1];
    if (o.horizontal == 0)
      o.width = 1;
    else if (o.vertical == 0 || o.vertical % o.horizontal)
      return fail("source {}: a region that does not exist", n);
    else
      o.width = uint8_t(std::min<unsigned>(o.vertical / o.horizontal, i.lanes));
  }
  return {};
}

}  // namespace

std::span<const Opcode> opcodes() { return rows; }
const Opcode* find(std::string_view name) {
  for (const Opcode& row : rows)
    if (name == row.name) return &row;
  return nullptr;
}
const Opcode* find(unsigned number) {
  for (const Opcode& row : rows)
    if (number == row.number) return &row;
  return nullptr;
}

Expected<Instruction> decode(std::span<const uint32_t> code) {
  if (code.empty()) return fail("no words");
  if (code[0] >> 29 & 1) return fail("compacted instructions are not there yet");
  if (code.size() < 4) return fail("an instruction has four words: {} are left", code.size());
  Words w{code[0], code[1], code[2], code[3]};
  Instruction i;
  unsigned number = bits::opcode.get(w);
  i.opcode = find(number);
  if (!i.opcode) return fail("opcode {:#x} is not there yet", number);
  if (i.opcode->shape == Shape::none) return i;
  unsigned size = bits::exec_size.get(w);
  if (size > 5) return fail("execution size {} does not exist", size);
  i.lanes = uint8_t(1u << size), i.offset = uint8_t(bits::channel_offset.get(w) * 4);
  i.no_mask = bits::no_mask.get(w);
  unsigned predicate = bits::predicate.get(w);
  if (predicate > unsigned(Predicate::all32h)) return fail("predicate control {} does not exist", predicate);
  i.predicate = Predicate(predicate), i.inverse = bits::inverse.get(w);
  i.flag = uint8_t(bits::flag.get(w)), i.flag_half = uint8_t(bits::flag_half.get(w));
  if (i.opcode->branches()) {
    i.jip = int32_t(bits::jip.get(w));
    if (i.opcode->shape == Shape::jip_uip) i.uip = int32_t(bits::uip.get(w));
    if ((i.jip | i.uip) & 7) return fail("a target that is no multiple of 8 bytes");
    if (auto done = check(i); !done) return std::unexpected(done.error());
    return i;
  }
  i.saturate = bits::saturate.get(w);
  if (bits::accumulator_write.get(w)) return fail("AccWrEn is not there yet");
  unsigned condition = bits::condition.get(w);
  if (condition == 7 || condition > 9) return fail("condition modifier {} does not exist", condition);
  i.condition = Condition(condition);
  Expected<void> done;
  if (i.opcode->shape == Shape::ternary) {
    done = read_ternary(w, i);
  } else {
    if (bits::dst_indirect.get(w)) return fail("indirect registers are not there yet");
    auto type = type_of(bits::dst_type.get(w));
    if (!type) return std::unexpected(type.error());
    i.dst.type = *type;
    i.dst.grf = bits::dst_grf.get(w), i.dst.number = uint8_t(bits::dst_number.get(w)), i.dst.byte = uint8_t(bits::dst_byte.get(w));
    i.dst.horizontal = horizontal_strides[bits::dst_horizontal.get(w)];
    for (unsigned n = 0; n < i.opcode->sources() && done; n++) done = read_source(w, i, n);
  }
  if (done) done = check(i);
  if (!done) return std::unexpected(done.error());
  return i;
}

}  // namespace Atoll::xe_lp
