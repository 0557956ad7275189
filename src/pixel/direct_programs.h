// The programs with which a draw's waves write their pixels themselves. For each shader and state of the pipeline there is one
// for any quads, one for blocks that a primitive covers whole, and one for waves in which a pixel comes twice
// (pipeline::DirectKind). This is the same for every family, which says what its frame is (framed_program.h).
#pragma once
#include <array>
#include <memory>

#include "pixel/framed_program.h"

namespace Atoll::pixel {

// The programs that a stage was given. A family may add to it.
struct DirectPrograms {
  std::array<std::shared_ptr<FramedProgram>, 3> framed;  // by pipeline::DirectKind; null: none, or no code of it yet
  bool alpha_to_coverage = false;
  bool fills = false;  // the stage fills the registers itself, from batches that are interpolated

  bool has(pipeline::DirectKind kind) const { return framed[size_t(kind)] != nullptr; }
};

// The source of these programs. `State`: the family's, with the members `one_primitive` and `second_pass`;
// make_frame(std::shared_ptr<State>) in its namespace makes a Frame of it.
template <class State>
struct DirectShader {
  const wave::Program& program;
  uint64_t entry;
  const wave::Wave& like;
  wave::Executor& executor;  // of waves whose pixels the pipeline writes
  FramedPrograms<State>& framed;
  wave::EngineChoice engine;
  wave::FloatMode mode;
  bool watched = false;  // each instruction of the shader is checked, and no other code may run
};

// The answer of PixelStage::begin_direct(). `why`: the reason why there can be no `frame`; `direct` if there can. `found` is null
// if there is nothing to look for. If code is made in the background, the pipeline does it until there is some: the same, bit for
// bit.
template <class State, class Programs>
pipeline::DirectKinds find_direct_programs(const DirectShader<State>& shader, const pipeline::DirectOutputs& outputs,
                                           const State& frame, pipeline::PixelPath why, bool fills,
                                           std::shared_ptr<Programs>& found) {
  using enum pipeline::DirectKind;
  const bool automatic = shader.engine == wave::EngineChoice::Auto, can_be = why == pipeline::PixelPath::direct;
  shader.executor.put_off(can_be);  // the framed program replaces it
  const bool hot = !automatic || shader.executor.is_hot();
  if (automatic && hot && can_be) shader.executor.note_hot();
  if ((!hot && !shader.executor.was_hot()) || shader.watched) return {};
  if (!can_be) return {.why = why, .is_final = true};
  const bool second_pass = frame.second_pass;
  found = std::make_shared<Programs>();
  auto kept = shader.framed.find(frame);
  auto ready = [&](pipeline::DirectKind kind) {
    return kept.ready(kind, shader.engine, shader.mode, !hot, [&] {
      auto state = std::make_shared<State>(frame);
      state->one_primitive = kind == blocks, state->second_pass = second_pass || kind == overlapping;
      return std::make_shared<FramedProgram>(shader.program, shader.entry, make_frame(std::move(state)), shader.engine,
                                             shader.like);
    });
  };
  auto& of_any = found->framed[size_t(any)];
  auto& of_blocks = found->framed[size_t(blocks)];
  auto& of_overlapping = found->framed[size_t(overlapping)];
  of_any = ready(any);
  // Special code for blocks and for pixels that come twice is made once there are many of these.
  const bool wants_blocks = !fills, wants_overlapping = outputs.has_overlaps && !second_pass;
  if (wants_blocks && (!automatic || (of_any && of_any->has_run_long()))) of_blocks = ready(blocks);
  const bool makes_overlapping = wants_overlapping && (!automatic || shader.framed.has_misses());
  if (makes_overlapping) of_overlapping = ready(overlapping);
  if (of_any) shader.executor.put_off(makes_overlapping && !of_overlapping);
  const bool is_final = of_any && (of_blocks || !wants_blocks) && (of_overlapping || !wants_overlapping);
  if (!of_blocks) of_blocks = of_any;
  found->alpha_to_coverage = outputs.alpha_to_coverage, found->fills = fills;
  return {.blocks = of_blocks && !fills,
          .any = of_any != nullptr,
          .overlapping = of_overlapping != nullptr,
          .second_pass = second_pass,
          .interpolated = fills,
          .is_final = is_final};
}

}  // namespace Atoll::pixel
