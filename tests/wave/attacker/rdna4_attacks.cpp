// RDNA4's hostile programs: what amd_attacks.h leaves open.
#include <map>

#include "../random_programs/rdna4_programs.h"
#include "amd_attacks.h"
#include "gpu/amd/images.h"
#include "gpu/rdna4/image_descriptors.h"
#include "hostile_values.h"

namespace Atoll::attacker {
namespace {

using namespace amd_registers;

class Rdna4Attacker : public AmdAttacker {
public:
  Rdna4Attacker() : AmdAttacker(rdna4_machine()) {}
  const char* name() const override { return "gfx1200"; }
  // Images are those of the family, in the ground's memory. A program's runs are waves of one launch, which know what those before
  // them have found, or of one each.
  void prepare(Ground& ground, const Attack& a, unsigned run) override {
    auto& images = images_[&ground];
    if (!images) images = std::make_unique<gpu::amd::Images>(ground.space(), reports_, rdna4::image_descriptors());
    if (run == 0 || a.state_seed & 2) images->invalidate();
    machine_->images = [images = images.get()](wave::ImageAccess& access) { images->access(access, windows[0].address); };
    machine_->textures = [images = images.get()](const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                                 wave::TextureUse use) { return images->sampled(resource, sampler, slot, use); };
    machine_->texture_slots = &images->texture_slots();
  }

private:
  gpu::Reports reports_{false};
  std::map<Ground*, std::unique_ptr<gpu::amd::Images>> images_;
  static constexpr uint32_t RAY_RESOURCE = 72;  // SGPRs, two resources
  std::unique_ptr<rdna4::test::Pieces> pieces_;

  bool is_rdna4() const override { return true; }
  void begin(Random& random, unsigned lanes) override { pieces_ = std::make_unique<rdna4::test::Pieces>(random, lanes); }
  void line(Code& code, const std::string& text) override { pieces_->text(code, text); }
  void straight(Code& code, uint32_t count) override { pieces_->straight(code, count); }
  void memory(Code& code, const Aim& aim) override { pieces_->memory(code, aim); }

  void opening(Code& code) override {
    for (uint32_t lookups = chance(20) ? 1 + below(4) : 0; lookups; lookups--) pieces_->image(code, true);
  }

  void special(Code& code) override {
    switch (below(11)) {
      case 5: {  // parameters of any attribute, with any M0
        hostile_m0(code);
        text(code, "ds_param_load v{}, attr0.x", below(16));
        code.words.back() |= below(4) << 8 | (chance(90) ? below(33) : below(64)) << 10;
        text(code, "v_interp_p{}_f32 v{}, v{}, v{}, v{}", chance(50) ? "10" : "2", below(16), below(16), below(16), below(16));
        break;
      }
      case 7:
        hostile_m0(code);
        text(code, "ds_direct_load v{}", below(16));
        break;
      case 8: {  // exports to any target
        hostile_m0(code);
        text(code, "export mrt0 v{}, v{}, v{}, v{}{}", below(16), below(16), below(16), below(16), chance(30) ? " row_en" : "");
        code.words[code.words.size() - 2] |= (chance(60) ? below(23) : below(64)) << 4;
        break;
      }
      case 6:
      case 9: pieces_->image(code, chance(50)); break;
      case 0:  // both apertures as scalars
        text(code, "s_mov_b64 s[{}:{}], {}", int(MASK), int(MASK) + 1, chance(50) ? "src_shared_base" : "src_private_base");
        text(code, "v_mov_b32 v{}, s{}", int(WORK) + 1, int(MASK) + 1);
        text(code, "v_mov_b32 v{}, v{}", int(WORK), int(chance(50) ? LDS_ROW : BAD_ROW));
        memory(code, {.space = Aim::Flat, .address = WORK, .offset = int32_t(attack_->offsets[Aim::Lds][below(4)])});
        break;
      case 1:
        text(code, "ds_append v{} offset:{}", below(16), (chance(50) ? attack_->lds_bytes - 4 * below(3) : r_->next()) & 0xffff);
        break;
      case 2:
        text(code, "ds_consume v{} offset:{}", below(16), (chance(50) ? attack_->lds_bytes - 4 * below(3) : r_->next()) & 0xffff);
        break;
      case 3: {  // a ray-tracing stack anywhere
        static constexpr const char* stacks[] = {"push4_pop1_rtn_b32 v{0}", "push8_pop1_rtn_b32 v{0}",
                                                 "push8_pop2_rtn_b64 v[{0}:{1}]"};
        uint32_t kind = below(3), to = below(15), from = chance(50) ? LDS_ANY : BAD;
        text(code, "v_lshlrev_b32 v{}, {}, v{}", int(WORK), chance(70) ? 13 : below(32), from);
        if (chance(50)) text(code, "v_add_nc_u32 v{}, v{}, v{}", int(WORK), int(WORK), below(16));
        uint32_t data = below(8);
        line(code,
             fmt::format("ds_bvh_stack_{}, v{}, v{}, v[{}:{}] offset:{}", fmt::format(fmt::runtime(stacks[kind]), to, to + 1),
                         int(WORK), below(16), data, data + (kind ? 7 : 3), 1 + below(31) + (below(4) << 8)));
        break;
      }
      case 4: rays(code); break;
      default:
        if (chance(20)) {
          text(code, "s_setpc_b64 s[{}:{}]", int(BAD_BASE), int(BAD_BASE) + 1);
        } else {
          text(code, "s_mov_b32 m0, s{}", int(chance(50) ? BAD_OFFSET : GOOD));
          if (chance(50))
            text(code, "ds_load_addtid_b32 v{} offset:{}", below(16), attack_->offsets[Aim::Lds][below(4)] & 0xffff);
          else
            text(code, "ds_store_addtid_b32 v{} offset:{}", below(16), attack_->offsets[Aim::Lds][below(4)] & 0xffff);
        }
    }
  }

  // A tree whose nodes are at addresses of any kind: the resource begins at 0, or somewhere (arm_more).
  void rays(Code& code) {
    static constexpr const char* names[] = {"bvh64", "bvh_dual", "bvh8"};
    static constexpr uint32_t addresses[] = {GLOBAL_ROW, GLOBAL_EQUAL, GLOBAL_APART, GLOBAL_ANY, BAD_GLOBAL};
    const uint32_t kind = below(3), from = addresses[below(5)], pointers = WORK + 2,
                   resource = RAY_RESOURCE + (chance(50) ? 4 : 0);
    text(code, "v_lshrrev_b64 v[{}:{}], 3, v[{}:{}]", int(WORK), int(WORK) + 1, from, from + 1);
    if (kind) text(code, "v_and_b32 v{}, -8, v{}", int(WORK), int(WORK));
    for (uint32_t n = 0; n < 2; n++)
      text(code, "v_and_b32 v{}, {}, v{}", pointers + n, chance(80) ? "7" : "-1", chance(50) ? below(16) : uint32_t(BAD));
    const std::string last = kind == 0   ? fmt::format("v[{}:{}]", 9, 11)
                             : kind == 1 ? fmt::format("v[{}:{}]", pointers, pointers + 1)
                                         : fmt::format("v{}", pointers);
    text(code, "image_{}_intersect_ray v[0:{}], [v[{}:{}], {}, v[3:5], v[6:8], {}], s[{}:{}]", names[kind], kind ? 9 : 3,
         int(WORK), int(WORK) + 1, kind ? "v[12:13]" : "v12", last, resource, resource + 3);
  }

  // LDS of up to its end and behind it, any primitives, all types of direct loads.
  void hostile_m0(Code& code) {
    switch (below(3)) {
      case 0: text(code, "s_mov_b32 m0, s{}", int(chance(50) ? BAD_OFFSET : GOOD)); break;
      case 1: text(code, "s_mov_b32 m0, {:#x}", r_->next()); break;
      default:
        text(code, "s_mov_b32 m0, {:#x}", r_->next() << 16 | ((attack_->lds_bytes + 4 * below(3) - 4 * below(60)) & 0xffff));
        break;
    }
  }

  // V#: base, stride, records, DST_SEL, a format, swizzle and bounds (RDNA4 ISA 9.3).
  void arm_more(wave::Wave& w, Random& r, const Attack& a, bool hostile) override {
    for (uint32_t d : {DESCRIPTOR, DESCRIPTOR_2}) {
      auto s = [&](uint32_t n) -> uint32_t& { return wave::word_of(w, amd::scalar_cell(d + n)); };
      uint64_t base = hostile && r.chance(25) ? hostile_address(r) : tame_address(r, 0x1000);
      uint32_t stride = r.below(4) * 8;
      s(0) = uint32_t(base), s(1) = (uint32_t(base >> 32) & 0xffff) | stride << 16;
      s(2) = stride ? 64 : 0x800;
      s(3) = 4 | 5 << 3 | 6 << 6 | 7 << 9 | (20 + r.below(30)) << 12;
      if (r.chance(30)) s(3) = (s(3) & ~(3u << 28)) | r.below(4) << 28;
      if (hostile && r.chance(40)) s(2) = hostile_offset(r, 0x1000);
      if (hostile && r.chance(30)) s(1) ^= (r.next() & r.next()) & 0xffff0000u;
      if (hostile && r.chance(30)) s(3) ^= r.next() & r.next() & ~0x3f000u;
    }
    // T# of ray tracing: base, sorting, size, flags, TYPE 8 (RDNA4 ISA 10.9.3).
    for (uint32_t d : {RAY_RESOURCE, RAY_RESOURCE + 4}) {
      auto s = [&](uint32_t n) -> uint32_t& { return wave::word_of(w, amd::scalar_cell(d + n)); };
      uint64_t base = d == RAY_RESOURCE ? 0 : hostile && r.chance(50) ? hostile_address(r) : tame_address(r, 0x1000);
      s(0) = uint32_t(base >> 8), s(1) = uint32_t(base >> 40 & 0xff) | (r.next() & 0xfff00000);
      s(2) = ~0u, s(3) = 8u << 28 | 0x3ff | (r.next() & 0x01f80000);
      if (hostile && r.chance(20)) s(2) = hostile_offset(r, 0x1000), s(3) &= ~0x3ffu;
      if (hostile && r.chance(10)) s(3) ^= 1u << (28 + r.below(4));
    }
    arm_image(w, r, a, hostile);
  }

  // T# and S#: small images in rows inside of a window, or any (RDNA4 ISA 10.5, 10.6).
  void arm_image(wave::Wave& w, Random& r, const Attack& a, bool hostile) {
    auto s = [&](uint32_t n) -> uint32_t& { return wave::word_of(w, amd::scalar_cell(rdna4::test::IMAGE_DESCRIPTOR + n)); };
    static constexpr uint32_t formats[] = {1, 20, 29, 42, 42, 46, 50, 57, 63}, types[] = {8, 9, 9, 9, 10, 11, 12, 13};
    const uint64_t base = (hostile && r.chance(25) ? hostile_address(r) : tame_address(r, 0x1800)) & ~uint64_t(0xff);
    const uint32_t width = r.below(8), height = r.below(8);
    auto name = [&](uint32_t format, uint32_t type, uint32_t depth) {
      s(0) = uint32_t(base >> 8), s(1) = (uint32_t(base >> 40) & 0xff) | format << 17 | width << 30;
      s(2) = width >> 2 | height << 14, s(3) = 4 | 5 << 3 | 6 << 6 | 7 << 9 | type << 28, s(4) = depth;
      s(5) = s(6) = s(7) = 0;
    };
    name(formats[r.below(9)], types[r.below(8)], r.below(3));
    for (uint32_t n = 8; n < 12; n++) s(n) = r.next();
    // State that compiled code knows: all runs of a program have one form, of textures here and there.
    Random form{a.state_seed};
    if (form.chance(85)) {
      const uint32_t format = formats[form.below(9)], wrap = form.below(3), filter = form.below(2);
      name(format, form.chance(70) ? 9 : 8, 0);
      s(8) = wrap | wrap << 3, s(9) = 0x3ffe000, s(10) = filter << 20 | filter << 22, s(11) = 0;
      // Nothing but the place is hostile.
      if (hostile && r.chance(50)) return;
    }
    if (!hostile) return;
    for (uint32_t n = 0; n < 8; n++)
      if (r.chance(25)) s(n) ^= r.next() & r.next() & r.next();
    if (r.chance(20)) s(2) = r.next() & 0x3fffffff;
    if (r.chance(20)) s(3) ^= r.below(32) << 20;
  }
};

}  // namespace

std::unique_ptr<Attacker> rdna4_attacker() { return std::make_unique<Rdna4Attacker>(); }

}  // namespace Atoll::attacker
