#include "eval/evaluator.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

#include "wave/work_group.h"

namespace Atoll::eval {
namespace {

constexpr uint32_t lds_bytes = 65536;                  // as much as a work-group can have, so that any offset works
constexpr uint32_t scratch_bytes = 4096;               // a lane
constexpr uint64_t code_from_end = uint64_t(1) << 20;  // the code stands this far below the window's end
constexpr uint64_t memory_limit = uint64_t(1) << 28;   // bytes that one request may map or read

int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

uint64_t read_place(wave::Wave& wave, const Register& r, const Register::Place& place) {
  uint64_t value = 0;
  std::memcpy(&value, wave::bytes_of(wave, place.cell), r.bits > 32 ? 8 : r.bits > 16 || r.bits == 1 ? 4 : 2);
  return value;
}

void write_place(wave::Wave& wave, const Register& r, const Register::Place& place, uint64_t value) {
  size_t bytes = r.bits > 32 ? 8 : r.bits > 16 || r.bits == 1 ? 4 : 2;
  for (uint32_t n = 0; n < place.copies; n++) std::memcpy(wave::bytes_of(wave, place.cell + n * 4), &value, bytes);
}

RegisterValue read_register(wave::Wave& wave, const Register& r, std::string name) {
  RegisterValue value{std::move(name), {}, r.list};
  for (const auto& place : r.places) value.values.push_back(read_place(wave, r, place));
  return value;
}

Expected<void> write_register(wave::Wave& wave, const Register& r, const RegisterValue& given) {
  if (given.list && !r.list) return fail("register {}: takes one value, not a list", given.name);
  if (given.list && given.values.size() != r.places.size())
    return fail("register {}: {} values given, it has {}", given.name, given.values.size(), r.places.size());
  for (uint64_t value : given.values)
    if (r.bits < 64 && value >> r.bits) return fail("register {}: {:#x} has more than {} bits", given.name, value, r.bits);
  for (size_t n = 0; n < r.places.size(); n++)
    write_place(wave, r, r.places[n], given.list ? given.values[n] : given.values.at(0));
  return {};
}

std::string describe(const wave::Program& program, const wave::FaultReport& fault) {
  const wave::Step* step = program.contains(fault.pc) ? &program.decoded(*program.at(fault.pc)) : nullptr;
  std::string where = fmt::format("instruction {:#x}", fault.pc - program.base());
  if (fault.kind == wave::FaultKind::Illegal || fault.kind == wave::FaultKind::Trap) {
    std::string why = step ? program.decode_error(*step) : std::string();
    bool decoded = why.empty();
    if (decoded) why = fault.reason ? fault.reason : "";
    std::string what = decoded && step ? fmt::format("'{}'", program.isa().text(*step))
                       : step          ? fmt::format("word 0x{:08x}", program.code()[program.index(fault.pc)])
                                       : std::string("outside of the code");
    return fmt::format("illegal instruction: {}, {}: {}", where, what, why);
  }
  const char* what = "load";
  switch (fault.kind) {
    case wave::FaultKind::Store: what = "store"; break;
    case wave::FaultKind::Atomic: what = "atomic"; break;
    case wave::FaultKind::ScalarLoad: what = "scalar load"; break;
    case wave::FaultKind::Fetch: what = "instruction fetch"; break;
    default: break;
  }
  if (step) where += fmt::format(" '{}'", program.isa().text(*step));
  if (fault.lane >= 0) where += fmt::format(", lane {}", fault.lane);
  if (fault.reason) where += fmt::format(" ({})", fault.reason);
  return fmt::format("fault: {} of {} bytes at {:#x}, {}", what, fault.bytes, fault.address, where);
}

}  // namespace

Expected<std::unique_ptr<Evaluator>> Evaluator::create() {
  std::unique_ptr<Evaluator> e(new Evaluator);
  auto space = AddressSpace::create();
  if (!space) return std::unexpected(space.error());
  e->space_ = std::move(*space);
  e->watch_ = std::thread([raw = e.get()] { raw->watch(); });
  return e;
}

Evaluator::~Evaluator() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  gone_.notify_all();
  if (watch_.joinable()) watch_.join();
}

void Evaluator::watch() {
  std::unique_lock lock(mutex_);
  while (!gone_.wait_for(lock, std::chrono::milliseconds(20), [this] { return ending_; }))
    if (deadline_ && now() > deadline_) stop_.store(1);
}

void Evaluator::watch_until(int64_t deadline) {
  std::lock_guard lock(mutex_);
  deadline_ = deadline;
  stop_.store(0);
}

// Maps the pages that the request names, fills them, and the code.
Expected<void> Evaluator::map(const Request& request, uint64_t code_address, size_t code_bytes) {
  std::set<uint64_t> pages;
  uint64_t total = 0;
  auto add = [&](uint64_t address, uint64_t bytes, bool code) -> Expected<void> {
    if (!bytes) return {};
    if (bytes > memory_limit || (total += bytes) > memory_limit)
      return fail("mem {:#x}: a request can have {} MiB of memory", address, memory_limit >> 20);
    if (address < page_bytes) return fail("mem {:#x}: the first page of the address space is never mapped", address);
    if (address > space_->size() - bytes)
      return fail("mem {:#x}: beyond the address space of {:#x} bytes", address, space_->size());
    if (!code && address + bytes > code_address)
      return fail("mem {:#x}: addresses from {:#x} on are the code's", address, code_address);
    for (uint64_t page = address / page_bytes; page <= (address + bytes - 1) / page_bytes; page++) pages.insert(page);
    return {};
  };
  for (const auto& m : request.memory)
    if (auto done = add(m.address, m.bytes.size(), false); !done) return done;
  for (const auto& m : request.read_memory)
    if (auto done = add(m.address, m.bytes, false); !done) return done;
  if (auto done = add(code_address, code_bytes, true); !done) return done;
  for (auto it = pages.begin(); it != pages.end();) {
    uint64_t first = *it, last = first;
    while (++it != pages.end() && *it == last + 1) last++;
    uint64_t bytes = (last - first + 1) * page_bytes;
    auto offset = space_->memory().allocate(bytes);
    if (!offset) return std::unexpected(offset.error());
    file_ranges_.emplace_back(*offset, bytes);
    if (auto done = space_->map(first * page_bytes, *offset, bytes); !done) return done;
    mapped_.push_back({first * page_bytes, bytes});
  }
  for (const auto& m : request.memory) std::copy(m.bytes.begin(), m.bytes.end(), space_->host(m.address));
  return {};
}

void Evaluator::unmap() {
  for (const auto& m : mapped_) (void)space_->unmap(m.address, m.bytes);
  for (const auto& [offset, bytes] : file_ranges_) space_->memory().release(offset, bytes);
  mapped_.clear(), file_ranges_.clear();
}

wave::Wave* Evaluator::fresh_wave(const wave::Isa& isa, unsigned lanes) {
  size_t bytes = wave::register_file_offset + isa.register_file().bytes;
  if (bytes > storage_bytes_) {
    storage_ = wave::allocate_storage(bytes);
    storage_bytes_ = bytes;
  }
  std::memset(storage_.get(), 0, bytes);
  lds_.assign(lds_bytes, 0);
  scratch_.assign(size_t(scratch_bytes) * lanes, 0);
  auto* wave = new (storage_.get()) wave::Wave;
  wave->window = space_->base(), wave->window_bytes = space_->size();
  wave->lds = lds_.data(), wave->lds_bytes = lds_bytes;
  wave->scratch = scratch_.data(), wave->scratch_bytes = scratch_bytes;
  wave->stop_flag = &stop_;
  wave->environment = this;
  wave->lanes = lanes;
  return wave;
}

Expected<Result> Evaluator::run(const Request& request) {
  auto target = find_target(request.isa);
  if (!target) return std::unexpected(target.error());
  auto sizes = (*target)->wave_sizes();
  unsigned lanes = request.wave ? request.wave : sizes[0];
  if (std::find(sizes.begin(), sizes.end(), lanes) == sizes.end())
    return fail("wave {}: {} has no waves of that many lanes", request.wave, request.isa);
  std::vector<uint32_t> words = request.words;
  if (!request.text.empty()) {
    auto assembled = (*target)->assemble_all(request.text, lanes);
    if (!assembled) return std::unexpected(assembled.error());
    words.insert(words.end(), assembled->begin(), assembled->end());
  }
  if (words.size() > code_from_end / 8) return fail("{} words of code: at most {} can run", words.size(), code_from_end / 8);
  uint64_t code_address = space_->size() - code_from_end;
  auto done = map(request, code_address, std::max<size_t>(words.size(), 1) * 4);
  Expected<Result> result = done ? run_mapped(request, **target, lanes, code_address, words) : std::unexpected(done.error());
  unmap();
  return result;
}

Expected<Result> Evaluator::run_mapped(const Request& request, const Target& target, unsigned lanes, uint64_t code_address,
                                       std::span<const uint32_t> words) {
  const wave::Isa& isa = target.isa(lanes, words);
  wave::Wave& wave = *fresh_wave(isa, lanes);
  wave::WorkGroup group;
  reset(group, 1);
  wave.group = &group;
  target.initialise(wave);
  target_ = &target, rows_.clear(), messages_.clear();
  if (request.lds.size() > lds_bytes) return fail("lds: {} bytes given, there are {}", request.lds.size(), lds_bytes);
  std::copy(request.lds.begin(), request.lds.end(), lds_.begin());
  if (request.stage && !target.has_stages()) return fail("stage: {} has no stages of graphics", request.isa);
  if (request.stage)
    if (auto done = target.begin_stage(wave, *request.stage); !done) return std::unexpected(done.error());
  for (const auto& given : request.registers) {
    auto r = target.find(given.name, lanes);
    if (!r) return std::unexpected(r.error());
    if (auto done = write_register(wave, *r, given); !done) return std::unexpected(done.error());
  }
  share_ = std::make_unique<wave::GlobalShare>();
  if (request.gds.size() > share_->bytes) return fail("gds: {} bytes given, there are {}", request.gds.size(), share_->bytes);
  std::copy(request.gds.begin(), request.gds.end(), share_->memory.begin());
  auto inside = [](const char* what, const std::optional<MemoryRange>& range, uint64_t there) -> Expected<void> {
    if (!range || (range->address <= there && range->bytes <= there - range->address)) return {};
    return fail("{}: {} bytes from {} on were asked for, there are {}", what, range->bytes, range->address, there);
  };
  if (auto good = inside("lds", request.read_lds, lds_bytes); !good) return std::unexpected(good.error());
  if (auto good = inside("gds", request.read_gds, share_->bytes); !good) return std::unexpected(good.error());
  std::vector<std::pair<std::string, Register>> wanted;
  for (const std::string& name : request.out) {
    auto r = target.find(name, lanes);
    if (!r) return std::unexpected(r.error());
    wanted.emplace_back(name, *r);
  }
  std::vector<RegisterValue> before;
  if (request.changed)
    for (const std::string& name : target.names(lanes)) before.push_back(read_register(wave, *target.find(name, lanes), name));

  auto* code = reinterpret_cast<uint32_t*>(space_->host(code_address));
  std::copy(words.begin(), words.end(), code);
  wave::Program program(isa, code_address, std::span(code, words.size()));
  wave.pc = code_address;
  uint64_t end = code_address + words.size() * 4;
  {
    wave::Executor executor(program, request.engine, wave);
    if (std::string why = executor.error(); !why.empty()) return fail("{}", why);
    watch_until(now() + int64_t(time_limit_ * 1e9));
    bool running = !words.empty();
    while (running) {
      executor.run(wave);
      switch (wave.stop) {
        case wave::Stop::Yield:
        case wave::Stop::Wait: running = !stop_.load(); break;
        case wave::Stop::Barrier: running = may_resume(group, wave); break;
        default: running = false; break;
      }
    }
    watch_until(0);
    if (std::string why = executor.error(); !why.empty()) return fail("{}", why);
  }
  switch (words.empty() ? wave::Stop::End : wave.stop) {
    case wave::Stop::End: break;
    case wave::Stop::Barrier:
      return fail("before instruction {:#x} the wave {}", wave.pc - code_address, wave::what_it_waits_for(wave));
    case wave::Stop::Fault:
      if (wave.fault.kind == wave::FaultKind::Fetch && wave.fault.pc == end) break;  // after the last word
      return fail("{}", describe(program, wave.fault));
    default: return fail("no end within {} seconds: it was at instruction {:#x}", time_limit_, wave.pc - code_address);
  }

  Result result;
  for (const auto& [name, r] : wanted) result.registers.push_back(read_register(wave, r, name));
  for (const auto& old : before) {
    RegisterValue value = read_register(wave, *target.find(old.name, lanes), old.name);
    if (value.values != old.values) result.registers.push_back(std::move(value));
  }
  for (const auto& m : request.read_memory)
    result.memory.push_back({m.address, {space_->host(m.address), space_->host(m.address) + m.bytes}});
  result.exports = target.exports(wave);
  result.exports.insert(result.exports.end(), rows_.begin(), rows_.end());
  std::ranges::sort(result.exports, {}, &ExportValue::order);
  if (request.stage) result.messages = messages_;
  auto part = [](const uint8_t* from, const std::optional<MemoryRange>& range) {
    return range ? std::vector<uint8_t>(from + range->address, from + range->address + range->bytes) : std::vector<uint8_t>();
  };
  result.lds = part(lds_.data(), request.read_lds), result.gds = part(share_->memory.data(), request.read_gds);
  return result;
}

}  // namespace Atoll::eval
