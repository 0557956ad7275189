#include "base/log.h"

#include <unistd.h>

#include <vector>

#include "base/environment.h"
#include "base/quiet_write.h"

namespace Atoll {
namespace {

struct Wanted {
  LogLevel level = LogLevel::warn;
  std::vector<std::string> topics;  // empty: all

  Wanted() {
    std::string_view text = environment_text("ATOLL_LOG");
    if (text.empty()) return;
    size_t colon = text.find(':');
    std::string_view name = text.substr(0, colon);
    if (name == "error") level = LogLevel::error;
    if (name == "info") level = LogLevel::info;
    if (name == "trace") level = LogLevel::trace;
    while (colon != text.npos) {
      size_t begin = colon + 1;
      colon = text.find(',', begin);
      if (auto topic = text.substr(begin, colon - begin); !topic.empty()) topics.emplace_back(topic);
    }
  }
};

}  // namespace

bool logs(LogLevel level, std::string_view topic) {
  [[clang::no_destroy]] static const Wanted wanted;
  if (level > wanted.level) return false;
  if (wanted.topics.empty() || level <= LogLevel::warn) return true;
  for (auto& one : wanted.topics)
    if (one == topic) return true;
  return false;
}

void write_log(std::string_view topic, std::string_view text) {
  std::string line = fmt::format("atoll: {}: {}\n", topic, text);
  write_quietly(STDERR_FILENO, line.data(), line.size());
}

}  // namespace Atoll
