// The shaders of the sheet of formats, in three variants each: for floats, for unsigned and for signed integers.
#pragma once
#include "formats.h"
#include "vulkan_format_shaders.h"

namespace vulkan {

struct ShaderWords {
  const uint32_t* words;
  size_t bytes;
};

struct FormatShader {
  const char* name;
  ShaderWords variants[3];
};

// The shader variant, by the kind of a format's values as a shader sees them.
inline int variant(Kind kind) { return kind == Kind::UINT ? 1 : kind == Kind::SINT ? 2 : 0; }

namespace shaders {
#define ATOLL_WORDS(name) {name, sizeof(name)}
#define ATOLL_SHADER(name)                                                                                              \
  inline constexpr FormatShader name {                                                                                  \
    #name, { ATOLL_WORDS(format_##name##_float), ATOLL_WORDS(format_##name##_uint), ATOLL_WORDS(format_##name##_sint) } \
  }
ATOLL_SHADER(show_sampled);
ATOLL_SHADER(show_volume);
ATOLL_SHADER(show_image);
ATOLL_SHADER(show_buffer);
ATOLL_SHADER(show_image_buffer);
ATOLL_SHADER(store_image);
ATOLL_SHADER(store_image_buffer);
ATOLL_SHADER(fill);
ATOLL_SHADER(attribute_vertices);
ATOLL_SHADER(attribute_fragments);
inline constexpr ShaderWords fill_vertices = ATOLL_WORDS(format_fill_vertices);
#undef ATOLL_SHADER
#undef ATOLL_WORDS
}  // namespace shaders

}  // namespace vulkan
