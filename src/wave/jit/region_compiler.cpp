#include "wave/jit/region_compiler.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <deque>

#include "base/environment.h"
#include "wave/jit/node_text.h"
#include "wave/jit/object_loader.h"
#include "wave/jit/region_check.h"

namespace Atoll::wave {

struct RegionCompiler::Wanted {
  CodeUnit unit;
  CodeKey key{};
  Digest name{};         // the key's
  Code code{};           // found, or made
  std::string object{};  // found on disk, or made
  bool looked_for = false;
  std::string problem{};  // of the object, which is none then
};

namespace {

// False: an access of the loop is not made in line, as one whose addresses nobody has met.
bool plan_loop(const RegionSet& set, const CodeRegion& entry, std::vector<AccessPlan>& plans) {
  const Wave& like = set.recorder->wave;
  for (size_t part : entry.loop) {
    const CodeRegion& region = set.regions[part];
    plans.push_back(plan_accesses(region, like, int(like.lanes), true));
    for (size_t n = 0; n < region.nodes.size(); n++)
      if (region.nodes[n].op == Op::Load && plans.back().group_of[n] < 0) return false;
  }
  return true;
}

// The set's passages, where there may be any: then all regions are planned, and their plans checked.
Expected<Passages> passages_of(const Program& program, const RegionSet& set, const CompileOptions& options, int width,
                               std::vector<AccessPlan>& plans) {
  const bool wanted =
      program.register_file().whole_wave && options.tier == Tier::Full && options.direct && !options.exact && options.only < 0;
  if (!wanted) return Passages{.passages = {}, .inside = std::vector<bool>(set.regions.size())};
  const Wave& like = set.recorder->wave;
  for (size_t n = 0; n < set.regions.size(); n++) {
    const CodeRegion& region = set.regions[n];
    if (region.kind != RegionKind::Compiled) continue;
    if (is_unwanted(options)) return fail("{}", not_wanted);
    plans[n] = plan_accesses(region, like, width);
    if (auto sound = check_region(region, plans[n], program.register_file(), like, width); !sound)
      return std::unexpected(sound.error());
  }
  return find_passages(set, plans);
}

// ATOLL_DUMP_REGIONS=1: what the JIT made of the code (node_text.h), for people who look for a cut or a node too many.
void dump(const Program& program, const RegionSet& set, const CompileOptions& options, int width) {
  const Wave& like = set.recorder->wave;
  fmt::print(stderr, "regions, {} tier{}\n", options.tier == Tier::Quick ? "quick" : "full", options.exact ? ", exact NaNs" : "");
  for (const CodeRegion& r : set.regions) {
    bool guards = options.tier == Tier::Full && r.kind == RegionKind::Compiled && !(options.loops && !r.loop.empty());
    AccessPlan plan = guards ? plan_accesses(r, like, width) : AccessPlan();
    fmt::print(stderr, "{}", text_of(r, program, like, guards ? &plan : nullptr));
  }
}

}  // namespace

Expected<CompiledRegions> RegionCompiler::compile(const Program& program, const std::shared_ptr<RegionSet>& set,
                                                  const CompileOptions& options) {
  const Wave& like = set->recorder->wave;
  const int width = program.register_file().whole_wave ? int(like.lanes) : chunk_lanes();
  std::vector<AccessPlan> plans(set->regions.size());
  std::deque<std::vector<AccessPlan>> loops_plans;
  std::vector<Wanted> wanted;
  auto passages = passages_of(program, *set, options, width, plans);
  if (!passages) return std::unexpected(passages.error());
  for (size_t number = 0; number < set->regions.size(); number++) {
    const CodeRegion& region = set->regions[number];
    const bool asked_for = options.only < 0 ? !passages->inside[number] : number == size_t(options.only);
    if (region.kind != RegionKind::Compiled || !asked_for || (region.has_code && options.only < 0)) continue;
    if (is_unwanted(options)) return fail("{}", not_wanted);
    // Nothing reaches LLVM unchecked.
    CompileOptions here = options;
    if (!runs_in_f32_mode(region, set->recorder->mode)) here.direct = false;
    bool loop = options.tier == Tier::Full && options.loops && !region.loop.empty();
    auto& loop_plans = loops_plans.emplace_back();
    if (loop && !plan_loop(*set, region, loop_plans)) {
      // (An exact version is to have the shape of this one.)
      set->regions[number].loop.clear();
      loop = false;
    }
    const int lanes = loop || region.whole ? int(like.lanes) : width;
    auto checked = [&](const CodeRegion& part, const AccessPlan& plan) {
      return check_region(part, plan, program.register_file(), like, loop || part.whole ? int(like.lanes) : width);
    };
    if (loop) {
      for (size_t n = 0; n < region.loop.size(); n++)
        if (auto sound = checked(set->regions[region.loop[n]], loop_plans[n]); !sound) return std::unexpected(sound.error());
      wanted.push_back({.unit = {CodeUnit::Kind::loop, number, loop_plans, {}, here, lanes}});
      continue;
    }
    AccessPlan& plan = plans[number];
    if (plan.group_of.empty()) {  // else passages_of() has planned and checked it
      plan = options.tier == Tier::Full ? plan_accesses(region, like, width) : without_guards(region);
      if (auto sound = checked(region, plan); !sound) return std::unexpected(sound.error());
    }
    wanted.push_back({.unit = {CodeUnit::Kind::region, number, {&plan, 1}, {}, here, lanes}});
  }
  // Passages take their first region's place.
  for (const Passage& passage : passages->passages)
    wanted.push_back({.unit = {CodeUnit::Kind::passage, passage[0], plans, passage, options, width}});
  if (environment_flag("ATOLL_DUMP_REGIONS")) dump(program, *set, options, width);
  if (auto made = make(program, *set, wanted, options); !made) return std::unexpected(made.error());
  std::vector<CodeFunction> functions(set->regions.size());
  auto code_used = std::make_shared<std::vector<std::shared_ptr<void>>>();
  for (Wanted& each : wanted) {
    functions[each.unit.region] = each.code.first;
    code_used->push_back(std::move(each.code.second));
  }
  return CompiledRegions{std::move(functions), std::move(code_used)};
}

// Links what is there already, in this process or on disk. True: that was all.
bool RegionCompiler::find(std::vector<Wanted>& wanted, size_t regions) {
  std::vector<CodeFunction> alone(regions);
  bool all = true;
  for (Wanted& each : wanted) {
    // (A passage goes on in other code, which it keeps.)
    const bool passage = each.unit.kind == CodeUnit::Kind::passage;
    if (!each.code.first && !passage) each.code = find_shared(each.name);
    if (!each.code.first && each.object.empty() && !each.looked_for && cache_)
      if (auto kept = cache_->find(each.key)) each.object = std::move(*kept);
    each.looked_for = true;
    if (!each.code.first && !each.object.empty()) {
      if (auto code = load(each, alone[each.unit.region]))
        each.code = std::move(*code);
      else
        each.object.clear(), each.problem = code.error().message;
    }
    if (each.code.first && !passage) alone[each.unit.region] = each.code.first;
    all = all && each.code.first;
  }
  return all;
}

// Finds or makes the code of each.
Expected<void> RegionCompiler::make(const Program& program, const RegionSet& set, std::vector<Wanted>& wanted,
                                    const CompileOptions& options) {
  for (Wanted& each : wanted) {
    each.key = code_key(program, set, each.unit);
    each.name = blake2b(each.key.text);
  }
  if (find(wanted, set.regions.size())) return {};
  if (options.found_only) return fail("{}", not_found);
  // A caller that nobody waits for any more does not wait.
  std::unique_lock lock(turn_, std::defer_lock);
  bool waited = false;
  for (; !lock.try_lock_for(std::chrono::milliseconds(waited ? 5 : 0)); waited = true)
    if (is_unwanted(options)) return fail("{}", not_wanted);
  if (waited && find(wanted, set.regions.size())) return {};  // whose turn it was has made the same
  if (auto made = translate(program, set, wanted, options); !made) return made;
  if (find(wanted, set.regions.size())) return {};
  for (const Wanted& each : wanted)
    if (!each.code.first) return fail("{}", each.problem);
  return {};
}

// With a cache a few at a time, each kept as soon as it is made: the process may end before the last is.
Expected<void> RegionCompiler::translate(const Program& program, const RegionSet& set, std::vector<Wanted>& wanted,
                                         const CompileOptions& options) {
  constexpr size_t together = 100;  // instructions
  auto translator = open_();
  if (!translator) return std::unexpected(translator.error());
  for (size_t next = 0; next < wanted.size();) {
    std::vector<CodeUnit> units;
    std::vector<Wanted*> of;
    for (size_t steps = 0; next < wanted.size() && (!cache_ || steps < together); next++) {
      Wanted& each = wanted[next];
      if (each.code.first) continue;
      units.push_back(each.unit), of.push_back(&each);
      steps += set.regions[each.unit.region].steps.size();
    }
    if (units.empty()) break;
    auto made = (*translator)->translate(program, set, units, options);
    if (!made) return std::unexpected(made.error());
    for (size_t n = 0; n < of.size(); n++) {
      of[n]->object = std::move(made->objects[n]);
      // (By other passes than were asked for, perhaps since LLVM took too long: the next process asks again.)
      if (cache_ && made->as_asked) cache_->store(of[n]->key, of[n]->object);
    }
  }
  return {};
}

Expected<RegionCompiler::Code> RegionCompiler::load(const Wanted& each, CodeFunction alone) {
  const std::lock_guard lock(memory_mutex_);
  auto code = load_object(each.object, unit_name, memory_, [&](std::string_view name) -> std::optional<uint64_t> {
    if (name != alone_name) return process_symbol(name);
    if (!alone) return {};
    return reinterpret_cast<uint64_t>(alone);
  });
  if (!code) return std::unexpected(code.error());
  auto block = std::shared_ptr<void>(this, [this, block = code->block, name = each.name](void*) {
    const std::lock_guard removing(memory_mutex_);
    memory_.release(block);
    if (auto there = shared_.find(name); there != shared_.end() && there->second.code.expired()) shared_.erase(there);
  });
  if (each.unit.kind != CodeUnit::Kind::passage) shared_[each.name] = {code->function, block};
  return Code(code->function, std::move(block));
}

// Code that somebody holds, and what keeps it (not to be let go of under memory_mutex_).
RegionCompiler::Code RegionCompiler::find_shared(const Digest& name) {
  const std::lock_guard sharing(memory_mutex_);
  auto made = shared_.find(name);
  if (made == shared_.end()) return {};
  std::shared_ptr<void> code = made->second.code.lock();
  return {code ? made->second.function : nullptr, std::move(code)};
}

}  // namespace Atoll::wave
