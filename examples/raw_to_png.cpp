// Writes raw texels (RGBA, 8 bits each, top row first) as a PNG file: raw_to_png RAW WIDTH HEIGHT PNG
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "png_file.h"

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: raw_to_png RAW WIDTH HEIGHT PNG\n");
    return 2;
  }
  size_t width = std::strtoul(argv[2], nullptr, 10), height = std::strtoul(argv[3], nullptr, 10);
  std::ifstream file(argv[1], std::ios::binary);
  std::vector<char> texels{std::istreambuf_iterator<char>(file), {}};
  if (!file || width == 0 || height == 0 || texels.size() != width * height * 4) {
    std::fprintf(stderr, "raw_to_png: %s: wants %zu bytes (%zux%zu RGBA), has %zu\n", argv[1], width * height * 4, width, height,
                 texels.size());
    return 1;
  }
  if (!write_png("raw_to_png", argv[4], width, height, texels.data())) return 1;
}
