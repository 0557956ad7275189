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
  void code(const std::vector<std::string>& lines);
  void constants(const std::vector<float>& values);  // four each
  // A vertex program that hands on its inputs, and a viewport for clip space.
  void vertex_engine();
  void finish();
  bool differs(const Change& change) override;
  std::vector<std::string> unknown(const Change& change, bool strict) override;

  r5xx::test::Scene s;
  r5xx::test::Stream& w = s.stream;

private:
  bool run(const std::vector<uint32_t>& words, std::string& report);
  std::vector<uint32_t> changed(const Change& change);
  void save(std::vector<uint8_t>& to) const;
  void load(const std::vector<uint8_t>& from);

  std::vector<Buffer> buffers_;
  Buffer commands_;
  std::map<uint32_t, uint32_t> reset_;
  std::vector<uint8_t> before_, after_, now_;
  bool lost_ = false;
};

std::vector<std::unique_ptr<Scene>> r5xx_scenes();

}  // namespace Atoll::ledger
