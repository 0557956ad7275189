#include "isa/gfx7/instruction.h"

namespace Atoll::gfx7 {

uint16_t* slot_of(Instruction& i, Slot slot) {
  switch (slot) {
    case Slot::Dst: return &i.dst;
    case Slot::Sdst: return &i.sdst;
    case Slot::Src0: return &i.src[0];
    case Slot::Src1: return &i.src[1];
    case Slot::Src2: return &i.src[2];
    case Slot::Immediate: return &i.simm16;
    case Slot::Address: return &i.address;
    case Slot::Data: return &i.data;
    case Slot::Data1: return &i.data1;
    case Slot::Resource: return &i.resource;
    case Slot::Sampler: return &i.sampler;
    case Slot::Soffset: return &i.soffset;
    case Slot::Offset: return &i.offset;
    case Slot::Export0: return &i.exports[0];
    case Slot::Export1: return &i.exports[1];
    case Slot::Export2: return &i.exports[2];
    case Slot::Export3: return &i.exports[3];
    default: return nullptr;
  }
}

uint16_t* modifier_of(Instruction& i, Field field) {
  switch (field) {
    case Field::simm16: return &i.simm16;
    case Field::offset: return &i.offset;
    case Field::imm: return &i.imm;
    case Field::abs: return &i.abs;
    case Field::neg: return &i.neg;
    case Field::clamp: return &i.clamp;
    case Field::omod: return &i.omod;
    case Field::offset0: return &i.offset0;
    case Field::offset1: return &i.offset1;
    case Field::gds: return &i.gds;
    case Field::glc: return &i.glc;
    case Field::slc: return &i.slc;
    case Field::tfe: return &i.tfe;
    case Field::lwe: return &i.lwe;
    case Field::offen: return &i.offen;
    case Field::idxen: return &i.idxen;
    case Field::addr64: return &i.addr64;
    case Field::lds: return &i.lds;
    case Field::dmask: return &i.dmask;
    case Field::unorm: return &i.unorm;
    case Field::da: return &i.da;
    case Field::r128: return &i.r128;
    case Field::dfmt: return &i.dfmt;
    case Field::nfmt: return &i.nfmt;
    case Field::attr: return &i.attr;
    case Field::attrchan: return &i.attrchan;
    case Field::tgt: return &i.tgt;
    case Field::en: return &i.en;
    case Field::compr: return &i.compr;
    case Field::done: return &i.done;
    case Field::vm: return &i.vm;
    default: return nullptr;
  }
}

}  // namespace Atoll::gfx7
