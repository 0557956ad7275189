#include "gpu/hsa/image_arguments.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "gpu/hsa/launch_arguments.h"

namespace Atoll::hsa {
namespace {

// As the command line names them, in the order of the enumerations.
constexpr std::string_view order_names[] = {"a",     "r",     "rx",        "rg",        "rgx",  "ra",   "rgb",
                                            "rgbx",  "rgba",  "bgra",      "argb",      "abgr", "srgb", "srgbx",
                                            "srgba", "sbgra", "intensity", "luminance", "depth"};
constexpr unsigned order_components[] = {1, 1, 2, 2, 3, 2, 3, 4, 4, 4, 4, 4, 3, 4, 4, 4, 1, 1, 1};
constexpr std::string_view type_names[] = {
    "snorm8",          "snorm16",          "unorm8", "unorm16", "unorm24", "unorm-short-555",
    "unorm-short-565", "unorm-int-101010", "sint8",  "sint16",  "sint32",  "uint8",
    "uint16",          "uint32",           "half",   "float"};
constexpr unsigned component_bytes[] = {1, 2, 1, 2, 0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 2, 4};

// By order.
constexpr uint32_t selects[] = {
    00004,  // a
    04001,  // r
    04001,  // rx
    04501,  // rg
    04501,  // rgx
    04005,  // ra
    04561,  // rgb
    04561,  // rgbx
    04567,  // rgba
    06547,  // bgra
    05674,  // argb
    07654,  // abgr
    04561,  // srgb
    04561,  // srgbx
    04567,  // srgba
    06547,  // sbgra
    04444,  // intensity
    04441,  // luminance
    04001,  // depth
};

template <size_t N>
int place_in(const std::string_view (&names)[N], std::string_view text) {
  auto found = std::ranges::find(names, text);
  return found == std::end(names) ? -1 : int(found - std::begin(names));
}

// The packed contents of a file: rows of `width` texels, `rows` of them in a slice.
struct Extent {
  uint64_t width, rows, slices;
};
Extent extent_of(const ImageDescription& image) {
  auto [w, h, d] = image.size;
  if (image.kind == ImageKind::one_array) return {w, 1, h};
  return {w, h, d};
}

}  // namespace

uint32_t component_selects(const ImageDescription& image) {
  // The field of 10 bits stands above the others: 2_10_10_10 and 1_5_5_5 have red at the top.
  if (image.type == ChannelType::unorm_101010 || image.type == ChannelType::unorm_555 || image.type == ChannelType::unorm_565)
    return 06541;
  return selects[size_t(image.order)];
}

unsigned texel_bytes(const ImageDescription& image) {
  unsigned components = order_components[size_t(image.order)];
  bool colours = image.order == ChannelOrder::rgb || image.order == ChannelOrder::rgbx;  // what packed types hold
  switch (image.type) {
    case ChannelType::unorm24: return 0;
    case ChannelType::unorm_555:
    case ChannelType::unorm_565: return colours ? 2 : 0;
    case ChannelType::unorm_101010: return colours ? 4 : 0;
    default: return components == 3 ? 0 : components * component_bytes[size_t(image.type)];
  }
}

void place_texels(const ImageDescription& image, const ImageObject& object, std::span<const uint8_t> packed, uint8_t* memory) {
  auto [width, rows, slices] = extent_of(image);
  uint64_t row = width * texel_bytes(image);
  for (uint64_t s = 0; s < slices; s++)
    for (uint64_t y = 0; y < rows; y++)
      std::memcpy(memory + s * object.slice_bytes + y * object.row_bytes, packed.data() + (s * rows + y) * row, row);
}

std::vector<uint8_t> packed_texels(const ImageDescription& image, const ImageObject& object, const uint8_t* memory) {
  auto [width, rows, slices] = extent_of(image);
  uint64_t row = width * texel_bytes(image);
  std::vector<uint8_t> packed(row * rows * slices);
  for (uint64_t s = 0; s < slices; s++)
    for (uint64_t y = 0; y < rows; y++)
      std::memcpy(packed.data() + (s * rows + y) * row, memory + s * object.slice_bytes + y * object.row_bytes, row);
  return packed;
}

Expected<ImageDescription> parse_image_description(const std::string& format, const std::string& size) {
  ImageDescription image;
  std::string name = lower(format);
  size_t dash = name.find('-');
  int order = dash == name.npos ? -1 : place_in(order_names, name.substr(0, dash));
  int type = dash == name.npos ? -1 : place_in(type_names, name.substr(dash + 1));
  if (order < 0 || type < 0) return fail("unknown image format '{}' (as in rgba-unorm8, r-float)", format);
  image.order = ChannelOrder(order), image.type = ChannelType(type);
  if (!texel_bytes(image)) return fail("image format '{}': OpenCL has no such order with such a type", format);
  constexpr uint64_t most = 16384;
  std::string text = lower(size);
  size_t count = 0, start = 0;
  for (size_t end = 0; end != text.npos; start = end + 1) {
    end = text.find('x', start);
    auto n = parse_number(text.substr(start, end == text.npos ? end : end - start));
    if (!n || *n == 0 || count == 3) return fail("the size is not WxH or WxHxD");
    if (*n > most) return fail("a size of {}: the most is {}", *n, most);
    image.size[count++] = uint32_t(*n);
  }
  if (count < 2) return fail("the size is not WxH or WxHxD");
  return image;
}

Expected<SamplerDescription> parse_sampler_description(const std::string& value) {
  static constexpr std::string_view addresses[] = {"none", "clamp-edge", "clamp", "repeat", "mirrored-repeat"};
  static constexpr std::string_view filters[] = {"nearest", "linear"};
  static constexpr std::string_view coordinates[] = {"unnormalized", "normalized"};
  std::string text = lower(value);
  size_t first = text.find(':'), second = first == text.npos ? first : text.find(':', first + 1);
  int address = second == text.npos ? -1 : place_in(addresses, text.substr(0, first));
  int filter = address < 0 ? -1 : place_in(filters, text.substr(first + 1, second - first - 1));
  int coordinate = filter < 0 ? -1 : place_in(coordinates, text.substr(second + 1));
  if (coordinate < 0)
    return fail(
        "not sampler=ADDRESS:FILTER:normalized|unnormalized (none, clamp-edge, clamp, repeat or mirrored-repeat; nearest or "
        "linear)");
  return SamplerDescription{SamplerDescription::Address(address), filter == 1, coordinate == 1};
}

Expected<ImageDescription> image_of_parameter(ImageDescription image, const std::string& type_name) {
  struct Row {
    std::string_view type;
    ImageKind kind;
    unsigned max_dimensions;  // that may be more than 1
  };
  static constexpr Row rows[] = {{"image1d_array", ImageKind::one_array, 2},
                                 {"image2d_array", ImageKind::two_array, 3},
                                 {"image3d", ImageKind::three, 3},
                                 {"image2d", ImageKind::two, 2},
                                 {"image1d", ImageKind::one, 1}};
  if (type_name.starts_with("image1d_buffer") || type_name.find("msaa") != type_name.npos)
    return fail("parameters of type {} are not there yet", type_name);
  for (const Row& row : rows) {
    if (!type_name.starts_with(row.type)) continue;
    image.kind = row.kind;
    for (unsigned n = row.max_dimensions; n < 3; n++)
      if (image.size[n] != 1) return fail("an {} takes no {}", type_name, n == 1 ? "height but 1" : "depth but 1");
    return image;
  }
  return fail("parameters of type {} are not known", type_name.empty() ? "(none in the metadata)" : type_name);
}

}  // namespace Atoll::hsa
