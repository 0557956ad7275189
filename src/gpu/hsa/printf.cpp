#include "gpu/hsa/printf.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

namespace Atoll::hsa {
namespace {

constexpr int widest = 4096;  // of a field: more is no text but a damaged format
constexpr size_t max_text = size_t(64) << 20;

struct Conversion {
  std::string flags;
  std::optional<int> width, precision;
  bool width_follows = false, precision_follows = false;  // '*': they are arguments
  unsigned elements = 1;                                  // of a vector
  std::string length;                                     // "", hh, h, hl, l, ll, z, j, t
  char letter = 0;
  size_t end = 0;  // behind it in the format
};

// Takes the next arguments off an entry.
class Arguments {
public:
  Arguments(const PrintfFormat& format, std::span<const uint8_t> bytes) : format_(format), bytes_(bytes) {}

  std::optional<std::span<const uint8_t>> next() {
    if (index_ == format_.argument_bytes.size()) return {};
    uint32_t size = format_.argument_bytes[index_++];
    if (size > bytes_.size()) return {};
    auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(std::min<size_t>(bytes_.size(), (uint64_t(size) + 3) / 4 * 4));
    return taken;
  }
  std::optional<int> next_int() {
    auto bytes = next();
    if (!bytes || bytes->size() < 4) return {};
    int value;
    std::memcpy(&value, bytes->data(), 4);
    return std::clamp(value, -widest, widest);
  }

private:
  const PrintfFormat& format_;
  std::span<const uint8_t> bytes_;
  size_t index_ = 0;
};

std::optional<Conversion> parse_conversion(std::string_view text, size_t at) {
  Conversion c;
  auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
  auto number = [&]() -> int {
    int n = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at) n = std::min(widest, n * 10 + (peek() - '0'));
    return n;
  };
  for (; peek() && std::string_view("-+ #0").find(peek()) != std::string_view::npos; ++at)
    if (c.flags.find(peek()) == c.flags.npos) c.flags += peek();
  if (peek() == '*') {
    ++at;
    c.width_follows = true;
  } else if (peek() >= '1' && peek() <= '9') {
    c.width = number();
  }
  if (peek() == '.') {
    ++at;
    if (peek() == '*') {
      ++at;
      c.precision_follows = true;
    } else {
      c.precision = number();
    }
  }
  if (peek() == 'v') {
    ++at;
    int n = number();
    if (n != 2 && n != 3 && n != 4 && n != 8 && n != 16) return {};
    c.elements = unsigned(n);
  }
  for (std::string_view length : {"hh", "hl", "h", "ll", "l", "z", "j", "t"})
    if (text.substr(at).starts_with(length)) {
      c.length = length;
      at += length.size();
      break;
    }
  c.letter = peek();
  c.end = at + 1;
  if (std::string_view("diouxXaAeEfFgGcsp").find(c.letter) == std::string_view::npos) return {};
  return c;
}

// One number (or pointer) as C prints it.
std::string print_number(const Conversion& c, std::span<const uint8_t> bytes) {
  std::string spec = "%" + c.flags;
  if (c.width) spec += std::to_string(*c.width);
  if (c.precision && *c.precision >= 0) spec += "." + std::to_string(*c.precision);
  char out[2 * widest + 512];
  uint64_t raw = 0;
  std::memcpy(&raw, bytes.data(), std::min<size_t>(8, bytes.size()));
  unsigned size = unsigned(std::min<size_t>(8, bytes.size()));
  if (std::string_view("aAeEfFgG").find(c.letter) != std::string_view::npos) {
    double value = 0;
    if (size == 8) {
      std::memcpy(&value, &raw, 8);
    } else if (size == 4) {
      float f;
      std::memcpy(&f, &raw, 4);
      value = double(f);
    } else {
      _Float16 h;
      std::memcpy(&h, &raw, 2);
      value = double(h);
    }
    std::snprintf(out, sizeof out, (spec + c.letter).c_str(), value);
    return out;
  }
  if (c.letter == 'c') {
    std::string text(1, char(raw));
    size_t width = size_t(c.width.value_or(0));
    if (text.size() < width) text.insert(c.flags.find('-') != c.flags.npos ? 1 : 0, width - 1, ' ');
    return text;
  }
  if (c.letter == 'p') {
    std::snprintf(out, sizeof out, (spec + 'p').c_str(), reinterpret_cast<void*>(raw));
    return out;
  }
  if (c.length == "hh") size = std::min(size, 1u);
  if (c.length == "h") size = std::min(size, 2u);
  bool is_signed = c.letter == 'd' || c.letter == 'i';
  unsigned unused = 64 - 8 * size;
  long long value = is_signed ? (long long)(raw << unused) >> unused : (long long)(raw << unused >> unused);
  std::snprintf(out, sizeof out, (spec + "ll" + c.letter).c_str(), value);
  return out;
}

constexpr uint64_t padded(uint32_t bytes) { return (uint64_t(bytes) + 3) / 4 * 4; }

// Tells for each argument of the format whether it is a string.
std::vector<bool> string_arguments(const PrintfFormat& format) {
  std::vector<bool> strings;
  std::string_view text = format.format;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '%' || text.substr(at, 2) == "%%") {
      at += text[at] == '%' ? 2 : 1;
      continue;
    }
    auto c = parse_conversion(text, at + 1);
    if (!c) break;
    strings.insert(strings.end(), c->width_follows + c->precision_follows, false);
    strings.push_back(c->letter == 's');
    at = c->end;
  }
  strings.resize(format.argument_bytes.size());
  return strings;
}

// LLVM before the fix of llvm/llvm-project#207772 (19 among them) gives a constant string whose length is a multiple of 4 a size
// with room for its zero, but stores no zero: what follows stands 4 bytes earlier than the sizes say, and the entry ends in 4
// unused bytes, 0 since the buffer was. The sizes cannot tell such a string from one that is up to 3 characters longer, so all
// entries of the format are looked at: a used last dword speaks against it; so does a dword behind the string that could be its
// end (the same letters in every entry, then zeros). Answers the format with the sizes that are really there.
PrintfFormat with_stored_sizes(const PrintfFormat& format, const std::vector<std::span<const uint8_t>>& entries) {
  PrintfFormat out = format;
  auto strings = string_arguments(format);
  uint64_t total = 0, at = 0, unused = 0;
  for (uint32_t size : format.argument_bytes) total += padded(size);
  auto word = [](std::span<const uint8_t> entry, uint64_t offset) {
    uint32_t value;
    std::memcpy(&value, entry.data() + offset, 4);
    return value;
  };
  auto may_end_text = [](uint32_t value) {
    bool ended = false;
    for (int i = 0; i < 4; ++i, value >>= 8) {
      uint8_t c = value & 0xff;
      if (c == 0)
        ended = true;
      else if (ended || c < 0x20 || c > 0x7e)
        return false;
    }
    return true;
  };
  for (size_t i = 0; i < out.argument_bytes.size(); ++i) {
    uint32_t& size = out.argument_bytes[i];
    bool shorter = strings[i] && size >= 8 && size % 4 == 0 && !entries.empty();
    if (shorter) {
      uint32_t next = word(entries[0], at + size - 4);
      bool same = true, end = may_end_text(next) && next != 0;
      for (auto entry : entries) {
        auto text = entry.subspan(size_t(at), size - 4);
        shorter &= std::find(text.begin(), text.end(), 0) == text.end() && word(entry, total - unused - 4) == 0;
        same &= word(entry, at + size - 4) == next;
      }
      shorter &= !(same && end);
    }
    if (shorter) {
      size -= 4;
      unused += 4;
    }
    at += padded(size);
  }
  return out;
}

}  // namespace

Expected<std::string> format_printf(const PrintfFormat& format, std::span<const uint8_t> bytes) {
  Arguments arguments(format, bytes);
  std::string out;
  std::string_view text = format.format;
  for (size_t at = 0; at < text.size();) {
    if (out.size() > max_text) return fail("printf format '{}' prints more than {} bytes", text.substr(0, 80), max_text);
    if (text[at] != '%') {
      out += text[at++];
      continue;
    }
    if (text.substr(at, 2) == "%%") {
      out += '%';
      at += 2;
      continue;
    }
    auto c = parse_conversion(text, at + 1);
    if (!c) return fail("printf format '{}' has a conversion at {} that cannot be read", text.substr(0, 80), at);
    if (c->width_follows) c->width = arguments.next_int();
    if (c->precision_follows) c->precision = arguments.next_int();
    if ((c->width_follows && !c->width) || (c->precision_follows && !c->precision))
      return fail("printf format '{}' has more conversions than arguments", text.substr(0, 80));
    if (c->width && *c->width < 0) c->flags += '-', c->width = -*c->width;
    auto argument = arguments.next();
    if (!argument) return fail("printf format '{}' has more conversions than arguments", text.substr(0, 80));
    if (c->letter == 's') {
      const char* start = reinterpret_cast<const char*>(argument->data());
      std::string_view string(start, ::strnlen(start, argument->size()));
      if (c->precision && *c->precision >= 0) string = string.substr(0, size_t(*c->precision));
      size_t width = size_t(c->width.value_or(0)), fill = width > string.size() ? width - string.size() : 0;
      bool left = c->flags.find('-') != c->flags.npos;
      out += std::string(left ? 0 : fill, ' ') + std::string(string) + std::string(left ? fill : 0, ' ');
    } else if (c->elements == 1) {
      if (argument->empty()) return fail("printf format '{}' has an argument without bytes", text.substr(0, 80));
      out += print_number(*c, *argument);
    } else {
      unsigned stored = c->elements == 3 ? 4 : c->elements;  // three elements take the room of four
      size_t size = argument->size() / stored;
      if (size == 0 || size > 8 || size * stored != argument->size())
        return fail("printf format '{}' prints {} elements of an argument of {} bytes", text.substr(0, 80), c->elements,
                    argument->size());
      for (unsigned i = 0; i < c->elements; ++i) {
        if (i) out += ',';
        out += print_number(*c, argument->subspan(i * size, size));
      }
    }
    at = c->end;
  }
  return out;
}

PrintedText decode_printf(std::span<const uint8_t> buffer, std::span<const PrintfFormat> formats) {
  PrintedText out;
  if (buffer.size() < 8) return out;
  uint32_t used;
  std::memcpy(&used, buffer.data(), 4);
  auto rest = buffer.subspan(8, std::min<size_t>(used, buffer.size() - 8));

  struct Kind {
    PrintfFormat format;
    std::vector<std::span<const uint8_t>> entries;
  };
  std::map<uint32_t, Kind> kinds;
  std::vector<std::pair<Kind*, std::span<const uint8_t>>> entries;  // in order
  while (rest.size() >= 4 && out.problem.empty()) {
    uint32_t id;
    std::memcpy(&id, rest.data(), 4);
    auto kind = kinds.find(id);
    if (kind == kinds.end()) {
      auto format = std::find_if(formats.begin(), formats.end(), [&](const PrintfFormat& f) { return f.id == id; });
      if (format == formats.end()) {
        out.problem = fmt::format("the printf buffer holds an entry of format {}, which the metadata does not have", id);
        break;
      }
      kind = kinds.emplace(id, Kind{*format, {}}).first;
    }
    uint64_t bytes = 0;
    for (uint32_t size : kind->second.format.argument_bytes) bytes += padded(size);
    if (bytes > rest.size() - 4) {
      out.problem = "the printf buffer ends within an entry";
      break;
    }
    auto arguments = rest.subspan(4, size_t(bytes));
    kind->second.entries.push_back(arguments);
    entries.emplace_back(&kind->second, arguments);
    rest = rest.subspan(4 + size_t(bytes));
  }
  for (auto& [id, kind] : kinds) kind.format = with_stored_sizes(kind.format, kind.entries);
  for (auto& [kind, arguments] : entries) {
    auto text = format_printf(kind->format, arguments);
    if (!text) {
      out.problem = text.error().message;
      break;
    }
    out.text += *text;
    if (out.text.size() > max_text) {
      out.problem = fmt::format("the kernel printed more than {} bytes", max_text);
      break;
    }
  }
  return out;
}

}  // namespace Atoll::hsa
