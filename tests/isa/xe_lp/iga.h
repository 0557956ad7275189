// The Intel Graphics Assembler's library (libiga64, Debian package libigc1) as an oracle, loaded at run time: nothing of Atoll
// needs it, and a test without it is skipped. ATOLL_IGA names the library where the loader does not find it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace Atoll::xe_lp::test {

class Iga {
public:
  Iga();
  // Empty, or why there is none.
  const std::string& missing() const { return missing_; }

  // The text of one instruction for platform 12p1, branch targets as offsets from it; nothing where IGA reports an error.
  std::optional<std::string> disassemble(std::span<const uint8_t> bytes);
  // The bytes of text; `compact`: instructions without {Compacted} too, where they have that form.
  std::optional<std::vector<uint8_t>> assemble(const std::string& text, bool compact = false);
  // IGA's message for the last text that it refused.
  const std::string& error() const { return error_; }

private:
  struct Functions;
  const Functions* functions_ = nullptr;
  void* context_ = nullptr;
  std::string missing_, error_;
};

}  // namespace Atoll::xe_lp::test
