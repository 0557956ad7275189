#include <algorithm>
#include <string_view>

#include "isa/rdna4/decode.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/parse.h"
#include "isa/rdna4/semantics/semantics.h"
#include "isa/rdna4/table.h"
#include "rdna4_programs.h"

namespace Atoll::rdna4::test {
namespace {

// Instructions that leave the straight line, stop the wave or ask the world outside; the control flow below is made by hand.
bool excluded(const Opcode& row) {
  std::string_view name = row.name;
  for (std::string_view part : {"s_endpgm",  "branch",     "s_setpc",      "s_swappc",  "s_call",   "s_rfe",    "s_trap",
                                "s_sethalt", "s_sendmsg",  "s_alloc_vgpr", "s_setkill", "s_setreg", "s_getreg", "movreld",
                                "movrelsd",  "s_code_end", "prefetch",     "block",     "gws",      "s_ttrace"})
    if (name.find(part) != name.npos) return true;
  return false;
}

enum Class { Scalar, Vector, Graphics, Lds, Global, Flat, Scratch, Smem, Buffer, Image, ClassCount };

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
    case Format::VOP3:
    case Format::VOP3P: return Vector;
    case Format::VINTERP:
    case Format::VDSDIR:
    case Format::VEXPORT: return Graphics;
    case Format::VDS: return Lds;
    case Format::VGLOBAL: return Global;
    case Format::VFLAT: return Flat;
    case Format::VSCRATCH: return Scratch;
    case Format::SMEM: return Smem;
    case Format::VBUFFER: return Buffer;
    case Format::VIMAGE:
    case Format::VSAMPLE: return Image;
    default: return ClassCount;
  }
}

bool is_generated(const Opcode& row) { return class_of(row.format) != ClassCount && !excluded(row) && find_semantics(row.name); }

struct Rows {
  std::vector<const Opcode*> of[ClassCount], vopd_x, vopd_y;
  Rows() {
    for (const Opcode& row : opcodes()) {
      if (row.format == Format::VOPDX) vopd_x.push_back(&row);
      if (row.format == Format::VOPDY) vopd_y.push_back(&row);
      const bool rays = row.format == Format::VIMAGE && row.has(Flag::Bvh);
      if (is_generated(row) && !rays) of[class_of(row.format)].push_back(&row);
    }
  }
};
const Rows& rows() {
  static const Rows all;
  return all;
}

struct Context {
  int depth = 0;
  bool exec_writes = true, calls = true, stores = true;
};

class Generator {
public:
  Generator(Random& random, unsigned lanes) : r(random), wide(lanes == 64), options{lanes}, isa_(isa(lanes)) {}

  RandomProgram program() {
    Code code = block(4 + r.below(14), {});
    code.add(std::array{0xbfb00000u});  // s_endpgm
    if (!code.calls.empty()) {
      uint32_t function = uint32_t(code.words.size());
      code.add(block(1 + r.below(4), {.depth = 2, .exec_writes = true, .calls = false}));
      text(code, "s_setpc_b64 s[36:37]");
      for (uint32_t c : code.calls) code.words[c] |= (function - c - 1) & 0xffff;
    }
    return {code.words, code.starts};
  }

  void text_line(Code& code, const std::string& line) { text(code, "{}", line); }
  void pieces(Code& code, uint32_t count) {
    for (uint32_t n = 0; n < count; n++) straight(code, {.depth = 2, .exec_writes = false, .calls = false});
  }
  void aimed(Code& code, const Aim& aim) {
    for (int tries = 0; tries < 1000; tries++)
      if (memory(code, {.depth = 2, .exec_writes = false, .calls = false}, &aim)) return;
    broken_promise(
        fmt::format("no instruction for an aim at space {}, VGPR {}, offset {:#x}", int(aim.space), aim.address, aim.offset)
            .c_str(),
        __FILE__, __LINE__);
  }

private:
  Random& r;
  bool wide;
  CodeOptions options;
  const wave::Isa& isa_;
  std::vector<std::shared_ptr<void>> keep_;

  template <class... Args>
  void text(Code& code, fmt::format_string<Args...> format, Args&&... args) {
    std::string line = fmt::format(format, std::forward<Args>(args)...);
    auto decoded = parse(line, options);
    if (!decoded) broken_promise((line + ": " + decoded.error().message).c_str(), __FILE__, __LINE__);
    auto words = encode(decoded->main, options);
    if (!words) broken_promise((line + ": " + words.error().message).c_str(), __FILE__, __LINE__);
    code.add(std::span(words->dwords.data(), words->count));
  }
  bool valid(const std::vector<uint32_t>& words) {
    wave::Step step;
    keep_.clear();
    return isa_.decode(words, step, keep_).has_value() && step.words == words.size();
  }

  // --- control flow
  std::string mask(uint32_t n) { return wide ? fmt::format("s[{}:{}]", n, n + 1) : fmt::format("s{}", n); }
  const char* exec() { return wide ? "exec" : "exec_lo"; }
  const char* vcc() { return wide ? "vcc" : "vcc_lo"; }
  int size() { return wide ? 64 : 32; }

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
      else if (kind < 15)
        lane_if(code, context);
      else if (kind < 20)
        forward(code, context);
      else if (kind < 23 && context.calls)
        call(code);
      else
        straight(code, context);
    }
    return code;
  }
  Context inner(Context context) { return context.depth++, context; }

  void scalar_loop(Code& code, Context context) {
    uint32_t counter = LOOP_COUNTER + uint32_t(context.depth);
    context.stores = r.chance(40);
    Code body = block(1 + r.below(6), inner(context));
    text(code, "s_mov_b32 s{}, {}", counter, r.chance(10) ? 20 + r.below(40) : 1 + r.below(5));
    int start = int(code.words.size());
    code.add(body);
    text(code, "s_add_co_i32 s{}, s{}, -1", counter, counter);
    text(code, "s_cmp_lg_u32 s{}, 0", counter);
    branch(code, "s_cbranch_scc1", start - int(code.words.size()) - 1);
  }
  void lane_loop(Code& code, Context context) {
    uint32_t saved = SAVED_EXEC + 2 * uint32_t(context.depth), limit = r.below(DATA_VGPRS);
    context.exec_writes = false, context.calls = false, context.depth = 2;
    Code body = block(1 + r.below(5), context);
    text(code, "v_mov_b32 v{}, 0", int(LANE_COUNTER));
    text(code, "s_mov_b{} {}, {}", size(), mask(saved), exec());
    int start = int(code.words.size());
    code.add(body);
    text(code, "v_add_nc_u32 v{}, 1, v{}", int(LANE_COUNTER), int(LANE_COUNTER));
    text(code, "v_and_b32 v{}, 7, v{}", int(TEMPORARY), limit);
    text(code, "v_cmp_lt_u32 {}, v{}, v{}", vcc(), int(LANE_COUNTER), int(TEMPORARY));
    text(code, "s_and_b{} {}, {}, {}", size(), exec(), exec(), vcc());
    branch(code, "s_cbranch_execnz", start - int(code.words.size()) - 1);
    text(code, "s_mov_b{} {}, {}", size(), exec(), mask(saved));
  }
  void lane_if(Code& code, Context context) {
    uint32_t saved = SAVED_EXEC + 2 * uint32_t(context.depth);
    const char* op[] = {"v_cmp_lt_u32", "v_cmp_gt_i32", "v_cmp_eq_u32", "v_cmp_ne_u32"};
    text(code, "{} {}, v{}, v{}", op[r.below(4)], vcc(), r.below(DATA_VGPRS), r.below(DATA_VGPRS));
    text(code, "s_and_saveexec_b{} {}, {}", size(), mask(saved), vcc());
    Context c = inner(context);
    Code then = block(1 + r.below(4), c), other = block(r.below(3), c);
    if (r.chance(50)) branch(code, "s_cbranch_execz", int(then.words.size()));
    code.add(then);
    if (r.chance(50)) {
      text(code, "s_xor_b{} {}, {}, {}", size(), exec(), exec(), mask(saved));
      code.add(other);
    }
    text(code, "s_{}_b{} {}, {}, {}", r.chance(50) ? "or" : "and", size(), exec(), mask(saved), mask(saved));
  }
  void forward(Code& code, Context context) {
    const char* op[] = {"s_cbranch_scc0",  "s_cbranch_scc1",   "s_cbranch_vccz", "s_cbranch_vccnz",
                        "s_cbranch_execz", "s_cbranch_execnz", "s_branch"};
    Code body = block(1 + r.below(4), inner(context));
    branch(code, op[r.below(7)], int(body.words.size()));
    code.add(body);
  }
  void call(Code& code) {
    text(code, "s_call_b64 s[{}:{}], 0", int(RETURN_ADDRESS), int(RETURN_ADDRESS) + 1);
    code.calls.push_back(uint32_t(code.words.size()) - 1);
  }

  // --- straight code
  void straight(Code& code, const Context& context) {
    for (int tries = 0; tries < 200; tries++) {
      uint32_t kind = r.below(1000);
      bool done;
      if (kind < 230)
        done = one(code, pick(Scalar), context);
      else if (kind < 680)
        done = one(code, pick(Vector), context);
      else if (kind < 730)
        done = vopd(code);
      else if (kind < 760)
        done = graphics(code, context);
      else if (kind < 940)
        done = memory(code, context);
      else if (kind < 975)
        done = context.stores && image(code);
      else if (kind < 990)
        done = rays(code);
      else
        done = float_mode(code);
      if (done) return;
    }
  }
  const Opcode* pick(Class c) {
    const auto& list = rows().of[c];
    return list.empty() ? nullptr : list[r.below(uint32_t(list.size()))];
  }
  // Mostly with an M0 that names primitives and parameters, or a value of LDS.
  bool graphics(Code& code, const Context& context) {
    const Opcode* row = pick(Graphics);
    if (row->format == Format::VDSDIR && r.chance(60)) {
      if (r.chance(50))
        text(code, "s_mov_b32 m0, s{}", r.below(DATA_SGPRS));
      else
        text(code, "s_mov_b32 m0, {:#x}",
             row->opcode ? r.below(6) % 3 << 16 | r.below(4096) : r.next() << 16 | (r.below(0x800) & 0xff80));
    }
    return one(code, row, context);
  }
  bool float_mode(Code& code) {
    switch (r.below(4)) {
      case 3: text(code, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), {}", r.below(2)); break;
      case 0: text(code, "s_round_mode {:#x}", r.below(16)); break;
      case 1: text(code, "s_denorm_mode {}", r.below(16)); break;
      default: text(code, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), {:#x}", 0xf0 | r.below(2)); break;
    }
    return true;
  }

  uint32_t near_vgpr(unsigned dwords) { return r.below(DATA_VGPRS + 1 - std::clamp(dwords, 1u, unsigned(DATA_VGPRS))); }
  // A few are such that some waves have none of that number (rdna4_machine.cpp).
  uint32_t data_vgpr(unsigned dwords) { return r.chance(4) ? 112 + r.below(12) : near_vgpr(dwords); }
  uint32_t data_sgpr(unsigned dwords) {
    unsigned align = dwords > 2 ? 4 : dwords == 2 ? 2 : 1;
    return r.below((DATA_SGPRS - std::clamp(dwords, 1u, unsigned(DATA_SGPRS))) / align + 1) * align;
  }
  uint32_t scalar_destination(unsigned dwords, const Context& context) {
    uint32_t kind = r.below(100);
    if (dwords <= 2 && kind < 10) return VCC_LO;
    if (dwords == 1 && kind < 12) return M0;
    if (kind < 14) return NULL_SGPR;
    if (context.exec_writes && dwords == (wide ? 2u : 1u) && kind < 18) return EXEC_LO;
    return data_sgpr(dwords);
  }
  uint32_t scalar_source(unsigned dwords, bool& literal) {
    uint32_t kind = r.below(100);
    if (kind < 20) return 128 + r.below(81);
    if (kind < 30) return 240 + r.below(9);
    if (kind < 36) return literal = true, LITERAL;
    if (kind < 40) return dwords <= 2 ? uint32_t(VCC_LO) : data_sgpr(dwords);
    if (kind < 43) return dwords <= 2 ? uint32_t(EXEC_LO) : data_sgpr(dwords);
    if (kind < 45) return dwords == 1 ? uint32_t(M0) : data_sgpr(dwords);
    if (kind < 46) return NULL_SGPR;
    if (kind < 48) return SRC_SCC;
    if (kind < 50) return SRC_VCCZ + r.below(2);
    if (kind < 51) return SHARED_BASE + r.below(4);
    return data_sgpr(dwords);
  }

  uint32_t operand(const Opcode& row, const OperandRow& o, const Context& context, bool& literal) {
    unsigned dwords = std::max(1u, o.type.dwords());
    bool low_half_names =
        (row.format == Format::VOP1 || row.format == Format::VOP2 || row.format == Format::VOPC) && o.type.half();
    auto vgpr = [&] { return data_vgpr(dwords) | (low_half_names && r.chance(40) ? 0x80u : 0u); };
    switch (o.kind) {
      case Kind::Vgpr: return (o.bits.width == 9 ? 256u : 0u) + vgpr();
      case Kind::Returned: return data_vgpr(dwords);
      case Kind::Sgpr:
        return o.slot == Slot::Dst || o.slot == Slot::Sdst ? scalar_destination(dwords, context) : data_sgpr(dwords);
      case Kind::ScalarSource: return scalar_source(dwords, literal);
      case Kind::VectorSource: return r.chance(55) ? 256 + vgpr() : scalar_source(dwords, literal);
      case Kind::VgprOrInline: return r.chance(70) ? 256 + vgpr() : 128 + r.below(81);
      case Kind::Mask: {
        if (r.chance(30)) return VCC_LO;
        if (o.slot == Slot::Sdst && context.exec_writes && r.chance(4)) return EXEC_LO;
        return data_sgpr(wide ? 2 : 1);
      }
      case Kind::HwReg: return 1 | 31 << 11;  // all of MODE
      case Kind::Attribute: return r.chance(2) ? r.below(64) : r.below(33);
      case Kind::ExportTarget: {
        static constexpr uint32_t targets[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 20, 20, 21, 21, 22, 22};
        return r.chance(1) ? r.below(64) : targets[r.below(std::size(targets))];
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
      uint32_t dpp = 0, dpp_kind = 0, enabled = r.below(16);
      for (const FieldRow& f : form.fields)
        if (f.field == Field::op) f.bits.put(words.data(), row->opcode);
      for (const OperandRow& o : row->rows()) {
        literal |= o.kind == Kind::Literal;
        if (!o.bits.width) continue;
        uint32_t value = operand(*row, o, context, literal);
        if (o.kind == Kind::ExportSource && !(enabled >> (unsigned(o.slot) - unsigned(Slot::Export0)) & 1)) value = 0;
        o.bits.put(words.data(), value);
      }
      for (const FieldRow& f : form.fields) {
        uint32_t value = 0;
        switch (f.field) {
          case Field::neg: value = r.chance(25) ? r.next() & (row->has(Flag::Packed) ? 7u : uint32_t(row->neg)) : 0; break;
          case Field::abs: value = r.chance(25) ? r.next() & row->abs : 0; break;
          case Field::neg_hi: value = r.chance(25) ? r.next() & 7 : 0; break;
          case Field::opsel: value = r.chance(40) ? r.next() & 15 : 0; break;
          case Field::opsel_hi: value = row->has(Flag::Mix) || r.chance(30) ? r.next() & 3 : 3; break;
          case Field::opsel_hi2: value = row->has(Flag::Mix) || r.chance(30) ? r.next() & 1 : 1; break;
          case Field::cm: value = r.chance(15); break;
          case Field::en: value = enabled; break;
          case Field::done: value = r.chance(50); break;
          case Field::row: value = r.chance(10); break;
          case Field::attr_chan: value = r.below(4); break;
          case Field::waitexp: value = r.below(8); break;
          case Field::omod: value = r.chance(15) ? r.below(4) : 0; break;
          default: continue;
        }
        // A field that an operand has taken stays.
        bool taken = false;
        for (const OperandRow& o : row->rows()) taken |= o.bits.width && o.bits.word == f.bits.word && o.bits.low == f.bits.low;
        if (!taken) f.bits.put(words.data(), value);
      }
      if (row->has(Flag::Dpp) && !literal && r.chance(12))
        for (const FieldRow& f : form.fields)
          if (f.field == Field::src0 && f.bits.get(words.data()) >= 256) {
            dpp = f.bits.get(words.data()) & 0xff;
            dpp_kind = r.chance(60) ? DPP16 : r.chance(50) ? DPP8 : DPP8_FI;
            f.bits.put(words.data(), dpp_kind);
          }
      if (dpp_kind == DPP16) {
        static constexpr uint32_t base[] = {0x100, 0x110, 0x120, 0x140, 0x150, 0x160, 0, 0};
        uint32_t control = base[r.below(8)];
        control |= control == 0 ? r.below(256) : control == 0x140 ? r.below(2) : control >= 0x150 ? r.below(16) : 1 + r.below(15);
        dpp |= control << 8 | (r.chance(30) ? 1u << 18 : 0) | (r.chance(50) ? 1u << 19 : 0);
        dpp |= (r.chance(70) ? 0xfu : r.below(16)) << 24 | (r.chance(70) ? 0xfu : r.below(16)) << 28;
        if (row->format != Format::VOP3 && row->neg) dpp |= (r.next() & 0xf & row->neg * 5u) << 20;
      } else if (dpp_kind) {
        dpp |= r.next() << 8;
      }
      if (literal) words.push_back(r.word());
      if (dpp_kind) words.push_back(dpp);
      if (!valid(words)) continue;
      code.add(words);
      return true;
    }
    return false;
  }

  bool vopd(Code& code) {
    if (wide) return false;  // VOPD exists in wave32 only (RDNA4 ISA 7.8)
    for (int tries = 0; tries < 20; tries++) {
      const Opcode &x = *rows().vopd_x[r.below(uint32_t(rows().vopd_x.size()))],
                   &y = *rows().vopd_y[r.below(uint32_t(rows().vopd_y.size()))];
      bool literal = false;
      std::string_view names[] = {x.name, y.name};
      for (auto name : names) literal |= name.find("amk") != name.npos || name.find("aak") != name.npos;
      auto source = [&] { return r.chance(60) ? 256 + r.below(DATA_VGPRS) : scalar_source(1, literal); };
      uint32_t dx = r.below(DATA_VGPRS), dy = (r.below(DATA_VGPRS) & ~1u) | (~dx & 1);
      std::vector<uint32_t> words = {
          50u << 26 | uint32_t(x.opcode) << 22 | uint32_t(y.opcode) << 17 | r.below(DATA_VGPRS) << 9 | source(),
          dx << 24 | dy >> 1 << 17 | r.below(DATA_VGPRS) << 9 | source()};
      if (literal) words.push_back(r.word());
      if (!valid(words)) continue;
      code.add(words);
      return true;
    }
    return false;
  }

  // --- images
  // The T# and S# are data, or those that nothing else writes; what an image does with an access the machine says.
public:
  bool image(Code& code, bool plain_lookup = false) {
    const Opcode* row = pick(Image);
    if (!row) return false;
    const bool looks_up = row->format == Format::VSAMPLE && !row->has(Flag::Msaa);
    if (plain_lookup && (!looks_up || row->has(Flag::Query))) return false;
    const Layout& form = layout(*row);
    std::vector<uint32_t> words(form.words);
    words[0] = form.fixed;
    const uint32_t dimension = plain_lookup ? r.below(2) : r.below(8);
    for (const FieldRow& f : form.fields) {
      uint32_t value = 0;
      switch (f.field) {
        case Field::op: value = row->opcode; break;
        case Field::dmask: value = r.chance(5) ? 0 : 1 + r.below(15); break;
        case Field::dim: value = dimension; break;
        case Field::unrm: value = looks_up && r.chance(plain_lookup ? 3 : 30); break;
        case Field::a16:
        case Field::d16: value = r.chance(plain_lookup ? 20 : 30); break;
        case Field::r128:
        case Field::tfe:
        case Field::lwe: value = r.chance(plain_lookup ? 1 : 10); break;
        case Field::th: value = row->has(Flag::Atomic) ? r.below(2) : 0; break;
        case Field::vaddr0:
        case Field::vaddr1:
        case Field::vaddr2:
        case Field::vaddr3: value = data_vgpr(1); break;
        case Field::vdata: value = data_vgpr(5); break;
        case Field::rsrc: value = r.chance(plain_lookup ? 99 : 60) ? uint32_t(IMAGE_DESCRIPTOR) : data_sgpr(8); break;
        case Field::samp:
          if (!looks_up) continue;
          value = r.chance(plain_lookup ? 99 : 60) ? IMAGE_DESCRIPTOR + 8 : data_sgpr(4);
          break;
        default: continue;
      }
      f.bits.put(words.data(), value);
    }
    if (!valid(words)) {
      // No address of the row has that many registers.
      for (const FieldRow& f : form.fields)
        if (f.field == Field::vaddr3) f.bits.put(words.data(), 0);
      if (!valid(words)) return false;
    }
    code.add(words);
    return true;
  }

private:
  // --- ray tracing
  // A tree is somewhere in the buffer, and so are its nodes: noise. Resource, base, extent and mask, and pointers stand behind the
  // registers that have a meaning.
  bool rays(Code& code) {
    constexpr uint32_t resource = 40, base = 50, extent = 52, pointers = 54;
    const uint32_t kind = r.below(4), data = data_vgpr(kind < 2 ? 4 : 10), origin = data_vgpr(3), direction = data_vgpr(3);
    const bool flags = r.chance(50), a16 = kind < 2 && r.chance(20);
    const uint32_t size = r.chance(98) ? r.below(0x100) | 0xc0 : r.below(0x20000);  // (in units of 64 bytes)
    text(code, "s_mov_b32 s{}, {:#x}", resource,
         uint32_t((buffer_base - 0x1000) >> 8) + (r.chance(1) ? r.next() & 0xffffff : r.below(4)));
    text(code, "s_mov_b32 s{}, {:#x}", resource + 1, uint32_t(buffer_base >> 40) | (r.next() & 0xfff00000));
    text(code, "s_mov_b32 s{}, {:#x}", resource + 2, size);
    const bool compressed = r.chance(50);
    text(code, "s_mov_b32 s{}, {:#x}", resource + 3,
         8u << 28 | (r.next() & 0x01700000) | (compressed ? 0x00080000u : 0) | (flags ? 0x00800000u : 0));
    // Most pointers are to where there is something.
    const uint32_t mask = 0xbff;
    for (uint32_t n = 0; n < 2; n++) text(code, "v_and_b32 v{}, {:#x}, v{}", pointers + n, mask, data_vgpr(1));
    // (Half of the packets in noise have a form that ends in a fault.)
    if (kind == 3 && compressed && r.chance(98)) text(code, "v_or_b32 v{}, {}, v{}", pointers, r.chance(70) ? 5 : 4, pointers);
    if (kind < 2)
      text(code, "v_mov_b32 v{}, v{}", base, pointers);
    else
      text(code, "v_and_b32 v{}, {:#x}, v{}", base, r.below(32) * 8, data_vgpr(1));
    text(code, "v_and_b32 v{}, {:#x}, v{}", base + 1, flags ? 0xffc00000u : 0u, data_vgpr(1));
    text(code, "v_mov_b32 v{}, {}", extent, r.chance(50) ? "0x7f7fffff" : "4.0");
    text(code, "v_mov_b32 v{}, v{}", extent + 1, data_vgpr(1));
    auto list = [](uint32_t first, uint32_t count) {
      return count == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + count - 1);
    };
    static constexpr const char* names[] = {"bvh", "bvh64", "bvh_dual", "bvh8"};
    const std::string last =
        kind < 2 ? (a16 ? std::string() : ", " + list(data_vgpr(3), 3)) : ", " + list(pointers, kind == 2 ? 2 : 1);
    text(code, "image_{}_intersect_ray {}, [{}, {}, {}, {}{}], s[{}:{}]{}", names[kind], list(data, kind < 2 ? 4 : 10),
         list(base, kind ? 2 : 1), list(extent, kind < 2 ? 1 : 2), list(origin, 3), list(direction, 3), last, resource,
         resource + 3, a16 ? " a16" : "");
    return true;
  }

  // --- memory
  // `aim`: there, and not where the reserved registers lead.
  bool memory(Code& code, const Context& context, const Aim* aim = nullptr) {
    static constexpr Class classes[] = {Lds, Lds, Global, Global, Flat, Scratch, Smem, Buffer},
                           aims[] = {Lds, Global, Flat, Scratch, Smem, Buffer};
    Class c = aim ? aims[aim->space] : classes[r.below(8)];
    const Opcode* row = pick(c);
    if (!row) return false;
    bool atomic = row->has(Flag::Atomic), store = row->store_bytes && !atomic;
    if (row->store_bytes && !context.stores) return false;
    uint32_t bytes = std::max<uint32_t>(1, std::max(row->load_bytes, row->store_bytes));
    // Lanes must not overlap where one lane stores several dwords: which of them wins is nobody's promise.
    bool own = store && (bytes > 4 || row->has(Flag::TwoAddress) || row->has(Flag::Formatted) || row->has(Flag::Typed));
    if (aim && ((own && !aim->apart) || (atomic && r.chance(80)) || (aim->plain && (bytes != 4 || own)))) return false;
    if (aim && aim->plain &&
        (atomic || row->has(Flag::TwoAddress) || std::string_view(row->name).find("addtid") != std::string_view::npos ||
         row->has(Flag::Formatted) || row->has(Flag::Typed)))
      return false;
    uint32_t align = atomic || own || r.chance(80) ? (bytes >= 8 ? 8u : 4u) : 1u;
    Code prepare;
    uint32_t address = ADDRESS, from = r.below(DATA_VGPRS);
    uint32_t range = c == Lds ? 0x1000 : c == Scratch ? 0x80 : c == Flat ? 0x80 : 0x1000;
    uint32_t bits = (range - 1) & ~(align - 1);
    if (c == Flat && !aim) {
      address = FLAT_ADDRESS;
      if (own) {  // one aperture for all lanes
        address = ADDRESS + 10;
        uint32_t aperture = r.below(3);
        text(prepare, "v_mov_b32 v{}, {:#x}", address + 1,
             aperture == 0   ? shared_high
             : aperture == 1 ? private_high
                             : uint32_t(buffer_base >> 32));
        if (aperture == 1) own = false;  // each lane's own anyway
      }
    }
    if (c == Scratch) own = false;
    if (c == Buffer) address = BUFFER_INDEX;
    if (aim) {
      address = aim->address;
    } else if (c != Smem) {
      // Consecutive, equal or any.
      uint32_t form = r.below(4);
      if (own || (form == 0 && c != Scratch && c != Flat)) {
        text(prepare, "v_and_b32 v{}, {:#x}, v{}", address, own ? 0x20u : 0u, from);
        if (own)
          text(prepare, "v_add_nc_u32 v{}, v{}, v{}", address, address, int(LANE_BASE));
        else
          text(prepare, "v_lshrrev_b32 v{}, {}, v{}", address, bytes >= 16 ? 2 : bytes >= 8 ? 3 : 4, int(LANE_BASE));
      } else if (form == 1) {
        text(prepare, "s_and_b32 s{}, s{}, {:#x}", 39, r.below(DATA_SGPRS), bits);
        text(prepare, "v_mov_b32 v{}, s{}", address, 39);
      } else {
        text(prepare, "v_and_b32 v{}, {:#x}, v{}", address, bits, from);
      }
      if (c == Global && r.chance(1)) text(prepare, "v_lshlrev_b32 v{}, 14, v{}", address, address);  // often where nothing is
    }
    const Layout& form = layout(*row);
    std::vector<uint32_t> words(form.words);
    words[0] = form.fixed;
    bool literal = false;
    uint32_t offset = aim ? uint32_t(aim->offset) : own ? r.below(3) * align : r.below(16) * align;
    uint32_t base = aim ? aim->base : uint32_t(BUFFER_BASE), descriptor = aim ? aim->descriptor : uint32_t(BUFFER_DESCRIPTOR);
    bool scalar_offset = aim ? aim->has_scalar_offset : false;
    auto small_offset = [&] {
      if (aim) return scalar_offset ? aim->scalar_offset : uint32_t(NULL_SGPR);
      return r.chance(50) ? uint32_t(SMALL_OFFSET) : uint32_t(NULL_SGPR);
    };
    bool negative = !own && (c == Buffer || c == Lds || c == Scratch || c == Flat || c == Smem) ? false : r.chance(20) && !own;
    uint32_t ds_offset = 0;
    for (const OperandRow& o : row->rows()) {
      unsigned dwords = std::max(1u, o.type.dwords());
      uint32_t value = 0;
      switch (o.kind) {
        case Kind::GlobalAddress:
        case Kind::ScratchAddress: value = address; break;
        case Kind::BufferAddress: value = address; break;
        case Kind::ScalarAddress:
          value = aim            ? (c == Scratch      ? (scalar_offset ? aim->scalar_offset : uint32_t(NULL_SGPR))
                                    : aim->base_alone ? uint32_t(NULL_SGPR)
                                                      : base)
                  : c == Scratch ? (r.chance(50) ? uint32_t(SCRATCH_OFFSET) : uint32_t(NULL_SGPR))
                  : r.chance(50) ? uint32_t(BUFFER_BASE)
                                 : uint32_t(NULL_SGPR);
          break;
        case Kind::ScalarOffset: value = own && !aim ? uint32_t(NULL_SGPR) : small_offset(); break;
        case Kind::Offset24: value = negative && !aim ? uint32_t(-int(offset)) : offset; break;
        // Their bits are the fields offset0 and offset1.
        case Kind::DsOffset:
          ds_offset = !aim && r.chance(10) && !own ? r.below(0x1200) & ~(align - 1) : offset;
          // A ray-tracing stack: its entries, and two flags.
          if (row->has(Flag::Bvh)) ds_offset = 1 + r.below(31) + (r.below(4) << 8);
          break;
        case Kind::DsOffset01:
          ds_offset = aim                               ? (r.chance(50) ? offset & 0xffff : r.next() & 0xffff)
                      : own && row->has(Flag::Stride64) ? 0
                                                        : r.below(own ? 3 : 8) | r.below(own ? 3 : 8) << 8;
          break;
        case Kind::SmemOffset: break;
        case Kind::BufferFormat: value = 1 + r.below(60); break;
        case Kind::Sgpr:
          value = o.field == Field::sbase  ? (dwords == 4 ? descriptor : base) / 2
                  : o.field == Field::rsrc ? descriptor
                                           : data_sgpr(dwords);
          break;
        case Kind::Vgpr:
          value = o.slot == Slot::Address ? address : aim && aim->plain ? near_vgpr(dwords) : data_vgpr(dwords);
          break;
        default: value = operand(*row, o, context, literal); break;
      }
      if (o.bits.width) o.bits.put(words.data(), value);
    }
    for (const FieldRow& f : form.fields) switch (f.field) {
        case Field::op: f.bits.put(words.data(), row->opcode); break;
        case Field::offset0: f.bits.put(words.data(), ds_offset & 0xff); break;
        case Field::offset1: f.bits.put(words.data(), ds_offset >> 8 & 0xff); break;
        case Field::saddr:
          if (c == Flat) f.bits.put(words.data(), NULL_SGPR);
          break;
        case Field::th:
          if (atomic) f.bits.put(words.data(), r.below(2));
          break;
        case Field::sve: f.bits.put(words.data(), aim ? c == Scratch && (!scalar_offset || r.chance(50)) : r.chance(80)); break;
        case Field::offen: f.bits.put(words.data(), own || r.chance(50)); break;
        case Field::idxen:
          if (!own) f.bits.put(words.data(), r.chance(40));
          break;
        case Field::ioffset:
          if (c == Smem) f.bits.put(words.data(), aim ? offset : r.below(64) * 4);
          break;
        case Field::soffset:
          if (c == Smem) f.bits.put(words.data(), small_offset());
          break;
        default: break;
      }
    if (!valid(words)) return false;
    code.add(prepare);
    code.add(words);
    return true;
  }
};

}  // namespace

std::string row_name(size_t row) {
  const Opcode& opcode = opcodes()[row];
  bool dual = opcode.format == Format::VOPDX || opcode.format == Format::VOPDY;
  return dual || is_generated(opcode) ? fmt::format("{} ({})", opcode.name, format_name(opcode.format)) : "";
}

struct Pieces::Parts : Generator {
  using Generator::Generator;
};
Pieces::Pieces(Random& random, unsigned lanes) : parts_(std::make_unique<Parts>(random, lanes)) {}
Pieces::~Pieces() = default;
void Pieces::text(Code& code, const std::string& line) { parts_->text_line(code, line); }
void Pieces::straight(Code& code, uint32_t count) { parts_->pieces(code, count); }
void Pieces::image(Code& code, bool plain_lookup) {
  while (!parts_->image(code, plain_lookup)) {
  }
}
void Pieces::memory(Code& code, const Aim& aim) { parts_->aimed(code, aim); }

RandomProgram generate(Random& random, unsigned lanes) { return Generator(random, lanes).program(); }

}  // namespace Atoll::rdna4::test
