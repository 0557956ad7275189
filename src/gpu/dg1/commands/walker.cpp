// GPGPU_WALKER: what its fields, the interface descriptor and the state before it make of a grid of thread groups, which
// threads/thread_groups.cpp runs.
#include <algorithm>

#include "base/offset_text.h"
#include "gpu/dg1/commands/handlers.h"
#include "gpu/dg1/draw/fills.h"
#include "gpu/dg1/threads/thread_groups.h"
#include "gpu/dg1/threads/thread_start.h"
#include "isa/xe_lp/registers.h"

namespace Atoll::dg1 {
namespace {

using Walker = commands::GPGPU_WALKER;
using Descriptor = structures::INTERFACE_DESCRIPTOR_DATA;
constexpr uint64_t register_bytes = 32;

// The payload's data. In memory that of all threads comes first, then a part for each. In a thread's registers its own part comes first
// where the walker brings the data itself (as Intel's OpenCL compiler counts on), that of all threads where they are constants that
// MEDIA_CURBE_LOAD brought (as Mesa's does): those are all put together for each thread here.
bool read_payload(Context& c, const Command& command, const uint32_t* descriptor, uint32_t threads, std::vector<uint8_t>& data,
                  uint64_t& cross_bytes, uint64_t& per_thread_bytes) {
  cross_bytes = Descriptor::Cross_Thread_Constant_Data_Read_Length::get(descriptor) * register_bytes;
  per_thread_bytes = Descriptor::Constant_URB_Entry_Read_Length::get(descriptor) * register_bytes;
  const uint64_t wanted = cross_bytes + per_thread_bytes * threads;
  data.assign(wanted, 0);
  const uint64_t indirect = Walker::Indirect_Data_Length::get(command.words);
  if (indirect) {
    const uint64_t address = c.bases.indirect + Walker::Indirect_Data_Start_Address::get(command.words);
    return c.within(c.budget.bytes(indirect)) &&
           c.load(address, data.data(), std::min(indirect, wanted), "read of indirect data");
  }
  const auto& curbe = c.media.curbe;
  const uint64_t from = Descriptor::Constant_URB_Entry_Read_Offset::get(descriptor) * register_bytes;
  if (wanted && (from > curbe.size() || wanted > curbe.size() - from))
    return c.lose(fmt::format("{} bytes of constants from {} on, of which {} were loaded", wanted, from, curbe.size()));
  const auto constants = curbe.begin() + ptrdiff_t(from);
  const uint64_t whole = cross_bytes + per_thread_bytes;
  data.resize(whole * threads);
  for (uint64_t n = 0; n < threads; ++n) {
    auto to = std::copy_n(constants, cross_bytes, data.begin() + ptrdiff_t(n * whole));
    std::copy_n(constants + ptrdiff_t(cross_bytes + n * per_thread_bytes), per_thread_bytes, to);
  }
  cross_bytes = 0, per_thread_bytes = whole;
  return true;
}

// cr0.0 of a thread. Denorm Mode is Ftz, as Mesa leaves it, by which denormals of f32 are flushed and those of halves and doubles kept
// (Intel's media-driver, mhw_state_heap_hwcmd_g12_X.h, DENORM_MODE_FTZ); or it leaves that to the kernel, as NEO asks: the bits are 0 when
// that begins (IGC CISABuilder.cpp, initCR), so that with -cl-denorms-are-zero none are kept.
uint32_t control(const uint32_t* descriptor) {
  const bool by_kernel = Descriptor::Denorm_Mode::get(descriptor) == Descriptor::Denorm_Mode::SetByKernel;
  return control_modes(Descriptor::Floating_Point_Mode::get(descriptor), Descriptor::Single_Program_Flow::get(descriptor),
                       uint32_t(Descriptor::Rounding_Mode::get(descriptor)),
                       by_kernel ? 0 : xe_lp::kKeepDenormals16 | xe_lp::kKeepDenormals64);
}

}  // namespace

bool gpgpu_walker(CommandStreamer& s, const Command& command) {
  Context& c = s.context();
  const uint32_t* words = command.words;
  if (Walker::Predicate_Enable::is_set(words) && !(c.registers.read(mmio::predicate_result) & 1)) return true;
  const size_t at = Walker::Interface_Descriptor_Offset::get(words) * Descriptor::dwords;
  if (at + Descriptor::dwords > c.media.descriptors.size())
    return c.lose(fmt::format("interface descriptor {} of {} that were loaded", at / Descriptor::dwords,
                              c.media.descriptors.size() / Descriptor::dwords));
  const uint32_t* descriptor = &c.media.descriptors[at];
  static const NotYet not_yet("INTERFACE_DESCRIPTOR_DATA", NotYet::Checked::Dispatch);
  not_yet.look(descriptor, [&](std::string what) { c.unknown(std::move(what)); });
  if (c.lost()) return false;

  ThreadGroups groups;
  groups.begin = {uint32_t(Walker::Thread_Group_ID_Starting_X::get(words)),
                  uint32_t(Walker::Thread_Group_ID_Starting_Y::get(words)),
                  uint32_t(Walker::Thread_Group_ID_Starting_Resume_Z::get(words))};
  groups.end = {uint32_t(Walker::Thread_Group_ID_X_Dimension::get(words)),
                uint32_t(Walker::Thread_Group_ID_Y_Dimension::get(words)),
                uint32_t(Walker::Thread_Group_ID_Z_Dimension::get(words))};
  if (Walker::Indirect_Parameter_Enable::is_set(words))
    groups.end = {c.registers.read(mmio::dispatch_x), c.registers.read(mmio::dispatch_y), c.registers.read(mmio::dispatch_z)};
  const uint64_t simd = Walker::SIMD_Size::get(words);
  if (simd > Walker::SIMD_Size::SIMD32) return c.lose(fmt::format("SIMD size {} does not exist", simd));
  groups.simd = 8u << simd;
  groups.threads = {uint32_t(Walker::Thread_Width_Counter_Maximum::get(words)) + 1,
                    uint32_t(Walker::Thread_Height_Counter_Maximum::get(words)) + 1,
                    uint32_t(Walker::Thread_Depth_Counter_Maximum::get(words)) + 1};
  groups.right_mask = uint32_t(Walker::Right_Execution_Mask::get(words));
  groups.bottom_mask = uint32_t(Walker::Bottom_Execution_Mask::get(words));
  const uint64_t threads = uint64_t(groups.threads[0]) * groups.threads[1] * groups.threads[2];
  if (threads > max_group_threads)
    return c.lose(fmt::format("groups of {} threads: there is room for {}", threads, max_group_threads));

  auto along = [&](int axis) { return groups.end[axis] > groups.begin[axis] ? groups.end[axis] - groups.begin[axis] : 0; };
  if (!c.within(c.budget.groups(along(0), along(1), along(2)))) return false;

  std::vector<uint8_t> data;
  uint64_t cross_bytes = 0, per_thread_bytes = 0;
  if (!read_payload(c, command, descriptor, uint32_t(threads), data, cross_bytes, per_thread_bytes)) return false;
  groups.cross_thread = std::span(data).first(cross_bytes);
  groups.per_thread = std::span(data).subspan(cross_bytes);
  groups.per_thread_bytes = uint32_t(per_thread_bytes);

  const uint64_t slm = Descriptor::Shared_Local_Memory_Size::get(descriptor);
  if (slm > Descriptor::Shared_Local_Memory_Size::Encodes_64K) return c.lose(fmt::format("shared local memory of size {}", slm));
  groups.slm_bytes = slm ? 512u << slm : 0;
  groups.scratch_offset = c.media.scratch_offset;
  groups.scratch_bytes = c.media.scratch_bytes;
  groups.control = control(descriptor);
  groups.exceptions = control_exceptions(Descriptor::Software_Exception_Enable::get(descriptor),
                                         Descriptor::Illegal_Opcode_Exception_Enable::get(descriptor),
                                         Descriptor::Mask_Stack_Exception_Enable::get(descriptor));
  groups.context =
      c.thread_context(Descriptor::Binding_Table_Pointer::get(descriptor), Descriptor::Sampler_State_Pointer::get(descriptor));
  if (!settle_fast_clears(c, groups.context.binding_table, Descriptor::Binding_Table_Entry_Count::get(descriptor))) return false;

  c.tell_use("INTERFACE_DESCRIPTOR_DATA", 0, std::span(descriptor, Descriptor::dwords));
  const uint64_t address = stripped(c.bases.instruction + Descriptor::Kernel_Start_Pointer::get(descriptor));
  auto kernel = c.kernels.find(address);
  if (!kernel) return c.lose(kernel.error().message);
  if (const char* why = unknown_exception(groups.exceptions, **kernel))
    return c.lose(fmt::format("INTERFACE_DESCRIPTOR_DATA: {}", why));
  c.make_workers();
  c.statistics.dispatches++;
  auto result =
      run_thread_groups(groups, **kernel, c.space, *c.workers, *c.environment, c.stop, c.options.deterministic, &c.progress);
  if (!result) return c.lose(result.error().message);
  static_cast<wave::Counters&>(c.statistics) += result->counters;
  if (const auto& met = result->fault) {
    c.stop = 0;
    const gpu::Fault& fault = *met;
    return c.lose(fmt::format("kernel at {:#x}: instruction {} '{}', group {},{},{}: {} (address {:#x})", address,
                              offset_text(fault.pc_offset), fault.instruction_text, fault.group[0], fault.group[1],
                              fault.group[2], fault.other.empty() ? "memory fault" : fault.other, fault.address),
                  fault);
  }
  if (result->stopped) return c.lose_stopped(fmt::format("kernel at {:#x}", address));
  // Mesa gives it to programs as the number of compute shader invocations (src/intel/vulkan/genX_query.c, vk_pipeline_stat_to_reg).
  c.registers.write64(mmio::cs_invocations, c.registers.read64(mmio::cs_invocations) + groups.invocations());
  if (c.asked_for_draws()) {
    gpu::DrawnIntoNothing nothing;
    (*c.after_draw)(c.statistics.dispatches, nothing);
  }
  return true;
}

}  // namespace Atoll::dg1
