#include "insight/bisection.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "gpu/device/reports.h"
#include "insight/delta_debugging.h"
#include "registers/lookup.h"
#include "registers/pm4.h"
#include "trace/player.h"
#include "trace/submitted_streams.h"

namespace Atoll::insight {
namespace {

// A part of the work may never write what the rest waits for: nothing moves then.
constexpr double most_still_seconds = 10;
constexpr size_t most_pieces = 1 << 18;

// All work of a recording, from one replay.
class WorkList {
public:
  std::vector<WorkPiece> pieces;
  std::vector<std::pair<uint64_t, uint64_t>> fixed;  // submission and number of draws that cannot be left out
  std::vector<uint64_t> submissions;
  trace::ProgramWrites writes;
  trace::Ending ending;
  std::string gpu;
  size_t lost = 0;
  uint64_t draws = 0;
  bool read_to_end = false;

  // `end`: submissions that are done.
  Expected<void> read(const std::string& file, const gpu::Options& gpu_options, uint64_t end) {
    trace::PlayOptions options;
    options.gpu = gpu_options;
    options.found_writes = &writes;
    options.before_submission = [this](uint64_t submission, uint64_t queue, gpu::QueueKind kind) {
      submission_ = submission, queue_ = queue, kind_ = kind;
      in_submission_ = true;
      submissions.push_back(submission);
      packet_ = before_ = {};
      here_.clear();
    };
    options.after_submission = [this](uint64_t) { in_submission_ = false; };
    options.gpu.before_packet = [this](const gpu::PacketPlace& place) {
      before_ = std::exchange(packet_, {place.packet, place.packet_address});
    };
    options.drawn = [this](uint64_t draw) { note(draw); };
    auto cursor = trace::Cursor::open(file, std::move(options));
    if (!cursor) return std::unexpected(cursor.error());
    cursor_ = cursor->get();
    while (cursor_->result().submissions < end) {
      auto more = cursor_->next();
      if (!more) return std::unexpected(more.error());
      if (pieces.size() > most_pieces) return fail("{}: more than {} draws", file, most_pieces);
      if (*more) continue;
      read_to_end = true;
      ending = cursor_->ending();
      break;
    }
    gpu = cursor_->result().gpu;
    lost = cursor_->result().lost.size();
    draws = cursor_->draws();
    if (gpu.empty()) return fail("{} {}", file, ending.whole() ? "names no GPU" : ending.text());
    cursor_ = nullptr;
    return {};
  }

private:
  struct Place {
    std::string_view name;
    uint64_t address = 0;
  };
  trace::Cursor* cursor_ = nullptr;
  uint64_t submission_ = 0, queue_ = 0;
  gpu::QueueKind kind_ = gpu::QueueKind::graphics;
  bool in_submission_ = false;
  Place packet_, before_;
  std::map<uint64_t, size_t> here_;  // pieces of the submission, by the packet's address

  void note(uint64_t draw) {
    // (Rings that a register's write sets going are in no submission.)
    if (!in_submission_) return fixed.emplace_back(cursor_->result().submissions, draw), void();
    if (const auto known = here_.find(packet_.address); known != here_.end()) {
      pieces[known->second].draws.push_back(draw);
      return;
    }
    WorkPiece piece{submission_, queue_, std::string(packet_.name), packet_.address, {draw}, {}};
    bool all = leave_out(packet_, piece.instead);
    // R5xx: the packet before says what is drawn by the indices that this one brings (R5xx Acceleration v1.3, 3.3).
    if (packet_.name == "INDX_BUFFER") all = all && leave_out(before_, piece.instead);
    if (!all) return fixed.emplace_back(submission_, draw), void();
    here_[packet_.address] = pieces.size();
    pieces.push_back(std::move(piece));
  }

  // If it is a command that can be left out, this stands in its place: a NOP as long, or so many of one dword.
  bool leave_out(const Place& place, std::vector<trace::LeftOutPacket>& to) const {
    const registers::Family* family = trace::stream_family(cursor_->result().gpu);
    const AddressSpace* space = cursor_->space_of_queue(queue_);
    if (!family || !space || place.address % 4) return false;
    uint32_t first = 0;
    const auto parts = space->mapped_parts(place.address, 4);
    if (parts.empty() || parts.front().absent || parts.front().gpu_address > place.address) return false;
    const uint64_t in_file = parts.front().file_offset + (place.address - parts.front().gpu_address);
    if (::pread(cursor_->memory()->descriptor(), &first, 4, off_t(in_file)) != 4) return false;
    if (!family->commands.empty()) {
      const registers::Command* row = registers::find_command(*family, first, trace::engine_name(kind_));
      if (!row || std::string_view(row->name) != place.name) return false;
      to.push_back({place.address, std::vector<uint32_t>(row->dwords_of(first), 0)});  // MI_NOOP
      return true;
    }
    if (kind_ == gpu::QueueKind::copy) return false;
    const auto packet = registers::read_packet(*family, std::span(&first, 1), 0);
    if (!packet || packet->type != unsigned(registers::PacketType::opcode) || packet->name() != place.name) return false;
    using namespace registers::packet_header;
    const uint32_t count = Count::get(first);
    if (count == lone_count) return false;
    to.push_back({place.address, {uint32_t(registers::PacketType::opcode) << 30 | count << 16 | nop_opcode << 8}});
    return true;
  }
};

class Search {
public:
  explicit Search(const BisectionQuestion& question) : question_(question) {
    question_.pixel.gpu.deterministic = true;
    double& still = question_.pixel.gpu.max_still_seconds;
    still = still ? std::min(still, most_still_seconds) : most_still_seconds;
  }

  Expected<Bisection> run() {
    uint64_t end = ~uint64_t(0);
    if (!question_.test) {
      if (auto begun = look_at_pixel(); !begun) return std::unexpected(begun.error());
      end = last_submission_ + 1;
    } else if (question_.pixel.submission) {
      end = *question_.pixel.submission + 1;
    }
    if (auto read = work_.read(question_.pixel.file, question_.pixel.gpu, end); !read) return std::unexpected(read.error());
    if (question_.test && question_.pixel.submission && work_.submissions.size() < end)
      return fail("{}: submission {} of {} that it has, counted from 0", question_.pixel.file, *question_.pixel.submission,
                  work_.submissions.size());
    if (question_.test) last_submission_ = work_.submissions.empty() ? 0 : work_.submissions.back();
    auto kept = find();
    if (!kept) return std::unexpected(kept.error());
    Bisection found;
    found.edit = edit_of(kept->first, kept->second);
    found.gpu = work_.gpu, found.submissions = work_.submissions.size(), found.draws = work_.draws;
    for (const size_t n : kept->first) found.kept.push_back(work_.pieces[n]);
    found.kept_submissions.assign(kept->second.begin(), kept->second.end());
    for (const auto& [submission, draw] : work_.fixed)
      if (!found.edit.submissions.contains(submission)) found.fixed.push_back(draw);
    found.tests = tests_;
    found.writes = std::move(work_.writes);
    found.ending = work_.ending, found.read_to_end = work_.read_to_end;
    if (!reader_) return found;
    found.history = reader_->take_history();
    if (found.history->read_to_end) found.ending = found.history->ending, found.read_to_end = true;
    return found;
  }

private:
  BisectionQuestion question_;
  WorkList work_;
  std::unique_ptr<PixelReader> reader_;
  pipeline::WatchedTexel wanted_;
  uint64_t last_submission_ = 0, tests_ = 0;

  // The pixel has its colour since the submission of the event that made it.
  Expected<void> look_at_pixel() {
    auto reader = PixelReader::open(question_.pixel);
    if (!reader) return std::unexpected(reader.error());
    reader_ = std::move(*reader);
    const PixelHistory& history = reader_->history();
    const PixelQuestion& q = question_.pixel;
    if (history.events_left_out)
      return fail("{}: what made pixel {},{} is not known: {} events were left out: --events makes room", q.file, q.x, q.y,
                  history.events_left_out);
    if (!history.made_by) return fail("{}: nothing wrote pixel {},{} of frame {}", q.file, q.x, q.y, history.frame);
    if (!history.colour.bytes)
      return fail("{}: what pixel {},{} holds cannot be told behind event {}", q.file, q.x, q.y, *history.made_by);
    wanted_ = history.colour;
    last_submission_ = history.events[*history.made_by].submission;
    return {};
  }

  using Chosen = std::vector<size_t>;
  using Submissions = std::set<uint64_t>;

  trace::Edit edit_of(const Chosen& chosen, const Submissions& submissions) const {
    trace::Edit edit;
    for (const uint64_t number : work_.submissions)
      if (!submissions.contains(number)) edit.submissions.insert(number);
    for (size_t n = 0; n < work_.pieces.size(); n++) {
      const WorkPiece& piece = work_.pieces[n];
      if (std::ranges::binary_search(chosen, n) || edit.submissions.contains(piece.submission)) continue;
      auto& packets = edit.packets[piece.submission];
      packets.insert(packets.end(), piece.instead.begin(), piece.instead.end());
    }
    return edit;
  }

  Expected<TestAnswer> ask(const Chosen& chosen, const Submissions& submissions) {
    tests_++;
    if (question_.progress) question_.progress(tests_, chosen.size(), submissions.size());
    const trace::Edit edit = edit_of(chosen, submissions);
    if (reader_) {
      auto found = reader_->read(last_submission_, edit, work_.writes);
      if (!found) return std::unexpected(found.error());
      return found->lost <= work_.lost && found->texel == wanted_ ? TestAnswer::wrong : TestAnswer::right;
    }
    ::unlink(question_.candidate.c_str());
    if (auto written = write_edited(question_, edit, work_.writes, last_submission_ + 1, question_.candidate); !written)
      return std::unexpected(written.error());
    return question_.test(question_.candidate);
  }
  Expected<bool> keeps(const Chosen& chosen, const Submissions& submissions) {
    auto answer = ask(chosen, submissions);
    if (!answer) return std::unexpected(answer.error());
    return *answer == TestAnswer::wrong;
  }

  Expected<std::pair<Chosen, Submissions>> find() {
    Chosen all(work_.pieces.size());
    for (size_t n = 0; n < all.size(); n++) all[n] = n;
    Submissions submissions(work_.submissions.begin(), work_.submissions.end());
    auto whole = ask(all, submissions);
    if (!whole) return std::unexpected(whole.error());
    if (*whole != TestAnswer::wrong)
      return reader_ ? fail("{}: the pixel is not the same in two replays", question_.pixel.file)
                     : fail("{}: the test {} of all of it", question_.pixel.file,
                            *whole == TestAnswer::right ? "finds nothing wrong" : "cannot tell");
    // None at all, then those that came to the pixel: often these are enough.
    std::vector<Chosen> guesses = {{}};
    if (reader_) guesses.push_back(touching());
    for (const Chosen& guess : guesses) {
      if (guess.size() >= all.size()) continue;
      auto enough = keeps(guess, submissions);
      if (!enough) return std::unexpected(enough.error());
      if (!*enough) continue;
      all = guess;
      break;
    }
    auto chosen = smallest_part(all, [&](const Chosen& part) { return keeps(part, submissions); });
    if (!chosen) return std::unexpected(chosen.error());
    return needed_submissions(std::move(*chosen), std::move(submissions));
  }

  Chosen touching() const {
    std::set<uint64_t> draws;
    for (const PixelEvent& event : reader_->history().events)
      if (event.draw) draws.insert(*event.draw);
    Chosen chosen;
    for (size_t n = 0; n < work_.pieces.size(); n++)
      if (std::ranges::any_of(work_.pieces[n].draws, [&](uint64_t draw) { return draws.contains(draw); })) chosen.push_back(n);
    return chosen;
  }

  // Those without any of the chosen work may copy, fill, or set what others go by.
  Expected<std::pair<Chosen, Submissions>> needed_submissions(Chosen chosen, Submissions submissions) {
    Submissions needed;
    for (const size_t n : chosen) needed.insert(work_.pieces[n].submission);
    if (needed.empty()) needed.insert(last_submission_);  // (a recording has one)
    std::vector<size_t> others;
    for (const uint64_t number : submissions)
      if (!needed.contains(number)) others.push_back(number);
    const auto with = [&](const std::vector<size_t>& some) {
      Submissions these = needed;
      these.insert(some.begin(), some.end());
      return these;
    };
    if (others.empty()) return std::pair(std::move(chosen), std::move(submissions));
    auto none = keeps(chosen, needed);
    if (!none) return std::unexpected(none.error());
    if (*none) return std::pair(std::move(chosen), std::move(needed));
    auto some = smallest_part(others, [&](const std::vector<size_t>& part) { return keeps(chosen, with(part)); });
    if (!some) return std::unexpected(some.error());
    return std::pair(std::move(chosen), with(*some));
  }

public:
  static Expected<WrittenPart> write_edited(const BisectionQuestion& question, const trace::Edit& edit,
                                            const trace::ProgramWrites& writes, uint64_t end, const std::string& file) {
    auto writer = trace::Writer::create(file);
    if (!writer) return std::unexpected(writer.error());
    trace::PlayOptions options;
    options.gpu = question.pixel.gpu;
    options.edit = &edit, options.program_writes = &writes, options.edited = writer->get();
    auto cursor = trace::Cursor::open(question.pixel.file, std::move(options));
    if (!cursor) return std::unexpected(cursor.error());
    if (auto done = (*cursor)->to(end); !done) return std::unexpected(done.error());
    WrittenPart part;
    part.draws = (*cursor)->draws(), part.submissions = (*writer)->submissions();
    trace::Bytes mark;
    mark.number(part.submissions);
    mark.number(uint64_t(trace::Closing::process));
    (*writer)->record(trace::Kind::end, mark);
    if (!(*writer)->sync()) return fail("{}", (*writer)->error());
    part.bytes = (*writer)->bytes();
    return part;
  }
};

}  // namespace

Expected<Bisection> smallest_of(const BisectionQuestion& question) { return Search(question).run(); }

Expected<WrittenPart> write_part(const BisectionQuestion& question, const Bisection& found, const std::string& file) {
  BisectionQuestion asked = question;
  asked.pixel.gpu.deterministic = true;
  auto part = Search::write_edited(asked, found.edit, found.writes, found.submissions, file);
  if (!part) return part;
  trace::PlayOptions options;
  options.gpu = asked.pixel.gpu;
  const auto again = trace::play(file, options);
  if (!again) return std::unexpected(again.error());
  if (again->pages_unlike)
    return fail("{}: it comes out otherwise when it is done again, first in {}", file, again->first_unlike);
  if (!found.history) return part;
  // As `why` finds it in the new file.
  PixelQuestion pixel = asked.pixel;
  pixel.file = file, pixel.frame.reset(), pixel.target = found.history->target.address;
  pixel.submission = part->submissions - 1;
  const auto now = history_of(pixel);
  if (!now) return std::unexpected(now.error());
  if (now->colour != found.history->colour)
    return fail("{}: pixel {},{} is not what it is in {}", file, pixel.x, pixel.y, asked.pixel.file);
  return part;
}

}  // namespace Atoll::insight
