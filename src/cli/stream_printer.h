// Command streams packet by packet, as text or JSON on standard output, with the buffers that they call.
#pragma once
#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "registers/pm4.h"

namespace Atoll::cli {

class StreamPrinter {
public:
  struct Buffer {
    std::string name;
    std::vector<uint32_t> words;
    bool active = false;  // being printed
  };
  // The buffer that a packet calls, which stays where it is; null if nobody has it.
  using Find = std::function<Buffer*(const registers::IndirectBuffer&)>;

  StreamPrinter(const char* verb, const registers::Family& family, bool json, Find find)
      : verb_(verb), family_(family), json_(json), find_(std::move(find)) {}

  // `name` is for messages; `json_name` for the packets' "buffer", if not empty.
  void print(const std::string& name, const std::string& json_name, std::span<const uint32_t> words, unsigned depth = 0);
  // Something that is wrong, at an offset in dwords.
  void problem(const std::string& name, size_t offset, const std::string& text);
  // What was met and is not known; whether all was well.
  bool summarise() const;
  // Called buffers and their packets are counted, so that few that call each other again and again come to an end; from here on
  // anew.
  void forget_calls() { printed_buffers_ = called_packets_ = 0; }

  // What each packet's JSON begins with.
  nlohmann::ordered_json context = nlohmann::ordered_json::object();

private:
  struct Met {
    std::string name;
    size_t offset, times;
  };
  void unknown(const std::string& text, const std::string& name, size_t offset);
  void count(const registers::StreamPacket& packet, const std::string& name);
  // The buffer that the packet calls or chains to, if it is to be printed; `there`: whether somebody has it.
  Buffer* enter(const registers::StreamPacket& packet, const std::string& name, unsigned depth, bool& there);
  void print_json(const registers::StreamPacket& packet, const std::string& buffer);
  void print_text(const registers::StreamPacket& packet, unsigned depth);

  const char* verb_;
  const registers::Family& family_;
  const bool json_;
  const Find find_;
  uint64_t printed_buffers_ = 0, called_packets_ = 0;
  std::map<std::string, Met> unknown_;
  std::string text_;
  bool failed_ = false;
};

}  // namespace Atoll::cli
