// The registers that a program's driver writes: how often, by which packet and ring, which values, before which draws. Fed with
// packets as they are submitted; several processes' counts add up.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "registers/pm4.h"

namespace Atoll::registers {

// The use of one register, by its address.
struct RegisterUse {
  uint64_t writes = 0;
  uint64_t changes = 0;      // to another value than before, the first write among them
  uint64_t draws = 0;        // draws and dispatches before which it was written, since the one before
  uint64_t before_draw = 0;  // writes before the first draw or dispatch of their submission
  uint64_t first_draw = 0;   // how many had been before the first write
  uint32_t last = 0;         // value
  std::map<std::pair<std::string, std::string>, uint64_t> by;  // writes by packet and ring
  std::map<uint32_t, uint64_t> values;                         // the first max_values of them, with their writes
  uint64_t other_values = 0;                                   // writes of others
};

// The use of one field of a command.
struct FieldUse {
  uint64_t writes = 0;
  uint64_t changes = 0;                 // to another value than before, the first among them
  uint64_t last = 0;                    // value
  std::map<uint64_t, uint64_t> values;  // the first max_values of them, with their writes
  uint64_t other_values = 0;            // writes of others
};

// A draw or dispatch, with what was written since the one before.
struct DrawUse {
  uint64_t submission = 0;
  std::string packet, ring;
  std::vector<std::pair<uint32_t, uint32_t>> writes;  // address and value, in order
};

struct Usage {
  static constexpr size_t max_values = 64, max_draws = 1000, max_draw_writes = 100'000;

  std::string gpu;
  uint64_t processes = 0, submissions = 0, draws = 0, dispatches = 0;
  std::map<uint32_t, RegisterUse> registers;                        // by address in bytes
  std::map<std::pair<std::string, std::string>, uint64_t> packets;  // by name and ring; an unknown one as "opcode 0x7f"
  std::map<std::string, std::map<std::string, FieldUse>> fields;    // of Intel's commands, by command and field
  std::vector<DrawUse> first_draws;          // the first max_draws, while they have no more than max_draw_writes writes together
  std::map<std::string, uint64_t> problems;  // what could not be read
  uint64_t unfinished = 0;                   // processes of which more may follow

  void add(const Usage& other);
};

// Counts packets into a Usage.
class UsageCounter {
public:
  UsageCounter(const Family& family, std::string gpu) : family_(family) { usage_.gpu = std::move(gpu), usage_.processes = 1; }

  void begin_submission(std::string_view ring);
  void packet(const StreamPacket& packet);
  // A command of Intel's (batch_walk.h), and the registers that it loads with what stands in it.
  void command(const Command& row, std::span<const uint32_t> words);
  void problem(const std::string& text) { usage_.problems[text]++; }
  const Usage& usage() const { return usage_; }

private:
  void write(uint32_t address, uint32_t value, const std::string& packet);
  // A draw or dispatch, if it is one: what was written before it.
  void end_draw(const std::string& packet, bool draw, bool dispatch);

  const Family& family_;
  Usage usage_;
  std::string ring_;
  bool drawn_ = false;  // in this submission
  std::set<uint32_t> since_draw_;
  std::vector<std::pair<uint32_t, uint32_t>> writes_since_draw_;
  size_t draw_writes_ = 0;                                                 // kept in first_draws
  std::map<std::string_view, std::optional<uint32_t>> operand_addresses_;  // registers that packets have operands of
};

// The whole of it, and back; add() of what is read gives the same as add() of what was written.
std::string usage_text(const Usage& usage);
Expected<Usage> read_usage(std::string_view text);

// A verdict on public knowledge of the family's drivers (tables.h, DriverState): whether it holds in a usage.
struct Statement {
  const DriverState* state;
  const Register* entry;
  enum class Verdict : uint8_t { Holds, NotReached, Differs } verdict;
  std::string why;  // of Differs and NotReached
};
std::vector<Statement> check_statements(const Family& family, const Usage& usage);

}  // namespace Atoll::registers
