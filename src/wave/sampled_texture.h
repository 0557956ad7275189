// A texture together with a sampler as compiled code finds them (Op::Texture): tables and numbers that the GPU family made when a
// wave named the descriptors for the first time in a submission. Immutable once it is seen, and there until the submission ends:
// mappings do not change while it runs, so that memory which was found mapped then still is.
//
// Texels are found as surface::Texture finds them: the offset of a texel is made of a part that its column gives, one of its row
// and one of its slice. A table holds the parts of all levels after each other; that of `level` begins at table_start(). If it
// can, code makes a part from digits of its number instead (TexelPlaces), whose tables fit into vector registers.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

namespace Atoll::wave {

// One direction's table. `size` is that of level 0; level n has max(1, size >> n) entries, or `size` where levels do not shrink.
struct TexelTable {
  const uint32_t* parts = nullptr;
  uint32_t size = 1;
  uint32_t step = 2;                 // twice the power of two that is at least `size`; 0 where levels do not shrink
  const uint32_t* digits = nullptr;  // where TexelPlaces has some of the direction; a multiple of 64
};

// Tables by which code finds parts. A number has `digits[direction]` digits of `digit_bits` bits, lowest first; each digit has a
// table of 1 << digit_bits parts, and their sum, as of parts of different directions, is the number's. Level n's tables stand
// after each other from TexelTable::digits on, n times as many dwords further. 0 digits: the table of all parts.
struct TexelPlaces {
  enum Direction : uint8_t { column, row, slice };
  std::array<uint8_t, 3> digits{};
  uint8_t digit_bits = 0;
  // No two parts that are added up have a bit in common but swizzled ones: sums are exclusive ors.
  bool exclusive = false;
};

constexpr uint32_t table_size(const TexelTable& table, uint32_t level) {
  return table.step && table.size >> level ? table.size >> level : table.step ? 1 : table.size;
}
constexpr uint32_t table_start(const TexelTable& table, uint32_t level) {
  return table.step ? table.step - (table.step >> level) + level : level * table.size;
}

// An instruction's use of a texture, on which it depends whether there is code for it, and what memory it needs.
enum class TextureUse : uint8_t { sampled, loaded, stored };

struct SampledTexture {
  // The specialisation key of the texture and the sampler: numbers of src/sampling/form.h. 0: compiled code has no use for
  // them.
  uint64_t form = 0;
  // The descriptors' words that this was made from.
  std::array<uint32_t, 8> resource{};
  std::array<uint32_t, 4> sampler{};
  const uint8_t* texels = nullptr;  // what offsets count from; a multiple of 4
  uint64_t address = 0;             // the GPU's of the same place; of textures that are stored to
  TexelTable columns, rows, slices;
  // Bits of an offset that are the exclusive or of the parts' bits, in the levels below `swizzled_levels`.
  uint32_t swizzled_bits = 0, swizzled_levels = 0;
  uint32_t last_level = 0;
  uint32_t least_level = 0;  // below it loads are out of range
  float lod_bias = 0, lod_min = 0, lod_max = 0;
  std::array<uint32_t, 4> border{};  // red, green, blue, alpha
};

// The slots in which compiled code looks first, chosen by the instruction: what other waves found there, or `no_texture`.
inline constexpr uint32_t texture_slots = 256;
inline constexpr SampledTexture no_texture;
using TextureSlots = std::array<std::atomic<const SampledTexture*>, texture_slots>;
constexpr uint32_t texture_slot(uint64_t pc) { return uint32_t(pc >> 2 ^ pc >> 10) % texture_slots; }

// The form that a step's instruction met last (Step::texture_form): none yet, a form, or, for good, something that code cannot be made
// for or too many. A form that is not the first has the bit `other_form`, which no form has itself.
inline constexpr uint64_t no_form = 0, many_forms = ~uint64_t(0), other_form = uint64_t(1) << 63;

// The operands of an Op::Texture node besides its words.
struct TextureAccess {
  uint64_t form = 0;
  uint32_t slot = 0;
  TextureUse use = TextureUse::sampled;
  TexelPlaces places;         // of all textures of the form
  std::array<int, 12> words;  // nodes: eight of the resource, four of the sampler (zeros where there is none)
};

}  // namespace Atoll::wave
