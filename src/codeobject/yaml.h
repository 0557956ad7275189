// The part of YAML that compilers' metadata is written in: block mappings and sequences by indentation, flow sequences of scalars,
// plain and quoted scalars, comments of whole lines (YAML 1.2.2, chapters 7 and 8). No anchors, tags or folded text.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace Atoll {

struct Yaml {
  std::string scalar;
  std::vector<std::string> keys;  // of a mapping: as many as items
  std::vector<Yaml> items;        // of a sequence or a mapping, in order

  const Yaml* find(std::string_view key) const;
  // A mapping's field: its scalar, empty if there is none; its number, or `otherwise`; whether it says true.
  std::string_view text(std::string_view key) const;
  int64_t number(std::string_view key, int64_t otherwise = 0) const;
  bool flag(std::string_view key) const { return text(key) == "true"; }
  // Its items; none where it is not there.
  const std::vector<Yaml>& list(std::string_view key) const;
  std::optional<int64_t> as_number() const;
};

// An error says the line.
Expected<Yaml> read_yaml(std::string_view text);

}  // namespace Atoll
