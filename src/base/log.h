// Atoll's reports while somebody else's program runs: lines on standard error, chosen by ATOLL_LOG=error|warn|info|trace
// [:topic,…] (docs/environment.md; the default is `warn`).
#pragma once
#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace Atoll {

enum class LogLevel : uint8_t { error, warn, info, trace };

// Is such a line wanted? `topic` is a word like "drm", "cs", "fault".
bool logs(LogLevel level, std::string_view topic);

// One line "atoll: TOPIC: TEXT", written at once, whatever is asked for.
void write_log(std::string_view topic, std::string_view text);

template <class... Args>
void log(LogLevel level, std::string_view topic, fmt::format_string<Args...> format, Args&&... args) {
  if (logs(level, topic)) write_log(topic, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace Atoll
