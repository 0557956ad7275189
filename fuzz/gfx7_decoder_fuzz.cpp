// Any bytes into the Sea Islands decoder: what decodes must print and encode to its own words; its line in a listing must
// assemble to the same bytes where it says so. The same bytes as text: the parser takes or refuses any line.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "isa/gfx7/decode.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/listing.h"
#include "isa/gfx7/parse.h"
#include "isa/gfx7/print.h"

using namespace Atoll::gfx7;

namespace {

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  fmt::print(stderr, "{}: {}\n", what, text);
  std::abort();
}

void check_program(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ListedLine line = list(bytes, true);
    require(list(bytes, false).bytes == line.bytes, "two listings of different lengths", line.text);
    require(line.bytes > 0 && line.bytes <= bytes.size(), "a line of other bytes than there are", line.text);
    if (line.state == ListedLine::State::exact) {
      auto parsed = parse(line.text);
      auto words = parsed ? encode(*parsed) : std::unexpected(parsed.error());
      require(words && words->bytes().size() == line.bytes && std::memcmp(words->bytes().data(), bytes.data(), line.bytes) == 0,
              "said to be exact, assembles otherwise", line.text);
    }
    bytes = bytes.subspan(line.bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // An exact copy, so that AddressSanitizer sees reads behind the end.
  std::string copy(reinterpret_cast<const char*>(data), size);
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(copy.data()), copy.size());
  if (auto parsed = parse(copy)) {
    auto words = encode(*parsed);
    require(words && decode(words->bytes()), "assembles to what is no instruction", copy);
  }
  check_program(bytes);
  Instruction loose;
  (void)decode_into(bytes, loose, Unused::ignored);
  auto decoded = decode(bytes);
  if (!decoded) return 0;
  std::string text = print(*decoded);
  require(decoded->bytes <= bytes.size(), "longer than its bytes", text);
  auto words = encode(*decoded);
  require(words.has_value(), "decodes but does not encode", text + ": " + (words ? "" : words.error().message));
  require(words->bytes().size() == decoded->bytes && std::memcmp(words->bytes().data(), bytes.data(), decoded->bytes) == 0,
          "encodes to other words", text);
  return 0;
}
