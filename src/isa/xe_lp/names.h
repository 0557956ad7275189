// The words of IGA's syntax that stand for field values.
#pragma once
#include <string_view>

#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp {

struct TypeName {
  std::string_view name;
  DataType type;
};
inline constexpr TypeName type_names[] = {{"ub", DataType::ub}, {"uw", DataType::uw}, {"ud", DataType::ud}, {"b", DataType::b},
                                          {"w", DataType::w},   {"d", DataType::d},   {"f", DataType::f}};
struct ArfName {
  std::string_view name;
  Arf arf;
};
inline constexpr ArfName arf_names[] = {{"a", Arf::a}, {"acc", Arf::acc}, {"f", Arf::f}, {"cr", Arf::cr}};
struct ConditionName {
  std::string_view name;
  Condition condition;
};
// The first name of a value is the one that is printed.
inline constexpr ConditionName condition_names[] = {
    {"eq", Condition::ze}, {"ze", Condition::ze}, {"ne", Condition::nz}, {"nz", Condition::nz}, {"gt", Condition::gt},
    {"ge", Condition::ge}, {"lt", Condition::lt}, {"le", Condition::le}, {"ov", Condition::ov}, {"un", Condition::un}};
// By value of PredCtrl; the first two have no name.
inline constexpr std::string_view predicate_names[] = {"",       "",       "anyv",   "allv",    "any2h",   "all2h",   "any4h",
                                                       "all4h", "any8h", "all8h", "any16h", "all16h", "any32h", "all32h"};

}  // namespace Atoll::xe_lp
