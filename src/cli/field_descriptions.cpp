#include "cli/field_descriptions.h"

#include <algorithm>
#include <span>

namespace Atoll::cli {
namespace {

// A sentence by its length and its place among all of them.
struct Description {
  registers::FieldNumber field;
  uint16_t length;
  uint32_t first;
};

struct DescribedFamily {
  std::string_view name;
  std::span<const Description> descriptions;  // by field
};

}  // namespace
}  // namespace Atoll::cli

#include "cli/field_descriptions_table.h"

namespace Atoll::cli {

std::string_view field_description(const registers::Family& family, registers::FieldNumber field) {
  auto* described = std::ranges::find(described_families, std::string_view(family.name), &DescribedFamily::name);
  if (described == std::end(described_families)) return {};
  auto found = std::ranges::lower_bound(described->descriptions, field, {}, &Description::field);
  if (found == described->descriptions.end() || found->field != field) return {};
  return {sentences + found->first, found->length};
}

std::string_view field_description(const registers::Family& family, const registers::Register& entry,
                                   const registers::Field& field) {
  return field_description(
      family, {static_cast<uint16_t>(&entry - family.registers.data()), static_cast<uint8_t>(&field - entry.fields.data())});
}

}  // namespace Atoll::cli
