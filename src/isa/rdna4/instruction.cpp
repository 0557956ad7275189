#include "isa/rdna4/instruction.h"

namespace Atoll::rdna4 {

uint16_t* slot_of(Instruction& i, Slot slot) {
  switch (slot) {
    case Slot::Dst: return &i.dst;
    case Slot::Sdst: return &i.sdst;
    case Slot::Src0: return &i.src[0];
    case Slot::Src1: return &i.src[1];
    case Slot::Src2: return &i.src[2];
    case Slot::Address: return &i.address;
    case Slot::Data: return &i.data;
    case Slot::Data1: return &i.data1;
    case Slot::Resource:
    case Slot::Saddr: return &i.saddr;
    case Slot::Soffset: return &i.soffset;
    case Slot::Sampler: return &i.sampler;
    case Slot::Format: return &i.format;
    case Slot::Image0: return &i.image_address[0];
    case Slot::Image1: return &i.image_address[1];
    case Slot::Image2: return &i.image_address[2];
    case Slot::Image3: return &i.image_address[3];
    case Slot::Image4: return &i.image_address[4];
    case Slot::Export0: return &i.export_source[0];
    case Slot::Export1: return &i.export_source[1];
    case Slot::Export2: return &i.export_source[2];
    case Slot::Export3: return &i.export_source[3];
    default: return nullptr;
  }
}

uint16_t* modifier_of(Instruction& i, Field field) {
  switch (field) {
    case Field::neg: return &i.neg;
    case Field::neg_hi: return &i.neg_hi;
    case Field::abs: return &i.abs;
    case Field::opsel: return &i.op_sel;
    case Field::cm: return &i.clamp;
    case Field::omod: return &i.omod;
    case Field::row_mask: return &i.row_mask;
    case Field::bank_mask: return &i.bank_mask;
    case Field::bc: return &i.bound_control;
    case Field::fi: return &i.fetch_inactive;
    case Field::saddr:
    case Field::rsrc: return &i.saddr;
    case Field::soffset: return &i.soffset;
    case Field::samp: return &i.sampler;
    case Field::offset0: return &i.offset0;
    case Field::offset1: return &i.offset1;
    case Field::offen: return &i.offset_enable;
    case Field::idxen: return &i.index_enable;
    case Field::tfe: return &i.tfe;
    case Field::th: return &i.th;
    case Field::scope: return &i.scope;
    case Field::format: return &i.format;
    case Field::dim: return &i.image_dimension;
    case Field::dmask: return &i.dmask;
    case Field::r128: return &i.r128;
    case Field::a16: return &i.a16;
    case Field::d16: return &i.d16;
    case Field::lwe: return &i.lwe;
    case Field::unrm: return &i.unrm;
    case Field::vaddr0: return &i.image_address[0];
    case Field::vaddr1: return &i.image_address[1];
    case Field::vaddr2: return &i.image_address[2];
    case Field::vaddr3: return &i.image_address[3];
    case Field::vaddr4: return &i.image_address[4];
    case Field::target: return &i.export_target;
    case Field::en: return &i.export_enable;
    case Field::done: return &i.export_done;
    case Field::row: return &i.export_row;
    case Field::vsrc0: return &i.export_source[0];
    case Field::vsrc1: return &i.export_source[1];
    case Field::vsrc2: return &i.export_source[2];
    case Field::vsrc3: return &i.export_source[3];
    case Field::waitexp: return &i.wait_exp;
    case Field::attr: return &i.attribute;
    case Field::attr_chan: return &i.attribute_channel;
    case Field::wait_va: return &i.wait_va_vdst;
    case Field::wait_vmvsrc: return &i.wait_vm_vsrc;
    default: return nullptr;
  }
}

}  // namespace Atoll::rdna4
