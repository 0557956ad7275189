// The history of bytes as lines for people.
#include <fmt/format.h>

#include <iterator>

#include "insight/memory_history.h"

namespace Atoll::insight {
namespace {

constexpr size_t most_shown_bytes = 16, most_shown_parts = 4, most_shown_events = 64, most_shown_last = 32;

std::string bytes_text(const std::vector<uint8_t>& bytes, uint64_t of) {
  std::string text;
  for (size_t n = 0; n < std::min(bytes.size(), most_shown_bytes); n++) text += fmt::format("{}{:02x}", n ? " " : "", bytes[n]);
  return of > std::min(bytes.size(), most_shown_bytes) ? text + " ..." : text;
}

std::string event_text(const MemoryEvent& event) {
  if (event.kind == WriterKind::host)
    return event.submission ? fmt::format("the program, between submissions {} and {}", event.submission - 1, event.submission)
                            : std::string("the program, before submission 0");
  std::string text(name(event.kind));
  if (event.draw) text += fmt::format(" {}", *event.draw);
  text += fmt::format(", submission {}", event.submission);
  if (!event.packet.empty()) text += fmt::format(", {} at {:#x}", event.packet, event.packet_address);
  if (!event.target.empty()) text += fmt::format(", its {}", event.target);
  return text;
}

}  // namespace

std::string text_of(const MemoryQuestion& question, const MemoryHistory& history) {
  std::string text;
  auto line = [&]<class... T>(fmt::format_string<T...> form, T&&... values) {
    text += fmt::format(form, std::forward<T>(values)...);
    text += '\n';
  };
  std::string place;
  for (const auto& run : history.runs) place += fmt::format("{}{:#x}+{}", place.empty() ? "" : ", ", run.address, run.bytes);
  line("{} on {}, address space {}, after submission {}{}", place, history.gpu, history.space,
       history.submissions ? history.submissions - 1 : 0,
       history.unmapped ? ": it was mapped no more, what was before that follows" : "");
  line("it holds {}", bytes_text(history.holds, history.holds.size()));
  for (size_t n = 0; n < history.last.size(); n++) {
    const auto& last = history.last[n];
    if (n == most_shown_last) {
      line("  and {} more parts: --json has them", history.last.size() - n);
      break;
    }
    line("  {:#x}+{}: {}", last.address, last.bytes,
         last.event                ? fmt::format("event {}, {}", *last.event, event_text(history.events[*last.event]))
         : history.events_left_out ? std::string("nobody, or an event that is left out")
                                   : std::string("nobody wrote it: zeros since it was allocated"));
  }
  if (history.events_left_out) line("{} earlier events are left out: --events makes room for more", history.events_left_out);
  const size_t first = history.events.size() > most_shown_events ? history.events.size() - most_shown_events : 0;
  if (first) line("the last {} of {} events: --json has all", most_shown_events, history.events.size());
  for (size_t n = first; n < history.events.size(); n++) {
    const MemoryEvent& event = history.events[n];
    line("event {}: {}: {} bytes changed{}", n, event_text(event), event.changed, event.read ? ", which it reads as well" : "");
    for (size_t k = 0; k < event.parts.size() && k < most_shown_parts; k++) {
      const auto& part = event.parts[k];
      line("  {:#x}: {} -> {}", part.address, bytes_text(part.before, part.bytes), bytes_text(part.after, part.bytes));
    }
    const uint64_t more = event.parts.size() + event.parts_left_out - std::min(event.parts.size(), most_shown_parts);
    if (more) line("  and {} more parts", more);
  }
  if (history.accesses_left_out)
    line("{} earlier accesses are left out: --events makes room for more", history.accesses_left_out);
  const size_t begin = history.accesses.size() > most_shown_events ? history.accesses.size() - most_shown_events : 0;
  if (begin) line("the last {} of {} accesses that changed nothing: --json has all", most_shown_events, history.accesses.size());
  for (size_t n = begin; n < history.accesses.size(); n++) {
    const MemoryEvent& event = history.accesses[n];
    line("{} {}",
         !event.stored ? "read by"
         : event.read  ? "read, and stored as it was, by"
                       : "stored as it was by",
         event_text(event));
  }
  if (history.accesses_missed)
    line("of {} packets not all accesses were seen: there were too many beside it", history.accesses_missed);
  return text;
}

}  // namespace Atoll::insight
