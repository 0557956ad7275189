// Random instruction words of one table row: every field gets values that matter for it, so that most words are instructions.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <random>

#include "isa/gfx7/instruction.h"
#include "isa/gfx7/table.h"

namespace Atoll::gfx7::test {

class WordGenerator {
public:
  explicit WordGenerator(uint32_t seed) : random_(seed) {}

  std::array<uint8_t, 12> operator()(const Opcode& row) {
    const Layout& form = layout(row);
    uint32_t words[3] = {form.fixed, 0, 0};
    bool plain = below(3) == 0;
    scalar_ = scalar(), scalar_used_ = false;
    for (const FieldRow& f : form.fields) {
      if (f.field == Field::encoding) continue;
      f.bits.put(words, f.field == Field::op ? row.opcode : value(row, f, plain));
    }
    words[form.words] = below(4) ? uint32_t(random_()) : below(1000);
    std::array<uint8_t, 12> bytes;
    std::memcpy(bytes.data(), words, 12);
    return bytes;
  }

  uint32_t below(uint32_t limit) { return uint32_t(random_()) % limit; }

private:
  std::mt19937 random_;
  uint32_t scalar_ = 0;  // the one scalar value that this instruction mostly reads
  bool scalar_used_ = false;

  uint32_t scalar() {
    static constexpr uint16_t special[] = {104, 105, 106, 107, 108, 109, 110, 111, 112, 114, 116, 120, 123, 124, 126, 127};
    switch (below(4)) {
      case 0: return below(104);
      case 1: return 2 * below(52);
      case 2: return 4 * below(26);
      default: return special[below(std::size(special))];
    }
  }

  uint32_t source(bool vector) {
    static constexpr uint16_t special[] = {251, 252, 253, 255, 255, 255, 254, 248, 209, 239, 125};
    switch (below(vector ? 12 : 8)) {
      case 0:
      case 1: scalar_used_ = true; return below(8) ? scalar_ : scalar();
      case 2: return vector && scalar_used_ ? 128 + below(81) : scalar();
      case 3: return special[below(std::size(special))];
      case 4:
      case 5: return 128 + below(81);
      case 6:
      case 7: return 240 + below(8);
      default: return 256 + below(256);
    }
  }

  uint32_t value(const Opcode& row, const FieldRow& f, bool plain) {
    const OperandRow* used = nullptr;
    for (const OperandRow& o : row.rows())
      if (o.field == f.field && o.bits.width != 0) used = &o;
    if (used != nullptr) switch (used->kind) {
        case Kind::Vgpr:
        case Kind::Returned:
        case Kind::ImageData:
        case Kind::ImageAddress:
        case Kind::BufferAddress:
        case Kind::ExportSource: return f.bits.width == 9 ? 256 + below(256) : below(4) ? below(250) : below(256);
        case Kind::Sgpr:
        case Kind::Mask:
          if (f.field == Field::sbase) return scalar() / 2;
          if (f.field == Field::srsrc || f.field == Field::ssamp) return scalar() / 4;
          return scalar();
        case Kind::VectorSource: return source(true);
        case Kind::VgprOrDirect: return below(6) ? 256 + below(256) : source(true);
        case Kind::ScalarSource:
        case Kind::ScalarInline:
        case Kind::ScalarOffset: return source(false);
        case Kind::SmrdOffset: return below(3) ? below(256) : scalar();
        case Kind::Parameter: return below(3);
        case Kind::ExportTarget: return below(8) ? (below(2) ? below(16) : 32 + below(32)) : below(64);
        default: break;
      }
    if (used == nullptr && f.bits.width >= 7 && f.field != Field::offset && f.field != Field::offset0 &&
        f.field != Field::offset1)
      return below(16) ? 0 : below(4);
    if (row.format == Format::SMRD && used == nullptr) {  // IMM belongs to the offset
      bool offset = row.operand_count == 3;
      return offset ? below(2) : below(16) == 0;
    }
    switch (f.field) {
      case Field::simm16:
        if (used == nullptr) return 0;
        return below(3) ? below(256) - below(32) : uint32_t(random_());
      case Field::neg: return plain ? 0 : below(8) & (below(6) ? row.neg : 7u);
      case Field::abs: return plain ? 0 : below(8) & (below(6) ? row.abs : 7u);
      case Field::clamp: return !plain && (row.has(Flag::Clamp) || !below(8)) ? below(2) : 0;
      case Field::omod: return !plain && (row.has(Flag::Omod) || !below(8)) ? below(4) : 0;
      case Field::gds: return row.has(Flag::GdsOnly) && below(8) ? 1 : !row.has(Flag::Bare) && below(2);
      case Field::offset:
      case Field::offset0:
      case Field::offset1: return row.has(Flag::Bare) || (plain && below(2)) ? 0 : uint32_t(random_());
      case Field::lds: return row.has(Flag::Lds) && !below(4);
      case Field::tfe: return !plain && !below(4);
      case Field::addr64: return !row.has(Flag::Bare) && !below(4);
      case Field::dmask:
        return row.has(Flag::Gather4) ? 1u << below(4) : row.has(Flag::Atomic) ? (below(2) ? 3 : below(2) ? 1 : 15) : below(16);
      case Field::en: return below(3) ? 15 : below(16);
      default: break;
    }
    if (row.has(Flag::Bare)) return 0;
    return f.bits.width == 1 ? !plain && below(3) == 0 : uint32_t(random_());
  }
};

}  // namespace Atoll::gfx7::test
