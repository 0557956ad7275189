// Any bytes into the RDNA4 decoder: what decodes must print, assemble from its own text, and encode; and its words again must
// read as the same text. Nothing may crash or read outside the bytes.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "isa/rdna4/encode.h"
#include "isa/rdna4/parse.h"
#include "isa/rdna4/print.h"

using namespace Atoll::rdna4;

namespace {

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  fmt::print(stderr, "{}: {}\n", what, text);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  CodeOptions options{(data[0] & 1) != 0 ? 64u : 32u};
  // An exact copy, so that AddressSanitizer sees reads behind the end.
  std::string copy(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(copy.data()), copy.size());
  // The same bytes as text: the parser must take or refuse any line.
  (void)parse(copy, options);
  auto decoded = decode(bytes, options);
  if (!decoded) return 0;
  require(decoded->main.bytes <= bytes.size(), "longer than its bytes", print(decoded->main, options));
  std::string text = print(decoded->main, options);
  auto words = encode(decoded->main, options);
  require(words.has_value(), "decodes but does not encode", text + ": " + (words ? "" : words.error().message));
  auto again = decode(words->bytes(), options);
  require(again.has_value(), "encodes but does not decode", text);
  require(print(again->main, options) == text, "reads otherwise after encoding", text + " / " + print(again->main, options));
  if (auto parsed = parse(text, options)) (void)encode(parsed->main, options);
  return 0;
}
