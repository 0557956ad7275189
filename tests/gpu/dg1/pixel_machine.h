// A context whose state makes a pixel stage of a few instructions, and batches of pixels of random contents, for tests of what pixel
// threads begin with and send.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "batch.h"
#include "gpu/chips/chip.h"
#include "gpu/dg1/draw/pixel_stage.h"
#include "isa/xe_lp/program.h"
#include "registers/lookup.h"

namespace Atoll::dg1_tests {

using namespace dg1;
using namespace dg1::commands;

struct PixelMachine {
  static constexpr uint64_t kernel_at = 0x200000000, states = 0x300000000, memory_at = 0x400000000, bytes = 1 << 16;
  static constexpr uint64_t table = 0x8000;  // of bindings, from the surface base

  gpu::Options options;
  std::atomic<int> stop{0};
  std::unique_ptr<AddressSpace> space = *AddressSpace::create_sectioned();
  Context context{*gpu::find_chip("dg1"), gpu::QueueKind::graphics, *space, options, stop};
  ThreadEnvironment environment{*space};
  AttributeMap attributes;
  std::unique_ptr<pipeline::PixelStage> stage;
  pipeline::PixelResults results{};

  explicit PixelMachine(gpu::Engine engine) : options(with(engine)) {
    for (uint64_t at : {kernel_at, states, memory_at}) EXPECT_TRUE(space->map(at, *space->memory().allocate(bytes), bytes));
    context.environment = &environment;
    context.workers = std::make_unique<pipeline::Workers>(1);
    context.bases.instruction = kernel_at, context.bases.surface = context.bases.dynamic = states;
    set<_3DSTATE_BINDING_TABLE_POINTERS_PS>(
        [](uint32_t* w) { _3DSTATE_BINDING_TABLE_POINTERS_PS::Pointer_to_PS_Binding_Table::set(w, table); });
    for (uint32_t n = 0; n < 2; n++) buffer(n);
  }
  static gpu::Options with(gpu::Engine engine) {
    gpu::Options options;
    options.engine = engine;
    return options;
  }

  // Entry n of the binding table: the memory, as bytes.
  void buffer(uint32_t n) {
    uint32_t words[16] = {};
    using S = structures::RENDER_SURFACE_STATE;
    S::Surface_Type::set(words, S::Surface_Type::SURFTYPE_BUFFER), S::Surface_Format::set(words, SURFACE_FORMAT::RAW);
    S::Width::set(words, (bytes - 1) & 0x7f), S::Height::set(words, (bytes - 1) >> 7);
    S::Surface_Base_Address::set(words, memory_at);
    std::memcpy(space->host(states + n * 64), words, sizeof words);
    const uint32_t entry = n * 64;
    std::memcpy(space->host(states + table + n * 4), &entry, 4);
  }

  template <class Command, class Set>
  void set(Set&& fields, uint32_t dwords = Command::dwords) {
    Batch words;
    words.add<Command>(fields, dwords);
    const registers::Command* row = registers::find_command(registers::dg1_tables, words[0]);
    ASSERT_TRUE(row);
    context.graphics.set(*row, words);
  }

  // At the kernels' place `at`.
  void put_kernel(const std::vector<std::string>& lines, uint64_t at = 0) {
    auto words = xe_lp::assemble(lines);
    ASSERT_TRUE(words) << words.error().message;
    std::memcpy(space->host(kernel_at + at), words->data(), words->size() * 4);
    context.kernels.invalidate();
  }

  // The last `problem`; empty: there is a stage.
  std::string make() {
    std::string problem;
    std::thread([&] { stage = make_pixel_stage(context, attributes, problem); }).join();
    return problem.empty() && context.lost() ? context.report() : problem;
  }
  // `stands`: sets what the targets that the stage reads hold.
  bool shade(const pipeline::PixelBatch& batch, const std::function<void(pipeline::PixelResults&)>& stands = {}) {
    bool good = false;
    results = {};
    if (stands) stands(results);
    std::thread([&] {  // GPU code runs on threads that handle its faults
      stage->bind_worker(0);
      good = stage->shade(0, batch, results);
    })
        .join();
    return good;
  }
  uint32_t word(uint64_t dword) const {
    uint32_t x;
    std::memcpy(&x, space->host(memory_at + dword * 4), 4);
    return x;
  }
};

// Pixels side by side: quad q begins at (x + 2 * q, y). Every float is one that no sum of others gives.
inline std::unique_ptr<pipeline::PixelBatch> random_batch(uint32_t seed, unsigned quads, uint64_t covered) {
  auto batch = std::make_unique<pipeline::PixelBatch>();
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> real(0.1f, 1.0f);
  batch->quads = quads, batch->one_primitive = true, batch->covered = covered;
  for (unsigned l = 0; l < pipeline::max_pixels; l++) {
    batch->x[l] = int(l / 4 * 2 + l % 2), batch->y[l] = int(34 + l / 2 % 2);
    for (auto& set : batch->barycentric) set[0][l] = real(random), set[1][l] = real(random);
    batch->z[l] = real(random), batch->one_over_w[l] = real(random);
    batch->coverage[l] = covered >> l & 1 ? random() | 1 : 0;
    batch->centroid[0][l] = float(random() % 16) / 16, batch->centroid[1][l] = float(random() % 16) / 16;
  }
  return batch;
}

}  // namespace Atoll::dg1_tests
