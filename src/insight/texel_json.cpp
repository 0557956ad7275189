#include "insight/texel_json.h"

#include <bit>

namespace Atoll::insight {
namespace {

std::string raw(const pipeline::WatchedTexel& texel) {
  std::string text = "0x";
  for (unsigned n = texel.bytes; n-- > 0;) text += fmt::format("{:02x}", texel.data[n]);
  return text;
}

}  // namespace

nlohmann::ordered_json json_of(const PixelTarget& target, const pipeline::WatchedTexel& texel) {
  if (!texel.bytes) return nullptr;
  auto components = nlohmann::ordered_json::array();
  for (uint32_t c : components_of(target, texel)) {
    if (target.format.number == surface::Number::sint)
      components.push_back(int32_t(c));
    else if (target.format.number == surface::Number::uint)
      components.push_back(c);
    else
      components.push_back(std::bit_cast<float>(c));
  }
  return {{"raw", raw(texel)}, {"components", components}};
}

nlohmann::ordered_json json_of(const PixelTarget& target) {
  return {{"address", fmt::format("{:#x}", target.address)},
          {"format", fmt::format("{} {}", surface::row(target.format.layout).name, surface::name(target.format.number))},
          {"width", target.width},
          {"height", target.height},
          {"samples", target.samples},
          {"writes", target.writes}};
}

std::string text_of(const PixelTarget& target, const std::array<uint32_t, 4>& components) {
  std::string text;
  for (uint32_t c : components) {
    if (!text.empty()) text += " ";
    if (target.format.number == surface::Number::sint)
      text += fmt::format("{}", int32_t(c));
    else if (target.format.number == surface::Number::uint)
      text += fmt::format("{}", c);
    else
      text += fmt::format("{:.6g}", std::bit_cast<float>(c));
  }
  return text;
}

std::string text_of(const PixelTarget& target, const pipeline::WatchedTexel& texel) {
  return texel.bytes ? text_of(target, components_of(target, texel)) : std::string("not known");
}

}  // namespace Atoll::insight
