#include <algorithm>

#include "insight/pixel_history.h"
#include "surface/texel.h"

namespace Atoll::insight {

using pipeline::FragmentEnd;
using pipeline::WatchedTexel;

void judge(PixelHistory& history) {
  bool replaced = false, depth_replaced = false;
  for (size_t n = history.events.size(); n-- > 0;) {
    PixelEvent& event = history.events[n];
    if (event.kind != EventKind::draw || event.fragments.empty()) {
      bool& over = event.number == depth_target ? depth_replaced : replaced;
      event.verdict = over ? Verdict::overwritten : Verdict::drawn;
      over = true;
      if (event.number != depth_target && !history.made_by) history.made_by = n;
      continue;
    }
    event.verdict = Verdict::not_covered, event.end = FragmentEnd::masked;
    for (size_t k = event.fragments.size(); k-- > 0;) {
      PixelFragment& f = event.fragments[k];
      const FragmentEnd end = f.fragment.end;
      const bool written = event.number < depth_target && (f.fragment.written >> event.number & 1);
      if (is_not_covered(end))
        f.verdict = Verdict::not_covered;
      else if (end != FragmentEnd::drawn)
        f.verdict = Verdict::killed;
      else
        f.verdict = written && replaced ? Verdict::overwritten : Verdict::drawn;
      if (written && !history.made_by) history.made_by = n;
      if (event.number < depth_target && (f.fragment.replaced >> event.number & 1)) replaced = true;
      // (Verdict's order is that of how far a fragment came.)
      if (f.verdict > event.verdict || (f.verdict == event.verdict && event.end == FragmentEnd::masked))
        event.verdict = f.verdict, event.end = end;
    }
  }
}

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 4> names = {"not covered", "killed", "overwritten", "drawn"};
  return names[size_t(verdict)];
}
std::string_view name(EventKind kind) {
  constexpr std::array<std::string_view, 5> names = {"draw", "clear", "dispatch", "packet", "host"};
  return names[size_t(kind)];
}

std::array<uint32_t, 4> components_of(const PixelTarget& target, const WatchedTexel& texel) {
  return texel.bytes ? surface::read_texel(target.format, texel.data.data()) : std::array<uint32_t, 4>{};
}

}  // namespace Atoll::insight
