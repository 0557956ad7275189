#include "insight/recording_diff.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>

#include "insight/recording_walk.h"
#include "insight/use_diff.h"
#include "registers/lookup.h"
#include "trace/player.h"

namespace Atoll::insight {
namespace {

constexpr size_t most_unlike = 64, most_uploads = 64, most_upload_bytes = 32;
constexpr size_t most_aligned = 3000;  // draws of each side, apart from those at both ends that are equal
// The likeness of equal draws; of draws of one kind, which gain up to most_likeness by how much of what they set is the same; of a packet.
constexpr uint32_t same_score = 8, like_score = 2, most_likeness = 4, packet_score = 1;
constexpr size_t most_compared = 1 << 18;  // pairs of which that is looked at

struct DrawPair {
  std::optional<size_t> draws[2];
};

// The part of what two draws set that is the same in both, of most_likeness. `a` and `b` are sorted.
uint32_t likeness(const std::vector<std::pair<uint64_t, uint64_t>>& a, const std::vector<std::pair<uint64_t, uint64_t>>& b) {
  size_t same = 0;
  for (auto one = a.begin(), other = b.begin(); one != a.end() && other != b.end();) {
    const bool less = *one < *other, equal = *one == *other;
    same += equal;
    if (equal || less) ++one;
    if (equal || !less) ++other;
  }
  return a.empty() && b.empty() ? most_likeness : uint32_t(2 * same * most_likeness / (a.size() + b.size()));
}
std::vector<std::vector<std::pair<uint64_t, uint64_t>>> sorted_writes(std::span<const RecordedDraw> draws) {
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> all;
  for (const RecordedDraw& draw : draws) {
    auto& writes =
        all.emplace_back(draw.writes.begin(), draw.writes.begin() + ptrdiff_t(std::min<size_t>(draw.writes.size(), 1024)));
    std::ranges::sort(writes);
  }
  return all;
}

// Pairs that have most equal draws; then most of one kind (packet and targets).
std::vector<DrawPair> align(const std::vector<RecordedDraw>& a, const std::vector<RecordedDraw>& b) {
  size_t begin = 0, end = 0;
  while (begin < a.size() && begin < b.size() && a[begin].all == b[begin].all) begin++;
  while (end < a.size() - begin && end < b.size() - begin && a[a.size() - 1 - end].all == b[b.size() - 1 - end].all) end++;
  std::vector<DrawPair> pairs;
  for (size_t n = 0; n < begin; n++) pairs.push_back({{n, n}});
  const size_t rows = a.size() - begin - end, columns = b.size() - begin - end;
  if (rows > most_aligned || columns > most_aligned) {  // by their numbers
    for (size_t n = 0; n < std::max(rows, columns); n++)
      pairs.push_back(
          {{n < rows ? std::optional(begin + n) : std::nullopt, n < columns ? std::optional(begin + n) : std::nullopt}});
  } else {
    // Scores of what is left from (row, column) on.
    std::vector<uint32_t> score((rows + 1) * (columns + 1));
    auto at = [&](size_t row, size_t column) -> uint32_t& { return score[row * (columns + 1) + column]; };
    std::vector<std::vector<std::pair<uint64_t, uint64_t>>> writes[2];
    if (rows * columns <= most_compared)
      for (int side = 0; side < 2; side++)
        writes[side] = sorted_writes(std::span(side ? b : a).subspan(begin, side ? columns : rows));
    auto match = [&](size_t row, size_t column) {
      const RecordedDraw &one = a[begin + row], &other = b[begin + column];
      if (one.all == other.all) return same_score;
      // (A draw whose targets are not the same may be the same draw, with a fault in them.)
      if (one.kind != other.kind) return one.packet == other.packet && one.dispatch == other.dispatch ? packet_score : 0u;
      return like_score + (writes[0].empty() ? 0 : likeness(writes[0][row], writes[1][column]));
    };
    for (size_t row = rows; row-- > 0;)
      for (size_t column = columns; column-- > 0;) {
        uint32_t best = std::max(at(row + 1, column), at(row, column + 1));
        if (const uint32_t gain = match(row, column)) best = std::max(best, gain + at(row + 1, column + 1));
        at(row, column) = best;
      }
    size_t row = 0, column = 0;
    while (row < rows || column < columns) {
      if (row < rows && column < columns) {
        const uint32_t gain = match(row, column);
        if (gain && at(row, column) == gain + at(row + 1, column + 1)) {
          pairs.push_back({{begin + row++, begin + column++}});
          continue;
        }
      }
      if (column == columns || (row < rows && at(row, column) == at(row + 1, column)))
        pairs.push_back({{begin + row++, std::nullopt}});
      else
        pairs.push_back({{std::nullopt, begin + column++}});
    }
  }
  for (size_t n = end; n > 0; n--) pairs.push_back({{a.size() - n, b.size() - n}});
  return pairs;
}

void compare_pages(const RecordedPage& a, const RecordedPage& b, uint64_t submission, uint64_t address,
                   std::vector<UploadDifference>& to) {
  if (a.hash == b.hash) return;
  if (a.bytes.empty() || b.bytes.empty()) {
    to.push_back({submission, address, page_bytes, {}, false, {}});
    return;
  }
  for (size_t n = 0; n < page_bytes; n++) {
    if (a.bytes[n] == b.bytes[n]) continue;
    // By dwords; what has less than four equal ones between is one.
    const size_t first = n & ~size_t(3);
    size_t end = first + 4;
    for (size_t k = end; k < page_bytes && k < end + 16; k++)
      if (a.bytes[k] != b.bytes[k]) end = (k & ~size_t(3)) + 4;
    UploadDifference upload{submission, address + first, end - first, {}, true, {}};
    const RecordedPage* sides[2] = {&a, &b};
    for (int side = 0; side < 2; side++)
      upload.held[side].assign(sides[side]->bytes.begin() + ptrdiff_t(first),
                               sides[side]->bytes.begin() + ptrdiff_t(std::min(end, first + most_upload_bytes)));
    to.push_back(std::move(upload));
    n = end - 1;
  }
}

uint64_t bits_of(const registers::Field& field, uint64_t value) {
  const unsigned bits = field.high - field.low + 1u;
  return field.low >= 64 ? 0 : value >> field.low & (bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1);
}

class Comparison {
public:
  Comparison(const DiffQuestion& question, const StateNames& names, const RecordedWalk* walks)
      : question_(question), names_(names), walks_(walks) {}

  Expected<RecordingDiff> run() {
    for (int side = 0; side < 2; side++) {
      diff_.gpus[side] = walks_[side].gpu;
      diff_.draws[side] = walks_[side].draws.size(), diff_.submissions[side] = walks_[side].submissions.size();
      diff_.endings[side] = walks_[side].ending;
      diff_.lost[side] = walks_[side].lost;
    }
    for (const DrawPair& pair : align(walks_[0].draws, walks_[1].draws)) compare(pair);
    if (diff_.first_result)
      if (auto done = find_pixel(diff_.draws_unlike[*diff_.first_result]); !done) return std::unexpected(done.error());
    return std::move(diff_);
  }

private:
  const DiffQuestion& question_;
  const StateNames& names_;
  const RecordedWalk* walks_;
  RecordingDiff diff_;
  // Uploads, the last of each page, and pages with packets, which are compared themselves.
  struct Upload {
    const RecordedPage* page;
    uint64_t submission;
  };
  uint64_t submissions_[2] = {};  // whose uploads are in `memory_`
  std::map<uint64_t, Upload> memory_[2];
  std::unordered_set<uint64_t> commands_;
  std::set<std::pair<uint64_t, uint64_t>> code_;  // addresses of programs
  // Those of the two recordings by queue, as contexts are a queue's own.
  std::map<uint64_t, HeldState> states_[2];
  std::set<uint64_t> touched_;  // keys that were set since the last pair of two
  // Differences that were told, with the values.
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> told_;
  std::set<std::string> told_uses_;

  void compare(const DrawPair& pair) {
    DrawDifference unlike;
    const RecordedDraw* draws[2] = {};
    for (int side = 0; side < 2; side++) {
      if (!pair.draws[side]) continue;
      const RecordedDraw& draw = *(draws[side] = &walks_[side].draws[*pair.draws[side]]);
      unlike.draws[side] = draw.draw, unlike.submissions[side] = draw.submission;
      unlike.packet = draw.packet, unlike.dispatch = draw.dispatch, unlike.packet_address[side] = draw.packet_address;
      for (const auto& [key, value] : draw.writes) states_[side][draw.queue][key] = value, touched_.insert(key);
      for (; submissions_[side] <= draw.submission; submissions_[side]++) {
        const RecordedSubmission& submission = walks_[side].submissions[submissions_[side]];
        for (const auto& [address, page] : submission.uploads) memory_[side][address] = {&page, submissions_[side]};
        commands_.insert(submission.commands.begin(), submission.commands.end());
      }
    }
    const bool both = draws[0] && draws[1];
    diff_.pairs += both;
    if (both) {
      const HeldState* const held[2] = {&states_[0][draws[0]->queue], &states_[1][draws[1]->queue]};
      for (const uint64_t key : touched_) compare_state(key, held, unlike);
      touched_.clear();
      compare_uses(draws, held, unlike);
      compare_targets(*draws[0], *draws[1], unlike);
      if (!diff_.first_result && unlike.targets.empty()) compare_left(pair, unlike);
    }
    const bool result = !unlike.targets.empty() || unlike.memory;
    if (both && unlike.state.empty() && unlike.programs.empty() && unlike.structures.empty() && !result) return;
    if (diff_.draws_unlike.size() == most_unlike && (diff_.first_result || !result)) {
      diff_.draws_left_out++;
      return;
    }
    if (both && !diff_.first_result && result) {
      diff_.first_result = diff_.draws_unlike.size();
      compare_uploads(draws, unlike);
    }
    diff_.draws_unlike.push_back(std::move(unlike));
  }

  // Programs write while the GPU works, sooner in one recording than in another, and also what no GPU reads: so this is told of the first
  // pair whose results differ, by what memory holds then. Shaders are compared themselves.
  void compare_uploads(const RecordedDraw* const draws[2], DrawDifference& unlike) const {
    std::vector<UploadDifference> found;
    for (const auto& [address, one] : memory_[0])
      if (const auto other = memory_[1].find(address); other != memory_[1].end() && !commands_.contains(address / page_bytes))
        compare_pages(*one.page, *other->second.page, one.submission, address, found);
    for (UploadDifference& upload : found) {
      if (std::ranges::any_of(code_, [&](const auto& range) {
            return upload.address >= range.first && upload.address + upload.bytes <= range.second;
          }))
        continue;
      if (unlike.uploads.size() == most_uploads) {
        unlike.uploads_left_out++;
        continue;
      }
      upload.structure = structure_at(draws, upload.address);
      unlike.uploads.push_back(std::move(upload));
    }
  }

  // The name of a structure that a draw of A uses, and that stands where the address is, whole and aligned as it has to be.
  std::string structure_at(const RecordedDraw* const draws[2], uint64_t address) const {
    for (const UsedStructure& structure : draws[0]->uses.structures) {
      const auto& [name, words] = *structure.words;
      const uint64_t bytes = words.size() * 4, begin = structure.address ? structure.address : address / bytes * bytes;
      if (address < begin || address >= begin + bytes) continue;
      const auto page = memory_[0].find(begin / page_bytes * page_bytes);
      if (page == memory_[0].end() || begin % page_bytes + bytes > page->second.page->bytes.size()) continue;
      if (!std::memcmp(&page->second.page->bytes[begin % page_bytes], words.data(), bytes)) return name;
    }
    return {};
  }

  void compare_uses(const RecordedDraw* const draws[2], const HeldState* const held[2], DrawDifference& unlike) {
    for (int side = 0; side < 2; side++)
      for (const UsedProgram& program : draws[side]->uses.programs)
        if (program.address) code_.insert({program.address, program.address + program.bytes});
    for (ProgramDifference& program : compare_programs(*walks_[0].family, names_, draws, held)) {
      // Told once, as registers are.
      const std::string told = fmt::format("{} {} {} {} {}", program.stage, program.lines[0], program.lines[1],
                                           program.instructions[0].value_or(""), program.instructions[1].value_or(""));
      if (told_uses_.insert(told).second) unlike.programs.push_back(std::move(program));
    }
    for (StateDifference& state : compare_structures(*walks_[0].family, draws)) {
      std::string told = fmt::format("{} {:x} {:x}", state.name, state.values[0].value_or(0), state.values[1].value_or(0));
      for (const StateDifference::Field& field : state.fields) told += fmt::format(" {}", field.name);
      if (told_uses_.insert(told).second) unlike.structures.push_back(std::move(state));
    }
  }

  // Memory that the GPU left otherwise in a submission, when this pair is the last of it: what dispatches, copies and shaders store. Pages
  // into which the program wrote something else differ by that.
  void compare_left(const DrawPair& pair, DrawDifference& unlike) const {
    for (int side = 0; side < 2; side++) {
      const auto& draws = walks_[side].draws;
      const size_t n = *pair.draws[side];
      if (n + 1 < draws.size() && draws[n + 1].submission == draws[n].submission) return;
    }
    const auto &a = walks_[0].submissions[*unlike.submissions[0]].left, &b = walks_[1].submissions[*unlike.submissions[1]].left;
    for (const auto& [address, one] : a) {
      const auto other = b.find(address);
      if (other == b.end() || one == other->second || commands_.contains(address / page_bytes)) continue;
      const auto upload = memory_[0].find(address), other_upload = memory_[1].find(address);
      const bool by_program = (upload == memory_[0].end()) != (other_upload == memory_[1].end()) ||
                              (upload != memory_[0].end() && upload->second.page->hash != other_upload->second.page->hash);
      if (by_program) continue;
      if (!unlike.memory) unlike.memory.emplace().address = address;
      unlike.memory->pages++;
    }
  }

  void compare_state(uint64_t key, const HeldState* const held[2], DrawDifference& unlike) {
    StateDifference state;
    std::pair<uint64_t, uint64_t> values;
    for (int side = 0; side < 2; side++)
      if (const auto at = held[side]->find(key); at != held[side]->end()) state.values[side] = at->second;
    if (state.values[0] == state.values[1]) {
      told_.erase(key);
      return;
    }
    values = {state.values[0].value_or(0), state.values[1].value_or(0)};
    if (const auto told = told_.find(key); told != told_.end() && told->second == values) return;
    told_[key] = values;
    const StateNames::Named named = names_.name(*walks_[0].family, key);
    state.name = named.name;
    for (const registers::Field& field : named.fields) {
      const uint64_t one = bits_of(field, values.first), other = bits_of(field, values.second);
      if (one != other)
        state.fields.push_back(
            {std::string(field.name),
             {one, other},
             {std::string(registers::value_name(field, one)), std::string(registers::value_name(field, other))}});
    }
    unlike.state.push_back(std::move(state));
  }

  static void compare_targets(const RecordedDraw& a, const RecordedDraw& b, DrawDifference& unlike) {
    for (const RecordedTarget& one : a.targets) {
      const auto other = std::ranges::find(b.targets, one.number, &RecordedTarget::number);
      if (other == b.targets.end() || one.left == other->left) continue;
      TargetDifference target;
      target.number = one.number;
      target.addresses[0] = one.address, target.addresses[1] = other->address;
      unlike.targets.push_back(target);
    }
  }

  static std::vector<uint8_t> page_at(const trace::Cursor& cursor, uint64_t address) {
    for (uint64_t number = 0; const AddressSpace* space = cursor.space(number); number++)
      for (const AddressSpace::Part& part : space->mapped_parts(address, page_bytes)) {
        std::vector<uint8_t> bytes(page_bytes);
        const uint64_t offset = part.file_offset + (address - part.gpu_address);
        if (part.gpu_address <= address && address + page_bytes <= part.gpu_address + part.bytes &&
            pread(cursor.memory()->descriptor(), bytes.data(), page_bytes, off_t(offset)) == ssize_t(page_bytes))
          return bytes;
      }
    return {};
  }

  // The pictures of that draw's targets, and the first page of memory that differs behind its submission.
  Expected<void> find_pixel(DrawDifference& unlike) {
    std::vector<gpu::Picture> pictures[2];
    std::vector<uint8_t> pages[2];
    for (int side = 0; side < 2; side++) {
      trace::PlayOptions options;
      options.gpu = question_.gpu;
      options.gpu.deterministic = true;
      options.first_draw = options.last_draw = *unlike.draws[side];
      options.after_draw = [&](uint64_t, const std::vector<gpu::Picture>& drawn) { pictures[side] = drawn; };
      auto cursor = trace::Cursor::open(question_.files[side], std::move(options));
      if (!cursor) return std::unexpected(cursor.error());
      if (auto done = (*cursor)->to(*unlike.submissions[side] + 1); !done) return std::unexpected(done.error());
      if (unlike.memory) pages[side] = page_at(**cursor, unlike.memory->address);
    }
    for (size_t n = 0; n < pages[0].size() && n < pages[1].size(); n += 4) {
      if (!std::memcmp(&pages[0][n], &pages[1][n], 4)) continue;
      unlike.memory->address += n;
      for (int side = 0; side < 2; side++) std::memcpy(&unlike.memory->held[side], &pages[side][n], 4);
      break;
    }
    for (TargetDifference& target : unlike.targets) {
      const std::string end = fmt::format("colour {}", target.number);
      const gpu::Picture* both[2] = {};
      for (int side = 0; side < 2; side++)
        for (const gpu::Picture& picture : pictures[side])
          if (std::string_view(picture.name).ends_with(end)) both[side] = &picture;
      if (!both[0] || !both[1] || both[0]->width != both[1]->width || both[0]->rgba.size() != both[1]->rgba.size()) continue;
      for (size_t n = 0; n < both[0]->rgba.size() / 4; n++) {
        if (std::equal(&both[0]->rgba[n * 4], &both[0]->rgba[n * 4] + 4, &both[1]->rgba[n * 4])) continue;
        if (!target.pixels++) target.x = unsigned(n % both[0]->width), target.y = unsigned(n / both[0]->width);
      }
    }
    return {};
  }
};

}  // namespace

Expected<RecordingDiff> difference_of(const DiffQuestion& question) {
  StateNames names;
  RecordedWalk walks[2];
  for (int side = 0; side < 2; side++) {
    auto walk = walk_recording(question.files[side], question.gpu, names);
    if (!walk) return std::unexpected(walk.error());
    walks[side] = std::move(*walk);
  }
  if (walks[0].family != walks[1].family)
    return fail("{} is of {}, {} of {}: registers of two families have nothing in common", question.files[0], walks[0].gpu,
                question.files[1], walks[1].gpu);
  return Comparison(question, names, walks).run();
}

}  // namespace Atoll::insight
