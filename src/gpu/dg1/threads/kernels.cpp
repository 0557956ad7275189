#include "gpu/dg1/threads/kernels.h"

#include <algorithm>
#include <span>

#include "gpu/device/program_words.h"
#include "isa/xe_lp/data_message.h"
#include "isa/xe_lp/decode.h"
#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/registers.h"

namespace Atoll::dg1 {
namespace {

constexpr size_t most_words = 1 << 20;    // of a kernel
constexpr size_t called_words = 1 << 18;  // taken behind a kernel that calls functions
constexpr size_t unit_words = 2;          // instructions stand at multiples of 8 bytes

bool calls(xe_lp::Op op) {
  return op == xe_lp::Op::Call || op == xe_lp::Op::Calla || op == xe_lp::Op::Jmpi || op == xe_lp::Op::Ret;
}

// Words of a kernel from its first: up to the end of the thread that no branch reaches over, and what it may call.
size_t length(std::span<const uint32_t> code) {
  size_t at = 0, reached = 0;  // reached: the furthest branch target
  bool goes_elsewhere = false;
  while (at < code.size()) {
    xe_lp::Instruction i;
    if (xe_lp::decode(std::as_bytes(code.subspan(at)), i)) {  // data, or an illegal instruction, which faults when reached
      at += unit_words;
      if (at > reached) break;
      continue;
    }
    for (const xe_lp::Operand& source : i.src)
      if (source.kind == xe_lp::Kind::Label && i.op != xe_lp::Op::Calla) {
        int64_t target = int64_t(at) + int64_t(source.immediate) / 4;
        if (target > 0) reached = std::max(reached, size_t(target));
      }
    goes_elsewhere |= calls(i.op);
    at += i.compacted ? 2 : 4;
    if (i.end_of_thread && at > reached) break;
  }
  if (goes_elsewhere) at += called_words;
  return std::min(at, code.size());
}

// A render target write: the target's number is in the extended descriptor, the entry of its surface in the other; a null target has
// none (Mesa 22.3.6 brw_eu.h, brw_fb_write_desc; brw_fs_generator.cpp, generate_fb_write). A read has the entry alone (brw_fb_read_desc).
void note_target(Kernel& kernel, const xe_lp::Instruction& i) {
  constexpr uint32_t write = 0xc, read = 0xd, null_target = 1 << 20;
  if (i.descriptor_in_register) return;
  if ((i.descriptor >> 14 & 0xf) == read) kernel.target_reads.set(i.descriptor & 0xff);
  if ((i.descriptor >> 14 & 0xf) != write) return;
  const uint32_t extended = i.extended_descriptor_in_register ? 0 : i.extended_descriptor;
  if (!(extended & null_target)) kernel.targets[extended >> 12 & 7] = uint16_t((i.descriptor & 0xff) + 1);
}

// True if an instruction changes nothing but its thread's registers, apart from messages to render targets and to the URB, and
// reads nothing that changes by itself. False if that is not known.
bool only_reads(const xe_lp::Instruction& i) {
  auto is_clock = [](const xe_lp::Operand& o) { return o.file == xe_lp::File::Tm && o.kind != xe_lp::Kind::Immediate; };
  if (is_clock(i.dst) || std::ranges::any_of(i.src, is_clock)) return false;
  if (!xe_lp::is_send(i.op)) return i.op != xe_lp::Op::Illegal;
  switch (xe_lp::Sfid(i.function)) {
    case xe_lp::Sfid::RenderTarget:
    case xe_lp::Sfid::PixelInterpolator:
    case xe_lp::Sfid::Urb:
    case xe_lp::Sfid::ThreadSpawner:
    case xe_lp::Sfid::Sampler: return true;
    case xe_lp::Sfid::DataPort0:
    case xe_lp::Sfid::DataPort1:
    case xe_lp::Sfid::ConstantPort: {
      xe_lp::DataMessage m;
      if (i.descriptor_in_register || xe_lp::read_data_message(xe_lp::Sfid(i.function), i.descriptor, m)) return false;
      return !m.write && m.access != xe_lp::DataAccess::Atomic && m.access != xe_lp::DataAccess::TypedAtomic;
    }
    default: return false;
  }
}

// Finds out whether anything in the kernel's words can wait for the group's other threads (words that are no instructions, and ways
// that lead to addresses in registers, may), which surfaces they name, and whether they only read.
void survey(Kernel& kernel) {
  kernel.apart = kernel.only_reads = true, kernel.writes_exceptions = false, kernel.surfaces = 0;
  const std::span<const uint32_t> code = kernel.words;
  for (size_t at = 0; at < code.size();) {
    xe_lp::Instruction i;
    if (xe_lp::decode(std::as_bytes(code.subspan(at)), i)) {
      kernel.apart = kernel.only_reads = false, kernel.writes_exceptions = true, kernel.surfaces = ~0u;
      return;
    }
    at += i.compacted ? 2 : 4;
    const bool branches = xe_lp::is_control(i.op) && i.op != xe_lp::Op::Endif && i.op != xe_lp::Op::Join;
    if (calls(i.op) || (branches && i.src[0].kind != xe_lp::Kind::Label))
      kernel.apart = kernel.only_reads = false, kernel.surfaces = ~0u;
    if (!only_reads(i)) kernel.only_reads = false;
    kernel.writes_exceptions |= i.dst.kind != xe_lp::Kind::None && i.dst.file == xe_lp::File::Cr && i.dst.sub != 0;
    if (i.op == xe_lp::Op::Sync && xe_lp::SyncFunction(i.function) == xe_lp::SyncFunction::Bar) kernel.apart = false;
    if (!xe_lp::is_send(i.op)) continue;
    if (xe_lp::Sfid(i.function) == xe_lp::Sfid::Gateway) kernel.apart = false;
    if (xe_lp::Sfid(i.function) == xe_lp::Sfid::RenderTarget) note_target(kernel, i);
    xe_lp::DataMessage m;
    const bool known = !i.descriptor_in_register && !xe_lp::read_data_message(xe_lp::Sfid(i.function), i.descriptor, m);
    if (known && !m.a64 && m.bti < xe_lp::kept_surfaces) kernel.surfaces |= 1u << m.bti;
  }
}

Expected<std::vector<uint32_t>> read_kernel(const AddressSpace& space, uint64_t address) {
  if (address & 7) return fail("a kernel at 0x{:x}, which is no multiple of 8", address);
  return gpu::read_words(space, address, most_words, "a kernel", length);
}

}  // namespace

bool Kernel::can_be_framed(unsigned width) const {
  auto [found, is_new] = can_be_framed_.try_emplace(width, false);
  if (is_new) found->second = dg1::can_be_framed(*program, width, targets);
  return found->second;
}

const RegisterSet& Kernel::registers_written() const {
  if (!registers_written_) registers_written_ = dg1::registers_written(*program);
  return *registers_written_;
}

size_t Kernel::bytes() const {
  return sizeof(Kernel) + ProgramInMemory::bytes(words.size() / 2 * sizeof(xe_lp::Instruction)) + framed.bytes();
}

Expected<std::shared_ptr<Kernel>> KernelSource::make(uint64_t address) const {
  auto words = read_kernel(space, address);
  if (!words) return std::unexpected(words.error());
  auto kernel = std::make_shared<Kernel>();
  kernel->address = kernel->begin = address;
  kernel->words = std::move(*words);
  survey(*kernel);
  kernel->like.lanes = xe_lp::kChannels;
  kernel->like.inspected = false;
  kernel->like.window = space.base();
  kernel->like.window_bytes = space.window_bytes();
  kernel->program = std::make_shared<const wave::Program>(xe_lp::isa(), address, kernel->words);
  if (auto made = kernel->make_executor(engine, findings); !made) return std::unexpected(made.error());
  return kernel;
}

}  // namespace Atoll::dg1
