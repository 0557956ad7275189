// Follows a PM4 stream through the buffers that it calls and chains to. Reading only; streams come from anywhere, so that calls
// are counted: a few buffers that call each other again and again come to an end.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "registers/pm4.h"

namespace Atoll::registers {

struct WalkLimits {
  uint64_t packets = 0, buffers = 0;  // in called buffers
  unsigned depth = 4;                 // hardware has two levels
};

class StreamWalk {
public:
  struct Buffer {
    std::string name;
    std::vector<uint32_t> words;
    bool active = false;  // being read
  };
  // The location of a packet: in the stream that walk() was given, or in a buffer that it called.
  struct Place {
    const std::string& buffer;
    unsigned depth = 0;
    bool called = false;
  };

  StreamWalk(const Family& family, const WalkLimits& limits) : family_(family), limits_(limits) {}
  virtual ~StreamWalk() = default;

  void walk(const std::string& name, std::span<const uint32_t> words);
  // Called buffers and their packets count anew.
  void forget_calls() { called_buffers_ = called_packets_ = 0; }

protected:
  // The buffer that a packet calls, which stays where it is; null if nobody has it.
  virtual Buffer* find(const IndirectBuffer& called) = 0;
  virtual void packet(const StreamPacket& packet, const Place& place) = 0;
  // Something that is wrong, at an offset in dwords.
  virtual void problem(const std::string& buffer, size_t offset, const std::string& text) = 0;

  const Family& family() const { return family_; }

private:
  void walk(const std::string& name, std::span<const uint32_t> words, unsigned depth, bool called);
  // The buffer that the packet calls or chains to, if it is to be read; `there`: whether somebody has it.
  Buffer* enter(const StreamPacket& packet, const std::string& name, unsigned depth, bool& there);

  const Family& family_;
  const WalkLimits limits_;
  uint64_t called_buffers_ = 0, called_packets_ = 0;
};

}  // namespace Atoll::registers
