// Device binaries of Intel's compiler put together from their parts, for tests and fuzzers. IGC: IGC/ZEBinWriter/zebin/spec/elf.md,
// IGC/AdaptorOCL/ocl_igc_shared/executable_format/patch_list.h.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll::intel::test {

class Writer {
public:
  std::vector<uint8_t> bytes;

  template <class T>
  Writer& put(T value) {
    const auto* p = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), p, p + sizeof value);
    return *this;
  }
  Writer& words(std::initializer_list<uint32_t> list) {
    for (uint32_t word : list) put(word);
    return *this;
  }
  Writer& append(std::span<const uint8_t> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return *this;
  }
  // With a zero behind it.
  Writer& text(std::string_view text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    return put(uint8_t(0));
  }
};

inline std::vector<uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

// --- zebin

enum SectionType : uint32_t { PROGBITS = 1, SYMTAB = 2, STRTAB = 3, NOBITS = 8, REL = 9, ZE_INFO = 0xff000011 };
struct ElfPart {
  std::string name;
  uint32_t type = PROGBITS;
  uint64_t flags = 0;  // 2: loaded
  std::vector<uint8_t> bytes;
  uint32_t link = 0, info = 0;  // of all sections: number 0 is none, the parts follow
  uint64_t size = 0;            // of one that has no bytes in the file
};
inline std::vector<uint8_t> zebin(std::span<const ElfPart> parts) {
  constexpr uint16_t intelgt = 205, section_header_bytes = 64;
  Writer file, names, table;
  names.text("");
  file.bytes.resize(64);
  table.bytes.resize(section_header_bytes);
  auto add = [&](const ElfPart& part) {
    const auto name = uint32_t(names.bytes.size());
    names.text(part.name);
    table.put(name).put(part.type).put(part.flags).put(uint64_t(0)).put(uint64_t(file.bytes.size()));
    table.put(part.type == NOBITS ? part.size : uint64_t(part.bytes.size())).put(part.link).put(part.info);
    table.put(uint64_t(0)).put(uint64_t(0));
    file.append(part.bytes);
  };
  for (const ElfPart& part : parts) add(part);
  std::vector<uint8_t> all = names.bytes;
  for (char c : std::string_view(".shstrtab")) all.push_back(uint8_t(c));
  all.push_back(0);
  add({.name = ".shstrtab", .type = STRTAB, .bytes = all});
  Writer header;
  header.words({0x464c457f, 0x00010102, 0, 0}).put(uint16_t(0xff12)).put(intelgt).put(uint32_t(1));
  header.put(uint64_t(0)).put(uint64_t(0)).put(uint64_t(file.bytes.size())).put(uint32_t(0));
  header.put(uint16_t(64)).put(uint16_t(0)).put(uint16_t(0)).put(section_header_bytes);
  header.put(uint16_t(parts.size() + 2)).put(uint16_t(parts.size() + 1));
  std::copy(header.bytes.begin(), header.bytes.end(), file.bytes.begin());
  return file.append(table.bytes).bytes;
}

// --- patch tokens

// A token of a list, with the data behind it.
inline std::vector<uint8_t> token(uint32_t number, std::span<const uint32_t> words, std::span<const uint8_t> data = {}) {
  Writer w;
  w.put(number).put(uint32_t(8 + words.size_bytes()));
  for (uint32_t word : words) w.put(word);
  return w.append(data).bytes;
}
inline std::vector<uint8_t> token(uint32_t number, std::initializer_list<uint32_t> words, std::span<const uint8_t> data = {}) {
  return token(number, std::span(words.begin(), words.size()), data);
}

struct TokenKernel {
  std::string name;
  std::vector<uint8_t> code, dynamic_heap, surface_heap, tokens;
};
inline std::vector<uint8_t> patch_tokens(std::span<const uint8_t> program, std::span<const TokenKernel> kernels) {
  Writer w;
  w.words({0x494e5443, 1079, 12, 8, uint32_t(kernels.size()), 0, uint32_t(program.size())}).append(program);
  for (const TokenKernel& k : kernels) {
    auto size = [](const std::vector<uint8_t>& v) { return uint32_t(v.size()); };
    w.words({0, 0, 0, uint32_t(k.name.size() + 1), size(k.tokens), size(k.code), 0, size(k.dynamic_heap), size(k.surface_heap),
             size(k.code)});
    w.text(k.name).append(k.code).append(k.dynamic_heap).append(k.surface_heap).append(k.tokens);
  }
  return w.bytes;
}

}  // namespace Atoll::intel::test
