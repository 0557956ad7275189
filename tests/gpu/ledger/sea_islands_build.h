// Parts of Sea Islands' scenes: programs that show what their waves were given, the state of a draw.
#pragma once
#include "scene_vertices.h"
#include "sea_islands_scene.h"

namespace Atoll::ledger {

using namespace sea_islands;

// Lines that store, for each lane, the first `vgprs` VGPRs, the first `sgprs` SGPRs, the hardware's own registers, s97, at `to`.
// They change v48 to v63, s96 and up, VCC. Lanes are 512 bytes apart.
std::vector<std::string> dump_lines(uint64_t to, unsigned vgprs, unsigned sgprs);
inline constexpr uint32_t dump_bytes = 64 * 512;

// One target of 64 x 16 pixels, a vertex program that takes everything from a table in memory, a pixel program.
class DrawScene : public SeaIslandsScene {
public:
  explicit DrawScene(std::string name);

  // A vertex program: position, the miscellaneous vector, eight distances, three parameters. s[0:1] have the table's address.
  uint64_t table_program() { return program(table_lines()); }
  static std::vector<std::string> table_lines();
  // Interpolates two parameters, exports them to two targets.
  uint64_t plain_pixel();
  void vertices(const std::vector<Vertex>& all);
  // State of a draw of all this.
  void begin(uint64_t vertex, uint64_t pixel);
  void bind_depth(uint32_t format = 3, bool stencil = true);
  void draw(uint32_t type, uint32_t count);
  void draw_indexed(uint32_t type, const std::vector<uint16_t>& indices);
  // Counts of occlusion, of the pipeline and of stream-out, into memory.
  void counters();
  // A trap handler that stores what it is given, for the program's `lines` to begin with, and the registers that name it.
  void trap(uint32_t tba_lo);

  uint64_t colour = 0, second = 0, depth = 0, stencil = 0, table = 0;
};

// Scenes of one kind, a file each.
void add_stage_scenes(std::vector<std::unique_ptr<Scene>>& all);
void add_compute_scenes(std::vector<std::unique_ptr<Scene>>& all);
void add_sample_scenes(std::vector<std::unique_ptr<Scene>>& all);
void add_image_scenes(std::vector<std::unique_ptr<Scene>>& all);
void add_group_scenes(std::vector<std::unique_ptr<Scene>>& all);
void add_onchip_scenes(std::vector<std::unique_ptr<Scene>>& all);

}  // namespace Atoll::ledger
