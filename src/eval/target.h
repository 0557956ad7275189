// Eval's view of an ISA besides wave::Isa: the names of its registers, the state a wave starts in, its assembler.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "eval/request.h"
#include "wave/environment.h"
#include "wave/program.h"
#include "wave/wave.h"

namespace Atoll::eval {

// The location of a register in the wave. A place is a number of its own in the register's value.
struct Register {
  struct Place {
    uint32_t cell;        // byte offset into the wave
    uint32_t copies = 1;  // a value that is the same in all lanes: written this often, 4 bytes apart; read once
  };
  std::vector<Place> places;
  unsigned bits = 32;  // of a place: 1 to 64
  bool list = false;   // its value is always given as a list (lanes, components); otherwise it has one place
};

class Target {
public:
  virtual ~Target() = default;
  virtual std::span<const unsigned> wave_sizes() const = 0;  // the first is the default
  virtual const wave::Isa& isa(unsigned lanes, std::span<const uint32_t> words) const = 0;
  // Sets what is not 0 in a fresh wave (lanes is set): execution mask, mode.
  virtual void initialise(wave::Wave& wave) const = 0;
  // --- graphics waves
  virtual bool has_stages() const { return false; }
  // True if an argument of that name is one of the stage's values.
  virtual bool is_stage_value(std::string_view /*stage*/, std::string_view /*name*/) const { return false; }
  // Sets up a stage's wave, parameters in LDS included. An error names the value or the stage that there is not.
  virtual Expected<void> begin_stage(wave::Wave&, const Stage&) const { return fail("this ISA has no stages of graphics"); }
  virtual std::vector<ExportValue> exports(wave::Wave&) const { return {}; }
  virtual ExportValue row(const wave::Wave&, const wave::RowExport&) const { return {}; }

  virtual Expected<Register> find(std::string_view name, unsigned lanes) const = 0;
  // All registers in the order in which a person wants to read them.
  virtual std::vector<std::string> names(unsigned lanes) const = 0;
  virtual Expected<std::vector<uint32_t>> assemble(std::string_view text, unsigned lanes) const = 0;
  // Several lines, which may name labels of each other where the ISA's text has them. An error names the line.
  virtual Expected<std::vector<uint32_t>> assemble_all(std::span<const std::string> lines, unsigned lanes) const;
};

// By name of an ISA, or of a GPU or processor that has it (gpu/chips), in either case. An error says what there is.
Expected<const Target*> find_target(std::string_view name);

// `text` as the number behind `prefix` ("v12", 'v'), below `limit`.
bool numbered(std::string_view text, std::string_view prefix, unsigned limit, unsigned& number);

const Target& rdna4_target();
const Target& gfx7_target();
const Target& r500_fragment_target();
const Target& r500_vertex_target();
const Target& xe_lp_target();

}  // namespace Atoll::eval
