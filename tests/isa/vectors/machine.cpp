#include "machine.h"

#include <algorithm>
#include <cstring>

#include "gpu/amd/images.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "isa/gfx7/registers.h"
#include "isa/rdna4/exports.h"
#include "isa/rdna4/registers.h"

namespace Atoll::vectors {

Expected<void> Machine::prepare(const Form& form, wave::EngineChoice engine) {
  executor_.reset(), program_.reset(), places_.clear();
  isa_ = form.isa;
  lanes_ = isa_ == "r500_vs" ? 32 : most_lanes;
  std::string name = isa_;
  std::ranges::replace(name, '_', '-');
  auto target = eval::find_target(name);
  if (!target) return std::unexpected(target.error());
  target_ = *target;
  std::vector<std::string> lines;
  for (size_t at = 0; at <= form.text.size();) {  // instructions are separated by semicolons
    size_t end = std::min(form.text.find("; ", at), form.text.size());
    lines.push_back(form.text.substr(at, end - at));
    at = end + 2;
  }
  lines.push_back("s_endpgm");
  auto words = is_r500(isa_) ? r500_words(isa_, form.encoding, form.text) : target_->assemble_all(lines, lanes_);
  if (!words) return std::unexpected(words.error());
  code_ = *words;
  const wave::Isa& machine = target_->isa(lanes_, code_);
  storage_bytes_ = (wave::register_file_offset + machine.register_file().bytes + 127) / 128 * 128;
  storage_.reset(static_cast<uint8_t*>(std::aligned_alloc(128, storage_bytes_)));
  if (!space_) {
    auto space = AddressSpace::create();
    if (!space) return std::unexpected(space.error());
    space_ = std::move(*space);
    auto offset = space_->memory().allocate(memory_bytes);
    if (!offset) return std::unexpected(offset.error());
    if (auto done = space_->map(memory_base, *offset, memory_bytes); !done) return done;
    memory_ = space_->host(memory_base);
    gpu_ = std::make_unique<sea_islands::Context>(*gpu::find_chip("bonaire"), gpu::QueueKind::compute, *space_, options_, stop_);
  }
  std::memset(memory_, 0, memory_bytes);
  lds_.assign(lds_bytes, 0), scratch_.assign(4096 * lanes_, 0);
  std::memset(storage_.get(), 0, storage_bytes_);
  wave_ = new (storage_.get()) wave::Wave;
  wave_->lanes = lanes_;
  wave_->window = space_->base();
  wave_->lds = lds_.data(), wave_->lds_bytes = lds_bytes;
  wave_->scratch = scratch_.data(), wave_->scratch_bytes = 4096;
  wave_->stop_flag = &stop_;
  wave_->environment = this;
  wave_->group = &group_;
  target_->initialise(*wave_);
  program_ = std::make_unique<wave::Program>(machine, code_base, code_);
  wave_->program = program_.get();
  executor_ = std::make_unique<wave::Executor>(*program_, engine, *wave_);
  if (std::string why = executor_->error(); !why.empty()) return fail("{}", why);
  return {};
}

namespace {

// Exports and attributes of Sea Islands: "exp:TARGET.CHANNEL", "expmask:TARGET", "expenable:TARGET", "expcompressed:TARGET",
// "expdone", "expvalid", "attr:NUMBER.CHANNEL.p0".
std::optional<eval::Register> graphics_register(const std::string& name) {
  using namespace gfx7;
  auto lanes = [](uint32_t cell) {
    eval::Register r{{}, 32, true};
    for (uint32_t lane = 0; lane < Machine::most_lanes; lane++) r.places.push_back({lane_cell(cell, lane)});
    return r;
  };
  auto quads = [](uint32_t cell) {
    eval::Register r{{}, 32, true};
    for (uint32_t lane = 0; lane < Machine::most_lanes; lane++) r.places.push_back({cell + lane / 4 * 4});
    return r;
  };
  unsigned target = 0, channel = 0, of = 0;
  int end = 0;
  if (std::sscanf(name.c_str(), "exp:%u.%u", &target, &channel) == 2) return lanes(export_cell(target, channel));
  if (std::sscanf(name.c_str(), "expmask:%u", &target) == 1) return eval::Register{{{export_mask_cell(target)}}, 64, false};
  if (std::sscanf(name.c_str(), "expenable:%u", &target) == 1) return eval::Register{{{export_enable_cell(target)}}, 32, false};
  if (std::sscanf(name.c_str(), "expcompressed:%u", &target) == 1)
    return eval::Register{{{export_compressed_cell(target)}}, 32, false};
  if (name == "expdone") return eval::Register{{{export_done_cell}}, 32, false};
  if (name == "expvalid") return eval::Register{{{export_valid_cell}}, 64, false};
  if (std::sscanf(name.c_str(), "attr:%u.%u.p%u%n", &target, &channel, &of, &end) == 3 && size_t(end) == name.size())
    return quads(attribute_cell(target, channel, of == 10 ? P10 : of == 20 ? P20 : P0));
  return {};
}

// The same of RDNA4's exports, whose DONE is a target's: "expdone:TARGET".
std::optional<eval::Register> rdna4_export(const std::string& name) {
  using namespace rdna4;
  constexpr bool wide = Machine::most_lanes == 64;
  unsigned target = 0, source = 0;
  if (std::sscanf(name.c_str(), "exp:%u.%u", &target, &source) == 2) {
    eval::Register r{{}, 32, true};
    for (uint32_t lane = 0; lane < Machine::most_lanes; lane++)
      r.places.push_back({export_cell(target, source, wide) + lane * 4});
    return r;
  }
  if (std::sscanf(name.c_str(), "expmask:%u", &target) == 1) return eval::Register{{{export_mask_cell(target, wide)}}, 64, false};
  if (std::sscanf(name.c_str(), "expenable:%u", &target) == 1)
    return eval::Register{{{export_enable_cell(target, wide)}}, 32, false};
  if (std::sscanf(name.c_str(), "expdone:%u", &target) == 1) return eval::Register{{{export_done_cell(target, wide)}}, 32, false};
  return {};
}

}  // namespace

void Machine::image(wave::Wave&, wave::ImageAccess& access) { gpu_->images->access(access, 0); }

Expected<Machine::Place> Machine::find(const std::string& name) {
  if (auto known = places_.find(name); known != places_.end()) return known->second;
  Place place;
  if (name == "lds") {
    place.kind = Place::Lds;
  } else if (name == "mem") {
    place.kind = Place::Memory;
  } else if (is_r500(isa_)) {
    auto r = r500_register(isa_, name, lanes_);
    if (!r) return fail("no register '{}'", name);
    place.registers.push_back(*r);
  } else if (auto graphics = isa_ == "gfx1201" ? rdna4_export(name) : graphics_register(name)) {
    place.registers.push_back(*graphics);
  } else if (size_t bracket = name.find('['); bracket != std::string::npos) {
    unsigned low = 0, high = 0;
    if (std::sscanf(name.c_str() + bracket, "[%u:%u]", &low, &high) != 2) return fail("register '{}'", name);
    for (unsigned n = low; n <= high; n++) {
      auto r = target_->find(name.substr(0, bracket) + std::to_string(n), lanes_);
      if (!r) return std::unexpected(r.error());
      place.registers.push_back(*r);
    }
  } else {
    auto r = target_->find(name, lanes_);
    if (!r) return std::unexpected(r.error());
    place.registers.push_back(*r);
  }
  places_[name] = place;
  return place;
}

Expected<void> Machine::set(const Block& block, const Input& input, size_t first, size_t count) {
  auto place = find(input.place);
  if (!place) return std::unexpected(place.error());
  uint32_t number[2];
  auto value = [&](size_t lane) -> const uint32_t* {
    if (input.column) return input.column->at(block.first + first + lane);
    uint64_t n = input.start + lane * input.step;
    number[0] = uint32_t(n), number[1] = uint32_t(n >> 32);
    return number;
  };
  if (place->kind != Place::Registers) {
    size_t bytes = input.column->dwords_each() * 4;
    uint8_t* to = place->kind == Place::Lds ? lds_.data() : memory_;
    for (size_t lane = 0; lane < count; lane++) std::memcpy(to + lane * bytes, value(lane), bytes);
    return {};
  }
  for (size_t d = 0; d < place->registers.size(); d++) {
    const eval::Register& r = place->registers[d];
    if (r.list) {
      for (size_t lane = 0; lane < lanes_; lane++)
        std::memcpy(wave::bytes_of(*wave_, r.places[lane].cell), value(lane < count ? lane : 0) + d, 4);
    } else if (r.bits == 64) {
      uint64_t bits = 0;
      if (input.column && input.column->bits == 1)
        for (size_t lane = 0; lane < count; lane++) bits |= uint64_t(*value(lane)) << lane;
      else
        std::memcpy(&bits, value(0), 8);
      std::memcpy(wave::bytes_of(*wave_, r.places[0].cell), &bits, 8);
    } else {
      wave::word_of(*wave_, r.places[0].cell) = value(0)[d];
    }
  }
  return {};
}

Expected<void> Machine::run(const Block& block, size_t first, size_t count) {
  const wave::Isa& isa = target_->isa(lanes_, code_);
  std::memset(storage_.get() + wave::register_file_offset, 0, isa.register_file().bytes);
  target_->initialise(*wave_);
  reset(group_, 1);
  for (const Input& input : block.inputs)
    if (auto done = set(block, input, first, count); !done) return done;
  wave_->pc = code_base;
  wave_->stop = wave::Stop::Run;
  wave_->fault = {};
  wave_->chunk = 0;
  wave_->compiled = wave_->called = wave_->interpreted = 0;
  do executor_->run(*wave_);
  while (wave_->stop == wave::Stop::Yield || (wave_->stop == wave::Stop::Barrier && may_resume(group_, *wave_)));
  if (auto unknown = gpu_->unknowns(); !unknown.empty()) return fail("{}", unknown[0].what);
  if (wave_->stop == wave::Stop::End) return {};
  // The words of an R5xx shader end without an instruction that ends the wave.
  if (is_r500(isa_) && wave_->stop == wave::Stop::Fault && wave_->fault.pc == code_base + code_.size() * 4) return {};
  return fail("stopped ({}) at {:#x}: {} {:#x}", int(wave_->stop), wave_->fault.pc,
              wave_->fault.reason ? wave_->fault.reason : "", wave_->fault.address);
}

std::vector<uint32_t> Machine::result(const Output& output, size_t lane) {
  auto place = find(output.place);
  std::vector<uint32_t> dwords(output.values.dwords_each());
  if (!place) return {};
  if (place->kind != Place::Registers) {
    const uint8_t* from = place->kind == Place::Lds ? lds_.data() : memory_;
    std::memcpy(dwords.data(), from + lane * dwords.size() * 4, dwords.size() * 4);
    return dwords;
  }
  for (size_t d = 0; d < place->registers.size(); d++) {
    const eval::Register& r = place->registers[d];
    if (r.list)
      std::memcpy(&dwords[d], wave::bytes_of(*wave_, r.places[lane].cell), 4);
    else if (r.bits == 64 && output.values.bits == 1)
      dwords[0] = wave::word_of(*wave_, r.places[0].cell + uint32_t(lane / 32) * 4) >> lane % 32 & 1;
    else
      std::memcpy(&dwords[d], wave::bytes_of(*wave_, r.places[0].cell), r.bits == 64 ? 8 : 4);
  }
  return dwords;
}

}  // namespace Atoll::vectors
