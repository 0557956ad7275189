#include "registers/batch_walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "registers/dg1.h"
#include "registers/lookup.h"

namespace Atoll::registers {
namespace {

constexpr size_t max_depth = 3;  // PRM volume 2a, MI_BATCH_BUFFER_START: second level batch buffer, and the ring's own
constexpr uint64_t address_mask = (uint64_t(1) << 48) - 1;

bool is(const Command& row, uint32_t match) { return row.match == match; }

}  // namespace

uint64_t command_value(const Field& field, std::span<const uint32_t> words) {
  const uint64_t value = field_value(field, words);
  return field.is_address ? value << field.low % 32 : value;
}

bool BatchWalk::follow(const Command& row, const uint32_t* words, std::vector<Frame>& frames) {
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

void BatchWalk::walk(const std::string& name, uint64_t address, uint64_t dwords, std::string_view engine, const Read& read) {
  begun_ = {address};
  std::vector<Frame> frames{{address, address + dwords * 4}};
  std::vector<uint32_t> words;
  for (uint64_t commands = 0; !frames.empty(); ++commands) {
    const uint64_t at = frames.back().address;
    if (at >= frames.back().end) {
      frames.pop_back();
      continue;
    }
    if (commands == limit_) return problem(name, at, fmt::format("more than {} commands", limit_));
    uint32_t first = 0;
    if (!read(at, &first, 1)) return problem(name, at, "the batch goes on where there is nothing");
    const Command* row = find_command(family_, first, engine);
    if (!row) return problem(name, at, fmt::format("{:#010x} begins no command of the {} engine", first, engine));
    const uint32_t count = row->dwords_of(first);
    words.assign(std::max<size_t>(count, row->dwords), 0);
    if (count > (frames.back().end - at) / 4 || !read(at, words.data(), count))
      return problem(name, at, fmt::format("{} has {} dwords, the batch ends before", row->name, count));
    command(*row, at, std::span(words).first(count), frames.size() - 1);
    frames.back().address = at + uint64_t(count) * 4;
    if (!follow(*row, words.data(), frames)) return problem(name, at, "batches are nested more than three deep");
  }
}

}  // namespace Atoll::registers
