#include "isa/xe_lp/program.h"

#include <cstring>
#include <map>

#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/parse.h"

namespace Atoll::xe_lp {
namespace {

struct Line {
  Instruction i;
  std::vector<std::string> labels;  // those that it names
};

// Takes "name:" from the front of a line.
std::string take_label(std::string_view& line) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t\r")));
  size_t end = 0;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_')) end++;
  if (end == 0 || end >= line.size() || line[end] != ':') return {};
  std::string name(line.substr(0, end));
  line.remove_prefix(end + 1);
  return name;
}

std::optional<int64_t> note(std::string_view name, void* labels) {
  static_cast<std::vector<std::string>*>(labels)->emplace_back(name);
  return 0;
}

// Where a branch leads, as numbers of instructions.
struct Targets {
  size_t jip = 0, uip = 0;
};

struct Program {
  std::vector<Line> code;
  std::map<std::string, size_t> labels;
  std::vector<Targets> targets;
  std::vector<bool> joins;  // before which instructions channels come back

  Expected<void> read(std::span<const std::string> lines) {
    for (const std::string& given : lines) {
      std::string_view rest = given;
      rest = rest.substr(0, rest.find("//"));
      for (std::string label = take_label(rest); !label.empty(); label = take_label(rest))
        if (!labels.emplace(label, code.size()).second) return fail("'{}': label {} stands twice", given, label);
      if (rest.find_first_not_of(" \t\r") == rest.npos) continue;
      Line line;
      auto parsed = parse(rest, note, &line.labels);
      if (!parsed) return fail("'{}': {}", given, parsed.error().message);
      line.i = parsed->instruction;
      if (auto why = objection(line.i); !why.empty()) return fail("'{}': {}", given, why);
      code.push_back(std::move(line));
    }
    return {};
  }
  Expected<void> resolve() {
    targets.resize(code.size());
    joins.resize(code.size() + 1);
    for (size_t n = 0; n < code.size(); n++) {
      const Line& line = code[n];
      std::string_view name = find_opcode(unsigned(line.i.op))->name;
      if (is_control(line.i.op) && line.labels.size() != find_opcode(unsigned(line.i.op))->sources)
        return fail("{}: its targets are labels here", name);
      std::vector<size_t> to;
      for (const std::string& label : line.labels) {
        auto found = labels.find(label);
        if (found == labels.end()) return fail("{}: there is no label {}", name, label);
        to.push_back(found->second);
        bool back = line.i.op == Op::While;
        if (back ? found->second > n : found->second <= n)
          return fail("{}: label {} does not lie {} it", name, label, back ? "before" : "after");
      }
      if (to.empty()) continue;
      auto is = [&](size_t at, Op op) { return at < code.size() && code[at].i.op == op; };
      targets[n] = {to[0], to.back()};
      // Channels that fail an if take the other branch; those that break are done with the loop.
      if (line.i.op == Op::If && is(targets[n].jip, Op::Else)) targets[n].jip++;
      if (line.i.op == Op::Break && is(targets[n].uip, Op::While)) targets[n].uip++;
      if (line.i.op != Op::While) joins[targets[n].jip] = joins[targets[n].uip] = true;
      if (line.i.op == Op::While || line.i.op == Op::Else) joins[n + 1] = true;
    }
    return {};
  }
  static Instruction join() {
    Instruction i;
    i.op = Op::Join;
    i.lanes = 32;
    i.src[0].kind = Kind::Label;
    i.src[0].immediate = 16;
    return i;
  }
  Expected<std::vector<uint32_t>> words() {
    constexpr int64_t join_bytes = 16;
    std::vector<int64_t> place(code.size() + 1);
    int64_t bytes = 0;
    for (size_t n = 0; n <= code.size(); n++) {
      place[n] = bytes;
      bytes += joins[n] ? join_bytes : 0;
      if (n < code.size()) bytes += code[n].i.compacted ? 8 : 16;
    }
    std::vector<uint32_t> out;
    auto put = [&](const Instruction& i) -> Expected<void> {
      auto encoded = encode(i);
      if (!encoded) return std::unexpected(encoded.error());
      size_t before = out.size();
      out.resize(before + encoded->size() / 4);
      std::memcpy(&out[before], encoded->data(), encoded->size());
      return {};
    };
    for (size_t n = 0; n <= code.size(); n++) {
      if (joins[n])
        if (auto done = put(join()); !done) return std::unexpected(done.error());
      if (n == code.size()) break;
      Instruction i = code[n].i;
      if (!code[n].labels.empty()) {
        int64_t here = place[n] + (joins[n] ? join_bytes : 0);
        i.src[0].immediate = uint64_t(place[targets[n].jip] - here);
        if (i.src[1].kind == Kind::Label) i.src[1].immediate = uint64_t(place[targets[n].uip] - here);
      }
      if (auto done = put(i); !done) return std::unexpected(done.error());
    }
    return out;
  }
};

}  // namespace

Expected<std::vector<uint32_t>> assemble(std::span<const std::string> lines) {
  Program program;
  if (auto read = program.read(lines); !read) return std::unexpected(read.error());
  if (auto resolved = program.resolve(); !resolved) return std::unexpected(resolved.error());
  return program.words();
}

}  // namespace Atoll::xe_lp
