#include "pm4_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace Atoll::ledger {

namespace {

constexpr uint32_t memory_bytes = 1 << 20, command_bytes = 1 << 16;

// The values that the family's first packets and the chip's reset leave in every register.
const std::map<uint32_t, uint32_t>& reset_values(const Pm4Family& family) {
  static std::map<const Pm4Family*, std::map<uint32_t, uint32_t>> known;
  auto [at, fresh] = known.try_emplace(&family);
  if (!fresh) return at->second;
  auto space = *AddressSpace::create();
  auto device = *family.make_device(*gpu::find_chip(family.chip), {.engine = gpu::Engine::Interpreter, .threads = 1});
  auto queue = *device->make_queue(gpu::QueueKind::graphics, *space);
  Buffer out = *space->allocate(0x10000), in = *space->allocate(0x40000);
  Packets p(family);
  p.insert(p.end(), family.from_reset.begin(), family.from_reset.end());
  std::vector<uint32_t> addresses;
  for (registers::FieldNumber f : registers::manual_fields(family.tables)) {
    const registers::FieldOwner owner = registers::field_owner(family.tables, f.register_number);
    for (unsigned n = 0; f.field == 0 && owner.reg && n < owner.reg->count; n++)
      if (auto place = registers::Instance{owner.reg, n}.address()) addresses.push_back(*place);
  }
  EXPECT_LE(addresses.size() * 4, out.bytes);
  for (size_t n = 0; n < addresses.size(); n++) p.store(addresses[n], out.gpu_address + n * 4);
  EXPECT_LE(p.size() * 4, in.bytes);
  std::memcpy(in.host_pointer, p.data(), p.size() * 4);
  gpu::CommandBuffer buffer{in.gpu_address, uint32_t(p.size())};
  EXPECT_TRUE(queue->run({&buffer, 1}));
  for (size_t n = 0; n < addresses.size(); n++) at->second[addresses[n]] = reinterpret_cast<uint32_t*>(out.host_pointer)[n];
  return at->second;
}

}  // namespace

Packets& Packets::set(uint32_t address, uint32_t value) {
  for (const Pm4Family::Range& r : family->ranges)
    if (address >= r.first && address < r.end) return packet(r.opcode, {(address - r.first) / 4, value});
  push_back(address / 4);  // a packet of type 0
  push_back(value);
  return *this;
}

Packets& Packets::store(uint32_t address, uint64_t to) {
  return packet(family->copy_data, {5u << 8, address / 4, 0, uint32_t(to), uint32_t(to >> 32)});
}

Pm4Scene::Pm4Scene(const Pm4Family& family, std::string name, gpu::QueueKind kind)
    : Scene(std::move(name)),
      stream(family),
      family_(family),
      kind_(kind),
      space_(*AddressSpace::create()),
      device_(device(false)),
      memory_(*space_->allocate(memory_bytes + 0x10000, 4096)),
      commands_(*space_->allocate(command_bytes, 4096)) {
  // At a multiple of 64 KiB, as large tiles need it.
  uint64_t past = (0x10000 - memory_.gpu_address % 0x10000) % 0x10000;
  memory_.gpu_address += past, memory_.host_pointer += past;
}

std::unique_ptr<gpu::Device> Pm4Scene::device(bool strict) const {
  return *family_.make_device(
      *gpu::find_chip(family_.chip),
      {.engine = gpu::Engine::Interpreter, .threads = 1, .strict = strict, .deterministic = true, .max_still_seconds = 3});
}

uint64_t Pm4Scene::take(uint32_t bytes, uint32_t align) {
  used_ = (used_ + align - 1) / align * align;
  uint64_t address = memory_.gpu_address + used_;
  used_ += bytes;
  EXPECT_LE(used_, memory_bytes) << name;
  return address;
}

uint64_t Pm4Scene::program(const std::vector<std::string>& lines) {
  std::vector<uint32_t> code;
  for (const std::string& line : lines) {
    const std::vector<uint32_t> encoded = family_.encode(line, name);
    code.insert(code.end(), encoded.begin(), encoded.end());
  }
  uint64_t address = take(uint32_t(code.size() * 4));
  std::memcpy(words(address), code.data(), code.size() * 4);
  return address;
}

void Pm4Scene::descriptor(std::string_view first_word, uint64_t address, const std::vector<uint32_t>& content) {
  std::memcpy(words(address), content.data(), content.size() * 4);
  auto found = registers::find_by_name(family_.tables, first_word);
  ASSERT_EQ(found.size(), 1u) << first_word;
  unsigned first = unsigned(found[0].entry - family_.tables.registers.data());
  for (unsigned n = 0; n < content.size(); n++) descriptors_.push_back({first + n, address + n * 4});
}

void Pm4Scene::finish() {
  used_ = (used_ + 255) / 256 * 256;
  before_.assign(memory_.host_pointer, memory_.host_pointer + used_);
  unchanged_ = run(stream);
  EXPECT_FALSE(unchanged_.lost) << name << ": " << unchanged_.report;
  after_.assign(memory_.host_pointer, memory_.host_pointer + used_);
  // It is the same each time, and does something.
  std::memcpy(memory_.host_pointer, before_.data(), used_);
  run(stream);
  EXPECT_EQ(std::memcmp(after_.data(), memory_.host_pointer, used_), 0) << name << " is not the same each time";
  EXPECT_NE(after_, before_) << name;
}

Pm4Scene::Outcome Pm4Scene::run(const std::vector<uint32_t>& words) {
  auto queue = *device_->make_queue(kind_, *space_);
  EXPECT_LE(words.size() * 4, command_bytes) << name;
  std::memcpy(commands_.host_pointer, words.data(), words.size() * 4);
  gpu::CommandBuffer buffer{commands_.gpu_address, uint32_t(words.size())};
  auto done = queue->run({&buffer, 1});
  for (auto& u : queue->statistics().unknown)
    if (before_.empty() || after_.empty()) ADD_FAILURE() << name << ": " << u.what << " at " << u.where;
  return {!done, done ? "" : done.error().message};
}

// The scene's stream with the change before all that does something, and in packets that have the register among their words.
std::vector<uint32_t> Pm4Scene::changed(const std::vector<uint32_t>& stream, const Change& change, Repeats repeats) const {
  Packets out(family_);
  const auto& resets = reset_values(family_);
  auto reset = resets.find(change.address);
  uint32_t current = reset == resets.end() ? 0 : reset->second;
  auto starts_work = [&](uint32_t address) { return std::ranges::count(family_.starts_work, address) != 0; };
  size_t at = 0;
  if (std::ranges::equal(stream.begin(), stream.begin() + long(std::min(stream.size(), family_.from_reset.size())),
                         family_.from_reset.begin(), family_.from_reset.end()))
    at = family_.from_reset.size(), out.insert(out.end(), family_.from_reset.begin(), family_.from_reset.end());
  while (at < stream.size()) {
    const uint32_t header = stream[at], opcode = header >> 30 == 3 ? header >> 8 & 0xff : family_.ranges.front().opcode;
    const size_t count = (header >> 16 & 0x3fff) + 2;
    std::vector<uint32_t> packet(stream.begin() + long(at), stream.begin() + long(at + count));
    at += count;
    bool reads = opcode == family_.copy_data && (packet[1] & 15) == 0 && packet[2] == change.address / 4;
    if (reads) continue;  // the register itself
    const Pm4Family::Range* sets = family_.sets(opcode);
    bool acts = !sets;
    for (size_t n = 2; sets && n < packet.size(); n++) {
      const uint32_t address = sets->first + (packet[1] + uint32_t(n) - 2) * 4;
      acts |= starts_work(address);
      if (address != change.address) continue;
      current = packet[n];
      if (starts_work(address)) packet[n] = change.applied(packet[n]);
    }
    if (repeats != Repeats::none && std::ranges::count(family_.draws, opcode)) {
      out.insert(out.end(), packet.begin(), packet.end());
      // A register that no draw reads has another value for a moment.
      if (repeats == Repeats::apart) out.set(family_.no_draw_reads, 1).set(family_.no_draw_reads, 0);
    }
    if (acts) {
      if (change.address && !starts_work(change.address)) out.set(change.address, change.applied(current));
      if (auto* p = registers::find_packet(family_.tables, opcode))
        for (size_t n = 0; n < p->words.size() && n + 1 < packet.size(); n++)
          if (p->words[n].register_number == int(change.register_number))
            current = packet[n + 1], packet[n + 1] = change.applied(packet[n + 1]);
    }
    out.insert(out.end(), packet.begin(), packet.end());
  }
  return out;
}

bool Pm4Scene::change_descriptors(const Change& change) {
  bool any = false;
  for (const Descriptor& d : descriptors_)
    if (d.register_number == change.register_number) *words(d.address) = change.applied(*words(d.address)), any = true;
  return any;
}

std::vector<std::string> Pm4Scene::unknown(const Changes& changes, bool strict) {
  std::memcpy(memory_.host_pointer, before_.data(), used_);
  std::vector<uint32_t> code = stream;
  for (const Change& change : changes) {
    if (change.address)
      code = changed(code, change);
    else if (!change_descriptors(change))
      return {};
  }
  if (!strict_device_) strict_device_ = device(true);
  auto queue = *(strict ? strict_device_ : device_)->make_queue(kind_, *space_);
  std::memcpy(commands_.host_pointer, code.data(), code.size() * 4);
  gpu::CommandBuffer buffer{commands_.gpu_address, uint32_t(code.size())};
  auto done = queue->run({&buffer, 1});
  std::vector<std::string> all;
  if (strict && !done && done.error().message.find("(--strict)") != std::string::npos) all.push_back(done.error().message);
  if (!strict)
    for (auto& u : queue->statistics().unknown) all.push_back(u.what);
  return all;
}

bool Pm4Scene::keeps_old_state(const Change& change) {
  if (!change.address) return false;  // of memory: descriptors
  std::vector<uint8_t> memory[2];
  bool lost[2];
  for (bool forgets : {false, true}) {
    std::memcpy(memory_.host_pointer, before_.data(), used_);
    lost[forgets] = run(changed(stream, change, forgets ? Repeats::apart : Repeats::twice)).lost;
    memory[forgets].assign(memory_.host_pointer, memory_.host_pointer + used_);
  }
  return memory[0] != memory[1] || lost[0] != lost[1];
}

bool Pm4Scene::differs(const Change& change) {
  std::memcpy(memory_.host_pointer, before_.data(), used_);
  if (!change.address && !change_descriptors(change)) return false;
  std::vector<uint8_t> patched;
  if (!change.address) patched.assign(memory_.host_pointer, memory_.host_pointer + used_);
  Outcome outcome = run(change.address ? changed(stream, change) : stream);
  if (outcome.lost != unchanged_.lost) return true;
  if (change.address) return std::memcmp(after_.data(), memory_.host_pointer, used_) != 0;
  // The descriptor's own words do not count.
  for (const Descriptor& d : descriptors_) {
    size_t offset = d.address - memory_.gpu_address;
    if (std::memcmp(memory_.host_pointer + offset, patched.data() + offset, 4) == 0)
      std::memcpy(memory_.host_pointer + offset, after_.data() + offset, 4);
  }
  return std::memcmp(after_.data(), memory_.host_pointer, used_) != 0;
}

}  // namespace Atoll::ledger
