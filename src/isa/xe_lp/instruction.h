// One Xe-LP (Gen12LP) EU instruction as its fields say it: what the decoder gives and the encoder takes, the printer writes and
// the parser reads. Names are those of the Intel Graphics Assembler (IGA, platform 12p1) and of the PRM's volume 2b.
#pragma once
#include <cstdint>
#include <string_view>

namespace Atoll::xe_lp {

enum class Op : uint8_t {  // the hardware's numbers (PRM volume 2b, EU_OPCODE)
  Illegal = 0x00,
  Sync = 0x01,
  Jmpi = 0x20,
  Brd,
  If,
  Brc,
  Else,
  Endif,
  While = 0x27,
  Break,
  Cont,
  Halt,
  Calla,
  Call,
  Ret,
  Goto,
  Join,
  Send = 0x31,
  Sendc,
  Math = 0x38,
  Add = 0x40,
  Mul,
  Avg,
  Frc,
  Rndu,
  Rndd,
  Rnde,
  Rndz,
  Mac,
  Mach,
  Lzd,
  Fbh,
  Fbl,
  Cbit,
  Addc,
  Subb,
  Dp4a = 0x58,
  Mad = 0x5b,
  Nop = 0x60,
  Mov,
  Sel,
  Movi,
  Not,
  And,
  Or,
  Xor,
  Shr,
  Shl,
  Asr = 0x6c,
  Ror = 0x6e,
  Rol,
  Cmp,
  Cmpn,
  Csel,
  Bfrev = 0x77,
  Bfe,
  Bfi1,
  Bfi2
};

enum class Format : uint8_t { Nullary, Sync, Branch, Send, Math, Unary, Binary, Ternary };

// The modifiers that an opcode's instructions may carry.
enum Trait : uint8_t {
  PREDICATE = 1,
  CONDITION = 2,
  SATURATE = 4,
  SOURCE_MODIFIERS = 8,
  BITWISE = 16,  // - alone is written ~
  BRANCH_CONTROL = 32,
  REGISTER_TARGET = 64,  // a branch that may take its target from a register
  DESTINATION = 128      // a branch that writes where it came from
};

struct Opcode {
  Op op;
  std::string_view name;
  Format format;
  uint8_t sources;  // math: those of its function
  uint8_t traits;
};
// Nothing for a number that Xe-LP does not have.
const Opcode* find_opcode(unsigned number);
const Opcode* find_opcode(std::string_view name);

// UB to DF are the numbers of the basic formats' type fields.
enum class Type : uint8_t { UB, UW, UD, UQ, B, W, D, Q, None, HF, F, DF, NF = 15, UV, V, VF };
std::string_view name_of(Type type);
constexpr unsigned log2_bytes(Type t) {
  switch (t) {
    case Type::UW:
    case Type::W:
    case Type::HF: return 1;
    case Type::UD:
    case Type::D:
    case Type::F:
    case Type::NF: return 2;
    case Type::UQ:
    case Type::Q:
    case Type::DF: return 3;
    default: return 0;
  }
}

// The general registers, and the architecture registers by the high half of their number.
enum class File : uint8_t { Null, A, Acc, F, Ce, Msg, Sp, Sr, Cr, N, Ip, Tdr, Tm, Fc, Dbg = 15, Mme, Grf };
struct FileRow {
  File file;
  std::string_view name;
  uint8_t registers;  // 0: there is one, which is written without a number
  uint8_t first;      // the number that register 0 has in words
  bool subregisters;  // a subregister is written
  bool scaled;        // a subregister counts elements; else it is the field as it stands
};
const FileRow& row_of(File file);
const FileRow* find_file(std::string_view name);

enum class Kind : uint8_t { None, Direct, Indirect, Immediate, Label };
enum Modifier : uint8_t { MOD_ABSOLUTE = 1, MOD_NEGATE = 2 };  // the hardware's bits
inline constexpr uint8_t kNoMme = 8;
inline constexpr uint8_t kVxH = 0xff;  // the vertical stride of indirect regions whose rows have addresses of their own

struct Operand {
  Kind kind = Kind::None;
  File file = File::Null;
  Type type = Type::None;
  uint8_t modifiers = 0;
  uint8_t number = 0;                               // the register in its file; indirect: the element of a0
  uint8_t sub = 0;                                  // the subregister field: bytes in the register, where the file is scaled
  uint8_t vertical = 0, width = 0, horizontal = 0;  // in elements
  uint8_t mme = 0;                                  // math macros: the extra accumulator, 8 for none
  int16_t offset = 0;                               // indirect: added to the address, in bytes
  uint64_t immediate = 0;  // extended to 64 bits as its type says; labels: from this instruction's first byte (calla: from 0)
};

enum class Condition : uint8_t { None, Eq, Ne, Gt, Ge, Lt, Le, Ov = 8, Un };
// The hardware's numbers: 0 none, 1 each channel its own, then any and all of v, 2h, 4h, 8h, 16h, 32h.
inline constexpr std::string_view predicate_names[] = {"",       "",       ".anyv",  ".allv",   ".any2h",  ".all2h",  ".any4h",
                                                       ".all4h", ".any8h", ".all8h", ".any16h", ".all16h", ".any32h", ".all32h"};
inline constexpr std::string_view condition_names[] = {"", "eq", "ne", "gt", "ge", "lt", "le", "", "ov", "un"};
enum class MathFunction : uint8_t { Inv = 1, Log, Exp, Sqt, Rsqt, Sin, Cos, Idiv = 11, Iqot, Irem, Invm, Rsqtm };
inline constexpr std::string_view math_names[] = {"", "inv", "log", "exp",  "sqt",  "rsqt", "sin",  "cos",
                                                  "", "",    "",    "idiv", "iqot", "irem", "invm", "rsqtm"};
enum class SyncFunction : uint8_t { Nop, Allrd = 2, Allwr, Bar = 14, Host };
inline constexpr std::string_view sync_names[] = {"nop", "", "allrd", "allwr", "", "", "",    "",
                                                  "",    "", "",      "",      "", "", "bar", "host"};
enum class Sfid : uint8_t {
  Null,
  Sampler = 2,
  Gateway,
  DataPort2,
  RenderTarget,
  Urb,
  ThreadSpawner,
  Vme,
  ConstantPort,
  DataPort0,
  PixelInterpolator,
  DataPort1,
  Cre
};
inline constexpr std::string_view sfid_names[] = {"null", "",     "smpl", "gtwy", "dc2", "rc",  "urb", "ts",
                                                  "vme",  "dcro", "dc0",  "pixi", "dc1", "cre", "",    ""};

struct Instruction {
  Op op = Op::Illegal;
  uint8_t lanes = 1;      // ExecSize
  uint8_t channel = 0;    // ChanOff: 0, 4, .. 28
  uint8_t predicate = 0;  // PredCtrl
  bool predicate_inverted = false;
  uint8_t flag = 0, flag_half = 0;  // f1.0: 1, 0
  Condition condition = Condition::None;
  uint8_t function = 0;  // of math and sync; of send: the shared function
  uint8_t swsb = 0;
  bool no_mask = false, saturate = false, write_accumulator = false, atomic = false, breakpoint = false, compacted = false;
  bool branch_control = false, end_of_thread = false, serialize = false;
  bool descriptor_in_register = false;           // in a0.0
  bool extended_descriptor_in_register = false;  // in a0.N, N being extended_descriptor
  bool rejoins = false;                          // engines: channels that left the flow may come back here
  uint32_t descriptor = 0, extended_descriptor = 0;
  Operand dst, src[3];
};

constexpr bool is_macro(const Instruction& i) {
  return i.op == Op::Math && (i.function == uint8_t(MathFunction::Invm) || i.function == uint8_t(MathFunction::Rsqtm));
}
constexpr unsigned sources_of_math(unsigned function) {
  return function >= unsigned(MathFunction::Idiv) && function <= unsigned(MathFunction::Invm) ? 2 : 1;
}
unsigned sources_of(const Instruction& instruction);

}  // namespace Atoll::xe_lp
