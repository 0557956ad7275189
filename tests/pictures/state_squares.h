// Squares of the sheet of fixed state that blend: which formats, factors and equations, for the program that draws them (state_sheet.cpp) and
// for the model of what they should be (state_model.cpp).
#pragma once
#include <vector>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

namespace state_sheet {

struct Format {
  GLenum format;
  const char* name;
};
inline constexpr Format blended_formats[] = {{GL_RGBA8, "RGBA8"},
                                             {GL_RGB8, "RGB8"},
                                             {GL_RGBA16F, "RGBA16F"},
                                             {GL_RGB10_A2, "RGB10_A2"},
                                             {GL_R8, "R8"},
                                             {GL_RGB5, "RGB5"},
                                             {GL_RGBA16, "RGBA16"},
                                             {GL_RG16, "RG16"},
                                             {GL_R11F_G11F_B10F, "R11F_G11F_B10F"},
                                             {GL_RGBA32F, "RGBA32F"},
                                             {GL_RGBA4, "RGBA4"},
                                             {GL_ALPHA8, "ALPHA8"},
                                             {GL_LUMINANCE8, "LUMINANCE8"},
                                             {GL_INTENSITY8, "INTENSITY8"},
                                             {GL_RGB16F, "RGB16F"}};
inline constexpr Format masked_formats[] = {
    {GL_RGBA8, "RGBA8"}, {GL_RGB10_A2, "RGB10_A2"}, {GL_RGBA16F, "RGBA16F"}, {GL_RGB5_A1, "RGB5_A1"}};
inline constexpr float blend_colour[4] = {0.7f, 0.3f, 0.5f, 0.6f};

// How a square blends over what its target has: factors of colours and of alpha, equations of both.
struct Blend {
  Format format;
  GLenum source, target, source_alpha, target_alpha, equation, alpha_equation;
};

// The squares "blending in FORMAT" and "alpha of a target in FORMAT", which stand side by side but for ALPHA8, which has the latter alone
// (llvmpipe blends alpha alone by the colours' equation).
struct BlendPair {
  bool has_blending;
  Blend blending, of_target;
};
inline std::vector<BlendPair> blend_pairs() {
  constexpr GLenum factors[] = {GL_ZERO,
                                GL_ONE,
                                GL_SRC_COLOR,
                                GL_ONE_MINUS_SRC_COLOR,
                                GL_DST_COLOR,
                                GL_ONE_MINUS_DST_COLOR,
                                GL_SRC_ALPHA,
                                GL_ONE_MINUS_SRC_ALPHA,
                                GL_DST_ALPHA,
                                GL_ONE_MINUS_DST_ALPHA,
                                GL_CONSTANT_COLOR,
                                GL_ONE_MINUS_CONSTANT_COLOR,
                                GL_CONSTANT_ALPHA,
                                GL_ONE_MINUS_CONSTANT_ALPHA,
                                GL_SRC_ALPHA_SATURATE};
  constexpr GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX};
  std::vector<BlendPair> all;
  for (const Format& f : blended_formats)
    for (int n = 0; n < 15; n++) {
      const bool few = f.format == GL_ALPHA8 || f.format == GL_LUMINANCE8 || f.format == GL_INTENSITY8 || n % 2;
      if (few && n % 4) continue;
      const GLenum target = factors[(n + 8) % 14], on_itself = n % 2 ? GL_ONE_MINUS_DST_ALPHA : GL_DST_ALPHA,
                   kept = n & 2 ? GL_DST_ALPHA : GL_ZERO;
      all.push_back(
          {f.format != GL_ALPHA8,
           {f, factors[(n * 4 + 6) % 15], target, factors[(n * 7) % 14], target, equations[n % 5], equations[(n + 1) % 3]},
           {f, on_itself, kept, on_itself, kept, GL_FUNC_ADD, GL_FUNC_ADD}});
    }
  return all;
}

}  // namespace state_sheet
