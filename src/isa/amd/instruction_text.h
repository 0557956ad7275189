// The text of an instruction in LLVM's syntax, put together: what the printers of AMD's instruction sets share. Each derives its
// own, which knows its operands' kinds and modifiers.
#pragma once
#include <fmt/format.h>

#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "isa/amd/constants_text.h"
#include "isa/amd/names.h"
#include "isa/amd/registers_text.h"
#include "isa/amd/table.h"

namespace Atoll::amd {

// A modifier without a value, and its bit.
struct FlagName {
  const char* name;
  Field field;
};

// A source that is no literal: a VGPR, an inline constant, a scalar register.
std::string source_name(const RegisterNames& registers, ConstantClass c, unsigned floats, unsigned operand, unsigned dwords);
// With |…| and -, or neg(…) around a constant.
std::string modified_name(std::string name, bool negate, bool absolute, bool constant);
std::string attribute_name(unsigned attribute, unsigned channel);
std::string export_target_name(std::span<const Name> targets, unsigned target);

class InstructionText {
protected:
  std::string text;

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    text += fmt::format(format, std::forward<Args>(args)...);
  }
  // `operand` gives the text of each, "" for those that are not written. No comma stands behind an export's target.
  template <class Operand>
  void add_operands(const Opcode& row, Operand operand) {
    const char* before = " ";
    for (const OperandRow& o : row.rows()) {
      std::string one = operand(o);
      if (one.empty()) continue;
      text += before + one;
      before = o.kind == Kind::ExportTarget ? " " : ", ";
    }
  }
  template <class Instruction>
  void add_flags(const Instruction& i, std::span<const FlagName> flags) {
    for (const FlagName& flag : flags)
      if (*modifier_of(i, flag.field)) add(" {}", flag.name);
  }
  void add_clamp_and_factor(unsigned clamp, unsigned omod) {
    if (clamp) text += " clamp";
    if (omod) text += omod == 1 ? " mul:2" : omod == 2 ? " mul:4" : " div:2";
  }
  // " offset:12", where it is not 0.
  void add_offset(const char* name, int offset) {
    if (offset) add(" {}:{}", name, offset);
  }
};

}  // namespace Atoll::amd
