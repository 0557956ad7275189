#include "gpu/gfx12/draw/subgroups.h"

#include <algorithm>

#include "gpu/rdna4/graphics_state.h"

namespace Atoll::gfx12 {

void SubgroupList::clear() {
  groups.clear(), vertex.clear(), word.clear(), identifier.clear(), adjacent.clear(), goes_on.clear();
}

void SubgroupBuilder::begin(SubgroupList& list, size_t slots) {
  list_ = &list;
  list.clear();
  if (places_.size() < slots) places_.resize(slots);
  open_ = {};
  next_generation();
}

void SubgroupBuilder::next_generation() {
  // (They have 23 bits: places of one that comes round again would be taken for the subgroup's.)
  if (++generation_ >> 23) generation_ = 1, std::ranges::fill(places_, 0);
}

void SubgroupBuilder::end() {
  if (open_.primitives) list_->groups.push_back(open_);
  open_ = {.first_vertex = uint32_t(list_->vertex.size()), .first_primitive = uint32_t(list_->word.size())};
  next_generation();
}

uint32_t SubgroupBuilder::place(uint32_t slot, bool provoking) {
  uint32_t& known = places_[slot];
  if (known >> 9 != generation_ || (provoking && provokes_[known & 511])) {
    known = generation_ << 9 | open_.vertices++;
    list_->vertex.push_back(slot);
    provokes_[known & 511] = false;
  }
  if (provoking) provokes_[known & 511] = true;
  return known & 511;
}

void SubgroupBuilder::add_to_subgroup(std::span<const uint32_t> corners, uint32_t identifier, unsigned edges, bool goes_on,
                                      unsigned first_instance, unsigned end_instance) {
  uint32_t at[6] = {};
  for (size_t n = 0; n < corners.size(); n++) at[n] = place(corners[n], limits_.own_provoking && n == limits_.provoking_corner);
  for (unsigned instance = first_instance; instance < end_instance; instance++) {
    list_->word.push_back(rdna4::primitive_word(at[0], at[1], at[2], edges, instance));
    list_->identifier.push_back(identifier);
    if (corners.size() > 3) list_->adjacent.push_back(rdna4::primitive_word(at[3], at[4], at[5]));
    list_->goes_on.push_back(goes_on);
  }
  open_.primitives += end_instance - first_instance;
}

void SubgroupBuilder::add(std::span<const uint32_t> corners, uint32_t identifier, unsigned edges, bool goes_on) {
  if (limits_.instance_alone) {
    for (unsigned instance = 0; instance < limits_.instances; instance++, end())
      add_to_subgroup(corners, identifier, edges, goes_on, instance, instance + 1);
    return;
  }
  unsigned added = 0;
  for (size_t n = 0; n < corners.size(); n++) {
    const uint32_t known = places_[corners[n]];
    const bool provoking = limits_.own_provoking && n == limits_.provoking_corner;
    added += known >> 9 != generation_ || (provoking && provokes_[known & 511]);
  }
  const bool full = open_.vertices + added > limits_.vertices || open_.primitives / limits_.instances + 1 > limits_.primitives ||
                    open_.primitives + limits_.instances > 256;
  if (open_.primitives && full) end();
  add_to_subgroup(corners, identifier, edges, goes_on, 0, limits_.instances);
}

}  // namespace Atoll::gfx12
