#include "gpu/dg1/draw/urb.h"

#include <algorithm>

namespace Atoll::dg1 {

using namespace commands;

namespace {

// Both sizes count from 1. PRM volume 2a, 3DSTATE_URB_VS: "512-bit units, minus one".
template <class Fixed, class Slices>
uint32_t entry_size(const GraphicsState& state) {
  const bool slices = state.dwords<typename Slices::owner>() != 0;
  return uint32_t(slices ? state.get<Slices>() : state.get<Fixed>()) + 1;
}

}  // namespace

uint32_t urb_entry_rows(const GraphicsState& state, Stage stage) {
  switch (stage) {
    case Stage::VS:
      return entry_size<_3DSTATE_URB_VS::VS_URB_Entry_Allocation_Size, _3DSTATE_URB_ALLOC_VS::VS_URB_Entry_Allocation_Size>(
          state);
    case Stage::HS:
      return entry_size<_3DSTATE_URB_HS::HS_URB_Entry_Allocation_Size, _3DSTATE_URB_ALLOC_HS::HS_URB_Entry_Allocation_Size>(
          state);
    case Stage::DS:
      return entry_size<_3DSTATE_URB_DS::DS_URB_Entry_Allocation_Size, _3DSTATE_URB_ALLOC_DS::DS_URB_Entry_Allocation_Size>(
          state);
    default:
      return entry_size<_3DSTATE_URB_GS::GS_URB_Entry_Allocation_Size, _3DSTATE_URB_ALLOC_GS::GS_URB_Entry_Allocation_Size>(
          state);
  }
}

xe_lp::UrbEntries Urb::add(uint32_t count, uint32_t entry_rows) {
  const xe_lp::UrbEntries entries{rows_, rows_ + count * entry_rows, entry_rows};
  rows_ = entries.end;
  if (rows_ > room_) {
    const uint32_t more = std::max(rows_, room_ * 2), old = room_;
    wave::StorageBytes bytes = wave::allocate_storage(size_t(more) * xe_lp::urb_row_bytes);
    if (old) std::memcpy(bytes.get(), bytes_.get(), size_t(old) * xe_lp::urb_row_bytes);
    bytes_ = std::move(bytes), room_ = more;
  }
  return entries;
}

}  // namespace Atoll::dg1
