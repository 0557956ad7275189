#include "wave/jit/byte_file.h"

#include <algorithm>
#include <bit>

namespace Atoll::wave {

using V = llvm::Value*;

ByteFile::Shape ByteFile::shape_of(const Region& r) {
  Shape s;
  s.row = s.single = true;
  for (uint32_t l = 0; l < r.lanes; l++) {
    uint32_t element = element_of(r, l);
    s.element.push_back(int(element));
    s.count = std::max(s.count, element + 1);
    s.row &= element == l;
    s.single &= element == 0;
  }
  s.single &= !s.row;
  return s;
}

// Those that overlap; `touching` 1: or follow each other.
void ByteFile::join(std::vector<Stretch>& stretches, uint64_t touching) {
  std::ranges::sort(stretches, {}, &Stretch::begin);
  std::vector<Stretch> joined;
  for (const Stretch& s : stretches)
    if (joined.empty() || s.begin >= joined.back().end + touching)
      joined.push_back(s);
    else
      joined.back().end = std::max(joined.back().end, s.end);
  stretches = std::move(joined);
}

void ByteFile::begin(const CodeRegion& region) {
  stretches_.clear(), written_.clear();
  auto touch = [&](uint64_t cell, uint64_t bytes, bool writes) {
    const Stretch s{cell & ~uint64_t(3), (cell + bytes + 3) & ~uint64_t(3)};
    stretches_.push_back(s);
    if (writes) written_.push_back(s);
  };
  for (const Node& x : region.nodes) switch (x.op) {
      case Op::ReadScalar:
      case Op::ReadMask: touch(x.imm, 4, false); break;
      case Op::WriteScalar:
      case Op::WriteMask: touch(x.imm, 4, true); break;
      case Op::ReadRegion:
      case Op::WriteRegion: {
        const auto& r = *static_cast<const Region*>(x.extra);
        touch(r.cell, uint64_t(shape_of(r).count) * r.bytes, false);
        if (x.op == Op::WriteRegion)
          for (uint64_t at = r.cell & ~uint64_t(3), end = r.cell + uint64_t(shape_of(r).count) * r.bytes; at < end; at += 4)
            if (!region.dead.count(at)) written_.push_back({at, at + 4});
        break;
      }
      default: break;
    }
  std::ranges::sort(stretches_, {}, &Stretch::begin);
  find_long_chains();
  join(stretches_, 0), join(written_, 1);
  for (Stretch& s : stretches_) {
    auto* type = llvm::ArrayType::get(f_.i8, s.end - s.begin);
    llvm::IRBuilder<> entry(&f_.function->getEntryBlock(), f_.function->getEntryBlock().begin());
    auto* home = entry.CreateAlloca(type, nullptr, "bytes");
    home->setAlignment(llvm::Align(4));
    s.home = home;
  }
}

// LLVM 19 makes one vector of all bytes that a chain of overlapping accesses reaches. Of thousands of bytes its code generator takes
// minutes, or comes to no end.
void ByteFile::find_long_chains() {
  constexpr uint64_t longest = 512;
  long_chains_.clear();
  Chain chain{0, 0};
  auto end_chain = [&] {
    if (chain.end - chain.begin > longest) long_chains_.push_back(chain);
  };
  for (const Stretch& access : stretches_) {
    if (access.begin >= chain.end) {
      end_chain();
      chain = {access.begin, access.end};
    }
    chain.end = std::max(chain.end, access.end);
  }
  end_chain();
}
bool ByteFile::stays_in_memory(uint64_t cell) const {
  return std::ranges::any_of(long_chains_, [&](const Chain& c) { return cell >= c.begin && cell < c.end; });
}
V ByteFile::load(llvm::Type* type, uint64_t cell, unsigned alignment) {
  return b_.CreateAlignedLoad(type, pointer(cell), llvm::Align(alignment), stays_in_memory(cell));
}
void ByteFile::store(V value, uint64_t cell, unsigned alignment) {
  b_.CreateAlignedStore(value, pointer(cell), llvm::Align(alignment), stays_in_memory(cell));
}

void ByteFile::load() {
  const llvm::Align align(4);
  for (const Stretch& s : stretches_) b_.CreateMemCpy(s.home, align, f_.cell_pointer(s.begin), align, s.end - s.begin);
}
void ByteFile::commit() {
  const llvm::Align align(4);
  for (const Stretch& s : written_)
    for (uint64_t at = s.begin, end = 0; at < s.end; at = end) {
      end = std::min(s.end, stretch_of(at).end);
      b_.CreateMemCpy(f_.cell_pointer(at), align, pointer(at), align, end - at);
    }
}

ByteFile::Stretch& ByteFile::stretch_of(uint64_t cell) {
  auto after = std::ranges::upper_bound(stretches_, cell, {}, &Stretch::begin);
  return *std::prev(after);
}
V ByteFile::pointer(uint64_t cell) {
  Stretch& s = stretch_of(cell);
  return b_.CreateConstInBoundsGEP1_64(f_.i8, s.home, cell - s.begin);
}

V ByteFile::read_word(uint64_t cell) { return load(f_.i32, cell, 4); }
void ByteFile::write_word(uint64_t cell, V word) { store(word, cell, 4); }

V ByteFile::mask_of(V word) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(word)) {
    std::vector<llvm::Constant*> bits;
    bits.reserve(size_t(f_.width));
    for (int l = 0; l < f_.width; l++) bits.push_back(b_.getInt1(known->getZExtValue() >> l & 1));
    return llvm::ConstantVector::get(bits);
  }
  return f_.lanes_of(b_.CreateTrunc(word, f_.piece));
}
V ByteFile::word_of(V mask) { return b_.CreateZExt(b_.CreateBitCast(mask, f_.piece), f_.i32); }

// Elements beyond the vector's own are 0.
V ByteFile::resized(V vector, size_t length) {
  const size_t own = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  if (own == length) return vector;
  llvm::SmallVector<int, 128> from;
  for (size_t n = 0; n < length; n++) from.push_back(int(std::min(n, own)));
  return b_.CreateShuffleVector(vector, llvm::Constant::getNullValue(vector->getType()), from);
}

V ByteFile::read_region(const Node& node) {
  const auto& r = *static_cast<const Region*>(node.extra);
  const Shape shape = shape_of(r);
  llvm::Type* element = b_.getIntNTy(r.bytes * 8u);
  llvm::Type* wanted = node.type == Type::U64 ? f_.vi64 : f_.vi32;
  V lanes;
  if (shape.single) {
    V one = load(element, r.cell, 1);
    if (element != wanted->getScalarType())
      one = r.sign_extend ? b_.CreateSExt(one, wanted->getScalarType()) : b_.CreateZExt(one, wanted->getScalarType());
    if (r.lanes == f_.width) return f_.splat(one);
    lanes = b_.CreateVectorSplat(r.lanes, one);
  } else {
    V all = load(llvm::FixedVectorType::get(element, shape.count), r.cell, 1);
    lanes = shape.row ? all : b_.CreateShuffleVector(all, shape.element);
    llvm::Type* own = llvm::FixedVectorType::get(wanted->getScalarType(), r.lanes);
    if (element != wanted->getScalarType()) lanes = r.sign_extend ? b_.CreateSExt(lanes, own) : b_.CreateZExt(lanes, own);
  }
  return resized(lanes, size_t(f_.width));  // lanes beyond the region's: 0
}

void ByteFile::write_region(const Node& node) {
  const auto& r = *static_cast<const Region*>(node.extra);
  const Shape shape = shape_of(r);
  V value = values_[size_t(node.a)], condition = values_[size_t(node.b)];
  llvm::Type* element = b_.getIntNTy(r.bytes * 8u);
  auto* all_type = llvm::FixedVectorType::get(element, shape.count);
  if (value->getType()->getScalarType() != element)
    value = b_.CreateTrunc(value, llvm::FixedVectorType::get(element, unsigned(f_.width)));
  // Lanes to where they stand in the file; of the elements between them the condition is false, and the value any lane's: none at all
  // would be poison, which masks do not keep out. The vectors' lengths are powers of two: of others LLVM 19 loses lanes, or finds no
  // instruction for what it made itself.
  const size_t length = std::bit_ceil(size_t(shape.count));
  llvm::SmallVector<int, 128> from(length, 0), from_mask(length, f_.width);
  for (int l = 0; l < r.lanes; l++) from[size_t(shape.element[size_t(l)])] = from_mask[size_t(shape.element[size_t(l)])] = l;
  auto* known = llvm::dyn_cast<llvm::Constant>(condition);
  const bool all = known && known->isAllOnesValue();
  if (shape.row && r.lanes == f_.width) {
    if (!all) value = b_.CreateSelect(condition, value, load(all_type, r.cell, 1));
  } else {
    // (As integers: LLVM 19 loses lanes where it spreads bits of masks.)
    V mask = b_.CreateSExt(condition, value->getType());
    mask = b_.CreateShuffleVector(mask, llvm::Constant::getNullValue(mask->getType()), from_mask);
    V old = resized(load(all_type, r.cell, 1), length);
    mask = b_.CreateICmpNE(mask, llvm::Constant::getNullValue(mask->getType()));
    value = b_.CreateSelect(mask, b_.CreateShuffleVector(value, from), old);
    value = resized(value, shape.count);
  }
  store(value, r.cell, 1);
}

}  // namespace Atoll::wave
