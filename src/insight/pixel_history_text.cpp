// The history of a pixel as lines for people.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "gpu/chips/chip.h"
#include "insight/pixel_history.h"
#include "insight/structure_fields.h"
#include "insight/test_fields.h"
#include "insight/texel_json.h"
#include "trace/submitted_streams.h"

namespace Atoll::insight {
namespace {

constexpr size_t most_fragments = 8, most_lines = 40, most_programs = 4, most_structures = 16;

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

std::string programs_text(const DrawUses& uses) {
  std::string text = "programs (--json has them):";
  for (const UsedProgram& program : uses.programs)
    text += program.address ? fmt::format(" {:#x}", program.address) : fmt::format(" {}", program.isa);
  return text;
}

// A structure on one line.
std::string structure_text(const registers::Family& family, const UsedStructure& structure) {
  std::string text = structure.words->first + ":";
  for (const StructureField& field : fields_of(family, structure))
    text += field.meaning.empty() ? fmt::format(" {} {:#x}", field.name, field.value)
                                  : fmt::format(" {} {}", field.name, field.meaning);
  return text;
}

}  // namespace

std::string text_of(const PixelQuestion& question, const PixelHistory& history) {
  const gpu::Chip* chip = gpu::find_chip(history.gpu);
  const registers::Family* family = trace::stream_family(history.gpu);
  std::string text;
  auto line = [&]<class... T>(fmt::format_string<T...> form, T&&... values) {
    text += fmt::format(form, std::forward<T>(values)...);
    text += '\n';
  };
  line("pixel {},{} of frame {} on {}: target {:#x}, {}x{}, {} {}", question.x, question.y, history.frame, history.gpu,
       history.target.address, history.target.width, history.target.height, surface::row(history.target.format.layout).name,
       surface::name(history.target.format.number));
  line("it holds {}", text_of(history.target, history.colour));
  for (const PixelEvent& event : history.events) {
    line("{}{}: {}{}{}", name(event.kind), place_text(event), name(event.verdict), reason_text(event.end, chip),
         event.rectangle ? ", a rectangle of equal pixels" : "");
    if (event.number < 8 && event.before != event.after)
      line("  colour {} -> {}", text_of(history.target, event.before), text_of(history.target, event.after));
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
               ? fmt::format("; shader's colour {}", text_of(history.target, f.output[event.number]))
               : std::string());
    }
    if (!event.uses || event.verdict != Verdict::drawn) continue;
    if (!event.uses->programs.empty()) line("  {}", programs_text(*event.uses));
    for (size_t n = 0; family && n < event.uses->structures.size() && n < most_structures; n++)
      line("  {}", structure_text(*family, event.uses->structures[n]));
    if (event.uses->structures.size() > most_structures)
      line("  and {} more structures: --json has them", event.uses->structures.size() - most_structures);
  }
  constexpr size_t most_missed = 16;
  line("{} draws of the frame did not touch it{}", history.draws_elsewhere,
       history.missed.empty() ? "" : "; of these into this target:");
  for (size_t n = 0; n < history.missed.size() && n < most_missed; n++) {
    const MissedDraw& missed = history.missed[n];
    line("  draw {}: {}", missed.draw,
         missed.extent ? fmt::format("its primitives lie between {},{} and {},{}", missed.extent->left, missed.extent->top,
                                     missed.extent->right - 1, missed.extent->bottom - 1)
                       : std::string("no primitive of it is within the target"));
    if (missed.uses && !missed.uses->programs.empty()) line("    {}", programs_text(*missed.uses));
  }
  if (history.missed.size() > most_missed) line("  and {} more", history.missed.size() - most_missed);
  if (history.events_left_out)
    line("{} later events of the frame are left out: --events makes room for more", history.events_left_out);
  if (history.bindings_left_out)
    line("draws went {} times into targets that were too many to look at: --target names one", history.bindings_left_out);
  if (!history.made_by) return text;
  const PixelEvent& made = history.events[*history.made_by];
  line("its colour is of {}{}", name(made.kind), place_text(made));
  // The shaders of all that is in the colour, the last first.
  std::vector<std::vector<std::string>> shown;
  for (size_t n = *history.made_by + 1; n-- > 0 && shown.size() < most_programs;) {
    const PixelEvent& event = history.events[n];
    if (!event.program || event.verdict != Verdict::drawn || std::ranges::find(shown, event.program->lines) != shown.end())
      continue;
    shown.push_back(event.program->lines);
    line("the shader{}{}:", event.draw ? fmt::format(" of draw {}", *event.draw) : std::string(),
         event.program->address ? fmt::format(" at {:#x}", event.program->address) : std::string());
    for (size_t k = 0; k < event.program->lines.size() && k < most_lines; k++) line("  {}", event.program->lines[k]);
    if (event.program->lines.size() > most_lines)
      line("  and {} more lines: --json has them", event.program->lines.size() - most_lines);
  }
  return text;
}

}  // namespace Atoll::insight
