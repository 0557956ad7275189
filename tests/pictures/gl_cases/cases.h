// Cases of OpenGL 4.5 whose results are numbers: each is judged by a model of its own, or kept, to be compared with what another driver
// leaves.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

namespace gl_cases {

// How much a kept value may be off another driver's.
struct Bound {
  bool floats = false;  // the words are floats; otherwise they are the same
  double relative = 0, absolute = 0;
  double share = 0;  // of the values may be off by more: those at an edge that no rule settles
};
inline constexpr Bound exact{};

// The end of a case. `detail` says what is wrong, or nothing.
void judge(const std::string& name, const std::string& detail);
void keep(const std::string& name, const Bound& bound, const std::vector<uint32_t>& words);

// Numbers that are the same everywhere.
struct Random {
  uint64_t state;
  uint32_t word() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return uint32_t(state >> 32);
  }
  uint32_t below(uint32_t n) { return uint32_t(uint64_t(word()) * n >> 32); }
  float unit() { return float(word() >> 8) * 0x1p-24f; }
};

// A buffer of words at a binding; its contents.
GLuint make_buffer(GLenum target, GLuint binding, const std::vector<uint32_t>& words);
std::vector<uint32_t> words_of(GLuint buffer, size_t count);

// A program of a compute shader whose text begins behind #version and extensions; 0 if there is none.
GLuint compute_program(const std::string& text);

// The parts of the program.
void builtins();
void images();
void textures();
void feedback();
void draws();
void pixels();
void blits();
void samples();
void fxt1();

}  // namespace gl_cases
