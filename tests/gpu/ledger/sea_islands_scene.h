// Scenes of Sea Islands: a stream of packets over one block of memory.
#pragma once
#include <bit>
#include <initializer_list>
#include <string>
#include <vector>

#include "gpu/sea_islands/device.h"
#include "memory/address_space.h"
#include "registers/sea_islands.h"
#include "sweep.h"

namespace Atoll::ledger {

inline uint32_t number(float x) { return std::bit_cast<uint32_t>(x); }

// PM4, a packet after the other.
struct Packets : std::vector<uint32_t> {
  Packets& packet(uint32_t opcode, std::initializer_list<uint32_t> body) { return packet(opcode, std::vector<uint32_t>(body)); }
  Packets& packet(uint32_t opcode, const std::vector<uint32_t>& body) {
    push_back(3u << 30 | uint32_t(body.size() - 1) << 16 | opcode << 8);
    insert(end(), body.begin(), body.end());
    return *this;
  }
  // By the packet of the range that the register lies in.
  Packets& set(uint32_t address, uint32_t value);
  Packets& set(uint32_t address, std::initializer_list<uint32_t> values) {
    for (uint32_t value : values) set(address, value), address += 4;
    return *this;
  }
  // A dword of memory from a register.
  Packets& store(uint32_t address, uint64_t to);
};

class SeaIslandsScene : public Scene {
public:
  explicit SeaIslandsScene(std::string name, gpu::QueueKind kind = gpu::QueueKind::graphics);

  // Bytes of the scene's memory, at a multiple of `align`.
  uint64_t take(uint32_t bytes, uint32_t align = 256);
  uint32_t* words(uint64_t address) {
    return reinterpret_cast<uint32_t*>(memory_.host_pointer + (address - memory_.gpu_address));
  }
  uint64_t program(const std::vector<std::string>& lines);
  // Descriptors, in memory or in user SGPRs: changes of their fields are put there.
  void descriptor(std::string_view first_word, uint64_t address, const std::vector<uint32_t>& content);

  // Ends the building: the scene runs as it is. An error ends the test.
  void finish();
  bool differs(const Change& change) override;
  bool keeps_old_state(const Change& change) override;
  std::vector<std::string> unknown(const Changes& changes, bool strict) override;

  Packets stream;

private:
  struct Descriptor {
    unsigned register_number;
    uint64_t address;
  };
  struct Outcome {
    bool lost = false;
    std::string report;
  };
  Outcome run(const std::vector<uint32_t>& stream);
  // Each draw comes twice, before the change and after it: `apart` has all that is known of the first forgotten in between.
  enum class Repeats { none, twice, apart };
  static std::vector<uint32_t> changed(const std::vector<uint32_t>& stream, const Change& change,
                                       Repeats repeats = Repeats::none);
  bool change_descriptors(const Change& change);

  const gpu::QueueKind kind_;
  std::unique_ptr<AddressSpace> space_;
  std::unique_ptr<gpu::Device> device_, strict_device_;
  Buffer memory_, commands_;
  uint32_t used_ = 0;
  std::vector<Descriptor> descriptors_;
  std::vector<uint8_t> before_, after_;
  Outcome unchanged_;
};

std::vector<std::unique_ptr<Scene>> sea_islands_scenes();

}  // namespace Atoll::ledger
