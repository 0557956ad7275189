// The tables of opcodes, types and registers. Numbers: PRM volume 2b (EU_OPCODE and the other EU enumerations) and IGA's model of
// Xe (IGC: visa/iga/IGALibrary/Models/bxml/ModelXe.hpp), which says what each opcode may carry.
#include <algorithm>
#include <array>
#include <iterator>

#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp {
namespace {

constexpr uint8_t P = PREDICATE, C = CONDITION, S = SATURATE, M = SOURCE_MODIFIERS, B = BITWISE, R = REGISTER_TARGET;
constexpr uint8_t BC = BRANCH_CONTROL, D = DESTINATION;

constexpr Opcode opcodes[] = {
    {Op::Illegal, "illegal", Format::Nullary, 0, 0},
    {Op::Sync, "sync", Format::Sync, 1, 0},
    {Op::Jmpi, "jmpi", Format::Branch, 1, P | R},
    {Op::Brd, "brd", Format::Branch, 1, P | R},
    {Op::If, "if", Format::Branch, 2, P | BC},
    {Op::Brc, "brc", Format::Branch, 2, P | R},
    {Op::Else, "else", Format::Branch, 2, BC},
    {Op::Endif, "endif", Format::Branch, 1, 0},
    {Op::While, "while", Format::Branch, 1, P},
    {Op::Break, "break", Format::Branch, 2, P},
    {Op::Cont, "cont", Format::Branch, 2, P},
    {Op::Halt, "halt", Format::Branch, 2, P},
    {Op::Calla, "calla", Format::Branch, 1, P | R | D},
    {Op::Call, "call", Format::Branch, 1, P | R | D},
    {Op::Ret, "ret", Format::Branch, 1, P | R},
    {Op::Goto, "goto", Format::Branch, 2, P | BC},
    {Op::Join, "join", Format::Branch, 1, P},
    {Op::Send, "send", Format::Send, 2, P},
    {Op::Sendc, "sendc", Format::Send, 2, P},
    {Op::Math, "math", Format::Math, 2, P | S | M},
    {Op::Add, "add", Format::Binary, 2, P | C | S | M},
    {Op::Mul, "mul", Format::Binary, 2, P | C | S | M},
    {Op::Avg, "avg", Format::Binary, 2, P | C | S | M},
    {Op::Frc, "frc", Format::Unary, 1, P | C | M},
    {Op::Rndu, "rndu", Format::Unary, 1, P | C | S | M},
    {Op::Rndd, "rndd", Format::Unary, 1, P | C | S | M},
    {Op::Rnde, "rnde", Format::Unary, 1, P | C | S | M},
    {Op::Rndz, "rndz", Format::Unary, 1, P | C | S | M},
    {Op::Mac, "mac", Format::Binary, 2, P | C | S | M},
    {Op::Mach, "mach", Format::Binary, 2, P | M},
    {Op::Lzd, "lzd", Format::Unary, 1, P | C | S | M},
    {Op::Fbh, "fbh", Format::Unary, 1, P},
    {Op::Fbl, "fbl", Format::Unary, 1, P},
    {Op::Cbit, "cbit", Format::Unary, 1, P},
    {Op::Addc, "addc", Format::Binary, 2, P | C},
    {Op::Subb, "subb", Format::Binary, 2, P | C | S},
    {Op::Dp4a, "dp4a", Format::Ternary, 3, P | C | S},
    {Op::Mad, "mad", Format::Ternary, 3, P | C | S | M},
    {Op::Nop, "nop", Format::Nullary, 0, 0},
    {Op::Mov, "mov", Format::Unary, 1, P | C | S | M},
    {Op::Sel, "sel", Format::Binary, 2, P | C | S | M},
    {Op::Movi, "movi", Format::Binary, 2, P | S | M},
    {Op::Not, "not", Format::Unary, 1, P | C | M | B},
    {Op::And, "and", Format::Binary, 2, P | C | M | B},
    {Op::Or, "or", Format::Binary, 2, P | C | M | B},
    {Op::Xor, "xor", Format::Binary, 2, P | C | M | B},
    {Op::Shr, "shr", Format::Binary, 2, P | C | S | M},
    {Op::Shl, "shl", Format::Binary, 2, P | C | S | M},
    {Op::Asr, "asr", Format::Binary, 2, P | C | S | M},
    {Op::Ror, "ror", Format::Binary, 2, P | C},
    {Op::Rol, "rol", Format::Binary, 2, P | C},
    {Op::Cmp, "cmp", Format::Binary, 2, P | C | M},
    {Op::Cmpn, "cmpn", Format::Binary, 2, P | C | M},
    {Op::Csel, "csel", Format::Ternary, 3, C | S | M},
    {Op::Bfrev, "bfrev", Format::Unary, 1, P},
    {Op::Bfe, "bfe", Format::Ternary, 3, P},
    {Op::Bfi1, "bfi1", Format::Binary, 2, P},
    {Op::Bfi2, "bfi2", Format::Ternary, 3, P},
};
static_assert(std::size(opcodes) == 58);

constexpr auto by_number = [] {
  std::array<uint8_t, 128> rows;
  rows.fill(0xff);
  for (size_t n = 0; n < std::size(opcodes); n++) rows[size_t(opcodes[n].op)] = uint8_t(n);
  return rows;
}();

constexpr std::string_view type_names[] = {"ub", "uw", "ud", "uq", "b", "w",  "d",  "q", "",  "hf",
                                           "f",  "df", "",   "",   "",  "nf", "uv", "v", "vf"};

constexpr FileRow files[] = {
    {File::Null, "null", 0, 0, false, true}, {File::A, "a", 1, 0, true, true},     {File::Acc, "acc", 8, 0, true, true},
    {File::F, "f", 2, 0, true, true},        {File::Ce, "ce", 0, 0, false, false}, {File::Msg, "msg", 8, 0, true, false},
    {File::Sp, "sp", 0, 0, true, true},      {File::Sr, "sr", 2, 0, true, true},   {File::Cr, "cr", 1, 0, true, true},
    {File::N, "n", 1, 0, true, true},        {File::Ip, "ip", 0, 0, false, false}, {File::Tdr, "tdr", 1, 0, true, true},
    {File::Tm, "tm", 1, 0, true, true},      {File::Fc, "fc", 4, 0, true, false},  {File(14), "", 0, 0, false, false},
    {File::Dbg, "dbg", 1, 0, true, true},    {File::Mme, "mme", 8, 8, true, true}, {File::Grf, "r", 255, 0, true, true},
};

}  // namespace

const Opcode* find_opcode(unsigned number) {
  return number < by_number.size() && by_number[number] != 0xff ? &opcodes[by_number[number]] : nullptr;
}
const Opcode* find_opcode(std::string_view name) {
  auto row = std::ranges::find(opcodes, name, &Opcode::name);
  return row == std::end(opcodes) ? nullptr : row;
}
std::string_view name_of(Type type) { return size_t(type) < std::size(type_names) ? type_names[size_t(type)] : ""; }
const FileRow& row_of(File file) { return files[size_t(file)]; }
const FileRow* find_file(std::string_view name) {
  auto row = name.empty() ? std::end(files) : std::ranges::find(files, name, &FileRow::name);
  return row == std::end(files) ? nullptr : row;
}
unsigned sources_of(const Instruction& i) {
  if (i.op == Op::Math) return sources_of_math(i.function);
  const Opcode* row = find_opcode(unsigned(i.op));
  return row ? row->sources : 0;
}

}  // namespace Atoll::xe_lp
