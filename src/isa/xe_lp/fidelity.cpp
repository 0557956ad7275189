#include "isa/xe_lp/fidelity.h"

#include <fmt/format.h>

#include <algorithm>

namespace Atoll::xe_lp {
namespace {

struct Note {
  std::string_view name;
  const char *state, *bound, *source, *reason;
};
// Operations for which the manual gives a bound or no more than a name. All others do what tests/isa/xe_lp/scalar_model.cpp says, to
// the bit.
constexpr Note notes[] = {
    {"math.log", "bounded", "1 ulp", "", "of base 2, as compilers use it; the PRM states special values alone"},
    {"math.exp", "bounded", "1 ulp", "", "of base 2, as compilers use it; the PRM states special values alone"},
    {"math.sin", "bounded", "2^-20 up to 2^60", "", "the PRM states special values alone"},
    {"math.cos", "bounded", "2^-20 up to 2^60", "", "the PRM states special values alone; of 0: 1, its table says 0"},
    {"math.inv", "bounded", "1 ulp", "", "correctly rounded here; hardware's differs in the last bits"},
    {"math.sqt", "bounded", "1 ulp", "", "correctly rounded here; hardware's differs in the last bits"},
    {"math.rsqt", "bounded", "1 ulp, of denormals 2", "", "the PRM states special values alone"},
    {"math.invm", "unverified", "", "PRM volume 2b (MathFC)",
     "gives the quotient at once, with nothing left for the macro's other steps"},
    {"math.rsqtm", "unverified", "", "PRM volume 2b (MathFC)",
     "gives the root at once, with nothing left for the macro's other steps"},
    {"math.idiv", "unverified", "", "PRM volume 2b (MathFC)", "of division by 0 the manual says nothing"},
    {"math.iqot", "unverified", "", "PRM volume 2b (MathFC)", "of division by 0 the manual says nothing"},
    {"math.irem", "unverified", "", "PRM volume 2b (MathFC)", "of division by 0 the manual says nothing"},
    {"sync.host", "decode only", "", "", "there is no host to wait for; a fault"},
    {"illegal", "exact", "", "", "a fault with its name, as in hardware an exception"},
    {"movi", "unverified", "", "", "a move of what a0 names; the second source does nothing"},
    {"brd", "unverified", "", "", "neither IGC nor Mesa makes it"},
    {"brc", "unverified", "", "", "neither IGC nor Mesa makes it"},
    {"halt", "unverified", "", "Mesa (brw)", "channels wait at UIP"},
    {"goto", "unverified", "", "IGC's code", "with .b channels go to UIP at once, the others wait at JIP"},
    {"calla", "unverified", "", "IGC's code (call)", "addresses count from the instruction base"},
    {"cmpn", "unverified", "", "", "a NaN in source 1 makes any condition true"},
    {"send", "unverified", "", "docs/dg1-launch.md", "messages by shared function; what only 3D has is a fault with its name"},
    {"sendc", "unverified", "", "docs/dg1-launch.md", "as send: threads do not depend on each other here"},
};

const std::vector<FidelityName>& names() {
  static const std::vector<FidelityName> all = [] {
    std::vector<FidelityName> list;
    for (unsigned n = 0; n < 128; n++) {
      const Opcode* row = find_opcode(n);
      if (!row) continue;
      auto add_functions = [&](const auto& functions) {
        for (std::string_view f : functions)
          if (!f.empty()) list.push_back({fmt::format("{}.{}", row->name, f), row->format, n});
      };
      if (row->format == Format::Math)
        add_functions(math_names);
      else if (row->format == Format::Sync)
        add_functions(sync_names);
      else
        list.push_back({std::string(row->name), row->format, n});
    }
    return list;
  }();
  return all;
}

}  // namespace

const char* format_name(Format format) {
  switch (format) {
    case Format::Nullary: return "none";
    case Format::Sync: return "sync";
    case Format::Branch: return "branch";
    case Format::Send: return "send";
    case Format::Math: return "math";
    case Format::Unary: return "unary";
    case Format::Binary: return "binary";
    case Format::Ternary: return "ternary";
  }
  return "";
}

std::vector<Fidelity> fidelity() {
  std::vector<Fidelity> list;
  list.reserve(names().size());
  for (const FidelityName& name : names()) {
    auto note = std::ranges::find(notes, std::string_view(name.name), &Note::name);
    if (note == std::end(notes))
      list.push_back({&name, "exact", "", "", ""});
    else
      list.push_back({&name, note->state, note->bound, note->source, note->reason});
  }
  return list;
}

}  // namespace Atoll::xe_lp
