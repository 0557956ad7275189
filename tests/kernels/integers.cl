// Integer arithmetic of all widths, results of one work-item side by side. A macro makes one kernel a type.

#define INTEGER(T, U, S, BITS)                                                                         \
  __kernel void integer_##T(__global const T* a, __global const T* b, __global T* out) {               \
    size_t i = get_global_id(0);                                                                       \
    T x = a[i], y = b[i], z = a[(i * 5 + 1) % get_global_size(0)];                                     \
    __global T* o = out + i * 32;                                                                      \
    U shift = (U)y & (U)(BITS - 1);                                                                    \
    T divisor = y == (T)0 || y == (T)-1 ? (T)3 : y;                                                    \
    o[0] = x + y;                                                                                      \
    o[1] = x - y;                                                                                      \
    o[2] = x * y;                                                                                      \
    o[3] = x / divisor;                                                                                \
    o[4] = x % divisor;                                                                                \
    o[5] = x & y;                                                                                      \
    o[6] = x | y;                                                                                      \
    o[7] = x ^ ~y;                                                                                     \
    o[8] = x << shift;                                                                                 \
    o[9] = x >> shift;                                                                                 \
    o[10] = mul_hi(x, y);                                                                              \
    o[11] = mad_hi(x, y, z);                                                                           \
    o[12] = mad_sat(x, y, z);                                                                          \
    o[13] = add_sat(x, y);                                                                             \
    o[14] = sub_sat(x, y);                                                                             \
    o[15] = hadd(x, y);                                                                                \
    o[16] = rhadd(x, y);                                                                               \
    o[17] = rotate(x, y);                                                                              \
    o[18] = clz(x);                                                                                    \
    o[19] = popcount(x);                                                                               \
    o[20] = (T)abs(x);                                                                                 \
    o[21] = (T)abs_diff((T)(x >> 1), (T)(y >> 1)); /* halved: see abs_diff in sweep.py */              \
    o[22] = max(x, y);                                                                                 \
    o[23] = min(x, y);                                                                                 \
    o[24] = clamp(x, min(y, z), max(y, z));                                                            \
    o[25] = x < y ? z : (T)(x - z);                                                                    \
    o[26] = (T)((x == y) + 2 * (x >= z) + 4 * (y != z) + 8 * (x <= y) + 16 * (y > z));                 \
    o[27] = bitselect(x, y, z);                                                                        \
    o[28] = select(x, y, (S)z);                                                                        \
    o[29] = -x;                                                                                        \
    o[30] = (T)(!x) | (T)((x && y) << 1);                                                              \
    o[31] = x * x * x + (T)7;                                                                          \
  }

INTEGER(char, uchar, char, 8)
INTEGER(uchar, uchar, char, 8)
INTEGER(short, ushort, short, 16)
INTEGER(ushort, ushort, short, 16)
INTEGER(int, uint, int, 32)
INTEGER(uint, uint, int, 32)
INTEGER(long, ulong, long, 64)
INTEGER(ulong, ulong, long, 64)

__kernel void packed_24(__global const int* a, __global const int* b, __global int* out) {
  size_t i = get_global_id(0);
  int x = a[i] >> 8, y = b[i] >> 8;
  out[i * 4] = mul24(x, y);
  out[i * 4 + 1] = mad24(x, y, a[i]);
  out[i * 4 + 2] = (int)mul24((uint)x & 0xffffffu, (uint)y & 0xffffffu);
  out[i * 4 + 3] = (int)upsample((short)x, (ushort)y);
}

// Both conversions of every pair, plain and saturated; the sweep has all the rounding modes.
__kernel void narrow_and_widen(__global const long* a, __global long* out) {
  size_t i = get_global_id(0);
  long v = a[i];
  __global long* o = out + i * 12;
  o[0] = (char)v;
  o[1] = (uchar)v;
  o[2] = (short)v;
  o[3] = (ushort)v;
  o[4] = (int)v;
  o[5] = (uint)v;
  o[6] = convert_char_sat(v);
  o[7] = convert_ushort_sat(v);
  o[8] = convert_int_sat(v);
  o[9] = convert_uint_sat((ulong)v);
  o[10] = convert_short_sat((int)v);
  o[11] = (long)convert_ulong_sat(v);
}

__kernel void carries(__global const ulong2* a, __global const ulong2* b, __global ulong2* sum, __global ulong4* product) {
  size_t i = get_global_id(0);
  ulong2 x = a[i], y = b[i], s;
  s.x = x.x + y.x;
  s.y = x.y + y.y + (s.x < x.x ? 1UL : 0UL);
  sum[i] = s;
  ulong4 p;
  p.s0 = x.x * y.x;
  p.s1 = mul_hi(x.x, y.x);
  p.s2 = x.y * y.x + p.s1;
  p.s3 = mul_hi(x.y, y.y) + (p.s2 < p.s1 ? 1UL : 0UL);
  product[i] = p;
}

// SHA-256 of one 64-byte block a work-item: rotations, additions and a table in constant memory. FIPS 180-4.
__constant uint sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define RIGHT(x, n) rotate((uint)(x), (uint)(32 - (n)))
__kernel void sha256_block(__global const uint* blocks, __global uint* digests) {
  size_t i = get_global_id(0);
  uint w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, h[8];
  for (int t = 0; t < 16; ++t) w[t] = blocks[i * 16 + t];
  for (int t = 16; t < 64; ++t)
    w[t] = w[t - 16] + w[t - 7] + (RIGHT(w[t - 15], 7) ^ RIGHT(w[t - 15], 18) ^ w[t - 15] >> 3) + (RIGHT(w[t - 2], 17) ^ RIGHT(w[t - 2], 19) ^ w[t - 2] >> 10);
  for (int k = 0; k < 8; ++k) h[k] = s[k];
  for (int t = 0; t < 64; ++t) {
    uint one = h[7] + (RIGHT(h[4], 6) ^ RIGHT(h[4], 11) ^ RIGHT(h[4], 25)) + bitselect(h[6], h[5], h[4]) + sha_constants[t] + w[t];
    uint two = (RIGHT(h[0], 2) ^ RIGHT(h[0], 13) ^ RIGHT(h[0], 22)) + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
    for (int k = 7; k > 0; --k) h[k] = h[k - 1];
    h[4] += one;
    h[0] = one + two;
  }
  for (int k = 0; k < 8; ++k) digests[i * 8 + k] = s[k] + h[k];
}

__kernel void crc32(__global const uchar* data, __global uint* sums, int length) {
  size_t i = get_global_id(0);
  uint c = ~0u;
  for (int k = 0; k < length; ++k) {
    c ^= data[i * length + k];
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (0xedb88320u & -(c & 1u));
  }
  sums[i] = ~c;
}

__kernel void life(__global const uchar* cells, __global uchar* next) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1), around = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) around += (i | j) ? cells[((y + j + h) % h) * w + (x + i + w) % w] : 0;
  next[y * w + x] = around == 3 || (around == 2 && cells[y * w + x]);
}

__kernel void shuffles(__global const uint4* a, __global uint8* b, __global ushort8* c) {
  size_t i = get_global_id(0);
  uint4 x = a[i];
  uint8 wide = shuffle(x, x.s01230123 & 3u);
  b[i] = shuffle2(wide, (uint8)(x.xyzw, x.wzyx), (uint8)(15, 0, 8, 7, x.x & 15u, x.y & 15u, 1, 14));
  c[i] = shuffle(as_ushort8(x), (ushort8)(7, 6, 5, 4, 3, 2, 1, 0));
}
