// The frame of a random program: its blocks, and which kind of instruction stands where.
#include <algorithm>
#include <string_view>

#include "gfx7_programs.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/parse.h"
#include "isa/gfx7/semantics/semantics.h"

namespace Atoll::gfx7::test {
namespace {

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Class class_of(const Opcode& row) {
  std::string_view name = row.name;
  if (!find_semantics(name)) return ClassCount;
  if (name.starts_with("s_cbranch") || name.find("movrel") != name.npos ||
      one_of(name, {"s_branch", "s_endpgm", "s_setpc_b64", "s_swappc_b64", "s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32"}))
    return Special;
  if (name.find("regrd") != name.npos || name.find("gws") != name.npos || name.find("ordered") != name.npos ||
      one_of(name,
             {"s_rfe_b64", "s_trap", "s_sethalt", "s_sendmsghalt", "s_setkill", "s_setvskip", "image_rsrc256", "image_sampler"}))
    return Ending;
  switch (row.format) {
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
    case Format::DS: return row.has(Flag::GdsOnly) ? Ending : Lds;
    case Format::FLAT: return Flat;
    case Format::SMRD: return Smem;
    case Format::MUBUF:
    case Format::MTBUF: return Buffer;
    case Format::MIMG: return Image;
    default: return ClassCount;
  }
}

namespace {

struct Rows {
  std::vector<const Opcode*> of[ClassCount];
  Rows() {
    for (const Opcode& row : opcodes())
      if (Class c = class_of(row); c < ClassCount) of[c].push_back(&row);
  }
};
const Rows& rows() {
  static const Rows all;
  return all;
}

std::string pair(uint32_t n) { return fmt::format("s[{}:{}]", n, n + 1); }
Context inner(Context context) { return context.depth++, context; }

}  // namespace

// Three of five programs are short, so that there can be many; some are long, so that registers live long and code is entered in
// the middle.
RandomProgram Generator::program() {
  uint32_t kind = r.below(20);
  Code code = block(kind < 12 ? 1 + r.below(3) : kind < 18 ? 3 + r.below(5) : 6 + r.below(11), {});
  text(code, "s_endpgm");
  if (!code.calls.empty()) {
    uint32_t function = uint32_t(code.words.size());
    code.add(block(1 + r.below(4), {.depth = 2, .exec_writes = false, .calls = false, .stack = 8}));
    text(code, "s_setpc_b64 {}", pair(RETURN_ADDRESS));
    for (uint32_t c : code.calls) code.words[c] = (function - (c - 1)) * 4;  // the literal of address_of
  }
  return {code.words, code.starts};
}

void Generator::assemble(Code& code, const std::string& line) {
  auto decoded = parse(line);
  if (!decoded) broken_promise((line + ": " + decoded.error().message).c_str(), __FILE__, __LINE__);
  auto words = encode(*decoded);
  if (!words) broken_promise((line + ": " + words.error().message).c_str(), __FILE__, __LINE__);
  code.add(std::span(words->dwords.data(), words->count));
}

bool Generator::valid(const std::vector<uint32_t>& words) {
  wave::Step step;
  keep_.clear();
  return isa_.decode(words, step, keep_).has_value() && step.words == words.size();
}

// --- control flow
void Generator::branch(Code& code, const char* name, int words) {
  text(code, "{} 0", name);
  code.words.back() |= uint32_t(words) & 0xffff;
}

Code Generator::block(uint32_t count, Context context) {
  Code code;
  for (uint32_t n = 0; n < count; n++) {
    uint32_t kind = context.depth < 2 ? r.below(200) : 200;
    if (kind < 10)
      scalar_loop(code, context);
    else if (kind < 16)
      lane_loop(code, context);
    else if (kind < 28)
      lane_if(code, context);
    else if (kind < 38)
      forward(code, context);
    else if (kind < 42)
      fork(code, context);
    else if (kind < 44)
      jump_over(code, context);
    else if (kind < 47 && context.calls)
      call(code);
    else
      straight(code, context);
  }
  return code;
}

void Generator::scalar_loop(Code& code, Context context) {
  uint32_t counter = LOOP_COUNTER + uint32_t(context.depth);
  text(code, "s_movk_i32 s{}, {}", counter, 1 + r.below(3));
  int start = int(code.words.size());
  code.add(block(1 + r.below(4), inner(context)));
  text(code, "s_sub_u32 s{}, s{}, 1", counter, counter);
  text(code, "s_cmp_lg_u32 s{}, 0", counter);
  branch(code, "s_cbranch_scc1", start - int(code.words.size()) - 1);
}

// As long as a lane's own counter says; some lanes may leave from the middle.
void Generator::lane_loop(Code& code, Context context) {
  if (context.depth) return;  // one counter
  uint32_t saved = SAVED_EXEC + 2 * uint32_t(context.depth);
  text(code, "s_mov_b64 {}, exec", pair(saved));
  text(code, "v_and_b32 v{}, 3, v{}", int(LANE_COUNTER), r.below(DATA_VGPRS));
  int start = int(code.words.size());
  Context c = inner(context);
  c.exec_writes = false;
  code.add(block(1 + r.below(3), c));
  Code end;
  text(end, "v_sub_i32 v{}, vcc, v{}, 1", int(LANE_COUNTER), int(LANE_COUNTER));
  text(end, "v_cmp_lt_i32 vcc, -1, v{}", int(LANE_COUNTER));
  text(end, "s_and_b64 exec, exec, vcc");
  if (r.chance(40)) {
    Code rest = block(1 + r.below(2), c);
    text(code, "v_cmp_{} vcc, v{}, v{}", r.chance(50) ? "gt_u32" : "lg_f32", r.below(DATA_VGPRS), r.below(DATA_VGPRS));
    text(code, "s_andn2_b64 exec, exec, vcc");
    branch(code, "s_cbranch_execz", int(rest.words.size() + end.words.size()) + 1);
    code.add(rest);
  }
  code.add(end);
  branch(code, "s_cbranch_execnz", start - int(code.words.size()) - 1);
  text(code, "s_mov_b64 exec, {}", pair(saved));
}

void Generator::lane_if(Code& code, Context context) {
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

void Generator::forward(Code& code, Context context) {
  const char* op[] = {"s_cbranch_scc0",
                      "s_cbranch_scc1",
                      "s_cbranch_vccz",
                      "s_cbranch_vccnz",
                      "s_cbranch_execz",
                      "s_cbranch_execnz",
                      "s_branch",
                      "s_cbranch_scc0",
                      "s_cbranch_scc1",
                      "s_cbranch_vccnz",
                      "s_cbranch_cdbguser",
                      "s_cbranch_cdbgsys",
                      "s_cbranch_execnz",
                      "s_cbranch_cdbgsys_or_user",
                      "s_cbranch_cdbgsys_and_user"};
  Code body = block(1 + r.below(4), inner(context));
  branch(code, op[r.below(std::size(op))], int(body.words.size()));
  code.add(body);
}

// s[sgpr:sgpr+1] becomes the address `words` behind the s_getpc that begins this; SCC is lost.
void Generator::address_of(Code& code, uint32_t sgpr, int words) {
  text(code, "s_getpc_b64 {}", pair(sgpr));
  text(code, "s_add_u32 s{}, s{}, 0x12345678", sgpr, sgpr);
  code.words.back() = uint32_t(words - 1) * 4;
  text(code, "s_addc_u32 s{}, s{}, 0", sgpr + 1, sgpr + 1);
}

// Lanes that disagree take both ways, one after the other; the branch stack stands in the data SGPRs.
void Generator::fork(Code& code, Context context) {
  uint32_t saved = SAVED_EXEC + 2 * uint32_t(context.depth), height = SAVED_STACK + uint32_t(context.depth);
  Context c = inner(context);
  c.stack += 4;
  Code other = block(1 + r.below(3), c), taken = block(1 + r.below(3), c);
  text(code, "s_mov_b64 {}, exec", pair(saved));
  text(code, "s_getreg_b32 s{}, hwreg(HW_REG_MODE, 29, 3)", height);
  text(code, "v_cmp_{} vcc, v{}, v{}", r.chance(50) ? "gt_i32" : "neq_f32", r.below(DATA_VGPRS), r.below(DATA_VGPRS));
  branch(other, "s_branch", int(taken.words.size()));
  if (r.chance(50)) {
    constexpr int of_address = 4, of_fork = 1;
    address_of(code, TARGET, of_address + of_fork + int(other.words.size()));
    text(code, "s_cbranch_g_fork vcc, {}", pair(TARGET));
  } else {
    text(code, "s_cbranch_i_fork vcc, 0");
    code.words.back() |= uint32_t(other.words.size()) & 0xffff;
  }
  code.add(other);
  code.add(taken);
  text(code, "s_cbranch_join s{}", height);
  text(code, "s_mov_b64 exec, {}", pair(saved));
}

void Generator::jump_over(Code& code, Context context) {
  Code body = block(1 + r.below(3), inner(context));
  constexpr int of_address = 4, of_jump = 1;
  address_of(code, TARGET, of_address + of_jump + int(body.words.size()));
  text(code, "s_setpc_b64 {}", pair(TARGET));
  code.add(body);
}

// The function at the program's end.
void Generator::call(Code& code) {
  address_of(code, TARGET, 0);
  code.calls.push_back(uint32_t(code.words.size()) - 2);
  text(code, "s_swappc_b64 {}, {}", pair(RETURN_ADDRESS), pair(TARGET));
}

// --- straight code
void Generator::pieces(Code& code, uint32_t count) {
  for (uint32_t n = 0; n < count; n++) straight(code, {.depth = 2, .exec_writes = false, .calls = false});
}

void Generator::straight(Code& code, const Context& context) {
  for (int tries = 0; tries < 200; tries++) {
    uint32_t kind = r.below(1000);
    bool done = kind < 215   ? one(code, pick(Scalar), context)
                : kind < 660 ? one(code, pick(Vector), context)
                : kind < 895 ? memory(code, context)
                : kind < 925 ? image(code)
                : kind < 970 ? one(code, pick(Graphics), context)
                : kind < 978 ? hardware_register(code, context)
                : kind < 990 ? relative(code, context)
                             : ending(code, context);
    if (done) return;
  }
}

const Opcode* Generator::pick(Class c) {
  const auto& list = rows().of[c];
  return list.empty() ? nullptr : list[r.below(uint32_t(list.size()))];
}

// MODE: rounding, denormals, clamp and IEEE, whole or in part; other registers are read, and writes to them do what they may.
bool Generator::hardware_register(Code& code, const Context& context) {
  static constexpr const char* names[] = {"MODE", "STATUS", "TRAPSTS", "HW_ID", "GPR_ALLOC", "LDS_ALLOC", "IB_STS"};
  uint32_t kind = r.below(12);
  if (kind < 6) {
    uint32_t first = r.chance(60) ? 0 : r.below(10), size = first ? 1 + r.below(10 - first) : r.chance(50) ? 10 : 1 + r.below(10);
    uint32_t value = 0xc0 | (r.chance(50) ? 0x30 : 0) | r.below(16) | r.below(4) << 8;
    if (kind < 5)
      text(code, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, {}, {}), {:#x}", first, size, value >> first);
    else
      text(code, "s_setreg_b32 hwreg(HW_REG_MODE, {}, {}), s{}", first, size, data_sgpr(1));
  } else if (kind < 8) {
    const char* name = names[1 + r.below(6)];
    if (kind < 7)
      text(code, "s_setreg_imm32_b32 hwreg(HW_REG_{}, {}, {}), {:#x}", name, r.below(8), 1 + r.below(24), r.next());
    else
      text(code, "s_setreg_b32 hwreg(HW_REG_{}, {}, {}), s{}", name, r.below(8), 1 + r.below(24), data_sgpr(1));
  } else {
    uint32_t first = r.below(32);
    text(code, "s_getreg_b32 s{}, hwreg(HW_REG_{}, {}, {})", free_sgpr(1, context.stack), names[r.below(7)], first,
         1 + r.below(32 - first));
  }
  return true;
}

// Instructions that may end the wave. Counts and barriers of all waves: a resource or a base, and the wave's number in M0.
bool Generator::ending(Code& code, const Context& context) {
  const Opcode* row = pick(Ending);
  if (row->has(Flag::GdsOnly)) text(code, "s_mov_b32 m0, {:#x}", r.below(64) << 16 | r.below(4));
  return one(code, row, context);
}

// Registers by index: M0 inside the data, from data, or beyond all registers.
bool Generator::relative(Code& code, const Context& context) {
  uint32_t kind = r.below(7), far = r.below(4), dwords = kind == 4 || kind == 6 ? 2 : 1, room = 8;
  if (kind >= 5 && !has_room(dwords + 7, context)) return false;
  if (kind >= 5) room = std::min<uint32_t>(room, DATA_SGPRS - context.stack - dwords + 1);
  if (far == 0)
    text(code, "s_and_b32 m0, s{}, {}", data_sgpr(1), dwords == 2 ? 6 : 7);
  else if (far == 1 && r.chance(60))
    text(code, "s_mov_b32 m0, {:#x}", r.chance(50) ? 0x100 + r.below(0x1000) : 0xfffffff0u + r.below(16));
  else
    text(code, "s_movk_i32 m0, {}", r.below(room) & ~(dwords - 1));
  uint32_t from = r.below(9), to = r.below(9);
  const char* form = r.chance(30) ? "_e64" : "";
  uint32_t scalar_to = context.stack + (DATA_SGPRS - context.stack >= 8 + dwords ? r.below(2) * dwords : 0);
  switch (kind) {
    case 0:
      if (r.chance(50))
        text(code, "v_movreld_b32{} v{}, v{}", form, to, data_vgpr(1));
      else
        text(code, "v_movreld_b32{} v{}, {}", form, to, r.below(65));
      break;
    case 1: text(code, "v_movrels_b32{} v{}, v{}", form, data_vgpr(1), from); break;
    case 2: text(code, "v_movrelsd_b32{} v{}, v{}", form, to, from); break;
    case 3: text(code, "s_movrels_b32 s{}, s{}", free_sgpr(1, context.stack), from); break;
    case 4: text(code, "s_movrels_b64 {}, {}", pair(free_sgpr(2, context.stack)), pair(from & ~1u)); break;
    case 5: text(code, "s_movreld_b32 s{}, s{}", scalar_to, data_sgpr(1)); break;
    default: text(code, "s_movreld_b64 {}, {}", pair(scalar_to), pair(data_sgpr(2))); break;
  }
  return true;
}

}  // namespace Atoll::gfx7::test
