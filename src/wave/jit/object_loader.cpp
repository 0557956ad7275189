#include "wave/jit/object_loader.h"

#include <dlfcn.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/Object/ObjectFile.h>

namespace Atoll::wave {
namespace {

// All sections of an object in one block, so that they reach each other.
class Placement : public llvm::RuntimeDyld::MemoryManager {
public:
  explicit Placement(CodeMemory& memory) : memory_(memory) {}
  CodeMemory::Block block;
  std::string error;
  struct Section {
    uint8_t* written;
    uint8_t* executed;
  };
  std::vector<Section> sections;

  bool needsToReserveAllocationSpace() override { return true; }
  void reserveAllocationSpace(uintptr_t code, llvm::Align code_align, uintptr_t constants, llvm::Align constants_align,
                              uintptr_t data, llvm::Align data_align) override {
    auto made =
        memory_.allocate(code + constants + data + code_align.value() + constants_align.value() + data_align.value() + 256);
    if (made)
      block = *made;
    else
      error = made.error().message;
  }
  uint8_t* allocateCodeSection(uintptr_t bytes, unsigned alignment, unsigned, llvm::StringRef) override {
    return place(bytes, alignment);
  }
  uint8_t* allocateDataSection(uintptr_t bytes, unsigned alignment, unsigned, llvm::StringRef, bool) override {
    return place(bytes, alignment);
  }
  // Compiled code throws nothing.
  void registerEHFrames(uint8_t*, uint64_t, size_t) override {}
  void deregisterEHFrames() override {}
  bool finalizeMemory(std::string*) override { return false; }

private:
  CodeMemory& memory_;
  size_t used_ = 0;

  uint8_t* place(size_t bytes, size_t alignment) {
    alignment = std::max<size_t>(alignment, 16);
    used_ = (used_ + alignment - 1) / alignment * alignment;
    if (used_ + bytes > block.bytes) return nullptr;
    sections.push_back({block.written + used_, block.executed + used_});
    used_ += bytes;
    return sections.back().written;
  }
};

class ProcessSymbols : public llvm::LegacyJITSymbolResolver {
public:
  llvm::JITSymbol findSymbol(const std::string& name) override {
    return {uint64_t(dlsym(RTLD_DEFAULT, name.c_str())), llvm::JITSymbolFlags::Exported};
  }
  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }
};

}  // namespace

Expected<MachineCode> load_object(llvm::StringRef bytes, std::span<const std::string> names, CodeMemory& memory) {
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "regions"));
  if (!object) return fail("LLVM's object file: {}", llvm::toString(object.takeError()));
  Placement placement(memory);
  ProcessSymbols symbols;
  llvm::RuntimeDyld linker(placement, symbols);
  linker.loadObject(**object);
  if (placement.error.empty() && !linker.hasError()) {
    for (const auto& section : placement.sections) linker.mapSectionAddress(section.written, uint64_t(section.executed));
    linker.resolveRelocations();
  }
  if (!placement.error.empty() || linker.hasError()) {
    if (placement.block.bytes) memory.release(placement.block);
    return fail("{}", placement.error.empty() ? linker.getErrorString().str() : placement.error);
  }
  MachineCode code{placement.block, {}};
  for (const std::string& name : names)
    code.functions.push_back(name.empty() ? nullptr : reinterpret_cast<CodeFunction>(linker.getSymbol(name).getAddress()));
  return code;
}

}  // namespace Atoll::wave
