#include "cli/screenshot_option.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

Expected<Screenshot> parse(const std::string& text) {
  Screenshot screenshot{text, 0};
  const size_t at = text.rfind('@');
  if (at == text.npos || at + 1 == text.size() || text.find_first_not_of("0123456789", at + 1) != text.npos) return screenshot;
  screenshot.file = text.substr(0, at);
  errno = 0;
  screenshot.frame = std::strtoull(text.c_str() + at + 1, nullptr, 10);
  if (screenshot.frame == 0) return fail("frames are counted from 1");
  if (errno) return fail("no program shows so many frames");
  return screenshot;
}

// It is written beside and renamed.
Expected<void> check_place(const std::string& file) {
  std::error_code error;
  if (file.empty()) return fail("no file is named");
  if (fs::is_directory(file, error)) return fail("is a folder: name a file in it");
  const fs::path folder = fs::path(file).has_parent_path() ? fs::path(file).parent_path() : fs::path(".");
  if (!fs::exists(folder, error)) return fail("there is no folder {}: make it first", folder.string());
  if (!fs::is_directory(folder, error)) return fail("{} is no folder", folder.string());
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return fail("{}: {}", folder.string(), std::strerror(errno));
  return {};
}

}  // namespace

Expected<std::vector<Screenshot>> parse_screenshots(const std::vector<std::string>& texts, uint64_t frames) {
  std::vector<Screenshot> screenshots;
  std::set<std::string> files;
  for (auto& text : texts) {
    auto one = parse(text);
    if (!one) return fail("--screenshot {}: {}", text, one.error().message);
    if (auto good = check_place(one->file); !good) return fail("--screenshot {}: {}", text, good.error().message);
    if (!files.insert(one->file).second) return fail("--screenshot {}: two pictures in one file: name another", text);
    if (frames && one->frame > frames) return fail("--screenshot {}: --frames ends the program after {}", text, frames);
    screenshots.push_back(*one);
  }
  return screenshots;
}

}  // namespace Atoll::cli
