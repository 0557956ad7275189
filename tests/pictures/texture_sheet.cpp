// A sheet of textured squares, one a feature of OpenGL 2.1's textures: wrap modes, filters, levels, formats, dimensions, shadows,
// coordinates that are projected. Two drivers' sheets are compared by compare_pictures. texture_sheet [--only N] PNG
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

#include "sheet.h"

namespace {

constexpr float level_shift = 0.2f;  // how much levels differ: a level of detail that is somewhat off is to be seen, but small

struct Square {
  std::string name;
  std::function<void()> draw;  // in a window of `inside` pixels, coordinates 0 to 1
};
std::vector<Square> squares;

uint8_t wave(float v) { return uint8_t(127.5f + 127 * std::sin(v)); }

// Smooth but for two lines, so that places can be told apart and half a texel shows.
std::vector<uint8_t> pattern(int width, int height, int components, float shift = 0) {
  std::vector<uint8_t> texels(size_t(width) * size_t(height) * size_t(components));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float u = (float(x) + 0.5f) / float(width), v = (float(y) + 0.5f) / float(height);
      uint8_t colour[4] = {wave(4 * u + shift), wave(5 * v + 1 + 2 * shift), wave(3 * (u + v) - shift), uint8_t(80 + 150 * u)};
      if (x == 1 || y == 2) colour[0] = 255, colour[1] = 240, colour[2] = 30;
      std::memcpy(&texels[(size_t(y) * size_t(width) + size_t(x)) * size_t(components)], colour, size_t(components));
    }
  return texels;
}

void quad(float s0, float t0, float s1, float t1) {
  glBegin(GL_QUADS);
  glTexCoord2f(s0, t0), glVertex2f(0, 0);
  glTexCoord2f(s1, t0), glVertex2f(1, 0);
  glTexCoord2f(s1, t1), glVertex2f(1, 1);
  glTexCoord2f(s0, t1), glVertex2f(0, 1);
  glEnd();
}

void filters(GLenum target, GLenum min, GLenum mag, GLenum wrap = GL_REPEAT) {
  glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GLint(min));
  glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GLint(mag));
  glTexParameteri(target, GL_TEXTURE_WRAP_S, GLint(wrap));
  glTexParameteri(target, GL_TEXTURE_WRAP_T, GLint(wrap));
  glTexParameteri(target, GL_TEXTURE_WRAP_R, GLint(wrap));
}

void bind(GLenum target) {
  GLuint texture;
  glGenTextures(1, &texture);
  glBindTexture(target, texture);
}

void upload(int width, int height, GLint internal = GL_RGBA8, int level = 0, float shift = 0) {
  auto texels = pattern(width, height, 4, shift);
  // Components of four bits are those that lose nothing: drivers may turn them by drawing, and R5xx leaves out bits
  // (RB3D_DITHER_CTL).
  if (internal == GL_RGBA4)
    for (uint8_t& component : texels) component = uint8_t((component >> 4) * 17);
  glTexImage2D(GL_TEXTURE_2D, level, internal, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
}

// Every level in a colour of its own, so that the choice of levels shows.
void upload_levels(int size) {
  for (int level = 0; size >> level; level++) upload(size >> level, size >> level, GL_RGBA8, level, float(level) * level_shift);
}

void add(const std::string& name, GLenum target, std::function<void()> draw) {
  squares.push_back({name, [=] {
                       glEnable(target);
                       bind(target);
                       glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
                       draw();
                       glDisable(target);
                     }});
}

void add_wraps() {
  const std::pair<GLenum, const char*> wraps[] = {{GL_REPEAT, "repeat"},
                                                  {GL_MIRRORED_REPEAT, "mirrored repeat"},
                                                  {GL_CLAMP_TO_EDGE, "clamp to edge"},
                                                  {GL_CLAMP_TO_BORDER, "clamp to border"},
                                                  {GL_CLAMP, "clamp"}};
  for (GLenum filter : {GL_NEAREST, GL_LINEAR})
    for (auto [wrap, name] : wraps)
      add(std::string("wrap ") + name + (filter == GL_LINEAR ? ", linear" : ", nearest"), GL_TEXTURE_2D, [=, wrap = wrap] {
        const float border[4] = {0.9f, 0.2f, 0.6f, 1};
        upload(16, 8);
        filters(GL_TEXTURE_2D, filter, filter, wrap);
        glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
        // nearest texels have whole pixels' width, and edges between them do not fall on pixels' centres
        quad(-0.75f + 0.003f, -0.75f + 0.003f, 1.75f + 0.003f, 1.75f + 0.003f);
      });
}

void add_filters() {
  const GLenum mins[] = {GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST, GL_NEAREST_MIPMAP_LINEAR, GL_LINEAR_MIPMAP_LINEAR};
  for (GLenum min : mins)
    add("mipmaps " + std::to_string(min), GL_TEXTURE_2D, [=] {
      upload_levels(64);
      filters(GL_TEXTURE_2D, min, GL_LINEAR);
      quad(0.0137f, 0.0171f, 2.9153f, 2.9381f);
    });
  add("levels 1 to 3", GL_TEXTURE_2D, [] {
    upload_levels(64);
    filters(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 3);
    quad(0.01f, 0.02f, 9.0f, 9.1f);
  });
  add("lod bias", GL_TEXTURE_2D, [] {
    upload_levels(64);
    filters(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
    glTexEnvf(GL_TEXTURE_FILTER_CONTROL, GL_TEXTURE_LOD_BIAS, 1.5f);
    quad(0.01f, 0.02f, 1.4f, 1.45f);
    glTexEnvf(GL_TEXTURE_FILTER_CONTROL, GL_TEXTURE_LOD_BIAS, 0);
  });
  add("lod 1 to 2", GL_TEXTURE_2D, [] {
    upload_levels(64);
    filters(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MIN_LOD, 1);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_LOD, 2);
    quad(0.01f, 0.02f, 4.1f, 1.1f);
  });
  add("lod 2 at least", GL_TEXTURE_2D, [] {
    upload_levels(64);
    filters(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MIN_LOD, 2);
    quad(0.01f, 0.02f, 0.8f, 0.7f);
  });
  add("no square", GL_TEXTURE_2D, [] {
    for (int level = 0; level < 7; level++)
      upload(64 >> level, std::max(1, 8 >> level), GL_RGBA8, level, float(level) * level_shift);
    filters(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
    quad(0.01f, 0.02f, 4.2f, 3.9f);
  });
  add("generated levels", GL_TEXTURE_2D, [] {
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, GL_TRUE);
    upload(64, 64);
    filters(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
    quad(0.0137f, 0.0171f, 2.9153f, 2.9381f);
  });
  add("part replaced", GL_TEXTURE_2D, [] {
    upload(40, 24);
    auto texels = pattern(13, 9, 4, 2);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 11, 7, 13, 9, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    filters(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
    quad(0, 0, 1, 1);
  });
}

void add_formats() {
  const std::pair<GLint, const char*> formats[] = {
      {GL_RGBA8, "rgba8"},
      {GL_RGB8, "rgb8"},

      {GL_RGBA4, "rgba4"},

      {GL_LUMINANCE8, "luminance8"},
      {GL_ALPHA8, "alpha8"},
      {GL_LUMINANCE8_ALPHA8, "luminance8_alpha8"},
      {GL_INTENSITY8, "intensity8"},
      {GL_SRGB8_ALPHA8, "srgb8_alpha8"},
  };
  for (auto [format, name] : formats)
    add(std::string("format ") + name, GL_TEXTURE_2D, [=, format = format] {
      upload(32, 32, format);
      filters(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
      quad(0, 0, 1, 1);
    });
  for (GLenum format : {GL_COMPRESSED_RGB_S3TC_DXT1_EXT, GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, GL_COMPRESSED_RGBA_S3TC_DXT3_EXT,
                        GL_COMPRESSED_RGBA_S3TC_DXT5_EXT})
    add("compressed " + std::to_string(format - GL_COMPRESSED_RGB_S3TC_DXT1_EXT), GL_TEXTURE_2D, [=] {
      // Blocks made here, so that no driver's encoder is part of it: colours from dark to bright, all codes.
      bool one = format == GL_COMPRESSED_RGB_S3TC_DXT1_EXT || format == GL_COMPRESSED_RGBA_S3TC_DXT1_EXT;
      std::vector<uint8_t> blocks;
      for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) {
          if (!one)
            for (int i = 0; i < 8; i++) blocks.push_back(uint8_t(i == 0 ? 250 - x : i == 1 ? 20 + y : 37 * x + 11 * y + 91 * i));
          uint16_t bright = uint16_t((31 - x) << 11 | (63 - 2 * y) << 5 | (8 + x + y)), dark = uint16_t(x << 11 | y << 5 | x);
          if (one && (x ^ y) & 1) std::swap(bright, dark);  // the form of three colours
          for (uint16_t colour : {bright, dark}) blocks.push_back(uint8_t(colour)), blocks.push_back(uint8_t(colour >> 8));
          for (int i = 0; i < 4; i++) blocks.push_back(uint8_t(0xe4 + 57 * i + 3 * x));
        }
      glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, 32, 32, 0, GLsizei(blocks.size()), blocks.data());
      filters(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
      quad(0, 0, 1, 1);
    });
}

void cube_faces(int size, int levels) {
  for (int face = 0; face < 6; face++)
    for (int level = 0; level < levels; level++) {
      auto texels = pattern(size >> level, size >> level, 4, float(face) * 0.8f + float(level) * 0.3f);
      glTexImage2D(GLenum(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face), level, GL_RGBA8, size >> level, size >> level, 0, GL_RGBA,
                   GL_UNSIGNED_BYTE, texels.data());
    }
}

// Directions over half of a sphere, in small quads. (Of two triangles each: which diagonal cuts a quad is the chip's.)
void sphere_quads(float side) {
  auto corner = [side](float u, float v) {
    float longitude = 6.2f * u, latitude = 3.0f * v + 0.07f;
    glTexCoord3f(std::sin(latitude) * std::cos(longitude) * 2, std::cos(latitude) * 2 * side,
                 std::sin(latitude) * std::sin(longitude) * 2);
    glVertex2f(u, v);
  };
  glBegin(GL_TRIANGLES);
  for (int j = 0; j < 8; j++)
    for (int i = 0; i < 8; i++) {
      float u = float(i) / 8, v = float(j) / 8, step = 1.0f / 8;
      corner(u, v), corner(u + step, v), corner(u + step, v + step);
      corner(u, v), corner(u + step, v + step), corner(u, v + step);
    }
  glEnd();
}

void add_dimensions() {
  add("one dimension", GL_TEXTURE_1D, [] {
    auto texels = pattern(32, 1, 4);
    glTexImage1D(GL_TEXTURE_1D, 0, GL_RGBA8, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    filters(GL_TEXTURE_1D, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
    quad(-0.2f, 0, 1.2f, 0);
  });
  for (GLenum filter : {GL_NEAREST, GL_LINEAR})
    add("three dimensions", GL_TEXTURE_3D, [=] {
      std::vector<uint8_t> texels;
      for (int z = 0; z < 8; z++) {
        auto slice = pattern(16, 16, 4, float(z) * 0.5f);
        texels.insert(texels.end(), slice.begin(), slice.end());
      }
      glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 16, 16, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
      filters(GL_TEXTURE_3D, filter, filter, GL_CLAMP_TO_EDGE);
      glBegin(GL_QUADS);
      glTexCoord3f(0.003f, 0.003f, 0.01f), glVertex2f(0, 0);
      glTexCoord3f(1, 0.003f, 0.28f), glVertex2f(1, 0);
      glTexCoord3f(1, 1, 0.97f), glVertex2f(1, 1);
      glTexCoord3f(0.003f, 1, 0.70f), glVertex2f(0, 1);
      glEnd();
    });
  add("cube", GL_TEXTURE_CUBE_MAP, [] {
    cube_faces(32, 1);
    filters(GL_TEXTURE_CUBE_MAP, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
    sphere_quads(1);
  });
  add("cube, levels", GL_TEXTURE_CUBE_MAP, [] {
    cube_faces(64, 7);
    filters(GL_TEXTURE_CUBE_MAP, GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR, GL_CLAMP_TO_EDGE);
    sphere_quads(-1);
  });
  add("rectangle", GL_TEXTURE_RECTANGLE_ARB, [] {
    auto texels = pattern(37, 21, 4);
    glTexImage2D(GL_TEXTURE_RECTANGLE_ARB, 0, GL_RGBA8, 37, 21, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    filters(GL_TEXTURE_RECTANGLE_ARB, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
    quad(-3, -3, 40, 24);
  });
  add("no power of two", GL_TEXTURE_2D, [] {
    upload(37, 21);
    filters(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
    quad(-0.1f, -0.1f, 1.1f, 1.1f);
  });
  add("projected", GL_TEXTURE_2D, [] {
    upload(32, 32);
    filters(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR);
    glBegin(GL_QUADS);
    glTexCoord4f(0, 0, 0, 1), glVertex2f(0, 0);
    glTexCoord4f(1.4f, 0, 0, 1), glVertex2f(1, 0);
    glTexCoord4f(1.4f, 2.8f, 0, 2.5f), glVertex2f(1, 1);
    glTexCoord4f(0, 2.8f, 0, 2.5f), glVertex2f(0, 1);
    glEnd();
  });
  // Nearest only: drivers are free to filter comparisons, or not.
  add("shadow", GL_TEXTURE_2D, [] {
    std::vector<float> depths(16 * 16);
    for (int i = 0; i < 256; i++)
      depths[size_t(i)] = 0.5f + 0.4f * std::sin(float(i % 16) * 0.7f) * std::cos(float(i / 16) * 0.5f);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 16, 16, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths.data());
    filters(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glBegin(GL_QUADS);
    glTexCoord3f(0.003f, 0.003f, 0.2f), glVertex2f(0, 0);
    glTexCoord3f(1, 0.003f, 0.6f), glVertex2f(1, 0);
    glTexCoord3f(1, 1, 0.8f), glVertex2f(1, 1);
    glTexCoord3f(0.003f, 1, 0.4f), glVertex2f(0, 1);
    glEnd();
  });
  add("drawn into", GL_TEXTURE_2D, [] {
    // A texture that the GPU draws into, through a framebuffer object, then samples.
    GLint framebuffer, viewport[4];
    GLuint texture, other;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &framebuffer);
    glGetIntegerv(GL_VIEWPORT, viewport);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    filters(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
    glGetIntegerv(GL_TEXTURE_BINDING_2D, reinterpret_cast<GLint*>(&texture));
    glGenFramebuffers(1, &other);
    glBindFramebuffer(GL_FRAMEBUFFER, other);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glViewport(0, 0, 32, 32);
    glClearColor(0.2f, 0.3f, 0.4f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_TEXTURE_2D);
    glBegin(GL_TRIANGLES);
    glColor3f(1, 0.2f, 0.1f), glVertex2f(0.1f, 0.1f);
    glColor3f(0.1f, 1, 0.2f), glVertex2f(0.93f, 0.22f);
    glColor3f(0.2f, 0.1f, 1), glVertex2f(0.45f, 0.91f);
    glEnd();
    glColor3f(1, 1, 1);
    glBindFramebuffer(GL_FRAMEBUFFER, GLuint(framebuffer));
    glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);
    glEnable(GL_TEXTURE_2D);
    quad(0, 0, 1, 1);
  });
}

}  // namespace

int main(int argc, char** argv) {
  add_wraps();
  add_filters();
  add_formats();
  add_dimensions();
  std::vector<sheet::Square> list;
  for (const Square& square : squares) list.push_back({square.name, [&square] { return square.draw(), true; }});
  return sheet::run("texture_sheet", argc, argv, list, [] {
    glMatrixMode(GL_PROJECTION);
    glOrtho(0, 1, 1, 0, -1, 1);
    glColor3f(1, 1, 1);
    return true;
  });
}
