// Errors on their way to C: a status, and the message that the calling thread keeps. Nothing leaves a function of the library but
// through guarded().
#pragma once
#include <algorithm>
#include <cstring>
#include <exception>
#include <expected>
#include <new>
#include <string>
#include <string_view>

#include "api/atoll.h"
#include "base/expected.h"

namespace Atoll::api {

struct Failure {
  atoll_status status = ATOLL_ERROR_INTERNAL;
  std::string message;
};
template <class T>
using Result = std::expected<T, Failure>;

template <class... Args>
std::unexpected<Failure> refuse(atoll_status status, fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Failure{status, fmt::format(format, std::forward<Args>(args)...)});
}
inline std::unexpected<Failure> refuse(atoll_status status, const Error& error) {
  return std::unexpected(Failure{status, error.message});
}

// Keeps the message for atoll_error_message().
atoll_status remember(atoll_status status, std::string_view message) noexcept;

// Runs body(), a Result<void>.
template <class Body>
atoll_status guarded(Body body) noexcept {
  try {
    if (auto done = body(); !done) return remember(done.error().status, done.error().message);
    return ATOLL_OK;
  } catch (const std::bad_alloc&) {
    return remember(ATOLL_ERROR_MEMORY, "this machine has no memory left for it");
  } catch (const std::exception& error) {
    return remember(ATOLL_ERROR_INTERNAL, error.what());
  } catch (...) {
    return remember(ATOLL_ERROR_INTERNAL, "an error of the library's own");
  }
}

// The struct as this library knows it: what the caller's does not have is 0. `least`: the size of its first version.
template <class T>
Result<T> read_struct(const T* given, size_t least, const char* name) {
  if (!given) return refuse(ATOLL_ERROR_ARGUMENT, "{} is null", name);
  const size_t size = given->size;
  if (size < least || size > 4096)
    return refuse(ATOLL_ERROR_ARGUMENT, "{}.size is {}: set it to sizeof({}), {} here", name, size, name, sizeof(T));
  T known{};
  std::memcpy(static_cast<void*>(&known), given, std::min(size, sizeof(T)));
  for (size_t n = sizeof(T); n < size; n++)
    if (reinterpret_cast<const char*>(given)[n])
      return refuse(ATOLL_ERROR_UNSUPPORTED, "{} has a field set, at byte {}, that this library of version {} does not know",
                    name, n, ATOLL_API_VERSION);
  return known;
}

// Into a struct of the caller's, as much as it has room for; its size stays.
template <class T>
Result<void> write_struct(const T& full, T* given, size_t least, const char* name) {
  if (!given) return refuse(ATOLL_ERROR_ARGUMENT, "{} is null", name);
  const size_t size = given->size;
  if (size < least || size > 4096)
    return refuse(ATOLL_ERROR_ARGUMENT, "{}.size is {}: set it to sizeof({}), {} here", name, size, name, sizeof(T));
  auto* to = reinterpret_cast<char*>(given);
  std::memset(to + 4, 0, size - 4);
  std::memcpy(to + 4, reinterpret_cast<const char*>(&full) + 4, std::min(size, sizeof(T)) - 4);
  return {};
}

}  // namespace Atoll::api
