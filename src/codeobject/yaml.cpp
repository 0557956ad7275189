#include "codeobject/yaml.h"

#include <charconv>

namespace Atoll {
namespace {

constexpr unsigned deepest = 32;
constexpr size_t most_lines = 1 << 20;

struct Line {
  size_t number, indent;
  std::string_view text;
};

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

std::string unquoted(std::string_view s) {
  s = trimmed(s);
  if (s.size() < 2 || (s.front() != '\'' && s.front() != '"') || s.back() != s.front()) return std::string(s);
  const char quote = s.front();
  s = s.substr(1, s.size() - 2);
  std::string out;
  for (size_t n = 0; n < s.size(); n++) {
    if (quote == '\'' && s[n] == '\'' && n + 1 < s.size() && s[n + 1] == '\'') n++;
    if (quote == '"' && s[n] == '\\' && n + 1 < s.size()) {
      n++;
      out += s[n] == 'n' ? '\n' : s[n] == 't' ? '\t' : s[n];
      continue;
    }
    out += s[n];
  }
  return out;
}

// A scalar, or a flow sequence of scalars.
Yaml value_of(std::string_view s) {
  s = trimmed(s);
  Yaml y;
  if (s.size() < 2 || s.front() != '[' || s.back() != ']') {
    y.scalar = unquoted(s);
    return y;
  }
  s = trimmed(s.substr(1, s.size() - 2));
  while (!s.empty()) {
    const size_t comma = s.find(',');
    y.items.emplace_back().scalar = unquoted(s.substr(0, comma));
    s = comma == s.npos ? std::string_view() : s.substr(comma + 1);
  }
  return y;
}

// The end of a line's key: a colon before a space or the end, outside of quotes. npos: it has none.
size_t key_end(std::string_view s) {
  char quote = 0;
  for (size_t n = 0; n < s.size(); n++) {
    if (quote) {
      if (s[n] == quote) quote = 0;
    } else if (n == 0 && (s[n] == '\'' || s[n] == '"')) {
      quote = s[n];
    } else if (s[n] == ':' && (n + 1 == s.size() || s[n + 1] == ' ')) {
      return n;
    }
  }
  return s.npos;
}

class Reader {
public:
  std::vector<Line> lines;

  Expected<Yaml> block(size_t indent, unsigned depth) {
    if (depth > deepest) return fail("line {}: more than {} levels", lines[at_].number, deepest);
    Yaml y;
    const bool sequence = is_item(lines[at_]);
    while (at_ < lines.size() && lines[at_].indent == indent) {
      Line& line = lines[at_];
      const bool item = is_item(line);
      if (item != sequence) break;  // a sequence beside its key ends with the next key
      auto taken = item ? take_item(y, line, depth) : take_field(y, line, depth);
      if (!taken) return std::unexpected(taken.error());
    }
    return y;
  }
  bool at_end() const { return at_ == lines.size(); }
  size_t line_number() const { return lines[at_].number; }

private:
  size_t at_ = 0;

  static bool is_item(const Line& line) { return line.text == "-" || line.text.starts_with("- "); }

  // The text behind the dash is a block of its own, with its column as the indentation.
  Expected<void> take_item(Yaml& y, Line& line, unsigned depth) {
    std::string_view rest = line.text.substr(1);
    const size_t inside = rest.find_first_not_of(' ');
    if (inside == rest.npos) {
      at_++;
      return nested(y.items.emplace_back(), line.indent, depth);
    }
    rest.remove_prefix(inside);
    if (key_end(rest) == rest.npos) {
      y.items.push_back(value_of(rest));
      at_++;
      return {};
    }
    line.indent += 1 + inside, line.text = rest;
    auto value = block(line.indent, depth + 1);
    if (!value) return std::unexpected(value.error());
    y.items.push_back(std::move(*value));
    return {};
  }
  Expected<void> take_field(Yaml& y, const Line& line, unsigned depth) {
    const size_t end = key_end(line.text);
    if (end == line.text.npos) return fail("line {}: '{}' is neither 'key: value' nor '- item'", line.number, line.text);
    y.keys.push_back(unquoted(line.text.substr(0, end)));
    Yaml& value = y.items.emplace_back();
    std::string_view rest = trimmed(line.text.substr(end + 1));
    const size_t indent = line.indent;
    at_++;
    if (!rest.empty()) {
      value = value_of(rest);
      return {};
    }
    return nested(value, indent, depth);
  }
  // A deeper block, or a sequence beside its key; nothing is an empty scalar.
  Expected<void> nested(Yaml& to, size_t indent, unsigned depth) {
    if (at_ == lines.size()) return {};
    const Line& next = lines[at_];
    const bool beside = next.indent == indent && is_item(next);
    if (next.indent <= indent && !beside) return {};
    auto value = block(next.indent, depth + 1);
    if (!value) return std::unexpected(value.error());
    to = std::move(*value);
    return {};
  }
};

}  // namespace

Expected<Yaml> read_yaml(std::string_view text) {
  Reader reader;
  for (size_t number = 1; !text.empty(); number++) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    const size_t indent = line.find_first_not_of(' ');
    if (const std::string_view inside = trimmed(line); inside.empty() || inside.front() == '#' || inside == "---")
      continue;
    else if (inside == "...")
      break;
    else
      reader.lines.push_back({number, indent, inside});
    if (reader.lines.size() > most_lines) return fail("more than {} lines", most_lines);
  }
  if (reader.lines.empty()) return Yaml{};
  auto y = reader.block(reader.lines[0].indent, 0);
  if (y && !reader.at_end()) return fail("line {}: indented otherwise than what stands before", reader.line_number());
  return y;
}

const Yaml* Yaml::find(std::string_view key) const {
  for (size_t n = 0; n < keys.size() && n < items.size(); n++)
    if (keys[n] == key) return &items[n];
  return nullptr;
}
std::string_view Yaml::text(std::string_view key) const {
  const Yaml* value = find(key);
  return value ? std::string_view(value->scalar) : std::string_view();
}
std::optional<int64_t> Yaml::as_number() const {
  int64_t n = 0;
  auto [end, error] = std::from_chars(scalar.data(), scalar.data() + scalar.size(), n);
  if (error != std::errc() || end != scalar.data() + scalar.size()) return {};
  return n;
}
int64_t Yaml::number(std::string_view key, int64_t otherwise) const {
  const Yaml* value = find(key);
  return value ? value->as_number().value_or(otherwise) : otherwise;
}
const std::vector<Yaml>& Yaml::list(std::string_view key) const {
  [[clang::no_destroy]] static const std::vector<Yaml> none;
  const Yaml* value = find(key);
  return value ? value->items : none;
}

}  // namespace Atoll
