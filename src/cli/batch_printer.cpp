#include "cli/batch_printer.h"

#include <algorithm>

#include "cli/verbs.h"
#include "registers/dg1.h"
#include "registers/lookup.h"
#include "registers/stream_text.h"

namespace Atoll::cli {
namespace {

using namespace registers;

constexpr size_t max_depth = 3;
constexpr uint64_t address_mask = (uint64_t(1) << 48) - 1;

uint64_t value_of(const Field& field, std::span<const uint32_t> words) {
  const uint64_t value = field_value(field, words);
  return field.is_address ? value << field.low % 32 : value;
}

bool is(const Command& row, uint32_t match) { return row.match == match; }

}  // namespace

void BatchPrinter::problem(const std::string& name, uint64_t address, const std::string& text) {
  problems_++;
  complain(verb_, fmt::format("{}: {:#x}: {}", name, address, text));
}

void BatchPrinter::print_command(const Command& row, uint64_t address, const uint32_t* words, uint32_t dwords,
                                 size_t depth) const {
  const std::span all(words, dwords);
  // Each field, those of repeats once for each; what lies beyond the words that it came with is left out.
  auto each_field = [&](auto&& visit) {
    for (auto& field : row.fields)
      if (field.low / 32 < dwords) visit(field, "", value_of(field, all));
    for (uint32_t n = 0; row.repeat_bits && (row.repeat_first + (n + 1) * row.repeat_bits) / 32 <= dwords; ++n)
      for (auto& field : row.repeat) {
        const std::span part = all.subspan((row.repeat_first + n * row.repeat_bits) / 32);
        visit(field, fmt::format("[{}] ", n), value_of(field, part));
      }
  };
  if (json_) {
    nlohmann::ordered_json line = context;
    line["address"] = fmt::format("{:#x}", address);
    line["command"] = row.name;
    auto& fields = line["fields"] = nlohmann::ordered_json::object();
    each_field(
        [&](const Field& field, const std::string& before, uint64_t value) { fields[before + std::string(field.name)] = value; });
    auto& raw = line["words"] = nlohmann::ordered_json::array();
    for (uint32_t word : all) raw.push_back(fmt::format("{:#010x}", word));
    fmt::print("{}\n", line.dump());
    return;
  }
  const std::string margin(depth * 2, ' ');
  fmt::print("{}{:#06x}  {:08x} {}{}\n", margin, address, words[0], row.name,
             dwords > 1 ? fmt::format(", {} dwords", dwords) : "");
  each_field([&](const Field& field, const std::string& before, uint64_t value) {
    // What is 0 says nothing, but where 0 has a name.
    if (value || !value_name(field, value).empty()) fmt::print("{}            {}{}\n", margin, before, field_text(field, value));
  });
}

bool BatchPrinter::follow(const Command& row, const uint32_t* words, std::vector<Frame>& frames) {
  using Start = dg1::commands::MI_BATCH_BUFFER_START;
  if (is(row, dg1::commands::MI_BATCH_BUFFER_END::match)) frames.pop_back();
  if (!is(row, Start::match)) return true;
  const bool call = Start::Second_Level_Batch_Buffer::get(words);
  const uint64_t to = Start::Batch_Buffer_Start_Address::get(words) & address_mask;
  if (!call) frames.pop_back();
  if (frames.size() >= max_depth) return false;
  if (begun_.insert(to).second) frames.push_back({to, UINT64_MAX});
  return true;
}

void BatchPrinter::print(const std::string& name, uint64_t address, uint64_t dwords, std::string_view engine, const Read& read) {
  begun_ = {address};
  std::vector<Frame> frames{{address, address + dwords * 4}};
  std::vector<uint32_t> words;
  while (!frames.empty()) {
    const uint64_t at = frames.back().address;
    if (at >= frames.back().end) {
      frames.pop_back();
      continue;
    }
    uint32_t first = 0;
    if (!read(at, &first, 1)) return problem(name, at, "the batch goes on where there is nothing");
    const Command* row = find_command(family_, first, engine);
    if (!row) return problem(name, at, fmt::format("{:#010x} begins no command of the {} engine", first, engine));
    const uint32_t count = row->dwords_of(first);
    words.assign(std::max<size_t>(count, row->dwords), 0);
    if (count > (frames.back().end - at) / 4 || !read(at, words.data(), count))
      return problem(name, at, fmt::format("{} has {} dwords, the batch ends before", row->name, count));
    print_command(*row, at, words.data(), count, frames.size() - 1);
    commands_++;
    frames.back().address = at + uint64_t(count) * 4;
    if (!follow(*row, words.data(), frames)) return problem(name, at, "batches are nested more than three deep");
  }
}

bool BatchPrinter::summarise() const {
  if (problems_)
    complain(verb_, fmt::format("{} command{}, {} problem{}", commands_, commands_ == 1 ? "" : "s", problems_,
                                problems_ == 1 ? "" : "s"));
  return problems_ == 0;
}

}  // namespace Atoll::cli
