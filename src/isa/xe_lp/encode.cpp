#include <algorithm>
#include <bit>
#include <iterator>

#include "isa/xe_lp/code.h"

namespace Atoll::xe_lp {
namespace {

template <size_t N>
Expected<unsigned> index_of(const uint8_t (&values)[N], uint8_t value, const char* what) {
  auto found = std::find(std::begin(values), std::end(values), value);
  if (found == std::end(values)) return fail("{} of {} elements: there is no such one", what, value);
  return unsigned(found - std::begin(values));
}

constexpr uint8_t vertical_strides[] = {0, 1, 2, 4, 8, 16, 32}, horizontal_strides[] = {0, 1, 2, 4}, widths[] = {1, 2, 4, 8, 16},
                  ternary_verticals[] = {0, 1, 4, 8};

#define ATOLL_INDEX(name, values, value, what)        \
  auto name##_index = index_of(values, value, what);  \
  if (!name##_index) return std::unexpected(name##_index.error()); \
  unsigned name = *name##_index

Expected<void> put_source(Words& w, const Operand& o, unsigned n, unsigned sources) {
  const bits::Source& s = bits::source[n];
  s.type.put(w, unsigned(o.type));
  s.immediate.put(w, o.immediate);
  if (o.immediate) {
    if (n + 1 != sources) return fail("only the last source can be an immediate");
    if (size_of(o.type) == 1) return fail("an immediate of a byte type");
    bits::immediate32.put(w, size_of(o.type) == 2 ? (o.value & 0xffff) * 0x10001u : o.value);
    return {};
  }
  s.grf.put(w, o.grf), s.number.put(w, o.number), s.byte.put(w, o.byte);
  s.negate.put(w, o.negate), s.absolute.put(w, o.absolute);
  ATOLL_INDEX(vertical, vertical_strides, o.vertical, "a vertical stride");
  ATOLL_INDEX(width, widths, o.width, "a width");
  ATOLL_INDEX(horizontal, horizontal_strides, o.horizontal, "a horizontal stride");
  s.vertical.put(w, vertical), s.width.put(w, width), s.horizontal.put(w, horizontal);
  return {};
}

Expected<void> put_ternary(Words& w, const Instruction& i) {
  bool floats = is_float(i.src[0].type);
  if (is_float(i.dst.type) != floats) return fail("three sources: the destination is a float like the sources, or an integer");
  bits::ternary_floats.put(w, floats);
  bits::ternary_dst_type.put(w, unsigned(i.dst.type) & 7);
  if (i.dst.byte % 8) return fail("three sources: the destination begins at a multiple of 8 bytes");
  if (i.dst.horizontal < 1 || i.dst.horizontal > 2) return fail("three sources: a destination stride of {}", i.dst.horizontal);
  bits::ternary_dst_byte8.put(w, i.dst.byte / 8u), bits::ternary_dst_horizontal.put(w, i.dst.horizontal - 1u);
  for (unsigned n = 0; n < 3; n++) {
    const bits::TernarySource& s = bits::ternary_source[n];
    const Operand& o = i.src[n];
    s.type.put(w, unsigned(o.type) & 7);
    if (o.immediate) {
      if (n == 1 || size_of(o.type) != 2) return fail("three sources: only source 0 and 2 can be immediates, of word types");
      (n == 0 ? bits::ternary_immediate0 : bits::ternary_immediate2).put(w, 1);
      (n == 0 ? bits::ternary_value0 : bits::ternary_value2).put(w, o.value & 0xffff);
      continue;
    }
    s.grf.put(w, o.grf), s.number.put(w, o.number), s.byte.put(w, o.byte);
    s.negate.put(w, o.negate), s.absolute.put(w, o.absolute);
    ATOLL_INDEX(horizontal, horizontal_strides, o.horizontal, "a horizontal stride");
    s.horizontal.put(w, horizontal);
    if (n == 2) continue;
    ATOLL_INDEX(vertical, ternary_verticals, o.vertical, "three sources: a vertical stride");
    s.vertical_low.put(w, vertical & 1), s.vertical_high.put(w, vertical >> 1);
  }
  return {};
}
#undef ATOLL_INDEX

}  // namespace

Expected<Words> encode(const Instruction& i) {
  Words w{};
  bits::opcode.put(w, i.opcode->number);
  if (i.opcode->shape == Shape::none) return w;
  bits::exec_size.put(w, unsigned(std::countr_zero(unsigned(i.lanes))));
  bits::channel_offset.put(w, i.offset / 4u);
  bits::no_mask.put(w, i.no_mask);
  bits::predicate.put(w, unsigned(i.predicate)), bits::inverse.put(w, i.inverse);
  bits::flag.put(w, i.flag), bits::flag_half.put(w, i.flag_half);
  if (i.opcode->branches()) {
    bits::jip.put(w, uint32_t(i.jip));
    if (i.opcode->shape == Shape::jip_uip) bits::uip.put(w, uint32_t(i.uip));
    bits::dst_type.put(w, unsigned(DataType::d));  // null:d (Mesa src/intel/compiler/brw_eu_emit.c, brw_IF)
    return w;
  }
  bits::saturate.put(w, i.saturate);
  bits::condition.put(w, unsigned(i.condition));
  bits::dst_grf.put(w, i.dst.grf), bits::dst_number.put(w, i.dst.number);
  Expected<void> done;
  if (i.opcode->shape == Shape::ternary) {
    done = put_ternary(w, i);
  } else {
    bits::dst_type.put(w, unsigned(i.dst.type)), bits::dst_byte.put(w, i.dst.byte);
    auto horizontal = index_of(horizontal_strides, i.dst.horizontal, "a horizontal stride");
    if (!horizontal) return std::unexpected(horizontal.error());
    bits::dst_horizontal.put(w, *horizontal);
    for (unsigned n = 0; n < i.opcode->sources() && done; n++) done = put_source(w, i.src[n], n, i.opcode->sources());
  }
  if (!done) return std::unexpected(done.error());
  auto readable = decode(w);  // the one place that knows what an instruction may have
  if (!readable) return std::unexpected(readable.error());
  return w;
}

}  // namespace Atoll::xe_lp
