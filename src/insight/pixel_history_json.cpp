// The history of a pixel as JSON: docs/pixel-history.md has its form, tests/insight/why.schema.json holds it.
#include <bit>
#include <map>
#include <nlohmann/json.hpp>

#include "gpu/chips/chip.h"
#include "insight/pixel_history.h"
#include "insight/structure_fields.h"
#include "insight/test_fields.h"
#include "insight/texel_json.h"
#include "trace/submitted_streams.h"

namespace Atoll::insight {
namespace {

using Json = nlohmann::ordered_json;

Json value(const pipeline::WatchedDepth& depth) {
  if (!depth.has_depth && !depth.has_stencil) return nullptr;
  Json json = Json::object();
  json["depth"] = depth.has_depth ? Json(depth.depth) : Json(nullptr);
  json["raw"] = depth.has_depth ? Json(fmt::format("{:#x}", depth.word)) : Json(nullptr);
  json["stencil"] = depth.has_stencil ? Json(depth.stencil) : Json(nullptr);
  return json;
}

constexpr const char* kinds[] = {"point", "line", "triangle"};

// The test that failed, and the field that decides it; both null if the fragment was drawn.
void add_reason(Json& json, pipeline::FragmentEnd end, const gpu::Chip* chip) {
  const bool drawn = end == pipeline::FragmentEnd::drawn;
  const std::string_view field = chip ? field_of(chip->family, end) : std::string_view();
  json["reason"] = drawn ? Json(nullptr) : Json(pipeline::name(end));
  json["field"] = drawn || field.empty() ? Json(nullptr) : Json(field);
}

Json fragment_json(const PixelHistory& history, const PixelEvent& event, const PixelFragment& f, const gpu::Chip* chip) {
  const pipeline::Fragment& of = f.fragment;
  Json json{{"primitive", of.primitive}, {"kind", kinds[size_t(of.kind)]}, {"front", of.front}, {"verdict", name(f.verdict)}};
  add_reason(json, of.end, chip);
  json["covered"] = fmt::format("{:#x}", of.covered), json["drawn"] = fmt::format("{:#x}", of.drawn);
  json["depth"] = of.depth;
  json["depth_before"] = value(of.before), json["depth_after"] = value(of.after);
  if (of.shaded && event.number < 8) {
    Json output = Json::array();
    for (uint32_t c : of.output[event.number])
      surface::is_integer(history.target.format.number) ? output.push_back(c) : output.push_back(std::bit_cast<float>(c));
    json["output"] = of.outputs >> event.number & 1 ? output : Json(nullptr);
    json["before"] = json_of(history.target, of.texel_before[event.number]);
    json["after"] = json_of(history.target, of.texel_after[event.number]);
    json["lane"] = of.lane;
  } else {
    json["output"] = json["before"] = json["after"] = json["lane"] = nullptr;
  }
  return json;
}

// Programs of all events, each once, and their numbers there.
class ProgramList {
public:
  Json numbers_of(const DrawUses* uses) {
    Json numbers = Json::array();
    for (size_t n = 0; uses && n < uses->programs.size(); n++) {
      const UsedProgram& program = uses->programs[n];
      const auto [at, fresh] = numbers_.try_emplace({program.address, program.hash}, list.size());
      if (fresh)
        list.push_back({{"address", program.address ? Json(fmt::format("{:#x}", program.address)) : Json(nullptr)},
                        {"isa", program.isa},
                        {"lines", *program.lines}});
      numbers.push_back(at->second);
    }
    return numbers;
  }
  Json list = Json::array();

private:
  std::map<std::pair<uint64_t, uint64_t>, size_t> numbers_;
};

Json structures_json(const registers::Family* family, const DrawUses* uses) {
  Json structures = Json::array();
  for (size_t n = 0; uses && family && n < uses->structures.size(); n++) {
    const UsedStructure& structure = uses->structures[n];
    Json one{{"name", structure.words->first},
             {"address", structure.address ? Json(fmt::format("{:#x}", structure.address)) : Json(nullptr)}};
    one["fields"] = Json::array();
    for (const StructureField& field : fields_of(*family, structure))
      one["fields"].push_back(
          {{"name", field.name}, {"value", field.value}, {"means", field.meaning.empty() ? Json(nullptr) : Json(field.meaning)}});
    structures.push_back(std::move(one));
  }
  return structures;
}

}  // namespace

std::string json_of(const PixelQuestion& question, const PixelHistory& history) {
  const gpu::Chip* chip = gpu::find_chip(history.gpu);
  const registers::Family* family = trace::stream_family(history.gpu);
  ProgramList programs;
  Json json{{"file", question.file},
            {"gpu", history.gpu},
            {"frame", history.frame},
            {"pixel", {{"x", question.x}, {"y", question.y}, {"layer", question.layer}, {"sample", question.sample}}},
            {"target", json_of(history.target)},
            {"colour", json_of(history.target, history.colour)}};
  json["made_by"] = history.made_by ? Json(*history.made_by) : Json(nullptr);
  json["events"] = Json::array();
  for (const PixelEvent& event : history.events) {
    Json e{{"kind", name(event.kind)}, {"verdict", name(event.verdict)}};
    add_reason(e, event.end, chip);
    e["submission"] = event.submission, e["queue"] = event.queue;
    e["draw"] = event.draw ? Json(*event.draw) : Json(nullptr);
    e["packet"] = event.packet.empty() ? Json(nullptr)
                                       : Json{{"name", event.packet}, {"address", fmt::format("{:#x}", event.packet_address)}};
    e["touches"] = event.number == 8 ? "depth" : "colour";
    e["before"] = json_of(history.target, event.before), e["after"] = json_of(history.target, event.after);
    e["depth_before"] = value(event.depth_before), e["depth_after"] = value(event.depth_after);
    e["rectangle"] = event.rectangle, e["primitives"] = event.primitives;
    e["fragments"] = Json::array();
    for (const PixelFragment& f : event.fragments) e["fragments"].push_back(fragment_json(history, event, f, chip));
    e["fragments_left_out"] = event.more;
    e["programs"] = programs.numbers_of(event.uses.get());
    e["structures"] = structures_json(family, event.uses.get());
    json["events"].push_back(std::move(e));
  }
  json["events_left_out"] = history.events_left_out, json["bindings_left_out"] = history.bindings_left_out;
  Json numbers = Json::array(), extents = Json::array(), missed_programs = Json::array();
  for (const MissedDraw& missed : history.missed) {
    numbers.push_back(missed.draw);
    missed_programs.push_back(programs.numbers_of(missed.uses.get()));
    if (const auto& e = missed.extent)
      extents.push_back({e->left, e->top, e->right - 1, e->bottom - 1});
    else
      extents.push_back(nullptr);
  }
  json["elsewhere"] = {
      {"draws", history.draws_elsewhere}, {"draws_of_target", numbers}, {"extents", extents}, {"programs", missed_programs}};
  json["programs"] = programs.list;
  json["targets"] = Json::array();
  for (const PixelTarget& target : history.targets) json["targets"].push_back(json_of(target));
  json["program"] = nullptr;
  if (history.made_by)
    if (const auto& program = history.events[*history.made_by].program)
      json["program"] = {{"address", program->address ? Json(fmt::format("{:#x}", program->address)) : Json(nullptr)},
                         {"lines", program->lines}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace Atoll::insight
