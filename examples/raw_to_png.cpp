// Writes raw texels (RGBA, 8 bits each, top row first) as a PNG file: raw_to_png RAW WIDTH HEIGHT PNG
#include <png.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

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
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGBA;
  if (!png_image_write_to_file(&image, argv[4], 0, texels.data(), 0, nullptr)) {
    std::fprintf(stderr, "raw_to_png: %s: %s\n", argv[4], image.message);
    return 1;
  }
}
