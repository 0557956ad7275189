// Many small triangles, and many small draws.
#include <cmath>

#include "scene.h"

namespace scenes {

namespace {

// 500 x 500 squares of two triangles, each of about a pixel: a height field with normals, lit per vertex.
constexpr int side = 500;

void make_triangles() {
  constexpr const char* attributes[] = {"position", "normal"};
  glUseProgram(make_program(R"(#version 120
    attribute vec3 position, normal;
    varying vec4 shade;
    void main() {
      gl_Position = vec4(position, 1.0);
      vec3 n = normalize(normal), to_light = normalize(vec3(0.5, 0.6, 1.0) - position), half_way = normalize(to_light + vec3(0.0, 0.0, 1.0));
      float diffuse = max(dot(n, to_light), 0.0), shine = pow(max(dot(n, half_way), 0.0), 24.0);
      shade = vec4(vec3(0.15, 0.1, 0.2) + diffuse * vec3(0.3, 0.6, 0.4) + shine * 0.4, 1.0);
    })",
                            "#version 120\nvarying vec4 shade;\nvoid main() { gl_FragColor = shade; }", attributes));
  std::vector<float> vertices;
  for (int y = 0; y <= side; y++)
    for (int x = 0; x <= side; x++) {
      float u = float(x) / side * 2 - 1, v = float(y) / side * 2 - 1;
      float high = 0.3f * std::sin(u * 7) * std::cos(v * 5);
      float slope_x = 2.1f * std::cos(u * 7) * std::cos(v * 5), slope_y = -1.5f * std::sin(u * 7) * std::sin(v * 5);
      vertices.insert(vertices.end(), {u, v, -high, -slope_x, -slope_y, 1});
    }
  std::vector<GLuint> indices;
  for (GLuint y = 0; y < side; y++)
    for (GLuint x = 0; x < side; x++) {
      GLuint at = y * (side + 1) + x, above = at + side + 1;
      indices.insert(indices.end(), {at, at + 1, above, above, at + 1, above + 1});
    }
  GLuint buffers[2];
  glGenBuffers(2, buffers);
  glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
  glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(vertices.size() * sizeof(float)), vertices.data(), GL_STATIC_DRAW);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
  glBufferData(GL_ELEMENT_ARRAY_BUFFER, GLsizeiptr(indices.size() * sizeof(GLuint)), indices.data(), GL_STATIC_DRAW);
  for (GLuint n = 0; n < 2; n++) {
    glVertexAttribPointer(n, 3, GL_FLOAT, GL_FALSE, 6 * sizeof(float), reinterpret_cast<const void*>(n * 3 * sizeof(float)));
    glEnableVertexAttribArray(n);
  }
  glEnable(GL_DEPTH_TEST);
}

void draw_triangles(int) {
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glDrawElements(GL_TRIANGLES, side * side * 6, GL_UNSIGNED_INT, nullptr);
}

// 5,000 discs of 10 triangles: uniforms change with every draw, blending every 10 draws, the program every 50.
constexpr int discs = 5000, columns = 100;
struct Disc {
  GLuint program;
  GLint place, colour;
} kinds[2];

void make_draws() {
  constexpr const char* vertex = R"(#version 120
    attribute vec2 position;
    uniform vec2 place;
    varying vec2 inside;
    void main() { gl_Position = vec4(position * vec2(0.015, 0.02) + place, 0.0, 1.0); inside = position; })";
  constexpr const char* fragments[] = {
      "#version 120\nuniform vec4 colour;\nvoid main() { gl_FragColor = colour; }",
      "#version 120\nuniform vec4 colour;\nvarying vec2 inside;\nvoid main() { gl_FragColor = colour * (1.0 - 0.5 * dot(inside, "
      "inside)); }",
  };
  constexpr const char* attributes[] = {"position"};
  for (int n = 0; n < 2; n++) {
    GLuint program = make_program(vertex, fragments[n], attributes);
    kinds[n] = {program, glGetUniformLocation(program, "place"), glGetUniformLocation(program, "colour")};
  }
  std::vector<float> vertices{0, 0};
  for (int n = 0; n <= 10; n++) {
    float angle = float(n) * 0.6283185f;
    vertices.insert(vertices.end(), {std::cos(angle), std::sin(angle)});
  }
  GLuint buffer;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(vertices.size() * sizeof(float)), vertices.data(), GL_STATIC_DRAW);
  glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
  glEnableVertexAttribArray(0);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

void draw_draws(int) {
  glClear(GL_COLOR_BUFFER_BIT);
  for (int n = 0; n < discs; n++) {
    const Disc& kind = kinds[n / 50 % 2];
    if (n % 50 == 0) glUseProgram(kind.program);
    if (n % 10 == 0) n / 10 % 2 ? glEnable(GL_BLEND) : glDisable(GL_BLEND);
    int column = n % columns, row = n / columns;
    float x = float(column), y = float(row);
    glUniform2f(kind.place, x / 50 - 0.99f, y / 25 - 0.98f);
    glUniform4f(kind.colour, x / 100, y / 50, float(n % 7) / 7, 0.6f);
    glDrawArrays(GL_TRIANGLE_FAN, 0, 12);
  }
}

constexpr Scene table[] = {
    {"triangles", "500,000 indexed triangles of about a pixel, lit per vertex", 21, make_triangles, draw_triangles},
    {"draws", "5,000 draws of 10 triangles with changes of uniforms, programs and blending", 21, make_draws, draw_draws},
};

}  // namespace

std::span<const Scene> geometry_scenes() { return table; }

}  // namespace scenes
