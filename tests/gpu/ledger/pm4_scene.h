// Scenes of AMD's families whose queues take PM4 of GFX7 and later: a stream of packets over one block of memory.
#pragma once
#include <bit>
#include <initializer_list>
#include <string>
#include <vector>

#include "gpu/chips/chip.h"
#include "gpu/device/device.h"
#include "memory/address_space.h"
#include "sweep.h"

namespace Atoll::ledger {

inline uint32_t number(float x) { return std::bit_cast<uint32_t>(x); }

// A family's own part.
struct Pm4Family {
  const Family& tables;
  std::string_view chip;
  Expected<std::unique_ptr<gpu::Device>> (*make_device)(const gpu::Chip&, const gpu::Options&);
  // Packets that set registers of a range of byte addresses.
  struct Range {
    uint32_t opcode, first, end;
  };
  std::span<const Range> ranges;
  uint32_t copy_data;
  std::span<const uint32_t> draws;  // packets after whose repetition only a draw has happened
  // Registers whose writing starts something: the write is changed where there is one, and none is added.
  std::span<const uint32_t> starts_work;
  uint32_t no_draw_reads;                                                              // a register
  std::vector<uint32_t> from_reset;                                                    // packets that a queue's state begins with
  std::vector<uint32_t> (*encode)(const std::string& line, const std::string& where);  // an instruction

  const Range* sets(uint32_t opcode) const {
    for (const Range& r : ranges)
      if (r.opcode == opcode) return &r;
    return nullptr;
  }
};

// PM4, a packet after the other.
struct Packets : std::vector<uint32_t> {
  explicit Packets(const Pm4Family& of) : family(&of) {}
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

  const Pm4Family* family;
};

class Pm4Scene : public Scene {
public:
  Pm4Scene(const Pm4Family& family, std::string name, gpu::QueueKind kind = gpu::QueueKind::graphics);

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
  std::vector<uint32_t> changed(const std::vector<uint32_t>& stream, const Change& change, Repeats repeats = Repeats::none) const;
  bool change_descriptors(const Change& change);

  std::unique_ptr<gpu::Device> device(bool strict) const;

  const Pm4Family& family_;
  const gpu::QueueKind kind_;
  std::unique_ptr<AddressSpace> space_;
  std::unique_ptr<gpu::Device> device_, strict_device_;
  Buffer memory_, commands_;
  uint32_t used_ = 0;
  std::vector<Descriptor> descriptors_;
  std::vector<uint8_t> before_, after_;
  Outcome unchanged_;
};

}  // namespace Atoll::ledger
