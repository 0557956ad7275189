// Accesses of threads to images: a RENDER_SURFACE_STATE and a SAMPLER_STATE against memory. Decoded surfaces are kept by their
// words; every address is checked against the address space once a submission. Out of range, loads give 0 and stores do nothing; a
// null surface reads 0.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/device/reports.h"
#include "gpu/device/uses.h"
#include "gpu/dg1/threads/converted_surface.h"
#include "gpu/dg1/threads/surface_state.h"
#include "memory/address_space.h"
#include "sampling/form.h"
#include "surface/sampler.h"
#include "surface/texture.h"
#include "wave/image_access.h"
#include "wave/sampled_texture.h"

namespace Atoll::dg1 {

// A texel buffer that has more entries than these is a picture of rows of so many.
inline constexpr uint32_t buffer_row = 1u << 16;

// The contents of a RENDER_SURFACE_STATE.
struct ImageSurface {
  bool bound = false;  // false: a null surface
  uint32_t type = SurfaceType::SURFTYPE_NULL;
  uint64_t address = 0, bytes = 0;
  uint64_t entries = 0;  // of a texel buffer in rows, the last of which need not be full; 0: it is none
  surface::TextureDescription description;
  std::optional<ConvertedBlocks> astc;               // what lies in memory is blocks, and the description one of their texels
  float least_level = 0, base_level = 0;             // no finer level is there; above which texels are minified
  uint8_t missing_faces = 0;                         // of a cube, which have the border's colour
  surface::Format border;                            // border colours as its fields are in its order what a shader sees
  surface::Order channels = surface::natural_order;  // which fields are red to alpha, before channels are selected
};
// A volume as texels of three coordinates, or slices of one level as layers that can be drawn into.
enum class View : uint8_t { texels, layers };
// An error names what the neutral textures cannot say.
Expected<ImageSurface> image_surface(const SurfaceWords& words, View view = View::texels);
// Border colours are elsewhere: `border` gets their offset from the dynamic state base.
surface::Sampler image_sampler(const SamplerWords& words, uint32_t& border);

class Images {
public:
  explicit Images(AddressSpace& space);
  // Whoever watches what draws use; null: nobody. Before any thread runs.
  void tell(const gpu::Uses* uses) { uses_ = uses && uses->structure ? uses : nullptr; }
  // `dynamic_state_base`: in the window, for border colours. Any thread.
  void access(wave::ImageAccess& access, uint64_t dynamic_state_base);
  // Mappings may have changed: entries are checked again before their next use. `reports`: who is told of fields of their states that do
  // not act yet; null: nobody. While no thread runs.
  void begin_submission(gpu::Reports* reports);

  // The texture that compiled code samples: Environment::sampled_texture(), by the words of isa/xe_lp/texture_key.h
  // (sampled_surfaces.cpp). Any thread.
  const wave::SampledTexture* sampled(const uint32_t* resource, const uint32_t* sampler, uint32_t slot, wave::TextureUse use);
  const wave::TextureSlots& texture_slots() const { return texture_slots_; }
  // States are read anew: the command stream may have changed them. While no thread runs.
  void forget_states();
  // The first colours of a palette are loaded. While no thread runs, and none does before forget_states().
  void load_palette(unsigned palette, std::span<const uint32_t> colours);
  // An entry of the table that samplers' ChromaKey Index counts in; the same holds.
  void load_chroma_key(unsigned index, uint32_t low, uint32_t high);

private:
  struct Entry {
    ImageSurface surface;
    std::string error;                          // why it could not be decoded
    std::unique_ptr<surface::Texture> texture;  // null: not bound, or an error
    std::unique_ptr<ConvertedTexels> astc;      // of which `texture` is
    std::atomic<uint32_t> readable{0}, writable{0};
    // Its data for compiled code, under the mutex.
    bool has_tables = false;
    std::unique_ptr<sampling::Tables> tables;
  };
  // A texture as code asks for it, and what stood where it was looked for.
  struct States {
    wave::TextureUse use{};
    std::array<uint32_t, 12> key{};
    SurfaceWords surface{};
    SamplerWords sampler{};
    std::array<uint32_t, 4> border{};
    auto operator<=>(const States&) const = default;
  };
  static constexpr size_t max_entries = 4096, max_sampled = 4096, max_table_bytes = size_t(64) << 20,
                          max_astc_bytes = size_t(256) << 20;

  std::shared_ptr<Entry> find(const SurfaceWords& words);
  // True if the sampler is none of those that were met last.
  bool is_new(const SamplerWords& words);
  bool is_there(Entry& entry, bool write);
  bool check_memory(Entry& entry, bool write, wave::ImageAccess& access);
  void look_at_fields(const SamplerWords& words);
  // By lane, how much of what the access takes lies in tiled resources that stand for nothing, a float. False: of no lane any.
  bool find_missing(const Entry& entry, const SamplerWords* sampler_words, uint64_t dynamic_state_base,
                    const wave::ImageAccess& access, wave::ImageLanes& missing);
  void set_chroma_key(const SamplerWords& words, const surface::Format& format, surface::Sampler& sampler) const;
  // The border's colour is that of the table at `dynamic_state_base`, if it counts, as a texel of that format (ImageSurface::border).
  surface::Sampler sampler_of(const SamplerWords& words, const ImageSurface& surface, uint64_t dynamic_state_base) const;
  void check_border_of_bytes(const surface::Format& format, bool needs_border) const;
  bool copy(uint64_t window_address, void* to, size_t bytes) const;
  bool read_states(const uint32_t* resource, const uint32_t* sampler, States& states) const;

  AddressSpace& space_;
  gpu::Reports* reports_ = nullptr;
  const gpu::Uses* uses_ = nullptr;
  std::mutex mutex_;
  std::map<SurfaceWords, std::shared_ptr<Entry>> entries_;
  std::array<std::atomic<uint64_t>, 64> seen_samplers_{};  // their hashes
  Palettes palettes_{};
  std::array<surface::Sampler::KeyRange, 4> chroma_keys_{};
  uint32_t submission_ = 1;
  uint32_t round_ = 1;      // of threads, between which memory changes
  size_t table_bytes_ = 0;  // of the textures in `entries_`
  size_t astc_bytes_ = 0;   // of their texels
  // Until the submission ends.
  std::map<States, std::unique_ptr<const wave::SampledTexture>> sampled_;
  std::vector<std::shared_ptr<Entry>> sampled_entries_;
  wave::TextureSlots texture_slots_;
};

}  // namespace Atoll::dg1
