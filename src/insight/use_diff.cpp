#include "insight/use_diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "registers/batch_walk.h"
#include "registers/lookup.h"

namespace Atoll::insight {
namespace {

struct NamedProgram {
  std::string stage;
  const UsedProgram* program;
};

std::vector<NamedProgram> named_programs(const registers::Family& family, const StateNames& names, const RecordedDraw& draw,
                                         const HeldState& held) {
  const StateNames::ProgramKeys keys = names.program_keys(family);
  uint64_t base = 0;
  if (keys.base)
    if (const auto at = held.find(*keys.base); at != held.end()) base = at->second;
  auto stage_of = [&](const UsedProgram& program) -> std::string {
    if (!program.address) return program.isa;
    for (const uint64_t key : keys.starts) {
      const auto at = held.find(key);
      // (Registers have 32 bits of it, commands all: addresses of both are compared by those that DG1 has, 48.)
      constexpr uint64_t bits = (uint64_t(1) << 48) - 1;
      if (at == held.end() || !at->second) continue;
      if (keys.shift ? uint32_t(program.address >> keys.shift) == at->second
                     : ((base + at->second) & bits) == (program.address & bits))
        return names.name(family, key).name;
    }
    return {};
  };
  std::vector<NamedProgram> found;
  size_t others = 0;
  for (const UsedProgram& program : draw.uses.programs) {
    std::string stage = stage_of(program);
    if (stage.empty()) stage = fmt::format("program {}", others++);
    const auto same =
        std::ranges::count_if(found, [&](const NamedProgram& p) { return p.stage == stage || p.stage.starts_with(stage + " "); });
    if (same) stage += fmt::format(" {}", same);
    found.push_back({std::move(stage), &program});
  }
  return found;
}

void compare_lines(const std::vector<std::string>& a, const std::vector<std::string>& b, ProgramDifference& to) {
  const std::vector<std::string>* both[2] = {&a, &b};
  for (size_t n = 0; n < std::max(a.size(), b.size()); n++) {
    if (n < a.size() && n < b.size() && a[n] == b[n]) continue;
    if (!to.unlike++) {
      to.first = n;
      for (int side = 0; side < 2; side++)
        if (n < both[side]->size()) to.instructions[side] = (*both[side])[n];
    }
  }
}

std::string meaning(const registers::Field& field, uint64_t value) { return std::string(registers::value_name(field, value)); }

void compare_words(const registers::Family& family, const std::string& name, size_t number, std::span<const uint32_t> a,
                   std::span<const uint32_t> b, std::vector<StateDifference>& to) {
  const auto structure =
      std::ranges::find(family.structures, name, [](const registers::Command& row) { return std::string(row.name); });
  if (structure != family.structures.end()) {
    registers::each_field(*structure, a, [&](const registers::Field& field, int, uint64_t one) {
      const uint64_t other = registers::command_value(field, b);
      if (one == other) return;
      StateDifference state;
      state.name = fmt::format("{} {}", name, number);
      state.values[0] = one, state.values[1] = other;
      state.fields.push_back({std::string(field.name), {one, other}, {meaning(field, one), meaning(field, other)}});
      to.push_back(std::move(state));
    });
    return;
  }
  for (size_t n = 0; n < std::max(a.size(), b.size()); n++) {
    StateDifference state;
    if (n < a.size()) state.values[0] = a[n];
    if (n < b.size()) state.values[1] = b[n];
    if (state.values[0] == state.values[1]) continue;
    const std::string word = fmt::format("{}{}", name, n);
    state.name = fmt::format("{} of {}", word, number);
    const auto rows = registers::find_by_name(family, word);
    if (!rows.empty() && n < a.size() && n < b.size())
      for (const registers::Field& field : rows.front().entry->fields) {
        const uint64_t one = registers::field_value(field, a.subspan(n, 1)),
                       other = registers::field_value(field, b.subspan(n, 1));
        if (one != other)
          state.fields.push_back({std::string(field.name), {one, other}, {meaning(field, one), meaning(field, other)}});
      }
    to.push_back(std::move(state));
  }
}

}  // namespace

std::vector<ProgramDifference> compare_programs(const registers::Family& family, const StateNames& names,
                                                const RecordedDraw* const draws[2], const HeldState* const held[2]) {
  std::vector<NamedProgram> programs[2];
  auto hashes = [](const RecordedDraw& draw) {
    std::vector<uint64_t> all;
    for (const UsedProgram& program : draw.uses.programs) all.push_back(program.hash);
    return all;
  };
  if (hashes(*draws[0]) == hashes(*draws[1])) return {};
  for (int side = 0; side < 2; side++) programs[side] = named_programs(family, names, *draws[side], *held[side]);
  std::vector<ProgramDifference> found;
  auto add = [&](const NamedProgram* a, const NamedProgram* b) {
    if (a && b && a->program->hash == b->program->hash) return;
    const NamedProgram* both[2] = {a, b};
    static const std::vector<std::string> nothing;
    ProgramDifference difference;
    difference.stage = (a ? a : b)->stage;
    for (int side = 0; side < 2; side++) {
      if (!both[side]) continue;
      difference.addresses[side] = both[side]->program->address;
      difference.lines[side] = both[side]->program->lines->size();
    }
    compare_lines(a ? *a->program->lines : nothing, b ? *b->program->lines : nothing, difference);
    if (difference.unlike || !a || !b) found.push_back(std::move(difference));
  };
  for (const NamedProgram& one : programs[0]) {
    const auto other = std::ranges::find(programs[1], one.stage, &NamedProgram::stage);
    add(&one, other == programs[1].end() ? nullptr : &*other);
  }
  for (const NamedProgram& other : programs[1])
    if (std::ranges::find(programs[0], other.stage, &NamedProgram::stage) == programs[0].end()) add(nullptr, &other);
  return found;
}

std::vector<StateDifference> compare_structures(const registers::Family& family, const RecordedDraw* const draws[2]) {
  std::map<std::string, std::vector<const std::vector<uint32_t>*>> named[2];
  std::vector<std::string> order;
  for (int side = 0; side < 2; side++)
    for (const UsedStructure& structure : draws[side]->uses.structures) {
      const auto& [name, words] = *structure.words;
      named[side][name].push_back(&words);
      if (std::ranges::find(order, name) == order.end()) order.push_back(name);
    }
  std::vector<StateDifference> found;
  for (const std::string& name : order) {
    const auto &a = named[0][name], &b = named[1][name];
    for (size_t n = 0; n < std::min(a.size(), b.size()); n++)
      if (*a[n] != *b[n]) compare_words(family, name, n, *a[n], *b[n], found);
    if (a.size() == b.size()) continue;
    StateDifference count;
    count.name = fmt::format("different {} in the draw", name);
    count.values[0] = a.size(), count.values[1] = b.size();
    found.push_back(std::move(count));
  }
  return found;
}

}  // namespace Atoll::insight
