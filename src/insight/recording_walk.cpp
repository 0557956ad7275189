#include "insight/recording_walk.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <functional>

#include "gpu/device/reports.h"
#include "insight/hash.h"
#include "pipeline/pixel_watch.h"
#include "registers/batch_walk.h"
#include "registers/lookup.h"
#include "registers/pm4.h"
#include "trace/player.h"
#include "trace/submitted_streams.h"

namespace Atoll::insight {
namespace {

constexpr uint64_t named = uint64_t(1) << 63;
constexpr size_t most_packet_words = 256;
constexpr uint32_t longest_packet = 1 << 14;  // dwords: what a PM4 header can say

class Collector {
public:
  Collector(const std::string& file, const gpu::Options& gpu, StateNames& names) : file_(file), names_(names) {
    watch_.x = watch_.y = INT_MAX;
    watch_.active = true;
    watch_.ended = [this](const pipeline::WatchedDraw& draw) { targets_ = draw.targets, drew_ = true; };
    options_.gpu = gpu;
    options_.gpu.deterministic = true;
    options_.gpu.pixel_watch = &watch_;
    options_.gpu.before_packet = [this](const gpu::PacketPlace& place) { take_packet(place); };
    options_.gpu.uses = &collector_.uses();
    options_.left = [this](uint64_t page, bool same) {
      if (same) take_left(page);  // (What does not come out as it was recorded, times, would differ from itself.)
    };
    options_.drawn = [this](uint64_t draw) { end_draw(draw); };
    options_.wrote = [this](uint64_t first, uint64_t pages) { written_.push_back({first, pages}); };
    options_.before_submission = [this](uint64_t submission, uint64_t queue, gpu::QueueKind kind) {
      submission_ = submission, queue_ = queue, kind_ = kind;
      state_ = &states_[queue];
      space_ = cursor_->space_of_queue(queue);
      walk_.submissions.emplace_back();
      keep_uploads();
    };
  }

  Expected<RecordedWalk> run() {
    auto cursor = trace::Cursor::open(file_, options_);
    if (!cursor) return std::unexpected(cursor.error());
    cursor_ = cursor->get();
    for (;;) {
      auto more = cursor_->next();
      if (!more) return std::unexpected(more.error());
      if (!*more) break;
      if (writes_ > RecordedWalk::most_writes)
        return fail("{}: its packets set more than {} values up to submission {}: too many to compare", file_,
                    RecordedWalk::most_writes, submission_);
    }
    walk_.ending = cursor_->ending();
    walk_.gpu = cursor_->result().gpu;
    walk_.lost = cursor_->result().lost;
    if (walk_.gpu.empty()) return fail("{} {}", file_, walk_.ending.whole() ? "names no GPU" : walk_.ending.text());
    walk_.family = trace::stream_family(walk_.gpu);
    if (!walk_.family) return fail("{} is of {}, whose commands cannot be read", file_, walk_.gpu);
    return std::move(walk_);
  }

private:
  const std::string& file_;
  StateNames& names_;
  trace::PlayOptions options_;
  pipeline::PixelWatch watch_;
  UseCollector collector_;
  trace::Cursor* cursor_ = nullptr;
  RecordedWalk walk_;
  const AddressSpace* space_ = nullptr;
  std::vector<AddressSpace::Part> parts_;  // of it, by their place in the memory file
  gpu::QueueKind kind_ = gpu::QueueKind::graphics;
  uint64_t submission_ = 0, queue_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> written_;  // pages of the memory file
  size_t page_bytes_kept_ = 0, writes_ = 0;
  // Writes since the queue's last draw, and how often a register was written since then.
  struct Writes {
    std::vector<std::pair<uint64_t, uint64_t>> since;
    std::unordered_map<uint32_t, uint64_t> times;
    std::unordered_map<const registers::Command*, uint64_t> commands;
  };
  std::map<uint64_t, Writes> states_;  // by queue
  Writes* state_ = nullptr;            // of the submission at hand
  std::vector<pipeline::WatchedTarget> targets_;
  bool drew_ = false;
  std::string packet_;
  uint64_t packet_address_ = 0;

  std::vector<uint32_t> words(uint64_t address, uint32_t dwords) const {
    std::vector<uint32_t> found;
    for (const AddressSpace::Part& part : space_->mapped_parts(address, uint64_t(dwords) * 4)) {
      const uint64_t begin = address + found.size() * 4;
      if (part.gpu_address > begin || found.size() == dwords) break;
      const size_t count = std::min<uint64_t>(dwords - found.size(), (part.gpu_address + part.bytes - begin) / 4);
      found.resize(found.size() + count);
      std::memcpy(found.data() + found.size() - count, space_->host(begin), count * 4);
    }
    return found;
  }

  void set(uint64_t key, uint64_t value) {
    state_->since.emplace_back(key, value);
    writes_++;
  }

  void take_packet(const gpu::PacketPlace& place) {
    packet_ = place.packet_digits ? fmt::format("{} {:#0{}x}", place.packet, place.packet_number, place.packet_digits + 2)
                                  : std::string(place.packet);
    packet_address_ = place.packet_address;
    if (!walk_.family) walk_.family = trace::stream_family(cursor_->result().gpu);
    if (!space_ || !state_ || !walk_.family || writes_ > RecordedWalk::most_writes || kind_ == gpu::QueueKind::copy) return;
    const registers::Family& family = *walk_.family;
    walk_.submissions.back().commands.insert(packet_address_ / page_bytes);
    const std::vector<uint32_t> first = words(packet_address_, 1);
    if (first.empty()) return;
    if (!family.commands.empty()) {
      const registers::Command* row = registers::find_command(family, first[0], trace::engine_name(kind_));
      if (!row) return;
      const std::vector<uint32_t> all = words(packet_address_, std::min(row->dwords_of(first[0]), longest_packet));
      const uint64_t nth = state_->commands[row]++;
      registers::each_field(*row, all, [&](const registers::Field& field, int number, uint64_t value) {
        set(names_.field_key(*row, field, number, nth), value);
      });
      return;
    }
    auto packet = registers::read_packet(family, first, 0);
    if (!packet) return;
    const std::vector<uint32_t> all = words(packet_address_, uint32_t(std::min<size_t>(packet->length, longest_packet)));
    packet = registers::read_packet(family, all, 0);
    if (!packet) return;
    for (const registers::RegisterWrite& write : packet->writes)
      set(StateNames::register_key(write.address, state_->times[write.address]++), write.value);
    for (const registers::PacketOperand& operand : packet->operands)
      set(names_.operand_key(packet->name(), operand.name), operand.value);
    // The packet holds vertices and indices itself on R5xx.
    if (packet->type != 3 || !packet->known || !packet->writes.empty() || packet->buffer || packet->name() == "NOP") return;
    for (size_t n = packet->named_words; n < std::min(all.size(), packet->named_words + most_packet_words); n++)
      set(names_.operand_key(packet->name(), fmt::format("word {}", n)), all[n]);
  }

  void end_draw(uint64_t number) {
    RecordedDraw draw;
    draw.submission = submission_, draw.queue = queue_, draw.draw = number, draw.packet = packet_,
    draw.packet_address = packet_address_;
    draw.dispatch = !drew_;
    draw.kind = hash_bytes(packet_.data(), packet_.size());
    for (const pipeline::WatchedTarget& target : targets_) {
      RecordedTarget kept{target.number, target.width, target.height, target.texel_bytes};
      if (const auto at = target.surface.begin ? cursor_->find(target.surface.begin) : std::nullopt) {
        kept.address = at->gpu_address;
        kept.left = hash_of_memory(*cursor_->space(at->space), at->gpu_address, target.surface.bytes);
      }
      for (const uint64_t value : {kept.number, kept.width, kept.height, kept.texel_bytes}) draw.kind = mixed(draw.kind, value);
      draw.targets.push_back(kept);
    }
    draw.all = draw.kind;
    if (!state_) state_ = &states_[queue_];
    for (const auto& [key, value] : state_->since) draw.all = mixed(mixed(draw.all, key), value);
    draw.uses = collector_.take();
    for (const UsedProgram& program : draw.uses.programs) draw.all = mixed(draw.all, program.hash);
    for (const UsedStructure& structure : draw.uses.structures)
      draw.all = mixed(draw.all, hash_bytes(structure.words->second.data(), structure.words->second.size() * 4));
    draw.writes = std::move(state_->since);
    walk_.draws.push_back(std::move(draw));
    state_->since.clear(), state_->times.clear(), state_->commands.clear(), targets_.clear();
    drew_ = false;
  }

  // By the file: what is not mapped is left out.
  uint64_t hash_of_memory(const AddressSpace& space, uint64_t address, uint64_t bytes) const {
    uint64_t hash = 0;
    std::vector<uint8_t> some(1 << 20);
    for (const AddressSpace::Part& part : space.mapped_parts(address, bytes)) {
      const uint64_t begin = std::max(address, part.gpu_address), end = std::min(address + bytes, part.gpu_address + part.bytes);
      for (uint64_t at = begin; at < end; at += some.size()) {
        const size_t count = std::min<uint64_t>(some.size(), end - at);
        if (pread(cursor_->memory()->descriptor(), some.data(), count, off_t(part.file_offset + (at - part.gpu_address))) !=
            ssize_t(count))
          return hash;
        hash = mixed(hash, hash_bytes(some.data(), count));
      }
    }
    return hash;
  }

  void find_parts() {
    parts_ = space_->mapped_parts(0, space_->size());
    std::ranges::sort(parts_, {}, &AddressSpace::Part::file_offset);
  }
  // The GPU address of a page of the memory file.
  std::optional<uint64_t> address_of(uint64_t page) const {
    auto at = std::ranges::upper_bound(parts_, page * page_bytes, {}, &AddressSpace::Part::file_offset);
    if (at == parts_.begin()) return {};
    const AddressSpace::Part& part = *--at;
    if (page * page_bytes >= part.file_offset + part.bytes) return {};
    return part.gpu_address + (page * page_bytes - part.file_offset);
  }

  // (A submission's pages are told of when it has run, and before the next one begins.)
  void take_left(uint64_t page) {
    const auto address = space_ && !walk_.submissions.empty() ? address_of(page) : std::nullopt;
    std::vector<uint8_t> bytes(page_bytes);
    if (!address ||
        pread(cursor_->memory()->descriptor(), bytes.data(), page_bytes, off_t(page * page_bytes)) != ssize_t(page_bytes))
      return;
    walk_.submissions.back().left[*address] = hash_bytes(bytes.data(), page_bytes);
  }

  void keep_uploads() {
    if (!space_) return;
    find_parts();
    for (const auto& [first, count] : written_)
      for (uint64_t page = first; page < first + count; page++) {
        const auto address = address_of(page);
        if (!address) continue;
        RecordedPage kept;
        kept.bytes.resize(page_bytes);
        if (pread(cursor_->memory()->descriptor(), kept.bytes.data(), page_bytes, off_t(page * page_bytes)) !=
            ssize_t(page_bytes))
          continue;
        kept.hash = hash_bytes(kept.bytes.data(), page_bytes);
        if (page_bytes_kept_ + page_bytes > RecordedWalk::most_page_bytes)
          kept.bytes = {};
        else
          page_bytes_kept_ += page_bytes;
        walk_.submissions.back().uploads[*address] = std::move(kept);
      }
    written_.clear();
  }
};

}  // namespace

uint64_t StateNames::field_key(const registers::Command& row, const registers::Field& field, int number, uint64_t nth) {
  nth = std::min<uint64_t>(nth, 255);
  auto [at, fresh] = fields_.try_emplace({&field, number, nth}, named | names_.size());
  if (fresh)
    names_.push_back(fmt::format("{}.{}{}{}", row.name, field.name, number < 0 ? "" : fmt::format("[{}]", number),
                                 nth ? fmt::format(" (command {})", nth) : ""));
  return at->second;
}
uint64_t StateNames::operand_key(std::string_view packet, std::string_view operand) {
  std::string name = fmt::format("{}.{}", packet, operand);
  auto [at, fresh] = operands_.try_emplace(name, named | names_.size());
  if (fresh) names_.push_back(std::move(name));
  return at->second;
}
StateNames::Named StateNames::name(const registers::Family& family, uint64_t key) const {
  if (key & named) return {names_[key & ~named], {}};
  const uint64_t nth = key >> 40;
  const auto found = registers::find_by_address(family, uint32_t(key));
  std::string name = found.empty() ? fmt::format("{:#x}", uint32_t(key)) : found.front().name();
  if (nth) name += fmt::format(" (value {})", nth);
  return {std::move(name),
          found.empty() ? std::span<const registers::Field>() : std::span<const registers::Field>(found.front().entry->fields)};
}

StateNames::ProgramKeys StateNames::program_keys(const registers::Family& family) const {
  ProgramKeys keys;
  if (family.commands.empty()) {
    keys.shift = 8;
    for (const registers::Instance& one : registers::all_instances(family))
      if (one.address() && std::string_view(one.entry->name).find("_PGM_LO") != std::string_view::npos)
        keys.starts.push_back(register_key(*one.address(), 0));
    return keys;
  }
  for (const auto& [field, key] : fields_) {
    const std::string& name = names_[key & ~named];
    if (name == "STATE_BASE_ADDRESS.Instruction Base Address") keys.base = key;
    if (name.find(".Kernel Start Pointer") != std::string::npos) keys.starts.push_back(key);
  }
  return keys;
}

Expected<RecordedWalk> walk_recording(const std::string& file, const gpu::Options& options, StateNames& names) {
  return Collector(file, options, names).run();
}

}  // namespace Atoll::insight
