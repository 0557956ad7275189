// Colours into a target: what it holds is read where it is needed, blended, encoded and written through the masks of components
// and pixels. Formats of small fields are worked on in lanes; the rest goes through surface/ a texel at a time.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/half.h"
#include "pipeline/pixels/pixel_work.h"
#include "surface/texel.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

using Lanes = const float (*)[max_pixels];  // [component][lane]

// The colours that quads `first` to `last` of the wave write at one sample.
struct Write {
  Tile& tile;
  unsigned target, first, last, sample;
  uint64_t lanes;
  Lanes source, second;
};

constexpr float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer in the low bits

// Values of NaN become `low`.
f32x16 clamped(const f32x16& value, float low, float high) {
  f32x16 v = value > low ? value : f32x16{} + low;
  return v < high ? v : f32x16{} + high;
}

// A component as a field of fewer bits than it comes with has it, as a float (BitCut).
f32x16 cut_bits(const ColourField& field, const f32x16& value) {
  const int most = (1 << field.cut.from) - 1, lost = field.cut.from - field.bits;
  // (the double's product is exact)
  i32x16 code = __builtin_convertvector(__builtin_convertvector(clamped(value, 0, 1), f64x16) * double(most) + 0.5, i32x16);
  if (field.cut.rounds) code += 1 << (lost - 1);
  code = code < most ? code : i32x16{} + most;
  return __builtin_convertvector(code >> lost, f32x16) / float((1 << field.bits) - 1);
}

// Selects the lanes whose target SourceDiscard leaves as it is.
uint64_t discarded(const SourceDiscard& discard, Lanes source, uint64_t lanes) {
  uint64_t all = 0;
  for (unsigned lane = 0; lane < max_pixels; lane += 16) {
    if (!(lanes >> lane & 0xffff)) continue;
    i32x16 these = i32x16{} - 1;
    for (unsigned c = 0; c < 4; c++) {
      if (!(discard.components >> c & 1)) continue;
      const f32x16 value = load<f32x16>(source[c] + lane);
      these &= discard.when == SourceDiscard::When::below ? value < discard.bound[c] : value >= discard.bound[c];
    }
    all |= uint64_t(sign_bits(these)) << lane;
  }
  return all & lanes;
}

// --- 8_8_8_8 unorm

struct Bytes {
  static constexpr unsigned words = 1;
  static void decode(const ColourPath& path, const u32x16* word, f32x16* component) {
    for (unsigned c = 0; c < 4; c++) {
      component[c] = f32x16{} + path.field[c].otherwise;
      if (path.field[c].bits)
        component[c] = __builtin_convertvector(i32x16(word[0] >> path.field[c].shift & 0xff), f32x16) * (1.0f / 255.0f);
    }
  }
  static void encode(const ColourPath& path, const f32x16* component, u32x16* word) {
    word[0] = u32x16{};
    for (unsigned c = 0; c < 4; c++)
      if (path.field[c].encoded) word[0] |= (u32x16(clamped(component[c], 0, 1) * 255.0f + magic) & 0xff) << path.field[c].shift;
  }
};

// --- fields of up to 16 bits, and of 32

// The code of a linear value. Between neighbours of these buckets (7 bits of mantissa) lies one bound of codes at most.
struct SrgbBuckets {
  static constexpr uint32_t first = 0x39000000, shift = 16;  // 2^-13
  static constexpr unsigned count = (0x3f800000 - first) >> shift;
  uint8_t code[count + 1];
  float bound[257];  // the smallest value that has a code above
  float decoded[256];
  SrgbBuckets() {
    for (unsigned n = 0; n <= count; n++) code[n] = surface::to_srgb8(std::bit_cast<float>(first + (n << shift)));
    for (unsigned c = 0; c < 255; c++) {
      uint32_t low = 0, high = 0x3f800000;  // the bound lies in (low, high]
      while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (surface::to_srgb8(std::bit_cast<float>(middle)) > c)
          high = middle;
        else
          low = middle;
      }
      bound[c] = std::bit_cast<float>(high);
    }
    bound[255] = bound[256] = 2;
    for (unsigned c = 0; c < 256; c++) decoded[c] = surface::from_srgb8(uint8_t(c));
  }
  uint32_t encode(float value) const {
    if (!(value > 0)) return 0;
    if (value >= 1) return 255;
    uint32_t bits = std::bit_cast<uint32_t>(value);
    uint32_t low = bits < first ? 0 : code[(bits - first) >> shift];
    return low + (value >= bound[low]);
  }
};
const SrgbBuckets& srgb_buckets() {
  static const SrgbBuckets buckets;
  return buckets;
}

struct Fields {
  static constexpr unsigned words = 4;
  static void decode(const ColourPath& path, const u32x16* word, f32x16* component) {
    for (unsigned c = 0; c < 4; c++) {
      const ColourField& field = path.field[c];
      component[c] = f32x16{} + path.field[c].otherwise;
      if (!field.bits) continue;
      u32x16 value = word[field.word] >> field.shift;
      uint32_t most = field.bits == 32 ? ~0u : (1u << field.bits) - 1;
      value &= most;
      switch (field.number) {
        case surface::Number::unorm: component[c] = __builtin_convertvector(i32x16(value), f32x16) / float(most); break;
        case surface::Number::snorm: {
          i32x16 extended = i32x16(value << (32 - field.bits)) >> int(32 - field.bits);
          f32x16 v = __builtin_convertvector(extended, f32x16) / float(most >> 1);
          component[c] = v > -1 ? v : f32x16{} - 1;
          break;
        }
        case surface::Number::floating:
          component[c] = field.bits == 32 ? f32x16(value) : floats_from_halves<f32x16>(value);
          break;
        case surface::Number::srgb: {
          const SrgbBuckets& buckets = srgb_buckets();
          for (unsigned n = 0; n < 16; n++) component[c][n] = buckets.decoded[value[n]];
          break;
        }
        default: component[c] = f32x16(value);
      }
    }
  }
  // As surface::encode_field().
  static void encode(const ColourPath& path, const f32x16* component, u32x16* word) {
    for (unsigned n = 0; n < words; n++) word[n] = u32x16{};
    for (unsigned c = 0; c < 4; c++) {
      const ColourField& field = path.field[c];
      if (!field.encoded) continue;
      const f32x16 value = field.cut.from ? cut_bits(field, component[c]) : component[c];
      uint32_t most = field.bits == 32 ? ~0u : (1u << field.bits) - 1;
      u32x16 code;
      switch (field.number) {
        case surface::Number::unorm: {
          // (the double's product is exact)
          f64x16 scaled = __builtin_convertvector(clamped(value, 0, 1), f64x16) * double(most) + 0.5;
          code = u32x16(__builtin_convertvector(scaled, i32x16));
          break;
        }
        case surface::Number::snorm: {
          f32x16 v = value == value ? clamped(value, -1, 1) : f32x16{};
          f64x16 scaled = __builtin_convertvector(v, f64x16) * double(most >> 1);
          scaled += __builtin_convertvector(v < 0 ? f32x16{} - 0.5f : f32x16{} + 0.5f, f64x16);
          code = u32x16(__builtin_convertvector(scaled, i32x16)) & most;
          break;
        }
        case surface::Number::floating:
          code = field.bits == 32 ? u32x16(value) : halves_from_floats<u32x16, i32x16>(value);
          break;
        case surface::Number::srgb: {
          const SrgbBuckets& buckets = srgb_buckets();
          for (unsigned n = 0; n < 16; n++) code[n] = buckets.encode(value[n]);
          break;
        }
        case surface::Number::sint: {
          i32x16 v = i32x16(value), low = i32x16{} - int32_t(most >> 1) - 1, high = i32x16{} + int32_t(most >> 1);
          v = v > low ? v : low;
          code = u32x16(v < high ? v : high) & most;
          break;
        }
        default: {
          u32x16 v = u32x16(value), high = u32x16{} + most;
          code = v < high ? v : high;
        }
      }
      word[field.word] |= code << field.shift;
    }
  }
};

// Texels of a quad to a word of each lane, and back. Texels of less than four bytes are a word's low bytes.
void gather(const uint8_t* texels, unsigned bytes, uint32_t (*words)[max_pixels], unsigned lane) {
  for (unsigned n = 0; n < 4; n++) {
    if (bytes == 1)
      words[0][lane + n] = texels[n];
    else if (bytes == 2)
      words[0][lane + n] = uint32_t(texels[2 * n] | texels[2 * n + 1] << 8);
    else
      for (unsigned w = 0; w < bytes / 4; w++) std::memcpy(&words[w][lane + n], texels + n * bytes + w * 4, 4);
  }
}
void scatter(uint8_t* texels, unsigned bytes, const uint32_t (*words)[max_pixels], unsigned lane, unsigned pixels) {
  for (unsigned n = 0; n < 4; n++) {
    if (!(pixels >> n & 1)) continue;
    if (bytes == 1)
      texels[n] = uint8_t(words[0][lane + n]);
    else if (bytes == 2)
      texels[2 * n] = uint8_t(words[0][lane + n]), texels[2 * n + 1] = uint8_t(words[0][lane + n] >> 8);
    else
      for (unsigned w = 0; w < bytes / 4; w++) std::memcpy(texels + n * bytes + w * 4, &words[w][lane + n], 4);
  }
}

// A wave that is whole rows of a block, in texels of a word.
void write_rows(const Write& write) {
  Tile& tile = write.tile;
  const ColourPath& path = tile.path[write.target];
  ColourBlocks& blocks = tile.colour[write.target];
  const Blend& blend = tile.constants->draw->colour.blend[write.target];
  const unsigned block = tile.place[0] / quads_in_block, first = tile.place[0] % quads_in_block, quads = write.last;
  if (!(blocks.dirty >> block & 1)) blocks.written[block] = 0, blocks.dirty |= uint64_t(1) << block;
  if (!(blocks.present >> block & 1)) {
    if (!path.reads_target && blocks.samples == 1)
      blocks.written[block] |= uint16_t(((1u << quads) - 1) << first);
    else
      tile.present_colour(write.target, block);
  }
  uint8_t* texels = blocks.block(block) + (size_t(write.sample) * pixels_in_block + first * 4) * 4;
  const uint32_t mask = path.word_mask[0];
  for (unsigned lane = 0; lane < quads * 4; lane += 16, texels += 64) {
    f32x16 component[4];
    u32x16 word;
    Lanes colour = write.source;
    alignas(64) float target[4][max_pixels], blended[4][max_pixels];
    if (path.blends) {
      word = load<u32x16>(texels);
      Bytes::decode(path, &word, component);
      for (unsigned c = 0; c < 4; c++) store(target[c] + lane, component[c]);
      blend_lanes(blend, path, write.source, write.second, target, blended, lane);
      colour = blended;
    }
    for (unsigned c = 0; c < 4; c++) component[c] = load<f32x16>(colour[c] + lane);
    Bytes::encode(path, component, &word);
    if (path.reads_target && mask != ~0u) word = (word & mask) | (load<u32x16>(texels) & ~mask);
    store(texels, word);
  }
}

template <class Codec>
void write_lanes(const Write& write) {
  if constexpr (Codec::words == 1)
    if (write.tile.whole_rows && write.lanes == write.tile.batch.covered) return write_rows(write);
  Tile& tile = write.tile;
  unsigned first = write.first, last = write.last;
  const ColourPath& path = tile.path[write.target];
  ColourBlocks& blocks = tile.colour[write.target];
  const Blend& blend = tile.constants->draw->colour.blend[write.target];
  unsigned bytes = Codec::words == 1 ? 4 : blocks.texel_bytes, words = std::max(1u, bytes / 4);
  // Each quad's texels; null for quads without a pixel.
  uint8_t* texels[max_quads];
  for (unsigned q = first; q < last; q++) {
    unsigned pixels = write.lanes >> 4 * q & 0xf;
    texels[q] = nullptr;
    if (!pixels) continue;
    unsigned block = tile.place[q] / quads_in_block, quad = tile.place[q] % quads_in_block;
    if (!(blocks.dirty >> block & 1)) blocks.written[block] = 0, blocks.dirty |= uint64_t(1) << block;
    if (!(blocks.present >> block & 1)) {
      bool whole = pixels == 0xf && !path.reads_target && blocks.samples == 1;
      if (whole)
        blocks.written[block] |= uint16_t(1u << quad);
      else if (path.reads_target || !(blocks.written[block] >> quad & 1))
        tile.present_colour(write.target, block);
    }
    texels[q] = blocks.block(block) + (write.sample * pixels_in_block + quad * 4) * bytes;
  }
  alignas(64) uint32_t old[Codec::words][max_pixels], fresh[Codec::words][max_pixels];
  alignas(64) float target[4][max_pixels], blended[4][max_pixels];
  if (path.reads_target) {
    for (unsigned q = first; q < last; q++) {
      if (!texels[q]) continue;
      if constexpr (Codec::words == 1)
        std::memcpy(old[0] + 4 * q, texels[q], 16);
      else
        gather(texels[q], bytes, old, 4 * q);
    }
  }
  for (unsigned lane = first * 4 & ~15u; lane < last * 4; lane += 16) {
    if (!(write.lanes >> lane & 0xffff)) continue;
    u32x16 word[Codec::words] = {};
    f32x16 component[4];
    Lanes colour = write.source;
    if (path.blends) {
      for (unsigned w = 0; w < words; w++) word[w] = load<u32x16>(old[w] + lane);
      Codec::decode(path, word, component);
      for (unsigned c = 0; c < 4; c++) store(target[c] + lane, component[c]);
      blend_lanes(blend, path, write.source, write.second, target, blended, lane);
      colour = blended;
    }
    for (unsigned c = 0; c < 4; c++) component[c] = load<f32x16>(colour[c] + lane);
    Codec::encode(path, component, word);
    for (unsigned w = 0; w < words; w++) {
      uint32_t mask = path.word_mask[w];
      if (path.reads_target && mask != ~0u) word[w] = (word[w] & mask) | (load<u32x16>(old[w] + lane) & ~mask);
      store(fresh[w] + lane, word[w]);
    }
  }
  for (unsigned q = first; q < last; q++) {
    if (!texels[q]) continue;
    unsigned pixels = write.lanes >> 4 * q & 0xf;
    if constexpr (Codec::words == 1) {
      u32x4 word = load<u32x4>(fresh[0] + 4 * q);
      if (pixels != 0xf) {
        constexpr u32x4 bit = {1, 2, 4, 8};
        u32x4 mask = u32x4((bit & pixels) != 0);
        word = (word & mask) | (load<u32x4>(texels[q]) & ~mask);
      }
      store(texels[q], word);
    } else {
      scatter(texels[q], bytes, fresh, 4 * q, pixels);
    }
  }
}

// --- any other format

// For texels of up to four bytes.
void flip_bits(const ColourFlip& flip, uint8_t* texel, size_t bytes) {
  const uint32_t all = bytes == 4 ? ~0u : (1u << 8 * bytes) - 1;
  uint32_t word = 0;
  std::memcpy(&word, texel, bytes);
  if ((word ^ flip.colour) & flip.mask & all) return;
  word ^= flip.flip;
  std::memcpy(texel, &word, bytes);
}

void write_texels(const Write& write) {
  Tile& tile = write.tile;
  unsigned n = write.target, first = write.first, last = write.last;
  uint64_t lanes = write.lanes;
  const ColourPath& path = tile.path[n];
  const uint8_t* mask_of_texel = reinterpret_cast<const uint8_t*>(path.word_mask);
  ColourBlocks& blocks = tile.colour[n];
  const Draw& draw = *tile.constants->draw;
  const Blend& blend = draw.colour.blend[n];
  const surface::Format& format = draw.targets.colour[n].format;
  size_t bytes = blocks.texel_bytes;
  uint8_t* texels[max_quads];
  alignas(64) float target[4][max_pixels], blended[4][max_pixels];
  surface::Colour colours[4];
  for (unsigned q = first; q < last; q++) {
    texels[q] = nullptr;
    if (!(lanes >> 4 * q & 0xf)) continue;
    unsigned block = tile.place[q] / quads_in_block, quad = tile.place[q] % quads_in_block;
    texels[q] = tile.present_colour(n, block) + (write.sample * pixels_in_block + quad * 4) * bytes;
    if (!(blocks.dirty >> block & 1)) blocks.written[block] = 0, blocks.dirty |= uint64_t(1) << block;
    if (!path.blends) continue;
    surface::read_row(format, texels[q], 4, colours);
    for (unsigned lane = 0; lane < 4; lane++)
      for (unsigned c = 0; c < 4; c++) std::memcpy(&target[c][4 * q + lane], &colours[lane][c], 4);
  }
  Lanes colour = write.source;
  if (path.blends) {
    for (unsigned lane = first * 4 & ~15u; lane < last * 4; lane += 16)
      if (lanes >> lane & 0xffff) blend_lanes(blend, path, write.source, write.second, target, blended, lane);
    colour = blended;
  }
  if (std::ranges::any_of(path.field, [](const ColourField& field) { return field.cut.from; })) {
    for (unsigned c = 0; c < 4; c++)
      for (unsigned lane = first * 4 & ~15u; lane < last * 4; lane += 16) {
        const f32x16 value = load<f32x16>(colour[c] + lane);
        store(blended[c] + lane, path.field[c].cut.from ? cut_bits(path.field[c], value) : value);
      }
    colour = blended;
  }
  for (unsigned q = first; q < last; q++) {
    if (!texels[q]) continue;
    for (unsigned lane = 0; lane < 4; lane++)
      for (unsigned c = 0; c < 4; c++) std::memcpy(&colours[lane][c], &colour[c][4 * q + lane], 4);
    uint8_t fresh[4 * 16];
    surface::write_row(format, fresh, 4, colours, path.rounding);
    for (unsigned lane = 0; lane < 4; lane++) {
      if (!(lanes >> (4 * q + lane) & 1)) continue;
      uint8_t* to = texels[q] + lane * bytes;
      if (path.flips) flip_bits(draw.colour.flip, fresh + lane * bytes, bytes);
      for (size_t byte = 0; byte < bytes; byte++) {
        uint8_t value = fresh[lane * bytes + byte], old = to[byte], mask = mask_of_texel[byte];
        if (path.logic) {
          uint8_t s = value, t = old;
          LogicOp op = path.logic_op;
          value = uint8_t((op & 1 ? ~s & ~t : 0) | (op & 2 ? ~s & t : 0) | (op & 4 ? s & ~t : 0) | (op & 8 ? s & t : 0));
        }
        to[byte] = uint8_t((value & mask) | (old & ~mask));
      }
    }
  }
}

}  // namespace

void write_colours(Tile& tile, unsigned target, unsigned first, unsigned last, unsigned sample, uint64_t lanes,
                   const float (*source)[max_pixels], const float (*second)[max_pixels]) {
  const ColourPath& path = tile.path[target];
  if (path.discards) lanes &= ~discarded(tile.constants->draw->colour.blend[target].discard, source, lanes);
  Write write{tile, target, first, last, sample, lanes, source, second};
  switch (path.kind) {
    case ColourPath::Kind::bytes: write_lanes<Bytes>(write); break;
    case ColourPath::Kind::fields: write_lanes<Fields>(write); break;
    case ColourPath::Kind::texels: write_texels(write); break;
    case ColourPath::Kind::none: break;
  }
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
