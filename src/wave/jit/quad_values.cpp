#include "wave/jit/quad_values.h"

#include <llvm/IR/Intrinsics.h>

#include <bit>
#include <cmath>
#include <set>

namespace Atoll::wave {

using V = llvm::Value*;

llvm::Type* QuadValues::type(Type t) {
  llvm::Type* lanes = f_.type(t);
  return llvm::FixedVectorType::get(lanes->getScalarType(), count_);
}

// An operand as a lane for each quad: computed so, or the same in all lanes anyway. Null: it is neither.
V QuadValues::leaf(const std::vector<Node>& nodes, int node) {
  if (V known = quads_[size_t(node)]) return known;
  const Node& x = nodes[size_t(node)];
  if (x.op == Op::Splat) return values_[size_t(x.a)] ? b_.CreateVectorSplat(count_, values_[size_t(x.a)]) : nullptr;
  if (x.op != Op::Const || !is_lanes(x.type)) return nullptr;
  return b_.CreateVectorSplat(count_, llvm::cast<llvm::Constant>(f_.constant(x))->getSplatValue());
}

// Computes the node from its operands, as `find` has them. Null: it lacks one, or is none of what compute() knows.
template <class Find>
V QuadValues::compute_of(const Node& x, Find find) {
  if (x.d >= 0 || x.extra) return nullptr;
  V operands[3] = {};
  const int ids[3] = {x.a, x.b, x.c};
  for (int k = 0; k < 3; k++) {
    if (ids[k] < 0) continue;
    operands[k] = find(ids[k]);
    if (!operands[k]) return nullptr;
  }
  return compute(x, operands[0], operands[1], operands[2]);
}

// The same where arithmetic makes it of such values: a texture's size as a double.
V QuadValues::operand(const std::vector<Node>& nodes, int node) {
  if (V known = leaf(nodes, node)) return known;
  const Node& x = nodes[size_t(node)];
  if (!is_lanes(x.type) || x.a < 0) return nullptr;
  return compute_of(x, [&](int of) { return leaf(nodes, of); });
}

V QuadValues::emit(const std::vector<Node>& nodes, size_t n) {
  const Node& x = nodes[n];
  if (!is_lanes(x.type) || !may_compute()) return nullptr;
  count_ = unsigned(f_.width / 4);
  V narrow = nullptr;
  if (!of_wave_.empty() && of_wave_[n].is_computed) {
    if (!of_wave_[n].home) return llvm::PoisonValue::get(f_.type(x.type));  // of no use to anything else
    narrow = load_for_chunk(x, of_wave_[n].home);
  } else if (x.op == Op::QuadLane) {
    llvm::SmallVector<int> lanes;
    for (unsigned q = 0; q < count_; q++) lanes.push_back(int(q * 4 + x.imm));
    narrow = b_.CreateShuffleVector(values_[size_t(x.a)], lanes);
  } else {
    bool some = false;
    for (int id : {x.a, x.b, x.c}) some |= id >= 0 && quads_[size_t(id)];
    if (some) narrow = compute_of(x, [&](int of) { return operand(nodes, of); });
    if (!narrow) return nullptr;
  }
  quads_[n] = narrow;
  return spread(narrow);
}

// For all lanes of the chunk.
V QuadValues::spread(V narrow) {
  llvm::SmallVector<int> quads;
  for (int l = 0; l < f_.width; l++) quads.push_back(l / 4);
  return b_.CreateShuffleVector(narrow, quads);
}

// --- for all of the wave's quads

bool QuadValues::is_number(const std::vector<Node>& nodes, int node) {
  const Node& x = nodes[size_t(node)];
  if (x.op != Op::Select) return false;
  const Node &condition = nodes[size_t(x.a)], &instead = nodes[size_t(x.b)];
  const bool finite = instead.op == Op::Const && instead.type == Type::F64 && std::isfinite(std::bit_cast<double>(instead.imm));
  return condition.op == Op::IsNan && condition.a == x.c && finite;
}

// A constant where a mask is set, another elsewhere.
static bool is_flag(const std::vector<Node>& nodes, const Node& x) {
  return x.op == Op::Select && nodes[size_t(x.a)].op == Op::ReadMask && nodes[size_t(x.b)].op == Op::Const &&
         nodes[size_t(x.c)].op == Op::Const;
}

// A lane of each of the wave's quads: of a register, or of a mask as such constants. `as_found`: by node, reads of what the region has
// not written before. Null: of anything else.
V QuadValues::lane_for_wave(const std::vector<Node>& nodes, const Node& x, const std::vector<bool>& as_found) {
  const unsigned lanes = f_.like.lanes;
  llvm::SmallVector<int> of_quads;
  for (unsigned q = 0; q < count_; q++) of_quads.push_back(int(q * 4 + x.imm));
  if (const int at = register_read(nodes, x.a); at >= 0 && as_found[size_t(at)]) {
    llvm::Type* words = llvm::FixedVectorType::get(type(x.type)->getScalarType(), lanes);
    V all = b_.CreateAlignedLoad(words, f_.cell_pointer(nodes[size_t(at)].imm), llvm::Align(4));
    return b_.CreateShuffleVector(all, of_quads);
  }
  const Node& chosen = nodes[size_t(x.a)];
  if (!is_flag(nodes, chosen) || !as_found[size_t(chosen.a)]) return nullptr;
  V bits = f_.wave_field(nodes[size_t(chosen.a)].imm, f_.wide ? f_.i64 : f_.i32);
  V all = b_.CreateBitCast(bits, llvm::FixedVectorType::get(f_.i1, lanes));
  return b_.CreateSelect(b_.CreateShuffleVector(all, of_quads), leaf(nodes, chosen.b), leaf(nodes, chosen.c));
}

void QuadValues::compute_for_wave(const std::vector<Node>& nodes) {
  of_wave_.clear();
  if (!may_compute() || f_.options.tier != Tier::Full || int(f_.like.lanes) <= f_.width) return;
  count_ = f_.like.lanes / 4;
  quads_.assign(nodes.size(), nullptr);
  std::set<uint64_t> written;  // cells
  std::vector<bool> as_found(nodes.size());
  size_t doubles = 0;
  for (size_t n = 0; n < nodes.size(); n++) {
    const Node& x = nodes[n];
    if (x.op == Op::WriteLanes || x.op == Op::WriteWhole || x.op == Op::WriteMask || x.op == Op::WriteScalar)
      written.insert(x.imm);
    if (x.op == Op::ReadLanes || x.op == Op::ReadWhole) as_found[n] = !written.count(x.imm);
    if (x.op == Op::ReadMask) as_found[n] = !written.count(x.imm) && !written.count(x.imm + 4);
    if (!is_lanes(x.type)) continue;
    if (x.op == Op::QuadLane) {
      quads_[n] = lane_for_wave(nodes, x, as_found);
      continue;
    }
    bool some = false;
    for (int id : {x.a, x.b, x.c}) some |= id >= 0 && quads_[size_t(id)];
    if (some) quads_[n] = compute_of(x, [&](int of) { return operand(nodes, of); });
    if (quads_[n] && x.type == Type::F64) doubles++;
  }
  // A few operations are done while a chunk waits for its loads. (LLVM drops what is not stored.)
  constexpr size_t worth_it = 8;
  if (doubles >= worth_it) keep_for_chunks(nodes);
}

// Keeps values that are used by another chunk than computed them; the watch for NaNs uses floats whose bits are taken.
void QuadValues::keep_for_chunks(const std::vector<Node>& nodes) {
  of_wave_.assign(nodes.size(), {});
  auto keep = [&](int id) {
    if (id < 0 || !quads_[size_t(id)] || of_wave_[size_t(id)].home) return;
    const bool mask = nodes[size_t(id)].type == Type::M;
    V value = quads_[size_t(id)];
    if (mask) value = b_.CreateZExt(value, llvm::FixedVectorType::get(f_.i8, count_));
    b_.CreateStore(value, of_wave_[size_t(id)].home = f_.make_alloca(value->getType(), "quads"));
  };
  for (size_t n = 0; n < nodes.size(); n++) {
    const Node& x = nodes[n];
    of_wave_[n].is_computed = quads_[n] != nullptr;
    const bool watched = x.op == Op::Bitcast && is_float(nodes[size_t(x.a)].type) && !is_number(nodes, x.a);
    if (quads_[n] && !watched) continue;
    for (int id : {x.a, x.b, x.c, x.d}) keep(id);
  }
}

V QuadValues::load_for_chunk(const Node& x, V home) {
  llvm::Type* part = x.type == Type::M ? llvm::FixedVectorType::get(f_.i8, count_) : type(x.type);
  V from = b_.CreateInBoundsGEP(part->getScalarType(), home, b_.CreateLShr(chunk, 2));
  V value = b_.CreateAlignedLoad(part, from, llvm::Align(part->getScalarSizeInBits() / 8));
  return x.type == Type::M ? b_.CreateTrunc(value, type(x.type)) : value;
}

// As Lowering::emit() and FloatRules have them. Values that they hide from LLVM need no hiding here: it cannot know of a value
// made from lanes that it is a number whose arithmetic it would fold, but by one of a constant 1 or 0, which stays with the
// others.
V QuadValues::compute(const Node& x, V a, V b, V c) {
  auto count = [&] { return b_.CreateAnd(b, llvm::ConstantInt::get(a->getType(), a->getType()->getScalarSizeInBits() - 1)); };
  switch (x.op) {
    case Op::Add: return b_.CreateAdd(a, b);
    case Op::Sub: return b_.CreateSub(a, b);
    case Op::And: return b_.CreateAnd(a, b);
    case Op::Or: return b_.CreateOr(a, b);
    case Op::Not: return b_.CreateNot(a);
    case Op::Shl: return b_.CreateShl(a, count());
    case Op::LShr: return b_.CreateLShr(a, count());
    case Op::Eq: return b_.CreateICmpEQ(a, b);
    case Op::Ne: return b_.CreateICmpNE(a, b);
    case Op::ULe: return b_.CreateICmpULE(a, b);
    case Op::ULt: return b_.CreateICmpULT(a, b);
    case Op::Select: return b_.CreateSelect(a, b, c);
    case Op::Low: return b_.CreateTrunc(a, type(x.type));
    case Op::Bitcast: return b_.CreateBitCast(a, type(x.type));
    case Op::FAdd: return b_.CreateFAdd(a, b);
    case Op::FSub: return b_.CreateFSub(a, b);
    case Op::FMul: return b_.CreateFMul(a, b);
    case Op::FDiv: return b_.CreateFDiv(a, b);
    case Op::Ceil: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, a);
    case Op::RoundEven: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, a);
    case Op::FEq: return b_.CreateFCmpOEQ(a, b);
    case Op::FNe: return b_.CreateFCmpUNE(a, b);
    case Op::FLe: return b_.CreateFCmpOLE(a, b);
    case Op::FLt: return b_.CreateFCmpOLT(a, b);
    case Op::IsNan: return b_.CreateFCmpUNO(a, a);
    case Op::CvtFromS: return b_.CreateSIToFP(a, type(x.type));
    case Op::CvtFromU: return b_.CreateUIToFP(a, type(x.type));
    case Op::CvtFloat: return x.type == Type::F64 ? b_.CreateFPExt(a, type(x.type)) : b_.CreateFPTrunc(a, type(x.type));
    case Op::CvtToSInside: return b_.CreateFreeze(b_.CreateFPToSI(a, type(x.type)));
    default: return nullptr;
  }
}

}  // namespace Atoll::wave
