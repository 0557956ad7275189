// The kernel arguments of `atoll launch` (docs/command-line.md, `launch`): their text forms, the check against the
// kernel's metadata, and the buffers and bytes that they become.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "codeobject/code_object.h"
#include "gpu/hsa/dispatch.h"
#include "gpu/hsa/image_arguments.h"
#include "memory/address_space.h"

namespace Atoll::hsa {

enum class ArgumentForm : uint8_t { Number, In, Out, InOut, Local, Struct, Null, Image, ImageOut, Sampler };
enum class ElementType : uint8_t { I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64 };

struct LaunchArgument {
  std::string text;  // as it was given, for messages
  ArgumentForm form = ArgumentForm::Null;
  ElementType type = ElementType::I32;  // Number: of its elements,
  unsigned elements = 1;                // 1, 2, 3, 4, 8 or 16,
  std::vector<uint8_t> value;           // and their bytes; three elements take the room of four
  std::string input, output;            // files
  uint64_t bytes = 0;                   // Out, Local
  ImageDescription image;               // Image, ImageOut; its kind is the parameter's
  SamplerDescription sampler;           // Sampler
};

// An error is a mistake in the call: an unknown form, or a value that the form does not take.
Expected<LaunchArgument> parse_launch_argument(const std::string& text);

// Do number, kinds and sizes fit the kernel's parameters? Nothing is read or allocated. `extra_lds_bytes`: what a last
// `local=` gives to a kernel that uses dynamic LDS without a parameter for it (HIP's extern __shared__).
struct LaunchMatch {
  uint64_t extra_lds_bytes = 0;
};
Expected<LaunchMatch> match_launch_arguments(const Target& target, const Kernel& kernel,
                                             std::span<const LaunchArgument> arguments);

// A buffer to be written to a file after the run; of an image its texels, packed.
struct LaunchOutput {
  std::string file;
  Buffer buffer;
  std::optional<std::pair<ImageDescription, ImageObject>> image = {};
  std::vector<uint8_t> content() const;
};

struct BoundArguments {
  std::vector<ArgumentValue> values;  // for prepare_dispatch()
  std::vector<LaunchOutput> outputs;
};

// Reads the input files and makes the buffers; the arguments must match the kernel.
Expected<BoundArguments> bind_launch_arguments(const Target& target, const Kernel& kernel,
                                               std::span<const LaunchArgument> arguments, AddressSpace& space);

// A whole number, decimal or 0x, with nothing around it.
Expected<uint64_t> parse_number(const std::string& text);
// "X", "X,Y" or "X,Y,Z" of --grid and --group, none of them 0; the count goes to `dimensions`.
Expected<std::array<uint64_t, 3>> parse_dimensions(const std::string& text, unsigned& dimensions);

}  // namespace Atoll::hsa
