// The history of a pixel as lines for people.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "gpu/chips/chip.h"
#include "insight/pixel_history.h"
#include "insight/test_fields.h"

namespace Atoll::insight {
namespace {

constexpr size_t most_fragments = 8, most_lines = 40;

std::string colour_text(const PixelTarget& target, const std::array<uint32_t, 4>& components) {
  std::string text;
  for (uint32_t c : components) {
    if (!text.empty()) text += " ";
    if (target.format.number == surface::Number::sint)
      text += fmt::format("{}", int32_t(c));
    else if (target.format.number == surface::Number::uint)
      text += fmt::format("{}", c);
    else
      text += fmt::format("{:.6g}", std::bit_cast<float>(c));
  }
  return text;
}
std::string colour_text(const PixelTarget& target, const pipeline::WatchedTexel& texel) {
  return texel.bytes ? colour_text(target, components_of(target, texel)) : std::string("not known");
}
std::string depth_text(const pipeline::WatchedDepth& depth) {
  std::string text;
  if (depth.has_depth) text = fmt::format("{:.6g} ({:#x})", depth.depth, depth.word);
  if (depth.has_stencil) text += fmt::format("{}stencil {:#x}", text.empty() ? "" : ", ", depth.stencil);
  return text;
}

std::string reason_text(pipeline::FragmentEnd end, const gpu::Chip* chip) {
  if (end == pipeline::FragmentEnd::drawn) return {};
  const std::string_view field = chip ? field_of(chip->family, end) : std::string_view();
  return fmt::format(": {}{}", pipeline::name(end), field.empty() ? std::string() : fmt::format(" ({})", field));
}

std::string place_text(const PixelEvent& event) {
  std::string text;
  if (event.draw) text += fmt::format(" {}", *event.draw);
  text += fmt::format(", submission {}", event.submission);
  if (!event.packet.empty()) text += fmt::format(", {} at {:#x}", event.packet, event.packet_address);
  return text;
}

}  // namespace

std::string text_of(const PixelQuestion& question, const PixelHistory& history) {
  const gpu::Chip* chip = gpu::find_chip(history.gpu);
  std::string text;
  auto line = [&]<class... T>(fmt::format_string<T...> form, T&&... values) {
    fmt::format_to(std::back_inserter(text), form, std::forward<T>(values)...);
    text += '\n';
  };
  line("pixel {},{} of frame {} on {}: target {:#x}, {}x{}, {} {}", question.x, question.y, history.frame, history.gpu,
       history.target.address, history.target.width, history.target.height, surface::row(history.target.format.layout).name,
       surface::name(history.target.format.number));
  line("it holds {}", colour_text(history.target, history.colour));
  for (const PixelEvent& event : history.events) {
    line("{}{}: {}{}{}", name(event.kind), place_text(event), name(event.verdict), reason_text(event.end, chip),
         event.rectangle ? ", a rectangle of equal pixels" : "");
    if (event.number < 8 && event.before != event.after)
      line("  colour {} -> {}", colour_text(history.target, event.before), colour_text(history.target, event.after));
    if (event.depth_before != event.depth_after)
      line("  depth {} -> {}", depth_text(event.depth_before), depth_text(event.depth_after));
    for (size_t n = 0; n < event.fragments.size(); n++) {
      if (n == most_fragments) {
        line("  and {} more fragments: --json has them", event.fragments.size() - n);
        break;
      }
      const auto& [f, verdict] = event.fragments[n];
      const std::string stored = depth_text(f.before);
      line("  primitive {}: {}{}; depth {:.6g}{}{}", f.primitive, name(verdict), reason_text(f.end, chip), f.depth,
           stored.empty() ? "" : fmt::format(" against {}", stored),
           f.shaded && event.number < 8 && (f.outputs >> event.number & 1)
               ? fmt::format("; shader's colour {}", colour_text(history.target, f.output[event.number]))
               : std::string());
    }
  }
  constexpr size_t most_missed = 16;
  line("{} draws of the frame did not touch it; of these into this target: {}{}", history.draws_elsewhere,
       history.missed.empty()
           ? "none"
           : fmt::format("{}", fmt::join(history.missed.begin(),
                                         history.missed.begin() + ptrdiff_t(std::min(most_missed, history.missed.size())), " ")),
       history.missed.size() > most_missed ? fmt::format(" and {} more", history.missed.size() - most_missed) : std::string());
  if (history.events_left_out)
    line("{} later events of the frame are left out: --events makes room for more", history.events_left_out);
  if (history.bindings_left_out)
    line("draws went {} times into targets that were too many to look at: --target names one", history.bindings_left_out);
  if (!history.made_by) return text;
  const PixelEvent& made = history.events[*history.made_by];
  line("its colour is of {}{}", name(made.kind), place_text(made));
  if (!made.program) return text;
  line("the shader{}:", made.program->address ? fmt::format(" at {:#x}", made.program->address) : std::string());
  for (size_t n = 0; n < made.program->lines.size(); n++) {
    if (n == most_lines) {
      line("  and {} more lines: --json has them", made.program->lines.size() - n);
      break;
    }
    line("  {}", made.program->lines[n]);
  }
  return text;
}

}  // namespace Atoll::insight
