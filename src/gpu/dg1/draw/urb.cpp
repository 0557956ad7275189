#include "gpu/dg1/draw/urb.h"

#include <algorithm>

#include "gpu/dg1/state/context.h"

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

namespace {

// DG1's values in Mesa 25.0.7 intel_device_info.c: the URB's size (urb.size, in KiB), and the least number of entries of a stage
// (GFX12_URB_MIN_MAX_ENTRIES).
constexpr uint64_t urb_size = 768 << 10;

template <class Fixed, class Slices>
bool has_room(Context& c, const char* name, Stage stage, uint64_t least) {
  const bool slices = c.graphics.dwords<typename Slices::owner>() != 0;
  const uint64_t entries = std::max<uint64_t>(slices ? c.graphics.get<Slices>() : c.graphics.get<Fixed>(), least);
  const uint64_t rows = urb_entry_rows(c.graphics, stage);
  return entries * rows * xe_lp::urb_row_bytes <= urb_size ||
         c.lose(fmt::format(
             "3DSTATE_URB_{}{}: {} entries of {} rows of {} bytes, Number of URB Entries and URB Entry Allocation Size, "
             "are more than the {} bytes that the URB has",
             slices ? "ALLOC_" : "", name, entries, rows, xe_lp::urb_row_bytes, urb_size));
}

}  // namespace

bool has_urb_room(Context& c) {
  const GraphicsState& s = c.graphics;
  // (Without a vertex shader the vertex fetcher's own entries are these.)
  return has_room<_3DSTATE_URB_VS::VS_Number_of_URB_Entries, _3DSTATE_URB_ALLOC_VS::VS_Number_of_URB_Entries_Slice0>(
             c, "VS", Stage::VS, 64) &&
         (!s.get<_3DSTATE_HS::Enable>() ||
          has_room<_3DSTATE_URB_HS::HS_Number_of_URB_Entries, _3DSTATE_URB_ALLOC_HS::HS_Number_of_URB_Entries_Slice0>(
              c, "HS", Stage::HS, 1)) &&
         (!s.get<_3DSTATE_DS::Enable>() ||
          has_room<_3DSTATE_URB_DS::DS_Number_of_URB_Entries, _3DSTATE_URB_ALLOC_DS::DS_Number_of_URB_Entries_Slice0>(
              c, "DS", Stage::DS, 34)) &&
         (!s.get<_3DSTATE_GS::Enable>() ||
          has_room<_3DSTATE_URB_GS::GS_Number_of_URB_Entries, _3DSTATE_URB_ALLOC_GS::GS_Number_of_URB_Entries_Slice0>(
              c, "GS", Stage::GS, 1));
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
