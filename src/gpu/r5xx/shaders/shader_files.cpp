#include "gpu/r5xx/shaders/shader_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/r500/text.h"
#include "isa/r500/vertex_text.h"

namespace Atoll::r5xx {
namespace {

// A line each. Words that mean no instruction are a comment.
template <class Words>
void add_instructions(std::string& text, std::span<const uint32_t> code, std::string (*print)(const Words&),
                      std::string_view (*objection)(const Words&)) {
  Words words{};
  for (; code.size() >= words.size(); code = code.subspan(words.size())) {
    std::copy_n(code.begin(), words.size(), words.begin());
    if (std::string_view why = objection(words); why.empty())
      text += fmt::format("{}\n", print(words));
    else
      text += fmt::format("// {:#010x}: {}\n", fmt::join(words, " "), why);
  }
}

void add_flow(std::string& text, const r500::vs::Flow& flow) {
  static constexpr const char* kinds[] = {"", "jump", "loop", "call"};
  for (auto& o : flow.operations)
    if (o.kind != r500::vs::FlowKind::none)
      text += fmt::format("// behind instruction {}: {} {}, last {}, resume {}\n", o.after, kinds[size_t(o.kind)],
                          o.target_or_count, o.last, o.resume);
}

}  // namespace

void write_program(Context& c, Shader& shader, const char* stage) {
  if (!c.program_files || shader.is_written) return;
  shader.is_written = true;
  std::span<const uint32_t> code = shader.words;
  c.program_files->write(c.chip.name, stage, code, [&] {
    std::string text =
        fmt::format("// {} {}, {} bytes, begins at byte {}\n", c.chip.name, stage, code.size() * 4, shader.first_pc);
    if (shader.vertex) {
      add_flow(text, shader.vertex->flow());
      add_instructions<r500::vs::Words>(text, code, r500::vs::print, r500::vs::objection);
    } else {
      add_instructions<r500::Words>(text, code, r500::print, r500::objection);
    }
    return text;
  });
}

}  // namespace Atoll::r5xx
