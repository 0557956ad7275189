// Accesses of waves to images: the T# and S# of an instruction against memory. Decoded T#s are kept by their words; every address
// is checked against the address space once a submission. Out of range, loads give 0 and stores do nothing; a null descriptor
// reads 0. The family decodes the words (ImageDescriptors).
#pragma once
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/amd/image_descriptors.h"
#include "gpu/device/uses.h"
#include "memory/address_space.h"
#include "sampling/form.h"
#include "wave/image_access.h"
#include "wave/sampled_texture.h"

namespace Atoll::gpu::amd {

class Images {
public:
  // All three outlive it. What is not modelled is reported.
  Images(AddressSpace& space, gpu::Reports& reports, const ImageDescriptors& descriptors);
  ~Images();
  Images(const Images&) = delete;
  Images& operator=(const Images&) = delete;

  // Whoever watches what draws use; null: nobody. Before any wave runs.
  void tell(const gpu::Uses* uses) { uses_ = uses && uses->structure ? uses : nullptr; }

  // Carries the access out. `border_colours`: GPU address of the table of border colours. Descriptors that cannot be decoded count
  // as unknown and read 0; unmapped memory is a fault. Any thread.
  void access(wave::ImageAccess& access, uint64_t border_colours);

  // The texture that compiled code samples: Environment::sampled_texture() and where it looks first (sampled_images.cpp). Any
  // thread.
  const wave::SampledTexture* sampled(const uint32_t* resource, const uint32_t* sampler, uint32_t slot, wave::TextureUse use);
  const wave::TextureSlots& texture_slots() const { return texture_slots_; }

  // Mappings may have changed: cached entries are checked again before their next use. Call it while no wave runs.
  void invalidate();
  // Drops everything, because the meaning of the words has changed. As above.
  void forget();

private:
  struct Key {
    ImageResourceWords words{};  // those that have a meaning
    bool short_resource = false;
    Degamma degamma = Degamma::as_it_is;  // of the sampler
    auto operator<=>(const Key&) const = default;
  };
  struct PartialImage;
  struct Entry {
    Entry();
    ~Entry();
    Key key;
    ImageResource resource;
    std::string error;                               // why it could not be decoded
    std::unique_ptr<surface::Texture> texture;       // null: not bound, or an error
    std::atomic<uint32_t> readable{0}, writable{0};  // the submission in which its memory was found to be there
    // Its data for compiled code, under the mutex: its tables, and a texture for each use and sampler. Only for entries that stay
    // until the submission ends.
    bool stays = false, has_tables = false;
    std::unique_ptr<sampling::Tables> tables;
    // The image while part of its memory is missing, if it is partially resident: made in that submission (partial_images.cpp).
    std::unique_ptr<PartialImage> partial;
    std::atomic<uint32_t> partial_made{0};
    std::map<std::pair<wave::TextureUse, SamplerWords>, std::unique_ptr<const wave::SampledTexture>> sampled;
  };
  static constexpr size_t max_samplers = 64;  // of one image
  static constexpr size_t max_entries = 8192, max_table_bytes = size_t(64) << 20;
  Entry* find_uncached(const Key& key);
  void tell_use(const uint32_t* resource, unsigned resource_words, const uint32_t* sampler) const;  // no sampler: null
  void drop_entries();                                                                              // under the mutex

  // Valid until the thread looks for another one.
  const Entry* find(const wave::ImageAccess& access);
  std::unique_ptr<Entry> make(const Key& key) const;
  bool check_memory(Entry& entry, bool write, wave::ImageAccess& access);
  surface::Sampler sampler_of(const wave::ImageAccess& access, const Entry& entry, uint64_t border_colours);
  // The access by another texture than the entry's own, of the same shape.
  void run(const Entry& entry, const surface::Texture& texture, wave::ImageAccess& access, uint64_t border_colours);
  void sample(const Entry& entry, const surface::Texture& texture, wave::ImageAccess& access, uint64_t border_colours);
  // Accesses while memory is missing (partial_images.cpp).
  const PartialImage* partial_image(Entry& entry, wave::ImageAccess& access);
  void access_partial(const Entry& entry, const PartialImage& partial, wave::ImageAccess& access, uint64_t border_colours);
  void warn_of_level(const Entry& entry, wave::ImageAccess& access, uint64_t border_colours);

  static constexpr size_t slots = 4096, probes = 16;
  AddressSpace& space_;
  gpu::Reports& reports_;
  const ImageDescriptors& descriptors_;
  const gpu::Uses* uses_ = nullptr;
  std::array<std::atomic<Entry*>, slots> table_{};  // hashed; written once, emptied by invalidate()
  std::mutex mutex_;                                // of writers, and of what follows
  std::vector<std::unique_ptr<Entry>> entries_;
  std::map<Key, Entry*> overflow_;
  uint32_t submission_ = 1;
  size_t table_bytes_ = 0;  // of the textures in `entries_`
  wave::TextureSlots texture_slots_;
  const uint64_t number_ = next();  // of this object: another one may stand at the same place later
  static uint64_t next() {
    static std::atomic<uint64_t> numbers{0};
    return ++numbers;
  }
};

}  // namespace Atoll::gpu::amd
