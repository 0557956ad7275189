// Batches of Intel's command streamers command by command, as text or JSON on standard output, with the batches that they call and
// chain to.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "registers/batch_walk.h"

namespace Atoll::cli {

class BatchPrinter : public registers::BatchWalk {
public:
  BatchPrinter(const char* verb, const registers::Family& family, bool json) : BatchWalk(family), verb_(verb), json_(json) {}

  void problem(const std::string& name, uint64_t address, const std::string& text) override;
  // True if there was no error.
  bool summarise() const;

  // The beginning of each command's JSON.
  nlohmann::ordered_json context = nlohmann::ordered_json::object();

private:
  void command(const registers::Command& row, uint64_t address, std::span<const uint32_t> words, size_t depth) override;

  const char* verb_;
  const bool json_;
  uint64_t commands_ = 0, problems_ = 0;
};

}  // namespace Atoll::cli
