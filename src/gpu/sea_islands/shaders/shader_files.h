// Writes the programs that draws and dispatches are given into a folder (gpu/device/program_files.h). Stages that are bound count,
// whether or not the draw can be done.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/device/program_files.h"
#include "gpu/sea_islands/state/register_context.h"

namespace Atoll::sea_islands {

class ShaderFiles {
public:
  // The folder is made with the first program.
  ShaderFiles(std::string folder, std::function<void()> unwritten) : files_(std::move(folder), std::move(unwritten)) {}

  // Any thread. A failure to write is reported once, on standard error.
  void draw(const RegisterContext& c);      // of the stages that VGT_SHADER_STAGES_EN names
  void dispatch(const RegisterContext& c);  // of COMPUTE_PGM_LO

private:
  gpu::ProgramFiles files_;
  std::mutex mutex_;
  // As last seen at a place: stage, address space and address.
  std::map<std::tuple<std::string, const AddressSpace*, uint64_t>, std::vector<uint32_t>> seen_;

  template <class Stage>
  void note(const RegisterContext& c, const char* stage);
  const std::vector<uint32_t>* note(const RegisterContext& c, const char* stage, uint64_t address);
  void write(const RegisterContext& c, const char* stage, uint64_t address, const std::vector<uint32_t>& words);
};

}  // namespace Atoll::sea_islands
