// How code is run: the names that options and reports have.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace Atoll::wave {

enum class EngineChoice : uint8_t { Auto, Interpreter, Jit };

inline constexpr std::string_view engine_names[] = {"auto", "interpreter", "jit"};

constexpr std::string_view name_of(EngineChoice choice) { return engine_names[size_t(choice)]; }
// Nothing: no engine's name.
constexpr std::optional<EngineChoice> parse_engine(std::string_view name) {
  for (size_t n = 0; n < 3; n++)
    if (name == engine_names[n]) return EngineChoice(n);
  return {};
}

}  // namespace Atoll::wave
