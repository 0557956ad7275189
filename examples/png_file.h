// Pictures as PNG files.
#pragma once
#include <png.h>

#include <cstddef>
#include <cstdio>

// Texels of RGBA, 8 bits each, top row first. False: it could not be written, which has been said.
inline bool write_png(const char* program, const char* path, size_t width, size_t height, const void* texels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&image, path, 0, texels, 0, nullptr)) return true;
  std::fprintf(stderr, "%s: %s: %s\n", program, path, image.message);
  return false;
}
