// The copy engine: rectangles of pixels, linear or tiled, copied or filled (PRM volume 10, "Copy Engine"; the tilings: volume 5,
// "Tiling formats").
#include <algorithm>
#include <cstring>

#include "gpu/dg1/commands/handlers.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

enum class Tiling : uint8_t { linear, x, y };

struct Surface {
  uint64_t address;
  uint64_t pitch;  // bytes
  Tiling tiling = Tiling::linear;

  // Bytes from the address to a byte of a row, and how many bytes lie together from there on.
  uint64_t place(uint64_t byte, uint64_t row, uint64_t& together) const {
    constexpr uint64_t tile = 4096;
    switch (tiling) {
      case Tiling::x: {  // 512 bytes by 8 rows, row by row
        together = 512 - byte % 512;
        return row / 8 * 8 * pitch + byte / 512 * tile + row % 8 * 512 + byte % 512;
      }
      case Tiling::y: {  // 128 bytes by 32 rows, in columns of 16 bytes
        together = 16 - byte % 16;
        return row / 32 * 32 * pitch + byte / 128 * tile + byte % 128 / 16 * 512 + row % 32 * 16 + byte % 16;
      }
      default: together = UINT64_MAX; return row * pitch + byte;
    }
  }
};

struct Rectangle {
  int32_t x1, y1, x2, y2;  // x2 and y2 are outside
  bool empty() const { return x2 <= x1 || y2 <= y1; }
};

// Coordinates are 16 bits with a sign.
int32_t coordinate(uint64_t bits) { return int16_t(bits); }

template <class C>
Rectangle destination_of(const uint32_t* words) {
  return {coordinate(C::Destination_X1::get(words)), coordinate(C::Destination_Y1::get(words)),
          coordinate(C::Destination_X2::get(words)), coordinate(C::Destination_Y2::get(words))};
}

// Reads or writes `bytes` of a row, piece by piece.
bool row_bytes(Context& c, const Surface& surface, uint64_t byte, uint64_t row, uint8_t* data, uint64_t bytes, bool writes) {
  while (bytes) {
    uint64_t together = 0;
    const uint64_t address = surface.address + surface.place(byte, row, together), part = std::min(bytes, together);
    if (writes ? !c.store(address, data, part, "write of a blit") : !c.load(address, data, part, "read of a blit")) return false;
    byte += part, data += part, bytes -= part;
  }
  return true;
}

bool in_budget(Context& c, const Rectangle& r, uint64_t pixel_bytes) {
  if (r.x1 < 0 || r.y1 < 0) return c.lose("a rectangle that begins before its surface");
  return c.within(c.budget.bytes(uint64_t(r.x2 - r.x1) * uint64_t(r.y2 - r.y1) * pixel_bytes));
}

// Before each row. False: the context was stopped, and is lost.
bool goes_on(Context& c) {
  c.progress.fetch_add(1, std::memory_order_relaxed);
  return !c.stop.load(std::memory_order_relaxed) || c.lose_stopped();
}

bool copy(Context& c, const Surface& from, int32_t source_x, int32_t source_y, const Surface& to, const Rectangle& r,
          uint64_t pixel_bytes) {
  if (r.empty()) return true;
  if (source_x < 0 || source_y < 0) return c.lose("a source that begins before its surface");
  if (!in_budget(c, r, pixel_bytes)) return false;
  const uint64_t bytes = uint64_t(r.x2 - r.x1) * pixel_bytes, rows = uint64_t(r.y2 - r.y1);
  // A row is read whole before it is written; within one surface in the order in which nothing is read that was written.
  const bool upwards = from.address == to.address && r.y1 > source_y;
  std::vector<uint8_t> data(bytes);
  for (uint64_t n = 0; n < rows; ++n) {
    const uint64_t row = upwards ? rows - 1 - n : n;
    if (!goes_on(c)) return false;
    if (!row_bytes(c, from, uint64_t(source_x) * pixel_bytes, uint64_t(source_y) + row, data.data(), bytes, false) ||
        !row_bytes(c, to, uint64_t(r.x1) * pixel_bytes, uint64_t(r.y1) + row, data.data(), bytes, true))
      return false;
  }
  return true;
}

bool fill(Context& c, const Surface& to, const Rectangle& r, const uint8_t* pixel, uint64_t pixel_bytes) {
  if (r.empty()) return true;
  if (!in_budget(c, r, pixel_bytes)) return false;
  std::vector<uint8_t> data(uint64_t(r.x2 - r.x1) * pixel_bytes);
  for (uint64_t at = 0; at < data.size(); at += pixel_bytes) std::memcpy(&data[at], pixel, pixel_bytes);
  for (int32_t y = r.y1; y < r.y2; ++y)
    if (!goes_on(c) || !row_bytes(c, to, uint64_t(r.x1) * pixel_bytes, uint64_t(y), data.data(), data.size(), true)) return false;
  return true;
}

// Pitches of tiled surfaces are counted in dwords.
Surface surface_of(uint64_t address, uint64_t pitch, Tiling tiling) {
  return {address, tiling == Tiling::linear ? pitch : pitch * 4, tiling};
}

constexpr uint64_t raster_copy = 0xcc, raster_fill = 0xf0;

bool plain_only(CommandStreamer& s, uint64_t operation, uint64_t wanted, bool clips) {
  if (operation != wanted) return s.context().lose(fmt::format("raster operation {:#x} is not executed", operation));
  return !clips || s.context().lose("clipping is not executed");
}

// Bytes of a pixel by XY_SRC_COPY_BLT's Color Depth, and by XY_BLOCK_COPY_BLT's.
constexpr uint64_t old_depths[] = {1, 2, 2, 4}, new_depths[] = {1, 2, 4, 8, 12, 16, 0, 0};
constexpr uint64_t fast_depths[] = {1, 2, 0, 4, 8, 16, 0, 0};

}  // namespace

bool xy_fast_copy_blt(CommandStreamer& s, const Command& c) {
  using Blt = XY_FAST_COPY_BLT;
  auto tiling = [&](uint64_t method, Tiling& to) {
    if (method > 2) return s.context().lose("tiles of 64 KB are not executed");
    to = method == 1 ? Tiling::x : method == 2 ? Tiling::y : Tiling::linear;
    return true;
  };
  Tiling from{}, to{};
  if (!tiling(Blt::Source_Tiling_Method::get(c.words), from) || !tiling(Blt::Destination_Tiling_Method::get(c.words), to))
    return false;
  const uint64_t bytes = fast_depths[Blt::Color_Depth::get(c.words)];
  if (!bytes) return s.context().lose(fmt::format("colour depth {} does not exist", Blt::Color_Depth::get(c.words)));
  return copy(s.context(), surface_of(Blt::Source_Base_Address::get(c.words), Blt::Source_Pitch::get(c.words), from),
              coordinate(Blt::Source_X1::get(c.words)), coordinate(Blt::Source_Y1::get(c.words)),
              surface_of(Blt::Destination_Base_Address::get(c.words), Blt::Destination_Pitch::get(c.words), to),
              destination_of<Blt>(c.words), bytes);
}

bool xy_src_copy_blt(CommandStreamer& s, const Command& c) {
  using Blt = XY_SRC_COPY_BLT;
  if (!plain_only(s, Blt::Raster_Operation::get(c.words), raster_copy, Blt::Clipping_Enabled::is_set(c.words))) return false;
  const Tiling from = Blt::Src_Tiling_Enable::is_set(c.words) ? Tiling::x : Tiling::linear;
  const Tiling to = Blt::Dest_Tiling_Enable::is_set(c.words) ? Tiling::x : Tiling::linear;
  return copy(s.context(), surface_of(Blt::Source_Base_Address::get(c.words), Blt::Source_Pitch::get(c.words), from),
              coordinate(Blt::Source_X1::get(c.words)), coordinate(Blt::Source_Y1::get(c.words)),
              surface_of(Blt::Destination_Base_Address::get(c.words), Blt::Destination_Pitch::get(c.words), to),
              destination_of<Blt>(c.words), old_depths[Blt::Color_Depth::get(c.words)]);
}

bool xy_color_blt(CommandStreamer& s, const Command& c) {
  using Blt = XY_COLOR_BLT;
  if (!plain_only(s, Blt::Raster_Operation::get(c.words), raster_fill, Blt::Clipping_Enabled::is_set(c.words))) return false;
  const Tiling to = Blt::Tiling_Enable::is_set(c.words) ? Tiling::x : Tiling::linear;
  const uint32_t color = uint32_t(Blt::Solid_Pattern_Color::get(c.words));
  uint8_t pixel[4];
  std::memcpy(pixel, &color, sizeof pixel);
  return fill(s.context(), surface_of(Blt::Destination_Base_Address::get(c.words), Blt::Destination_Pitch::get(c.words), to),
              destination_of<Blt>(c.words), pixel, old_depths[Blt::Color_Depth::get(c.words)]);
}

bool xy_block_copy_blt(CommandStreamer& s, const Command& c) {
  using Blt = XY_BLOCK_COPY_BLT;
  const uint64_t bytes = new_depths[Blt::Color_Depth::get(c.words)];
  if (!bytes) return s.context().lose(fmt::format("colour depth {} does not exist", Blt::Color_Depth::get(c.words)));
  // Pitches are less 1 here, in bytes or dwords.
  auto tiling = [](uint64_t field) { return field ? Tiling::y : Tiling::linear; };
  return copy(s.context(),
              surface_of(Blt::Source_Base_Address::get(c.words), Blt::Source_Pitch::get(c.words) + 1,
                         tiling(Blt::Source_Tiling::get(c.words))),
              coordinate(Blt::Source_X1::get(c.words)), coordinate(Blt::Source_Y1::get(c.words)),
              surface_of(Blt::Destination_Base_Address::get(c.words), Blt::Destination_Pitch::get(c.words) + 1,
                         tiling(Blt::Destination_Tiling::get(c.words))),
              destination_of<Blt>(c.words), bytes);
}

bool xy_fast_color_blt(CommandStreamer& s, const Command& c) {
  using Blt = XY_FAST_COLOR_BLT;
  const uint64_t bytes = new_depths[Blt::Color_Depth::get(c.words)];
  if (!bytes) return s.context().lose(fmt::format("colour depth {} does not exist", Blt::Color_Depth::get(c.words)));
  uint8_t pixel[16];
  const uint32_t color[] = {Blt::Fill_Color_0::get(c.words), Blt::Fill_Color_1::get(c.words), Blt::Fill_Color_2::get(c.words),
                            Blt::Fill_Color_3::get(c.words)};
  static_assert(sizeof pixel == sizeof color);
  std::memcpy(pixel, color, sizeof pixel);
  return fill(s.context(),
              surface_of(Blt::Destination_Base_Address::get(c.words), Blt::Destination_Pitch::get(c.words) + 1,
                         Blt::Destination_Tiling::get(c.words) ? Tiling::y : Tiling::linear),
              destination_of<Blt>(c.words), pixel, bytes);
}

}  // namespace Atoll::dg1
