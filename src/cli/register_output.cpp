#include "cli/register_output.h"

#include "cli/verbs.h"
#include "gpu/chips/chip.h"

namespace Atoll::cli {

std::vector<const registers::Family*> families_of(const char* verb, const std::string& gpu) {
  auto all = registers::all_families();
  if (gpu.empty()) return {all.begin(), all.end()};
  const gpu::Chip* chip = gpu::find_chip(gpu);
  if (!chip) end_with(STATUS_CALL, verb, fmt::format("{}: no such GPU: the GPUs are {}", gpu, gpu::chip_names()));
  if (auto* family = registers::find_family(chip->registers)) return {family};
  end_with(STATUS_CALL, verb,
           fmt::format("{}: has no register tables: {} have them", gpu,
                       gpu::chip_names([](const gpu::Chip& c) { return !c.registers.empty(); })));
}

nlohmann::ordered_json values_json(std::span<const registers::NamedValue> values) {
  auto json = nlohmann::ordered_json::object();
  for (auto& value : values)
    json[value.first == value.last ? fmt::format("{}", value.first) : fmt::format("{}-{}", value.first, value.last)] = value.name;
  return json;
}

Expected<std::vector<uint32_t>> parse_words(const std::string& text, unsigned bits) {
  bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  std::string_view digits = std::string_view(text).substr(hexadecimal ? 2 : 0);
  unsigned base = hexadecimal ? 16 : 10;
  std::vector<uint32_t> words((bits + 31) / 32);
  bool fits = true;
  if (digits.empty()) return fail("'{}' is no number: write decimal digits or 0x and hexadecimal ones", text);
  for (char c : digits) {
    unsigned digit = c >= '0' && c <= '9'   ? c - '0'
                     : c >= 'a' && c <= 'f' ? c - 'a' + 10
                     : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                            : 16;
    if (digit >= base) return fail("'{}' is no number: write decimal digits or 0x and hexadecimal ones", text);
    uint64_t carry = digit;
    for (auto& word : words) {
      carry += uint64_t(word) * base;
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    fits &= carry == 0;
  }
  if (bits % 32) fits &= words.back() >> bits % 32 == 0;
  if (!fits) return fail("{} does not fit {} bits", text, bits);
  return words;
}

std::string hex_words(std::span<const uint32_t> words) {
  size_t top = words.size();
  while (top > 1 && words[top - 1] == 0) top--;
  std::string text = fmt::format("{:#x}", top ? words[top - 1] : 0);
  for (size_t i = top; i-- > 1;) text += fmt::format("{:08x}", words[i - 1]);
  return text;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); i++) text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

nlohmann::ordered_json fields_json(std::span<const registers::Field> fields, uint32_t value) {
  auto json = nlohmann::ordered_json::array();
  for (auto& field : fields) {
    uint64_t part = registers::field_value(field, {&value, 1});
    json.push_back({{"name", field.name}, {"high", field.high}, {"low", field.low}, {"value", fmt::format("{:#x}", part)}});
    if (auto name = registers::value_name(field, part); !name.empty()) json.back()["value_name"] = name;
  }
  return json;
}

}  // namespace Atoll::cli
