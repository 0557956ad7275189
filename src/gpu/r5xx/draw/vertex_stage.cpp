#include "gpu/r5xx/draw/vertex_stage.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/r5xx/draw/raster_state.h"
#include "isa/r500/registers_vs.h"

namespace Atoll::r5xx {

namespace vs = r500::vs;
using wave::Wave;

namespace {
constexpr uint32_t lanes_bytes = vs::kVertices * 4;
}

VertexStage::VertexStage(Setup setup, const RegisterFile& r, const VertexMemory& memory)
    : setup_(std::move(setup)), workers_(setup_.kept->size()) {
  auto control = r.read<VAP_PVS_CONST_CNTL>();
  uint32_t base = VAP_PVS_CONST_CNTL::PVS_CONST_BASE_OFFSET::get(control);
  uint32_t count = VAP_PVS_CONST_CNTL::PVS_MAX_CONST_ADDR::get(control) + 1;
  constants_ = std::span(memory.words).subspan((VertexMemory::first_constant + base) * 4, std::min(count, vs::kConstants) * 4);
  if (!r.get<VAP_CLIP_CNTL::CLIP_DISABLE>()) clip_planes_enabled_ = user_clip_planes(r);
  for (unsigned p = 0; p < clip_planes_.size(); p++)
    for (unsigned c = 0; c < 4; c++)
      clip_planes_[p][c] = std::bit_cast<float>(memory.words[(VertexMemory::first_clip_plane + p) * 4 + c]);
  auto round = r.read<GA_ROUND_MODE>();
  clamp_rgb_ = GA_ROUND_MODE::RGB_CLAMP::get(round) == 0;
  clamp_alpha_ = GA_ROUND_MODE::ALPHA_CLAMP::get(round) == 0;
  discard_ = discard_band_of(r);
  using FromVap = VAP_TEX_TO_COLOR_CNTL;
  clamped_textures_ = FieldList<FromVap::TEX_RGBA_CLAMP_0, FromVap::TEX_RGBA_CLAMP_1, FromVap::TEX_RGBA_CLAMP_2,
                                FromVap::TEX_RGBA_CLAMP_3, FromVap::TEX_RGBA_CLAMP_4, FromVap::TEX_RGBA_CLAMP_5,
                                FromVap::TEX_RGBA_CLAMP_6, FromVap::TEX_RGBA_CLAMP_7>::bits(r.read<FromVap>());
  const auto vte = r.read<VAP_VTE_CNTL>();
  depth_form_ = pipeline::depth_form(VAP_VTE_CNTL::VTX_XY_FMT::get(vte), VAP_VTE_CNTL::VTX_Z_FMT::get(vte),
                                     !VAP_VTE_CNTL::VTX_W0_FMT::get(vte));
}

const std::vector<uint32_t>* VertexStage::reads_at_start() const {
  return setup_.program->executor->reads_at_start(setup_.program->first_pc);
}

VertexStage::Worker& VertexStage::prepare(unsigned n) {
  Worker& worker = workers_[n];
  if (worker.inputs) return worker;
  KeptVertices& kept = (*setup_.kept)[n];
  // Clears what an earlier draw left in vectors: components that no element writes are 0.
  kept.inputs.resize(vertices_per_wave);
  for (unsigned v = 0; v < input_vectors; v++)
    if (kept.vectors_written >> v & 1)
      for (InputVectors& inputs : kept.inputs) inputs[v] = {};
  kept.vectors_written = setup_.fetcher.layout().vectors_written;
  worker.inputs = kept.inputs.data();
  if (!setup_.program) return worker;
  if (!kept.wave) kept.wave = wave::Storage(wave::register_file_offset + vs::register_file_bytes);
  Wave& w = kept.wave.reset();
  worker.wave = &w;
  w.lanes = vs::kVertices;
  w.stop_flag = &setup_.stage.queue->stop;
  w.environment = setup_.environment;
  w.inspected = setup_.program->like.inspected;
  const size_t given = std::min<size_t>(constants_.size(), setup_.program->constants * 4);
  std::memcpy(wave::bytes_of(w, vs::constant_cell(0, 0)), constants_.data(), given * 4);
  std::memset(wave::bytes_of(w, vs::constant_cell(0, 0)) + given * 4, 0, (setup_.program->constants * 4 - given) * 4);
  // Unless it is known what the program reads before it writes it, all that a draw before may have left; else outputs that are
  // looked at, in case it never writes them.
  if (!reads_at_start()) {
    std::memset(wave::bytes_of(w, vs::lanes_base), 0, wave::register_file_offset + vs::register_file_bytes - vs::lanes_base);
    return worker;
  }
  auto clear = [&](int output) {
    if (output != absent) std::memset(wave::bytes_of(w, vs::output_cell(uint32_t(output), 0)), 0, 4 * lanes_bytes);
  };
  clear(setup_.outputs.position), clear(setup_.outputs.point_size);
  for (int output : setup_.outputs.colour) clear(output);
  for (int output : setup_.outputs.texture) clear(output);
  return worker;
}

// Fetches to where the program has its inputs: in the wave; without a program they are the outputs.
bool VertexStage::fetch(Worker& worker, std::span<const uint32_t> vertices) const {
  const VertexFetcher& fetcher = setup_.fetcher;
  std::string fault;
  if (setup_.program && fetcher.has_words(vertices))
    return fetcher.fetch_words(vertices, &wave::word_of(*worker.wave, vs::input_cell(0, 0)), vs::kVertices, fault) ||
           setup_.stage.lose(fault);
  for (size_t n = 0; n < vertices.size(); n++)
    if (!fetcher.fetch(vertices[n], worker.inputs[n], fault)) return setup_.stage.lose(fault);
  if (!setup_.program) return true;
  for (unsigned v = 0; v < input_vectors; v++) {
    if (!(fetcher.layout().vectors_written >> v & 1)) continue;
    for (unsigned c = 0; c < 4; c++) {
      auto* lanes = reinterpret_cast<float*>(wave::bytes_of(*worker.wave, vs::input_cell(v, c)));
      for (size_t l = 0; l < vertices.size(); l++) lanes[l] = worker.inputs[l][v][c];
    }
  }
  return true;
}

// Shades the first `count` vertices of the wave.
bool VertexStage::run(Worker& worker, unsigned count) {
  Wave& w = *worker.wave;
  const Shader& program = *setup_.program;
  const uint32_t written = setup_.fetcher.layout().vectors_written;
  if (const auto* reads = reads_at_start()) {
    // (inputs stand first, by vector and component)
    for (uint32_t cell : *reads)
      if (cell >= vs::input_cell(input_vectors, 0) ||
          (cell >= vs::lanes_base && !(written >> (cell - vs::lanes_base) / (4 * lanes_bytes) & 1)))
        std::memset(wave::bytes_of(w, cell), 0, lanes_bytes);
  } else {
    std::memset(wave::bytes_of(w, vs::output_cell(0, 0)), 0, 16 * 4 * lanes_bytes);
    std::memset(wave::bytes_of(w, vs::temporary_cell(0, 0)), 0, program.temporaries * 4 * lanes_bytes);
  }
  wave::word_of(w, vs::predicate_cell) = 0;
  wave::word_of(w, vs::loop_index_cell) = 0;
  for (uint32_t k = 0; k < vs::kFlowOperations; k++)
    wave::word_of(w, vs::rounds_cell(k)) = wave::word_of(w, vs::outer_index_cell(k)) = wave::word_of(w, vs::called_cell(k)) = 0;
  wave::word_of(w, vs::active_cell) = count >= 32 ? ~0u : (1u << count) - 1;
  return worker.run(program, setup_.stage);
}

// `vector`(n, component): what the vertex has in vector n.
template <class Vector>
void VertexStage::hand_over(const Vector& vector, pipeline::Vertex& vertex, float* attributes) const {
  const VertexOutputs& o = setup_.outputs;
  vertex = {};
  if (o.position != absent)
    for (unsigned c = 0; c < 4; c++) vertex.position[c] = vector(o.position, c);
  pipeline::make_depth_as_xy(depth_form_, vertex.position);
  if (o.point_size != absent) vertex.point_size = vector(o.point_size, 0);
  for (unsigned p = 0; p < clip_planes_.size(); p++) {
    if (!(clip_planes_enabled_ >> p & 1)) continue;
    float distance = 0;
    for (unsigned c = 0; c < 4; c++) distance += vertex.position[c] * clip_planes_[p][c];
    vertex.clip_distance[p] = distance;
  }
  discard_.give_distances(vertex);
  auto clamp = [](float x) { return x > 0 ? std::min(x, 1.0f) : 0.0f; };
  for (unsigned n = 0; n < 4; n++) {
    if (o.colour[n] == absent) continue;
    float* attribute = attributes + o.colour_attribute[n] * 4;
    for (unsigned c = 0; c < 4; c++) {
      float value = vector(o.colour[n], c);
      attribute[c] = (c == 3 ? clamp_alpha_ : clamp_rgb_) ? clamp(value) : value;
    }
  }
  for (unsigned n = 0; n < 8; n++)
    if (o.texture[n] != absent)
      for (unsigned c = 0; c < 4; c++) {
        const float value = vector(o.texture[n], c);
        attributes[o.texture_attribute[n] * 4 + int(c)] = clamped_textures_ >> n & 1 ? clamp(value) : value;
      }
}

bool VertexStage::shade(unsigned n, const pipeline::VertexBatch& batch, pipeline::Vertex* vertices, float* attributes) {
  Worker& worker = prepare(n);
  const unsigned per_vertex = attribute_count() * 4;
  for (size_t first = 0; first < batch.number.size(); first += vertices_per_wave) {
    unsigned count = unsigned(std::min<size_t>(vertices_per_wave, batch.number.size() - first));
    if (!fetch(worker, batch.number.subspan(first, count))) return false;
    if (setup_.program && !run(worker, count)) return false;
    for (unsigned v = 0; v < count; v++) {
      float* own = attributes + (first + v) * per_vertex;
      if (setup_.program) {
        Wave& w = *worker.wave;
        hand_over(
            [&](int vector, unsigned c) {
              return reinterpret_cast<const float*>(wave::bytes_of(w, vs::output_cell(uint32_t(vector), c)))[v];
            },
            vertices[first + v], own);
      } else {
        hand_over([&](int vector, unsigned c) { return worker.inputs[v][size_t(vector)][c]; }, vertices[first + v], own);
      }
      if (const uint32_t number = batch.number[first + v]; number < setup_.edges.size())
        vertices[first + v].edge = setup_.edges[number];
    }
  }
  return true;
}

}  // namespace Atoll::r5xx
