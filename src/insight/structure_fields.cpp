#include "insight/structure_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "registers/batch_walk.h"
#include "registers/lookup.h"

namespace Atoll::insight {

std::vector<StructureField> fields_of(const registers::Family& family, const UsedStructure& structure) {
  const auto& [name, words] = *structure.words;
  std::vector<StructureField> fields;
  auto add = [&](const registers::Field& field, uint64_t value) {
    std::string meaning(registers::value_name(field, value));
    if (value || !meaning.empty()) fields.push_back({std::string(field.name), value, std::move(meaning)});
  };
  const auto row = std::ranges::find_if(
      family.structures, [&](const registers::Command& command) { return command.name == std::string_view(name); });
  if (row != family.structures.end()) {
    registers::each_field(*row, words, [&](const registers::Field& field, int, uint64_t value) { add(field, value); });
    return fields;
  }
  for (size_t n = 0; n < words.size(); n++) {
    std::string word = fmt::format("{}{}", name, n);
    const auto found = registers::find_by_name(family, word);
    if (found.empty() || found.front().entry->fields.empty()) {
      if (words[n]) fields.push_back({std::move(word), words[n], {}});
      continue;
    }
    for (const registers::Field& field : found.front().entry->fields)
      add(field, registers::field_value(field, std::span(words).subspan(n, 1)));
  }
  return fields;
}

}  // namespace Atoll::insight
