// Any dwords as a PM4 stream of Sea Islands or R5xx: every packet lies within the stream and moves on, what it says of registers
// and fields agrees with the tables, and any text is looked up without harm.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "registers/stream_text.h"

using namespace Atoll::registers;

namespace {

void require(bool holds, const char* what, size_t offset) {
  if (holds) return;
  fmt::print(stderr, "{} at dword {}\n", what, offset);
  std::abort();
}

void check_fields(std::span<const Field> fields, uint32_t value, size_t offset) {
  for (auto& field : fields) {
    uint64_t part = field_value(field, {&value, 1});
    require(field.high - field.low >= 63 || part >> (field.high - field.low + 1) == 0, "a field wider than its bits", offset);
    (void)value_name(field.values, part);
  }
}

void check_stream(const Family& family, std::span<const uint32_t> stream) {
  std::string text;
  for (size_t offset = 0; offset < stream.size();) {
    auto packet = read_packet(family, stream, offset);
    if (!packet) return;
    require(packet->length > 0, "a packet without length", offset);
    require(packet->words.data() == stream.data() + offset && packet->words.size() <= stream.size() - offset, "words outside",
            offset);
    require(packet->named_words <= packet->words.size(), "named words outside", offset);
    require(packet->truncated() == (packet->length > stream.size() - offset), "truncation", offset);
    for (auto& write : packet->writes) {
      require(packet->words[write.word] == write.value, "a register's value", offset);
      if (!write.place.entry) continue;
      require(write.place.address() == write.address, "a register's address", offset);
      check_fields(write.place.entry->fields, write.value, offset);
      auto named = find_by_name(family, write.place.name());
      require(named.size() == 1 && named[0].entry == write.place.entry && named[0].instance == write.place.instance,
              "a register's name", offset);
    }
    for (auto& operand : packet->operands) check_fields(operand.fields, operand.value, offset);
    text.clear();
    append_text(text, *packet, "  ");
    require(text.ends_with('\n'), "text without an end", offset);
    offset += packet->length;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const Family& family = (data[0] & 1) != 0 ? r5xx_tables : sea_islands_tables;
  // An exact copy, so that AddressSanitizer sees reads behind the end.
  std::vector<uint32_t> stream((size - 1) / 4);
  if (!stream.empty()) std::memcpy(stream.data(), data + 1, stream.size() * 4);
  check_stream(family, stream);
  // The same bytes as text: dwords in hexadecimal, and a name.
  if (auto dwords = dwords_of_hex({reinterpret_cast<const char*>(data) + 1, size - 1})) check_stream(family, *dwords);
  std::string name(reinterpret_cast<const char*>(data) + 1, std::min<size_t>(size - 1, 80));
  for (auto& found : find_by_name(family, name)) require(found.instance < found.entry->count, "an instance outside", 0);
  return 0;
}
