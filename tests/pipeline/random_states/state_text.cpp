#include <fmt/format.h>

#include "case.h"

namespace Atoll::pipeline::test {

namespace {

constexpr const char* compares[] = {"never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always"};
constexpr const char* ops[] = {"keep",           "zero",           "replace", "increment_clamp", "decrement_clamp", "invert",
                               "increment_wrap", "decrement_wrap", "ones",    "replace_op",      "and_op",          "or_op",
                               "xor_op",         "nand_op",        "nor_op",  "xnor_op"};
constexpr const char* blend_ops[] = {"add", "subtract", "reverse_subtract", "min", "max"};
constexpr const char* terms[] = {"zero",     "source",   "source_alpha",   "target",        "target_alpha",
                                 "saturate", "constant", "constant_alpha", "second_source", "second_source_alpha"};
constexpr const char* topologies[] = {"points",       "lines", "line_strip", "line_loop", "triangles", "triangle_strip",
                                      "triangle_fan", "quads", "quad_strip", "polygon",   "rectangles"};

std::string factor(BlendFactor f) {
  if (f == BlendFactor::one) return "one";
  return std::string(is_one_minus(f) ? "1-" : "") + terms[int(term_of(f))];
}

std::string face_text(const char* name, const StencilFace& f) {
  return fmt::format("  {} {} fail {} depth_fail {} pass {} reference {:#x} masks {:#x} {:#x} op value {:#x}\n", name,
                     compares[int(f.compare)], ops[int(f.fail)], ops[int(f.depth_fail)], ops[int(f.pass)], f.reference,
                     f.compare_mask, f.write_mask, f.op_value);
}

}  // namespace

std::string text_of(const Case& c) {
  std::string text = fmt::format("{}x{}, {} samples, {} draws, {} threads; depth {} bits, stencil {}\n", c.width, c.height,
                                 c.samples, c.draws.size(), c.threads, c.depth_bits,
                                 c.stencil_in_upper_byte ? "in its upper byte"
                                 : c.stencil             ? "apart"
                                                         : "none");
  for (unsigned n = 0; n < 8; n++) {
    if (!c.has_colour[n]) continue;
    const ColourTarget& t = c.colour[n];
    text += fmt::format("colour {}: {} {}, order {}{}{}{}{}{}\n", n, surface::row(t.format.layout).name,
                        surface::name(t.format.number), int(t.format.order[0]), int(t.format.order[1]), int(t.format.order[2]),
                        int(t.format.order[3]), t.round_toward_zero ? ", rounds toward zero" : "",
                        t.alpha_reads_as_one ? ", alpha reads as 1" : "");
  }
  return text;
}

std::string text_of(const Case& c, const RandomDraw& d) {
  const Draw& draw = d.draw;
  const Rasterization& r = draw.rasterization;
  const DepthStencil& z = draw.depth_stencil;
  const ColourOutput& o = draw.colour;
  const Shader& s = d.shader;
  std::string text = fmt::format("  {} of {} vertices, {} samples, mask {:#x}{}{}{}{}\n", topologies[int(draw.assembly.topology)],
                                 draw.vertices.count, r.samples, r.sample_mask, r.sample_shading ? ", sample shading" : "",
                                 r.over_rasterize ? ", over-rasterised" : "", draw.stays_open ? ", stays open" : "",
                                 d.depth_only ? ", no pixel stage" : "");
  text += fmt::format(
      "  depth test {} write {} {} sign {}, bounds {} {} to {}, {}, counts {}, copies depth {} stencil {} sample {} first {}\n",
      z.depth_test, z.depth_write, compares[int(z.depth_compare)], int(z.depth_sign), z.bounds_test, z.bounds_low, z.bounds_high,
      z.early ? "early" : "late", z.count_samples, z.copy_depth, z.copy_stencil, z.copied_sample, z.copy_first_drawn);
  if (z.stencil_test) text += face_text("stencil front", z.front) + face_text("stencil back", z.back);
  text += fmt::format(
      "  constant {} {} {} {}, logic {} {:#x}, alpha to coverage {} ({} samples, {}{}{}{} eighths{}), to one {}, alpha "
      "test {} {} {}, clamps {}\n",
      o.constant[0], o.constant[1], o.constant[2], o.constant[3], o.logic_op_enable, o.logic_op, o.alpha_to_coverage,
      o.alpha_samples, o.alpha_rounding[0], o.alpha_rounding[1], o.alpha_rounding[2], o.alpha_rounding[3],
      o.alpha_in_order ? ", in order" : "", o.alpha_to_one, o.alpha_test, compares[int(o.alpha_compare)], o.alpha_reference,
      o.clamp_before_blending);
  for (unsigned n = 0; n < 8; n++) {
    if (!c.has_colour[n]) continue;
    const Blend& b = o.blend[n];
    text += fmt::format("  blend {}: {}, mask {:#x}, logic {}, colour {} {} {}{}, alpha {} {} {}{}\n", n, b.enable ? "on" : "off",
                        b.write_mask, b.logic_op, factor(b.source_colour), blend_ops[int(b.colour)], factor(b.target_colour),
                        b.clamp_colour ? " clamped" : "", factor(b.source_alpha), blend_ops[int(b.alpha)], factor(b.target_alpha),
                        b.clamp_alpha ? " clamped" : "");
    if (b.discard.when != SourceDiscard::When::never)
      text += fmt::format("    left out {} {} {} {} {}, components {:#x}\n",
                          b.discard.when == SourceDiscard::When::below ? "below" : "from", b.discard.bound[0], b.discard.bound[1],
                          b.discard.bound[2], b.discard.bound[3], b.discard.components);
    if (b.colour_cut.from || b.alpha_cut.from)
      text += fmt::format("    of {}{} and {}{} bits\n", b.colour_cut.from, b.colour_cut.rounds ? " rounded" : "",
                          b.alpha_cut.from, b.alpha_cut.rounds ? " rounded" : "");
  }
  text += fmt::format("  pixels: {} lanes, outputs {:#x}, halves {:#x}{}{}{}{}{}, {} % killed\n", s.lanes, s.written,
                      s.halves & s.written, s.constant ? ", alike" : "", s.has_second_source ? ", second source" : "",
                      s.has_depth ? ", depth" : "", s.has_stencil ? ", stencil" : "", s.has_coverage ? ", coverage" : "",
                      s.kill_percent);
  return text;
}

}  // namespace Atoll::pipeline::test
