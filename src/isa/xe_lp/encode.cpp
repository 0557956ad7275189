// The decoder's other direction. Bits of fields that an instruction does not have are zero, as IGA leaves them (IGC:
// visa/iga/IGALibrary/Backend/GED/Encoder.cpp).
#include "isa/xe_lp/encode.h"

#include <bit>
#include <cstring>

#include "isa/xe_lp/compact.h"

namespace Atoll::xe_lp {
namespace {

struct Writer {
  const Instruction& i;
  const Opcode& row;
  Words w;
  std::string why;

  void set(Field f, uint64_t value) { w.set(f, value); }
  void wrong(std::string reason) {
    if (why.empty()) why = std::move(reason);
  }
  bool has(uint8_t trait) const { return row.traits & trait; }

  // Strides 0, 1, 2, 4, .. as 0, 1, 2, 3, ..
  static uint64_t log_stride(unsigned n) { return n ? uint64_t(std::bit_width(n)) : 0; }
  void horizontal(Field f, unsigned n) {
    if (n > 4 || (n && !std::has_single_bit(n))) wrong("a horizontal stride is 0, 1, 2 or 4");
    set(f, log_stride(n));
  }
  void type(Field f, Type t) {
    if (t > Type::DF || t == Type::None) wrong("this type is for other operands");
    set(f, uint64_t(t));
  }
  void immediate_type(Field f, Type t, bool wide) {
    switch (t) {
      case Type::UV: return set(f, 0);
      case Type::V: return set(f, 4);
      case Type::VF: return set(f, 8);
      case Type::UB:
      case Type::B: return wrong("there are no immediates of a byte");
      default:
        if (log2_bytes(t) == 3 && !wide) return wrong("this instruction takes no immediate of 64 bits");
        type(f, t);
    }
  }
  void type3(Field f, Type t) {
    bool floats = i.src[0].type == Type::NF || (i.src[0].type >= Type::HF && i.src[0].type <= Type::DF);
    bool is_float = t == Type::NF || (t >= Type::HF && t <= Type::DF);
    if (t == Type::None || t > Type::NF || is_float != floats)
      return wrong("operands of three sources have integer types, or all of them floating-point ones");
    set(f, uint64_t(t) & 7);
  }
  uint64_t number(const Operand& o) {
    const FileRow& file = row_of(o.file);
    if (o.file == File::Grf) return o.number;
    if (o.number && o.number >= file.registers) wrong("there is no such register");
    return uint64_t(o.file == File::Mme ? File::Acc : o.file) << 4 | (o.number + file.first);
  }
  void sub(Field f, const Operand& o) {
    if (o.sub > 31) wrong("a subregister lies behind its register");
    set(f, o.sub);
  }
  void indirect(const Operand& o, Field mode, Field address, Field offset) {
    if (o.number > 15) wrong("there are 16 elements of a0");
    if (o.offset < -512 || o.offset > 511) wrong("an indirect operand's offset is -512 to 511");
    set(mode, 1), set(address, o.number), set(offset, uint64_t(int64_t(o.offset)));
  }
  void modifiers(Field f, const Operand& o) {
    if (o.modifiers && !has(SOURCE_MODIFIERS)) return wrong("this instruction takes no source modifiers");
    if (has(SOURCE_MODIFIERS)) set(f, o.modifiers);
  }

  void basic_destination() {
    const Operand& o = i.dst;
    const auto& f = field::dst;
    type(f.type, o.type);
    horizontal(f.horizontal, o.horizontal);
    if (o.kind == Kind::Indirect) {
      if (row.format == Format::Math) return wrong("math has no indirect operands");
      return indirect(o, f.indirect, f.address, f.offset);
    }
    set(f.file, o.file == File::Grf);
    set(f.number, number(o));
    is_macro(i) ? set(f.mme, o.mme) : sub(f.sub, o);
  }
  void basic_source(unsigned n, bool may, bool wide) {
    const Operand& o = i.src[n];
    const auto& f = field::source[n];
    if (o.kind == Kind::Immediate) {
      if (!may) return wrong("only the last source can be an immediate");
      set(f.is_immediate, 1);
      immediate_type(f.type, o.type, wide);
      uint64_t bits = o.immediate;
      if (log2_bytes(o.type) == 1 && o.type != Type::V && o.type != Type::UV) bits = (bits & 0xffff) | (bits & 0xffff) << 16;
      set(field::immediate, bits);
      if (log2_bytes(o.type) == 3) set(field::immediate_high, bits >> 32);
      return;
    }
    type(f.type, o.type);
    modifiers(f.modifiers, o);
    horizontal(f.horizontal, o.horizontal);
    if (!std::has_single_bit(o.width) || o.width > 16) wrong("a region's width is 1, 2, 4, 8 or 16");
    set(f.width, uint64_t(std::countr_zero(o.width)));
    if (o.vertical != kVxH && (o.vertical > 32 || (o.vertical && !std::has_single_bit(o.vertical))))
      wrong("a region's vertical stride is 0, 1, 2, 4, 8, 16 or 32");
    set(f.vertical, o.vertical == kVxH ? 15 : log_stride(o.vertical));
    if (o.kind == Kind::Indirect) {
      if (row.format == Format::Math) return wrong("math has no indirect operands");
      set(f.file, 1);
      return indirect(o, f.indirect, f.address, f.offset);
    }
    set(f.file, o.file == File::Grf);
    set(f.number, number(o));
    is_macro(i) ? set(f.mme, o.mme) : sub(f.sub, o);
  }
  void ternary() {
    bool floats = i.src[0].type == Type::NF || (i.src[0].type >= Type::HF && i.src[0].type <= Type::DF);
    set(field::float_types, floats);
    type3({field::dst.type.low, 3}, i.dst.type);
    if (i.dst.kind != Kind::Direct) wrong("instructions of three sources have no indirect operands");
    if (i.dst.horizontal != 1 && i.dst.horizontal != 2) wrong("this destination's stride is 1 or 2");
    set(field::dst_horizontal_3, i.dst.horizontal == 2);
    set(field::dst.file, i.dst.file == File::Grf);
    set(field::dst.number, number(i.dst));
    if (i.dst.sub % 8 || i.dst.sub > 31) wrong("this destination begins at a multiple of 8 bytes in its register");
    set(field::dst_sub_3, i.dst.sub >> 3);
    for (unsigned n = 0; n < 3; n++) {
      const Operand& o = i.src[n];
      const auto& f = field::source3[n];
      type3(f.type, o.type);
      if (o.kind == Kind::Immediate) {
        if (!f.is_immediate.size) return wrong("the second of three sources cannot be an immediate");
        bool negative_too = o.type >= Type::B && o.type <= Type::Q;
        if (negative_too ? int64_t(o.immediate) != int16_t(o.immediate) : o.immediate > 0xffff)
          return wrong("an immediate of three sources has 16 bits");
        set(f.is_immediate, 1), set(f.immediate, o.immediate);
        continue;
      }
      if (o.kind != Kind::Direct) return wrong("instructions of three sources have no indirect operands");
      modifiers(f.modifiers, o);
      set(f.file, o.file == File::Grf), set(f.number, number(o));
      sub(f.sub, o);
      horizontal(f.horizontal, o.horizontal);
      if (n == 2) continue;
      if (o.vertical != 0 && o.vertical != 1 && o.vertical != 4 && o.vertical != 8)
        return wrong("a vertical stride of three sources is 0, 1, 4 or 8");
      uint64_t v = o.vertical < 2 ? o.vertical : o.vertical == 4 ? 2 : 3;
      set(f.vertical[0], v & 1), set(f.vertical[1], v >> 1);
    }
  }
  void branch() {
    if (has(BRANCH_CONTROL)) set(field::branch_control, i.branch_control);
    if (has(DESTINATION))
      set(field::dst.file, i.dst.file == File::Grf), set(field::dst.number, number(i.dst)), sub(field::dst.sub, i.dst);
    const Operand& target = i.src[0];
    const auto& f = field::source[0];
    auto label = [&](Field at, const Operand& o) {
      if (int64_t(o.immediate) != int32_t(o.immediate)) wrong("a branch target is further away than 31 bits of bytes");
      set(at, o.immediate);
    };
    if (target.kind == Kind::Label) {
      set(f.is_immediate, 1);
      label(field::jip, target);
    } else {
      if (!has(REGISTER_TARGET) || target.kind != Kind::Direct) return wrong("this branch takes a label");
      set(f.file, target.file == File::Grf), set(f.number, number(target)), sub(f.sub, target);
    }
    if (i.src[1].kind == Kind::Label) {
      if (row.sources != 2 || target.kind != Kind::Label) return wrong("this branch takes one target");
      set(field::source[1].is_immediate, 1);
      label(field::uip, i.src[1]);
    } else if (row.sources == 2 && target.kind == Kind::Label) {
      wrong("this branch takes two targets");
    }
  }
  template <size_t N>
  void pieces(const Field (&fields)[N], uint64_t value) {
    for (const Field& f : fields) set(f, value), value >>= f.size;
  }
  void send() {
    set(field::condition, i.function);
    set(field::descriptor_in_register, i.descriptor_in_register);
    if (!i.descriptor_in_register) pieces(field::descriptor, i.descriptor);
    set(field::extended_in_register, i.extended_descriptor_in_register);
    if (i.extended_descriptor_in_register) {
      if (i.extended_descriptor > 7) wrong("an extended descriptor stands in a0.0 to a0.7");
      set(field::extended_address, i.extended_descriptor);
    } else {
      if (i.extended_descriptor & 63) wrong("bits 0 to 5 of an extended descriptor are zero");
      pieces(field::extended_descriptor, i.extended_descriptor >> 6);
    }
    const Operand* operands[] = {&i.dst, &i.src[0], &i.src[1]};
    constexpr Field files[] = {field::dst.file, field::source[0].file, field::source[1].file};
    constexpr Field numbers[] = {field::dst.number, field::source[0].number, field::source[1].number};
    for (unsigned n = 0; n < 3; n++) {
      if (operands[n]->kind != Kind::Direct) return wrong("send takes registers");
      set(files[n], operands[n]->file == File::Grf), set(numbers[n], number(*operands[n]));
    }
    set(field::serialize, i.serialize);
    set(field::end_of_thread, i.end_of_thread);
  }
  void sync() {
    set(field::condition, i.function);
    set(field::dst.horizontal, 1);  // IGA: so that it can be compacted
    const Operand& o = i.src[0];
    if (o.kind != Kind::Immediate) return;
    if (i.function != uint8_t(SyncFunction::Allrd) && i.function != uint8_t(SyncFunction::Allwr))
      return wrong("this sync takes no immediate");
    set(field::source[0].is_immediate, 1);
    immediate_type(field::source[0].type, o.type, false);
    set(field::immediate, o.immediate);
  }

  void all() {
    set(field::opcode, uint64_t(i.op));
    set(field::breakpoint, i.breakpoint);
    if (i.op != Op::Illegal) set(field::swsb, i.swsb);
    if (row.format == Format::Nullary) return;
    if (!std::has_single_bit(i.lanes) || i.lanes > 32) return wrong("the execution size is 1, 2, 4, 8, 16 or 32");
    if (i.op == Op::Jmpi && i.lanes != 1) return wrong("jmpi has the execution size 1");
    set(field::exec_size, uint64_t(std::countr_zero(i.lanes)));
    if (i.channel % 4 || i.channel > 28) return wrong("the channel offset is a multiple of 4 below 32");
    set(field::channel, i.channel / 4);
    set(field::no_mask, i.no_mask);
    set(field::thread, i.atomic);
    if ((i.predicate || i.predicate_inverted) && !has(PREDICATE)) return wrong("this instruction takes no predicate");
    set(field::predicate, i.predicate), set(field::predicate_inverted, i.predicate_inverted);
    set(field::flag, i.flag), set(field::flag_half, i.flag_half);
    if (i.saturate && !has(SATURATE)) return wrong("this instruction does not saturate");
    set(field::saturate, i.saturate);
    bool condition = i.condition != Condition::None;
    if (condition && !has(CONDITION)) return wrong("this instruction takes no condition modifier");
    if (condition) set(field::condition, uint64_t(i.condition));
    if (row.format == Format::Math) set(field::condition, i.function);
    bool basic = false;
    switch (row.format) {
      case Format::Unary:
        basic_destination(), basic_source(0, true, true), basic = true;
        if (condition && i.src[0].kind == Kind::Immediate && log2_bytes(i.src[0].type) == 3)
          wrong("an immediate of 64 bits leaves no room for a condition modifier");
        break;
      case Format::Binary: basic_destination(), basic_source(0, false, false), basic_source(1, true, false), basic = true; break;
      case Format::Math:
        basic_destination();
        basic_source(0, sources_of(i) == 1, false);
        if (sources_of(i) == 2) basic_source(1, true, false);
        basic = true;
        break;
      case Format::Ternary: ternary(), basic = true; break;
      case Format::Branch: branch(); break;
      case Format::Send: send(); break;
      default: sync(); break;
    }
    if (i.write_accumulator && !basic) return wrong("this instruction writes no accumulator");
    if (basic) set(field::write_accumulator, i.write_accumulator);
  }
};

}  // namespace

Expected<Words> encode_native(const Instruction& instruction) {
  const Opcode* row = find_opcode(unsigned(instruction.op));
  if (!row) return fail("opcode {:#x} is reserved", unsigned(instruction.op));
  Writer writer{instruction, *row, {}, {}};
  writer.all();
  if (!writer.why.empty()) return fail("{}: {}", row->name, writer.why);
  return writer.w;
}

Expected<std::vector<uint8_t>> encode(const Instruction& instruction) {
  auto words = encode_native(instruction);
  if (!words) return std::unexpected(words.error());
  std::vector<uint8_t> bytes(16);
  if (instruction.compacted) {
    auto compacted = compact(*words);
    if (!compacted) return fail("{}: this has no compacted form", find_opcode(unsigned(instruction.op))->name);
    bytes.resize(8);
    std::memcpy(bytes.data(), &*compacted, 8);
  } else {
    std::memcpy(bytes.data(), words->half, 16);
  }
  return bytes;
}

}  // namespace Atoll::xe_lp
