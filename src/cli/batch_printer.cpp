#include "cli/batch_printer.h"

#include "cli/verbs.h"
#include "registers/lookup.h"
#include "registers/stream_text.h"

namespace Atoll::cli {

using namespace registers;

void BatchPrinter::problem(const std::string& name, uint64_t address, const std::string& text) {
  problems_++;
  complain(verb_, fmt::format("{}: {:#x}: {}", name, address, text));
}

void BatchPrinter::command(const Command& row, uint64_t address, std::span<const uint32_t> words, size_t depth) {
  commands_++;
  auto before = [](int number) { return number < 0 ? std::string() : fmt::format("[{}] ", number); };
  if (json_) {
    nlohmann::ordered_json line = context;
    line["address"] = fmt::format("{:#x}", address);
    line["command"] = row.name;
    auto& fields = line["fields"] = nlohmann::ordered_json::object();
    each_field(row, words,
               [&](const Field& field, int number, uint64_t value) { fields[before(number) + std::string(field.name)] = value; });
    auto& raw = line["words"] = nlohmann::ordered_json::array();
    for (uint32_t word : words) raw.push_back(fmt::format("{:#010x}", word));
    fmt::print("{}\n", line.dump());
    return;
  }
  const std::string margin(depth * 2, ' ');
  fmt::print("{}{:#06x}  {:08x} {}{}\n", margin, address, words[0], row.name,
             words.size() > 1 ? fmt::format(", {} dwords", words.size()) : "");
  each_field(row, words, [&](const Field& field, int number, uint64_t value) {
    // Zeros say nothing, unless 0 has a name.
    if (value || !value_name(field, value).empty())
      fmt::print("{}            {}{}\n", margin, before(number), field_text(field, value));
  });
}

bool BatchPrinter::summarise() const {
  if (problems_)
    complain(verb_, fmt::format("{} command{}, {} problem{}", commands_, commands_ == 1 ? "" : "s", problems_,
                                problems_ == 1 ? "" : "s"));
  return problems_ == 0;
}

}  // namespace Atoll::cli
