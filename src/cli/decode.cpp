// atoll decode: a command stream packet by packet, with registers and fields by name; of a recording, all that were submitted.
#include <fmt/format.h>

#include <map>

#include "base/files.h"
#include "cli/batch_printer.h"
#include "cli/decode_recording.h"
#include "cli/register_output.h"
#include "cli/stream_printer.h"
#include "cli/verbs.h"
#include "registers/stream_text.h"
#include "trace/recording_file.h"

namespace Atoll::cli {
namespace {

using namespace registers;

constexpr const char* decode_verb = "decode";

struct DecodeCall {
  std::string gpu, file = "-", engine = "render";
  std::vector<std::string> buffers;  // ADDRESS=FILE
  bool hex = false, json = false;
};

using Words = std::vector<uint32_t>;

std::string shown_name(const std::string& file) { return file == "-" ? "standard input" : file; }

// `left`: bytes behind the last dword.
Expected<Words> read(const DecodeCall& call, const std::string& file, size_t& left) {
  auto bytes = read_file(file);
  if (!bytes) return std::unexpected(bytes.error());
  left = 0;
  if (call.hex) {
    auto words = dwords_of_hex({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    if (!words) return fail("{}:{}", shown_name(file), words.error().message);
    return words;
  }
  Words words(bytes->size() / 4);
  for (size_t i = 0; i < words.size() * 4; i++) words[i / 4] |= uint32_t((*bytes)[i]) << 8 * (i % 4);
  left = bytes->size() % 4;
  return words;
}

const Family& family_of(const std::string& gpu) {
  const Family& family = *families_of(decode_verb, gpu).front();
  if (family.pm4 == registers::Pm4Dialect::None && family.commands.empty())
    end_with(STATUS_CALL, decode_verb, fmt::format("{}: its streams cannot be read yet", gpu));
  return family;
}

// The buffers that --ib names, by address. Bytes behind the last dword of one go to `stray`(file, words, bytes).
template <class Stray>
std::map<uint64_t, StreamPrinter::Buffer> read_buffers(const DecodeCall& call, Stray&& stray) {
  std::map<uint64_t, StreamPrinter::Buffer> buffers;
  size_t left;
  for (auto& text : call.buffers) {
    auto refuse = [&](const std::string& why) { end_with(STATUS_CALL, decode_verb, why); };
    auto equals = text.find('=');
    if (equals == std::string::npos) refuse(fmt::format("--ib {}: write ADDRESS=FILE", text));
    auto address = parse_words(text.substr(0, equals), 64);
    if (!address) refuse(fmt::format("--ib {}: {}", text, address.error().message));
    std::string file = text.substr(equals + 1);
    auto words = read(call, file, left);
    if (!words) refuse(words.error().message);
    stray(file, words->size(), left);
    buffers[(*address)[0] | uint64_t((*address)[1]) << 32] = {file, std::move(*words), false};
  }
  return buffers;
}

Words read_stream(const DecodeCall& call, size_t& left) {
  auto words = read(call, call.file, left);
  if (!words) end_with(STATUS_FAILED, decode_verb, words.error().message);
  return std::move(*words);
}

// A batch of Intel's command streamers.
void decode_batch(const DecodeCall& call, const Family& family) {
  if (call.engine != "render" && call.engine != "blitter")
    end_with(STATUS_CALL, decode_verb, fmt::format("--engine {}: render or blitter", call.engine));
  BatchPrinter printer(decode_verb, family, call.json);
  auto stray = [&](const std::string& file, size_t words, size_t left) {
    if (left) printer.problem(shown_name(file), words * 4, fmt::format("{} bytes are left behind the last dword", left));
  };
  auto buffers = read_buffers(call, stray);
  size_t left;
  const Words words = read_stream(call, left);
  stray(call.file, words.size(), left);
  auto read = [&](uint64_t address, uint32_t* to, uint32_t dwords) {
    std::span<const uint32_t> from = words;
    if (auto found = buffers.upper_bound(address); found != buffers.begin()) {
      --found;
      if (address - found->first < found->second.words.size() * 4) address -= found->first, from = found->second.words;
    }
    if (address / 4 > from.size() || dwords > from.size() - address / 4) return false;
    std::copy_n(from.begin() + ptrdiff_t(address / 4), dwords, to);
    return true;
  };
  printer.walk(shown_name(call.file), 0, words.size(), call.engine, read);
  if (!printer.summarise()) end(STATUS_FAILED);
}

void decode(const DecodeCall& call) {
  if (call.file != "-" && trace::is_recording(call.file)) {
    if (call.hex || !call.buffers.empty())
      end_with(STATUS_CALL, decode_verb,
               fmt::format("{} is a recording, which has its buffers: without --hex and --ib", call.file));
    if (!decode_recording(decode_verb, call.file, call.gpu, call.json)) end(STATUS_FAILED);
    return;
  }
  if (call.gpu.empty()) {
    // If the file cannot be read, that is the error to report first.
    std::vector<uint8_t> first;
    auto file = InputFile::open(call.file);
    auto done = file ? file->read(first, 1) : std::unexpected(file.error());
    if (!done) end_with(STATUS_FAILED, decode_verb, done.error().message);
    end_with(STATUS_CALL, decode_verb,
             fmt::format("{} is no recording: name the GPU that the stream is for: --gpu GPU", shown_name(call.file)));
  }
  const Family& family = family_of(call.gpu);
  if (!family.commands.empty()) return decode_batch(call, family);
  std::map<uint64_t, StreamPrinter::Buffer> buffers;
  StreamPrinter printer(decode_verb, family, call.json, [&](const IndirectBuffer& called) -> StreamPrinter::Buffer* {
    auto found = buffers.find(called.address);
    return found == buffers.end() ? nullptr : &found->second;
  });
  auto stray = [&](const std::string& file, size_t words, size_t left) {
    if (left)
      printer.problem(shown_name(file), words,
                      fmt::format("{} bytes are left behind the last dword: the stream is truncated", left));
  };
  buffers = read_buffers(call, stray);
  size_t left;
  const Words words = read_stream(call, left);
  stray(call.file, words.size(), left);
  printer.print(shown_name(call.file), "", words);
  if (!printer.summarise()) end(STATUS_FAILED);
}

}  // namespace

void add_decode(CLI::App& app) {
  auto call = std::make_shared<DecodeCall>();
  auto* sub = app.add_subcommand("decode", "prints a command stream packet by packet");
  sub->footer("A stream or buffer may have up to 256 MiB.");
  sub->add_option("--gpu", call->gpu, "the GPU that the stream is for; a recording names its own")->type_name("GPU");
  sub->add_option("FILE", call->file, "raw little-endian dwords, or a recording; - is standard input");
  sub->add_option("--ib", call->buffers, "the content of an indirect buffer, printed where it is called")
      ->take_all()
      ->type_name("ADDRESS=FILE");
  sub->add_option("--engine", call->engine, "whose commands they are, on the dg1: render or blitter");
  sub->add_flag("--hex", call->hex, "hexadecimal text instead of raw dwords");
  sub->add_flag("--json", call->json, "one JSON object per line");
  sub->callback([call] { decode(*call); });
}

}  // namespace Atoll::cli
