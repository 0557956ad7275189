// The PRM says which values of a field are reserved. The fields that an instruction has, and that others may hold anything, are those
// that IGA reads (IGC: visa/iga/IGALibrary/Backend/GED/Decoder.cpp).
#include "isa/xe_lp/decode.h"

#include <cstring>

#include "isa/xe_lp/compact.h"

namespace Atoll::xe_lp {
namespace {

struct Reader {
  const Words& w;
  Instruction& i;
  const Opcode& row;
  const char* why = nullptr;

  uint64_t get(Field f) const { return w.get(f); }
  bool bit(Field f) const { return w.get(f) != 0; }
  void wrong(const char* reason) {
    if (!why) why = reason;
  }
  bool has(uint8_t trait) const { return row.traits & trait; }

  Type basic_type(Field f, bool immediate, bool wide) {
    auto n = get(f);
    if (n > 11 || (n == 8 && !immediate) || (immediate && !wide && (n == 3 || n == 7 || n == 11)))
      wrong(immediate ? "the type of an immediate is reserved" : "a type is reserved");
    if (immediate && n == 0) return Type::UV;
    if (immediate && n == 4) return Type::V;
    if (immediate && n == 8) return Type::VF;
    return Type(n);
  }
  Type type3(Field f) {
    auto n = get(f);
    if (!bit(field::float_types)) return Type(n);
    if (n == 0 || (n >= 4 && n <= 6)) wrong("a floating-point type is reserved");
    return Type(8 + n);
  }
  static uint64_t extended(uint64_t bits, Type t) {
    switch (t) {
      case Type::W: return uint64_t(int64_t(int16_t(bits)));
      case Type::UW:
      case Type::HF: return uint16_t(bits);
      case Type::D: return uint64_t(int64_t(int32_t(bits)));
      case Type::UQ:
      case Type::Q:
      case Type::DF: return bits;
      default: return uint32_t(bits);
    }
  }
  void name_register(Operand& o, bool general, uint64_t number) {
    o.kind = Kind::Direct;
    if (general) {
      o.file = File::Grf, o.number = uint8_t(number);
      return;
    }
    o.file = File(number >> 4), o.number = number & 15;
    if (o.file == File::Acc && o.number >= row_of(File::Mme).first) o.file = File::Mme, o.number -= row_of(File::Mme).first;
    if (row_of(o.file).name.empty()) return wrong("an architecture register is reserved");
    if (o.number && o.number >= row_of(o.file).registers) wrong("an architecture register's number is too large");
  }
  static uint8_t stride(uint64_t n) { return uint8_t(n ? 1 << (n - 1) : 0); }
  static int16_t signed10(uint64_t n) { return int16_t(int64_t(n << 54) >> 54); }
  uint8_t mme(Field f) {
    if (get(f) > kNoMme) wrong("a math macro's accumulator is reserved");
    return uint8_t(get(f));
  }

  void basic_destination() {
    Operand& o = i.dst;
    const auto& f = field::dst;
    if (has(SATURATE)) i.saturate = bit(field::saturate);
    o.horizontal = stride(get(f.horizontal));
    o.type = basic_type(f.type, false, false);
    if (!bit(f.indirect)) {
      name_register(o, bit(f.file), get(f.number));
      if (is_macro(i))
        o.mme = mme(f.mme);
      else
        o.sub = uint8_t(get(f.sub));
    } else {
      if (row.format == Format::Math) wrong("math has no indirect destination");
      o.kind = Kind::Indirect, o.file = File::Grf;
      o.number = uint8_t(get(f.address)), o.offset = signed10(get(f.offset));
    }
  }
  // `may` be an immediate; `wide`: of 64 bits as well
  void basic_source(unsigned n, bool may, bool wide) {
    Operand& o = i.src[n];
    const auto& f = field::source[n];
    if (bit(f.is_immediate)) {
      if (!may) return wrong("this source cannot be an immediate");
      o.kind = Kind::Immediate;
      o.type = basic_type(f.type, true, wide);
      uint64_t bits = get(field::immediate);
      if (log2_bytes(o.type) == 3) bits |= get(field::immediate_high) << 32;
      o.immediate = extended(bits, o.type);
      return;
    }
    o.type = basic_type(f.type, false, false);
    if (has(SOURCE_MODIFIERS)) o.modifiers = uint8_t(get(f.modifiers));
    o.horizontal = stride(get(f.horizontal));
    if (get(f.width) > 4) wrong("a region's width is reserved");
    o.width = uint8_t(1 << get(f.width));
    auto v = get(f.vertical);
    if (v > 6 && v < 15) wrong("a region's vertical stride is reserved");
    o.vertical = v == 15 ? kVxH : stride(v);
    if (!bit(f.indirect)) {
      name_register(o, bit(f.file), get(f.number));
      if (is_macro(i))
        o.mme = mme(f.mme);
      else
        o.sub = uint8_t(get(f.sub));
    } else {
      if (row.format == Format::Math) wrong("math has no indirect sources");
      o.kind = Kind::Indirect, o.file = File::Grf;
      o.number = uint8_t(get(f.address)), o.offset = signed10(get(f.offset));
    }
  }
  void ternary() {
    if (has(SATURATE)) i.saturate = bit(field::saturate);
    i.dst.type = type3(Field{field::dst.type.low, 3});
    name_register(i.dst, bit(field::dst.file), get(field::dst.number));
    i.dst.sub = uint8_t(get(field::dst_sub_3) << 3);
    i.dst.horizontal = uint8_t(1 + get(field::dst_horizontal_3));
    for (unsigned n = 0; n < 3; n++) {
      Operand& o = i.src[n];
      const auto& f = field::source3[n];
      o.type = type3(f.type);
      if (f.is_immediate.size && bit(f.is_immediate)) {
        o.kind = Kind::Immediate;
        if (o.type == Type::NF) wrong("there are no immediates of type nf");
        o.immediate = get(f.immediate);
        if (o.type >= Type::B && o.type <= Type::Q) o.immediate = uint64_t(int64_t(int16_t(o.immediate)));
        continue;
      }
      if (has(SOURCE_MODIFIERS)) o.modifiers = uint8_t(get(f.modifiers));
      name_register(o, bit(f.file), get(f.number));
      o.sub = uint8_t(get(f.sub));
      o.horizontal = stride(get(f.horizontal));
      constexpr uint8_t verticals[] = {0, 1, 4, 8};
      o.vertical = n < 2 ? verticals[get(f.vertical[0]) | get(f.vertical[1]) << 1] : 0;
    }
  }
  void branch() {
    if (has(BRANCH_CONTROL)) i.branch_control = bit(field::branch_control);
    if (has(DESTINATION)) {
      name_register(i.dst, bit(field::dst.file), get(field::dst.number));
      i.dst.sub = uint8_t(get(field::dst.sub));
      i.dst.horizontal = 1;
      i.dst.type = Type::D;
    }
    Operand& target = i.src[0];
    const auto& f = field::source[0];
    bool label = bit(f.is_immediate);
    if (!label && !has(REGISTER_TARGET)) return wrong("this branch takes no register");
    if (label) {
      target.kind = Kind::Label;
      target.immediate = uint64_t(int64_t(int32_t(get(field::jip))));
    } else {
      name_register(target, bit(f.file), get(f.number));
      target.sub = uint8_t(get(f.sub));
      target.type = Type::D;
    }
    bool one_register = i.op == Op::Brc && !label && target.file == File::Grf;
    if (row.sources == 2 && !one_register) {
      // A label is there if its word is said to be one.
      if (!bit(field::source[1].is_immediate)) return wrong("the second target is missing");
      if (!label) return wrong("the register is no general one");
      i.src[1].kind = Kind::Label;
      i.src[1].immediate = uint64_t(int64_t(int32_t(get(field::uip))));
    }
  }
  template <size_t N>
  uint32_t joined(const Field (&pieces)[N], unsigned first) {
    uint32_t value = 0;
    for (const Field& piece : pieces) value |= uint32_t(get(piece)) << first, first += piece.size;
    return value;
  }
  void send() {
    i.function = uint8_t(get(field::condition));
    if (sfid_names[i.function].empty()) wrong("the shared function is reserved");
    i.descriptor_in_register = bit(field::descriptor_in_register);
    if (!i.descriptor_in_register) i.descriptor = joined(field::descriptor, 0);
    i.extended_descriptor_in_register = bit(field::extended_in_register);
    i.extended_descriptor =
        i.extended_descriptor_in_register ? uint32_t(get(field::extended_address)) : joined(field::extended_descriptor, 6);
    name_register(i.dst, bit(field::dst.file), get(field::dst.number));
    for (unsigned n = 0; n < 2; n++) name_register(i.src[n], bit(field::source[n].file), get(field::source[n].number));
    i.dst.type = i.src[0].type = i.src[1].type = Type::UB;
    i.serialize = bit(field::serialize);
    i.end_of_thread = bit(field::end_of_thread);
  }
  void sync() {
    i.function = uint8_t(get(field::condition));
    if (sync_names[i.function].empty()) return wrong("the sync function is reserved");
    bool may = i.function == uint8_t(SyncFunction::Allrd) || i.function == uint8_t(SyncFunction::Allwr);
    Operand& o = i.src[0];
    const auto& f = field::source[0];
    if (bit(f.is_immediate)) {
      if (!may) return wrong("this sync has no immediate");
      o.kind = Kind::Immediate, o.type = basic_type(f.type, true, false), o.immediate = get(field::immediate);
      return;
    }
    if (bit(f.file)) return wrong("sync has no general register");
    o.kind = Kind::Direct, o.file = File::Null, o.type = Type::UB;
  }
  void swsb() {
    i.swsb = uint8_t(get(field::swsb));
    unsigned high = i.swsb >> 4;
    if (high == 1 || (high > 4 && high < 8)) wrong("the SWSB annotation is reserved");
  }

  void all() {
    if (row.format == Format::Math) {
      i.function = uint8_t(get(field::condition));
      if (math_names[i.function].empty()) return wrong("the math function is reserved");
    }
    if (row.format == Format::Nullary) {
      if (i.op == Op::Nop) i.breakpoint = bit(field::breakpoint), swsb();
      return;
    }
    auto size = get(field::exec_size);
    if (row.format == Format::Branch && i.op == Op::Jmpi ? size > 0 : size > 5) wrong("the execution size is reserved");
    i.lanes = uint8_t(1 << (size & 7 & (size > 5 ? 0 : 7)));
    if (i.op != Op::Jmpi) i.channel = uint8_t(4 * get(field::channel));
    i.no_mask = bit(field::no_mask);
    if (has(PREDICATE)) {
      i.predicate = uint8_t(get(field::predicate));
      if (i.predicate >= std::size(predicate_names)) return wrong("the predicate control is reserved");
      i.predicate_inverted = bit(field::predicate_inverted);
    }
    bool wide_immediate =
        row.format == Format::Unary && bit(field::source[0].is_immediate) && (get(field::source[0].type) & 3) == 3;
    if (has(CONDITION) && !wide_immediate) {
      auto c = get(field::condition);
      if (c == 7 || c > 9) wrong("the condition modifier is reserved");
      i.condition = Condition(c);
    }
    if (i.predicate || i.condition != Condition::None || is_macro(i))
      i.flag = uint8_t(get(field::flag)), i.flag_half = uint8_t(get(field::flag_half));
    switch (row.format) {
      case Format::Unary: basic_destination(), basic_source(0, true, true); break;
      case Format::Binary: basic_destination(), basic_source(0, false, false), basic_source(1, true, false); break;
      case Format::Math:
        basic_destination();
        basic_source(0, sources_of(i) == 1, false);
        if (sources_of(i) == 2) basic_source(1, true, false);
        break;
      case Format::Ternary: ternary(); break;
      case Format::Branch: branch(); break;
      case Format::Send: send(); break;
      default: sync(); break;
    }
    if (row.format != Format::Branch && row.format != Format::Send && row.format != Format::Sync)
      i.write_accumulator = bit(field::write_accumulator);
    i.breakpoint = bit(field::breakpoint);
    i.atomic = bit(field::thread);
    swsb();
  }
};

}  // namespace

const char* decode_native(const Words& words, Instruction& instruction) {
  instruction = {};
  const Opcode* row = find_opcode(unsigned(words.get(field::opcode)));
  if (!row) return "the opcode is reserved";
  instruction.op = row->op;
  Reader reader{words, instruction, *row};
  reader.all();
  return reader.why;
}

const char* decode(std::span<const uint8_t> bytes, Instruction& instruction) {
  instruction = {};
  if (bytes.size() < 8) return "an instruction takes 8 or 16 bytes; fewer are left";
  Words words;
  std::memcpy(&words.half[0], bytes.data(), 8);
  bool compacted = words.get(field::compacted) != 0;
  if (compacted) {
    Words expanded;
    if (const char* why = expand(words.half[0], expanded)) return why;
    const char* why = decode_native(expanded, instruction);
    instruction.compacted = true;
    return why;
  }
  if (bytes.size() < 16) return "an instruction takes 16 bytes; fewer are left";
  std::memcpy(&words.half[1], bytes.data() + 8, 8);
  return decode_native(words, instruction);
}

const char* decode(std::span<const std::byte> bytes, Instruction& instruction) {
  return decode(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), instruction);
}

}  // namespace Atoll::xe_lp
