// A target and its texels, as the verbs' JSON has them.
#pragma once
#include <nlohmann/json.hpp>

#include "insight/pixel_history.h"

namespace Atoll::insight {

// Null of a texel that is not known.
nlohmann::ordered_json json_of(const PixelTarget& target, const pipeline::WatchedTexel& texel);
nlohmann::ordered_json json_of(const PixelTarget& target);
// Its components, as people read them.
std::string text_of(const PixelTarget& target, const pipeline::WatchedTexel& texel);
std::string text_of(const PixelTarget& target, const std::array<uint32_t, 4>& components);

}  // namespace Atoll::insight
