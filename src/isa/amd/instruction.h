// The members of a decoded instruction that hold the operands and fields of the tables: those that the Instructions of AMD's instruction
// sets have in common, which go by the names of the Sea Islands register guide, section 4. An instruction set adds its own.
#pragma once
#include <cstdint>

#include "isa/amd/table.h"

namespace Atoll::amd {

// An operand's place; null where it is the instruction set's own.
template <class Instruction>
uint16_t* common_slot_of(Instruction& i, Slot slot) {
  switch (slot) {
    case Slot::Dst: return &i.dst;
    case Slot::Sdst: return &i.sdst;
    case Slot::Src0: return &i.src[0];
    case Slot::Src1: return &i.src[1];
    case Slot::Src2: return &i.src[2];
    case Slot::Address: return &i.address;
    case Slot::Data: return &i.data;
    case Slot::Data1: return &i.data1;
    case Slot::Sampler: return &i.sampler;
    case Slot::Soffset: return &i.soffset;
    case Slot::Export0: return &i.exports[0];
    case Slot::Export1: return &i.exports[1];
    case Slot::Export2: return &i.exports[2];
    case Slot::Export3: return &i.exports[3];
    default: return nullptr;
  }
}

// The place of a field that is held as it is; null where it is the instruction set's own, or none. Two names stand for one where
// the manuals call it differently.
template <class Instruction>
uint16_t* common_modifier_of(Instruction& i, Field field) {
  switch (field) {
    case Field::abs: return &i.abs;
    case Field::neg: return &i.neg;
    case Field::clamp:
    case Field::cm: return &i.clamp;
    case Field::omod: return &i.omod;
    case Field::offset0: return &i.offset0;
    case Field::offset1: return &i.offset1;
    case Field::offen: return &i.offen;
    case Field::idxen: return &i.idxen;
    case Field::tfe: return &i.tfe;
    case Field::lwe: return &i.lwe;
    case Field::dmask: return &i.dmask;
    case Field::unorm:
    case Field::unrm: return &i.unorm;
    case Field::r128: return &i.r128;
    case Field::attr: return &i.attr;
    case Field::attrchan:
    case Field::attr_chan: return &i.attrchan;
    case Field::tgt:
    case Field::target: return &i.tgt;
    case Field::en: return &i.en;
    case Field::done: return &i.done;
    default: return nullptr;
  }
}

}  // namespace Atoll::amd
