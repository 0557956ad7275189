// Sea Islands' hostile programs: what amd_attacks.h leaves open.
#include <map>

#include "../random_programs/gfx7_programs.h"
#include "amd_attacks.h"
#include "gpu/amd/images.h"
#include "gpu/sea_islands/packets/context.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "hostile_values.h"
#include "isa/gfx7/registers.h"

namespace Atoll::attacker {
namespace {

using namespace amd_registers;

class Gcn2Attacker : public AmdAttacker {
public:
  Gcn2Attacker() : AmdAttacker(gfx7_machine()) {}
  const char* name() const override { return "gfx7"; }
  // Images are those of the chip, in the ground's memory. A program's runs are waves of one submission, which know what those before
  // them have found, or of one each.
  void prepare(Ground& ground, const Attack& a, unsigned run) override {
    auto& context = contexts_[&ground];
    if (!context)
      context = std::make_unique<sea_islands::Context>(*gpu::find_chip("bonaire"), gpu::QueueKind::graphics, ground.space(),
                                                       options_, stop_);
    if (run == 0 || a.state_seed & 2) context->images->invalidate();
    machine_->images = [images = context->images.get()](wave::ImageAccess& access) {
      images->access(access, windows[0].address);
    };
    machine_->textures = [images = context->images.get()](const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                                          wave::TextureUse use) {
      return images->sampled(resource, sampler, slot, use);
    };
    machine_->texture_slots = &context->images->texture_slots();
  }

private:
  std::unique_ptr<gfx7::test::Generator> pieces_;
  gpu::Options options_{.threads = 1};
  std::atomic<int> stop_{0};
  std::map<Ground*, std::unique_ptr<sea_islands::Context>> contexts_;

  bool is_rdna4() const override { return false; }
  void begin(Random& random, unsigned) override { pieces_ = std::make_unique<gfx7::test::Generator>(random); }
  void line(Code& code, const std::string& text) override { pieces_->line(code, text); }
  void straight(Code& code, uint32_t count) override { pieces_->pieces(code, count); }
  void opening(Code& code) override {
    for (uint32_t lookups = chance(20) ? 1 + below(4) : 0; lookups; lookups--) image(code, true);
  }
  void image(Code& code, bool plain_lookup) {
    while (!pieces_->image(code, plain_lookup)) {
    }
  }
  void memory(Code& code, const Aim& aim) override { pieces_->aimed(code, aim); }

  void special(Code& code) override {
    switch (below(6)) {
      case 0:
      case 1: {  // VINTRP of any attribute: mostly those that are not there
        static constexpr const char* forms[] = {"v_interp_p1_f32 v{}, v1, attr0.x", "v_interp_p2_f32 v{}, v1, attr0.x",
                                                "v_interp_mov_f32 v{}, p10, attr0.x"};
        line(code, fmt::format(fmt::runtime(forms[below(3)]), below(16)));
        code.words.back() |= below(4) << 8 | (chance(40) ? below(33) : 32 + below(32)) << 10;
        break;
      }
      case 2: {  // EXP to any target
        text(code, "exp mrt0 v{}, v{}, v{}, v{}", below(16), below(16), below(16), below(16));
        uint32_t target = chance(40) ? 9 + below(8) : below(64);
        code.words[code.words.size() - 2] |= target << 4;
        break;
      }
      case 3:
      case 4: image(code, chance(50)); break;
      default:
        if (chance(20)) {
          text(code, "s_setpc_b64 s[{}:{}]", int(BAD_BASE), int(BAD_BASE) + 1);
        } else {
          text(code, "s_mov_b32 m0, s{}", int(chance(60) ? LIMIT : BAD_OFFSET));
          text(code, "ds_{} v{} offset:{}{}", chance(50) ? "append" : "consume", below(16),
               (chance(50) ? attack_->lds_bytes - 4 * below(3) : r_->next()) & 0xffff, chance(50) ? " gds" : "");
        }
    }
  }

  void arm_more(wave::Wave& w, Random& r, const Attack& a, bool hostile) override {
    auto s = [&](uint32_t n) -> uint32_t& { return wave::word_of(w, amd::scalar_cell(n)); };
    // V#: base, stride, records, DST_SEL, formats, ELEMENT_SIZE, INDEX_STRIDE, ADD_TID_ENABLE and SWIZZLE_ENABLE
    // (SQ_BUF_RSRC_WORD0-3).
    for (uint32_t d : {DESCRIPTOR, DESCRIPTOR_2}) {
      uint64_t base = hostile && r.chance(25) ? hostile_address(r) : tame_address(r, 0x1000);
      uint32_t stride = r.below(4) * 8;
      s(d) = uint32_t(base), s(d + 1) = (uint32_t(base >> 32) & 0xffff) | stride << 16;
      s(d + 2) = stride ? 64 : 0x800;
      gfx7::test::BufferFormat f = gfx7::test::random_format(r);
      s(d + 3) = 4 | 5 << 3 | 6 << 6 | 7 << 9 | f.number << 12 | f.data << 15;
      if (r.chance(30)) s(d + 3) |= r.below(32) << 19;
      if (stride && r.chance(40)) s(d + 1) |= 1u << 31;
      if (hostile && r.chance(40)) s(d + 2) = hostile_offset(r, 0x1000);
      if (hostile && r.chance(30)) s(d + 1) ^= (r.next() & r.next()) & 0xffff0000u;
      if (hostile && r.chance(30)) s(d + 3) ^= r.next() & r.next() & 0x01f80fffu;
    }
    // Private memory of flat addresses where registers place it.
    if (a.state_seed & 1 && a.apertures) {
      w.flat_scratch_cell = amd::scalar_cell(FLAT_SCRATCH);
      w.flat_scratch_base = windows[1].address;
      s(FLAT_SCRATCH) = hostile && r.chance(30) ? r.next() : a.scratch_bytes;
      s(FLAT_SCRATCH + 1) = hostile && r.chance(30) ? r.next() : r.below(8);
    }
    arm_image(w, r, a, hostile);
  }

  // T# and S#: small linear images inside of a window, or any (SQ_IMG_RSRC_WORD0-7).
  void arm_image(wave::Wave& w, Random& r, const Attack& a, bool hostile) {
    auto s = [&](uint32_t n) -> uint32_t& { return wave::word_of(w, amd::scalar_cell(gfx7::test::IMAGE_DESCRIPTOR + n)); };
    static constexpr uint32_t formats[] = {1, 4, 5, 10, 10, 10, 11, 12, 14};
    static constexpr uint32_t types[] = {8, 9, 9, 9, 10, 11, 12, 13};
    uint64_t base = (hostile && r.chance(25) ? hostile_address(r) : tame_address(r, 0x1800)) & ~uint64_t(0xff);
    uint32_t number = r.chance(60) ? 0 : r.chance(50) ? 4 : 7;
    s(0) = uint32_t(base >> 8), s(1) = (uint32_t(base >> 40) & 0xff) | formats[r.below(9)] << 20 | number << 26;
    s(2) = r.below(8) | r.below(8) << 14;
    s(3) = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 8u << 20 | types[r.below(8)] << 28;
    s(4) = r.below(3) | 7u << 13, s(5) = r.below(2) << 13, s(6) = 0, s(7) = 0;
    for (uint32_t n = 8; n < 12; n++) s(n) = r.next();
    // State that compiled code knows: all runs of a program have one form, of textures here and there.
    Random form{a.state_seed};
    if (form.chance(85)) {
      const uint32_t format = formats[form.below(9)], wrap = form.below(3), filter = form.below(2);
      s(1) = (uint32_t(base >> 40) & 0xff) | format << 20 | (format == 4 || format == 11 || format == 14 ? 7u : 0u) << 26;
      s(3) = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 8u << 20 | (form.chance(70) ? 9u : 8u) << 28, s(4) = 7u << 13, s(5) = 0;
      s(8) = wrap | wrap << 3, s(9) = 0xfff000, s(10) = filter << 20 | filter << 22, s(11) = 0;
      // Nothing but the place is hostile.
      if (hostile && r.chance(50)) return;
    }
    if (!hostile) return;
    for (uint32_t n = 0; n < 8; n++)
      if (r.chance(25)) s(n) ^= r.next() & r.next() & r.next();
    if (r.chance(20)) s(2) = r.next() & 0x0fffffff;
  }
};

}  // namespace

std::unique_ptr<Attacker> gfx7_attacker() { return std::make_unique<Gcn2Attacker>(); }

}  // namespace Atoll::attacker
