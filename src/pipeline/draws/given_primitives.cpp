#include "pipeline/draws/given_primitives.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "pipeline/draws/fill.h"
#include "pipeline/draws/front_end.h"
#include "pipeline/pixel_watch.h"

namespace Atoll::pipeline {

GivenDraw::GivenDraw(const Draw& draw, Workers& workers, const std::atomic<int>& stop, std::atomic<uint64_t>* progress)
    : draw_(draw), workers_(workers), stop_(stop), progress_(progress) {
  if (draw_waiting(workers)) hold_or_begin();
}

GivenDraw::GivenDraw(std::unique_ptr<WaitingDraw> draw, Workers& workers, const std::atomic<int>& stop,
                     std::atomic<uint64_t>* progress)
    : waiting_(std::move(draw)), draw_(waiting_->draw), workers_(workers), stop_(stop), progress_(progress) {
  hold_or_begin();
}

void GivenDraw::hold_or_begin() {
  if (PixelWatch* watch = workers_.watched()) {
    // (Where a draw before has failed, this one is not begun.)
    if (write_back(workers_)) watch->begin(draw_.targets, &draw_), begin();
    return;
  }
  if (!may_fill_given(draw_)) return begin();
  GivenGroup& group = workers_.storage().group;
  group.vertices.clear(), group.primitives.clear();
  held_ = Held::open, good_ = true;
}

void GivenDraw::begin() {
  Storage& storage = workers_.storage();
  held_ = Held::no;
  scene_draw_ = &storage.scene.begin(draw_, waiting_ != nullptr, stop_, progress_);
  front_ = std::make_unique<FrontEnd>(*scene_draw_, storage.scene, storage.tile_cache, workers_, waiting_ ? waiting_->state : 0);
  good_ = front_->begin();
}

void GivenDraw::give_held_vertices() {
  begin();
  const GivenGroup& group = workers_.storage().group;
  const GivenVertices given = vertices(group.vertices.size());
  std::ranges::copy(group.vertices, given.vertices.begin());
  std::copy_n(group.attributes.begin(), group.vertices.size() * draw_.attribute_count() * 4, given.attributes);
}

bool GivenDraw::give_held() {
  give_held_vertices();
  return add(workers_.storage().group.primitives);
}

GivenVertices GivenDraw::vertices(size_t count) {
  if (held_ == Held::open && count <= most_filled_vertices) {
    GivenGroup& group = workers_.storage().group;
    group.vertices.assign(count, {});
    group.attributes.resize((count + spare_vertices) * draw_.attribute_count() * 4);
    return {group.vertices, group.attributes.data()};
  }
  if (held_ == Held::open)
    begin();
  else if (held_ == Held::closed)
    give_held();
  if (!scene_draw_) return {};
  const std::span<Vertex> vertices = front_->open_group(count, spare_vertices);
  return {vertices, front_->attributes()};
}

bool GivenDraw::add(std::span<const Assembled> primitives, std::span<const PrimitiveValues> values, const float* own,
                    unsigned own_attributes) {
  if (held_ == Held::open) {
    if (primitives.size() <= most_filled_primitives && values.empty() && !own) {
      workers_.storage().group.primitives.assign(primitives.begin(), primitives.end());
      held_ = Held::closed;
      return true;
    }
    give_held_vertices();
  } else if (held_ == Held::closed) {
    give_held();
  }
  if (!scene_draw_) return false;
  assert(values.empty() || values.size() == primitives.size());
  const size_t floats = size_t(own_attributes) * 4;
  if (own) {  // they stand with the vertices' until pixels are drawn
    float* kept = workers_.storage().scene.begin_segment(primitives.size() * floats);
    std::memcpy(kept, own, primitives.size() * floats * sizeof(float));
    own = kept;
  }
  return good_ = front_->close_group(primitives, values, own, unsigned(floats)) && good_;
}

bool GivenDraw::add(const Segment& segment) {
  if (!scene_draw_) return false;
  const GivenVertices given = vertices(segment.number.size());
  const size_t batch = std::clamp<size_t>(draw_.vertex_stage->batch_size(), 1, spare_vertices);
  front_->shade(segment, batch, given.vertices.data(), given.attributes, [](std::span<const Vertex>, size_t) {});
  return add(segment.primitives);
}

void GivenDraw::close(bool good, Counters& counters) {
  Storage& storage = workers_.storage();
  if (held_ == Held::closed && good) {
    Counters of_fill;
    if (const std::optional<bool> fill = fill_given(draw_, storage.group, workers_, of_fill, stop_, progress_)) {
      held_ = Held::no;
      good_ = draw_waiting(workers_) && *fill;
      if (waiting_)
        waiting_->finished(of_fill, good_);
      else
        counters += of_fill;
      if (!waiting_ && !draw_.stays_open) write_back(workers_);
      return;
    }
    good = give_held();
  } else if (held_ != Held::no) {
    begin();
  }
  if (!scene_draw_) return;
  SceneDraw& d = *std::exchange(scene_draw_, nullptr);
  good = front_->end() && good;
  front_.reset();
  if (PixelWatch* watch = d.watch) {
    good_ = storage.scene.flush(storage.tile_cache, workers_, true) && good && !d.stopped();
    storage.scene.drop(d);
    watch->end();
    if (waiting_)
      waiting_->finished(d.counters, good_);
    else
      counters += d.counters;
    return;
  }
  if (waiting_ && good) {
    good_ = storage.scene.end(d, std::move(waiting_), storage.tile_cache, workers_);
    return;
  }
  good_ = storage.scene.flush(storage.tile_cache, workers_, false) && good && !d.stopped();
  storage.scene.drop(d);
  if (waiting_)
    waiting_->finished(d.counters, false);
  else
    counters += d.counters;
  if (!waiting_ && !draw_.stays_open) write_back(workers_);
}

bool GivenDraw::end(Counters& counters) {
  close(good_, counters);
  return good_;
}

GivenDraw::~GivenDraw() {
  Counters dropped;
  close(false, dropped);
}

VertexCache& GivenDraw::cache() { return workers_.storage().cache; }

}  // namespace Atoll::pipeline
