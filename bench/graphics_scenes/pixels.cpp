// Layers of quads over the whole screen: what a pixel costs apart from its shader.
#include <cmath>

#include "scene.h"
#include "texture.h"

namespace scenes {

namespace {

constexpr int layers = 20;

void draw_layers(int) {
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  for (int n = 0; n < layers; n++) glDrawArrays(GL_TRIANGLE_STRIP, n * 4, 4);
}

void use_program(const char* fragment) {
  glUseProgram(make_program(R"(#version 120
    attribute vec4 position, colour;
    attribute vec2 coordinates;
    varying vec4 shade;
    varying vec2 place;
    void main() { gl_Position = position; shade = colour; place = coordinates; })",
                            fragment, corner_attributes));
}

// Smooth-shaded layers; the depth of layer n is from + n * step.
void make_shaded(float alpha, float from, float step) {
  use_program("#version 120\nvarying vec4 shade;\nvoid main() { gl_FragColor = shade; }");
  std::vector<Quad> quads;
  for (int n = 0; n < layers; n++) {
    quads.push_back(screen_quad(from + float(n) * step));
    for (Corner& corner : quads.back()) {
      corner.colour[2] = float(n) / (layers - 1);
      corner.colour[3] = alpha;
    }
  }
  bind_corners(quads);
}

void make_fill() { make_shaded(1, 0, 0); }

void make_blend() {
  make_shaded(0.3f, 0, 0);
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

void make_depth() {
  make_shaded(1, 0.9f, -0.05f);
  glEnable(GL_DEPTH_TEST);
}

void make_hidden() {
  make_shaded(1, -0.9f, 0.05f);
  glEnable(GL_DEPTH_TEST);
}

void make_texture(GLint minify, GLint magnify) {
  GLuint texture;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  GLint number = 0;
  for (auto& level : texture_levels()) {
    int side = texture_size >> number;
    glTexImage2D(GL_TEXTURE_2D, number++, GL_RGBA8, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, level.data());
  }
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, minify);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, magnify);

  use_program(
      "#version 120\nuniform sampler2D image;\nvarying vec2 place;\nvoid main() { gl_FragColor = texture2D(image, place); }");
  // A floor that goes away from the viewer: w is 1 at the bottom and 6 at the top, where a pixel is some 4 by 19 texels.
  std::vector<Quad> quads;
  for (int n = 0; n < layers; n++) {
    quads.push_back(screen_quad(0));
    for (Corner& corner : quads.back()) {
      float x = corner.position[0], w = corner.position[1] < 0 ? 1 : 6;
      for (int i = 0; i < 3; i++) corner.position[i] *= w;
      corner.position[3] = w;
      corner.coordinates[0] = x * w * 0.5f + float(n) * 0.03f;
      corner.coordinates[1] = w * 0.75f;
    }
  }
  bind_corners(quads);
}

void make_nearest() { make_texture(GL_NEAREST, GL_NEAREST); }
void make_bilinear() { make_texture(GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR); }
void make_trilinear() { make_texture(GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR); }

constexpr Scene table[] = {
    {"fill", "20 smooth-shaded layers over the screen", 21, make_fill, draw_layers},
    {"blend", "20 layers, each blended over those before", 21, make_blend, draw_layers},
    {"depth", "20 layers with a depth test, each nearer than those before", 21, make_depth, draw_layers},
    {"hidden", "20 layers with a depth test, 19 of them behind the first", 21, make_hidden, draw_layers},
    {"nearest", "20 layers of a 512x512 texture in perspective, nearest texel", 21, make_nearest, draw_layers},
    {"bilinear", "the same, bilinear from the nearest level", 21, make_bilinear, draw_layers},
    {"trilinear", "the same, trilinear", 21, make_trilinear, draw_layers},
};

}  // namespace

std::span<const Scene> pixel_scenes() { return table; }

}  // namespace scenes
