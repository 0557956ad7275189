// Scenes of R5xx: what tests/gpu/r5xx/scene.h builds, run again and again.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "sweep.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::ledger {

class R5xxScene : public Scene {
public:
  explicit R5xxScene(std::string name, std::string_view chip = "r580");

  Buffer allocate(uint32_t bytes);
  // The pixel shader, an instruction a line.
  void code(const std::vector<std::string>& lines, uint32_t first = 0);
  void constants(const std::vector<float>& values);  // four each
  // A target of four floats a pixel, which clamps and rounds nothing.
  void float_target();
  // A vertex program in the place of what was, an instruction a line,
  void vertex_code(const std::vector<std::string>& lines);
  void vertex_constants(const std::vector<float>& values);
  // A vertex program that hands on its inputs, and a viewport for clip space.
  void vertex_engine();
  void finish();
  bool differs(const Change& change) override;
  bool keeps_old_state(const Change& change) override;
  std::vector<std::string> unknown(const Changes& changes, bool strict) override;

  r5xx::test::Scene s;
  r5xx::test::Stream& w = s.stream;

private:
  bool run(const std::vector<uint32_t>& words, std::string& report);
  // Gives packets that come before the change and a draw that is a packet of its own.
  using BeforeDraw = std::vector<uint32_t> (*)(const std::vector<uint32_t>& draw);
  static std::vector<uint32_t> changed(const std::vector<uint32_t>& stream, const Change& change,
                                       const std::map<uint32_t, uint32_t>& reset, BeforeDraw before_draw = nullptr);
  void save(std::vector<uint8_t>& to) const;
  void load(const std::vector<uint8_t>& from);

  std::vector<Buffer> buffers_;
  Buffer commands_;
  std::map<uint32_t, uint32_t> reset_;
  std::vector<uint8_t> before_, after_, now_;
  bool lost_ = false;
};

std::vector<std::unique_ptr<Scene>> r5xx_scenes();

// By subject, each in its file.
using R5xxScenes = std::vector<std::unique_ptr<Scene>>;
void add_pixel_scenes(R5xxScenes& all);
void add_texture_scenes(R5xxScenes& all);
void add_vertex_scenes(R5xxScenes& all);
void add_immediate_scenes(R5xxScenes& all);
void add_input_scenes(R5xxScenes& all);
void add_depth_scenes(R5xxScenes& all);
void add_ring_scenes(R5xxScenes& all);
std::vector<r5xx::test::Point> corners();

}  // namespace Atoll::ledger
