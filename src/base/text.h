// Text as the command line takes it: upper and lower case are the same.
#pragma once
#include <string>

namespace Atoll {

// ASCII letters in lower case; all other bytes as they are.
inline std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return text;
}

}  // namespace Atoll
