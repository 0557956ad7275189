#include "wave/jit/byte_file.h"

#include <algorithm>
#include <bit>
#include <map>

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

// --- units

// The dwords that a node reads or writes; none: it touches no register.
ByteFile::Access ByteFile::access_of(const Node& x) {
  switch (x.op) {
    case Op::ReadScalar:
    case Op::ReadMask:
    case Op::WriteScalar:
    case Op::WriteMask: return {x.imm, x.imm + 4};
    case Op::ReadRegion:
    case Op::WriteRegion: {
      const auto& r = *static_cast<const Region*>(x.extra);
      return {r.cell & ~uint64_t(3), (r.cell + uint64_t(shape_of(r).count) * r.bytes + 3) & ~uint64_t(3)};
    }
    default: return {0, 0};
  }
}

void ByteFile::begin(std::span<const CodeRegion* const> regions) {
  units_.clear();
  std::vector<Access> accesses;
  for (const CodeRegion* region : regions)
    for (const Node& x : region->nodes)
      if (const Access a = access_of(x); a.end) accesses.push_back(a);
  std::ranges::sort(accesses);
  for (size_t first = 0; first < accesses.size();) {
    size_t next = first;
    for (uint64_t end = accesses[first].end; next < accesses.size() && accesses[next].begin < end; next++)
      end = std::max(end, accesses[next].end);
    cut(std::span(accesses).subspan(first, next - first));
    first = next;
  }
  for (const CodeRegion* region : regions)
    for (const Node& x : region->nodes) {
      if (x.op != Op::WriteScalar && x.op != Op::WriteMask && x.op != Op::WriteRegion) continue;
      const Access a = access_of(x);
      for (size_t n = unit_at(a.begin); n < units_.size() && units_[n].begin < a.end; n++)
        if (Unit& unit = units_[n]; !unit.home) unit.home = f_.make_alloca(dwords_type(unit.dwords), "unit");
    }
}

// Accesses that overlap one another, all at once or in a chain. One vector of all that they reach is what they are read and written by
// where it is short; of hundreds of bytes LLVM's code generator would take minutes. Else they are cut into rows of 8 dwords, and of 16
// where most accesses want that.
void ByteFile::cut(std::span<const Access> overlapping) {
  constexpr uint64_t row = 32, long_row = 64;
  uint64_t begin = overlapping.front().begin, end = 0;
  std::map<uint64_t, size_t> long_rows;  // how often, by where they begin
  for (const Access& a : overlapping) {
    end = std::max(end, a.end);
    if (a.begin % row == 0 && a.end - a.begin == long_row) long_rows[a.begin]++;
  }
  if (end - begin <= long_row || overlapping.front() == overlapping.back()) return add_units(begin, end);
  auto wanted = [&](uint64_t at) {
    auto there = long_rows.find(at);
    return there == long_rows.end() ? size_t(0) : there->second;
  };
  while (begin < end) {
    const uint64_t next = (begin & ~(row - 1)) + row;
    // (of two that overlap the one that is wanted more often)
    const bool is_long = begin % row == 0 && begin + long_row <= end && wanted(begin) && wanted(begin) >= wanted(next);
    const uint64_t to = std::min(end, is_long ? next + row : next);
    add_units(begin, to);
    begin = to;
  }
}

// (Vectors' lengths are powers of two: of others LLVM 19 loses lanes, or finds no instruction for what it made itself.)
void ByteFile::add_units(uint64_t begin, uint64_t end) {
  while (begin < end) {
    const auto dwords = uint32_t(std::bit_floor((end - begin) / 4));
    units_.push_back({begin, dwords});
    begin += dwords * uint64_t(4);
  }
}

llvm::Type* ByteFile::dwords_type(uint32_t dwords) { return dwords == 1 ? f_.i32 : llvm::FixedVectorType::get(f_.i32, dwords); }

size_t ByteFile::unit_at(uint64_t cell) const {
  return size_t(std::ranges::upper_bound(units_, cell, {}, &Unit::begin) - units_.begin()) - 1;
}

ByteFile::Units ByteFile::touched_by(const CodeRegion& region) const {
  Units out = none();
  for (const Node& x : region.nodes) {
    const Access a = access_of(x);
    for (uint64_t at = a.begin; at < a.end;) {
      const size_t unit = unit_at(at);
      out[unit] = true, at = units_[unit].end();
    }
  }
  return out;
}

ByteFile::Units ByteFile::written_by(const CodeRegion& region) const {
  Units out = none();
  for (const Node& x : region.nodes) {
    if (x.op != Op::WriteScalar && x.op != Op::WriteMask && x.op != Op::WriteRegion) continue;
    const Access a = access_of(x);
    for (uint64_t at = a.begin; at < a.end; at += 4)
      if (!region.dead.count(at)) out[unit_at(at)] = true;
  }
  return out;
}

ByteFile::Units ByteFile::in(const LiveLanes& cells) const {
  if (!cells) return Units(units_.size(), true);
  Units out = none();
  for (size_t n = 0; n < units_.size(); n++) {
    auto first = cells->lower_bound(units_[n].begin);
    out[n] = first != cells->end() && *first < units_[n].end();
  }
  return out;
}

void ByteFile::load(const Units& which, const LiveLanes& live) {
  const Units read = in(live);
  for (size_t n = 0; n < units_.size(); n++) {
    if (!which[n] || !units_[n].home) continue;
    llvm::Type* type = dwords_type(units_[n].dwords);
    b_.CreateStore(read[n] ? b_.CreateAlignedLoad(type, f_.cell_pointer(units_[n].begin), llvm::Align(4))
                           : static_cast<V>(llvm::Constant::getNullValue(type)),
                   units_[n].home);
  }
}

std::vector<V> ByteFile::values_of(const Units& which) {
  std::vector<V> out(units_.size());
  for (size_t n = 0; n < units_.size(); n++)
    if (which[n]) out[n] = b_.CreateLoad(dwords_type(units_[n].dwords), units_[n].home);
  return out;
}

void ByteFile::store_to_wave(const Units& which, const std::vector<V>& values) {
  for (size_t n = 0; n < units_.size(); n++)
    if (which[n]) b_.CreateAlignedStore(values[n], f_.cell_pointer(units_[n].begin), llvm::Align(4));
}

// --- values

// Dwords of one unit.
V ByteFile::load(const Unit& unit, uint64_t cell, uint32_t dwords) {
  if (!unit.home) {
    auto* there = b_.CreateAlignedLoad(dwords_type(dwords), f_.cell_pointer(cell), llvm::Align(4));
    there->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
    return there;
  }
  V whole = b_.CreateLoad(dwords_type(unit.dwords), unit.home);
  if (unit.dwords == dwords) return whole;
  const int from = int(cell - unit.begin) / 4;
  if (dwords == 1) return b_.CreateExtractElement(whole, uint64_t(from));
  llvm::SmallVector<int, 64> part;
  for (int n = 0; n < int(dwords); n++) part.push_back(from + n);
  return b_.CreateShuffleVector(whole, part);
}

V ByteFile::read_dwords(uint64_t cell, uint32_t dwords) {
  const size_t first = unit_at(cell);
  if (const Unit& unit = units_[first]; cell + dwords * uint64_t(4) <= unit.end()) return load(unit, cell, dwords);
  auto value_of = [&](const Unit& unit) { return load(unit, unit.begin, unit.dwords); };
  V all = llvm::PoisonValue::get(dwords_type(dwords));
  for (size_t n = first; n < units_.size() && units_[n].begin < cell + dwords * uint64_t(4); n++) {
    const Unit& unit = units_[n];
    const int to = (int(unit.begin) - int(cell)) / 4;  // where its first dword stands
    if (unit.dwords == 1) {
      all = b_.CreateInsertElement(all, value_of(unit), uint64_t(to));
      continue;
    }
    llvm::SmallVector<int, 64> spread, blend;
    for (int d = 0; d < int(dwords); d++) {
      const bool own = d >= to && d < to + int(unit.dwords);
      spread.push_back(own ? d - to : -1);
      blend.push_back(own ? int(dwords) + d : d);
    }
    V part = b_.CreateShuffleVector(value_of(unit), spread);
    all = n == first ? part : b_.CreateShuffleVector(all, part, blend);
  }
  return all;
}

void ByteFile::write_dwords(uint64_t cell, uint32_t dwords, V value) {
  for (size_t n = unit_at(cell); n < units_.size() && units_[n].begin < cell + dwords * uint64_t(4); n++) {
    const Unit& unit = units_[n];
    const int from = (int(unit.begin) - int(cell)) / 4;  // the value's dword that is the unit's first
    V whole = value;
    if (unit.dwords == 1) {
      if (dwords > 1) whole = b_.CreateExtractElement(value, uint64_t(from));
    } else if (dwords == 1) {
      whole = b_.CreateInsertElement(b_.CreateLoad(dwords_type(unit.dwords), unit.home), value, uint64_t(-from));
    } else if (from != 0 || unit.dwords != dwords) {
      llvm::SmallVector<int, 64> part, blend;
      bool covered = true;
      for (int d = 0; d < int(unit.dwords); d++) {
        const bool given = from + d >= 0 && from + d < int(dwords);
        part.push_back(given ? from + d : -1);
        blend.push_back(given ? int(unit.dwords) + d : d);
        covered &= given;
      }
      whole = b_.CreateShuffleVector(value, part);
      if (!covered) whole = b_.CreateShuffleVector(b_.CreateLoad(dwords_type(unit.dwords), unit.home), whole, blend);
    }
    b_.CreateStore(whole, unit.home);
  }
}

// As a vector of elements; one alone is no vector.
V ByteFile::read_elements(uint64_t cell, uint32_t count, uint32_t bytes) {
  const uint64_t begin = cell & ~uint64_t(3);
  const auto dwords = uint32_t((cell + uint64_t(count) * bytes - begin + 3) / 4), off = uint32_t(cell - begin);
  V all = read_dwords(begin, dwords);
  if (bytes == 4 && !off) return all;
  // Elements that stand across are put together of their bytes.
  const uint32_t piece = off % bytes == 0 && dwords * 4 % bytes == 0 ? bytes : 1;
  llvm::Type* type = b_.getIntNTy(bytes * 8);
  V pieces = b_.CreateBitCast(all, llvm::FixedVectorType::get(b_.getIntNTy(piece * 8), dwords * 4 / piece));
  if (count == 1 && piece == bytes) return b_.CreateExtractElement(pieces, uint64_t(off / bytes));
  llvm::SmallVector<int, 128> own;
  for (uint32_t n = 0; n < count * bytes / piece; n++) own.push_back(int(off / piece + n));
  V out = b_.CreateShuffleVector(pieces, own);
  return b_.CreateBitCast(out, count == 1 ? type : llvm::FixedVectorType::get(type, count));
}

void ByteFile::write_elements(uint64_t cell, uint32_t count, uint32_t bytes, V value) {
  const uint64_t begin = cell & ~uint64_t(3);
  const auto dwords = uint32_t((cell + uint64_t(count) * bytes - begin + 3) / 4), off = uint32_t(cell - begin);
  if (bytes == 4 && !off) return write_dwords(begin, dwords, value);
  const uint32_t piece = off % bytes == 0 && dwords * 4 % bytes == 0 ? bytes : 1, own = count * bytes / piece;
  const uint32_t length = dwords * 4 / piece;
  auto pieces = [&](uint32_t n) { return llvm::FixedVectorType::get(b_.getIntNTy(piece * 8), n); };
  V given = b_.CreateBitCast(value, pieces(own));
  if (own != length) {
    llvm::SmallVector<int, 128> spread, blend;
    for (uint32_t n = 0; n < length; n++) {
      const bool mine = n >= off / piece && n < off / piece + own;
      spread.push_back(mine ? int(n - off / piece) : -1);
      blend.push_back(int(mine ? length + n : n));
    }
    given = b_.CreateShuffleVector(b_.CreateBitCast(read_dwords(begin, dwords), pieces(length)),
                                   b_.CreateShuffleVector(given, spread), blend);
  }
  write_dwords(begin, dwords, b_.CreateBitCast(given, dwords_type(dwords)));
}

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
  llvm::Type* wanted = node.type == Type::U64 ? f_.vi64 : f_.vi32;
  V all = read_elements(r.cell, shape.count, r.bytes);
  if (shape.count > 1 && !shape.row) all = b_.CreateShuffleVector(all, shape.element);
  if (all->getType()->getScalarType() != wanted->getScalarType()) {
    llvm::Type* own = wanted->getScalarType();
    if (shape.count > 1) own = llvm::FixedVectorType::get(own, r.lanes);
    all = r.sign_extend ? b_.CreateSExt(all, own) : b_.CreateZExt(all, own);
  }
  if (shape.count == 1) {
    if (r.lanes == f_.width) return f_.splat(all);
    if (r.lanes == 1) return b_.CreateInsertElement(llvm::Constant::getNullValue(wanted), all, uint64_t(0));
    all = b_.CreateVectorSplat(r.lanes, all);
  }
  return resized(all, size_t(f_.width));  // lanes beyond the region's: 0
}

void ByteFile::write_region(const Node& node) {
  const auto& r = *static_cast<const Region*>(node.extra);
  const Shape shape = shape_of(r);
  V value = values_[size_t(node.a)], condition = values_[size_t(node.b)];
  llvm::Type* element = b_.getIntNTy(r.bytes * 8u);
  if (value->getType()->getScalarType() != element)
    value = b_.CreateTrunc(value, llvm::FixedVectorType::get(element, unsigned(f_.width)));
  auto* known = llvm::dyn_cast<llvm::Constant>(condition);
  const bool all = known && known->isAllOnesValue();
  auto old = [&] { return read_elements(r.cell, shape.count, r.bytes); };
  if (shape.count == 1) {
    const uint64_t last = r.lanes - 1u;
    value = b_.CreateExtractElement(value, last);
    if (!all) value = b_.CreateSelect(b_.CreateExtractElement(condition, last), value, old());
  } else if (shape.row && r.lanes == f_.width) {
    if (!all) value = b_.CreateSelect(condition, value, old());
  } else {
    // Lanes to where they stand in the file; of the elements between them the condition is false, and the value any lane's: none at all
    // would be poison, which masks do not keep out.
    const size_t length = std::bit_ceil(size_t(shape.count));
    llvm::SmallVector<int, 128> from(length, 0), from_mask(length, f_.width);
    for (int l = 0; l < r.lanes; l++) from[size_t(shape.element[size_t(l)])] = from_mask[size_t(shape.element[size_t(l)])] = l;
    // (As integers: LLVM 19 loses lanes where it spreads bits of masks.)
    V mask = b_.CreateSExt(condition, value->getType());
    mask = b_.CreateShuffleVector(mask, llvm::Constant::getNullValue(mask->getType()), from_mask);
    mask = b_.CreateICmpNE(mask, llvm::Constant::getNullValue(mask->getType()));
    value = b_.CreateSelect(mask, b_.CreateShuffleVector(value, from), resized(old(), length));
    value = resized(value, shape.count);
  }
  write_elements(r.cell, shape.count, r.bytes, value);
}

}  // namespace Atoll::wave
