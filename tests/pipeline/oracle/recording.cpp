#include "recording.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "pipeline/tiles/tile_cache.h"

namespace Atoll::pipeline::oracle {

namespace {

Outputs outputs_of(const PixelResults& results, unsigned lane) {
  Outputs o;
  for (unsigned n = 0; n < 8; n++)
    if (results.outputs >> n & ~(results.unwritten[n] >> lane) & 1) o.written |= uint8_t(1u << n);
  o.killed = results.killed >> lane & 1;
  o.has_second_source = results.has_second_source;
  o.has_depth = results.has_depth, o.has_stencil = results.has_stencil, o.has_coverage = results.has_coverage;
  for (unsigned n = 0; n < 8; n++) {
    if (results.halves[n] && (results.outputs >> n & 1)) {
      o.halves |= uint8_t(1u << n);
      o.colour[n] = {results.halves[n][0][lane], results.halves[n][1][lane], 0, 0};
    } else {
      for (unsigned c = 0; c < 4; c++) o.colour[n][c] = results.colour[n][c][lane];
    }
  }
  if (o.has_depth) o.depth = results.depth[lane];
  if (o.has_stencil) o.stencil = results.stencil[lane];
  if (o.has_coverage) o.coverage = results.coverage[lane];
  return o;
}

// A quad at a time, so that what it is given is of one primitive.
class Recorder : public PixelStage {
public:
  struct Record {
    Fragment fragment;  // z[0]: at the place that was shaded
    unsigned sample;
    Outputs outputs;
  };
  explicit Recorder(PixelStage* inner) : inner_(inner) {}
  std::vector<Record> records;

  unsigned batch_size() const override { return 4; }
  uint8_t barycentrics() const override { return inner_ ? inner_->barycentrics() : uint8_t(0); }
  bool shade(unsigned worker, const PixelBatch& batch, PixelResults& results) override {
    if (inner_ && !inner_->shade(worker, batch, results)) return false;
    std::lock_guard lock(mutex_);
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
      if (!(batch.covered >> lane & 1)) continue;
      const PrimitiveAttributes& p = batch.primitive[lane / 4];
      Record& r = records.emplace_back();
      r.fragment = {unsigned(batch.x[lane]), unsigned(batch.y[lane]), p.primitive, p.front, p.viewport, batch.coverage[lane], {}};
      r.fragment.z[0] = batch.z[lane];
      r.sample = batch.sample;
      if (inner_) r.outputs = outputs_of(results, lane);
    }
    results.outputs = 0;
    return true;
  }

private:
  PixelStage* inner_;
  std::mutex mutex_;
};

}  // namespace

std::vector<Fragment> record(const Draw& draw, Workers& workers, PixelStage* inner, std::vector<std::array<Outputs, 16>>* outputs,
                             const std::function<void(const Draw& plain)>& run_plain) {
  Draw plain = draw;
  plain.depth_stencil = {};
  plain.depth_stencil.early = false;
  plain.colour = {};
  for (ColourTarget& target : plain.targets.colour) target = {};
  plain.targets.depth = {};
  auto pass = [&](bool by_sample, PixelStage* stage) {
    auto recorder = std::make_unique<Recorder>(stage);
    plain.pixel_stage = recorder.get();
    plain.rasterization.sample_shading = by_sample;
    if (run_plain) {
      run_plain(plain);
      return std::move(recorder->records);
    }
    Counters counters;
    const std::atomic<int> stop{0};
    TileCache cache;
    run(plain, workers, cache, counters, stop);
    return std::move(recorder->records);
  };
  const Rasterization& raster = draw.rasterization;
  const unsigned samples = std::max(draw.targets.samples, 1u);
  const bool apart = samples > 1 && raster.samples > 1, shades_samples = apart && raster.sample_shading;

  // The fragments. Depth (and colours) at each sample come from a second pass, whose fragments of a pixel's sample have the
  // same order.
  std::vector<Fragment> fragments;
  auto whole = pass(false, shades_samples ? nullptr : inner);
  for (const auto& record : whole) {
    Fragment& f = fragments.emplace_back(record.fragment);
    f.z.fill(record.fragment.z[0]);
    if (outputs) outputs->emplace_back()[0] = record.outputs;
  }
  if (!apart) return fragments;
  std::map<std::array<unsigned, 3>, std::deque<size_t>> by_place;
  auto each = pass(true, shades_samples ? inner : nullptr);
  for (size_t n = 0; n < each.size(); n++) by_place[{each[n].fragment.x, each[n].fragment.y, each[n].sample}].push_back(n);
  for (size_t n = 0; n < fragments.size(); n++) {
    Fragment& f = fragments[n];
    for (unsigned s = 0; s < samples; s++) {
      if (!(f.coverage >> s & 1)) continue;
      auto& queue = by_place[{f.x, f.y, s}];
      if (queue.empty()) continue;
      f.z[s] = each[queue.front()].fragment.z[0];
      if (outputs && shades_samples) (*outputs)[n][s] = each[queue.front()].outputs;
      queue.pop_front();
    }
  }
  return fragments;
}

}  // namespace Atoll::pipeline::oracle
