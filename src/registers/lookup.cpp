#include "registers/lookup.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace Atoll::registers {
namespace {

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool digit(char c) { return c >= '0' && c <= '9'; }

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  std::transform(capitals.begin(), capitals.end(), capitals.begin(), upper);
  return capitals;
}

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return upper(x) == upper(y); });
}

const Register* entry_of_key(const Family& family, std::string_view key) {
  auto at = std::lower_bound(family.names.begin(), family.names.end(), key,
                             [](const NameKey& row, std::string_view k) { return row.key < k; });
  return at != family.names.end() && at->key == key ? &family.registers[at->register_number] : nullptr;
}

// The instance that an index text names.
std::optional<unsigned> instance_of(const Register& entry, std::string_view index) {
  if (!entry.indices.empty()) {
    auto at = std::find(entry.indices.begin(), entry.indices.end(), index);
    if (at == entry.indices.end()) return std::nullopt;
    return static_cast<unsigned>(at - entry.indices.begin());
  }
  unsigned number = 0;
  auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), number);
  if (error != std::errc() || end != index.data() + index.size() || (index.size() > 1 && index[0] == '0')) return std::nullopt;
  if (number < entry.first || number - entry.first >= entry.count) return std::nullopt;
  return number - entry.first;
}

std::vector<Instance> instances_of(const Register& entry) {
  std::vector<Instance> all;
  all.reserve(entry.count);
  for (unsigned i = 0; i < entry.count; i++) all.push_back({&entry, i});
  return all;
}

// How many letters must be put in, left out, replaced or swapped with the next (optimal string alignment).
size_t distance(std::string_view a, std::string_view b, std::vector<size_t>& room) {
  size_t width = b.size() + 1;
  room.assign(3 * width, 0);
  size_t *before = room.data(), *last = before + width, *row = last + width;
  for (size_t j = 0; j < width; j++) last[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    row[0] = i;
    for (size_t j = 1; j < width; j++) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    size_t* free = before;
    before = last, last = row, row = free;
  }
  return last[b.size()];
}

class Nearest {
public:
  Nearest(std::string_view name, size_t count) : name_(in_capitals(name)), count_(count) {}

  void offer(std::string candidate) {
    std::string capitals = in_capitals(candidate);
    size_t cost = distance(name_, capitals, room_);
    // A part of a name is nearer than as many other letters.
    if (name_.size() > 2 && capitals.find(name_) != std::string::npos) cost = (cost + 2) / 3;
    best_.emplace(cost, std::move(candidate));
    if (best_.size() > count_) best_.erase(std::prev(best_.end()));
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    names.reserve(best_.size());
    for (auto& [cost, name] : best_) names.push_back(name);
    return names;
  }

private:
  std::string name_;
  size_t count_;
  std::set<std::pair<size_t, std::string>> best_;
  std::vector<size_t> room_;
};

}  // namespace

std::span<const Family* const> all_families() {
  static constexpr const Family* families[] = {&sea_islands_tables, &r5xx_tables, &dg1_tables, &gfx12_tables};
  return families;
}

const Family* find_family(std::string_view name) {
  for (auto* family : all_families())
    if (same(family->name, name)) return family;
  return nullptr;
}

std::string Instance::name() const {
  if (!entry->repeated) return std::string(entry->name);
  std::string name(entry->prefix);
  if (entry->indices.empty())
    name += std::to_string(entry->first + instance);
  else
    name += entry->indices[instance];
  return name.append(entry->suffix);
}

std::optional<uint32_t> Instance::address() const {
  if (!entry->has_address) return std::nullopt;
  if (!entry->addresses.empty()) return entry->addresses[instance];
  return (alias ? entry->aliases[alias - 1] : entry->address) + entry->stride * instance;
}

std::vector<Instance> find_by_name(const Family& family, std::string_view name) {
  std::string key = in_capitals(name);
  if (auto* entry = entry_of_key(family, key)) return instances_of(*entry);
  for (auto& entry : family.registers) {
    if (!entry.repeated) continue;
    std::string bare(entry.prefix);  // without the index, as the accessors are called
    if (bare.ends_with('_')) bare.pop_back();
    if (same(entry.name, name) || same(bare.append(entry.suffix), name)) return instances_of(entry);
  }
  // Any of the numbers in the name may be the index.
  for (size_t start = 0; start < key.size(); start++) {
    if (!digit(key[start]) || (start > 0 && digit(key[start - 1]))) continue;
    size_t end = start;
    while (end < key.size() && digit(key[end])) end++;
    bool bracketed = start > 0 && key[start - 1] == '[' && end < key.size() && key[end] == ']';
    // The prefix may end in a digit of its own (CB_COLOR0 and 1): try every cut.
    for (size_t first = start; first < end; first++) {
      size_t head = bracketed ? start - 1 : first, tail = bracketed ? end + 1 : end;
      for (size_t last = end; last > first; last--) {
        if (!bracketed) tail = last;
        auto* entry = entry_of_key(family, key.substr(0, head) + "[]" + key.substr(tail));
        if (!entry) continue;
        if (auto instance = instance_of(*entry, std::string_view(key).substr(first, last - first))) return {{entry, *instance}};
      }
      if (bracketed) break;
    }
  }
  return {};
}

std::vector<Instance> find_by_address(const Family& family, uint32_t address) {
  auto [from, to] = std::equal_range(family.places.begin(), family.places.end(), Place{address, 0, 0, 0},
                                     [](const Place& a, const Place& b) { return a.address < b.address; });
  std::vector<Instance> found;
  for (auto place = from; place != to; ++place)
    found.push_back({&family.registers[place->register_number], place->instance, place->alias});
  return found;
}

std::vector<std::string> nearest_registers(const Family& family, std::string_view name, size_t count) {
  Nearest nearest(name.substr(0, 64), count);
  for (auto& entry : family.registers) {
    Nearest best(name.substr(0, 64), 1);  // one of an entry's instances is enough
    for (auto& instance : instances_of(entry)) best.offer(instance.name());
    for (auto& instance : best.names()) nearest.offer(instance);
  }
  return nearest.names();
}

std::vector<std::string> nearest_enumerations(const Family& family, std::string_view name, size_t count) {
  Nearest nearest(name.substr(0, 64), count);
  for (auto& enumeration : family.enumerations) nearest.offer(std::string(enumeration.name));
  return nearest.names();
}

std::vector<Instance> nearest_addresses(const Family& family, uint32_t address) {
  std::vector<Instance> found;
  auto after = std::lower_bound(family.places.begin(), family.places.end(), address,
                                [](const Place& place, uint32_t a) { return place.address < a; });
  if (after != family.places.begin()) found.push_back(find_by_address(family, std::prev(after)->address).front());
  if (after != family.places.end()) found.push_back(find_by_address(family, after->address).front());
  return found;
}

uint64_t field_value(const Field& field, std::span<const uint32_t> words) {
  uint64_t value = 0;
  for (unsigned bit = field.low; bit <= field.high;) {
    unsigned taken = std::min<unsigned>(32 - bit % 32, field.high + 1 - bit);
    uint64_t word = bit / 32 < words.size() ? words[bit / 32] : 0;
    value |= (word >> bit % 32 & ((uint64_t(1) << taken) - 1)) << (bit - field.low);
    bit += taken;
  }
  return value;
}

std::string_view value_name(std::span<const NamedValue> values, uint64_t value) {
  auto after =
      std::upper_bound(values.begin(), values.end(), value, [](uint64_t v, const NamedValue& row) { return v < row.first; });
  if (after == values.begin()) return {};
  const NamedValue& row = *std::prev(after);
  return value <= row.last ? row.name : std::string_view();
}

std::string_view value_name(const Field& field, uint64_t value) {
  auto name = value_name(field.values, value);
  return name.empty() ? value_name(field.public_values, value) : name;
}

const Packet* find_packet(const Family& family, uint32_t opcode, std::string_view engine) {
  auto at = std::lower_bound(family.packets.begin(), family.packets.end(), opcode,
                             [](const Packet& p, uint32_t o) { return p.opcode < o; });
  return at != family.packets.end() && at->opcode == opcode && at->engine == engine ? &*at : nullptr;
}

const Command* find_command(const Family& family, uint32_t first, std::string_view engine) {
  auto found = std::ranges::find_if(family.commands, [&](const Command& command) {
    return (first & command.mask) == command.match && (engine.empty() || command.engine.empty() || command.engine == engine);
  });
  return found == family.commands.end() ? nullptr : &*found;
}

const EnumerationState* find_state(const Family& family, const Enumeration& enumeration, uint32_t value) {
  const size_t number = size_t(&enumeration - family.enumerations.data());
  auto found = std::ranges::find_if(family.enumeration_states, [&](const EnumerationState& row) {
    return row.enumeration == number && (row.whole || row.value == value);
  });
  return found == family.enumeration_states.end() ? nullptr : &*found;
}

const Enumeration* find_enumeration(const Family& family, std::string_view name) {
  for (auto& enumeration : family.enumerations) {
    if (same(enumeration.name, name)) return &enumeration;
    for (auto alias : enumeration.aliases)
      if (same(alias, name)) return &enumeration;
  }
  return nullptr;
}

std::string_view access_name(Access access) {
  switch (access) {
    case Access::Read: return "R";
    case Access::Write: return "W";
    case Access::ReadWrite: return "RW";
  }
  return "";
}

}  // namespace Atoll::registers
