// A message to a data port, read from its descriptor: messages.h prints it, here are its fields to act on. PRM volume 2b,
// "Message Descriptor" of the data ports; Mesa 22.3.6 brw_eu.h (brw_dp_*_desc); IGC MessageDecoderHDC.cpp.
#pragma once
#include <cstdint>

#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp {

enum class DataAccess : uint8_t {
  None,
  Untyped,       // up to four dwords at each lane's address
  Scattered,     // `elements` of `element_bytes` at each lane's address
  Block,         // `elements` dwords in a row, for the whole thread
  Atomic,        // at each lane's address
  Typed,         // a texel at each lane's coordinates
  TypedAtomic,   // on a texel
  ScratchBlock,  // registers of the thread's scratch
  MediaBlock,    // a rectangle of bytes of a surface, for the whole thread
  Fence
};

// The operations of atomics, by the message's numbers.
enum class IntegerAtomic : uint8_t {
  CompareExchange64,  // CMPWR_2W
  And,
  Or,
  Xor,
  Move,
  Increment,
  Decrement,
  Add,
  Subtract,
  ReverseSubtract,
  SignedMaximum,
  SignedMinimum,
  UnsignedMaximum,
  UnsignedMinimum,
  CompareExchange,
  PreDecrement
};
enum class FloatAtomic : uint8_t { Maximum = 1, Minimum, CompareExchange, Add, Subtract };

// Binding table indices that name no surface.
enum BindingIndex : uint8_t { BTI_BINDLESS = 252, BTI_STATELESS_NON_COHERENT = 253, BTI_SLM = 254, BTI_STATELESS = 255 };
constexpr bool is_stateless(uint8_t bti) { return bti == BTI_STATELESS || bti == BTI_STATELESS_NON_COHERENT; }

struct DataMessage {
  DataAccess access = DataAccess::None;
  bool write = false, header = false;
  bool a64 = false;        // lanes have 64-bit addresses (a block: its header)
  bool returns = false;    // of atomics: the old value
  bool floats = false;     // of atomics
  bool high_half = false;  // of one oword: it is in the upper half of the register
  uint8_t bti = 0;
  uint8_t lanes = 8;                                // that the message has room for
  uint8_t first_lane = 0;                           // of the instruction's: the message's lane 0
  uint8_t channels = 1;                             // of untyped and typed ones: a bit for each of xyzw that is there
  uint8_t elements = 1;                             // at each address; of blocks: dwords; of scratch: registers
  uint8_t element_bytes = 4;                        // 1, 2, 4, 8
  uint8_t address_shift = 0;                        // addresses count units of 1 << address_shift bytes
  uint8_t operation = 0;                            // of atomics
  uint8_t address_length = 0, response_length = 0;  // registers: of the first payload, of the answer
  uint16_t scratch_offset = 0;                      // of scratch blocks, in registers
};

// Null, or why the descriptor is none that Xe-LP's data ports know or that is executed: static text.
const char* read_data_message(Sfid function, uint32_t descriptor, DataMessage& message);

// Operands that an atomic has besides its address.
unsigned atomic_operands(const DataMessage& message);

}  // namespace Atoll::xe_lp
