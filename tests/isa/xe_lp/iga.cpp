#include "iga.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace Atoll::xe_lp::test {
namespace {

// The C interface as the library's documentation has it (igc, iga/iga.h).
struct ContextOptions {
  size_t size = sizeof(ContextOptions);
  uint32_t platform = 0x01000000;  // Xe
};
struct DisassembleOptions {
  uint32_t size = sizeof(DisassembleOptions), formatting = 1 /* numeric labels */, reserved[2] = {}, decoding = 0, base = 0;
};
struct AssembleOptions {
  uint32_t size = sizeof(AssembleOptions), warnings = 0, encoding = 4 /* an impossible {Compacted} is an error */, syntax = 0;
  uint32_t reserved[2] = {}, scoreboard_ids = 16, scoreboard_mode = 0;
};
struct Diagnostic;

}  // namespace

struct Iga::Functions {
  int (*create)(const ContextOptions*, void**);
  int (*disassemble)(void*, const DisassembleOptions*, const void*, const char* (*)(int32_t, void*), void*, char**);
  int (*assemble)(void*, const AssembleOptions*, const char*, void**, uint32_t*);
  int (*errors)(void*, const void**, uint32_t*);
  int (*message)(const void*, const char**);
};

Iga::Iga() {
  static Functions functions;
  const char* named = std::getenv("ATOLL_IGA");
  void* library = named ? dlopen(named, RTLD_NOW) : nullptr;
  for (const char* name : {"libiga64.so.1", "libiga64.so"})
    if (!library && !named) library = dlopen(name, RTLD_NOW);
  if (!library) {
    missing_ = "libiga64 is not installed (Debian package libigc1)";
    return;
  }
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (!function) missing_ = std::string("libiga64 lacks ") + name;
  };
  find(functions.create, "iga_context_create");
  find(functions.disassemble, "iga_context_disassemble_instruction");
  find(functions.assemble, "iga_context_assemble");
  find(functions.errors, "iga_context_get_errors");
  find(functions.message, "iga_diagnostic_get_message");
  if (!missing_.empty()) return;
  ContextOptions options;
  if (functions.create(&options, &context_) != 0) missing_ = "libiga64 does not know the platform Xe";
  functions_ = &functions;
}

std::optional<std::string> Iga::disassemble(std::span<const uint8_t> bytes) {
  uint8_t copy[16] = {};
  std::memcpy(copy, bytes.data(), bytes.size() < 16 ? bytes.size() : 16);
  DisassembleOptions options;
  char* text = nullptr;
  if (functions_->disassemble(context_, &options, copy, nullptr, nullptr, &text) != 0 || !text) return {};
  return std::string(text);
}

std::optional<std::vector<uint8_t>> Iga::assemble(const std::string& text, bool compact) {
  AssembleOptions options;
  if (compact) options.encoding |= 1;
  void* out = nullptr;
  uint32_t size = 0;
  if (functions_->assemble(context_, &options, text.c_str(), &out, &size) != 0) {
    const void* list = nullptr;
    uint32_t count = 0;
    const char* message = nullptr;
    error_ = "no message";
    if (functions_->errors(context_, &list, &count) == 0 && count && functions_->message(list, &message) == 0) error_ = message;
    return {};
  }
  auto* bytes = static_cast<const uint8_t*>(out);
  return std::vector<uint8_t>(bytes, bytes + size);
}

}  // namespace Atoll::xe_lp::test
