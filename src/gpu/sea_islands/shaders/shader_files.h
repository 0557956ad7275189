// Writes the programs that draws and dispatches are given into a folder, each once: its words as they stand in memory
// (CHIP-STAGE-HASH.bin) and as text (.s). Stages that are bound count, whether or not the draw can be done.
#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "gpu/sea_islands/context.h"

namespace Atoll::sea_islands {

class ShaderFiles {
public:
  // The folder is made with the first program.
  explicit ShaderFiles(std::string folder) : folder_(std::move(folder)) {}

  // Any thread. What cannot be written is said once, on standard error.
  void draw(const Context& c);      // of the stages that VGT_SHADER_STAGES_EN names
  void dispatch(const Context& c);  // of COMPUTE_PGM_LO

private:
  const std::string folder_;
  std::mutex mutex_;
  bool failed_ = false;
  std::set<std::string> written_;  // names of files without their ends
  // As last seen at a place: stage, address space and address.
  std::map<std::tuple<std::string, const AddressSpace*, uint64_t>, std::vector<uint32_t>> seen_;

  template <class Stage>
  void note(const Context& c, const char* stage);
  const std::vector<uint32_t>* note(const Context& c, const char* stage, uint64_t address);
  void write(const Context& c, const char* stage, uint64_t address, const std::vector<uint32_t>& words);
};

}  // namespace Atoll::sea_islands
