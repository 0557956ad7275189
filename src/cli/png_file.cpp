#include "cli/png_file.h"

#include <png.h>

#include <cstdio>
#include <vector>

namespace Atoll::cli {

Expected<void> write_png(const std::string& path, unsigned width, unsigned height, std::span<const uint8_t> rgba, bool alpha) {
  if (!width || !height || rgba.size() < size_t(width) * height * 4)
    return fail("{}: a picture of {} x {} pixels", path, width, height);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width, image.height = height;
  image.format = alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  std::vector<uint8_t> rgb;
  const uint8_t* pixels = rgba.data();
  if (!alpha) {
    rgb.resize(size_t(width) * height * 3);
    for (size_t n = 0; n < size_t(width) * height; n++)
      for (size_t c = 0; c < 3; c++) rgb[n * 3 + c] = rgba[n * 4 + c];
    pixels = rgb.data();
  }
  if (!png_image_write_to_file(&image, path.c_str(), 0, pixels, 0, nullptr)) {
    std::remove(path.c_str());
    return fail("{}: {}", path, image.message);
  }
  return {};
}

}  // namespace Atoll::cli
