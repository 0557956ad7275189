// Stream output: primitives of a stream, vertex by vertex, into up to four buffers. PRM volume 2a, 3DSTATE_STREAMOUT, 3DSTATE_SO_DECL_LIST,
// 3DSTATE_SO_BUFFER; volume 2c, SO_WRITE_OFFSET, SO_NUM_PRIMS_WRITTEN, SO_PRIM_STORAGE_NEEDED.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/dg1/state/context.h"

namespace Atoll::dg1 {

inline constexpr unsigned stream_buffers = 4, streams = 4;

// A buffer as its command says it.
struct StreamBuffer {
  bool enabled = false, offset_in_memory = false, sets_offset = false;
  uint64_t address = 0, bytes = 0;
  uint64_t offset_address = 0;
  uint32_t offset = 0;  // to begin with; ~0: what memory has
};
StreamBuffer find_stream_buffer(const GraphicsState& state, unsigned buffer);

// 3DSTATE_SO_BUFFER has come: the buffer's write offset becomes what it says, or what memory has. False: the context is lost.
bool begin_stream_buffer(Context& context, unsigned buffer);

class StreamOutput {
public:
  // Reads the state when a draw begins.
  void find(Context& context);
  bool enabled() const { return enabled_; }
  bool rasterizes(unsigned stream) const { return !rendering_disabled_ && stream == rendered_stream_; }
  bool trailing() const { return trailing_; }  // how strips' odd triangles begin: else with the strip's first vertex of them

  // A primitive: its vertices' slots, `slots` of four dwords each. False: the context is lost.
  bool write(unsigned stream, std::span<const uint32_t* const> vertices, unsigned slots);
  // The draw has ended: offsets and counts go where programs see them.
  bool end();

private:
  struct Declaration {
    uint8_t slot = 0, mask = 0, buffer = 0;
    bool hole = false;
  };
  struct Buffer : StreamBuffer {
    uint32_t pitch = 0;
    uint64_t at = 0;
  };
  Context* context_ = nullptr;
  bool enabled_ = false, counts_ = false, rendering_disabled_ = false, trailing_ = false;
  unsigned rendered_stream_ = 0;
  std::array<Buffer, stream_buffers> buffers_;
  std::array<std::vector<Declaration>, streams> declarations_;
  std::array<uint8_t, streams> selected_{};  // a bit for each buffer
  std::array<uint64_t, streams> written_{}, needed_{};
};

}  // namespace Atoll::dg1
