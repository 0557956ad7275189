#include "codeobject/message_pack.h"

#include <algorithm>
#include <bit>

namespace Atoll {
namespace {

constexpr int deepest = 16;  // metadata nests 5 deep

class Reader {
public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  size_t offset() const { return at_; }

  Expected<void> value(MessagePack& out, int depth) {
    using Kind = MessagePack::Kind;
    if (at_ == bytes_.size()) return truncated();
    uint8_t tag = bytes_[at_++];
    if (tag <= 0x7f) return set(out, Kind::Unsigned, tag);
    if (tag <= 0x8f) return children(out, Kind::Map, uint64_t(tag & 15) * 2, depth);
    if (tag <= 0x9f) return children(out, Kind::Array, tag & 15, depth);
    if (tag <= 0xbf) return bytes(out, Kind::Text, tag & 31);
    if (tag >= 0xe0) return set(out, Kind::Negative, uint64_t(int64_t(int8_t(tag))));
    uint64_t n = 0;
    auto number = [&](int size) { return big_endian(size, n); };
    switch (tag) {
      case 0xc0: return set(out, Kind::Nil, 0);
      case 0xc2: return set(out, Kind::Boolean, 0);
      case 0xc3: return set(out, Kind::Boolean, 1);
      case 0xc4:
      case 0xc5:
      case 0xc6: return number(1 << (tag - 0xc4)) ? bytes(out, Kind::Binary, n) : truncated();
      case 0xc7:
      case 0xc8:
      case 0xc9: return number(1 << (tag - 0xc7)) ? bytes(out, Kind::Extension, n + 1) : truncated();
      case 0xca:
        if (!number(4)) return truncated();
        return set(out, Kind::Float, std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(n)))));
      case 0xcb: return number(8) ? set(out, Kind::Float, n) : truncated();
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf: return number(1 << (tag - 0xcc)) ? set(out, Kind::Unsigned, n) : truncated();
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3: {
        int size = 1 << (tag - 0xd0);
        if (!number(size)) return truncated();
        int64_t extended = int64_t(n << (64 - 8 * size)) >> (64 - 8 * size);
        return set(out, extended < 0 ? Kind::Negative : Kind::Unsigned, uint64_t(extended));
      }
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8: return bytes(out, Kind::Extension, (uint64_t(1) << (tag - 0xd4)) + 1);
      case 0xd9:
      case 0xda:
      case 0xdb: return number(1 << (tag - 0xd9)) ? bytes(out, Kind::Text, n) : truncated();
      case 0xdc:
      case 0xdd: return number(tag == 0xdc ? 2 : 4) ? children(out, Kind::Array, n, depth) : truncated();
      case 0xde:
      case 0xdf: return number(tag == 0xde ? 2 : 4) ? children(out, Kind::Map, 2 * n, depth) : truncated();
      default: return fail("no MessagePack type {:#x} (at byte {})", tag, at_ - 1);
    }
  }

private:
  std::unexpected<Error> truncated() const { return fail("MessagePack value cut off at byte {}", bytes_.size()); }

  static Expected<void> set(MessagePack& out, MessagePack::Kind kind, uint64_t number) {
    out.kind = kind;
    out.number = number;
    return {};
  }

  bool big_endian(int size, uint64_t& n) {
    if (bytes_.size() - at_ < size_t(size)) return false;
    n = 0;
    for (int i = 0; i < size; ++i) n = n << 8 | bytes_[at_++];
    return true;
  }

  Expected<void> bytes(MessagePack& out, MessagePack::Kind kind, uint64_t size) {
    if (bytes_.size() - at_ < size) return truncated();
    out.kind = kind;
    out.text = {reinterpret_cast<const char*>(bytes_.data()) + at_, size_t(size)};
    at_ += size_t(size);
    return {};
  }

  Expected<void> children(MessagePack& out, MessagePack::Kind kind, uint64_t count, int depth) {
    if (depth == deepest) return fail("MessagePack nested deeper than {} (at byte {})", deepest, at_);
    if (bytes_.size() - at_ < count) return truncated();  // each takes a byte at least
    out.kind = kind;
    for (uint64_t i = 0; i < count; ++i)
      if (auto child = value(out.items.emplace_back(), depth + 1); !child) return child;
    return {};
  }

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

}  // namespace

const MessagePack* MessagePack::find(std::string_view key) const {
  if (kind != Kind::Map) return nullptr;
  for (size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i].kind == Kind::Text && items[i].text == key) return &items[i + 1];
  return nullptr;
}

Expected<MessagePack> read_message_pack(std::span<const uint8_t> bytes) {
  Reader reader(bytes);
  MessagePack root;
  if (auto read = reader.value(root, 0); !read) return std::unexpected(read.error());
  auto rest = bytes.subspan(reader.offset());
  if (std::any_of(rest.begin(), rest.end(), [](uint8_t byte) { return byte != 0; }))
    return fail("bytes behind the MessagePack value (at byte {})", reader.offset());
  return root;
}

}  // namespace Atoll
