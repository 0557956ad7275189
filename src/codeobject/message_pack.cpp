#include "codeobject/message_pack.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace Atoll {
namespace {

using Json = nlohmann::json;

constexpr int max_depth = 16;  // metadata nests 5 deep

// Looks the bytes over before a tree is made of them: the library recurses without an end of its own.
class Survey final : public nlohmann::json_sax<Json> {
public:
  std::string complaint;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(size_t) override { return deeper(); }
  bool end_object() override { return depth_--, true; }
  bool start_array(size_t) override { return deeper(); }
  bool end_array() override { return depth_--, true; }
  bool parse_error(size_t position, const std::string&, const Json::exception& error) override {
    std::string_view why = error.what();  // "[json.exception...] parse error at byte 5: what is wrong"
    size_t colon = why.rfind(": ");
    complaint = fmt::format("{} (at byte {} of the MessagePack)", why.substr(colon == why.npos ? 0 : colon + 2), position);
    return false;
  }

private:
  int depth_ = 0;
  bool deeper() {
    if (++depth_ <= max_depth) return true;
    complaint = fmt::format("MessagePack nested deeper than {}", max_depth);
    return false;
  }
};

// Counts what a reader has taken.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = uint8_t;
  using difference_type = std::ptrdiff_t;
  using pointer = const uint8_t*;
  using reference = const uint8_t&;
  pointer at;
  pointer* furthest;
  reference operator*() const { return *at; }
  CountingIterator& operator++() { return *furthest = ++at, *this; }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
};

}  // namespace

Expected<Json> read_message_pack(std::span<const uint8_t> bytes) {
  Survey survey;
  const uint8_t *end = bytes.data() + bytes.size(), *behind = bytes.data();
  if (!Json::sax_parse(CountingIterator{bytes.data(), &behind}, CountingIterator{end, &behind}, &survey,
                       Json::input_format_t::msgpack, false))
    return fail("{}", survey.complaint);
  if (std::any_of(behind, end, [](uint8_t byte) { return byte != 0; }))
    return fail("bytes behind the MessagePack value (at byte {})", behind - bytes.data());
  return Json::from_msgpack(bytes.data(), behind, true, false);
}

std::optional<uint64_t> unsigned_of(const Json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  if (value.is_number_integer() && value.get<int64_t>() >= 0) return uint64_t(value.get<int64_t>());
  return {};
}

}  // namespace Atoll
