// One RDNA4 wave with an address space, images and registers of its own, on which a program of image instructions runs by the
// interpreter or in compiled code; and image instructions as words.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "gpu/amd/images.h"
#include "gpu/rdna4/image_descriptors.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/registers.h"
#include "isa/rdna4/table.h"
#include "memory/address_space.h"
#include "wave/environment.h"
#include "wave/executor.h"
#include "wave/storage.h"

namespace Atoll::rdna4::test {

inline constexpr uint64_t code_base = 0x4000;
inline constexpr unsigned resource_sgpr = 16, sampler_sgpr = 24, vgprs = 64;
inline constexpr uint32_t s_endpgm = 0xbfb00000;

// An instruction's words from its row and the fields that are not 0.
inline std::vector<uint32_t> words_of(const Opcode& row, const std::map<Field, uint32_t>& fields) {
  const Layout& l = layout(row);
  std::vector<uint32_t> w(l.words);
  w[0] = l.fixed;
  for (const FieldRow& f : l.fields) {
    if (f.field == Field::op) f.bits.put(w.data(), row.opcode);
    if (auto given = fields.find(f.field); given != fields.end()) f.bits.put(w.data(), given->second);
  }
  return w;
}

struct Registers {
  std::array<std::array<uint32_t, 64>, vgprs> v{};
  std::array<uint32_t, 32> s{};
  uint64_t exec = 0;
  uint32_t mode = 0xf0;
};

class Machine : public wave::Environment {
public:
  static constexpr uint64_t memory_bytes = uint64_t(8) << 20;
  Machine() : images(*space, reports, image_descriptors()) {
    memory = *space->allocate(memory_bytes, 4096);
    border_colours = memory.gpu_address;
  }
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  gpu::Reports reports{false};
  gpu::amd::Images images;
  Buffer memory;
  uint64_t border_colours = 0;                       // the table, in the memory
  std::function<void(wave::ImageAccess&)> on_image;  // instead of the images
  wave::Stop stopped = wave::Stop::Run;
  std::string fault;
  uint64_t called = 0, compiled = 0, interpreted = 0;

  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return space->contains(address, bytes, writable);
  }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
  void image(wave::Wave&, wave::ImageAccess& access) override {
    on_image ? on_image(access) : images.access(access, border_colours);
  }
  const wave::SampledTexture* sampled_texture(const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                              wave::TextureUse use) override {
    return on_image ? nullptr : images.sampled(resource, sampler, slot, use);
  }

  wave::Wave& wave_of(const Registers& r, unsigned lanes) {
    wave::Wave& w = storage_.reset();
    w.window = space->base(), w.window_bytes = space->size();
    w.stop_flag = &stop_;
    w.environment = this;
    w.textures = &images.texture_slots();
    w.lanes = lanes;
    w.pc = code_base;
    for (unsigned n = 0; n < vgprs; n++) std::memcpy(wave::bytes_of(w, vgpr_cell(n, lanes == 64)), r.v[n].data(), lanes * 4);
    for (unsigned n = 0; n < r.s.size(); n++) wave::word_of(w, scalar_cell(n)) = r.s[n];
    wave::word_of(w, scalar_cell(EXEC_LO)) = uint32_t(r.exec);
    wave::word_of(w, scalar_cell(EXEC_HI)) = uint32_t(r.exec >> 32);
    wave::word_of(w, mode_cell) = r.mode;
    wave::word_of(w, vgpr_count_cell) = 256;
    return w;
  }
  Registers run(wave::Executor& executor, const wave::Program& program, const Registers& before, unsigned lanes) {
    wave::Wave& w = wave_of(before, lanes);
    w.program = &program;
    executor.run(w);
    stopped = w.stop;
    fault = w.stop == wave::Stop::Fault && w.fault.reason ? w.fault.reason : "";
    compiled = w.compiled, called = w.called, interpreted = w.interpreted;
    Registers after = before;
    for (unsigned n = 0; n < vgprs; n++) std::memcpy(after.v[n].data(), wave::bytes_of(w, vgpr_cell(n, lanes == 64)), lanes * 4);
    return after;
  }

private:
  std::atomic<int> stop_{0};
  wave::Storage storage_{register_file_bytes(true)};
};

// A part of an instruction's address, by its name: "offset", "bias", "reference", "dx0", "dy0", "coordinate0", "lod", "clamp".
struct AddressPart {
  std::string what;
  unsigned vgpr = 0;
  int half = -1;  // 0 or 1: of a register; -1: all of it
};
inline bool has_part(const std::string& mnemonic, const std::string& part) {
  return (mnemonic + "_").find("_" + part + "_") != std::string::npos;
}
struct Dimension {
  unsigned spatial, all;
};
// By DIM (RDNA4 ISA 10.2, 10.3).
inline constexpr Dimension dimensions[8] = {{1, 1}, {2, 2}, {3, 3}, {2, 3}, {1, 2}, {2, 3}, {2, 3}, {2, 4}};

inline std::vector<AddressPart> address_of(const std::string& mnemonic, bool sample, unsigned dim, bool a16,
                                           const std::array<unsigned, 5>& vaddr) {
  // Registers, of whole parts or of pairs, in their order.
  std::vector<std::vector<std::string>> registers;
  auto whole = [&](const std::string& what) { registers.push_back({what}); };
  auto pairs = [&](const std::vector<std::string>& parts, bool halves) {
    for (size_t n = 0; n < parts.size(); n += halves ? 2 : 1) {
      registers.push_back({parts[n]});
      if (halves && n + 1 < parts.size()) registers.back().push_back(parts[n + 1]);
      if (halves && n + 1 == parts.size()) registers.back().push_back("");
    }
  };
  const Dimension d = dimensions[dim];
  if (mnemonic == "image_get_resinfo") {
    pairs({"lod"}, a16);
  } else {
    if (sample && has_part(mnemonic, "o")) whole("offset");
    if (sample && has_part(mnemonic, "b")) pairs({"bias"}, a16);
    if (sample && has_part(mnemonic, "c")) whole("reference");
    if (has_part(mnemonic, "d")) {
      const bool g16 = has_part(mnemonic, "g16");
      for (const char* axis : {"dx", "dy"}) {
        std::vector<std::string> parts;
        for (unsigned n = 0; n < d.spatial; n++) parts.push_back(axis + std::to_string(n));
        pairs(parts, g16);
      }
    }
    std::vector<std::string> body;
    for (unsigned n = 0; n < d.all; n++) body.push_back("coordinate" + std::to_string(n));
    if ((sample && has_part(mnemonic, "l")) || has_part(mnemonic, "mip")) body.push_back("lod");
    if (sample && has_part(mnemonic, "cl")) body.push_back("clamp");
    pairs(body, a16);
  }
  std::vector<AddressPart> parts;
  const unsigned last = sample ? 3 : 4;
  for (unsigned n = 0; n < registers.size(); n++) {
    const unsigned vgpr = n < last ? vaddr[n] : vaddr[last] + n - last;
    for (unsigned h = 0; h < registers[n].size(); h++)
      if (!registers[n][h].empty()) parts.push_back({registers[n][h], vgpr, registers[n].size() > 1 ? int(h) : -1});
  }
  return parts;
}

}  // namespace Atoll::rdna4::test
