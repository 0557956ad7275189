// atoll disasm: bytes to assembler text: raw bytes, the kernels of a code object, or line by line.
#include <cctype>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "cli/isa_option.h"
#include "cli/line_reader.h"
#include "cli/verbs.h"
#include "codeobject/code_object.h"
#include "codeobject/intel_object.h"
#include "gpu/chips/chip.h"

namespace Atoll::cli {
namespace {

constexpr const char* disasm_verb = "disasm";

struct DisasmCall {
  IsaOption isa;
  bool batch = false, addresses = false, exact = false;
  std::string kernel, file = "-";
};

// "7e004f01", "7e 00 4f 01" and "0x7e,0x00,0x4f,0x01", with or without brackets.
Expected<std::vector<uint8_t>> bytes_of(std::string_view line) {
  std::vector<uint8_t> bytes;
  auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) ? c - '0' : (c | 0x20) - 'a' + 10; };
  for (size_t at = 0; at < line.size();) {
    char c = line[at];
    if (c == ' ' || c == '\t' || c == ',' || c == '[' || c == ']' || c == '\r') {
      ++at;
      continue;
    }
    bool prefixed = c == '0' && at + 1 < line.size() && (line[at + 1] | 0x20) == 'x';
    if (prefixed) at += 2;
    size_t end = at;
    while (end < line.size() && std::isxdigit(static_cast<unsigned char>(line[end]))) ++end;
    size_t digits = end - at;
    if (digits == 0) return fail("'{}' is no hex digit", line[at < line.size() ? at : line.size() - 1]);
    if (digits % 2 != 0 && !(prefixed && digits == 1)) return fail("an odd number of hex digits: '{}'", line.substr(at, digits));
    if (digits == 1)
      bytes.push_back(uint8_t(digit(line[at])));
    else
      for (size_t n = at; n < end; n += 2) bytes.push_back(uint8_t(digit(line[n]) << 4 | digit(line[n + 1])));
    at = end;
  }
  return bytes;
}

std::string one_line(std::string_view line, const Assembler& assembler, bool& good) {
  auto refuse = [&](const std::string& why) {
    good = false;
    return "! " + why;
  };
  auto bytes = bytes_of(line);
  if (!bytes) return refuse(bytes.error().message);
  auto instruction = assembler.exact_line(*bytes);
  if (!instruction) return refuse(instruction.error().message);
  if (instruction->bytes != bytes->size())
    return refuse(
        fmt::format("{} bytes are left behind an instruction of {}", bytes->size() - instruction->bytes, instruction->bytes));
  return instruction->text;
}

void run_batch(const DisasmCall& call, const Assembler& assembler) {
  auto lines = LineReader::open(call.file);
  if (!lines) end_with(STATUS_FAILED, disasm_verb, lines.error().message);
  bool good = true;
  while (auto line = lines->next()) {
    bool empty = line->find_first_not_of(" \t\r") == std::string::npos;
    fmt::print("{}\n", empty ? "" : one_line(*line, assembler, good));
    std::fflush(stdout);
  }
  if (auto why = lines->failure(); !why.empty()) end_with(STATUS_FAILED, disasm_verb, why);
  if (!good) end(STATUS_FAILED);
}

// Prints instruction after instruction; what is none becomes a `.long` with the reason behind it, and so does what text cannot
// say. Returns how many were no instructions. If more follows the code, words that may be cut off are left: `code` is the rest.
size_t print_code(const DisasmCall& call, const Assembler& assembler, std::span<const uint8_t>& code, uint64_t address,
                  bool more_follows = false) {
  constexpr size_t longest = 64;  // bytes, more than any instruction has
  size_t bad = 0, at = 0;
  while (at < code.size() && (!more_follows || code.size() - at >= longest)) {
    auto instruction = assembler.list(code.subspan(at), call.exact);
    size_t size = instruction ? instruction->bytes : std::min<size_t>(assembler.unit(), code.size() - at);
    std::string words;
    for (size_t n = 0; n < size; n += 4) {
      uint32_t word = 0;
      for (size_t byte = 0; byte < 4 && n + byte < size; ++byte) word |= uint32_t(code[at + n + byte]) << (8 * byte);
      words += fmt::format("{}{:08x}", n == 0 ? "" : instruction ? " " : ", 0x", word);
    }
    if (instruction) {
      const std::string& text = instruction->text;
      fmt::print("{}\n", call.addresses ? fmt::format("{:<56} // {:#x}: {}", text, address + at, words) : text);
    } else {
      const std::string& why = instruction.error().message;
      ++bad;
      complain(disasm_verb, fmt::format("{}: at {:#x}: {}", call.file == "-" ? "standard input" : call.file, address + at, why));
      fmt::print(".long 0x{} // {}\n", words, why);
    }
    at += size;
  }
  code = code.subspan(at);
  return bad;
}

// Raw bytes, of which `bytes` are the first; there may be any number of them.
size_t print_stream(const DisasmCall& call, const Assembler& assembler, InputFile& file, std::vector<uint8_t>& bytes) {
  constexpr size_t chunk_bytes = 1 << 20;
  uint64_t address = 0;
  size_t bad = 0;
  for (;;) {
    if (auto more = file.read(bytes, chunk_bytes); !more) end_with(STATUS_FAILED, disasm_verb, more.error().message);
    std::span<const uint8_t> rest = bytes;
    bad += print_code(call, assembler, rest, address, !file.ended());
    if (file.ended()) return bad;
    address += bytes.size() - rest.size();
    bytes.erase(bytes.begin(), bytes.end() - ptrdiff_t(rest.size()));
  }
}

struct Function {
  std::string name;
  uint64_t bytes = 0;
};

// The functions that the object's symbols name, kernels among them, by address. Device functions have a name only in an object that
// is not stripped.
std::map<uint64_t, Function> functions_of(const CodeObject& object) {
  std::map<uint64_t, Function> functions;
  for (auto* symbols : {&object.elf.dynamic_symbols, &object.elf.static_symbols})
    for (const ElfSymbol& symbol : *symbols) {
      if (!symbol.defined || symbol.type != SYMBOL_FUNCTION) continue;
      Function& function = functions[symbol.address];
      if (symbol.bytes > function.bytes || function.name.empty()) function = {std::string(symbol.name), symbol.bytes};
    }
  return functions;
}

size_t print_function(const DisasmCall& call, const CodeObject& object, const Function& function, uint64_t address, unsigned wave,
                      bool first) {
  auto code = object.elf.at(address, function.bytes);
  if (!code || function.bytes == 0)
    end_with(STATUS_FAILED, disasm_verb,
             fmt::format("{}: the code of {} at {:#x} is not in the file", call.file, function.name, address));
  fmt::print("{}{}:\n", first ? "" : "\n", function.name);
  Assembler assembler = *assembler_of(object.processor);
  assembler.wave = call.isa.wave != 0 ? call.isa.wave : wave;
  std::span<const uint8_t> all = *code;
  return print_code(call, assembler, all, address);
}

size_t print_kernel(const DisasmCall& call, const CodeObject& object, const Kernel& kernel, bool first) {
  Function function = functions_of(object)[kernel.entry_address];
  function.name = kernel.name;
  return print_function(call, object, function, kernel.entry_address, kernel.wavefront_size, first);
}

void run_object(const DisasmCall& call, std::span<const uint8_t> bytes) {
  std::string wanted = lower(call.isa.isa);
  auto object = read_code_object(bytes, call.file, wanted);
  if (!object) end_with(STATUS_FAILED, disasm_verb, object.error().message);
  auto assembler = assembler_of(object->processor);
  if (!assembler)
    end_with(STATUS_FAILED, disasm_verb,
             fmt::format("{} is for {}: {} can be disassembled", call.file, object->processor, assembler_list()));
  bool fits = object->processor == wanted || object->processor == "gfx12-generic" || assembler->isa == AssemblerIsa::Gcn2 ||
              gpu::find_isa(wanted) == wanted;
  if (!wanted.empty() && (!fits || assembler_of(wanted)->isa != assembler->isa))
    end_with(STATUS_FAILED, disasm_verb,
             fmt::format("{} is for {}, not for --isa {}", call.file, object->processor, call.isa.isa));
  size_t bad = 0;
  if (!call.kernel.empty()) {
    const Kernel* kernel = object->find(call.kernel);
    if (kernel == nullptr)
      end_with(STATUS_FAILED, disasm_verb,
               fmt::format("no kernel '{}' in {}: it has {}", call.kernel, call.file, object->kernel_list()));
    bad = print_kernel(call, *object, *kernel, true);
  } else {
    std::map<uint64_t, Function> functions = functions_of(*object);
    for (const Kernel& kernel : object->kernels) {
      bad += print_kernel(call, *object, kernel, &kernel == object->kernels.data());
      functions.erase(kernel.entry_address);
    }
    // Then the functions that they call. Those have no wave size of their own: the first kernel's.
    unsigned wave = object->kernels.empty() ? 0 : object->kernels.front().wavefront_size;
    bool first = object->kernels.empty();
    for (auto& [address, function] : functions) {
      if (function.bytes == 0) continue;
      bad += print_function(call, *object, function, address, wave, first);
      first = false;
    }
  }
  if (bad != 0) end(STATUS_FAILED);
}

// An Intel device binary: each kernel from its first instruction, and sections of code that no kernel begins in. Their names follow no
// addresses of their own; instructions are counted from the section's begin.
void run_intel_object(const DisasmCall& call, std::span<const uint8_t> bytes) {
  if (!call.isa.isa.empty() && call.isa.require_assembler(disasm_verb).isa != AssemblerIsa::XeLp)
    end_with(STATUS_FAILED, disasm_verb, fmt::format("{} is for an Intel GPU, not for --isa {}", call.file, call.isa.isa));
  auto object = intel::read_intel_object(bytes, call.file);
  if (!object) end_with(STATUS_FAILED, disasm_verb, object.error().message);
  if (!call.kernel.empty() && !object->find(call.kernel))
    end_with(STATUS_FAILED, disasm_verb,
             fmt::format("no kernel '{}' in {}: it has {}", call.kernel, call.file, object->kernel_list()));
  const Assembler assembler = *assembler_of("xe-lp");
  bool first = true;
  size_t bad = 0;
  for (size_t section = 0; section < object->sections.size(); section++) {
    const intel::Section& s = object->sections[section];
    if (!s.is_code) continue;
    std::map<uint64_t, std::string> begins;              // of what has a name
    for (const intel::Symbol& symbol : object->symbols)  // (every kernel has an `_entry`)
      if (symbol.section == section && symbol.name != "_entry") begins[symbol.offset] = symbol.name;
    for (const intel::IntelKernel& kernel : object->kernels)
      if (kernel.section == section) begins[kernel.entry] = kernel.signature.name;
    constexpr std::string_view code_prefix = ".text.";
    if (!begins.contains(0)) begins[0] = s.name.starts_with(code_prefix) ? s.name.substr(code_prefix.size()) : s.name;
    for (auto from = begins.begin(); from != begins.end(); ++from) {
      auto next = std::next(from);
      uint64_t end = next == begins.end() ? s.bytes.size() : std::min<uint64_t>(next->first, s.bytes.size());
      if (!call.kernel.empty() && from->second != call.kernel) continue;
      // (zeros up to where the next one may begin)
      while (end > from->first && s.bytes[end - 1] == 0) end--;
      end = std::min<uint64_t>(s.bytes.size(), from->first + (end - std::min(end, from->first) + 7) / 8 * 8);
      if (from->first >= end) continue;
      fmt::print("{}{}:\n", first ? "" : "\n", from->second);
      first = false;
      std::span<const uint8_t> code(s.bytes.data() + from->first, end - from->first);
      bad += print_code(call, assembler, code, from->first);
    }
  }
  if (bad != 0) end(STATUS_FAILED);
}

void run(const DisasmCall& call) {
  if (!call.isa.isa.empty()) call.isa.require_assembler(disasm_verb);
  if (call.batch) {
    Assembler assembler = call.isa.require_assembler(disasm_verb);
    if (!call.kernel.empty()) end_with(STATUS_CALL, disasm_verb, "--batch reads hex lines: --kernel is for code objects");
    return run_batch(call, assembler);
  }
  auto file = InputFile::open(call.file);
  if (!file) end_with(STATUS_FAILED, disasm_verb, file.error().message);
  std::vector<uint8_t> bytes;
  if (auto done = file->read(bytes, 24); !done) end_with(STATUS_FAILED, disasm_verb, done.error().message);
  std::string_view start(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (intel::is_intel_object(bytes)) {
    if (auto rest = file->read_rest(bytes, max_file_bytes); !rest) end_with(STATUS_FAILED, disasm_verb, rest.error().message);
    return run_intel_object(call, bytes);
  }
  if (start.starts_with("\x7f"
                        "ELF") ||
      start.starts_with("__CLANG_OFFLOAD_BUNDLE__")) {
    if (auto rest = file->read_rest(bytes, max_file_bytes); !rest) end_with(STATUS_FAILED, disasm_verb, rest.error().message);
    return run_object(call, bytes);
  }
  Assembler assembler = call.isa.require_assembler(disasm_verb);
  if (!call.kernel.empty())
    end_with(STATUS_FAILED, disasm_verb, fmt::format("{} is no code object: it has no kernel '{}'", call.file, call.kernel));
  if (print_stream(call, assembler, *file, bytes) != 0) end(STATUS_FAILED);
}

}  // namespace

void add_disasm(CLI::App& app) {
  auto* sub = app.add_subcommand("disasm", "disassembles raw bytes, a code object or an Intel device binary");
  auto call = std::make_shared<DisasmCall>();
  call->isa.add(*sub);
  sub->add_flag("--batch", call->batch,
                "reads the bytes of one instruction per line as hex and writes for each a line with its text, `.long` with the "
                "text as a comment where no assembler makes these bytes of it, or `! reason`");
  sub->add_option("--kernel", call->kernel, "only this kernel of a code object")->type_name("NAME");
  sub->add_flag("--addresses", call->addresses, "adds each instruction's address and words");
  sub->add_flag("--exact", call->exact,
                "writes only text that assembles to the same bytes, as for all but gfx7 always: gfx7 words for which there is "
                "none become .long, even if they differ only in fields that are not read");
  sub->add_option("FILE", call->file,
                  "raw bytes, any number, or a code object or an Intel device binary of up to 256 MiB; - is standard input")
      ->type_name("FILE");
  sub->callback([call] { run(*call); });
}

}  // namespace Atoll::cli
