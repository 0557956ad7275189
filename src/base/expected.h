// Errors as values: Expected<T> holds a T or an Error, a sentence for a person that names file, place and remedy.
#pragma once
#include <fmt/core.h>

#include <expected>
#include <string>
#include <utility>

namespace Atoll {

// `message` is a whole phrase without "atoll: VERB:" in front; callers add their place as they pass it on.
struct Error {
  std::string message;
};

template <class T>
using Expected = std::expected<T, Error>;

// fail("no kernel '{}' in {}", name, file): an Error in the form that every Expected<T> accepts.
template <class... Args>
std::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{fmt::format(format, std::forward<Args>(args)...)});
}

// Ends the program with a message: for broken promises of our own code only, never for a user's bytes.
[[noreturn]] void broken_promise(const char* what, const char* file, int line);
#define ATOLL_ASSERT(condition) ((condition) ? void() : ::Atoll::broken_promise(#condition, __FILE__, __LINE__))

}  // namespace Atoll
