#include "scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

namespace gears {

namespace {

constexpr float pi = 3.14159265358979f;

int screen_width, screen_height;
GLuint gear_lists, floor_texture, ball_texture, floor_program, ball_vertices, ball_indices;
GLsizei ball_index_count;

// --- textures

struct Texel {
  uint8_t red, green, blue, alpha;
};

uint8_t to_byte(float value) { return uint8_t(std::clamp(value, 0.0f, 1.0f) * 255 + 0.5f); }

// All levels of a square texture; each is the mean of 2x2 texels of the one before, so that no driver's filter is part of it.
void upload_with_levels(int size, std::vector<std::array<float, 3>> texels) {
  for (int level = 0;; level++) {
    std::vector<Texel> bytes(texels.size());
    for (size_t i = 0; i < texels.size(); i++)
      bytes[i] = {to_byte(texels[i][0]), to_byte(texels[i][1]), to_byte(texels[i][2]), 255};
    glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
    if (size == 1) return;
    int half = size / 2;
    std::vector<std::array<float, 3>> next(size_t(half) * half);
    for (int y = 0; y < half; y++)
      for (int x = 0; x < half; x++)
        for (int c = 0; c < 3; c++) {
          auto at = [&](int dx, int dy) { return texels[size_t(2 * y + dy) * size + 2 * x + dx][c]; };
          next[size_t(y) * half + x][c] = (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) / 4;
        }
    texels = std::move(next);
    size = half;
  }
}

// Tiles with dark joints and a slow change of colour.
GLuint make_floor_texture() {
  constexpr int size = 256;
  std::vector<std::array<float, 3>> texels(size * size);
  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++) {
      float u = (float(x) + 0.5f) / size, v = (float(y) + 0.5f) / size;
      float joint = std::max(std::pow(std::fabs(std::cos(pi * 2 * u)), 10.0f), std::pow(std::fabs(std::cos(pi * 2 * v)), 10.0f));
      float shade = 0.62f + 0.12f * std::sin(2 * pi * u) * std::sin(2 * pi * v);
      bool odd = (x * 2 / size + y * 2 / size) % 2;
      std::array<float, 3> tile = odd ? std::array<float, 3>{0.86f, 0.80f, 0.70f} : std::array<float, 3>{0.52f, 0.58f, 0.66f};
      for (int c = 0; c < 3; c++) texels[size_t(y) * size + x][c] = tile[c] * shade * (1 - 0.6f * joint) * 1.3f;
    }
  GLuint texture;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  upload_with_levels(size, std::move(texels));
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  return texture;
}

// A beach ball: one level, bilinear, clamped at the poles.
GLuint make_ball_texture() {
  constexpr int width = 64, height = 32;
  std::vector<Texel> texels(width * height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float stripe = 0.5f + 0.5f * std::sin(6 * 2 * pi * (float(x) + 0.5f) / width);
      float ring = std::exp(-std::pow((float(y) + 0.5f - height / 2.0f) / 3, 2.0f));
      texels[size_t(y) * width + x] = {to_byte(0.9f), to_byte(0.25f + 0.65f * stripe), to_byte(0.2f + 0.6f * ring), 255};
    }
  GLuint texture;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return texture;
}

// --- shapes

struct Gear {
  float inner, outer, width;
  int teeth;
  float depth;  // of a tooth
  std::array<float, 4> colour;
};
constexpr Gear gears[3] = {
    {1.0f, 4.0f, 1.0f, 20, 0.7f, {0.8f, 0.1f, 0.0f, 1}},
    {0.5f, 2.0f, 2.0f, 10, 0.7f, {0.0f, 0.8f, 0.2f, 1}},
    {1.3f, 2.0f, 0.5f, 10, 0.7f, {0.2f, 0.2f, 1.0f, 1}},
};

struct Point {
  float x, y;
};
Point on_circle(float radius, float angle) { return {radius * std::cos(angle), radius * std::sin(angle)}; }

// The outline of a tooth: up, over, down, and the gap to the next one, in four equal steps of the angle.
std::array<Point, 5> tooth_outline(const Gear& g, int tooth) {
  float root = g.outer - g.depth / 2, tip = g.outer + g.depth / 2;
  float step = 2 * pi / float(g.teeth) / 4, start = float(tooth) * 4 * step;
  return {on_circle(root, start), on_circle(tip, start + step), on_circle(tip, start + 2 * step),
          on_circle(root, start + 3 * step), on_circle(root, start + 4 * step)};
}

// One side, at z, facing `facing`: the ring as a strip of quads, the teeth as quads, flat.
void draw_gear_side(const Gear& g, float z, float facing) {
  glNormal3f(0, 0, facing);
  auto ring_point = [&](float radius, float angle) {
    Point p = on_circle(radius, angle);
    glVertex3f(p.x, p.y, z);
  };
  int steps = g.teeth * 4;
  float root = g.outer - g.depth / 2;
  glBegin(GL_QUAD_STRIP);
  for (int i = 0; i <= steps; i++) {
    float angle = 2 * pi * float(i) / float(steps);
    ring_point(facing > 0 ? g.inner : root, angle);
    ring_point(facing > 0 ? root : g.inner, angle);
  }
  glEnd();
  glBegin(GL_QUADS);
  for (int tooth = 0; tooth < g.teeth; tooth++) {
    auto outline = tooth_outline(g, tooth);
    for (int i = 0; i < 4; i++) {
      const Point& p = outline[facing > 0 ? i : 3 - i];
      glVertex3f(p.x, p.y, z);
    }
  }
  glEnd();
}

void draw_gear(const Gear& g) {
  glMaterialfv(GL_FRONT, GL_AMBIENT_AND_DIFFUSE, g.colour.data());
  float half = g.width / 2;
  glShadeModel(GL_FLAT);
  draw_gear_side(g, half, 1);
  draw_gear_side(g, -half, -1);
  // outward faces of the teeth
  glBegin(GL_QUADS);
  for (int tooth = 0; tooth < g.teeth; tooth++) {
    auto outline = tooth_outline(g, tooth);
    for (int i = 0; i < 4; i++) {
      Point a = outline[i], b = outline[i + 1];
      float length = std::hypot(b.x - a.x, b.y - a.y);
      glNormal3f((b.y - a.y) / length, (a.x - b.x) / length, 0);
      glVertex3f(a.x, a.y, -half);
      glVertex3f(b.x, b.y, -half);
      glVertex3f(b.x, b.y, half);
      glVertex3f(a.x, a.y, half);
    }
  }
  glEnd();
  // the hole, smooth
  glShadeModel(GL_SMOOTH);
  glBegin(GL_QUAD_STRIP);
  for (int i = 0; i <= g.teeth; i++) {
    float angle = 2 * pi * float(i) / float(g.teeth);
    Point p = on_circle(g.inner, angle);
    glNormal3f(-std::cos(angle), -std::sin(angle), 0);
    glVertex3f(p.x, p.y, -half);
    glVertex3f(p.x, p.y, half);
  }
  glEnd();
}

struct BallVertex {
  float position[3], normal[3], coordinate[2];
};

void make_ball() {
  constexpr int around = 32, down = 16;
  std::vector<BallVertex> vertices;
  std::vector<uint16_t> indices;
  for (int j = 0; j <= down; j++)
    for (int i = 0; i <= around; i++) {
      float longitude = 2 * pi * float(i) / around, latitude = pi * float(j) / down;
      float x = std::sin(latitude) * std::cos(longitude), y = std::cos(latitude), z = std::sin(latitude) * std::sin(longitude);
      vertices.push_back({{1.5f * x, 1.5f * y, 1.5f * z}, {x, y, z}, {float(i) / around, float(j) / down}});
    }
  for (int j = 0; j < down; j++)
    for (int i = 0; i < around; i++) {
      auto first = uint16_t(j * (around + 1) + i), below = uint16_t(first + around + 1);
      for (int index : {int(first), first + 1, int(below), first + 1, below + 1, int(below)}) indices.push_back(uint16_t(index));
    }
  ball_index_count = GLsizei(indices.size());
  glGenBuffers(1, &ball_vertices);
  glBindBuffer(GL_ARRAY_BUFFER, ball_vertices);
  glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(vertices.size() * sizeof(BallVertex)), vertices.data(), GL_STATIC_DRAW);
  glGenBuffers(1, &ball_indices);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, ball_indices);
  glBufferData(GL_ELEMENT_ARRAY_BUFFER, GLsizeiptr(indices.size() * 2), indices.data(), GL_STATIC_DRAW);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
}

// --- shaders: the floor under a lamp

const char* const floor_vertex_shader =
    "#version 120\n"
    "varying vec2 coordinate;\n"
    "varying vec3 place;\n"
    "void main() {\n"
    "  coordinate = gl_MultiTexCoord0.xy;\n"
    "  place = gl_Vertex.xyz;\n"
    "  gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;\n"
    "}\n";
const char* const floor_fragment_shader =
    "#version 120\n"
    "uniform sampler2D tiles;\n"
    "uniform vec3 lamp;\n"
    "varying vec2 coordinate;\n"
    "varying vec3 place;\n"
    "void main() {\n"
    "  vec3 to_lamp = lamp - place;\n"
    "  float light = to_lamp.y * inversesqrt(dot(to_lamp, to_lamp));\n"
    "  vec4 tile = texture2D(tiles, coordinate);\n"
    "  gl_FragColor = vec4(tile.rgb * mix(0.25, 1.1, light * light), 1.0);\n"
    "}\n";

std::string compile(GLenum kind, const char* source, GLuint program) {
  GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  GLint compiled = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (!compiled) {
    char log[1024] = "";
    glGetShaderInfoLog(shader, sizeof log, nullptr, log);
    return std::string("a shader does not compile: ") + log;
  }
  glAttachShader(program, shader);
  return {};
}

std::string make_floor_program() {
  floor_program = glCreateProgram();
  if (auto error = compile(GL_VERTEX_SHADER, floor_vertex_shader, floor_program); !error.empty()) return error;
  if (auto error = compile(GL_FRAGMENT_SHADER, floor_fragment_shader, floor_program); !error.empty()) return error;
  glLinkProgram(floor_program);
  GLint linked = 0;
  glGetProgramiv(floor_program, GL_LINK_STATUS, &linked);
  if (!linked) {
    char log[1024] = "";
    glGetProgramInfoLog(floor_program, sizeof log, nullptr, log);
    return std::string("the floor's shaders do not link: ") + log;
  }
  glUseProgram(floor_program);
  glUniform1i(glGetUniformLocation(floor_program, "tiles"), 0);
  glUniform3f(glGetUniformLocation(floor_program, "lamp"), -3, 6, 2);
  glUseProgram(0);
  return {};
}

// --- the frame's parts

void draw_background() {
  glMatrixMode(GL_PROJECTION);
  glPushMatrix();
  glLoadIdentity();
  glMatrixMode(GL_MODELVIEW);
  glLoadIdentity();
  glBegin(GL_POLYGON);
  glColor3f(0.10f, 0.12f, 0.20f);
  glVertex2f(-1, -1);
  glVertex2f(1, -1);
  glColor3f(0.45f, 0.60f, 0.80f);
  glVertex2f(1, 1);
  glVertex2f(-1, 1);
  glEnd();
  glMatrixMode(GL_PROJECTION);
  glPopMatrix();
  glMatrixMode(GL_MODELVIEW);
}

constexpr float floor_level = -7.0f, floor_half = 16;

void draw_floor() {
  const float coordinates[] = {0, 0, 0, 5, 5, 0, 5, 5};
  const float positions[] = {-floor_half, floor_level, -floor_half, -floor_half, floor_level, floor_half,
                             floor_half,  floor_level, -floor_half, floor_half,  floor_level, floor_half};
  glUseProgram(floor_program);
  glBindTexture(GL_TEXTURE_2D, floor_texture);
  glEnableClientState(GL_VERTEX_ARRAY);
  glEnableClientState(GL_TEXTURE_COORD_ARRAY);
  glVertexPointer(3, GL_FLOAT, 0, positions);
  glTexCoordPointer(2, GL_FLOAT, 0, coordinates);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDisableClientState(GL_TEXTURE_COORD_ARRAY);
  glDisableClientState(GL_VERTEX_ARRAY);
  glUseProgram(0);
  glColor3f(0.95f, 0.9f, 0.5f);
  glBegin(GL_LINE_LOOP);
  float edge = floor_half * 0.5f, above = floor_level + 0.05f;
  glVertex3f(-edge, above, -edge);
  glVertex3f(edge, above, -edge);
  glVertex3f(edge, above, edge);
  glVertex3f(-edge, above, edge);
  glEnd();
}

void draw_gears(float angle) {
  glEnable(GL_LIGHTING);
  const float places[3][2] = {{-3.0f, -2.0f}, {3.1f, -2.0f}, {-3.1f, 4.2f}};
  const float angles[3] = {angle, -2 * angle - 9, -2 * angle - 25};
  for (int i = 0; i < 3; i++) {
    glPushMatrix();
    glTranslatef(places[i][0], places[i][1], 0);
    glRotatef(angles[i], 0, 0, 1);
    glCallList(gear_lists + GLuint(i));
    glPopMatrix();
  }
  glDisable(GL_LIGHTING);
}

void draw_ball(float angle) {
  const float white[4] = {1, 1, 1, 1}, shine[4] = {0.4f, 0.4f, 0.4f, 1}, dull[4] = {0, 0, 0, 1};
  glEnable(GL_LIGHTING);
  glEnable(GL_TEXTURE_2D);
  glBindTexture(GL_TEXTURE_2D, ball_texture);
  glMaterialfv(GL_FRONT, GL_AMBIENT_AND_DIFFUSE, white);
  glMaterialfv(GL_FRONT, GL_SPECULAR, shine);
  glMaterialf(GL_FRONT, GL_SHININESS, 16);
  glPushMatrix();
  glTranslatef(3.6f, 3.2f, 1);
  glRotatef(angle, 0.3f, 1, 0.1f);
  glBindBuffer(GL_ARRAY_BUFFER, ball_vertices);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, ball_indices);
  auto offset = [](size_t bytes) { return reinterpret_cast<const void*>(bytes); };
  glEnableClientState(GL_VERTEX_ARRAY);
  glEnableClientState(GL_NORMAL_ARRAY);
  glEnableClientState(GL_TEXTURE_COORD_ARRAY);
  glVertexPointer(3, GL_FLOAT, sizeof(BallVertex), offset(offsetof(BallVertex, position)));
  glNormalPointer(GL_FLOAT, sizeof(BallVertex), offset(offsetof(BallVertex, normal)));
  glTexCoordPointer(2, GL_FLOAT, sizeof(BallVertex), offset(offsetof(BallVertex, coordinate)));
  glDrawElements(GL_TRIANGLES, ball_index_count, GL_UNSIGNED_SHORT, nullptr);
  glDisableClientState(GL_TEXTURE_COORD_ARRAY);
  glDisableClientState(GL_NORMAL_ARRAY);
  glDisableClientState(GL_VERTEX_ARRAY);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  glPopMatrix();
  glMaterialfv(GL_FRONT, GL_SPECULAR, dull);
  glDisable(GL_TEXTURE_2D);
  glDisable(GL_LIGHTING);
}

// A round pane in front. What is drawn stays opaque: alpha is not blended.
void draw_glass() {
  glEnable(GL_BLEND);
  glDepthMask(GL_FALSE);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
  glDisable(GL_CULL_FACE);
  glBegin(GL_TRIANGLE_FAN);
  glColor4f(0.9f, 1, 1, 0.15f);
  glVertex3f(1.2f, -0.5f, 4);
  for (int i = 0; i <= 40; i++) {
    Point p = on_circle(3, 2 * pi * float(i) / 40);
    glColor4f(0.3f, 0.8f, 0.9f, 0.55f);
    glVertex3f(1.2f + p.x, -0.5f + p.y, 4);
  }
  glEnd();
  glEnable(GL_CULL_FACE);
  glDepthMask(GL_TRUE);
  glDisable(GL_BLEND);
}

// A row of sparks along the lower edge that brighten what is there. They stand on pixels' centres, so that every rasteriser
// agrees where they are.
void draw_sparks(int frame) {
  glMatrixMode(GL_PROJECTION);
  glPushMatrix();
  glLoadIdentity();
  glOrtho(0, screen_width, 0, screen_height, -1, 1);
  glMatrixMode(GL_MODELVIEW);
  glLoadIdentity();
  glDisable(GL_DEPTH_TEST);
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE, GL_ZERO, GL_ONE);
  glPointSize(7);
  glBegin(GL_POINTS);
  for (int i = 0; i < 12; i++) {
    float alpha = (i + frame) % 12 / 11.0f, x = std::floor(float(screen_width) * (float(i) + 1) / 13) + 0.5f;
    glColor4f(1, 0.8f, 0.3f, alpha);
    glVertex2f(x, std::floor(float(screen_height) * 0.06f) + 0.5f);
  }
  glEnd();
  glDisable(GL_BLEND);
  glEnable(GL_DEPTH_TEST);
  glMatrixMode(GL_PROJECTION);
  glPopMatrix();
  glMatrixMode(GL_MODELVIEW);
}

// The first gear from the front again, in a corner of its own.
void draw_inset(float angle) {
  int width = screen_width / 5, height = screen_height / 5, margin = screen_width / 40;
  int left = screen_width - width - margin, bottom = screen_height - height - margin;
  glViewport(left, bottom, width, height);
  glScissor(left, bottom, width, height);
  glEnable(GL_SCISSOR_TEST);
  glClearColor(0.16f, 0.14f, 0.18f, 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
  glPushMatrix();
  glLoadIdentity();
  glTranslatef(0, 0, -26);
  glRotatef(angle, 0, 0, 1);
  glEnable(GL_LIGHTING);
  glCallList(gear_lists);
  glDisable(GL_LIGHTING);
  glPopMatrix();
  glViewport(0, 0, screen_width, screen_height);
}

}  // namespace

std::string make_scene(int width, int height) {
  screen_width = width;
  screen_height = height;
  floor_texture = make_floor_texture();
  ball_texture = make_ball_texture();
  if (auto error = make_floor_program(); !error.empty()) return error;
  make_ball();
  const float light[4] = {5, 5, 10, 0};
  glLightfv(GL_LIGHT0, GL_POSITION, light);
  glEnable(GL_LIGHT0);
  glEnable(GL_NORMALIZE);
  glEnable(GL_CULL_FACE);
  gear_lists = glGenLists(3);
  for (int i = 0; i < 3; i++) {
    glNewList(gear_lists + GLuint(i), GL_COMPILE);
    draw_gear(gears[i]);
    glEndList();
  }
  glViewport(0, 0, width, height);
  glMatrixMode(GL_PROJECTION);
  glLoadIdentity();
  double aspect = double(height) / width;
  glFrustum(-1, 1, -aspect, aspect, 3, 60);
  glMatrixMode(GL_MODELVIEW);
  return {};
}

void draw_scene(int frame) {
  float angle = 2 * float(frame);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glDisable(GL_DEPTH_TEST);
  draw_background();
  glEnable(GL_DEPTH_TEST);
  glLoadIdentity();
  glTranslatef(0, 0.4f, -30);
  glRotatef(20, 1, 0, 0);
  glRotatef(30, 0, 1, 0);
  draw_floor();
  draw_gears(angle);
  draw_ball(angle);
  draw_glass();
  draw_sparks(frame);
  draw_inset(angle);
}

}  // namespace gears
