// Compares two PNG files of one size: how many pixels differ in any channel by more than a tolerance, and whether those lie at
// edges. A pixel lies at an edge if one picture changes there (in the 3x3 pixels around, by more than the tolerance) and the
// other picture's colour is among the colours found there: an edge that is somewhat moved, and nothing else.
#include <png.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgba;
  const uint8_t* at(int x, int y) const { return &rgba[(size_t(y) * size_t(width) + size_t(x)) * 4]; }
};

bool read_png(const char* path, Picture& picture) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path)) {
    image.format = PNG_FORMAT_RGBA;
    picture.width = int(image.width);
    picture.height = int(image.height);
    picture.rgba.resize(PNG_IMAGE_SIZE(image));
    if (png_image_finish_read(&image, nullptr, picture.rgba.data(), 0, nullptr)) return true;
  }
  std::fprintf(stderr, "compare_pictures: %s: %s\n", path, image.message);
  return false;
}

bool write_png(const char* path, const Picture& picture) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(picture.width);
  image.height = png_uint_32(picture.height);
  image.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&image, path, 0, picture.rgba.data(), 0, nullptr)) return true;
  std::fprintf(stderr, "compare_pictures: %s: %s\n", path, image.message);
  return false;
}

// Does picture `a` change around (x, y), and is the colour `other` among those found there?
bool edge_explains(const Picture& a, const uint8_t* other, int x, int y, int tolerance) {
  int contrast = 0;
  bool among = true;
  for (int c = 0; c < 4; c++) {
    int least = 255, most = 0;
    for (int v = std::max(y - 1, 0); v <= std::min(y + 1, a.height - 1); v++)
      for (int u = std::max(x - 1, 0); u <= std::min(x + 1, a.width - 1); u++) {
        least = std::min<int>(least, a.at(u, v)[c]);
        most = std::max<int>(most, a.at(u, v)[c]);
      }
    contrast = std::max(contrast, most - least);
    among = among && other[c] >= least - tolerance && other[c] <= most + tolerance;
  }
  return contrast > tolerance && among;
}

bool at_edge(const Picture& a, const Picture& b, int x, int y, int tolerance) {
  return edge_explains(a, b.at(x, y), x, y, tolerance) || edge_explains(b, a.at(x, y), x, y, tolerance);
}

int usage() {
  std::fprintf(stderr,
               "usage: compare_pictures [--tolerance N] [--share PERCENT] [--inside PERCENT] [--difference OUT.png] A.png B.png\n"
               "  --tolerance N      a channel may differ by N of 255 (2)\n"
               "  --share PERCENT    of the pixels may differ by more (0.5)\n"
               "  --inside PERCENT   of the pixels may do so away from edges (0)\n"
               "  --difference OUT   a picture of it: A in grey, differing pixels at edges yellow, others red\n"
               "exit status: 0 within these bounds, 1 not, 2 the pictures cannot be compared\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  int tolerance = 2;
  double share = 0.5, inside_share = 0;
  const char* difference = nullptr;
  std::vector<const char*> files;
  for (int i = 1; i < argc; i++) {
    std::string option = argv[i];
    if (option.rfind("--", 0) != 0) {
      files.push_back(argv[i]);
      continue;
    }
    if (++i == argc) return usage();
    if (option == "--tolerance")
      tolerance = std::atoi(argv[i]);
    else if (option == "--share")
      share = std::atof(argv[i]);
    else if (option == "--inside")
      inside_share = std::atof(argv[i]);
    else if (option == "--difference")
      difference = argv[i];
    else
      return usage();
  }
  if (files.size() != 2) return usage();
  Picture a, b;
  if (!read_png(files[0], a) || !read_png(files[1], b)) return 2;
  if (a.width != b.width || a.height != b.height) {
    std::fprintf(stderr, "compare_pictures: %dx%d and %dx%d pixels\n", a.width, a.height, b.width, b.height);
    return 2;
  }
  Picture shown = a;
  size_t edges = 0, inside = 0;
  int largest = 0, first_x = -1, first_y = -1;
  for (int y = 0; y < a.height; y++)
    for (int x = 0; x < a.width; x++) {
      int most = 0;
      for (int c = 0; c < 4; c++) most = std::max(most, std::abs(a.at(x, y)[c] - b.at(x, y)[c]));
      largest = std::max(largest, most);
      uint8_t* out = &shown.rgba[(size_t(y) * size_t(a.width) + size_t(x)) * 4];
      auto grey = uint8_t((a.at(x, y)[0] + a.at(x, y)[1] + a.at(x, y)[2]) / 6);
      uint8_t colour[4] = {grey, grey, grey, 255};
      if (most > tolerance) {
        bool edge = at_edge(a, b, x, y, tolerance);
        (edge ? edges : inside)++;
        if (!edge && first_x < 0) first_x = x, first_y = y;
        colour[0] = 255, colour[1] = edge ? 220 : 0, colour[2] = 0;
      }
      std::memcpy(out, colour, 4);
    }
  double pixels = double(a.width) * a.height, all = 100 * double(edges + inside) / pixels;
  std::printf("%.3f %% of %.0f pixels differ by more than %d/255: %zu at edges, %zu elsewhere; largest difference %d\n", all,
              pixels, tolerance, edges, inside, largest);
  if (first_x >= 0)
    std::printf("first away from edges: (%d, %d): %d %d %d %d and %d %d %d %d\n", first_x, first_y, a.at(first_x, first_y)[0],
                a.at(first_x, first_y)[1], a.at(first_x, first_y)[2], a.at(first_x, first_y)[3], b.at(first_x, first_y)[0],
                b.at(first_x, first_y)[1], b.at(first_x, first_y)[2], b.at(first_x, first_y)[3]);
  if (difference && !write_png(difference, shown)) return 2;
  return all <= share && 100 * double(inside) / pixels <= inside_share ? 0 : 1;
}
