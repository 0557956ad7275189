#include "machine.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace Atoll::test {

uint32_t Random::word() {
  static constexpr uint32_t edges[] = {
      0,          1,          2,          31,         32,         33,         0x7fff,     0x8000,     0xffff,     0x10000,
      0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x3f000000, 0x00800000, 0x007fffff,
      0x00000400, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00001, 0xffc12345, 0x4b000000, 0x4f000000, 0xcf000000,
      0x4f800000, 0x3c003c00, 0x7c00fc00, 0x7e007d01, 0x00010400, 0x7bff8001, 0x33000000, 0x477fe000, 0x7ff00000, 0x7ff80001,
      0xfff00001, 0x3ff00000, 0x000fffff, 0x00100000, 0x7fefffff, 0x41e00000, 0x41dfffff, 0x40490fdb, 0x42000000, 0xc2fe0000};
  uint64_t r = next64();
  switch (r & 7) {
    case 0:
    case 1:
    case 2: return edges[(r >> 8) % std::size(edges)];
    case 3: return 0x3f000000u + (uint32_t(r >> 32) & 0x01ffffffu);  // floats of ordinary size
    case 4: return uint32_t(r >> 32) & 0xff;
    default: return uint32_t(r >> 32);
  }
}

bool Machine::prepare() {
  auto space = AddressSpace::create();
  if (!space) return false;
  space_ = std::move(*space);
  auto offset = space_->memory().allocate(buffer_bytes);
  if (!offset || !space_->map(buffer_start, *offset, buffer_bytes)) return false;
  buffer_offset_ = *offset;
  storage_.reset(static_cast<uint8_t*>(std::aligned_alloc(128, wave_bytes())));
  lds_.resize(lds_bytes), scratch_.resize(size_t(scratch_bytes) * 64);
  share_ = std::make_unique<wave::GlobalShare>();
  use({.space = space_.get(),
       .windows = {{buffer_start, buffer_bytes}},
       .wave = storage_.get(),
       .lds = lds_.data(),
       .scratch = scratch_.data(),
       .lds_bytes = lds_bytes,
       .scratch_bytes = scratch_bytes,
       .share = share_.get(),
       .shared_base = shared_base,
       .shared_bytes = shared_bytes});
  return true;
}

namespace {

// The initial contents of memory are cut out of this: thousands of bytes for every run, drawn one by one, would take too
// long.
constexpr size_t pool_words = 1 << 16;
const std::vector<uint32_t>& pool() {
  static const std::vector<uint32_t> words = [] {
    Random random{0};
    std::vector<uint32_t> all(pool_words);
    for (uint32_t& word : all) word = random.word();
    return all;
  }();
  return words;
}
void fill(uint8_t* p, size_t bytes, Random& random) {
  while (bytes) {
    size_t from = random.below(pool_words / 2), now = std::min(bytes, (pool_words - from) * 4);
    std::memcpy(p, pool().data() + from, now);
    p += now, bytes -= now;
  }
}

}  // namespace

void Machine::protect(unsigned page, bool writable) {
  const uint64_t at = page * page_bytes;
  ATOLL_ASSERT(space_->map(buffer_start + at, buffer_offset_ + at, page_bytes, writable));
}

void Machine::reset(unsigned lanes, uint32_t mode, uint64_t seed) {
  Random random{seed};
  const unsigned protected_page = unsigned(seed % (buffer_bytes / page_bytes));
  if (protects_)
    for (unsigned page = 0; page < buffer_bytes / page_bytes; page++) protect(page, true);
  uint32_t bytes = isa(lanes).register_file().bytes;
  std::memset(places_.wave, 0, wave::register_file_offset + bytes);
  wave_ = new (places_.wave) wave::Wave;
  wave::Wave& w = *wave_;
  w.window = places_.space->base(), w.window_bytes = places_.space->window_bytes();
  w.lds = places_.lds, w.lds_bytes = places_.lds_bytes;
  w.scratch = places_.scratch, w.scratch_bytes = places_.scratch_bytes;
  w.stop_flag = &stop_, w.environment = this, w.group = &group_;
  w.lanes = lanes, w.pc = code_base, w.textures = texture_slots;
  wave::reset(group_, 1);
  stop_ = 0, ticks_ = 0, messages_ = 0, traps_ = 0;
  images_.resize(64);
  std::iota(images_.begin(), images_.end(), uint32_t(seed));

  fill_registers(w, random, mode);
  fill(places_.lds, places_.lds_bytes, random);
  fill(places_.scratch, size_t(places_.scratch_bytes) * 64, random);
  for (const Window& window : places_.windows) fill(places_.space->host(window.address), window.bytes, random);
  if (protects_) protect(protected_page, false);
  fill(places_.share->memory.data() + places_.shared_base, places_.shared_bytes, random);
  for (wave::GlobalShare::Resource& r : places_.share->resource) r = {.counter = random.below(3)};
  constexpr uint32_t wave_ids = 4;
  order_.emplace(random.below(wave_ids), wave_ids);
  for (int waves = 0; waves < 2; waves++) order_->launch();
}

namespace {

uint64_t mixed(uint64_t hash, uint64_t word) { return Random{hash ^ word}.next64(); }

// The words of an access that its operation uses, for one lane.
uint64_t hash_of(const wave::ImageAccess& a, unsigned lane) {
  using enum wave::ImageOperation;
  using wave::LodMode;
  uint64_t h = mixed(uint64_t(a.operation) << 8 | uint64_t(a.lod_mode), a.components | uint64_t(a.array) << 8);
  uint64_t flags = 0;
  for (bool flag : {a.short_resource, a.unnormalized, a.compare, a.offset, a.clamp_lod, a.coarse_derivatives, a.explicit_level,
                    a.packed, a.sign_extend, a.returns, a.tfe, a.lwe, a.halves, a.fills_with_first})
    flags = flags << 1 | flag;
  h = mixed(h, flags | uint64_t(a.atomic) << 32 | uint64_t(a.gather_component) << 40 | uint64_t(a.coordinate_count) << 48 |
                   uint64_t(uint8_t(a.dimension + 1)) << 56);
  bool samples = a.operation == sample || a.operation == gather || a.operation == query_lod;
  for (int n = 0; n < (a.short_resource ? 4 : 8); n++) h = mixed(h, a.resource[n]);
  for (int n = 0; n < 4 && samples; n++) h = mixed(h, a.sampler[n]);
  for (unsigned n = 0; n < a.coordinate_count; n++) h = mixed(h, a.coordinate[n][lane]);
  if (a.lod_mode == LodMode::bias || a.lod_mode == LodMode::level || a.explicit_level || a.operation == size)
    h = mixed(h, a.lod[lane]);
  if (a.clamp_lod) h = mixed(h, a.lod_clamp[lane]);
  if (a.compare) h = mixed(h, a.reference[lane]);
  if (a.offset) h = mixed(h, a.offsets[lane]);
  return h;
}

}  // namespace

uint64_t Machine::message(wave::Wave&, uint32_t message, uint32_t m0) {
  messages_ = mixed(messages_, uint64_t(message) << 32 | m0);
  return message * 3 + m0;
}

// (of lanes that export)
bool Machine::export_row(wave::Wave& wave, const wave::RowExport& row) {
  messages_ = mixed(messages_, uint64_t(row.target) << 32 | row.row << 16 | row.enabled << 8 | uint32_t(row.done));
  messages_ = mixed(mixed(messages_, row.lanes), row.order);
  for (const uint32_t* values : row.values)
    for (uint32_t lane = 0; values && lane < wave.lanes; lane++)
      if (row.lanes >> lane & 1) messages_ = mixed(messages_, values[lane]);
  return true;
}

const wave::SampledTexture* Machine::sampled_texture(const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                                     wave::TextureUse use) {
  return textures ? textures(resource, sampler, slot, use) : nullptr;
}

void Machine::image(wave::Wave&, wave::ImageAccess& a) {
  if (images) return images(a);
  using enum wave::ImageOperation;
  unsigned components = unsigned(std::popcount(unsigned(a.components)));
  for (uint64_t rest = a.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    uint64_t h = hash_of(a, lane);
    uint32_t& word = images_[h % images_.size()];
    if (h % 200003 == 0) {
      a.fault = "an image that the random programs' machine does not like", a.fault_address = h;
      return;
    }
    uint32_t old = word;
    if (a.operation == store || a.operation == atomic)
      for (unsigned c = 0; c < components; c++) word = uint32_t(mixed(word, a.data[c][lane]));
    if (a.operation != store)
      for (unsigned c = 0; c < 4; c++) a.data[c][lane] = c ? uint32_t(h >> 8 * c) + old : old;
    a.status[lane] = uint32_t(h >> 63);
  }
}

// The memory, and three words of each resource.
std::vector<uint8_t> Machine::shared_state() const {
  const uint8_t* memory = places_.share->memory.data() + places_.shared_base;
  std::vector<uint8_t> out(memory, memory + places_.shared_bytes);
  for (const wave::GlobalShare::Resource& r : places_.share->resource)
    for (uint32_t word : {r.counter, r.waiting, r.round})
      out.insert(out.end(), reinterpret_cast<uint8_t*>(&word), reinterpret_cast<uint8_t*>(&word) + 4);
  return out;
}

Machine::State Machine::state() const {
  const uint8_t* base = places_.wave;
  std::vector<uint8_t> memory;
  for (const Window& window : places_.windows) {
    const uint8_t* p = places_.space->host(window.address);
    memory.insert(memory.end(), p, p + window.bytes);
  }
  return {{base + wave::register_file_offset, base + wave::register_file_offset + isa(wave_->lanes).register_file().bytes},
          {places_.lds, places_.lds + places_.lds_bytes},
          {places_.scratch, places_.scratch + size_t(places_.scratch_bytes) * 64},
          std::move(memory),
          {reinterpret_cast<const uint8_t*>(images_.data()), reinterpret_cast<const uint8_t*>(images_.data() + images_.size())},
          shared_state(),
          messages_,
          wave_->privileged,
          wave_->stop,
          wave_->fault,
          wave_->pc};
}

std::string Machine::name_in_windows(uint32_t n) const {
  for (const Window& window : places_.windows) {
    if (n < window.bytes) return fmt::format("memory {:#x}", window.address + n);
    n -= uint32_t(window.bytes);
  }
  return "memory";
}

std::string Machine::difference(const State& a, const State& b, unsigned lanes, bool inspected) const {
  std::string text;
  int lines = 0;
  if (a.stop != b.stop || a.pc != b.pc)
    text += fmt::format("  stop {} at {:#x} against {} at {:#x}\n", int(a.stop), a.pc, int(b.stop), b.pc);
  // Between two instructions all lanes are where they should be.
  bool exact = a.fault.kind == wave::FaultKind::Fetch && b.fault.kind == wave::FaultKind::Fetch;
  if (a.stop == wave::Stop::Fault && b.stop == wave::Stop::Fault) {
    // Registers of other lanes may be at the start of the region: only the report counts.
    if (a.fault.kind != b.fault.kind || a.fault.pc != b.fault.pc || a.fault.address != b.fault.address ||
        a.fault.bytes != b.fault.bytes || a.fault.lane != b.fault.lane) {
      auto put = [](const wave::FaultReport& f) {
        return fmt::format("fault {} pc {:#x} address {:#x} bytes {} lane {}", int(f.kind), f.pc, f.address, f.bytes, f.lane);
      };
      text += fmt::format("  {} against {}\n", put(a.fault), put(b.fault));
    }
    if (!exact) return text;
  }
  auto compare = [&](const std::vector<uint8_t>& x, const std::vector<uint8_t>& y, auto name) {
    if (x == y) return;
    for (size_t n = 0; n + 4 <= x.size(); n += 4) {
      uint32_t p, q;
      std::memcpy(&p, &x[n], 4), std::memcpy(&q, &y[n], 4);
      if (p != q && ++lines <= 10) text += fmt::format("  {}: {:#010x} against {:#010x}\n", name(uint32_t(n)), p, q);
    }
  };
  if (inspected) {
    compare(a.registers, b.registers, [&](uint32_t n) { return register_name(wave::register_file_offset + n, lanes); });
  } else {
    const wave::RegisterFile file = isa(lanes).register_file();
    auto results = [&](const State& s) {
      auto begin = s.registers.begin() - ptrdiff_t(file.results_begin ? wave::register_file_offset : 0);
      return std::vector<uint8_t>(begin + file.results_begin, begin + file.results_end);
    };
    compare(results(a), results(b), [&](uint32_t n) { return register_name(file.results_begin + n, lanes); });
  }
  compare(a.lds, b.lds, [](uint32_t n) { return fmt::format("LDS {:#x}", n); });
  compare(a.scratch, b.scratch,
          [&](uint32_t n) { return fmt::format("private dword {} lane {}", n / 4 / lanes, n / 4 % lanes); });
  compare(a.buffer, b.buffer, [&](uint32_t n) { return name_in_windows(n); });
  compare(a.images, b.images, [](uint32_t n) { return fmt::format("image word {}", n / 4); });
  compare(a.shared, b.shared, [](uint32_t n) { return fmt::format("GDS {:#x}, GWS behind it", n); });
  if (a.messages != b.messages) text += "  other messages\n";
  if (a.privileged != b.privileged) text += "  only one of them in the trap handler\n";
  if (lines > 10) text += fmt::format("  … {} words differ\n", lines);
  return text;
}

}  // namespace Atoll::test
