// Command streams packet by packet, as text or JSON on standard output, with the buffers that they call.
#pragma once
#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "registers/stream_walk.h"

namespace Atoll::cli {

class StreamPrinter : public registers::StreamWalk {
public:
  // The buffer that a packet calls, which stays where it is; null if nobody has it.
  using Find = std::function<Buffer*(const registers::IndirectBuffer&)>;

  StreamPrinter(const char* verb, const registers::Family& family, bool json, Find find);

  // `name` is for messages; `json_name` for the packets' "buffer", if not empty.
  void print(const std::string& name, const std::string& json_name, std::span<const uint32_t> words);
  void problem(const std::string& name, size_t offset, const std::string& text) override;
  // Prints what was met and is not known. True: there was no error.
  bool summarise() const;

  // The beginning of each packet's JSON.
  nlohmann::ordered_json context = nlohmann::ordered_json::object();

private:
  struct Met {
    std::string name;
    size_t offset, times;
  };
  Buffer* find(const registers::IndirectBuffer& called) override { return find_(called); }
  void packet(const registers::StreamPacket& packet, const Place& place) override;
  void unknown(const std::string& text, const std::string& name, size_t offset);
  void count(const registers::StreamPacket& packet, const std::string& name);
  void print_json(const registers::StreamPacket& packet, const std::string& buffer);
  void print_text(const registers::StreamPacket& packet, unsigned depth);

  const char* verb_;
  const bool json_;
  const Find find_;
  std::string json_name_;
  std::map<std::string, Met> unknown_;
  std::string text_;
  bool failed_ = false;
};

}  // namespace Atoll::cli
