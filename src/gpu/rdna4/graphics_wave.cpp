#include "gpu/rdna4/graphics_wave.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "gpu/amd/images.h"
#include "gpu/rdna4/image_descriptors.h"
#include "gpu/rdna4/target.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/registers.h"
#include "isa/rdna4/watched.h"
#include "wave/environment.h"
#include "wave/executor.h"
#include "wave/storage.h"
#include "wave/work_group.h"

namespace Atoll::rdna4 {
namespace {

constexpr size_t most_waves =
    16;  // waves in a group: 4 bits of a geometry wave's s3, 5 of a hull wave's, of which 1024 lanes use half
constexpr uint32_t most_lds = 65536;
constexpr uint32_t dealloc_vgprs = 3;  // a hint, which compiled code does not even send
constexpr size_t most_rows = 1 << 16;  // exports with rows that are kept: a program that makes more has lost its way

// The waves' view of the GPU around them.
class GraphicsEnvironment : public wave::Environment {
public:
  GraphicsEnvironment(AddressSpace& space, size_t waves)
      : rows(waves), space_(space), images_(space, reports_, image_descriptors()) {}
  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return space_.contains(address, bytes, writable);
  }
  uint64_t clock() override { return ++ticks_; }
  uint64_t message(wave::Wave& wave, uint32_t message, uint32_t m0) override {
    if (message != dealloc_vgprs && messages.size() < most_rows) messages.push_back({wave.index, message, m0});
    return 0;
  }
  // There is no table of border colours: samplers that name one of its entries are reported.
  void image(wave::Wave&, wave::ImageAccess& access) override { images_.access(access, ~uint64_t(0xfff)); }
  const wave::SampledTexture* sampled_texture(const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                              wave::TextureUse use) override {
    return images_.sampled(resource, sampler, slot, use);
  }
  const wave::TextureSlots& texture_slots() const { return images_.texture_slots(); }
  std::vector<gpu::Statistics::Unknown> unknowns() const { return reports_.unknowns(); }
  bool export_row(wave::Wave& wave, const wave::RowExport& row) override {
    if (rows[wave.index].size() >= most_rows) return false;
    rows[wave.index].push_back(rdna4::row_export(row, wave.lanes));
    return true;
  }
  std::vector<GraphicsMessage> messages;
  std::vector<std::vector<Export>> rows;  // by wave

private:
  AddressSpace& space_;
  gpu::Reports reports_{false};
  gpu::amd::Images images_;
  uint64_t ticks_ = 0;
};

class GroupRun {
public:
  GroupRun(const GraphicsGroup& group, AddressSpace& space, const hsa::RunOptions& options)
      : group_(group), space_(space), options_(options), environment_(space, group.waves.size()) {}

  Expected<GraphicsResult> run() {
    if (auto done = check(); !done) return std::unexpected(done.error());
    if (auto done = prepare(); !done) return std::unexpected(done.error());
    auto* words = reinterpret_cast<const uint32_t*>(space_.host(group_.code_start));
    const std::vector<uint32_t> code(words, words + group_.code_bytes / 4);  // what is decoded must not change
    wave::Program program(isa(group_.wave_size, {}, reads_exceptions(code) ? Exceptions::watched : Exceptions::unseen),
                          group_.code_start, code);
    wave::Wave like;
    like.lanes = group_.wave_size, like.window_bytes = space_.size(), like.inspected = false, like.exports = true;
    like.flat_shared_high = target().shared_aperture_high, like.flat_private_high = target().private_aperture_high;
    wave::Executor executor(program, options_.engine, like, {.findings = options_.findings});
    if (std::string why = executor.error(); !why.empty()) return fail("{}", why);
    wave::WorkGroup together;
    for (wave::Wave* w : waves_) w->group = &together;
    const auto end = executor.run_group(together, waves_);
    if (std::string why = executor.error(); !why.empty()) return fail("{}", why);
    return collect(end);
  }

private:
  const GraphicsGroup& group_;
  AddressSpace& space_;
  const hsa::RunOptions& options_;
  GraphicsEnvironment environment_;
  std::atomic<int> own_stop_{0};
  wave::StorageBytes storage_, scratch_;
  std::vector<uint8_t> lds_;
  std::vector<wave::Wave*> waves_;

  Expected<void> check() {
    if (group_.wave_size != 32 && group_.wave_size != 64) return fail("waves of {} lanes: 32 or 64", group_.wave_size);
    if (group_.waves.empty() || group_.waves.size() > most_waves)
      return fail("{} waves in a group: 1 to {}", group_.waves.size(), most_waves);
    const bool pixels = std::holds_alternative<PixelStart>(group_.waves[0].start);
    for (const GraphicsWave& w : group_.waves)
      if (w.start.index() != group_.waves[0].start.index()) return fail("a group has waves of one stage");
    if (pixels && group_.waves.size() > 1) return fail("a pixel wave is alone in its group");
    if (group_.code_start & 3 || !space_.contains(group_.code_start, group_.code_bytes))
      return fail("not all of the code is in memory, {} bytes at {:#x}", group_.code_bytes, group_.code_start);
    return {};
  }

  Expected<void> prepare() {
    uint64_t lds_bytes = std::max<uint64_t>(group_.lds_bytes, group_.lds.size());
    const auto* pixel = std::get_if<PixelStart>(&group_.waves[0].start);
    if (pixel) lds_bytes = std::max(lds_bytes, parameter_bytes(*pixel, group_.wave_size));
    if (lds_bytes > most_lds) return fail("{} bytes of LDS: at most {}", lds_bytes, most_lds);
    lds_.assign(lds_bytes, 0);
    std::copy(group_.lds.begin(), group_.lds.end(), lds_.begin());
    if (pixel)
      if (auto done = place_parameters(*pixel, group_.wave_size, lds_); !done) return done;
    const bool wide = group_.wave_size == 64;
    const size_t bytes = (wave::register_file_offset + rdna4::register_file_bytes(wide) + 127) / 128 * 128;
    const size_t scratch = size_t(group_.scratch_bytes) * group_.wave_size;
    storage_ = wave::allocate_storage(bytes * group_.waves.size());
    scratch_ = wave::allocate_storage(scratch * group_.waves.size());
    std::memset(scratch_.get(), 0, scratch * group_.waves.size());
    for (size_t n = 0; n < group_.waves.size(); n++) {
      const GraphicsWave& from = group_.waves[n];
      auto state = graphics_state(from.start, from.user_sgprs, group_.wave_size, from.exec, group_.skip_export);
      if (!state) return std::unexpected(state.error());
      auto& w = *new (storage_.get() + bytes * n) wave::Wave;
      // Registers that the hardware leaves as they were are zero, so that the same group gives the same bits.
      std::memset(wave::bytes_of(w, wave::register_file_offset), 0, rdna4::register_file_bytes(wide));
      w.window = space_.base(), w.window_bytes = space_.size();
      w.lds = lds_.data(), w.lds_bytes = uint32_t(lds_.size());
      w.scratch = scratch_.get() + scratch * n, w.scratch_bytes = group_.scratch_bytes;
      w.stop_flag = options_.stop ? options_.stop : &own_stop_;
      w.environment = &environment_, w.textures = &environment_.texture_slots();
      w.lanes = group_.wave_size, w.index = uint32_t(n), w.inspected = false;
      w.pc = group_.entry;
      w.flat_shared_high = target().shared_aperture_high, w.flat_private_high = target().private_aperture_high;
      wave::word_of(w, mode_cell) = group_.mode;
      wave::word_of(w, vgpr_count_cell) = kVgprCount;
      wave::word_of(w, lds_allocation_cell) = uint32_t(lds_.size());
      write_state(*state, w);
      waves_.push_back(&w);
    }
    return {};
  }

  GraphicsResult collect(const wave::Executor::GroupEnd& end) {
    GraphicsResult result;
    for (size_t n = 0; n < waves_.size(); n++) {
      wave::Wave& w = *waves_[n];
      result.exports.push_back(group_.skip_export ? std::vector<Export>() : exports_of(w, std::move(environment_.rows[n])));
      result.compiled += w.compiled, result.called += w.called, result.interpreted += w.interpreted;
    }
    result.messages = std::move(environment_.messages);
    result.lds = lds_;
    for (const auto& unknown : environment_.unknowns()) result.unknown.push_back(unknown.what);
    if (end.stop == wave::Stop::Interrupted) {
      result.stopped = true;
    } else if (end.stop != wave::Stop::End) {
      wave::Wave& w = *waves_[end.wave];
      w.stop = end.stop;
      result.fault = gpu::fault_of(w, group_.code_start);
    }
    return result;
  }
};

}  // namespace

Expected<GraphicsResult> run_graphics(const GraphicsGroup& group, AddressSpace& space, const hsa::RunOptions& options) {
  Expected<GraphicsResult> result;
  // GPU code runs on Atoll's own threads only (fault handling, signal mask, MXCSR).
  std::thread([&] { result = GroupRun(group, space, options).run(); }).join();
  return result;
}

}  // namespace Atoll::rdna4
