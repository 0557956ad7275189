// The emulated GPUs: one row each, from gpus/*.tsv (gpus/README.md says what the columns mean and where the values are from). A
// name that a person gave is resolved once, with find_chip(), and the row is handed on.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace Atoll::gpu {

// The rows of gpus/families.tsv.
enum class Family : uint8_t {
#include "gpu/chips/families.inc"
};

// A few names, without memory of their own.
class Names {
public:
  constexpr Names(std::initializer_list<std::string_view> names) {
    for (auto name : names) names_[count_++] = name;
  }
  constexpr auto begin() const { return names_.begin(); }
  constexpr auto end() const { return names_.begin() + count_; }
  constexpr bool empty() const { return count_ == 0; }
  constexpr size_t size() const { return count_; }
  constexpr std::string_view front() const { return names_[0]; }
  constexpr std::string_view operator[](size_t n) const { return names_[n]; }
  constexpr operator std::span<const std::string_view>() const { return {names_.data(), count_}; }
  constexpr bool contains(std::string_view name) const {
    for (auto one : *this)
      if (one == name) return true;
    return false;
  }

private:
  std::array<std::string_view, 4> names_;
  unsigned count_ = 0;
};

enum class MemoryType : uint8_t { none, ddr3, gddr5 };

// A row of gpus/amdgpu.tsv: the kernel driver amdgpu tells programs this of a family, besides its rows.
struct AmdgpuFacts {
  unsigned dma_major, dma_minor;  // version of the copy engines
  unsigned compute_rings, dma_rings;
  unsigned wave_lanes, vgprs;
  unsigned constant_ram, gds;              // bytes; of the constant engine
  unsigned gs_table_depth, gs_primitives;  // entries of the geometry shader's table and primitive buffer
  struct Firmware {
    unsigned version, feature;
  } me, pfp, ce, mec, rlc, sdma;
};

struct Chip {
  std::string_view name;  // for --gpu
  Family family;
  unsigned number_in_family;     // its place among its family's rows: index of tables that only the family's model has
  std::string_view family_name;  // "Sea Islands"
  std::string_view registers;    // registers::find_family() knows its tables; empty: there are none
  Names isas;                    // for --isa
  Names processors;              // of the code objects that it runs, the compilers' usual one first; empty: none
  Names uapis;                   // kernel drivers that bring programs to it, the usual one first; empty: none yet
  bool has_graphics;             // draws are executed, not computations alone
  std::string_view run_by;       // the programs' drivers behind those
  std::string_view planned;      // what is to drive it in the end
  bool has_page_tables;          // false: a GPU address is an offset in the memory
  uint16_t pci_vendor, pci_device;
  bool integrated;                            // with a CPU on one die: no memory of its own
  unsigned amdgpu_family, external_revision;  // amdgpu's names of the revision
  unsigned radeon_works;                      // what RADEON_INFO_ACCEL_WORKING2 answers
  unsigned graphics_major, graphics_minor;    // version of the graphics engine
  // 3D engines
  unsigned shader_engines, shader_arrays, compute_units;  // arrays per engine, units per array
  unsigned render_backends;                               // of the whole chip
  unsigned tile_pipes, cache_channels;                    // channels of the L2 cache (TCC)
  unsigned gs_waves;                                      // that a geometry engine (VGT) has at most
  unsigned pixel_pipes, depth_pipes, vertex_units;        // R5xx: GB pipes, Z pipes, vertex engines
  unsigned engine_clock, memory_clock, crystal_clock;     // kHz
  unsigned memory_bits;
  MemoryType memory_type;
  uint64_t vram_bytes, gtt_bytes;
  AmdgpuFacts amdgpu;  // all 0 where uapis lacks amdgpu

  // Programs reach it through a kernel driver (`run`, device files).
  constexpr bool runs() const { return !uapis.empty(); }
  // ... and may draw (`doctor`, pictures).
  constexpr bool draws() const { return runs() && has_graphics; }
  // Code objects are dispatched on it (`launch`).
  constexpr bool launches() const { return !processors.empty(); }
};

// All of them, in the order of gpus/gpus.tsv; rows.h has them for tables that stand beside this one.
std::span<const Chip> chips();

// Upper and lower case are the same; null for an unknown name.
const Chip* find_chip(std::string_view name);
// The last chip that runs code objects for that processor ("gfx704"); null: none does.
const Chip* find_chip_of_processor(std::string_view processor);
// The instruction set that is called so, or that the GPU or processor of that name has; empty: none, or a GPU with several.
std::string_view find_isa(std::string_view name);

// "gfx704, gfx701, bonaire, …": the processors and GPUs whose name means an instruction set.
std::string names_of_isa(std::string_view isa);

// "gfx1200, gfx1201, …": all names, or those of chips for which `wanted` holds.
std::string chip_names(bool (*wanted)(const Chip&) = nullptr);

}  // namespace Atoll::gpu
