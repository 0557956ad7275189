#include "surface/planar_filter.h"

#include <bit>
#include <cstring>

#include "base/host_level.h"
#include "surface/decode_texel.h"
#include "surface/level_choice.h"
#include "surface/planar_kernels.h"
#include "surface/wrap.h"

namespace Atoll::surface {

ATOLL_IN_LEVELS(extern const PlanarKernels kernels;)

const PlanarKernels& planar_kernels() {
  static const PlanarKernels& chosen = ATOLL_AT_LEVEL(kernels);
  return chosen;
}

namespace {

// Formats whose components are the bytes of a word, n / 255 each.
bool is_bytes(const Format& format) {
  if (format.number != Number::unorm) return false;
  return format.layout == Layout::bits_8_8_8_8 || format.layout == Layout::bits_8_8 || format.layout == Layout::bits_8;
}

AxisForm axis_form(const Texture& texture, const Sampler& sampler, unsigned level, unsigned i, Filter filter) {
  Texture::Size size = texture.size(level);
  AxisForm a;
  a.linear = filter == Filter::linear;
  a.truncate = sampler.truncate_coordinates || (sampler.truncate_nearest && filter == Filter::nearest);
  a.half_fractions = sampler.half_fractions;
  a.size = int(i == 0 ? size.width : size.height);
  a.scale = sampler.unnormalized ? 1.0f : float(a.size);
  Wrap wrap = sampler.wrap[i];
  if (sampler.unnormalized && (wrap == Wrap::repeat || wrap == Wrap::mirror)) wrap = Wrap::clamp_to_edge;
  if (texture.cube() && sampler.seamless_cube) {
    a.form = filter == Filter::linear ? WrapForm::inside : WrapForm::edge;
    return a;
  }
  a.absolute = mirrors_once(wrap);
  a.form = wrap == Wrap::repeat          ? WrapForm::repeat
           : wrap == Wrap::mirror        ? WrapForm::mirror
           : wrap == Wrap::clamp_to_edge ? WrapForm::edge
                                         : WrapForm::inside;
  return a;
}

// Lanes that sample one level with one filter, moved together; the places behind `count` hold copies of the first.
struct Group {
  unsigned count = 0;
  uint8_t lane[max_lanes];
  alignas(64) float at[2][max_lanes];
  uint32_t slice[max_lanes];
  alignas(64) int32_t mip_fraction[max_lanes];
};

class GroupFilter {
public:
  GroupFilter(const Texture& texture, const Sampler& sampler)
      : texture_(texture),
        sampler_(sampler),
        format_(texture.format()),
        bytes_(is_bytes(format_)),
        decode_(texel_decoder(format_)) {}

  // Components of the format's fields (bytes) or in its order; `outside` marks lanes that have to be filtered otherwise.
  void filter(const Group& group, unsigned level, Filter filter, FourLanes& result, uint32_t* outside) const {
    AxisLanes s, t;
    kernels_.axis(axis_form(texture_, sampler_, level, 0, filter), group.at[0], s, outside);
    kernels_.axis(axis_form(texture_, sampler_, level, 1, filter), group.at[1], t, outside);
    if (bytes_)
      filter_bytes(group, texture_.level(level), filter, s, t, result);
    else
      filter_texels(group, texture_.level(level), filter, s, t, result);
  }

  bool bytes() const { return bytes_; }
  void mix(FourLanes& a, const FourLanes& b, const Group& group) const { kernels_.mix(a, b, group.mip_fraction); }

private:
  void filter_bytes(const Group& group, const Texture::Level& level, Filter filter, const AxisLanes& s, const AxisLanes& t,
                    FourLanes& result) const {
    alignas(64) uint32_t texel[4][max_lanes];
    switch (row(format_.layout).bytes) {
      case 1: load_bytes<uint8_t>(group, level, filter, s, t, texel); break;
      case 2: load_bytes<uint16_t>(group, level, filter, s, t, texel); break;
      default: load_bytes<uint32_t>(group, level, filter, s, t, texel); break;
    }
    if (filter == Filter::linear)
      kernels_.linear_bytes(texel, s.fraction, t.fraction, result);
    else
      kernels_.nearest_bytes(texel[0], result);
  }

  template <class Word>
  static uint32_t load(const uint8_t* texel) {
    Word word;
    std::memcpy(&word, texel, sizeof word);
    return word;
  }

  template <class Word>
  static void load_bytes(const Group& group, const Texture::Level& level, Filter filter, const AxisLanes& s, const AxisLanes& t,
                         uint32_t (*texel)[max_lanes]) {
    const AddressPart *x = level.x.data(), *y = level.y.data(), *z = level.z.data();
    if (filter == Filter::nearest) {
      for (unsigned k = 0; k < group.count; k++)
        texel[0][k] = load<Word>(level.at(x[s.texel[0][k]], y[t.texel[0][k]], z[group.slice[k]]));
    } else {
      for (unsigned k = 0; k < group.count; k++) {
        AddressPart x0 = x[s.texel[0][k]], x1 = x[s.texel[1][k]], y0 = y[t.texel[0][k]], y1 = y[t.texel[1][k]];
        AddressPart slice = z[group.slice[k]];
        texel[0][k] = load<Word>(level.at(x0, y0, slice));
        texel[1][k] = load<Word>(level.at(x1, y0, slice));
        texel[2][k] = load<Word>(level.at(x0, y1, slice));
        texel[3][k] = load<Word>(level.at(x1, y1, slice));
      }
    }
    for (unsigned n = 0; n < (filter == Filter::linear ? 4u : 1u); n++)
      for (unsigned k = group.count; k < max_lanes; k++) texel[n][k] = 0;
  }

  void filter_texels(const Group& group, const Texture::Level& level, Filter filter, const AxisLanes& s, const AxisLanes& t,
                     FourLanes& result) const {
    const AddressPart *x = level.x.data(), *y = level.y.data(), *z = level.z.data();
    const unsigned shift = texture_.block_shift(), row_shift = texture_.block_row_shift();
    auto texel = [&](int column, int line, unsigned slice) {
      const uint8_t* bytes = level.at(x[column >> shift], y[line >> row_shift], z[slice]);
      return decode_(format_, bytes, texture_.in_block(unsigned(column)), unsigned(line) & 3);
    };
    for (unsigned k = 0; k < group.count; k++) {
      int x0 = s.texel[0][k], y0 = t.texel[0][k];
      unsigned slice = group.slice[k];
      Four value = texel(x0, y0, slice);
      if (filter == Filter::linear) {
        int x1 = s.texel[1][k], y1 = t.texel[1][k], s_fraction = s.fraction[k], t_fraction = t.fraction[k];
        float weight = float(s_fraction) / fixed_one;
        if (s_fraction) value = mixed(value, texel(x1, y0, slice), weight);
        if (t_fraction) {
          Four below = texel(x0, y1, slice);
          if (s_fraction) below = mixed(below, texel(x1, y1, slice), weight);
          value = mixed(value, below, float(t_fraction) / fixed_one);
        }
      }
      for (int c = 0; c < 4; c++) result[c][k] = value[c];
    }
  }

  const Texture& texture_;
  const Sampler& sampler_;
  const Format& format_;
  bool bytes_;
  DecodeTexel decode_;
  const PlanarKernels& kernels_ = planar_kernels();
};

// A field's component, or a constant, for each of a colour's four.
void put(const Format& format, bool bytes, const FourLanes& values, const Group& group, const uint32_t* outside,
         std::array<Lanes, 4>& result) {
  unsigned fields = row(format.layout).fields;
  uint32_t any_outside = 0;
  for (unsigned k = 0; k < max_lanes; k++) any_outside |= outside[k];
  bool whole = group.count == max_lanes && !any_outside;
  for (unsigned c = 0; c < 4; c++) {
    Select select = bytes ? format.order[c] : Select(c);
    if (bytes && select <= Select::field_3 && unsigned(select) >= fields)
      select = select == Select::field_3 ? Select::one : Select::zero;
    if (select > Select::field_3) {
      uint32_t constant = select == Select::one ? std::bit_cast<uint32_t>(1.0f) : 0;
      for (unsigned k = 0; k < group.count; k++)
        if (!outside[k]) result[c][group.lane[k]] = constant;
      continue;
    }
    const float* from = values[int(select)];
    if (whole) {
      std::memcpy(result[c].data(), from, sizeof result[c]);
      continue;
    }
    for (unsigned k = 0; k < group.count; k++)
      if (!outside[k]) result[c][group.lane[k]] = std::bit_cast<uint32_t>(from[k]);
  }
}

}  // namespace

uint64_t filter_planar(const Texture& texture, const Sampler& sampler, const SampleLanes& call, const SamplePlaces& places,
                       const Footprints& footprints, std::array<Lanes, 4>& result) {
  bool integers = is_integer(texture.format().number);
  if (texture.axes() != 2 || texture.description().samples > 1 || (sampler.compare && !integers) || call.offsets ||
      sampler.reduction != Reduction::average || sampler.is_special())
    return call.active;
  unsigned first_level = texture.description().first_level, last_level = texture.last_level() - first_level;
  for (unsigned n = first_level; n <= texture.last_level(); n++)
    if (!texture.level(n).separable) return call.active;
  uint64_t left = 0, todo = call.lanes < max_lanes ? call.active & ((uint64_t(1) << call.lanes) - 1) : call.active;
  bool cube = texture.cube();
  // Lanes that share a choice are filtered together; the fraction between levels is each lane's own.
  struct Choice {
    uint8_t first, second;
    Filter filter;
    uint8_t taps;
    bool operator==(const Choice&) const = default;
  };
  struct Chosen {
    Choice choice;
    uint64_t lanes;
  };
  Chosen chosen[max_lanes];
  unsigned chosen_count = 0;
  alignas(64) int32_t fractions[max_lanes];
  // The lanes of a quad have one level of detail, unless they bring something of their own, or lie on several faces.
  bool own_level = cube || call.lod_clamp || call.lod_mode == LodMode::bias || call.lod_mode == LodMode::level ||
                   call.lod_mode == LodMode::derivatives;
  for (uint64_t rest = todo; rest;) {
    unsigned lane = unsigned(std::countr_zero(rest));
    uint64_t same_levels = own_level                        ? uint64_t(1) << lane
                           : call.lod_mode == LodMode::zero ? rest
                                                            : rest & uint64_t(15) << (lane & ~3u);
    rest &= ~same_levels;
    unsigned taps = integers ? 1 : footprints.taps[lane];
    if (taps > 1 && cube) {  // taps may lie on several faces
      left |= same_levels;
      continue;
    }
    const LevelOfDetail lod = level_of_detail(sampler, call, lane, footprints);
    Levels levels = levels_of(sampler, last_level, lod);
    Filter filter = integers ? Filter::nearest : lod.clamped > 0 ? sampler.min_filter : sampler.mag_filter;
    if (!levels.fraction || integers) levels.second = levels.first, levels.fraction = 0;
    Choice choice = {uint8_t(levels.first), uint8_t(levels.second), filter, uint8_t(taps)};
    for (uint64_t lanes = same_levels; lanes; lanes &= lanes - 1) fractions[std::countr_zero(lanes)] = levels.fraction;
    unsigned n = chosen_count;
    while (n > 0 && !(chosen[n - 1].choice == choice)) n--;
    if (n > 0)
      chosen[n - 1].lanes |= same_levels;
    else
      chosen[chosen_count++] = {choice, same_levels};
  }
  GroupFilter filter(texture, sampler);
  for (unsigned n = 0; n < chosen_count; n++) {
    Choice choice = chosen[n].choice;
    Group group;
    if (chosen[n].lanes == ~uint64_t(0)) {
      group.count = max_lanes;
      for (unsigned k = 0; k < max_lanes; k++) group.lane[k] = uint8_t(k);
      std::memcpy(group.at[0], places.at[0], sizeof group.at[0]);
      std::memcpy(group.at[1], places.at[1], sizeof group.at[1]);
      for (unsigned k = 0; k < max_lanes; k++) group.slice[k] = places.slice[k] + places.face[k];
      std::memcpy(group.mip_fraction, fractions, sizeof fractions);
    } else {
      unsigned k = 0;
      for (uint64_t rest = chosen[n].lanes; rest; rest &= rest - 1, k++) {
        unsigned lane = unsigned(std::countr_zero(rest));
        group.lane[k] = uint8_t(lane);
        group.at[0][k] = places.at[0][lane];
        group.at[1][k] = places.at[1][lane];
        group.slice[k] = places.slice[lane] + places.face[lane];
        group.mip_fraction[k] = fractions[lane];
      }
      group.count = k;
    }
    for (unsigned k = group.count; k < max_lanes; k++) group.at[0][k] = group.at[1][k] = 0, group.mip_fraction[k] = 0;
    alignas(64) FourLanes values;
    alignas(64) uint32_t outside[max_lanes] = {};
    auto filter_levels = [&](const Group& g, FourLanes& filtered) {
      filter.filter(g, choice.first + first_level, choice.filter, filtered, outside);
      if (choice.second == choice.first) return;
      alignas(64) FourLanes coarser;
      filter.filter(g, choice.second + first_level, choice.filter, coarser, outside);
      filter.mix(filtered, coarser, g);
    };
    if (choice.taps <= 1) filter_levels(group, values);
    for (unsigned i = 0; choice.taps > 1 && i < choice.taps; i++) {
      Group tap = group;
      float along = float(i + 1) / float(choice.taps + 1) - 0.5f;
      for (unsigned k = 0; k < group.count; k++)
        for (unsigned a = 0; a < 2; a++) tap.at[a][k] += footprints.axis[a][group.lane[k]] * along;
      alignas(64) FourLanes one;
      filter_levels(tap, i ? one : values);
      for (unsigned c = 0; i && c < 4; c++)
        for (unsigned k = 0; k < group.count; k++) {
          values[c][k] += one[c][k];
          if (i + 1 == choice.taps) values[c][k] /= float(choice.taps);
        }
    }
    for (unsigned k = 0; k < group.count; k++)
      if (outside[k]) left |= uint64_t(1) << group.lane[k];
    put(texture.format(), filter.bytes(), values, group, outside, result);
  }
  return left;
}

}  // namespace Atoll::surface
