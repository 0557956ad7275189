// Follows a batch of Intel's command streamers command by command, through the batches that it calls and chains to. Reading only;
// batches come from anywhere, so that each is followed once from where it begins, and commands are counted.
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registers/tables.h"

namespace Atoll::registers {

class BatchWalk {
public:
  // Brings dwords of memory; false where they are not there.
  using Read = std::function<bool(uint64_t address, uint32_t* to, uint32_t dwords)>;

  // `commands`: how many a stream may have.
  explicit BatchWalk(const Family& family, uint64_t commands = UINT64_MAX) : family_(family), limit_(commands) {}
  virtual ~BatchWalk() = default;

  // From `address` on, `dwords` at most before it goes elsewhere. `name` is for messages, `engine` "render" or "blitter".
  void walk(const std::string& name, uint64_t address, uint64_t dwords, std::string_view engine, const Read& read);

protected:
  // `words`: those that the command has here. `depth`: 0 in the batch that walk() was given, or one that it chains to.
  virtual void command(const Command& row, uint64_t address, std::span<const uint32_t> words, size_t depth) = 0;
  virtual void problem(const std::string& name, uint64_t address, const std::string& text) = 0;

  const Family& family() const { return family_; }

private:
  struct Frame {
    uint64_t address, end;
  };
  // Sets `frames` to where the stream continues after a command; false: nowhere.
  bool follow(const Command& row, const uint32_t* words, std::vector<Frame>& frames);

  const Family& family_;
  const uint64_t limit_;
  std::set<uint64_t> begun_;  // batches of the stream at hand that were read
};

// Calls visit(field, number, value) for each field of a command that its words have; `number` counts what repeats, -1 for the others.
template <class Visit>
void each_field(const Command& row, std::span<const uint32_t> words, Visit&& visit);

// A field's value; an address with its lowest bits.
uint64_t command_value(const Field& field, std::span<const uint32_t> words);

template <class Visit>
void each_field(const Command& row, std::span<const uint32_t> words, Visit&& visit) {
  for (auto& field : row.fields)
    if (field.low / 32 < words.size()) visit(field, -1, command_value(field, words));
  for (uint32_t n = 0; row.repeat_bits && (row.repeat_first + (n + 1) * row.repeat_bits) / 32 <= words.size(); ++n)
    for (auto& field : row.repeat)
      visit(field, int(n), command_value(field, words.subspan((row.repeat_first + n * row.repeat_bits) / 32)));
}

}  // namespace Atoll::registers
