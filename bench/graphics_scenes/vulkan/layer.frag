#version 450
layout(location = 0) in vec4 shade;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 colour;
layout(binding = 0) uniform sampler2D image;

void main() {
#if defined FLOOR
  colour = vec4(texture(image, place).rgb, shade.a);
#else
  colour = shade;
#endif
}
