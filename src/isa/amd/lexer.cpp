#include "isa/amd/lexer.h"

#include <array>
#include <cctype>
#include <charconv>

namespace Atoll::amd {
namespace {

constexpr auto word_characters = [] {
  std::array<bool, 256> all{};
  for (unsigned char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")) all[c] = true;
  return all;
}();

}  // namespace

void Lexer::skip_blanks() {
  while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r')) rest_.remove_prefix(1);
}

void Lexer::move(size_t count) {
  rest_.remove_prefix(count);
  skip_blanks();
}

std::string_view Lexer::peek_word() const {
  size_t size = 0;
  while (size < rest_.size() && word_characters[static_cast<unsigned char>(rest_[size])]) ++size;
  return rest_.substr(0, size);
}

std::string_view Lexer::take_word() {
  std::string_view word = peek_word();
  move(word.size());
  return word;
}

bool Lexer::take(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  move(text.size());
  return true;
}

std::optional<WrittenNumber> Lexer::take_number() {
  std::string_view text = rest_;
  bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    text.remove_prefix(1);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  if (text.empty() || !(std::isdigit(static_cast<unsigned char>(text.front())) || text.front() == '.')) return {};
  WrittenNumber number;
  const char *begin = text.data(), *end = begin + text.size();
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
    base = 16, begin += 2;
  else if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
    base = 2, begin += 2;
  uint64_t magnitude = 0;
  auto [stop, error] = std::from_chars(begin, end, magnitude, base);
  bool more = error != std::errc() || (stop != end && (*stop == '.' || (*stop | 0x20) == 'e'));  // it may be a float
  if (base == 10 && more) {
    double value = 0;
    auto [float_stop, float_error] = std::from_chars(begin, end, value);
    if (float_error == std::errc() && (float_stop > stop || error != std::errc())) {
      number.floating = true;
      number.value = negative ? -value : value;
      move(size_t(float_stop - rest_.data()));
      return number;
    }
  }
  if (error != std::errc()) return {};
  number.integer = int64_t(negative ? 0 - magnitude : magnitude);
  number.value = double(number.integer);
  move(size_t(stop - rest_.data()));
  return number;
}

std::optional<int64_t> Lexer::take_integer() {
  Lexer before = *this;
  auto number = take_number();
  if (!number || number->floating) {
    *this = before;
    return {};
  }
  return number->integer;
}

std::string Lexer::here() const {
  if (rest_.empty()) return "the end of the line";
  return "'" + std::string(rest_.substr(0, 24)) + (rest_.size() > 24 ? "…'" : "'");
}

}  // namespace Atoll::amd
