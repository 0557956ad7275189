// Parts of GFX12's scenes: programs that show what their waves were given, the state of a draw through NGG.
#pragma once
#include "gpu/gfx12/device.h"
#include "registers/gfx12.h"
#include "scene_vertices.h"

namespace Atoll::ledger {

using namespace gfx12;

const Pm4Family& gfx12_family();

class Gfx12Scene : public Pm4Scene {
public:
  explicit Gfx12Scene(std::string name, gpu::QueueKind kind = gpu::QueueKind::graphics)
      : Pm4Scene(gfx12_family(), std::move(name), kind) {}

  using Lines = std::vector<std::string>;
  // Lines that store, for each lane, the first `vgprs` VGPRs, the first `sgprs` SGPRs, the hardware's own registers, at `to`. They change
  // v60 to v62, s94 to s96. Lanes are 512 bytes apart.
  static Lines dump_lines(uint64_t to, unsigned vgprs, unsigned sgprs);
  static constexpr uint32_t dump_bytes = 64 * 512;
};

// One target of 64 x 16 pixels of 8_8_8_8 and one of 16_16_16_16_FLOAT; waves of 32 lanes.
class Gfx12DrawScene : public Gfx12Scene {
public:
  explicit Gfx12DrawScene(std::string name);

  // A vertex program that hands on what a table has: position, the miscellaneous vector, eight distances; three attributes.
  uint64_t table_program() { return program(table_lines()); }
  static Lines table_lines();
  // Loads attribute `n`'s channel into the VGPR `to`, interpolated at v0, v1.
  static Lines interpolated(unsigned to, unsigned attribute, char channel, unsigned i = 0);
  // Interpolates two attributes, exports them, places and faces to two targets. Its inputs are 0x1f02.
  uint64_t plain_pixel();
  void vertices(const std::vector<Vertex>& all);
  // State of a draw of all this.
  void begin(uint64_t vertex, uint64_t pixel);
  void pixel_program(uint64_t address);
  void one_target(uint32_t format = SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
  void bind_colour(unsigned n, uint64_t address, uint32_t format, uint32_t number, unsigned across = width,
                   unsigned down = height, uint32_t log_samples = 0, uint32_t mode = 1);
  void bind_depth(uint32_t format = 3, bool stencil = true);
  void draw(uint32_t type, uint32_t count);
  void draw_indexed(uint32_t type, const std::vector<uint16_t>& indices);
  // Counts of samples and of the pipeline into memory.
  void counters();

  uint64_t colour = 0, second = 0, depth = 0, stencil = 0, table = 0, tables = 0, ring = 0;

private:
  void output_of(uint32_t type);
};

using Gfx12Scenes = std::vector<std::unique_ptr<Scene>>;
Gfx12Scenes gfx12_scenes();

// Scenes of one kind, a file each.
void add_draw_scenes(Gfx12Scenes& all);
void add_sample_scenes(Gfx12Scenes& all);
void add_stage_scenes(Gfx12Scenes& all);
void add_compute_scenes(Gfx12Scenes& all);
void add_image_scenes(Gfx12Scenes& all);

}  // namespace Atoll::ledger
