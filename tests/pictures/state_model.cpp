// A model in doubles of squares of the sheet of fixed state, and how far drivers' pictures of it are from that: blending, masks and logic
// operations by OpenGL's equations in every format, smooth lines by the area that the specification asks for and by what Intel's manual says.
// state_model [--most PICTURE N] LIST PICTURE.png...
// LIST: what state_sheet --list prints; beside each PICTURE.png stands PICTURE.txt, what state_sheet printed: the bits of its formats.
// It also says where each picture but the first is unlike that one, by more than 12 of 255.
// Ends with 1 if a PICTURE of --most has more than N pixels that the model does not allow in squares of blending, masks and logic
// operations, or any that is not the manual's in wide smooth lines; or if too little was judged.
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "sheet_page.h"
#include "state_squares.h"

namespace {

using namespace state_sheet;
using Colour = std::array<double, 4>;
constexpr int side = sheet::inside;

struct Picture {
  std::string name;
  int width = 0, height = 0;
  std::vector<uint8_t> rgba;
  std::map<std::string, std::array<int, 4>> bits;  // of each format's components
};

bool read(const std::string& file, Picture& picture) {
  picture.name = file.substr(file.rfind('/') + 1, file.rfind('.') - file.rfind('/') - 1);
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, file.c_str())) return false;
  image.format = PNG_FORMAT_RGBA;
  picture.width = int(image.width), picture.height = int(image.height);
  picture.rgba.resize(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, picture.rgba.data(), 0, nullptr)) return false;
  std::ifstream said(file.substr(0, file.rfind('.')) + ".txt");
  for (std::string line; std::getline(said, line);) {
    char name[40];
    std::array<int, 4> b;
    if (std::sscanf(line.c_str(), "format %39[^:]: %d %d %d %d", name, &b[0], &b[1], &b[2], &b[3]) == 5) picture.bits[name] = b;
  }
  return true;
}

// --- numbers of a target's component
struct Component {
  int bits;
  bool floats;
};
// The least and the greatest step that may stand for a value: one, but next to the middle between two of fixed point, where the last bits
// decide, and of floats, for which either neighbour is allowed (OpenGL 4.6, 2.3.4). Colours are only as exact as corners of squares are,
// which lie on a grid of 1/256 pixel (1/13,000 of the inner square).
struct Steps {
  double least, nearest, most;
};
constexpr double doubt = 0.02, of_corners = 0.5 / 256 / (0.8 * 64);

Steps steps_of(double value, const Component& c) {
  if (!c.bits || c.bits == 32) return {value, value, value};
  if (!c.floats) {
    const double all = double((1u << c.bits) - 1), at = std::clamp(value, 0.0, 1.0) * all, unsure = 0.01 + all * of_corners;
    return {std::ceil(at - 0.5 - unsure) / all, std::round(at) / all, std::floor(at + 0.5 + unsure) / all};
  }
  const int fraction = c.bits == 16 ? 10 : c.bits == 11 ? 6 : 5;
  if (c.bits < 16) value = std::max(value, 0.0);
  const double unit = std::ldexp(1, std::max(value == 0 ? -14 : std::ilogb(value), -14) - fraction);
  return {std::floor((value - of_corners) / unit) * unit, std::round(value / unit) * unit,
          std::ceil((value + of_corners) / unit) * unit};
}

// --- what is drawn: ramp(), checks() and rays() of state_sheet.cpp, at a pixel's centre
struct Place {
  double x, y;  // -1..1
};
Place centre(int x, int y) { return {(x + 0.5) * 2 / side - 1, (y + 0.5) * 2 / side - 1}; }

bool ramp(const Place& at, double half, bool turned, Colour& colour) {
  const double x = (at.x + half) / (2 * half), y = (at.y + half) / (2 * half);
  if (turned)
    colour = {y, 0.2f + 0.6f * x, 1 - x, 0.1f + 0.8f * y};
  else
    colour = {x, y, 0.3f + 0.5f * (1 - y), 0.9f - 0.8f * x};
  return x > 0 && x < 1 && y > 0 && y < 1;
}

// Parts of 15 of the colour; alpha is 0 or 15.
bool checks(const Place& at, double half, unsigned seed, std::array<unsigned, 4>& colour) {
  const int column = int(std::floor((at.x + half) / half * 2)), row = int(std::floor((at.y + half) / half * 2));
  if (column < 0 || column > 3 || row < 0 || row > 3) return false;
  for (int n = 0; n <= row * 4 + column; n++) seed = seed * 1664525 + 1013904223;
  colour = {seed >> 28, seed >> 24 & 15, seed >> 20 & 15, seed >> 31 ? 15u : 0u};
  return true;
}

// --- OpenGL 4.6, 17.3.6 (blending) and 17.3.9 (logical operation)
double factor(GLenum which, unsigned c, const Colour& s, const Colour& d) {
  switch (which) {
    case GL_ZERO: return 0;
    case GL_ONE: return 1;
    case GL_SRC_COLOR: return s[c];
    case GL_ONE_MINUS_SRC_COLOR: return 1 - s[c];
    case GL_DST_COLOR: return d[c];
    case GL_ONE_MINUS_DST_COLOR: return 1 - d[c];
    case GL_SRC_ALPHA: return s[3];
    case GL_ONE_MINUS_SRC_ALPHA: return 1 - s[3];
    case GL_DST_ALPHA: return d[3];
    case GL_ONE_MINUS_DST_ALPHA: return 1 - d[3];
    case GL_CONSTANT_COLOR: return blend_colour[c];
    case GL_ONE_MINUS_CONSTANT_COLOR: return 1 - blend_colour[c];
    case GL_CONSTANT_ALPHA: return blend_colour[3];
    case GL_ONE_MINUS_CONSTANT_ALPHA: return 1 - blend_colour[3];
    default: return c == 3 ? 1 : std::min(s[3], 1 - d[3]);  // SRC_ALPHA_SATURATE
  }
}
double blended(const Blend& b, unsigned c, const Colour& s, const Colour& d) {
  const GLenum equation = c == 3 ? b.alpha_equation : b.equation;
  if (equation == GL_MIN) return std::min(s[c], d[c]);
  if (equation == GL_MAX) return std::max(s[c], d[c]);
  const double from = s[c] * factor(c == 3 ? b.source_alpha : b.source, c, s, d),
               to = d[c] * factor(c == 3 ? b.target_alpha : b.target, c, s, d);
  return equation == GL_FUNC_ADD ? from + to : equation == GL_FUNC_SUBTRACT ? from - to : to - from;
}
// An operation's number says for which pairs of bits the result is set: bit 0 for both set, 1 for the source's alone, 2 for the target's
// alone, 3 for neither.
unsigned logic(GLenum op, unsigned s, unsigned d, unsigned mask) {
  const unsigned table = op - GL_CLEAR;
  unsigned result = 0;
  if (table & 1) result |= s & d;
  if (table & 2) result |= s & ~d;
  if (table & 4) result |= ~s & d;
  if (table & 8) result |= ~s & ~d;
  return result & mask;
}

// --- judging
struct Off {
  size_t pixels = 0, allowed_not = 0;
};
class Judge {
public:
  Judge(const Picture& picture, int square) : picture_(picture), square_(square) {}
  const uint8_t* at(int x, int y) const {  // y upward
    const int left = square_ % sheet::columns * sheet::cell + 4, top = square_ / sheet::columns * sheet::cell + 4;
    return &picture_.rgba[(size_t(top + side - 1 - y) * size_t(picture_.width) + size_t(left + x)) * 4];
  }
  // The components that the square's format has, of a pixel that may have these steps, in the window's 8 bits.
  bool allows(int x, int y, const std::array<Component, 4>& format, const std::array<Steps, 4>& steps) const {
    for (unsigned c = 0; c < 4; c++) {
      if (!format[c].bits) continue;
      const double shown = at(x, y)[c], least = std::clamp(steps[c].least, 0.0, 1.0) * 255,
                   most = std::clamp(steps[c].most, 0.0, 1.0) * 255;
      if (shown < least - 0.5 - doubt || shown > most + 0.5 + doubt) return false;
    }
    return true;
  }

  // Pixels that are more than 12 of 255 off the other picture's.
  size_t unlike(const Judge& other) const {
    size_t count = 0;
    for (int y = -4; y < sheet::cell - 4; y++)
      for (int x = -4; x < sheet::cell - 4; x++) {
        int most = 0;
        for (unsigned c = 0; c < 4; c++) most = std::max(most, std::abs(at(x, y)[c] - other.at(x, y)[c]));
        count += most > 12;
      }
    return count;
  }

private:
  const Picture& picture_;
  const int square_;
};

std::array<Component, 4> components(const Picture& picture, const Format& format) {
  std::array<Component, 4> all{};
  const auto found = picture.bits.find(format.name);
  for (unsigned c = 0; c < 4 && found != picture.bits.end(); c++)
    all[c] = {found->second[c], std::strpbrk(format.name, "0123456789") && std::strchr(format.name, 'F') != nullptr};
  return all;
}

// True if `allowed` takes one of the colours that the target may have had.
template <class Written>
bool any_target(const Colour& before, const std::array<Component, 4>& format, Written allowed) {
  std::array<Steps, 4> steps;
  for (unsigned c = 0; c < 4; c++) steps[c] = steps_of(before[c], format[c]);
  for (unsigned which = 0; which < 3 * 3 * 3 * 3; which++) {
    Colour d;
    for (unsigned c = 0, left = which; c < 4; c++, left /= 3) {
      const double one_of[] = {steps[c].nearest, steps[c].least, steps[c].most};
      d[c] = format[c].bits ? one_of[left % 3] : c == 3;
    }
    if (allowed(d)) return true;
  }
  return false;
}

Off judge_blending(const Judge& judge, const Blend& b, unsigned mask, const std::array<Component, 4>& format) {
  Off off;
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      Colour before, source;
      ramp(centre(x, y), 1, true, before);
      const bool drawn = ramp(centre(x, y), 0.8, false, source);
      const bool good = any_target(before, format, [&](const Colour& d) {
        std::array<Steps, 4> steps;
        for (unsigned c = 0; c < 4; c++)
          steps[c] = drawn && mask >> c & 1 ? steps_of(blended(b, c, source, d), format[c]) : Steps{d[c], d[c], d[c]};
        return judge.allows(x, y, format, steps);
      });
      off.pixels++, off.allowed_not += !good;
    }
  return off;
}

Off judge_logic(const Judge& judge, GLenum op, const std::array<Component, 4>& format) {
  Off off;
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      std::array<unsigned, 4> before{}, source{};
      checks(centre(x, y), 1, 1, before);
      const bool drawn = checks(centre(x, y), 0.75, 7, source);
      std::array<Steps, 4> steps;
      for (unsigned c = 0; c < 4; c++) {
        const unsigned all = (1u << format[c].bits) - 1, d = before[c] * all / 15;
        const double value = double(drawn ? logic(op, source[c] * all / 15, d, all) : d) / all;
        steps[c] = {value, value, value};
      }
      off.pixels++, off.allowed_not += !judge.allows(x, y, format, steps);
    }
  return off;
}

// --- smooth lines
struct Ray {
  double x[2], y[2], blue;
};
std::array<Ray, 14> rays() {
  std::array<Ray, 14> all;
  for (int n = 0; n < 14; n++) {
    const double a = 6.2831853 * (n + 0.3) / 14;
    for (int end = 0; end < 2; end++) {
      const double far = end ? 0.9 : 0.15;
      all[size_t(n)].x[end] = (1 + far * std::cos(a)) * side / 2, all[size_t(n)].y[end] = (1 + far * std::sin(a)) * side / 2;
    }
    all[size_t(n)].blue = n % 2;
  }
  return all;
}

// The part of a pixel that the rectangle of that width around the ray covers (OpenGL 4.6 compatibility profile, 14.5.4), by 32x32 places.
double area(const Ray& ray, double width, int x, int y) {
  constexpr int places = 32;
  const double dx = ray.x[1] - ray.x[0], dy = ray.y[1] - ray.y[0], length = std::hypot(dx, dy);
  int inside = 0;
  for (int n = 0; n < places * places; n++) {
    const double px = x + (n % places + 0.5) / places - ray.x[0], py = y + (n / places + 0.5) / places - ray.y[0];
    const double along = (px * dx + py * dy) / length, across = std::abs(px * dy - py * dx) / length;
    inside += along >= 0 && along <= length && across <= width / 2;
  }
  return double(inside) / (places * places);
}

// Sandy Bridge PRM volume 2 part 1, 6.3.12.5, with the regions that iris asks for (Mesa 22.3.6 iris_state.c, iris_create_rasterizer_state: a
// pixel at the sides and beyond the ends, half of one for the ends' fall): by the distance of the pixel's centre from the nearer side.
double ramp_of_manual(const Ray& ray, double width, int x, int y) {
  const double dx = ray.x[1] - ray.x[0], dy = ray.y[1] - ray.y[0], length = std::hypot(dx, dy);
  const double px = x + 0.5 - ray.x[0], py = y + 0.5 - ray.y[0];
  const double along = (px * dx + py * dy) / length, across = std::abs(px * dy - py * dx) / length;
  const auto cut = [](double v) { return std::clamp(v, 0.0, 1.0); };
  return cut((width / 2 - across) / 0.5) * cut(1 + along / 0.5) * cut(1 + (length - along) / 0.5);
}

struct Lines {
  double mean = 0;  // distance of the pixels that either covers, of 255
  size_t covered = 0, beyond_12 = 0, beyond_3 = 0;
};
template <class Coverage>
Lines judge_lines(const Judge& judge, Coverage coverage) {
  Lines lines;
  const auto all = rays();
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      double colour[3] = {127.5, 127.5, 127.5};
      bool covered = false;
      for (const Ray& ray : all) {
        const double alpha = coverage(ray, x, y);
        covered |= alpha > 0;
        for (unsigned c = 0; c < 3; c++) colour[c] += ((c == 2 ? ray.blue * 255 : 255) - colour[c]) * alpha;
      }
      double most = 0;
      for (unsigned c = 0; c < 3; c++) most = std::max(most, std::abs(colour[c] - judge.at(x, y)[c]));
      covered |= most > 1;
      if (!covered) continue;
      lines.mean += most, lines.covered++;
      lines.beyond_12 += most > 12, lines.beyond_3 += most > 3;
    }
  if (lines.covered) lines.mean /= double(lines.covered);
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, size_t> most;
  std::vector<Picture> pictures;
  int first = 1;
  while (first + 2 < argc && !std::strcmp(argv[first], "--most"))
    most[argv[first + 1]] = size_t(std::atol(argv[first + 2])), first += 3;
  if (argc - first < 2) return std::fputs("usage: state_model [--most PICTURE N] LIST PICTURE.png...\n", stderr), 2;
  std::ifstream list(argv[first]);
  for (int n = first + 1; n < argc; n++)
    if (!read(argv[n], pictures.emplace_back())) return std::fprintf(stderr, "state_model: %s: no picture\n", argv[n]), 2;

  const std::vector<BlendPair> pairs = blend_pairs();
  std::map<std::string, int> met;                // squares of a name so far
  std::map<std::string, std::vector<Off>> sums;  // by name, a picture each
  std::vector<Off> all(pictures.size());
  std::vector<std::map<std::string, size_t>> unlike(pictures.size());  // the first picture, by name
  int status = 0;
  for (std::string line; std::getline(list, line);) {
    const size_t colon = line.find("): ");
    if (colon == std::string::npos) continue;
    const int square = std::atoi(line.c_str());
    const std::string name = line.substr(colon + 3);
    const int number = met[name]++;
    for (size_t n = 0; n < pictures.size(); n++) {
      const Picture& picture = pictures[n];
      const Judge judge(picture, square);
      if ((square / sheet::columns + 1) * sheet::cell > picture.height)
        return std::fprintf(stderr, "state_model: %s has no square %d\n", picture.name.c_str(), square), 2;
      if (const size_t count = n ? judge.unlike(Judge(pictures[0], square)) : 0) unlike[n][name] += count;
      Off off;
      if (const bool blending = name.starts_with("blending in "); blending || name.starts_with("alpha of a target in ")) {
        int left = number;
        for (const BlendPair& pair : pairs) {
          const Blend& b = blending ? pair.blending : pair.of_target;
          if (!name.ends_with(std::string(" in ") + b.format.name) || (blending && !pair.has_blending) || left--) continue;
          const auto format = components(picture, b.format);
          if (std::ranges::any_of(format, [](const Component& c) { return c.bits > 0; }))
            off = judge_blending(judge, b, 15, format);
        }
      } else if (name.starts_with("colour mask in ")) {
        for (const Format& f : masked_formats)
          if (name.ends_with(std::string(" in ") + f.name))
            off = judge_blending(judge, {f, GL_SRC_ALPHA, GL_ONE, GL_SRC_ALPHA, GL_ONE, GL_FUNC_ADD, GL_FUNC_ADD},
                                 unsigned(number) * 5, components(picture, f));
      } else if (name == "logic operation") {
        const Format f = number % 2 ? Format{GL_RGBA4, "RGBA4"} : Format{GL_RGBA8, "RGBA8"};
        off = judge_logic(judge, GLenum(GL_CLEAR + number / 2), components(picture, f));
      } else if (name == "smooth lines") {
        const double width = number ? 3 : 1;
        const Lines by_area = judge_lines(judge, [&](const Ray& r, int x, int y) { return area(r, width, x, y); });
        const Lines by_manual = judge_lines(judge, [&](const Ray& r, int x, int y) { return ramp_of_manual(r, width, x, y); });
        std::printf(
            "%s: smooth lines of width %.0f: of the area %.1f of 255 off in the mean (%zu of %zu pixels by more than 12), of the "
            "manual's "
            "ramps %.1f (%zu by more than 3)\n",
            picture.name.c_str(), width, by_area.mean, by_area.beyond_12, by_area.covered, by_manual.mean, by_manual.beyond_3);
        if (number && most.contains(picture.name) && by_manual.beyond_3) status = 1;
        continue;
      } else {
        continue;
      }
      auto& sum = sums[name];
      sum.resize(pictures.size());
      for (Off* to : {&sum[n], &all[n]}) to->pixels += off.pixels, to->allowed_not += off.allowed_not;
    }
  }
  for (const auto& [name, sum] : sums) {
    if (std::ranges::all_of(sum, [](const Off& o) { return o.pixels && !o.allowed_not; })) continue;
    std::printf("%s:", name.c_str());
    for (size_t n = 0; n < pictures.size(); n++)
      sum[n].pixels ? std::printf(" %s %zu of %zu", pictures[n].name.c_str(), sum[n].allowed_not, sum[n].pixels)
                    : std::printf(" %s not judged", pictures[n].name.c_str());
    std::printf("\n");
  }
  for (size_t n = 1; n < pictures.size(); n++) {
    size_t sum = 0;
    for (const auto& [name, count] : unlike[n]) sum += count;
    std::printf("%s: %zu pixels unlike %s", pictures[n].name.c_str(), sum, pictures[0].name.c_str());
    const char* between = ": ";
    for (const auto& [name, count] : unlike[n]) std::printf("%s%s %zu", between, name.c_str(), count), between = ", ";
    std::printf("\n");
  }
  constexpr size_t fewest = 180 * side * side;
  for (size_t n = 0; n < pictures.size(); n++) {
    std::printf("%s: %zu of %zu pixels of blending, masks and logic operations are not what the model allows\n",
                pictures[n].name.c_str(), all[n].allowed_not, all[n].pixels);
    if (all[n].pixels < fewest) std::printf("  too little was judged\n"), status = 1;
    if (const auto bound = most.find(pictures[n].name); bound != most.end() && all[n].allowed_not > bound->second)
      std::printf("  more than %zu\n", bound->second), status = 1;
  }
  return status;
}
