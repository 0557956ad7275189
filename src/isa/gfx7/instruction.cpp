#include "isa/gfx7/instruction.h"

#include "isa/amd/instruction.h"

namespace Atoll::gfx7 {

uint16_t* slot_of(Instruction& i, Slot slot) {
  switch (slot) {
    case Slot::Immediate: return &i.simm16;
    case Slot::Resource: return &i.resource;
    case Slot::Offset: return &i.offset;
    default: return amd::common_slot_of(i, slot);
  }
}

uint16_t* modifier_of(Instruction& i, Field field) {
  switch (field) {
    case Field::simm16: return &i.simm16;
    case Field::offset: return &i.offset;
    case Field::imm: return &i.imm;
    case Field::gds: return &i.gds;
    case Field::glc: return &i.glc;
    case Field::slc: return &i.slc;
    case Field::addr64: return &i.addr64;
    case Field::lds: return &i.lds;
    case Field::da: return &i.da;
    case Field::dfmt: return &i.dfmt;
    case Field::nfmt: return &i.nfmt;
    case Field::compr: return &i.compr;
    case Field::vm: return &i.vm;
    default: return amd::common_modifier_of(i, field);
  }
}

}  // namespace Atoll::gfx7
