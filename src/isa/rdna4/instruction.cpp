#include "isa/rdna4/instruction.h"

#include "isa/amd/instruction.h"

namespace Atoll::rdna4 {

uint16_t* slot_of(Instruction& i, Slot slot) {
  switch (slot) {
    case Slot::Resource:
    case Slot::Saddr: return &i.saddr;
    case Slot::Format: return &i.format;
    case Slot::Image0: return &i.image_address[0];
    case Slot::Image1: return &i.image_address[1];
    case Slot::Image2: return &i.image_address[2];
    case Slot::Image3: return &i.image_address[3];
    case Slot::Image4: return &i.image_address[4];
    default: return amd::common_slot_of(i, slot);
  }
}

uint16_t* modifier_of(Instruction& i, Field field) {
  switch (field) {
    case Field::neg_hi: return &i.neg_hi;
    case Field::opsel: return &i.op_sel;
    case Field::row_mask: return &i.row_mask;
    case Field::bank_mask: return &i.bank_mask;
    case Field::bc: return &i.bound_control;
    case Field::fi: return &i.fetch_inactive;
    case Field::saddr:
    case Field::rsrc: return &i.saddr;
    case Field::soffset: return &i.soffset;
    case Field::samp: return &i.sampler;
    case Field::th: return &i.th;
    case Field::scope: return &i.scope;
    case Field::format: return &i.format;
    case Field::dim: return &i.image_dimension;
    case Field::a16: return &i.a16;
    case Field::d16: return &i.d16;
    case Field::vaddr0: return &i.image_address[0];
    case Field::vaddr1: return &i.image_address[1];
    case Field::vaddr2: return &i.image_address[2];
    case Field::vaddr3: return &i.image_address[3];
    case Field::vaddr4: return &i.image_address[4];
    case Field::row: return &i.export_row;
    case Field::vsrc0: return &i.exports[0];
    case Field::vsrc1: return &i.exports[1];
    case Field::vsrc2: return &i.exports[2];
    case Field::vsrc3: return &i.exports[3];
    case Field::waitexp: return &i.wait_exp;
    case Field::wait_va: return &i.wait_va_vdst;
    case Field::wait_vmvsrc: return &i.wait_vm_vsrc;
    default: return amd::common_modifier_of(i, field);
  }
}

}  // namespace Atoll::rdna4
