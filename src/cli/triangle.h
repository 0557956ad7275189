// One triangle through whatever EGL and OpenGL ES the machine has, which are opened at run time.
#pragma once

namespace Atoll::cli {

// Prints the renderer's name on standard output and draws. 0: the pixels are right; 1: they are not, or there is no context (said on
// standard error); 3: the libraries are missing.
int draw_triangle();

}  // namespace Atoll::cli
