// Draws whose vertices are given (pipeline/draws/given_primitives.h) beside the oracle: their groups are kept until the draw ends, drawn
// without targets for its fragments, and then go the way that they would have gone. The linker puts all this before the functions of
// GivenDraw (--wrap).
#include <optional>
#include <vector>

#include "draw_check.h"
#include "pipeline/draws/given_primitives.h"

// NOLINTBEGIN: the linker's names of GivenDraw's functions
using namespace Atoll::pipeline;
using Stop = std::atomic<int>;
using Progress = std::atomic<uint64_t>;

#define CONSTRUCTOR _ZN5Atoll8pipeline9GivenDrawC1ERKNS0_4DrawERNS0_7WorkersERKSt6atomicIiEPS7_ImE
#define CONSTRUCTOR_OF_WAITING \
  _ZN5Atoll8pipeline9GivenDrawC1ESt10unique_ptrINS0_11WaitingDrawESt14default_deleteIS3_EERNS0_7WorkersERKSt6atomicIiEPS9_ImE
#define DESTRUCTOR _ZN5Atoll8pipeline9GivenDrawD1Ev
#define VERTICES _ZN5Atoll8pipeline9GivenDraw8verticesEm
#define ADD \
  _ZN5Atoll8pipeline9GivenDraw3addESt4spanIKNS0_9AssembledELm18446744073709551615EES2_IKNS0_15PrimitiveValuesELm18446744073709551615EEPKfj
#define END _ZN5Atoll8pipeline9GivenDraw3endERNS0_8CountersE
#define CACHE _ZN5Atoll8pipeline9GivenDraw5cacheEv
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define REAL(name) JOIN(__real_, name)
#define WRAP(name) JOIN(__wrap_, name)

extern "C" {
void REAL(CONSTRUCTOR)(GivenDraw*, const Draw&, Workers&, const Stop&, Progress*);
void REAL(CONSTRUCTOR_OF_WAITING)(GivenDraw*, std::unique_ptr<WaitingDraw>, Workers&, const Stop&, Progress*);
void REAL(DESTRUCTOR)(GivenDraw*);
GivenVertices REAL(VERTICES)(GivenDraw*, size_t);
bool REAL(ADD)(GivenDraw*, std::span<const Assembled>, std::span<const PrimitiveValues>, const float*, unsigned);
bool REAL(END)(GivenDraw*, Counters&);
VertexCache& REAL(CACHE)(GivenDraw*);
}

namespace {

struct Group {
  std::vector<Vertex> vertices;
  std::vector<float> attributes, own;
  std::vector<Assembled> primitives;
  std::vector<PrimitiveValues> values;
  unsigned own_attributes = 0;
};

// The draw whose groups are kept. Only one is open at a time.
struct Kept {
  GivenDraw* self;
  const Draw* draw;
  std::unique_ptr<WaitingDraw> waiting;
  Workers* workers;
  const Stop* stop;
  Progress* progress;
  std::vector<Group> groups;
  VertexCache cache;
};
std::unique_ptr<Kept> kept;
bool is_kept(const GivenDraw* self) { return kept && kept->self == self; }
bool keeps() {
  const auto& check = Atoll::random_states::draw_check();
  return check.enabled && check.given;
}

void give(const std::vector<Group>& groups, GivenDraw& to) {
  for (const Group& g : groups) {
    const GivenVertices room = REAL(VERTICES)(&to, g.vertices.size());
    if (room.vertices.size() < g.vertices.size()) return;
    std::ranges::copy(g.vertices, room.vertices.begin());
    if (room.attributes) std::ranges::copy(g.attributes, room.attributes);
    REAL(ADD)(&to, g.primitives, g.values, g.own.empty() ? nullptr : g.own.data(), g.own_attributes);
  }
}

}  // namespace

extern "C" {
void WRAP(CONSTRUCTOR)(GivenDraw* self, const Draw& draw, Workers& workers, const Stop& stop, Progress* progress) {
  if (!keeps()) return REAL(CONSTRUCTOR)(self, draw, workers, stop, progress);
  kept = std::make_unique<Kept>(Kept{self, &draw, nullptr, &workers, &stop, progress, {}, {}});
}
void WRAP(CONSTRUCTOR_OF_WAITING)(GivenDraw* self, std::unique_ptr<WaitingDraw> draw, Workers& workers, const Stop& stop,
                                  Progress* progress) {
  if (!keeps()) return REAL(CONSTRUCTOR_OF_WAITING)(self, std::move(draw), workers, stop, progress);
  const Draw* of = &draw->draw;
  kept = std::make_unique<Kept>(Kept{self, of, std::move(draw), &workers, &stop, progress, {}, {}});
}
void WRAP(DESTRUCTOR)(GivenDraw* self) {
  if (is_kept(self)) return kept.reset();  // it was never made
  REAL(DESTRUCTOR)(self);
}
VertexCache& WRAP(CACHE)(GivenDraw* self) { return is_kept(self) ? kept->cache : REAL(CACHE)(self); }
GivenVertices WRAP(VERTICES)(GivenDraw* self, size_t count) {
  if (!is_kept(self)) return REAL(VERTICES)(self, count);
  Group& g = kept->groups.emplace_back();
  g.vertices.resize(count);
  // (At least one float, so that there is a place to write to.)
  g.attributes.resize((count + GivenDraw::spare_vertices) * kept->draw->attribute_count() * 4 + 1);
  return {g.vertices, g.attributes.data()};
}
bool WRAP(ADD)(GivenDraw* self, std::span<const Assembled> primitives, std::span<const PrimitiveValues> values, const float* own,
               unsigned own_attributes) {
  if (!is_kept(self)) return REAL(ADD)(self, primitives, values, own, own_attributes);
  Group& g = kept->groups.back();
  g.attributes.resize(g.vertices.size() * kept->draw->attribute_count() * 4);
  g.primitives.assign(primitives.begin(), primitives.end()), g.values.assign(values.begin(), values.end());
  if (own) g.own.assign(own, own + primitives.size() * own_attributes * 4);
  g.own_attributes = own_attributes;
  return true;
}
bool WRAP(END)(GivenDraw* self, Counters& counters) {
  if (!is_kept(self)) return REAL(END)(self, counters);
  const std::unique_ptr<Kept> own = std::move(kept);
  const Draw draw = *own->draw;
  auto plain = [&](const Draw& without_targets) {
    alignas(GivenDraw) unsigned char place[sizeof(GivenDraw)];
    auto* given = reinterpret_cast<GivenDraw*>(place);
    const Stop stop{0};
    Counters ignored;
    REAL(CONSTRUCTOR)(given, without_targets, *own->workers, stop, nullptr);
    give(own->groups, *given);
    REAL(END)(given, ignored);
    REAL(DESTRUCTOR)(given);
  };
  Counters counted;
  auto run = [&] {
    if (own->waiting) REAL(CONSTRUCTOR_OF_WAITING)
    (self, std::make_unique<Atoll::random_states::CountedDraw>(std::move(own->waiting), counted), *own->workers, *own->stop,
     own->progress);
    else REAL(CONSTRUCTOR)(self, *own->draw, *own->workers, *own->stop, own->progress);
    give(own->groups, *self);
    return REAL(END)(self, counted);
  };
  const bool waits = own->waiting != nullptr;
  const bool good = Atoll::random_states::checked(draw, *own->workers, counted, run, plain);
  if (!waits) counters += counted;
  return good;
}
}
// NOLINTEND
