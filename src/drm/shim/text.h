// The few functions on text that the preloaded library needs. The C library's own may be a sanitizer's, which must not be called
// before it is ready.
#pragma once
#include <cstddef>
#include <cstdint>

namespace Atoll::drm::shim {

inline size_t length_of(const char* text) {
  size_t n = 0;
  while (text[n]) ++n;
  return n;
}

inline bool starts_with(const char* text, const char* start) {
  while (*start)
    if (*text++ != *start++) return false;
  return true;
}

inline bool same(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

// The part behind the last slash.
inline const char* name_in(const char* path) {
  const char* name = path;
  for (const char* at = path; *at; ++at)
    if (*at == '/') name = at + 1;
  return name;
}

// A line or path that is put together in a room of fixed size; what does not fit is left out, and `whole` says so.
template <size_t bytes>
class Text {
public:
  Text() { room[0] = 0; }  // all of it would be a call of memset()
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  Text& operator<<(const char* more) {
    while (*more) put(*more++);
    return *this;
  }
  Text& operator<<(uint64_t number) {
    char digits[20];
    size_t n = 0;
    do digits[n++] = char('0' + number % 10);
    while (number /= 10);
    while (n) put(digits[--n]);
    return *this;
  }
  void put(char c) {
    if (length + 1 < bytes)
      room[length++] = c;
    else
      whole = false;
    room[length] = 0;
  }
  // Back to its first characters.
  void cut(size_t to) { room[length = to] = 0; }
  const char* text() const { return room; }

  size_t length = 0;
  bool whole = true;

private:
  char room[bytes];
};

}  // namespace Atoll::drm::shim
