#include "dg1_scene.h"

#include <gtest/gtest.h>

#include <cstring>

#include "isa/xe_lp/program.h"

namespace Atoll::ledger {

namespace {

const Family& family() { return registers::dg1_tables; }

gpu::Options options(bool strict) {
  gpu::Options o{
      .engine = gpu::Engine::Interpreter, .threads = 1, .strict = strict, .deterministic = true, .max_still_seconds = 1};
  o.limits.groups = 4096, o.limits.packets = 4096, o.limits.bytes = 1 << 22, o.limits.buffers = 64;
  return o;
}

}  // namespace

Dg1Scene::Dg1Scene(std::string name, gpu::QueueKind kind) : Scene(std::move(name)), kind_(kind) {
  EXPECT_TRUE(space_->map(dg1_at::base, *memory_->allocate(dg1_at::bytes), dg1_at::bytes));
  for (uint64_t n = 0; n < dg1_at::data_bytes; n++) host(dg1_at::data)[n] = uint8_t(n * 7 + 3);
  for (bool strict : {false, true}) devices_[strict] = *dg1::make_device(*gpu::find_chip("dg1"), options(strict));
}

void Dg1Scene::put(uint64_t address, std::span<const uint32_t> words) {
  std::memcpy(host(address), words.data(), words.size_bytes());
}

void Dg1Scene::structure(std::string_view name, uint64_t address) {
  structures_.push_back({registers::owner_number(family(), name), address});
  EXPECT_LT(structures_.back().number, family().commands.size() + family().structures.size()) << name;
}

void Dg1Scene::kernel(std::vector<std::string> lines, uint64_t at) {
  lines.emplace_back("(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}");
  auto words = xe_lp::assemble(lines);
  ASSERT_TRUE(words) << words.error().message;
  std::memcpy(host(at), words->data(), words->size() * 4);
}

void Dg1Scene::finish(bool ends_well) {
  b.end_batch();
  put(dg1_at::batch, b);
  before_.assign(host(dg1_at::base), host(dg1_at::base) + dg1_at::bytes);
  expected_ = run(false);
  EXPECT_TRUE(expected_.lost.empty() || !ends_well) << name << ": " << expected_.lost;
  EXPECT_TRUE(expected_.unknown.empty()) << name << ": " << expected_.unknown.front();
}

Dg1Scene::Ran Dg1Scene::run(bool strict) {
  auto queue = *devices_[strict]->make_queue(kind_, *space_);
  const gpu::CommandBuffer buffer{dg1_at::batch, uint32_t(b.size())};
  Ran ran;
  if (auto done = queue->run({&buffer, 1}); !done) ran.lost = done.error().message;
  for (const auto& u : queue->statistics().unknown) ran.unknown.push_back(u.what);
  ran.data.assign(host(dg1_at::data), host(dg1_at::data) + dg1_at::data_bytes);
  restore();
  return ran;
}

void Dg1Scene::restore() { std::memcpy(host(dg1_at::base), before_.data(), before_.size()); }

bool Dg1Scene::apply(const Change& change) {
  auto change_word = [&](uint64_t address) {
    uint32_t word;
    std::memcpy(&word, host(address), 4);
    word = change.applied(word);
    std::memcpy(host(address), &word, 4);
  };
  bool found = false;
  for (const Placed& s : structures_)
    if (s.number == change.register_number) change_word(s.address + change.instance * 4), found = true;
  const registers::FieldOwner owner = registers::field_owner(family(), change.register_number);
  for (size_t at = 0; !owner.structure && at < b.size();) {  // (b: as it is without changes)
    const registers::Command* row = registers::find_command(family(), b[at]);
    if (!row) break;
    const size_t dwords = row->dwords_of(b[at]);
    if (row == owner.command && change.instance < dwords) change_word(dg1_at::batch + (at + change.instance) * 4), found = true;
    at += dwords;
  }
  return found;
}

bool Dg1Scene::differs(const Change& change) {
  if (!apply(change)) return false;
  const Ran ran = run(false);
  return ran.lost.empty() != expected_.lost.empty() || ran.data != expected_.data;
}

std::vector<std::string> Dg1Scene::unknown(const Changes& changes, bool strict) {
  bool found = !expected_.lost.empty();
  for (const Change& change : changes) found |= apply(change);
  if (!found) return {};
  Ran ran = run(strict);
  if (!ran.lost.empty() && (strict || ran.unknown.empty())) return {ran.lost};
  return strict ? std::vector<std::string>{} : ran.unknown;
}

Dg1Scenes dg1_scenes() {
  Dg1Scenes all;
  add_batch_scenes(all);
  add_kernel_scenes(all);
  add_draw_scenes(all);
  return all;
}

}  // namespace Atoll::ledger
