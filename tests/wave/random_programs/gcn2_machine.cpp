// Random Sea Islands programs and the wave that runs them: every instruction that has semantics, but for images, with random
// operands over few registers so that values flow; branches, loops and divergence around them. All end, and access memory where
// there is some.
#include <algorithm>
#include <string_view>

#include "isa/gcn2/encode.h"
#include "isa/gcn2/isa.h"
#include "isa/gcn2/parse.h"
#include "isa/gcn2/registers.h"
#include "isa/gcn2/semantics/semantics.h"
#include "isa/gcn2/table.h"
#include "machine.h"

namespace Atoll::gcn2::test {
namespace {

using namespace Atoll::test;

// Registers with a meaning in every program; the others hold data.
enum Reserved : uint32_t {
  LOOP_COUNTER = 20,  // SGPRs
  SAVED_EXEC = 22,    // and 24, 26 by depth
  DATA_SGPRS = 16,    // s0 to s15, v0 to v15 are data
  DATA_VGPRS = 16,
  SMALL_OFFSET = 28,
  BUFFER_BASE = 30,  // 64 bits
  BUFFER_DESCRIPTOR = 32,
  SCALAR_ADDRESS = 39,
  ADDRESS = 40,    // VGPRs: a computed address; 41 is the buffer's high half
  LANE_BASE = 42,  // lane number times 64
  LANE_COUNTER = 46,
};

// What leaves the straight line, stops the wave, asks the world outside or writes a register that is not known beforehand.
bool excluded(const Opcode& row) {
  std::string_view name = row.name;
  for (std::string_view part :
       {"s_endpgm",   "branch",    "s_setpc",   "s_swappc", "s_rfe",   "s_trap",  "s_sethalt", "s_sendmsg",
        "s_barrier",  "s_sleep",   "s_setkill", "s_setreg", "getreg",  "movreld", "movrelsd",  "regrd",
        "s_setvskip", "s_memtime", "gws",       "append",   "consume", "ordered"})
    if (name.find(part) != name.npos) return true;
  return false;
}

enum Class { Scalar, Vector, Graphics, Lds, Flat, Smem, Buffer, ClassCount };

Class class_of(Format format) {
  switch (format) {
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPC:
    case Format::SOPK:
    case Format::SOPP: return Scalar;
    case Format::VOP1:
    case Format::VOP2:
    case Format::VOPC:
    case Format::VOP3: return Vector;
    case Format::VINTRP:
    case Format::EXP: return Graphics;
    case Format::DS: return Lds;
    case Format::FLAT: return Flat;
    case Format::SMRD: return Smem;
    case Format::MUBUF:
    case Format::MTBUF: return Buffer;
    default: return ClassCount;
  }
}

struct Rows {
  std::vector<const Opcode*> of[ClassCount];
  Rows() {
    for (const Opcode& row : opcodes()) {
      Class c = class_of(row.format);
      if (c != ClassCount && !excluded(row) && !row.has(Flag::GdsOnly) && find_semantics(row.name)) of[c].push_back(&row);
    }
  }
};
const Rows& rows() {
  static const Rows all;
  return all;
}

// A data format and the numbers it can hold, mostly; others are a fault.
struct BufferFormat {
  uint32_t data, number;
};
BufferFormat random_format(Random& r) {
  static constexpr uint32_t data[] = {1, 2, 3, 4, 5, 10, 11, 12, 13, 14};
  uint32_t d = data[r.below(std::size(data))];
  bool bytes = d == 1 || d == 3 || d == 10, dwords = d == 4 || d == 11 || d >= 13;
  static constexpr uint32_t of_dwords[] = {4, 5, 7}, of_shorts[] = {0, 1, 2, 3, 4, 5, 7};
  return {d, dwords ? of_dwords[r.below(3)] : bytes ? r.below(6) : of_shorts[r.below(7)]};
}

struct Context {
  int depth = 0;
  bool exec_writes = true;
};

class Generator {
public:
  explicit Generator(Random& random) : r(random), isa_(isa()) {}

  RandomProgram program() {
    Code code = block(4 + r.below(14), {});
    text(code, "s_endpgm");
    return {code.words, code.starts};
  }

private:
  Random& r;
  const wave::Isa& isa_;
  std::vector<std::shared_ptr<void>> keep_;

  template <class... Args>
  void text(Code& code, fmt::format_string<Args...> format, Args&&... args) {
    std::string line = fmt::format(format, std::forward<Args>(args)...);
    auto decoded = parse(line);
    if (!decoded) broken_promise((line + ": " + decoded.error().message).c_str(), __FILE__, __LINE__);
    auto words = encode(*decoded);
    if (!words) broken_promise((line + ": " + words.error().message).c_str(), __FILE__, __LINE__);
    code.add(std::span(words->dwords.data(), words->count));
  }
  bool valid(const std::vector<uint32_t>& words) {
    wave::Step step;
    keep_.clear();
    return isa_.decode(words, step, keep_).has_value() && step.words == words.size();
  }

  // --- control flow
  static std::string pair(uint32_t n) { return fmt::format("s[{}:{}]", n, n + 1); }
  void branch(Code& code, const char* name, int words) {
    text(code, "{} 0", name);
    code.words.back() |= uint32_t(words) & 0xffff;
  }
  Code block(uint32_t count, Context context) {
    Code code;
    for (uint32_t n = 0; n < count; n++) {
      uint32_t kind = context.depth < 2 ? r.below(100) : 100;
      if (kind < 6)
        scalar_loop(code, context);
      else if (kind < 9)
        lane_loop(code, context);
      else if (kind < 16)
        lane_if(code, context);
      else if (kind < 21)
        forward(code, context);
      else
        straight(code, context);
    }
    return code;
  }
  static Context inner(Context context) { return context.depth++, context; }
  void scalar_loop(Code& code, Context context) {
    uint32_t counter = LOOP_COUNTER + uint32_t(context.depth);
    text(code, "s_movk_i32 s{}, {}", counter, 1 + r.below(3));
    int start = int(code.words.size());
    code.add(block(1 + r.below(4), inner(context)));
    text(code, "s_sub_u32 s{}, s{}, 1", counter, counter);
    text(code, "s_cmp_lg_u32 s{}, 0", counter);
    branch(code, "s_cbranch_scc1", start - int(code.words.size()) - 1);
  }
  // As long as a lane's own counter says.
  void lane_loop(Code& code, Context context) {
    if (context.depth) return;  // one counter
    uint32_t saved = SAVED_EXEC + 2 * uint32_t(context.depth);
    text(code, "s_mov_b64 {}, exec", pair(saved));
    text(code, "v_and_b32 v{}, 3, v{}", int(LANE_COUNTER), r.below(DATA_VGPRS));
    int start = int(code.words.size());
    Context c = inner(context);
    c.exec_writes = false;
    code.add(block(1 + r.below(3), c));
    text(code, "v_sub_i32 v{}, vcc, v{}, 1", int(LANE_COUNTER), int(LANE_COUNTER));
    text(code, "v_cmp_lt_i32 vcc, -1, v{}", int(LANE_COUNTER));
    text(code, "s_and_b64 exec, exec, vcc");
    branch(code, "s_cbranch_execnz", start - int(code.words.size()) - 1);
    text(code, "s_mov_b64 exec, {}", pair(saved));
  }
  void lane_if(Code& code, Context context) {
    uint32_t saved = SAVED_EXEC + 2 * uint32_t(context.depth);
    const char* op[] = {"v_cmp_lt_u32", "v_cmp_gt_i32", "v_cmp_eq_u32", "v_cmp_ne_u32", "v_cmp_nlt_f32", "v_cmp_le_f32"};
    text(code, "{} vcc, v{}, v{}", op[r.below(6)], r.below(DATA_VGPRS), r.below(DATA_VGPRS));
    text(code, "s_and_saveexec_b64 {}, vcc", pair(saved));
    Context c = inner(context);
    Code then = block(1 + r.below(4), c), other = block(r.below(3), c);
    if (r.chance(50)) branch(code, "s_cbranch_execz", int(then.words.size()));
    code.add(then);
    if (r.chance(50)) {
      text(code, "s_xor_b64 exec, exec, {}", pair(saved));
      code.add(other);
    }
    text(code, "s_{}_b64 exec, {}, {}", r.chance(50) ? "or" : "and", pair(saved), pair(saved));
  }
  void forward(Code& code, Context context) {
    const char* op[] = {"s_cbranch_scc0",  "s_cbranch_scc1",   "s_cbranch_vccz", "s_cbranch_vccnz",
                        "s_cbranch_execz", "s_cbranch_execnz", "s_branch"};
    Code body = block(1 + r.below(4), inner(context));
    branch(code, op[r.below(7)], int(body.words.size()));
    code.add(body);
  }

  // --- straight code
  void straight(Code& code, const Context& context) {
    for (int tries = 0; tries < 200; tries++) {
      uint32_t kind = r.below(1000);
      bool done = false;
      if (kind < 230)
        done = one(code, pick(Scalar), context);
      else if (kind < 700)
        done = one(code, pick(Vector), context);
      else if (kind < 930)
        done = memory(code);
      else if (kind < 990)
        done = one(code, pick(Graphics), context);
      else {
        text(code, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 10), {:#x}",
             0xc0 | (r.chance(50) ? 0x30 : 0) | r.below(16) | r.below(4) << 8);
        done = true;
      }
      if (done) return;
    }
  }
  const Opcode* pick(Class c) {
    const auto& list = rows().of[c];
    return list.empty() ? nullptr : list[r.below(uint32_t(list.size()))];
  }
  uint32_t data_vgpr(unsigned dwords) { return r.below(DATA_VGPRS + 1 - std::clamp(dwords, 1u, unsigned(DATA_VGPRS))); }
  uint32_t data_sgpr(unsigned dwords) {
    unsigned align = dwords > 2 ? 4 : dwords == 2 ? 2 : 1;
    return r.below((DATA_SGPRS - std::clamp(dwords, 1u, unsigned(DATA_SGPRS))) / align + 1) * align;
  }
  uint32_t scalar_destination(unsigned dwords, const Context& context) {
    uint32_t kind = r.below(100);
    if (dwords <= 2 && kind < 10) return VCC_LO;
    if (dwords == 1 && kind < 12) return M0;
    if (context.exec_writes && dwords == 2 && kind < 18) return EXEC_LO;
    return data_sgpr(dwords);
  }
  uint32_t scalar_source(unsigned dwords, bool may_have_literal, bool& literal) {
    uint32_t kind = r.below(100);
    if (kind < 20) return 128 + r.below(81);
    if (kind < 30) return 240 + r.below(8);
    if (kind < 36 && may_have_literal) return literal = true, LITERAL;
    if (kind < 40) return dwords <= 2 ? uint32_t(VCC_LO) : data_sgpr(dwords);
    if (kind < 43) return dwords <= 2 ? uint32_t(EXEC_LO) : data_sgpr(dwords);
    if (kind < 45) return dwords == 1 ? uint32_t(M0) : data_sgpr(dwords);
    if (kind < 47) return SRC_SCC;
    if (kind < 50) return SRC_VCCZ + r.below(2);
    return data_sgpr(dwords);
  }
  uint32_t operand(const Opcode& row, const OperandRow& o, const Context& context, bool& literal) {
    unsigned dwords = std::max(1u, o.type.dwords());
    bool may_have_literal = row.format != Format::VOP3;
    switch (o.kind) {
      case Kind::Vgpr: return (o.bits.width == 9 ? 256u : 0u) + data_vgpr(dwords);
      case Kind::Sgpr: {
        bool result = o.slot == Slot::Dst || o.slot == Slot::Sdst;
        return result ? scalar_destination(dwords, context) : data_sgpr(dwords);
      }
      case Kind::ScalarSource: return scalar_source(dwords, may_have_literal, literal);
      case Kind::ScalarInline: return scalar_source(dwords, false, literal);
      case Kind::VectorSource:
        if (o.slot == Slot::Src0 && r.chance(1)) return LDS_DIRECT;
        return r.chance(55) ? 256 + data_vgpr(dwords) : scalar_source(dwords, may_have_literal, literal);
      case Kind::VgprOrDirect: return 256 + data_vgpr(1);
      case Kind::Mask:
        if (r.chance(30)) return VCC_LO;
        if (o.slot == Slot::Sdst && context.exec_writes && r.chance(4)) return EXEC_LO;
        return data_sgpr(2);
      case Kind::Attribute: return r.below(33);
      case Kind::Parameter: return r.below(3);
      case Kind::ExportTarget: {
        static constexpr uint32_t targets[] = {0, 1, 7, 8, 9, 12, 13, 15, 32, 33, 63};
        return targets[r.below(std::size(targets))];
      }
      case Kind::ExportSource: return data_vgpr(1);
      default: return r.chance(50) ? r.below(64) : r.next();
    }
  }

  // One instruction of the row with random fields; false if none was found that decodes.
  bool one(Code& code, const Opcode* row, const Context& context) {
    if (!row || (row->has(Flag::WritesExec) && !context.exec_writes)) return false;
    const Layout& form = layout(*row);
    for (int tries = 0; tries < 8; tries++) {
      std::vector<uint32_t> words(form.words);
      words[0] = form.fixed;
      bool literal = false;
      uint32_t enabled = r.below(16);
      bool compressed = r.chance(30);
      for (const FieldRow& f : form.fields)
        if (f.field == Field::op) f.bits.put(words.data(), row->opcode);
      for (const OperandRow& o : row->rows()) {
        literal |= o.kind == Kind::Literal;
        if (!o.bits.width) continue;
        uint32_t value = operand(*row, o, context, literal);
        if (o.kind == Kind::ExportSource) {  // what nothing reads must be zero
          unsigned n = unsigned(o.slot) - unsigned(Slot::Export0), readers = compressed ? (n < 2 ? 3u << 2 * n : 0u) : 1u << n;
          if (!(enabled & readers)) value = 0;
        }
        o.bits.put(words.data(), value);
      }
      for (const FieldRow& f : form.fields) {
        uint32_t value = 0;
        switch (f.field) {
          case Field::neg: value = r.chance(25) ? r.next() & row->neg : 0; break;
          case Field::abs: value = r.chance(25) ? r.next() & row->abs : 0; break;
          case Field::clamp: value = row->has(Flag::Clamp) && r.chance(15); break;
          case Field::omod: value = row->has(Flag::Omod) && r.chance(15) ? r.below(4) : 0; break;
          case Field::en: value = enabled; break;
          case Field::compr: value = compressed; break;
          case Field::done:
          case Field::vm: value = r.chance(30); break;
          case Field::attrchan: value = r.below(4); break;
          default: continue;
        }
        bool taken = false;  // a field that an operand has taken stays
        for (const OperandRow& o : row->rows()) taken |= o.bits.width && o.bits.word == f.bits.word && o.bits.low == f.bits.low;
        if (!taken) f.bits.put(words.data(), value);
      }
      if (literal) words.push_back(r.word());
      if (!valid(words)) continue;
      code.add(words);
      return true;
    }
    return false;
  }

  // --- memory
  bool memory(Code& code) {
    static constexpr Class classes[] = {Lds, Lds, Flat, Smem, Buffer, Buffer};
    Class c = classes[r.below(6)];
    const Opcode* row = pick(c);
    if (!row) return false;
    std::string_view name = row->name;
    bool store = row->has(Flag::Store) || name.starts_with("ds_write"),
         load = row->has(Flag::Load) || name.starts_with("ds_read");
    bool atomic = !store && !load;
    bool format = name.find("format") != name.npos;
    unsigned dwords = 1;
    for (const OperandRow& o : row->rows())
      if (o.slot == Slot::Data || o.slot == Slot::Dst) dwords = std::max(dwords, o.type.dwords());
    if (name.find("src2") != name.npos && name.find("64") != name.npos) dwords = 2;
    BufferFormat buffer_format = random_format(r);
    // Lanes must not overlap where one lane stores several dwords: which of them wins is nobody's promise.
    bool own = store && (dwords > 1 || row->has(Flag::TwoAddress) || format);
    uint32_t align = atomic || own || r.chance(80) ? (dwords > 1 ? 8u : 4u) : 1u, from = r.below(DATA_VGPRS);
    uint32_t bits = 0xfff & ~(align - 1);
    Code prepare;
    if (c == Lds && r.chance(90)) text(prepare, "s_mov_b32 m0, -1");  // how far LDS reaches
    if (c != Smem) {
      uint32_t form = r.below(4);  // consecutive, equal or any
      if (own || form == 0) {
        text(prepare, "v_and_b32 v{}, {}, v{}", int(ADDRESS), own ? 0x20 : 0, from);
        if (own)
          text(prepare, "v_or_b32 v{}, v{}, v{}", int(ADDRESS), int(ADDRESS), int(LANE_BASE));
        else
          text(prepare, "v_lshrrev_b32 v{}, {}, v{}", int(ADDRESS), dwords >= 4 ? 2 : dwords >= 2 ? 3 : 4, int(LANE_BASE));
      } else if (form == 1) {
        text(prepare, "s_and_b32 s{}, s{}, {:#x}", int(SCALAR_ADDRESS), r.below(DATA_SGPRS), bits);
        text(prepare, "v_mov_b32 v{}, s{}", int(ADDRESS), int(SCALAR_ADDRESS));
      } else {
        text(prepare, "v_and_b32 v{}, {:#x}, v{}", int(ADDRESS), bits, from);
      }
      if (c == Flat) text(prepare, "v_mov_b32 v{}, {:#x}", ADDRESS + 1, r.chance(1) ? 0x7f : uint32_t(buffer_base >> 32));
      if (c == Buffer) text(prepare, "v_mov_b32 v{}, {:#x}", ADDRESS + 1, r.below(16) * align);
    }
    const Layout& form = layout(*row);
    std::vector<uint32_t> words(form.words);
    words[0] = form.fixed;
    bool literal = false, index = !own && r.chance(40), immediate = r.chance(60);
    for (const OperandRow& o : row->rows()) {
      unsigned count = std::max(1u, o.type.dwords());
      uint32_t value = 0;
      switch (o.kind) {
        case Kind::Vgpr:
        case Kind::Returned: value = o.slot == Slot::Address ? uint32_t(ADDRESS) : data_vgpr(count); break;
        case Kind::BufferAddress: value = ADDRESS; break;
        case Kind::ScalarOffset: value = r.chance(50) && !own ? uint32_t(SMALL_OFFSET) : uint32_t(INTEGER_0); break;
        case Kind::SmrdOffset: value = immediate ? r.below(200) : uint32_t(SMALL_OFFSET); break;
        case Kind::BufferFormat: value = buffer_format.data; break;
        case Kind::Sgpr:
          value = o.field == Field::sbase   ? (count == 4 ? BUFFER_DESCRIPTOR : BUFFER_BASE) / 2
                  : o.field == Field::srsrc ? BUFFER_DESCRIPTOR / 4
                                            : data_sgpr(count);
          break;
        default: value = operand(*row, o, {}, literal); break;
      }
      if (o.bits.width) o.bits.put(words.data(), value);
    }
    // Where lanes own 64 bytes each, offsets stay in them.
    uint32_t two = own ? row->has(Flag::Stride64) ? 1 : 3 : 8;
    for (const FieldRow& f : form.fields) switch (f.field) {
        case Field::op: f.bits.put(words.data(), row->opcode); break;
        case Field::imm: f.bits.put(words.data(), row->operand_count == 3 && immediate); break;
        case Field::offset0:
          f.bits.put(words.data(), row->has(Flag::Bare) ? 0 : row->has(Flag::TwoAddress) ? r.below(two) : r.below(3) * align);
          break;
        case Field::offset1: f.bits.put(words.data(), row->has(Flag::TwoAddress) ? r.below(two) : 0); break;
        case Field::offset:
          if (c == Buffer)
            f.bits.put(words.data(), own ? r.below(3) * align : r.chance(10) && !atomic ? r.below(4096) : r.below(16) * align);
          break;
        case Field::offen:
          if (c == Buffer && !row->has(Flag::Bare)) f.bits.put(words.data(), own || r.chance(50));
          break;
        case Field::idxen:
          if (c == Buffer && !row->has(Flag::Bare)) f.bits.put(words.data(), index);
          break;
        case Field::glc:
          if (!row->has(Flag::Bare)) f.bits.put(words.data(), r.below(2));
          break;
        case Field::nfmt:
          if (row->has(Flag::Typed)) f.bits.put(words.data(), buffer_format.number);
          break;
        default: break;
      }
    if (literal) words.push_back(r.word());
    if (!valid(words)) return false;
    code.add(prepare);
    code.add(words);
    return true;
  }
};

class Gcn2Machine : public Machine {
public:
  const wave::Isa& isa(unsigned) const override { return gcn2::isa(); }
  unsigned random_lanes(Random&) const override { return 64; }
  uint32_t random_mode(Random& r) const override {
    switch (r.below(6)) {
      case 0:
      case 1: return MODE_DEFAULT | MODE_DX10_CLAMP;
      case 2: return 0xf0;
      case 3: return r.below(1024);
      case 4: return r.below(16) * 0x10;
      default: return MODE_DEFAULT | r.below(16);
    }
  }
  RandomProgram generate(Random& random, unsigned) const override { return Generator(random).program(); }
  size_t row_count() const override {
    size_t n = 0;
    for (const auto& list : rows().of) n += list.size();
    return n;
  }

private:
  void fill_registers(wave::Wave& w, Random& random, uint32_t mode) const override {
    auto s = [&](uint32_t n) -> uint32_t& { return wave::word_of(w, scalar_cell(n)); };
    wave::word_of(w, mode_cell) = mode;
    wave::word_of(w, vgpr_count_cell) = kVgprCount;
    wave::word_of(w, scc_cell) = random.next() & 1;
    for (uint32_t n = 0; n < DATA_SGPRS; n++) s(n) = random.word();
    s(VCC_LO) = random.next(), s(VCC_HI) = random.next(), s(M0) = random.below(4);
    switch (random.below(4)) {
      case 0: s(EXEC_LO) = ~0u, s(EXEC_HI) = ~0u; break;
      case 1: s(EXEC_LO) = random.next(), s(EXEC_HI) = random.next(); break;
      case 2: s(EXEC_LO) = random.next() & random.next() & random.next(), s(EXEC_HI) = random.below(2) * random.next(); break;
      default: s(EXEC_LO) = ~0u << random.below(32), s(EXEC_HI) = ~0u >> random.below(32); break;
    }
    s(SMALL_OFFSET) = random.below(8) * 8;
    s(BUFFER_BASE) = uint32_t(buffer_base), s(BUFFER_BASE + 1) = uint32_t(buffer_base >> 32);
    // V#: base, stride 0 or 16, records (bytes, or of 16 bytes), DST_SEL xyzw, NUM_FORMAT, DATA_FORMAT (SQ_BUF_RSRC_WORD0-3).
    uint32_t stride = random.below(2) * 16;
    s(BUFFER_DESCRIPTOR) = uint32_t(buffer_base), s(BUFFER_DESCRIPTOR + 1) = uint32_t(buffer_base >> 32) | stride << 16;
    s(BUFFER_DESCRIPTOR + 2) = stride ? 0x200 : 0x2000;
    BufferFormat f = random_format(random);
    s(BUFFER_DESCRIPTOR + 3) = 4 | 5 << 3 | 6 << 6 | 7 << 9 | f.number << 12 | f.data << 15;
    auto fill = [&](uint32_t cell) {
      uint32_t kind = random.below(8), same = random.word();
      for (uint32_t l = 0; l < 64; l++)
        wave::word_of(w, lane_cell(cell, l)) = kind == 0 ? same : kind == 1 ? same + l : random.word();
    };
    for (uint32_t n = 0; n < DATA_VGPRS; n++) fill(vgpr_cell(n));
    for (uint32_t l = 0; l < 64; l++) wave::word_of(w, lane_cell(vgpr_cell(LANE_BASE), l)) = l * 64;
    for (uint32_t a = 0; a < attribute_count; a += 8)
      for (uint32_t n = 0; n < 12; n++) fill(attribute_cell(a, n / 3, n % 3));
  }
  std::string register_name(uint32_t cell, unsigned) const override {
    if (cell >= attributes_begin) return fmt::format("attribute word {}", (cell - attributes_begin) / 4);
    if (cell >= export_control_end)
      return fmt::format("export channel {} lane {}", (cell - export_control_end) / lanes_bytes, cell / 4 % 64);
    if (cell >= export_control_begin) return fmt::format("export control {}", (cell - export_control_begin) / 4);
    if (cell >= vgpr_cell(0))
      return fmt::format("v{} lane {}", (cell - vgpr_cell(0)) / lanes_bytes, (cell - vgpr_cell(0)) / 4 % 64);
    if (cell == scc_cell) return "scc";
    if (cell == mode_cell) return "mode";
    uint32_t n = (cell - scalar_cell(0)) / 4;
    switch (n) {
      case VCC_LO: return "vcc_lo";
      case VCC_HI: return "vcc_hi";
      case M0: return "m0";
      case EXEC_LO: return "exec_lo";
      case EXEC_HI: return "exec_hi";
      default: return n < 104 ? fmt::format("s{}", n) : fmt::format("scalar word {}", n);
    }
  }
};

}  // namespace
}  // namespace Atoll::gcn2::test

namespace Atoll::test {

std::unique_ptr<Machine> gcn2_machine() { return std::make_unique<gcn2::test::Gcn2Machine>(); }

}  // namespace Atoll::test
