// The words of a line of assembler text, taken from its front one after the other.
#pragma once
#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <string>
#include <string_view>

namespace Atoll::xe_lp {

inline bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
inline bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

struct LineReader {
  std::string_view text;
  std::string why = {};  // the first thing that is wrong

  template <class... Args>
  bool wrong(fmt::format_string<Args...> format, Args&&... args) {
    if (why.empty()) why = fmt::format(format, std::forward<Args>(args)...);
    return false;
  }

  void blanks() {
    for (;;) {
      while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0]))) text.remove_prefix(1);
      if (text.starts_with("//")) text = {};
      if (!text.starts_with("/*")) return;
      size_t end = text.find("*/");
      text = end == text.npos ? std::string_view() : text.substr(end + 2);
    }
  }
  bool at(std::string_view what) {
    blanks();
    return text.starts_with(what);
  }
  bool take(std::string_view what) {
    if (!at(what)) return false;
    text.remove_prefix(what.size());
    return true;
  }
  bool need(std::string_view what, std::string_view where) { return take(what) || wrong("'{}' is missing {}", what, where); }
  std::string_view peek_word() {
    blanks();
    if (text.empty() || !begins_word(text[0])) return {};
    size_t end = 1;
    while (end < text.size() && (begins_word(text[end]) || is_digit(text[end]))) end++;
    return text.substr(0, end);
  }
  std::string_view take_word() {
    auto word = peek_word();
    text.remove_prefix(word.size());
    return word;
  }
  // 12, 0x1F, 0b101
  std::optional<uint64_t> take_integer() {
    blanks();
    std::string_view digits = text;
    unsigned base = 10;
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] | 32) == 'x') base = 16;
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] | 32) == 'b') base = 2;
    if (base != 10) digits.remove_prefix(2);
    uint64_t value = 0;
    size_t n = 0;
    for (; n < digits.size() && std::isxdigit(static_cast<unsigned char>(digits[n])); n++) {
      unsigned digit = unsigned(is_digit(digits[n]) ? digits[n] - '0' : (digits[n] | 32) - 'a' + 10);
      if (digit >= base) break;
      value = value * base + digit;
    }
    if (n == 0) return {};
    text.remove_prefix(size_t(digits.data() - text.data()) + n);
    return value;
  }
  bool small(unsigned& value, std::string_view what) {
    auto n = take_integer();
    if (!n || *n > 0xffff) return wrong("{} is missing", what);
    value = unsigned(*n);
    return true;
  }
};

}  // namespace Atoll::xe_lp
