// Atoll's own functions and tables, as compiled code names them: by where they stand in the loaded file (library or program) that holds
// this room. The same build of it has them at the same offsets in every process, wherever it is loaded; so code that refers to them
// outlives the process that it was made in (code_cache.h).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Atoll::wave {

// The symbol of what stands at `address`: "own+1f40". Beyond the file, where nothing outlives the process: "host+" and the address.
std::string symbol_of(const void* address);
// True if code that refers to it can be used by another process.
bool is_lasting(std::string_view symbol);
// The address that such a symbol has in this process; nothing where it is none, or stands outside of the file.
std::optional<uint64_t> address_of(std::string_view symbol);

// The build id of the loaded file that holds this room; empty where it has none.
const std::string& own_build_id();
// The same of a shared library that need not be loaded; empty where it has none.
std::string build_id_of(const std::string& library);

}  // namespace Atoll::wave
