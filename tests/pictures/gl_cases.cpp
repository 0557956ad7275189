// Cases of OpenGL 4.5 whose results are numbers. gl_cases [--save FILE] [--beside FILE] [PART...]
// PARTS: builtins images textures feedback draws pixels blits samples fxt1; all if none is named. A line for each case that is wrong, by the model of
// the case or beside what another driver saved, and the sums. The exit status is 1 if there is any.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>

#include "../../examples/gears/context.h"
#include "gl_cases/cases.h"
#include "sheet.h"

namespace gl_cases {
namespace {

struct Kept {
  Bound bound;
  std::vector<uint32_t> words;
};
std::map<std::string, Kept> kept;
int judged = 0, wrong = 0, compared = 0;

std::string file_text(const char* path) {
  std::string text;
  if (std::FILE* file = std::fopen(path, "rb")) {
    char bytes[65536];
    while (size_t n = std::fread(bytes, 1, sizeof bytes, file)) text.append(bytes, n);
    std::fclose(file);
  }
  return text;
}

// NAME, a zero, the number of words, words; and so on.
bool save(const char* path) {
  std::FILE* file = std::fopen(path, "wb");
  if (!file) return false;
  for (auto& [name, value] : kept) {
    const auto count = uint32_t(value.words.size());
    std::fwrite(name.c_str(), 1, name.size() + 1, file);
    std::fwrite(&count, 4, 1, file);
    std::fwrite(value.words.data(), 4, count, file);
  }
  return std::fclose(file) == 0;
}

float as_float(uint32_t word) {
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

bool same(const Bound& bound, uint32_t a, uint32_t b) {
  if (a == b) return true;
  if (!bound.floats) return false;
  const float x = as_float(a), y = as_float(b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if (x == y) return true;
  return std::abs(double(x) - double(y)) <= bound.absolute + bound.relative * std::abs(double(y));
}

void compare(const std::string& name, const Kept& here, const std::vector<uint32_t>& there) {
  compared++;
  std::string detail;
  size_t off = here.words.size() == there.size() ? 0 : here.words.size() + 1;
  for (size_t n = 0; n < here.words.size() && n < there.size(); n++) {
    if (same(here.bound, here.words[n], there[n])) continue;
    char text[160];
    if (here.bound.floats)
      std::snprintf(text, sizeof text, " [%zu] %.9g beside %.9g", n, double(as_float(here.words[n])), double(as_float(there[n])));
    else
      std::snprintf(text, sizeof text, " [%zu] %08x beside %08x", n, here.words[n], there[n]);
    if (off++ < 4) detail += text;
  }
  if (double(off) <= here.bound.share * double(here.words.size())) return;
  wrong++;
  std::printf("%s: %zu of %zu differ:%s\n", name.c_str(), off, here.words.size(), detail.c_str());
}

int beside(const char* path) {
  const std::string text = file_text(path);
  size_t found = 0;
  for (size_t at = 0; at < text.size();) {
    const std::string name = text.c_str() + at;
    at += name.size() + 1;
    uint32_t count = 0;
    if (at + 4 > text.size()) return 1;
    std::memcpy(&count, text.data() + at, 4);
    at += 4;
    if (at + size_t(count) * 4 > text.size()) return 1;
    std::vector<uint32_t> words(count);
    std::memcpy(words.data(), text.data() + at, size_t(count) * 4);
    at += size_t(count) * 4;
    auto here = kept.find(name);
    if (here == kept.end()) continue;
    found++;
    compare(name, here->second, words);
  }
  if (found != kept.size()) std::printf("%zu cases are not in %s\n", kept.size() - found, path);
  return found != kept.size();
}

}  // namespace

void judge(const std::string& name, const std::string& detail) {
  judged++;
  if (GLenum error = glGetError()) {
    std::printf("%s: OpenGL error 0x%04x\n", name.c_str(), error);
    wrong++;
  } else if (!detail.empty()) {
    std::printf("%s: %s\n", name.c_str(), detail.c_str());
    wrong++;
  }
}

void keep(const std::string& name, const Bound& bound, const std::vector<uint32_t>& words) {
  if (GLenum error = glGetError()) {
    std::printf("%s: OpenGL error 0x%04x\n", name.c_str(), error);
    wrong++;
  }
  if (!kept.emplace(name, Kept{bound, words}).second) std::printf("%s: twice\n", name.c_str()), wrong++;
}

GLuint make_buffer(GLenum target, GLuint binding, const std::vector<uint32_t>& words) {
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBufferBase(target, binding, buffer);
  glBufferData(target, GLsizeiptr(words.size() * 4), words.data(), GL_DYNAMIC_COPY);
  return buffer;
}

std::vector<uint32_t> words_of(GLuint buffer, size_t count) {
  std::vector<uint32_t> words(count);
  glMemoryBarrier(GL_ALL_BARRIER_BITS);
  glBindBuffer(GL_COPY_READ_BUFFER, buffer);
  glGetBufferSubData(GL_COPY_READ_BUFFER, 0, GLsizeiptr(count * 4), words.data());
  return words;
}

GLuint compute_program(const std::string& text) { return sheet::make_program({{GL_COMPUTE_SHADER, "#version 450\n" + text}}); }

}  // namespace gl_cases

int main(int argc, char** argv) {
  using namespace gl_cases;
  const std::pair<const char*, std::function<void()>> parts[] = {
      {"builtins", builtins}, {"images", images}, {"textures", textures}, {"feedback", feedback}, {"draws", draws},
      {"pixels", pixels},     {"blits", blits},   {"samples", samples},   {"fxt1", fxt1}};
  const char *save_to = nullptr, *compare_with = nullptr;
  std::vector<std::string> wanted;
  for (int n = 1; n < argc; n++) {
    const std::string word = argv[n];
    bool known = false;
    for (auto& part : parts) known = known || word == part.first;
    if (word == "--save" && n + 1 < argc)
      save_to = argv[++n];
    else if (word == "--beside" && n + 1 < argc)
      compare_with = argv[++n];
    else if (known)
      wanted.push_back(word);
    else {
      std::fprintf(stderr,
                   "usage: gl_cases [--save FILE] [--beside FILE] "
                   "[builtins|images|textures|feedback|draws|pixels|blits|samples|fxt1 ...]\n");
      return 2;
    }
  }
  if (std::string error = gears::make_context(gears::Platform::surfaceless, ""); !error.empty()) {
    std::fprintf(stderr, "gl_cases: %s\n", error.c_str());
    return 1;
  }
  std::printf("GL_RENDERER: %s\n", reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
  if (std::string error = gears::make_framebuffer(64, 64); !error.empty()) {
    std::fprintf(stderr, "gl_cases: %s\n", error.c_str());
    return 1;
  }
  GLint framebuffer = 0;
  glGetIntegerv(GL_FRAMEBUFFER_BINDING, &framebuffer);
  GLuint array = 0;
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  for (auto& part : parts) {
    bool run = wanted.empty();
    for (auto& name : wanted) run = run || name == part.first;
    if (run) glBindFramebuffer(GL_FRAMEBUFFER, GLuint(framebuffer)), part.second();
  }
  int status = 0;
  if (save_to && !save(save_to)) std::fprintf(stderr, "gl_cases: %s is not written\n", save_to), status = 1;
  if (compare_with) status |= beside(compare_with);
  std::printf("%d judged, %zu kept, %d compared, %d wrong\n", judged, kept.size(), compared, wrong);
  return status || wrong ? 1 : 0;
}
