#include "registers/usage.h"

#include <algorithm>

#include "registers/batch_walk.h"
#include "registers/dg1.h"

namespace Atoll::registers {
namespace {

bool dispatches(std::string_view packet) { return packet.starts_with("DISPATCH_"); }
bool draws(std::string_view packet) {
  return (packet.starts_with("DRAW_") && packet != "DRAW_PREAMBLE") || packet.starts_with("3D_DRAW_");
}

template <class Key>
void add_counts(std::map<Key, uint64_t>& to, const std::map<Key, uint64_t>& from) {
  for (auto& [key, count] : from) to[key] += count;
}

template <class Use, class Value>
void count_value(Use& use, Value value, uint64_t writes) {
  if (auto found = use.values.find(value); found != use.values.end())
    found->second += writes;
  else if (use.values.size() < Usage::max_values)
    use.values[value] = writes;
  else
    use.other_values += writes;
}

size_t kept_writes(const std::vector<DrawUse>& draws) {
  size_t sum = 0;
  for (auto& d : draws) sum += d.writes.size();
  return sum;
}

}  // namespace

void Usage::add(const Usage& other) {
  if (gpu.empty()) gpu = other.gpu;
  for (auto& [address, theirs] : other.registers) {
    auto [at, fresh] = registers.try_emplace(address);
    RegisterUse& ours = at->second;
    ours.first_draw = fresh ? draws + dispatches + theirs.first_draw : ours.first_draw;
    ours.writes += theirs.writes, ours.changes += theirs.changes;
    ours.draws += theirs.draws, ours.before_draw += theirs.before_draw;
    ours.last = theirs.last;
    add_counts(ours.by, theirs.by);
    for (auto& [value, writes] : theirs.values) count_value(ours, value, writes);
    ours.other_values += theirs.other_values;
  }
  for (auto& [command, theirs] : other.fields)
    for (auto& [name, field] : theirs) {
      FieldUse& ours = fields[command][name];
      ours.writes += field.writes, ours.changes += field.changes;
      ours.last = field.last;
      for (auto& [value, writes] : field.values) count_value(ours, value, writes);
      ours.other_values += field.other_values;
    }
  add_counts(packets, other.packets);
  add_counts(problems, other.problems);
  size_t kept = kept_writes(first_draws);
  bool whole = first_draws.size() == draws + dispatches;  // what follows comes next
  for (auto& d : other.first_draws) {
    if (!whole || first_draws.size() == max_draws || kept + d.writes.size() > max_draw_writes) break;
    kept += d.writes.size();
    first_draws.push_back(d);
    first_draws.back().submission += submissions;
  }
  unfinished += other.unfinished;
  processes += other.processes, submissions += other.submissions;
  draws += other.draws, dispatches += other.dispatches;
}

void UsageCounter::begin_submission(std::string_view ring) {
  ring_ = ring;
  drawn_ = false;
  usage_.submissions++;
}

void UsageCounter::packet(const StreamPacket& packet) {
  std::string name(packet.name());
  if (name.empty()) name = fmt::format("opcode {:#04x}", packet.opcode);
  usage_.packets[{name, ring_}]++;
  for (auto& w : packet.writes) write(w.address, w.value, name);
  for (auto& operand : packet.operands) {
    auto [at, fresh] = operand_addresses_.try_emplace(operand.name);
    if (fresh)
      if (auto named = find_by_name(family_, operand.name); named.size() == 1) at->second = named[0].address();
    if (const std::optional<uint32_t> address = at->second) write(*address, operand.value, name);
  }
  end_draw(name, draws(name), dispatches(name));
}

void UsageCounter::command(const Command& row, std::span<const uint32_t> words) {
  using Load = dg1::commands::MI_LOAD_REGISTER_IMM;
  std::string name(row.name);
  usage_.packets[{name, ring_}]++;
  auto& fields = usage_.fields[name];
  each_field(row, words, [&](const Field& field, int, uint64_t value) {
    auto [at, fresh] = fields.try_emplace(std::string(field.name));
    FieldUse& use = at->second;
    use.writes++;
    use.changes += fresh || use.last != value;
    use.last = value;
    count_value(use, value, 1);
  });
  if (row.match == Load::match) {
    // Offsets count from the engine's own registers where the command says so (Mesa src/intel/genxml, PRM volume 2a).
    const uint32_t base = !Load::Add_CS_MMIO_Start_Offset::is_set(words.data()) ? 0 : ring_ == "copy" ? 0x22000 : 0x2000;
    for (size_t i = 1; i + 1 < words.size(); i += 2) write(base + (words[i] & 0x7ffffc), words[i + 1], name);
  }
  end_draw(name, name == "3DPRIMITIVE", name == "GPGPU_WALKER");
}

void UsageCounter::end_draw(const std::string& name, bool draw, bool dispatch) {
  if (!draw && !dispatch) return;
  size_t before = usage_.draws + usage_.dispatches;
  if (usage_.first_draws.size() == before && before < Usage::max_draws &&
      draw_writes_ + writes_since_draw_.size() <= Usage::max_draw_writes) {
    draw_writes_ += writes_since_draw_.size();
    usage_.first_draws.push_back({usage_.submissions - 1, name, ring_, std::move(writes_since_draw_)});
  }
  writes_since_draw_.clear();
  since_draw_.clear();
  drawn_ = true;
  (draw ? usage_.draws : usage_.dispatches)++;
}

void UsageCounter::write(uint32_t address, uint32_t value, const std::string& packet) {
  uint64_t before = usage_.draws + usage_.dispatches;
  auto [at, fresh] = usage_.registers.try_emplace(address);
  RegisterUse& use = at->second;
  if (fresh) use.first_draw = before;
  use.writes++;
  use.changes += fresh || use.last != value;
  use.last = value;
  use.before_draw += !drawn_;
  use.by[{packet, ring_}]++;
  count_value(use, value, 1);
  if (since_draw_.insert(address).second) use.draws++;
  if (usage_.first_draws.size() == before && writes_since_draw_.size() <= Usage::max_draw_writes)
    writes_since_draw_.emplace_back(address, value);
}

std::vector<Statement> check_statements(const Family& family, const Usage& usage) {
  using Moment = DriverState::Moment;
  using Verdict = Statement::Verdict;
  std::vector<Statement> statements;
  for (auto& state : family.driver_states) {
    for (uint32_t number : state.registers) {
      const Register& entry = family.registers[number];
      RegisterUse use;  // of all its instances and addresses
      for (auto& [address, one] : usage.registers)
        for (auto& place : find_by_address(family, address)) {
          if (place.entry != &entry) continue;
          use.writes += one.writes, use.before_draw += one.before_draw;
          add_counts(use.by, one.by);
          break;
        }
      Statement s{&state, &entry, Verdict::Holds, {}};
      std::string packets;
      bool others = false;
      for (auto& [by, writes] : use.by) {
        if (packets.find(by.first) == std::string::npos) packets += (packets.empty() ? "" : ", ") + by.first;
        others |= by.first != state.packet;
      }
      if (state.moment == Moment::Never) {
        if (use.writes) s.verdict = Verdict::Differs, s.why = fmt::format("written {} times, by {}", use.writes, packets);
      } else if (!use.writes) {
        s.verdict = Verdict::NotReached, s.why = "not written";
      } else if (!state.packet.empty() && others) {
        s.verdict = Verdict::Differs, s.why = fmt::format("written by {}, not by {} alone", packets, state.packet);
      } else if (state.moment == Moment::Start && use.before_draw != use.writes) {
        s.verdict = Verdict::Differs;
        s.why = fmt::format("{} of {} writes stand behind the first draw of their submission", use.writes - use.before_draw,
                            use.writes);
      }
      statements.push_back(std::move(s));
    }
  }
  return statements;
}

}  // namespace Atoll::registers
