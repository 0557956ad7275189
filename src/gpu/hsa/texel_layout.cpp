#include "gpu/hsa/texel_layout.h"

#include <bit>

namespace Atoll::hsa {
namespace {

using surface::Layout;
using surface::Number;

constexpr bool is_srgb(ChannelOrder order) { return order >= ChannelOrder::srgb && order <= ChannelOrder::sbgra; }

// By bytes of a component (1, 2, 4) and components (1, 2, 4).
constexpr Layout layouts[3][3] = {{Layout::bits_8, Layout::bits_8_8, Layout::bits_8_8_8_8},
                                  {Layout::bits_16, Layout::bits_16_16, Layout::bits_16_16_16_16},
                                  {Layout::bits_32, Layout::bits_32_32, Layout::bits_32_32_32_32}};

}  // namespace

std::optional<TexelLayout> texel_layout(const ImageDescription& image) {
  const unsigned bytes = texel_bytes(image);
  if (!bytes) return {};
  auto by_size = [&](Number number, unsigned component) -> TexelLayout {
    return {layouts[std::bit_width(component) - 1][std::bit_width(bytes / component) - 1], number};
  };
  switch (image.type) {
    case ChannelType::snorm8: return by_size(Number::snorm, 1);
    case ChannelType::snorm16: return by_size(Number::snorm, 2);
    case ChannelType::unorm8: return by_size(is_srgb(image.order) ? Number::srgb : Number::unorm, 1);
    case ChannelType::unorm16: return by_size(Number::unorm, 2);
    case ChannelType::unorm_565: return TexelLayout{Layout::bits_5_6_5, Number::unorm};
    case ChannelType::unorm_555: return TexelLayout{Layout::bits_5_5_5_1, Number::unorm};
    case ChannelType::unorm_101010: return TexelLayout{Layout::bits_10_10_10_2, Number::unorm};
    case ChannelType::sint8: return by_size(Number::sint, 1);
    case ChannelType::sint16: return by_size(Number::sint, 2);
    case ChannelType::sint32: return by_size(Number::sint, 4);
    case ChannelType::uint8: return by_size(Number::uint, 1);
    case ChannelType::uint16: return by_size(Number::uint, 2);
    case ChannelType::uint32: return by_size(Number::uint, 4);
    case ChannelType::half_float: return by_size(Number::floating, 2);
    case ChannelType::single_float: return by_size(Number::floating, 4);
    case ChannelType::unorm24: break;
  }
  return {};
}

}  // namespace Atoll::hsa
