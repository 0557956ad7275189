// Random instruction words of one table row: every field gets values that matter for it, so that most words are instructions.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <random>

#include "isa/rdna4/table.h"

namespace Atoll::rdna4::test {

class WordGenerator {
public:
  explicit WordGenerator(uint32_t seed) : random_(seed) {}

  std::array<uint8_t, 16> operator()(const Opcode& row) {
    const Layout& form = layout(row);
    uint32_t words[4];
    for (uint32_t& word : words) word = below(4) ? uint32_t(random_()) : below(100);
    bool plain = below(3) == 0;
    uint32_t covered[4] = {};
    for (const FieldRow& f : form.fields) {
      f.bits.put(words, value(row, f, form, plain));
      covered[f.bits.word] |= f.bits.mask() << f.bits.low;
    }
    for (unsigned n = 0; n < form.words; ++n)
      if (below(8)) words[n] &= covered[n];  // reserved bits are mostly zero
    if (form.words < 4 && below(2)) words[form.words] = dpp_dword();
    std::array<uint8_t, 16> bytes;
    std::memcpy(bytes.data(), words, 16);
    return bytes;
  }

  uint32_t below(uint32_t limit) { return uint32_t(random_()) % limit; }

private:
  std::mt19937 random_;

  uint32_t source() {
    static constexpr uint16_t special[] = {106, 107, 108, 110, 112, 124, 125, 126, 127, 235, 236, 237,
                                           238, 253, 251, 252, 255, 255, 250, 233, 234, 239, 249, 209};
    switch (below(10)) {
      case 0:
      case 1:
      case 2: return 256 + below(256);
      case 3: return 256 + 4 * below(60);
      case 4: return below(106);
      case 5: return 2 * below(53);
      case 6: return 4 * below(26);
      case 7: return special[below(std::size(special))];
      case 8: return 128 + below(81);
      default: return 240 + below(9);
    }
  }

  uint32_t dpp_dword() {
    uint32_t masks = below(2) ? 0xff000000u : uint32_t(random_()) & 0xff000000u;
    uint32_t control = below(2) ? below(256) : below(3) ? 0x100 | below(128) : below(512);
    return masks | (below(4) ? 0 : below(16) << 20) | (below(4) ? 0 : below(4) << 18) | control << 8 | below(200);
  }

  uint32_t value(const Opcode& row, const FieldRow& f, const Layout& form, bool plain) {
    bool image = row.format == Format::VIMAGE || row.format == Format::VSAMPLE;
    bool used = false;
    for (const OperandRow& o : row.rows()) used |= o.bits.width != 0 && o.bits.word == f.bits.word && o.bits.low == f.bits.low;
    switch (f.field) {
      case Field::encoding: return form.fixed >> f.bits.low;
      case Field::op: return row.opcode;
      case Field::reserved: return 0;
      case Field::simm16:
        if (row.operand_count == 0) return 0;
        break;
      case Field::opx: return row.format == Format::VOPDX ? row.opcode : below(12);
      case Field::opy: return row.format == Format::VOPDY ? row.opcode : below(19);
      case Field::saddr:
      case Field::soffset:
        if (below(2)) return 124;
        break;
      case Field::rsrc:
      case Field::samp: return below(3) ? 4 * below(26) : below(512);
      case Field::opsel_hi:
      case Field::opsel_hi2:
        if (below(2)) return ~0u;
        break;
      default: break;
    }
    if (f.bits.width >= 7 && f.bits.width <= 9 && !used && !image && row.format != Format::VOPDX && row.format != Format::VOPDY &&
        f.field != Field::saddr && f.field != Field::soffset && below(8))
      return 0;
    if (image && f.bits.width == 8 && f.field != Field::vdata && below(2)) return 0;
    switch (f.bits.width) {
      case 9: return source();
      case 8: return row.format <= Format::SOPP ? source() : below(3) ? below(128) : below(256);
      case 7: return source();
      case 6: return below(64);
      default: break;
    }
    if (f.bits.width >= 16) return below(3) ? below(256) - below(32) : uint32_t(random_());
    return plain || below(3) ? (plain ? 0 : below(2)) : uint32_t(random_());
  }
};

}  // namespace Atoll::rdna4::test
