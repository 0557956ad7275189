#include "isa/amd/names.h"

namespace Atoll::amd {

std::string_view name_of(std::span<const Name> names, unsigned number) {
  for (const Name& name : names)
    if (name.number == number) return name.name;
  return {};
}

int number_of(std::span<const Name> names, std::string_view name) {
  for (const Name& candidate : names)
    if (candidate.name == name) return candidate.number;
  return -1;
}

}  // namespace Atoll::amd
