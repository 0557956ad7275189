// Primitives all of whose vertices lie beyond a part of the window are dropped where the registers of the band for discarding are below
// 1.0 (R5xx VAP_GB_*_DISC_ADJ, Sea Islands PA_CL_GB_*_DISC_ADJ, in multiples of w; beyond the window nothing is seen of a primitive in any
// case). Vertices have their distances from the band's four sides where the user's planes leave places free.
#pragma once
#include <array>
#include <iterator>

#include "pipeline/stages.h"

namespace Atoll::pipeline {

struct DiscardBand {
  static constexpr uint8_t none = 0xff;
  std::array<float, 2> adjust{1, 1};                      // of x, of y
  std::array<uint8_t, 4> places{none, none, none, none};  // of the distance from the left, right, top and bottom
  bool lacks_places = false;

  // `taken`: the places of the user's distances, a bit each.
  static DiscardBand between(uint8_t taken, float horizontal, float vertical) {
    DiscardBand band;
    uint8_t next = 8;
    auto free_place = [&]() -> uint8_t {
      while (next > 0)
        if (!(taken >> --next & 1)) return next;
      band.lacks_places = true;
      return none;
    };
    const float adjust[] = {horizontal, vertical};
    for (unsigned axis = 0; axis < 2; axis++) {
      if (!(adjust[axis] < 1)) continue;
      band.adjust[axis] = adjust[axis];
      band.places[2 * axis] = free_place(), band.places[2 * axis + 1] = free_place();
    }
    return band;
  }
  // The distances by which primitives are dropped, a bit each.
  uint8_t distances() const {
    uint8_t out = 0;
    for (uint8_t place : places) out |= uint8_t(place == none ? 0 : 1u << place);
    return out;
  }
  void give_distances(Vertex& vertex) const {
    for (unsigned n = 0; n < places.size(); n++) {
      if (places[n] >= std::size(vertex.clip_distance)) continue;
      const float place = vertex.position[n / 2], bound = adjust[n / 2] * vertex.position[3];
      vertex.clip_distance[places[n]] = n % 2 ? bound - place : place + bound;
    }
  }
};

}  // namespace Atoll::pipeline
