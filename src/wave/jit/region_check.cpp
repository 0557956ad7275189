#include "wave/jit/region_check.h"

#include <algorithm>
#include <bit>
#include <set>

#include "base/removable_check.h"
#include "wave/fed_pixels.h"

namespace Atoll::wave {
namespace {

constexpr Type truth(Type t) { return is_lanes(t) ? Type::M : Type::S1; }
constexpr int width_of(Type t) {
  switch (t) {
    case Type::None: return 0;
    case Type::S1:
    case Type::M: return 1;
    case Type::S64:
    case Type::SF64:
    case Type::U64:
    case Type::F64: return 64;
    default: return 32;
  }
}
// Operations that leave no value.
constexpr bool is_effect(Op op) {
  return op == Op::WriteScalar || op == Op::WriteLanes || op == Op::WriteMask || op == Op::WriteRegion ||
         op == Op::WriteIndexed || op == Op::WriteLane || op == Op::KeepLanes || op == Op::Atomic || op == Op::CallWhole ||
         op == Op::Store || op == Op::BeginSeldom || op == Op::WritePixels || op == Op::WriteTexel || op == Op::WriteWhole ||
         op == Op::SignalBarrier || op >= Op::Jump;
}

// --- are two values the same? Found out from the nodes alone, in another way than the plan was made.

class SameValue {
public:
  explicit SameValue(const std::vector<Node>& nodes) : nodes_(nodes) {}

  bool operator()(int a, int b) {
    if (a < 0 || b < 0) return a == b;
    Source from_a = source(a), from_b = source(b);
    if (from_a == from_b) return true;
    if (from_a.cell || from_b.cell) return false;
    if (met_.count({from_a.node, from_b.node})) return true;  // compared before
    const Node &x = nodes_[size_t(from_a.node)], &y = nodes_[size_t(from_b.node)];
    bool pure = x.op != Op::Load && x.op != Op::ScalarLoad && x.op != Op::ReadRegion && x.op != Op::ReadWhole &&
                x.op != Op::ReadLane && x.op != Op::Texel && x.op != Op::SharedWord && x.op != Op::ReadPixels && !x.extra;
    if (!pure || x.op != y.op || x.type != y.type || x.imm != y.imm || x.lanes != y.lanes) return false;
    met_.insert({from_a.node, from_b.node});
    if ((*this)(x.a, y.a) && (*this)(x.b, y.b) && (*this)(x.c, y.c)) return true;
    met_.erase({from_a.node, from_b.node});
    return false;
  }

private:
  // The origin of a node's value: a node, or it is what a register held after `node` (-1: from the start).
  struct Source {
    int node;
    uint64_t cell;  // of the register; 0: none
    bool operator==(const Source&) const = default;
  };
  const std::vector<Node>& nodes_;
  std::set<std::pair<int, int>> met_;

  Source source(int id) const {
    const Node& x = nodes_[size_t(id)];
    if (x.op != Op::ReadLanes && x.op != Op::ReadMask && x.op != Op::ReadScalar) return {id, 0};
    for (int n = id - 1; n >= 0; n--) {
      const Node& w = nodes_[size_t(n)];
      bool overlaps = w.imm + 4 >= x.imm && w.imm <= x.imm + 4;  // masks may take two words
      switch (w.op) {
        case Op::WriteRegion: return {n, x.imm};
        case Op::WriteLanes:
          if (x.op != Op::ReadLanes || w.imm != x.imm) break;
          return w.b < 0 ? source(w.a) : Source{n, x.imm};
        case Op::WriteWhole:
          if (x.op != Op::ReadLanes || w.imm != x.imm) break;
          return source(w.a);
        case Op::WriteMask:
          if (x.op == Op::ReadLanes || !overlaps) break;
          return x.op == Op::ReadMask && w.imm == x.imm ? source(w.a) : Source{n, x.imm};
        case Op::WriteScalar:
          if (x.op == Op::ReadLanes || !overlaps) break;
          if (x.op == Op::ReadScalar && w.imm != x.imm) break;
          return x.op == Op::ReadScalar ? source(w.a) : Source{n, x.imm};
        default: break;
      }
    }
    return {-1, x.imm};
  }
};

// --- one node

class Checker {
public:
  Checker(const CodeRegion& region, const AccessPlan& plan, const RegisterFile& file, const Wave& like, int width)
      : region_(region), plan_(plan), file_(file), like_(like), width_(width), same_(region.nodes) {
    int begin = -1;
    for (size_t n = 0; n < region.nodes.size(); n++) {
      const Op op = region.nodes[n].op;
      if (op == Op::Seldom) begin = -1;
      seldom_.push_back(begin);
      if (op == Op::BeginSeldom) begin = int(n);
    }
    unfinished_ = begin >= 0;
  }

  // Says what is wrong with it; null: nothing.
  const char* complaint(size_t n) {
    const Node& x = region_.nodes[n];
    for (int operand : {x.a, x.b, x.c, x.d})
      if (operand < -1 || operand >= int(n)) return "an operand that is not made yet";
    if (x.step >= region_.steps.size()) return "no instruction of this region";
    if (is_effect(x.op) != (x.type == Type::None)) return "a result of another type";
    if (!types_fit(x)) return "operands of other types";
    if (x.lanes && (x.lanes > 32 || !file_.whole_wave)) return "lanes that the wave does not have";
    for (int operand : {x.a, x.b, x.c, x.d})
      if (operand >= 0 && is_lanes(type_of(operand)) && region_.nodes[size_t(operand)].lanes != x.lanes)
        return "an operand of another number of lanes";
    if ((x.op == Op::ReadRegion || x.op == Op::WriteRegion) &&
        (!file_.whole_wave || static_cast<const Region*>(x.extra)->lanes > lanes_of(x, width_)))
      return "a region of more lanes than its instruction";
    if (x.op == Op::Const && width_of(x.type) < 64 && x.imm >> width_of(x.type)) return "a constant that its type cannot hold";
    if (n > 0 && region_.nodes[n - 1].step > x.step) return "an instruction before the last node's";
    for (int operand : {x.a, x.b, x.c, x.d})
      if (operand >= 0 && region_.late[size_t(operand)] && !region_.late[n]) return "an operand of the epilogue";
    if (const char* seldom = seldom_complaint(n, x)) return seldom;
    if (const char* place = register_complaint(x)) return place;
    if (const char* texture = texture_complaint(n, x)) return texture;
    if (const char* moves = whole_wave_complaint(n, x)) return moves;
    if (x.op != Op::Load && x.op != Op::Store)
      return plan_.group_of[n] == -1 ? nullptr : "a guard for something that is no access";
    return access_complaint(n, x);
  }

private:
  const CodeRegion& region_;
  const AccessPlan& plan_;
  const RegisterFile& file_;
  const Wave& like_;
  const int width_;
  SameValue same_;
  std::vector<int> seldom_;  // by node: the BeginSeldom before it whose Seldom comes after it, or -1
  bool unfinished_ = false;

  Type type_of(int id) const { return id < 0 ? Type::None : region_.nodes[size_t(id)].type; }

  bool types_fit(const Node& x) const {
    Type a = type_of(x.a), b = type_of(x.b), c = type_of(x.c), d = type_of(x.d), t = x.type;
    auto is = [&](Type wanted_a, Type wanted_b = Type::None, Type wanted_c = Type::None) {
      return a == wanted_a && b == wanted_b && c == wanted_c && d == Type::None;
    };
    auto optional = [](Type given, Type wanted) { return given == Type::None || given == wanted; };
    bool whole = !is_float(t) && t != Type::None && t != Type::M && t != Type::S1;
    switch (x.op) {
      case Op::Const: return t != Type::None && is(Type::None);
      case Op::Splat:
        return (t == Type::U32 && is(Type::S32)) || (t == Type::U64 && is(Type::S64)) || (t == Type::F32 && is(Type::SF32)) ||
               (t == Type::F64 && is(Type::SF64));
      case Op::LaneId: return t == Type::U32 && is(Type::None);
      case Op::ReadScalar: return t == Type::S32 && is(Type::None);
      case Op::ConstantWord: return (t == Type::U32 || t == Type::S32) && is(t) && x.extra && x.imm < 16;
      case Op::BeginSeldom: return is(Type::M, Type::U32);
      case Op::Seldom: return t == Type::U32 && is(Type::M, Type::U32, Type::U32);
      case Op::ReadLanes:
      case Op::ReadWhole:
      case Op::ReadFirstQuad: return t == Type::U32 && is(Type::None);
      case Op::ReadQuads:
      case Op::ReadPixels: return t == Type::U32 && optional(a, Type::S32) && is(a) && is_one_of_fed(x.a);
      case Op::WritePixels:
        return a == Type::U32 && b == Type::M && optional(c, Type::U32) && optional(d, Type::S32) && is_one_of_fed(x.d);
      case Op::WriteTexel: return is(Type::U32, Type::M, Type::U32);
      case Op::WriteWhole: return is(Type::U32);
      case Op::ReadMask: return t == Type::M && is(Type::None);
      case Op::ReadRegion: return (t == Type::U32 || t == Type::U64) && is(Type::None) && x.extra;
      case Op::ReadIndexed: return t == Type::U32 && is(Type::U32) && x.extra;
      case Op::WriteIndexed: return is(Type::U32, Type::M, Type::U32) && x.extra;
      case Op::MaskOf: return t == Type::M && is(Type::S32);
      case Op::WordOf: return t == Type::S32 && is(Type::M);
      case Op::WriteScalar: return is(Type::S32);
      case Op::WriteLanes: return a == Type::U32 && optional(b, Type::M) && is(a, b);
      case Op::WriteMask: return is(Type::M);
      case Op::WriteRegion: return (is(Type::U32, Type::M) || is(Type::U64, Type::M)) && x.extra;
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Shl:
      case Op::LShr:
      case Op::AShr:
      case Op::MulHighU:
      case Op::MulHighS: return whole && is(t, t);
      case Op::And:
      case Op::Or:
      case Op::Xor: return !is_float(t) && is(t, t);
      case Op::Not: return !is_float(t) && is(t);
      case Op::Popcount:
      case Op::Clz:
      case Op::Ctz:
      case Op::Bitreverse: return whole && is(t);
      case Op::Fshr: return whole && is(t, t, t);
      case Op::Eq:
      case Op::Ne:
      case Op::ULt:
      case Op::ULe:
      case Op::SLt:
      case Op::SLe: return !is_float(a) && t == truth(a) && is(a, a);
      case Op::FEq:
      case Op::FNe:
      case Op::FLt:
      case Op::FLe: return is_float(a) && t == truth(a) && is(a, a);
      case Op::IsNan: return is_float(a) && t == truth(a) && is(a);
      case Op::Select: return is(truth(t), t, t);
      case Op::Widen:
      case Op::SignWiden: return (t == Type::U64 && is(Type::U32)) || (t == Type::S64 && is(Type::S32));
      case Op::Low:
      case Op::High: return (t == Type::U32 && is(Type::U64)) || (t == Type::S32 && is(Type::S64));
      case Op::Join: return (t == Type::U64 && is(Type::U32, Type::U32)) || (t == Type::S64 && is(Type::S32, Type::S32));
      case Op::FAdd:
      case Op::FSub:
      case Op::FMul:
      case Op::FDiv: return is_float(t) && is(t, t);
      case Op::Fma: return is_float(t) && is(t, t, t);
      case Op::FSqrt:
      case Op::FAbs:
      case Op::FNeg:
      case Op::Floor:
      case Op::Ceil:
      case Op::Trunc:
      case Op::RoundEven: return is_float(t) && is(t);
      case Op::Bitcast: return is(a) && is_lanes(a) == is_lanes(t) && is_float(a) != is_float(t) && width_of(a) == width_of(t);
      case Op::CvtFromU:
      case Op::CvtFromS: return is_float(t) && is(is_lanes(t) ? Type::U32 : Type::S32);
      case Op::CvtFloat: return is(a) && is_float(a) && is_float(t) && is_lanes(a) == is_lanes(t) && a != t;
      case Op::CvtToU:
      case Op::CvtToS: return is(a) && is_float(a) && t == (is_lanes(a) ? Type::U32 : Type::S32);
      case Op::FmaUp: return t == Type::F32 && is(Type::F32, Type::F32, Type::F32);
      case Op::FloorProduct: return t == Type::F32 && is(Type::F32, Type::F32);
      case Op::CvtFromSDown: return t == Type::F32 && is(Type::U32);
      case Op::CvtToSUp:
      case Op::CvtToSNearest:
      case Op::CvtToSInside: return t == Type::U32 && is(Type::F32);
      case Op::QuadLane: return x.imm < 4 && is_lanes(t) && width_of(t) == 32 && is(t);
      case Op::Texture: return t == Type::Texture && is(Type::None) && x.extra;
      case Op::TextureWord: return t == Type::S32 && is(Type::Texture);
      case Op::TexelColumn:
      case Op::TexelRow:
      case Op::TexelSlice: return t == Type::U32 && is(Type::Texture, Type::U32, Type::U32);
      case Op::TexelOffset:
      case Op::Texel: return t == Type::U32 && a == Type::Texture && b == Type::U32 && c == Type::U32 && optional(d, Type::U32);
      case Op::SharedWord: return t == Type::U32 && is(Type::U32);
      case Op::Expect: return t == Type::S32 && is(Type::S32);
      case Op::MoveLanes: return t == Type::U32 && is(Type::U32) && x.extra;
      case Op::PickLanes: return t == Type::U32 && is(Type::U32, Type::U32);
      case Op::ReadLane: return t == Type::S32 && is(Type::S32);
      case Op::WriteLane: return is(Type::S32, Type::S32);
      case Op::KeepLanes: return is(Type::U32) && x.imm < kAtomicSlots;
      case Op::Atomic:
      case Op::CallWhole: return is(Type::None) && x.extra;
      case Op::CvtF32F16: return (t == Type::F32 && is(Type::U32)) || (t == Type::SF32 && is(Type::S32));
      case Op::CvtF16F32: return (t == Type::U32 && is(Type::F32)) || (t == Type::S32 && is(Type::SF32));
      case Op::Saturate: return t == Type::F32 && is(Type::F32);
      case Op::CvtF16F32TowardZero: return t == Type::U32 && is(Type::F32);
      case Op::ScalarLoad: return t == Type::S32 && optional(b, Type::S1) && is(Type::S64, b) && x.extra;
      case Op::Load: return t == Type::U32 && optional(c, Type::M) && is(Type::U32, Type::U32, c) && x.extra;
      case Op::Store: return a == Type::U32 && b == Type::U32 && c == Type::U32 && optional(d, Type::M) && x.extra;
      case Op::JumpIf: return is(Type::S1);
      case Op::JumpTo: return is(Type::S64);
      case Op::SignalBarrier:
      case Op::WaitBarrier:
      case Op::Jump:
      case Op::Stop: return is(Type::None);
    }
    return false;
  }

  // Nodes that may be left out are of use to nothing else, and do nothing but compute.
  const char* seldom_complaint(size_t n, const Node& x) const {
    const int own = seldom_[n], before = n > 0 ? seldom_[n - 1] : -1;
    const bool ends = x.op == Op::Seldom;
    // (right behind a BeginSeldom there is nothing that could be used)
    if (ends && before < 0) return "the end of what may be left out without its beginning";
    if (x.op == Op::BeginSeldom && (own >= 0 || unfinished_)) return "what may be left out within such, or without an end";
    if (ends && (x.a != region_.nodes[size_t(before)].a || x.c != region_.nodes[size_t(before)].b))
      return "what may be left out under two masks";
    for (int operand : {x.a, x.b, x.c, x.d})
      if (operand >= 0 && seldom_[size_t(operand)] >= 0 && seldom_[size_t(operand)] != (ends ? before : own))
        return "a value that may have been left out";
    const bool computes = x.op == Op::Const || x.op == Op::ConstantWord || (x.op >= Op::Add && x.op <= Op::CvtToSInside);
    return own < 0 || (computes && is_lanes(x.type)) ? nullptr : "more than computing in what may be left out";
  }
  // True if waves of this size fill the pixels that are fed, where a wave is one of several; `first` is its first pixel.
  bool is_one_of_fed(int first) const { return first < 0 || (file_.whole_wave && fed_pixels % like_.lanes == 0); }

  bool in_file(uint64_t cell, uint64_t bytes, uint64_t alignment) const {
    return cell >= register_file_offset && bytes <= file_.bytes && cell - register_file_offset <= file_.bytes - bytes &&
           cell % alignment == 0;
  }

  // True if the write reaches places of pixels, which code takes as they are.
  bool reaches_places(uint64_t cell, uint64_t bytes) const {
    return cell < file_.pixels_end && cell + bytes > file_.pixels_begin;
  }

  const char* register_complaint(const Node& x) const {
    bool fits = true;
    switch (x.op) {
      case Op::ReadScalar:
      case Op::WriteScalar: fits = in_file(x.imm, 4, 4); break;
      case Op::ReadMask:
      case Op::WriteMask: fits = in_file(x.imm, like_.lanes > 32 ? 8 : 4, 4); break;
      case Op::ReadLanes:
      case Op::ReadWhole:
      case Op::WriteWhole:
      case Op::WriteLanes: fits = in_file(x.imm, like_.lanes * 4, std::min<uint64_t>(128, uint64_t(width_) * 4)); break;
      case Op::ReadLane:
      case Op::WriteLane: fits = in_file(x.imm, like_.lanes * 4, 4); break;
      case Op::Atomic: {
        const auto& call = *static_cast<const AtomicCall*>(x.extra);
        if (call.access.op == AtomicOp::SwapAtTwo && call.access.space != Space::Lds) return "two places that are not in LDS";
        const unsigned values = call.access.op == AtomicOp::SwapAtTwo ? 2 : 1;
        if (call.results > values * call.access.bytes / 4) return "more results than an atomic has";
        for (unsigned r = 0; r < call.results; r++) {
          fits = fits && in_file(call.result[r], like_.lanes * 4, 128);
          if (reaches_places(call.result[r], like_.lanes * 4)) return "a place for the places of pixels";
        }
        break;
      }
      case Op::ReadFirstQuad: fits = in_file(x.imm, like_.lanes, 4); break;
      case Op::ReadQuads: fits = in_file(x.imm, x.a < 0 ? like_.lanes : fed_pixels, 4); break;
      case Op::ReadPixels:
      case Op::WritePixels: {
        const PixelWords which = PixelWords::from(x.imm);
        uint64_t cell = which.cell;
        if (x.imm >> 60) return "pixels of no kind";
        const unsigned words = x.op == Op::WritePixels && x.c >= 0 ? 2 : 1;
        if (which.texel_bytes > 16 || (which.word + words) * 4u > std::max<unsigned>(which.texel_bytes, 4))
          return "a word beyond a texel";
        const uint32_t placed = (x.op == Op::ReadPixels ? x.a : x.d) < 0 ? like_.lanes : fed_pixels;
        if (cell < file_.pixels_begin || cell + placed > file_.pixels_end) return "pixels that nobody placed";
        fits = in_file(cell, placed, 4);
        break;
      }
      case Op::ReadRegion:
      case Op::WriteRegion: {
        const auto& r = *static_cast<const Region*>(x.extra);
        const bool wide = (x.op == Op::ReadRegion ? x.type : type_of(x.a)) == Type::U64;
        if (wide ? r.bytes != 8 : r.bytes != 1 && r.bytes != 2 && r.bytes != 4) return "a region of no shape";
        for (uint32_t l = 0; l < r.lanes; l++) {
          const uint64_t cell = r.cell + uint64_t(element_of(r, l)) * r.bytes;
          if (x.op == Op::WriteRegion && reaches_places(cell, r.bytes)) return "a place for the places of pixels";
          fits = fits && in_file(cell, r.bytes, 1);
        }
        break;
      }
      case Op::ReadIndexed:
      case Op::WriteIndexed: {
        const auto& f = *static_cast<const IndexedBytes*>(x.extra);
        if ((f.bytes != 1 && f.bytes != 2 && f.bytes != 4) || !std::has_single_bit(f.size) || f.size < f.bytes)
          return "a window of no shape";
        if (x.op == Op::WriteIndexed && reaches_places(f.cell, f.size)) return "a place for the places of pixels";
        fits = in_file(f.cell, f.size, 4);
        break;
      }
      default: break;
    }
    const bool writes_cells = x.op == Op::WriteScalar || x.op == Op::WriteMask || x.op == Op::WriteLanes ||
                              x.op == Op::WriteWhole || x.op == Op::WriteLane;
    if (writes_cells && reaches_places(x.imm, like_.lanes * 4)) return "a place for the places of pixels";
    return fits ? nullptr : "a register beyond the register file";
  }

  // A node that sees more than its chunk's lanes stands where these are there: in a region on all lanes, or after all of them.
  const char* whole_wave_complaint(size_t n, const Node& x) const {
    const bool all = width_ == int(like_.lanes);
    if (region_.whole && (!all || region_.late[n])) return "a place that regions on all lanes do not have";
    switch (x.op) {
      case Op::PickLanes: return all ? nullptr : "lanes of another chunk";
      case Op::MoveLanes: {
        const auto& map = *static_cast<const LaneMap*>(x.extra);
        if (std::ranges::any_of(map.from, [](int from) { return from < -1 || from > 31; }))
          return "lanes that the wave does not have";
        return all || stays_in_chunk(map, width_) ? nullptr : "lanes of another chunk";
      }
      case Op::ReadLane:
        if (region_.whole || region_.late[n]) return nullptr;
        for (const Node& w : region_.nodes)
          if ((w.op == Op::WriteLanes || w.op == Op::WriteWhole) && w.imm == x.imm) return "a lane that may be written already";
        return all ? "a lane that is kept elsewhere" : nullptr;
      case Op::WriteLane:
      case Op::CallWhole: return region_.late[n] ? nullptr : "an effect on lanes that are not done";
      case Op::KeepLanes: return region_.late[n] || region_.self_loop || region_.whole ? "lanes kept for nothing" : nullptr;
      case Op::Atomic: {
        if (!region_.late[n]) return "an effect on lanes that are not done";
        uint8_t kept = 0;
        for (size_t before = 0; before < n; before++) {
          const Node& k = region_.nodes[before];
          if (k.op == Op::KeepLanes && k.step == x.step) kept |= uint8_t(1u << k.imm);
          if (k.op == Op::WriteLanes || k.op == Op::WriteWhole || k.op == Op::WriteMask || k.op == Op::Load || k.op == Op::Store)
            return "lanes that cannot be kept again";
        }
        return kept == static_cast<const AtomicCall*>(x.extra)->given ? nullptr : "lanes that were not kept";
      }
      default: return nullptr;
    }
  }

  static bool lies_in_texel(uint64_t imm) {
    uint64_t bytes = imm >> 8, byte = imm & 255;
    bool fits = bytes == 1 || bytes == 2 ? byte == 0 : bytes % 4 == 0 && byte % 4 == 0 && byte < bytes;
    return fits && bytes <= 16;
  }
  // True if code for a texel can only be what HostAddresses proves: parts of its own texture's tables, all of one level.
  const char* texture_complaint(size_t n, const Node& x) const {
    auto op_of = [&](int id) { return region_.nodes[size_t(id)].op; };
    switch (x.op) {
      case Op::Texture:
        if (region_.late[n] || region_.self_loop) return "a texture to be found where the region cannot be left";
        for (int word : static_cast<const TextureAccess*>(x.extra)->words)
          if (word < 0 || word >= int(n) || type_of(word) != Type::S32) return "a word that is no scalar";
        return nullptr;
      case Op::Expect:
        return region_.late[n] || region_.self_loop ? "a word to be looked at where the region cannot be left" : nullptr;
      case Op::TextureWord: return x.imm % 4 == 0 && x.imm + 4 <= sizeof(SampledTexture) ? nullptr : "a word beyond the texture";
      case Op::WriteTexel: {
        if (region_.late[n] || region_.self_loop) return "a store to a texture where the region runs again";
        if (op_of(x.c) != Op::TexelOffset) return "a texel that is not made of its parts";
        const Node& texture = region_.nodes[size_t(region_.nodes[size_t(x.c)].a)];
        if (static_cast<const TextureAccess*>(texture.extra)->use != TextureUse::stored) return "a texture that is not stored to";
        return lies_in_texel(x.imm) ? nullptr : "bytes beyond a texel";
      }
      case Op::TexelOffset:
      case Op::Texel: {
        if (op_of(x.b) != Op::TexelColumn || op_of(x.c) != Op::TexelRow || (x.d >= 0 && op_of(x.d) != Op::TexelSlice))
          return "a texel that is not made of its parts";
        const Node& column = region_.nodes[size_t(x.b)];
        for (int id : {x.b, x.c, x.d}) {
          if (id < 0) continue;
          const Node& part = region_.nodes[size_t(id)];
          if (part.a != x.a || part.b != column.b) return "parts of another texture or level";
        }
        return x.op == Op::TexelOffset || lies_in_texel(x.imm) ? nullptr : "bytes beyond a texel";
      }
      default: return nullptr;
    }
  }

  const char* access_complaint(size_t n, const Node& x) {
    const auto& access = *static_cast<const MemoryAccess*>(x.extra);
    if (access.bytes != 1 && access.bytes != 2 && access.bytes != 4) return "an access of no size";
    int of = plan_.group_of[n];
    if (of < 0) return nullptr;  // through the checked accesses
    if (size_t(of) >= plan_.groups.size()) return "no guard";
    const GuardedGroup& group = plan_.groups[size_t(of)];
    if (group.low < 0 || group.low >= int(n) || group.high >= int(n) || group.condition >= int(n))
      return "a guard that comes after it";
    bool scratch = group.space == Space::Scratch, row = group.form == kConsecutive;
    if (group.form == kOther) {
      if (x.op != Op::Load || scratch) return "lanes anywhere";
      if (access.bytes == 2 && (!group.even || access.offset & 1)) return "halves that straddle dwords";
    } else if (access.bytes != 4 || (group.form != kEqual && !row)) {
      return "a form without a guard";
    }
    if (row && (scratch || access.stride != 4)) return "lanes that are no row";
    if (x.op == Op::Store && !row && !scratch) return "a store of all lanes to one place";
    if (scratch && (access.offset & 3)) return "dwords that straddle";
    if (access.space == Space::Flat) {
      for (uint64_t high : {like_.flat_shared_high, like_.flat_private_high})
        if (high && high << 32 < like_.window_bytes) return "a flat address that may be no global one";
    }
    if ((access.space == Space::Flat ? Space::Global : access.space) != group.space) return "a guard of another memory";
    int64_t end = access.offset + bytes_touched(group.space, group.form, lanes_of(x, width_));
    if (!ATOLL_CHECK("jit.guard.key", group.begin <= access.offset && end <= group.end))
      return "an offset that its guard does not cover";
    if (group.space != Space::Global && group.begin < 0) return "an offset below 0";
    if (!same_(group.low, x.a)) return "another address than its guard's";
    if (group.space == Space::Global && (group.high < 0 || !same_(group.high, x.b))) return "another address than its guard's";
    int base = -1, offset = -1;
    if (group.base >= 0 &&
        (!is_sum(region_.nodes, group.low, group.high, base, offset) || base != group.base || offset != group.offset))
      return "a guard of a sum that is not its address";
    int condition = x.op == Op::Load ? x.c : x.d;
    if (group.condition >= 0 && !same_(group.condition, condition)) return "other lanes than its guard's";
    return nullptr;
  }
};

}  // namespace

Expected<void> check_region(const CodeRegion& region, const AccessPlan& plan, const RegisterFile& file, const Wave& like,
                            int width) {
  if (plan.group_of.size() != region.nodes.size()) return fail("a plan for another region than the one at {:#x}", region.pc);
  if (region.late.size() != region.nodes.size()) return fail("the region at {:#x} does not say what its epilogue is", region.pc);
  if (width < 4 || uint32_t(width) > like.lanes || like.lanes % uint32_t(width))
    return fail("{} lanes in chunks of {}", like.lanes, width);
  Checker checker(region, plan, file, like, width);
  for (size_t n = 0; n < region.nodes.size(); n++)
    if (const char* complaint = checker.complaint(n))
      return fail("the region at {:#x} is not compiled: node {} of the instruction at {:#x} has {} (please report)", region.pc, n,
                  region.nodes[n].step < region.steps.size() ? region.steps[region.nodes[n].step]->pc : region.pc, complaint);
  return {};
}

}  // namespace Atoll::wave
