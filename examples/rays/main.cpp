// Writes the ray tracers' scene: rays_scene FOLDER [GRID] leaves FOLDER/triangles, tree4 and tree8 and prints how many triangles.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "scene.h"

namespace {

bool write(const std::string& path, const std::vector<uint32_t>& words) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(words.data()), std::streamsize(words.size() * 4));
  if (file.flush()) return true;
  std::fprintf(stderr, "rays_scene: %s cannot be written\n", path.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const int grid = argc > 2 ? std::atoi(argv[2]) : 150;
  if (argc < 2 || argc > 3 || grid < 4 || grid > 400) {
    std::fprintf(stderr, "usage: rays_scene FOLDER [GRID (4 to 400)]\n");
    return 2;
  }
  const std::vector<Triangle> triangles = atoll_scene(grid);
  // Three corners of four floats each; behind the first its colour.
  std::vector<uint32_t> plain;
  for (const Triangle& t : triangles)
    for (int c = 0; c < 3; c++) {
      for (int axis = 0; axis < 3; axis++) plain.push_back(__builtin_bit_cast(uint32_t, t.corner[c][axis]));
      plain.push_back(c ? 0 : t.colour);
    }
  const std::string folder = argv[1];
  if (!write(folder + "/triangles", plain) || !write(folder + "/tree4", nodes_of_four(triangles)) ||
      !write(folder + "/tree8", nodes_of_eight(triangles)))
    return 1;
  std::printf("%zu\n", triangles.size());
}
