// A framebuffer of one format, and programs, of the cases that draw.
#pragma once
#include <string>
#include <vector>

#include "../sheet.h"
#include "cases.h"

namespace gl_cases {

inline constexpr const char* everywhere =
    "#version 450\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.5, 1.0); }";

// A target of one format, what is in it as floats.
struct Picture {
  GLuint framebuffer = 0, colour = 0, depth = 0;
  int width, height;
  Picture(GLenum format, int w, int h, GLenum depth_format = GL_DEPTH24_STENCIL8) : width(w), height(h) {
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glGenTextures(1, &colour);
    glBindTexture(GL_TEXTURE_2D, colour);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, w, h);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
    glGenTextures(1, &depth);
    glBindTexture(GL_TEXTURE_2D, depth);
    glTexStorage2D(GL_TEXTURE_2D, 1, depth_format, w, h);
    const bool stencil = depth_format == GL_DEPTH24_STENCIL8 || depth_format == GL_DEPTH32F_STENCIL8;
    glFramebufferTexture2D(GL_FRAMEBUFFER, stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    glViewport(0, 0, w, h);
    glClearColor(0.25f, 0.5f, 0.75f, 0.5f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
  }
  ~Picture() {
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &colour);
    glDeleteTextures(1, &depth);
  }
  std::vector<uint32_t> read(GLenum format = GL_RGBA, GLenum type = GL_FLOAT) const {
    const size_t each = format == GL_RGBA || format == GL_RGBA_INTEGER ? 4 : 1;
    std::vector<uint32_t> words(each * size_t(width * height));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glReadPixels(0, 0, width, height, format, type, words.data());
    return words;
  }
};

struct Program {
  GLuint id;
  Program(const std::string& vertex, const std::string& fragment)
      : id(sheet::make_program({{GL_VERTEX_SHADER, vertex}, {GL_FRAGMENT_SHADER, fragment}})) {
    glUseProgram(id);
  }
  ~Program() {
    glUseProgram(0);
    glDeleteProgram(id);
  }
};

}  // namespace gl_cases
