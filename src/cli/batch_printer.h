// Batches of Intel's command streamers command by command, as text or JSON on standard output, with the batches that they call and
// chain to.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "registers/tables.h"

namespace Atoll::cli {

class BatchPrinter {
public:
  // Brings dwords of memory; false where they are not there.
  using Read = std::function<bool(uint64_t address, uint32_t* to, uint32_t dwords)>;

  BatchPrinter(const char* verb, const registers::Family& family, bool json) : verb_(verb), family_(family), json_(json) {}

  // From `address` on, `dwords` at most before it goes elsewhere. `name` is for messages, `engine` "render" or "blitter".
  void print(const std::string& name, uint64_t address, uint64_t dwords, std::string_view engine, const Read& read);
  void problem(const std::string& name, uint64_t address, const std::string& text);
  // Whether there was no error.
  bool summarise() const;

  // What each command's JSON begins with.
  nlohmann::ordered_json context = nlohmann::ordered_json::object();

private:
  struct Frame {
    uint64_t address, end;
  };
  void print_command(const registers::Command& row, uint64_t address, const uint32_t* words, uint32_t dwords, size_t depth) const;
  // Where the stream goes on behind a command; false: nowhere.
  bool follow(const registers::Command& row, const uint32_t* words, std::vector<Frame>& frames);

  const char* verb_;
  const registers::Family& family_;
  const bool json_;
  std::set<uint64_t> begun_;  // batches of the stream at hand that were printed
  uint64_t commands_ = 0, problems_ = 0;
};

}  // namespace Atoll::cli
