// Scenes of Sea Islands (pm4_scene.h).
#pragma once
#include "gpu/sea_islands/device.h"
#include "pm4_scene.h"
#include "registers/sea_islands.h"

namespace Atoll::ledger {

const Pm4Family& sea_islands_family();

class SeaIslandsScene : public Pm4Scene {
public:
  explicit SeaIslandsScene(std::string name, gpu::QueueKind kind = gpu::QueueKind::graphics)
      : Pm4Scene(sea_islands_family(), std::move(name), kind) {}
};

std::vector<std::unique_ptr<Scene>> sea_islands_scenes();

}  // namespace Atoll::ledger
