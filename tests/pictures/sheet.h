// A picture of squares, one a feature, that drivers draw and compare_pictures compares.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

namespace sheet {

struct Square {
  std::string name;
  std::function<bool()> draw;  // into the viewport; false: it said why not
};

// Runs PROGRAM [--list] [--only N] PNG: makes a context, calls `begin`, draws the squares, writes the picture. The exit status.
int run(const char* program, int argc, char** argv, const std::vector<Square>& squares, const std::function<bool()>& begin);

// A linked program of shaders, or 0 and the log on standard error.
GLuint make_program(const std::vector<std::pair<GLenum, std::string>>& shaders);

}  // namespace sheet
