#include "isa/xe_lp/branches.h"

#include "isa/xe_lp/decode.h"
#include "isa/xe_lp/executable.h"

namespace Atoll::xe_lp {
namespace {

constexpr uint32_t compacted_bit = 1u << 29, end_of_thread_bit = 1u << 2;  // of the first and the second word
unsigned number_of(uint32_t word) { return word & 0x7f; }
unsigned words_of(uint32_t word) { return word & compacted_bit ? 2 : 4; }

struct Survey {
  std::span<const uint32_t> code;
  std::vector<bool> seen, places;
  std::vector<int64_t> todo;  // words
  bool anywhere = false;      // registers say where channels go

  explicit Survey(std::span<const uint32_t> c) : code(c), seen(c.size()), places(c.size()) {}
  bool holds(int64_t at) const { return at >= 0 && uint64_t(at) + 2 <= code.size(); }
  int64_t target(int64_t at, const Operand& o) const { return at + int64_t(o.immediate) / 4; }
  void wait_at(int64_t at) {
    if (holds(at)) places[size_t(at)] = true;
  }
  // Gives where the code goes on without a jump; -1: nowhere.
  int64_t branch(int64_t at, int64_t next) {
    Instruction i;
    if (decode(std::as_bytes(code.subspan(size_t(at))), i)) return -1;
    place_targets(code.subspan(size_t(at)), i);
    if (i.op != Op::Calla)
      for (const Operand& o : i.src)
        if (o.kind == Kind::Label) todo.push_back(target(at, o));
    const bool label = i.src[0].kind == Kind::Label;
    switch (i.op) {
      case Op::If: wait_at(target(at, i.src[0])); break;
      case Op::Else: wait_at(next), wait_at(target(at, i.src[1])); break;
      case Op::Endif:
      case Op::Join: wait_at(at); break;
      case Op::Goto: wait_at(target(at, i.src[i.branch_control ? 0 : 1])); break;
      case Op::Break:
      case Op::Cont:
      case Op::Halt: wait_at(target(at, i.src[1])); break;
      case Op::Brd:
      case Op::Brc:
        anywhere |= !label;
        wait_at(next);
        if (label) wait_at(target(at, i.src[i.op == Op::Brc ? 1 : 0]));
        break;
      case Op::Jmpi: anywhere |= !label; return !i.predicate && label ? -1 : next;
      case Op::Ret: return i.predicate ? next : -1;
      default: wait_at(next); break;  // while, call: those that do not go
    }
    return next;
  }
  void follow(int64_t at) {
    while (holds(at) && !seen[size_t(at)]) {
      seen[size_t(at)] = true;
      const uint32_t word = code[size_t(at)];
      const Opcode* row = find_opcode(number_of(word));
      if (!row || row->op == Op::Illegal) return;
      const int64_t next = at + words_of(word);
      if (is_send(row->op) && !(word & compacted_bit) && code[size_t(at) + 1] & end_of_thread_bit) return;
      at = is_control(row->op) ? branch(at, next) : next;
    }
  }
  void run(int64_t at) {
    todo.push_back(at);
    while (!todo.empty()) {
      int64_t from = todo.back();
      todo.pop_back();
      follow(from);
    }
  }
};

}  // namespace

void place_targets(std::span<const uint32_t> code, Instruction& i) {
  if (i.op != Op::Break || i.src[1].kind != Kind::Label) return;
  const uint64_t word = i.src[1].immediate / 4;
  if (word >= code.size() || number_of(code[word]) != unsigned(Op::While)) return;
  i.src[1].immediate += words_of(code[word]) * 4;
}

std::vector<bool> places_to_rejoin(std::span<const uint32_t> code) {
  Survey survey(code);
  for (size_t at = 0; at < code.size(); at += 16)
    if (!survey.seen[at]) survey.run(int64_t(at));
  return survey.anywhere ? survey.seen : survey.places;
}

}  // namespace Atoll::xe_lp
