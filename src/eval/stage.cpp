#include "eval/stage.h"

#include <algorithm>
#include <map>

#include "eval/target.h"

namespace Atoll::eval {
namespace {

using namespace rdna4;

// A value's place: one number, or one a lane.
struct Place {
  uint32_t* word = nullptr;
  uint64_t* address = nullptr;
  bool* flag = nullptr;
  std::optional<uint32_t>* optional = nullptr;
  LaneValues* lanes = nullptr;
};
using Places = std::map<std::string, Place, std::less<>>;

Places places_of(PixelStart& s) {
  Places p = {{"input_ena", {.word = &s.input_ena}},
              {"input_addr", {.word = &s.input_addr}},
              {"new_primitive", {.word = &s.new_primitive}},
              {"bc_optimize", {.flag = &s.bc_optimize}},
              {"lds_offset", {.word = &s.lds_offset}},
              {"wave_id", {.optional = &s.wave_id}},
              {"provoking_vertex", {.optional = &s.provoking_vertex}}};
  for (unsigned t = 0; t < pixel_term_count; t++) p[std::string(name_of(PixelTerm(t)))] = {.lanes = &s.terms[t]};
  return p;
}
Places places_of(GeometryStart& s) {
  Places p = {{"address", {.address = &s.address}},
              {"waves_in_group", {.word = &s.waves_in_group}},
              {"wave_in_group", {.word = &s.wave_in_group}},
              {"attribute_ring", {.word = &s.attribute_ring}}};
  if (s.mesh) {
    p["group_x"] = {.word = &s.group_id[0]}, p["group_y"] = {.word = &s.group_id[1]}, p["group_z"] = {.word = &s.group_id[2]};
    return p;
  }
  p["vertices"] = {.word = &s.vertices}, p["primitives"] = {.word = &s.primitives};
  p["group_vertices"] = {.word = &s.group_vertices}, p["group_primitives"] = {.word = &s.group_primitives};
  p["ordered_wave_id"] = {.word = &s.ordered_wave_id}, p["off_chip"] = {.word = &s.off_chip};
  constexpr const char* names[] = {"primitive", "primitive_id", "adjacent", "vertex", "instance"};
  for (unsigned n = 0; n < 5; n++) p[names[n]] = {.lanes = &s.vgprs[n]};
  constexpr const char* tessellated[] = {"u", "v", "relative_patch", "patch"};
  for (unsigned n = 0; n < 4; n++) p[tessellated[n]] = {.lanes = &s.vgprs[3 + n]};
  return p;
}
Places places_of(HullStart& s) {
  return {{"address", {.address = &s.address}},
          {"off_chip", {.word = &s.off_chip}},
          {"factor_ring", {.word = &s.factor_ring}},
          {"first_wave", {.flag = &s.first_wave}},
          {"group_size", {.word = &s.group_size}},
          {"patches", {.word = &s.patches}},
          {"control_points", {.word = &s.hull_vertices}},
          {"vertices", {.word = &s.vertices}},
          {"wave_in_group", {.word = &s.wave_in_group}},
          {"patch", {.lanes = &s.vgprs[0]}},
          {"relative_id", {.lanes = &s.vgprs[1]}},
          {"vertex", {.lanes = &s.vgprs[2]}},
          {"instance", {.lanes = &s.vgprs[3]}}};
}

Expected<GraphicsStart> start_of(std::string_view stage) {
  if (stage == "pixel") return PixelStart{};
  if (stage == "geometry") return GeometryStart{};
  if (stage == "mesh") return GeometryStart{.mesh = true};
  if (stage == "hull") return HullStart{};
  return fail("stage '{}': pixel, geometry, mesh and hull are", stage);
}
Places places_of(GraphicsStart& start) {
  return std::visit([](auto& s) { return places_of(s); }, start);
}

// "attr3.y"
bool parameter_of(std::string_view name, PixelParameter& parameter) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot + 2 != name.size()) return false;
  const size_t channel = std::string_view("xyzw").find(name[dot + 1]);
  if (channel == std::string_view::npos || !numbered(name.substr(0, dot), "attr", 64, parameter.attribute)) return false;
  parameter.channel = unsigned(channel);
  return true;
}

Expected<void> set(const Place& place, const RegisterValue& given, unsigned lanes) {
  const uint64_t limit = place.address ? ~uint64_t(0) : place.flag ? 1 : ~uint32_t(0);
  for (uint64_t value : given.values)
    if (value > limit) return fail("{}: {:#x} is too large", given.name, value);
  if (place.lanes) {
    if (given.list && given.values.size() != lanes)
      return fail("{}: {} values given, the wave has {} lanes", given.name, given.values.size(), lanes);
    place.lanes->assign(given.values.begin(), given.values.end());
    return {};
  }
  if (given.list && given.values.size() != 1) return fail("{}: takes one value, not a list", given.name);
  const uint64_t value = given.values.at(0);
  if (place.word) *place.word = uint32_t(value);
  if (place.address) *place.address = value;
  if (place.flag) *place.flag = value != 0;
  if (place.optional) *place.optional = uint32_t(value);
  return {};
}

}  // namespace

bool is_stage_value(std::string_view stage, std::string_view name) {
  auto start = start_of(stage);
  PixelParameter parameter;
  if (!start) return false;
  return name == "user" || places_of(*start).contains(name) || (stage == "pixel" && parameter_of(name, parameter));
}

Expected<GraphicsState> rdna4_stage(const Stage& stage, unsigned lanes, std::span<uint8_t> lds) {
  auto start = start_of(stage.name);
  if (!start) return std::unexpected(start.error());
  const Places places = places_of(*start);
  std::vector<uint32_t> user;
  auto* pixel = std::get_if<PixelStart>(&*start);
  for (const RegisterValue& given : stage.values) {
    PixelParameter parameter;
    if (given.name == "user") {
      for (uint64_t value : given.values) {
        if (value >> 32) return fail("user: {:#x} has more than 32 bits", value);
        user.push_back(uint32_t(value));
      }
    } else if (auto place = places.find(given.name); place != places.end()) {
      if (auto done = set(place->second, given, lanes); !done) return std::unexpected(done.error());
    } else if (pixel && parameter_of(given.name, parameter)) {
      if (given.values.empty() || given.values.size() % 3)
        return fail("{}: three values for each primitive, P0, P10 and P20", given.name);
      for (size_t n = 0; n < given.values.size(); n += 3) {
        auto& p = parameter.primitives.emplace_back();
        for (size_t part = 0; part < 3; part++) {
          if (given.values[n + part] >> 32) return fail("{}: {:#x} has more than 32 bits", given.name, given.values[n + part]);
          p[part] = uint32_t(given.values[n + part]);
        }
      }
      pixel->parameters.push_back(std::move(parameter));
    } else {
      std::string names = "user";
      for (const auto& [name, place] : places) names += ", " + name;
      return fail("{}: a {} wave starts with {}{}", given.name, stage.name, names, pixel ? ", attr0.x" : "");
    }
  }
  if (pixel)
    if (auto done = place_parameters(*pixel, lanes, lds); !done) return std::unexpected(done.error());
  return graphics_state(*start, user, lanes);
}

}  // namespace Atoll::eval
