#include "isa/xe_lp/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "isa/xe_lp/immediate.h"
#include "isa/xe_lp/messages.h"

namespace Atoll::xe_lp {
namespace {

// A line of columns. A text that is too long for its column takes blanks from those that follow.
struct Columns {
  std::string text;
  size_t start = 0, debt = 0;
  void begin() { start = text.size(); }
  // IGA counts the letters of numbers and labels into no column.
  template <class Write>
  void uncounted(Write write) {
    size_t before = text.size();
    write();
    start += text.size() - before;
  }
  void end(size_t width) {
    size_t used = text.size() - start;
    if (used > width) {
      debt += used - width;
      return;
    }
    size_t blanks = width - used, paid = std::min(debt, blanks);
    debt -= paid;
    text.append(blanks - paid, ' ');
  }
};
constexpr size_t predicate_width = 7, name_width = 13, condition_width = 9, destination_width = 12, source_width = 16,
                 send_destination_width = 7, send_source_width = 6, descriptor_width = 10;

struct Printer {
  const Instruction& i;
  const PrintOptions& options;
  const Opcode& row;
  Columns c;

  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    c.text += fmt::format(format, std::forward<Args>(args)...);
  }

  void put_predicate() {
    c.begin();
    if (i.no_mask || i.predicate) {
      put("({}{}", i.no_mask ? "W" : "", i.no_mask && i.predicate ? "&" : "");
      if (i.predicate) put("{}f{}.{}{}", i.predicate_inverted ? "~" : "", i.flag, i.flag_half, predicate_names[i.predicate]);
      put(")");
    }
    c.end(predicate_width);
  }
  void put_name() {
    c.begin();
    put("{}", row.name);
    if (row.format == Format::Math) put(".{}", math_names[i.function]);
    if (row.format == Format::Send) put(".{}", sfid_names[i.function]);
    if (row.format == Format::Sync) put(".{}", sync_names[i.function]);
    if (i.branch_control) put(".b");
    put(" ");
    if (row.format != Format::Sync && row.format != Format::Nullary && i.op != Op::Jmpi) put("({}|M{})", i.lanes, i.channel);
    c.end(name_width);
  }
  void put_condition() {
    c.begin();
    if (is_macro(i))
      put("(eo)f{}.{}", i.flag, i.flag_half);
    else if (i.condition != Condition::None)
      put("({})f{}.{}", condition_names[size_t(i.condition)], i.flag, i.flag_half);
    c.end(condition_width);
  }
  void put_register(const Operand& o, bool sub) {
    const FileRow& file = row_of(o.file);
    put("{}", file.name);
    if (o.number || file.registers) put("{}", o.number);
    unsigned element = file.scaled ? o.sub >> log2_bytes(o.type) : o.sub;
    if ((sub && file.subregisters) || element) put(".{}", element);
  }
  void put_indirect(const Operand& o) {
    put("r[a0.{}", o.number);
    if (o.offset) put(",{}", o.offset);
    put("]");
  }
  void put_mme(const Operand& o) { o.mme == kNoMme ? put(".nomme") : put(".mme{}", o.mme); }
  void put_label(const Operand& o) {
    int64_t offset = int64_t(o.immediate);
    if (options.label)
      put("{}", options.label(offset, options.context));
    else
      c.uncounted([&] { put("{}", offset); });
  }

  void put_destination() {
    put("  ");
    c.begin();
    const Operand& o = i.dst;
    bool send = row.format == Format::Send;
    if (i.saturate) put("(sat)");
    if (o.kind == Kind::Indirect)
      put_indirect(o);
    else
      put_register(o, !send && !is_macro(i));
    if (is_macro(i)) put_mme(o);
    if (!send && row.format != Format::Branch) {
      if (!is_macro(i) || o.horizontal != 1) put("<{}>", o.horizontal);
      put(":{}", name_of(o.type));
    }
    c.end(send ? send_destination_width : destination_width);
  }
  void put_immediate(const Operand& o) {
    c.uncounted([&] { put("{}", text_of_immediate(o.immediate, o.type)); });
    put(":{}", name_of(o.type));
  }
  void put_scoreboard_set(uint64_t set) {
    put("(");
    bool first = true;
    for (unsigned n = 0; n < 32; n++)
      if (set >> n & 1) put("{}${}", first ? "" : ",", n), first = false;
    put(")");
  }
  void put_region(const Operand& o, unsigned n) {
    if (row.format == Format::Ternary)
      n < 2 ? put("<{};{}>", o.vertical, o.horizontal) : put("<{}>", o.horizontal);
    else if (o.vertical == kVxH)
      put("<{},{}>", o.width, o.horizontal);
    else
      put("<{};{},{}>", o.vertical, o.width, o.horizontal);
  }
  void put_source(unsigned n) {
    put("  ");
    c.begin();
    const Operand& o = i.src[n];
    bool send = row.format == Format::Send;
    if (o.modifiers & MOD_NEGATE) put("{}", row.traits & BITWISE && o.modifiers == MOD_NEGATE ? "~" : "-");
    if (o.modifiers & MOD_ABSOLUTE) put("(abs)");
    switch (o.kind) {
      case Kind::Immediate:
        if (row.format == Format::Sync)
          put_scoreboard_set(o.immediate);
        else
          put_immediate(o);
        break;
      case Kind::Label: put_label(o); break;
      default:
        if (o.kind == Kind::Indirect)
          put_indirect(o);
        else
          put_register(o, !send && !is_macro(i));
        if (is_macro(i)) put_mme(o);
        if (send || row.format == Format::Branch || row.format == Format::Sync) break;
        if (!is_macro(i)) put_region(o, n);
        put(":{}", name_of(o.type));
    }
    if (!(row.format == Format::Sync && o.kind == Kind::Immediate)) c.end(send ? send_source_width : source_width);
  }
  void put_descriptor(bool in_register, uint32_t value, bool wide) {
    put("  ");
    c.begin();
    if (in_register)
      put("a0.{}", value);
    else
      c.uncounted([&] { wide ? put("0x{:08X}", value) : put("0x{:X}", value); });
    c.end(descriptor_width);
  }

  // The software scoreboard's annotation: IGC's iga_types_swsb.cpp (SingleDistPipe).
  std::string scoreboard() const {
    unsigned low = i.swsb & 15, high = i.swsb >> 4;
    bool out_of_order = row.format == Format::Send || row.format == Format::Math;
    if (i.swsb == 0) return {};
    if (high == 0) return fmt::format("@{}", low);
    if (i.swsb & 0x80) return fmt::format("@{},${}{}", high & 7, low, out_of_order ? "" : ".dst");
    return fmt::format("${}{}", low, high == 2 ? ".dst" : high == 3 ? ".src" : "");
  }
  std::string annotations() const {
    std::string out;
    auto add = [&](std::string_view one) {
      if (!out.empty()) out += ',';
      out += one;
    };
    if (i.write_accumulator) add("AccWrEn");
    if (i.atomic) add("Atomic");
    if (i.breakpoint) add("Breakpoint");
    if (i.compacted) add("Compacted");
    if (i.end_of_thread) add("EOT");
    if (i.serialize) add("Serialize");
    if (std::string s = scoreboard(); !s.empty()) add(s);
    return out;
  }

  std::string line() {
    put_predicate();
    put(" ");
    put_name();
    put(" ");
    put_condition();
    std::string notes = annotations();
    unsigned sources = sources_of(i);
    while (sources && i.src[sources - 1].kind == Kind::None) sources--;
    if (i.dst.kind != Kind::None)
      put_destination();
    else if (sources || !notes.empty())
      c.text.append(destination_width, ' ');
    if (sources == 0) {
      if (!notes.empty()) c.text.append(source_width, ' ');
    } else {
      put_source(0);
      if (sources >= 2)
        put_source(1);
      else
        c.begin(), c.end(source_width);
      if (sources >= 3) put_source(2);
    }
    if (row.format == Format::Send) {
      put_descriptor(i.extended_descriptor_in_register, i.extended_descriptor, false);
      put_descriptor(i.descriptor_in_register, i.descriptor_in_register ? 0 : i.descriptor, true);
    }
    if (!notes.empty()) put(" {{{}}}", notes);
    if (row.format == Format::Send && options.comments) put(" // {}", describe_send(i));
    return c.text;
  }
};

}  // namespace

std::string print(const Instruction& instruction, const PrintOptions& options) {
  const Opcode* row = find_opcode(unsigned(instruction.op));
  if (!row) return {};
  return Printer{instruction, options, *row, {}}.line();
}

}  // namespace Atoll::xe_lp
