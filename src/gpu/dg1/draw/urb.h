// The URB as memory of a draw: entries of vertices, patches and geometry shaders' outputs, by handles that count rows of 64 bytes. How
// many entries of that size the chip has room for bounds what state may ask; a draw's may be more. Their size is what messages are held to.
#pragma once
#include <cstdint>
#include <cstring>

#include "gpu/dg1/state/graphics_state.h"
#include "isa/xe_lp/thread_context.h"
#include "wave/storage.h"

namespace Atoll::dg1 {

struct Context;

// Rows of one of the stage's entries, from 3DSTATE_URB_VS, HS, DS, GS (Mesa 22.3) or 3DSTATE_URB_ALLOC_* (Mesa 25.0), whichever came last.
uint32_t urb_entry_rows(const GraphicsState& state, Stage stage);
// True if the entries of the enabled stages fit into DG1's URB, each stage's by themselves. False: the context is lost.
bool has_urb_room(Context& context);

class Urb {
public:
  // Without entries. Handle 0 is never one's.
  void clear() { rows_ = 1; }
  // Room for `count` more entries. Entries that handles named before stay, but may move.
  xe_lp::UrbEntries add(uint32_t count, uint32_t entry_rows);

  uint32_t rows() const { return rows_; }
  // Without the entries that were added since there were so many rows.
  void cut(uint32_t rows) { rows_ = rows; }

  uint8_t* data() { return bytes_.get(); }
  uint32_t bytes() const { return rows_ * xe_lp::urb_row_bytes; }
  uint8_t* at(uint32_t handle) { return bytes_.get() + uint64_t(handle) * xe_lp::urb_row_bytes; }
  // Entry n, as dwords.
  uint32_t* entry(const xe_lp::UrbEntries& entries, uint32_t n) {
    return reinterpret_cast<uint32_t*>(at(entries.first + n * entries.size));
  }
  void zero(const xe_lp::UrbEntries& entries) {
    std::memset(at(entries.first), 0, size_t(entries.end - entries.first) * xe_lp::urb_row_bytes);
  }

private:
  wave::StorageBytes bytes_;
  uint32_t rows_ = 1, room_ = 0;
};

}  // namespace Atoll::dg1
