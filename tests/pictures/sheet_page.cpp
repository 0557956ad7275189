#include "sheet_page.h"

#include <png.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace sheet {

std::optional<Options> read_options(const char* program, int argc, char** argv, const std::vector<std::string>& names,
                                    int& status) {
  Options options;
  status = 2;
  for (int i = 1; i < argc; i++) {
    std::string option = argv[i];
    if (option == "--list") {
      for (int n = 0; n < int(names.size()); n++)
        std::printf("%d (%d, %d): %s\n", n, n % columns * cell, n / columns * cell, names[size_t(n)].c_str());
      status = 0;
      return {};
    }
    if (option == "--only" && i + 1 < argc) {
      options.only = std::atoi(argv[++i]);
    } else if (options.png.empty() && option.rfind("--", 0) != 0) {
      options.png = option;
    } else {
      options.png.clear();
      break;
    }
  }
  if (!options.png.empty()) return options;
  std::fprintf(stderr, "usage: %s [--list] [--only N] PNG\n", program);
  return {};
}

bool write_png(const char* program, const std::string& file, int width, int height, const std::vector<uint8_t>& rgba) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(width);
  image.height = png_uint_32(height);
  image.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&image, file.c_str(), 0, rgba.data(), 0, nullptr)) return true;
  std::fprintf(stderr, "%s: %s: %s\n", program, file.c_str(), image.message);
  return false;
}

}  // namespace sheet
