// Cells of 4 x 4 pixels of a target of 64 x 64: what task shaders hand to the groups of mesh shaders, and what a draw is given.
struct Payload {
  uint first;      // cell of the first group
  uint colour;
  uint shifts[24]; // of groups
#ifdef LARGE
  uint more[4000];
#endif
};
layout(push_constant) uniform Given {
  uint first;   // cell
  uint groups;  // of mesh shaders for a task shader, at most
  uint colour;
} given;
