#include "isa/xe_lp/data_message.h"

#include <fmt/format.h>

#include <bit>
#include <mutex>
#include <set>
#include <string>

#include "base/static_mutex.h"

namespace Atoll::xe_lp {
namespace {

struct Bits {
  uint32_t descriptor;
  unsigned get(unsigned low, unsigned size) const { return descriptor >> low & ((1u << size) - 1); }
  bool bit(unsigned n) const { return descriptor >> n & 1; }
};

// Texts live as long as the program: so many of them.
const char* kept(std::string text) {
  constexpr size_t most = 1024;
  [[clang::no_destroy]] static StaticMutex mutex;
  [[clang::no_destroy]] static std::set<std::string> all;
  std::lock_guard lock(mutex);
  if (all.size() >= most && !all.contains(text)) return "a message that is not known";
  return all.insert(std::move(text)).first->c_str();
}

void untyped(DataMessage& m, Bits d, bool write, bool a64) {
  m.access = DataAccess::Untyped, m.write = write, m.a64 = a64;
  m.channels = uint8_t(~d.get(8, 4) & 15);
  m.elements = uint8_t(std::popcount(m.channels));
  m.lanes = d.get(12, 2) == 1 ? 16 : 8;
}
void integer_atomic(DataMessage& m, Bits d, bool a64, uint8_t bytes) {
  m.access = DataAccess::Atomic, m.write = true, m.a64 = a64;
  m.operation = uint8_t(d.get(8, 4)), m.returns = d.bit(13), m.element_bytes = bytes;
  m.lanes = a64 || d.bit(12) ? 8 : 16;
}
void float_atomic(DataMessage& m, Bits d, bool a64, uint8_t bytes) {
  integer_atomic(m, d, a64, bytes);
  m.operation = uint8_t(d.get(8, 3)), m.floats = true;
}
void typed(DataMessage& m, Bits d, bool write) {
  m.access = DataAccess::Typed, m.write = write;
  m.channels = uint8_t(~d.get(8, 4) & 15);
  m.elements = uint8_t(std::popcount(m.channels));
  m.first_lane = d.get(12, 2) == 2 ? 8 : 0;
}
void typed_atomic(DataMessage& m, Bits d, uint8_t bytes) {
  integer_atomic(m, d, false, bytes);
  m.access = DataAccess::TypedAtomic;
  m.lanes = 8, m.first_lane = d.bit(12) ? 8 : 0;
}
// False: a size that there is not.
bool oword_block(DataMessage& m, Bits d, bool write, bool a64) {
  constexpr uint8_t owords[] = {1, 1, 2, 4, 8, 16, 0, 0};
  m.access = DataAccess::Block, m.write = write, m.a64 = a64;
  m.elements = uint8_t(owords[d.get(8, 3)] * 4), m.high_half = d.get(8, 3) == 1;
  return m.elements;
}

// False: not known.
bool read_data_port_0(Bits d, DataMessage& m) {
  if (d.bit(18)) {
    m.access = DataAccess::ScratchBlock;
    m.write = d.bit(17);
    m.elements = uint8_t(1u << d.get(12, 2)), m.scratch_offset = uint16_t(d.get(0, 12));
    return true;
  }
  unsigned type = d.get(14, 5);
  switch (type) {
    case 0x00:
    case 0x08: m.address_shift = 4; return oword_block(m, d, type == 8, false);
    case 0x01: return oword_block(m, d, false, false);  // bytes, at any dword
    case 0x03:
    case 0x0b:
      m.access = DataAccess::Scattered, m.write = type == 0x0b;
      m.lanes = d.bit(8) ? 16 : 8, m.address_shift = 2, m.elements = uint8_t(1u << d.get(10, 2));
      return true;
    case 0x04:
    case 0x0c:
      m.access = DataAccess::Scattered, m.write = type == 0x0c;
      m.lanes = d.bit(8) ? 16 : 8, m.element_bytes = uint8_t(1u << d.get(10, 2));
      return m.element_bytes <= 4;
    case 0x05:
    case 0x0d:
      m.access = DataAccess::Scattered, m.write = type == 0x0d;
      m.lanes = d.bit(8) ? 16 : 8, m.element_bytes = 8, m.elements = uint8_t(1u << d.get(10, 2));
      return true;
    case 0x07: m.access = DataAccess::Fence; return true;
    default: return false;
  }
}

bool read_data_port_1(Bits d, DataMessage& m) {
  unsigned type = d.get(14, 5);
  switch (type) {
    case 0x01:
    case 0x09: untyped(m, d, type == 9, false); return true;
    case 0x02: integer_atomic(m, d, false, 4); return true;
    case 0x03: integer_atomic(m, d, false, 2); return true;
    case 0x04:
    case 0x0a:
      m.access = DataAccess::MediaBlock, m.write = type == 0x0a;
      return d.get(8, 3) == 0;  // else fields of an interlaced picture
    case 0x05:
    case 0x0d: typed(m, d, type == 0x0d); return true;
    case 0x06: typed_atomic(m, d, 4); return true;
    case 0x07: typed_atomic(m, d, 2); return true;
    case 0x10:
    case 0x1a: {
      constexpr uint8_t bytes[] = {1, 4, 8, 0};
      m.access = DataAccess::Scattered, m.write = type == 0x1a, m.a64 = true;
      m.lanes = d.bit(12) ? 16 : 8;
      unsigned kind = d.get(8, 2), size = d.get(10, 2);
      m.element_bytes = kind ? bytes[kind] : uint8_t(1u << size);
      if (kind) m.elements = uint8_t(1u << size);
      return kind < 3 && (kind || size < 3);
    }
    case 0x11:
    case 0x19: untyped(m, d, type == 0x19, true); return true;
    case 0x12: integer_atomic(m, d, true, d.bit(12) ? 8 : 4); return true;
    case 0x13: integer_atomic(m, d, true, 2); return true;
    case 0x14:
    case 0x15:
      if (d.get(11, 2) < 2) return oword_block(m, d, type == 0x15, true);
      if (d.get(11, 2) == 2 || d.get(8, 3) > 3) return false;
      m.access = DataAccess::Block, m.write = type == 0x15, m.a64 = true;
      m.elements = uint8_t(8u << d.get(8, 3));
      return true;
    case 0x1b: float_atomic(m, d, false, 4); break;
    case 0x1c: float_atomic(m, d, false, 2); break;
    case 0x1d: float_atomic(m, d, true, 4); break;
    case 0x1e: float_atomic(m, d, true, 2); break;
    default: return false;
  }
  return m.operation >= 1 && m.operation <= 5;
}

}  // namespace

const char* read_data_message(Sfid function, uint32_t descriptor, DataMessage& m) {
  Bits d{descriptor};
  m = {};
  m.bti = uint8_t(descriptor), m.header = d.bit(19);
  m.address_length = uint8_t(d.get(25, 4)), m.response_length = uint8_t(d.get(20, 5));
  const unsigned type = d.get(14, 5);
  bool known = false;
  switch (function) {
    case Sfid::DataPort0: known = read_data_port_0(d, m); break;
    case Sfid::DataPort1: known = read_data_port_1(d, m); break;
    case Sfid::ConstantPort:  // reads of data port 0, through another cache
      known = (type == 0 || type == 1 || type == 3) && read_data_port_0(d, m);
      break;
    default: break;
  }
  if (known) return nullptr;
  return kept(fmt::format("send.{}: message type {:#x} (descriptor {:#010x}) is not known", sfid_names[unsigned(function) & 15],
                          type, descriptor));
}

unsigned atomic_operands(const DataMessage& m) {
  if (m.floats) return FloatAtomic(m.operation) == FloatAtomic::CompareExchange ? 2 : 1;
  switch (IntegerAtomic(m.operation)) {
    case IntegerAtomic::Increment:
    case IntegerAtomic::Decrement:
    case IntegerAtomic::PreDecrement: return 0;
    case IntegerAtomic::CompareExchange:
    case IntegerAtomic::CompareExchange64: return 2;
    default: return 1;
  }
}

}  // namespace Atoll::xe_lp
