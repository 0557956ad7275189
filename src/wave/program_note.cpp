#include "wave/program_note.h"

#include <algorithm>
#include <cstring>

#include "wave/jit/code_cache.h"
#include "wave/jit/plain_bytes.h"

namespace Atoll::wave {
namespace {

constexpr size_t place_bytes = sizeof(FloatMode) + sizeof(uint32_t), hint_bytes = 4 + 1 + 8;

template <class T>
void append(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// False: the text ends before.
template <class T>
bool take(std::string_view& text, T& value) {
  if (text.size() < sizeof value) return false;
  std::memcpy(&value, text.data(), sizeof value);
  text.remove_prefix(sizeof value);
  return true;
}

bool holds(const std::vector<std::string>& places, const std::string& place) {
  return std::ranges::find(places, place) != places.end();
}

}  // namespace

// All that tells programs apart of which code could be the same; what else code depends on is in its own key.
const std::string& ProgramNote::name() {
  if (!name_.empty()) return name_;
  const RegisterFile& file = program_.register_file();
  name_ = program_.isa().name();
  append(name_, '\0');
  append(name_, uint32_t(program_.variant.size()));
  name_ += program_.variant;
  for (uint32_t number : {file.bytes, file.active_cell, uint32_t(file.whole_wave), file.results_begin, file.results_end,
                          file.pixels_begin, file.pixels_end, file.mode_cell, like_.lanes, uint32_t(like_.one_primitive),
                          uint32_t(like_.privileged), uint32_t(like_.exports)})
    append(name_, number);
  const auto code = program_.code();
  name_.append(reinterpret_cast<const char*>(code.data()), code.size_bytes());
  return name_;
}

std::string ProgramNote::place(const FloatMode& mode, uint64_t pc) const {
  std::string place = plain_bytes(mode);
  append(place, program_.index(pc));
  return place;
}

// Under mutex_. What does not fit the program is not taken.
ProgramNote::Content ProgramNote::from_disk() {
  CodeCache* cache = code_on_disk();
  const auto note = cache ? cache->find_note(name()) : std::nullopt;
  if (!note) return {};
  std::string_view text = *note;
  Content content;
  uint32_t places = 0, hints = 0;
  if (!take(text, content.hot) || !take(text, places) || !take(text, hints)) return {};
  if (text.size() != size_t(places) * place_bytes + size_t(hints) * hint_bytes) return {};
  for (; places; places--) content.places.emplace_back(text.substr(0, place_bytes)), text.remove_prefix(place_bytes);
  for (Hint hint; hints; hints--) {
    if (!take(text, hint.index) || !take(text, hint.address_forms) || !take(text, hint.texture_form)) return {};
    if (hint.index >= program_.words()) return {};
    content.hints.push_back(hint);
  }
  return content;
}

const ProgramNote::Content& ProgramNote::read() {
  if (const Content* there = read_.load(std::memory_order_acquire)) return *there;
  std::lock_guard lock(mutex_);
  if (!read_.load()) {
    found_ = from_disk();
    read_.store(&found_, std::memory_order_release);
  }
  return found_;
}

bool ProgramNote::was_hot() { return read().hot; }

bool ProgramNote::has_code(const FloatMode& mode, uint64_t pc) {
  const Content& content = read();
  return !content.places.empty() && holds(content.places, place(mode, pc));
}

void ProgramNote::give_hints() {
  for (const Hint& hint : read().hints) {
    const Step& step = program_.decoded(*program_.at(program_.base() + hint.index * 4));
    step.address_forms |= hint.address_forms;
    uint64_t none = no_form;
    std::atomic_ref(step.texture_form).compare_exchange_strong(none, hint.texture_form, std::memory_order_relaxed);
  }
}

std::vector<ProgramNote::Hint> ProgramNote::hints() {
  std::vector<Hint> all;
  if (!code_on_disk()) return all;
  for (uint32_t n = 0; n < program_.words(); n++) {
    const Step& step = *program_.at(program_.base() + n * 4);
    const Hint hint = {n, step.address_forms, std::atomic_ref(step.texture_form).load(std::memory_order_relaxed)};
    if (hint.address_forms || hint.texture_form) all.push_back(hint);
  }
  return all;
}

void ProgramNote::store(const Content& content) {
  std::string text;
  append(text, content.hot);
  append(text, uint32_t(content.places.size()));
  append(text, uint32_t(content.hints.size()));
  for (const std::string& place : content.places) text += place;
  for (const Hint& hint : content.hints)
    append(text, hint.index), append(text, hint.address_forms), append(text, hint.texture_form);
  code_on_disk()->store_note(name(), text);
}

// (Of two processes at once one may lose a place: it is noted again by the next that asks for code there.)
void ProgramNote::store_code(const FloatMode& mode, uint64_t pc, std::vector<Hint> hints) {
  if (!code_on_disk()) return;
  constexpr size_t most_places = 1000;
  std::lock_guard lock(mutex_);
  Content content = from_disk();
  const std::string here = place(mode, pc);
  const bool known = holds(content.places, here);
  if ((known && content.hints == hints) || content.places.size() >= most_places) return;
  if (!known) content.places.push_back(here);
  content.hints = std::move(hints);
  store(content);
}

void ProgramNote::store_hot() {
  if (!code_on_disk()) return;
  std::lock_guard lock(mutex_);
  Content content = from_disk();
  if (content.hot) return;
  content.hot = true;
  store(content);
}

}  // namespace Atoll::wave
