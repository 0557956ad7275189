// A cursor over one line of assembler text: blanks, names, numbers, and what is left when something is wrong.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Atoll::amd {

// An integer (decimal, 0x, 0b, with a sign) or a floating-point number as written.
struct WrittenNumber {
  bool floating = false;
  int64_t integer = 0;
  double value = 0;
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : rest_(text) { skip_blanks(); }

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  // The next word of letters, digits, underscores and dots, or "" when there is none; `take` also moves behind it.
  std::string_view peek_word() const;
  std::string_view take_word();

  bool starts(std::string_view text) const { return rest_.starts_with(text); }
  // Moves behind `text` if it stands here.
  bool take(std::string_view text);

  std::optional<WrittenNumber> take_number();
  std::optional<int64_t> take_integer();

  // The text at this point, short enough for a message.
  std::string here() const;

private:
  std::string_view rest_;
  void skip_blanks();
  void move(size_t count);
};

}  // namespace Atoll::amd
