#include "gpu/dg1/draw/hull_stage.h"

#include <atomic>

namespace Atoll::dg1 {

using HS = commands::_3DSTATE_HS;

namespace {
constexpr unsigned hull_lanes = 8;
}

bool HullStage::find(Context& context, unsigned patch_vertices, unsigned workers) {
  const GraphicsState& s = context.graphics;
  corners_ = patch_vertices;
  const auto mode = s.get<HS::Dispatch_Mode>();
  if (mode != HS::Dispatch_Mode::_8_PATCH && mode != HS::Dispatch_Mode::SINGLE_PATCH)
    return context.lose(fmt::format("3DSTATE_HS.Dispatch Mode {}, which does not exist", mode));
  eight_ = mode == HS::Dispatch_Mode::_8_PATCH;
  if (s.get<HS::Vertex_URB_Entry_Read_Length>())
    return context.lose("3DSTATE_HS.Vertex URB Entry Read Length: vertices in the payload of hull shaders are not executed yet");
  with_identifiers_ = s.get<HS::Include_Primitive_ID>();
  given_corners_ = s.get<HS::Include_Vertex_Handles>() ? corners_ : 0;
  instances_ = unsigned(s.get<HS::Instance_Count>()) + 1;
  entry_rows_ = urb_entry_rows(s, Stage::HS);
  if (!find_stage(context, Stage::HS, setup_)) return false;
  const unsigned handles = eight_ ? 2 + with_identifiers_ + given_corners_ : 1 + (given_corners_ + hull_lanes - 1) / hull_lanes;
  const unsigned payload = std::max(setup_.data_register(), handles);
  if (payload > xe_lp::kRegisters || (!setup_.constants.empty() && setup_.first_register < handles))
    return context.lose(fmt::format("3DSTATE_HS: handles in {} registers, constants from r{} to r{}: Dispatch GRF Start Register",
                                    handles, setup_.first_register, payload));
  for (unsigned n = 0; n < workers; n++) workers_.push_back(std::make_unique<UrbThreads>(setup_, n, payload, instances_));
  return true;
}

// r0.2: the instance in bits 22:16, in 30:24 its group's barrier. r1: outputs of 8 patches, [r2: their numbers,] a register for each of
// their vertices.
void HullStage::put_eight(uint32_t* payload, const StagePrimitives& patches, const xe_lp::UrbEntries& outputs, unsigned first,
                          unsigned here) const {
  uint32_t* row = payload + 8;
  auto put = [&](auto value) {
    for (unsigned lane = 0; lane < hull_lanes; lane++) row[lane] = lane < here ? value(first + lane) : 0;
    row += 8;
  };
  put([&](unsigned patch) { return outputs.first + patch * outputs.size; });
  if (with_identifiers_) put([&](unsigned patch) { return patches.identifier[patch]; });
  for (unsigned c = 0; c < given_corners_; c++) put([&](unsigned patch) { return patches.handle(patch, c); });
}

// r0.0: the output, r0.1: the patch's number; from r1 on its vertices, eight a register.
void HullStage::put_single(uint32_t* payload, const StagePrimitives& patches, const xe_lp::UrbEntries& outputs,
                           unsigned patch) const {
  payload[0] = outputs.first + patch * outputs.size, payload[1] = patches.identifier[patch];
  for (unsigned c = 0; c < (given_corners_ + hull_lanes - 1) / hull_lanes * hull_lanes; c++)
    payload[8 + c] = c < given_corners_ ? patches.handle(patch, c) : 0;
}

bool HullStage::run(Urb& urb, const StagePrimitives& patches, const xe_lp::UrbEntries& outputs, WorkerPool& workers) {
  urb.zero(outputs);
  const auto count = unsigned(patches.count());
  const unsigned each = eight_ ? hull_lanes : 1, groups = (count + each - 1) / each;
  std::atomic<bool> fine{true};
  workers.share(groups, [&](unsigned worker, unsigned group) {
    if (!fine.load(std::memory_order_relaxed)) return;
    const unsigned first = group * each, here = std::min(each, count - first);
    auto load = [&](unsigned instance, uint32_t* payload) {
      payload[2] |= instance << 16;
      if (eight_)
        put_eight(payload, patches, outputs, first, here);
      else
        put_single(payload, patches, outputs, first);
      return eight_ ? (1u << here) - 1 : 0xffu;
    };
    const UrbReach reach{urb, patches.vertices, outputs};
    UrbThreads& threads = *workers_[worker];
    const bool apart = setup_.threads->kernel->apart;
    if (!(apart ? threads.run(reach, instances_, load) : threads.run_group(reach, instances_, load))) fine = false;
  });
  return fine;
}

}  // namespace Atoll::dg1
