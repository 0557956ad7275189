// Structs that nodes point to, as compiled code gets them: the bytes of a plain struct, zeros where it has none of its own. They are part of the
// code's constants (function_builder.h) and of its key (code_key.h), so that whatever code is given decides which code it is.
#pragma once
#include <cstddef>
#include <cstring>
#include <string>

#include "wave/sampled_texture.h"
#include "wave/whole_calls.h"

namespace Atoll::wave {

class PlainBytes {
public:
  explicit PlainBytes(size_t size) : bytes_(size, '\0') {}
  template <class T>
  PlainBytes& put(size_t offset, const T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
    return *this;
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

#define ATOLL_PUT(member) put(at + offsetof(Struct, member), value.member)

inline void put_plain(PlainBytes& bytes, size_t at, const FloatMode& value) {
  using Struct = FloatMode;
  bytes.ATOLL_PUT(round32).ATOLL_PUT(round64).ATOLL_PUT(flush_in32).ATOLL_PUT(flush_out32).ATOLL_PUT(flush_in64);
  bytes.ATOLL_PUT(flush_out64).ATOLL_PUT(clamp_halves).ATOLL_PUT(skip_vectors).ATOLL_PUT(vgprs);
}
inline void put_plain(PlainBytes& bytes, size_t at, const MemoryAccess& value) {
  using Struct = MemoryAccess;
  bytes.ATOLL_PUT(space).ATOLL_PUT(bytes).ATOLL_PUT(sign_extend).ATOLL_PUT(stride).ATOLL_PUT(offset).ATOLL_PUT(part);
  bytes.ATOLL_PUT(parts);
}
inline void put_plain(PlainBytes& bytes, size_t at, const AtomicAccess& value) {
  using Struct = AtomicAccess;
  bytes.ATOLL_PUT(op).ATOLL_PUT(space).ATOLL_PUT(bytes).ATOLL_PUT(offset).ATOLL_PUT(second_offset);
}
inline void put_plain(PlainBytes& bytes, size_t at, const AtomicCall& value) {
  using Struct = AtomicCall;
  put_plain(bytes, at + offsetof(Struct, access), value.access);
  put_plain(bytes, at + offsetof(Struct, mode), value.mode);
  bytes.ATOLL_PUT(given).ATOLL_PUT(results);
  for (unsigned n = 0; n < max_atomic_results; n++) bytes.put(at + offsetof(Struct, result) + n * 4, value.result[n]);
}
inline void put_plain(PlainBytes& bytes, size_t at, const TexelPlaces& value) {
  using Struct = TexelPlaces;
  for (size_t n = 0; n < value.digits.size(); n++) bytes.put(at + offsetof(Struct, digits) + n, value.digits[n]);
  bytes.ATOLL_PUT(digit_bits).ATOLL_PUT(exclusive);
}
inline void put_plain(PlainBytes& bytes, size_t at, const TextureAccess& value) {
  using Struct = TextureAccess;
  bytes.ATOLL_PUT(form).ATOLL_PUT(slot).ATOLL_PUT(use);
  put_plain(bytes, at + offsetof(Struct, places), value.places);
  for (size_t n = 0; n < value.words.size(); n++) bytes.put(at + offsetof(Struct, words) + n * sizeof(int), value.words[n]);
}
#undef ATOLL_PUT

template <class T>
std::string plain_bytes(const T& value) {
  PlainBytes bytes(sizeof value);
  put_plain(bytes, 0, value);
  return bytes.take();
}

// A decoded instruction of any set's: where its row of the set's table stands, which is its first member, and the rest, in which nothing
// else is the address of anything. (It may be another than the program has: of registers that the wave does not have the first.)
struct PlainInstruction {
  const void* row;
  std::string rest;
};
inline PlainInstruction plain_instruction(const WholeCall& call) {
  const char* bytes = static_cast<const char*>(call.instruction.get());
  PlainInstruction plain;
  std::memcpy(static_cast<void*>(&plain.row), bytes, sizeof plain.row);
  plain.rest.assign(bytes + sizeof plain.row, call.bytes - sizeof plain.row);
  return plain;
}

}  // namespace Atoll::wave
