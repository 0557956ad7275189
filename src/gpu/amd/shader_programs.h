// Programs in GPU memory and their cache, as far as AMD's families have them alike: a family adds its key, the facts that it finds in
// a program, and its source (gpu/device/program_cache.h).
#pragma once
#include "gpu/device/program_cache.h"
#include "memory/address_space.h"
#include "pixel/framed_program.h"
#include "wave/executor.h"

namespace Atoll::gpu::amd {

// `Frame`: the family's PixelFrame.
template <class Frame>
struct FramedShader : ProgramInMemory {
  pixel::FramedPrograms<Frame> framed;  // for the states of the pipeline that it met last as a pixel shader

  // Its own and those of the programs that are framed.
  double compile_seconds() const { return executor->compile_seconds() + framed.compile_seconds(); }
  uint64_t instructions_compiled() const { return executor->instructions_compiled() + framed.instructions_compiled(); }
  void wait_for_compilation() { executor->wait_for_compilation(), framed.wait_for_compilation(); }
};

// `Source`: the family's, with the members `space`, `engine` and `findings`.
template <class Source>
class ShaderCache : public ProgramCache<Source> {
public:
  // `engine` of gpu::Options: auto, interpreter, jit.
  ShaderCache(AddressSpace& space, wave::EngineChoice engine, ProgramLimits limits = {},
              std::shared_ptr<wave::Findings> findings = nullptr)
      : ProgramCache<Source>({space, engine, std::move(findings)}, limits) {}

  wave::EngineChoice engine() const { return this->source().engine; }
  // True if programs are watched (gpu::Options::findings): each instruction of theirs, and nothing beside them, runs then.
  bool watches() const { return this->source().findings != nullptr; }
};

}  // namespace Atoll::gpu::amd
