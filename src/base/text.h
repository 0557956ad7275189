// Text as the command line takes it: upper and lower case are the same.
#pragma once
#include <string>
#include <string_view>

namespace Atoll {

// ASCII letters in lower case; all other bytes as they are.
inline std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return small;
}

}  // namespace Atoll
