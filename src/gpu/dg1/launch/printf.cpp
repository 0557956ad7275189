#include "gpu/dg1/launch/printf.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "codeobject/byte_reader.h"
#include "gpu/hsa/printf.h"

namespace Atoll::dg1 {
namespace {

// SHADER_PRINTF_TYPE of IGC.
enum ArgumentType : uint32_t {
  INVALID,
  BYTE,
  SHORT,
  INT,
  FLOAT,
  STRING,
  LONG,
  POINTER,
  DOUBLE,
  VECTOR_BYTE,
  VECTOR_SHORT,
  VECTOR_INT,
  VECTOR_LONG,
  VECTOR_FLOAT,
  VECTOR_DOUBLE
};
constexpr uint8_t element_bytes[] = {0, 1, 2, 4, 4, 0, 8, 8, 8, 1, 2, 4, 8, 4, 8};
constexpr size_t longest_text = 1 << 16;

struct PrintfReader {
  ByteReader bytes;
  const std::vector<std::string>& strings;
  bool by_index;
  const AddressSpace& space;
  uint64_t at = printf_first;

  template <class T>
  std::optional<T> take() {
    auto value = bytes.read<T>(at);
    if (value) at += sizeof(T);
    return value;
  }
  std::optional<std::string> text_at(uint64_t address) const {
    std::string text;
    for (; text.size() < longest_text; address++) {
      if (!space.contains(address, 1)) return {};
      const char c = char(*space.host(address));
      if (!c) return text;
      text += c;
    }
    return {};
  }
  std::optional<std::string> take_text() {
    if (!by_index) {
      auto address = take<uint64_t>();
      return address ? text_at(*address) : std::nullopt;
    }
    auto index = take<uint32_t>();
    if (!index || *index >= strings.size()) return {};
    return strings[*index];
  }
  // False: what stands there is none.
  bool take_argument(PrintfFormat& format, std::vector<uint8_t>& data) {
    auto type = take<uint32_t>();
    if (!type || *type == INVALID || *type > VECTOR_DOUBLE) return false;
    auto put = [&](const void* from, size_t size) {
      format.argument_bytes.push_back(uint32_t(size));
      const auto* p = static_cast<const uint8_t*>(from);
      data.insert(data.end(), p, p + size);
      data.resize((data.size() + 3) / 4 * 4);
    };
    if (*type == STRING) {
      auto text = take_text();
      if (!text) return false;
      put(text->c_str(), text->size() + 1);
      return true;
    }
    const uint32_t size = element_bytes[*type];
    uint32_t count = 1;
    if (*type >= VECTOR_BYTE) {
      auto given = take<uint32_t>();
      if (!given || *given == 0 || *given > 16) return false;
      count = *given;
    }
    // Each element has a dword at least.
    std::vector<uint8_t> elements(size_t(count == 3 ? 4 : count) * size);
    for (uint32_t n = 0; n < count; n++) {
      auto from = bytes.slice(at, std::max(size, 4u));
      if (!from) return false;
      std::memcpy(elements.data() + size_t(n) * size, from->data(), size);
      at += std::max(size, 4u);
    }
    put(elements.data(), elements.size());
    return true;
  }
};

// Arguments that the format has.
unsigned conversions(const std::string& format) {
  unsigned n = 0;
  for (size_t at = 0; at + 1 < format.size(); at++) {
    if (format[at] != '%') continue;
    if (format[at + 1] == '%') {
      at++;
      continue;
    }
    n++;
    for (size_t i = at + 1; i < format.size() && std::string_view("diouxXaAeEfFgGcsp").find(format[i]) == std::string_view::npos;
         i++)
      n += format[i] == '*';
  }
  return n;
}

}  // namespace

PrintedByKernel decode_printf(std::span<const uint8_t> buffer, const std::vector<std::string>& strings, bool by_index,
                              const AddressSpace& space) {
  PrintedByKernel out;
  const uint32_t used = ByteReader(buffer).read<uint32_t>(0).value_or(0);
  if (used > buffer.size()) out.problem = "printf buffer full: some output is missing";
  PrintfReader reader{ByteReader(buffer.first(std::min<size_t>(used, buffer.size()))), strings, by_index, space};
  while (reader.at + 4 <= reader.bytes.size()) {
    PrintfFormat format;
    std::vector<uint8_t> data;
    auto text = reader.take_text();
    bool good = text.has_value();
    if (good) format.format = *text;
    for (unsigned n = good ? conversions(*text) : 0; n > 0 && good; n--) good = reader.take_argument(format, data);
    auto line = good ? hsa::format_printf(format, data) : Expected<std::string>(fail("a damaged printf entry"));
    if (!line) {
      if (out.problem.empty()) out.problem = line.error().message;
      break;
    }
    out.text += *line;
  }
  return out;
}

}  // namespace Atoll::dg1
