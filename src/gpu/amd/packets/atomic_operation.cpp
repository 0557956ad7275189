#include "gpu/amd/packets/atomic_operation.h"

namespace Atoll::gpu::amd {
namespace {

enum : uint32_t {
  SWAP_OP = 7,
  CMPSWAP = 8,
  ADD = 15,
  SUB,
  SMIN,
  UMIN,
  SMAX,
  UMAX,
  AND,
  OR,
  XOR,
  INC,
  DEC,
};

template <class U, class S>
bool combine(uint32_t op, U old, U data, U comparand, U& result) {
  switch (op) {
    case SWAP_OP: result = data; return true;
    case CMPSWAP: result = old == comparand ? data : old; return true;
    case ADD: result = old + data; return true;
    case SUB: result = old - data; return true;
    case SMIN: result = S(old) < S(data) ? old : data; return true;
    case UMIN: result = old < data ? old : data; return true;
    case SMAX: result = S(old) > S(data) ? old : data; return true;
    case UMAX: result = old > data ? old : data; return true;
    case AND: result = old & data; return true;
    case OR: result = old | data; return true;
    case XOR: result = old ^ data; return true;
    case INC: result = old >= data ? 0 : old + 1; return true;
    case DEC: result = old == 0 || old > data ? data : old - 1; return true;
  }
  return false;
}

template <class U, class S>
bool apply(uint8_t* at, uint32_t op, U data, U comparand, bool& swapped) {
  U* place = reinterpret_cast<U*>(at);
  U old = __atomic_load_n(place, __ATOMIC_ACQUIRE), result;
  do {
    if (!combine<U, S>(op, old, data, comparand, result)) return false;
  } while (!__atomic_compare_exchange_n(place, &old, result, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  swapped = op != CMPSWAP || old == comparand;
  return true;
}

}  // namespace

bool apply_atomic(uint8_t* at, uint32_t operation, uint64_t data, uint64_t comparand, bool& swapped) {
  const uint32_t op = atomics::Kind::get(operation);
  return atomics::Wide::get(operation) ? apply<uint64_t, int64_t>(at, op, data, comparand, swapped)
                                       : apply<uint32_t, int32_t>(at, op, uint32_t(data), uint32_t(comparand), swapped);
}

}  // namespace Atoll::gpu::amd
