// Results of an RX 9070 (gfx1201) for whole sets of operands, as FNV-1a digests: facts of bjacob/goc (MIT), tests/*_hardware.h
// and the corpora of tests/*_test.cpp, captured by its author in October 2026. Each test in card_digests_test.cpp says how its
// operands are made.
#pragma once
#include <cstdint>

namespace Atoll::rdna4::test {

// DIV_FMAS: f32, f64; VCC clear, set; eight modifiers. All triples of 16 values, then 4,096 pseudo-random ones.
inline constexpr uint64_t div_fmas_edges[2][16] = {
    {0x576afb8106a30db6, 0x17b0667f55864660, 0x7ef3c39e53f15674, 0x52e30545e100e91d, 0x7dfaa75bd9f93fc1, 0x4b82f14f3676d37a,
     0xde3a498141d5c9ae, 0xedccdc2b6bda0332, 0x9b9aaad4d8a05873, 0xf6008a1d1d0c142c, 0x0597c7e854253324, 0x2a29c5f3a13a8713,
     0x8ce01722da989723, 0xf3616230e81d97b3, 0x47a892285aa4c257, 0x58fe1e27d8dc4f5b},
    {0xcee9c9bf9830281a, 0x24838bbedb7284f3, 0x31edd4d575fdd387, 0xc583bfc7054904bb, 0x09c7125ca8c68b45, 0x9aac4ad132b3e7c6,
     0xacc029bf67082311, 0x68737b88435eadf7, 0xea132b28336b725b, 0x5587f03df977177b, 0xb91e1cf58a3e02af, 0x4d0d52e9dcc97ab6,
     0x3810a057a4735093, 0x949a41a1d64a8a1f, 0xc12f7090ee8c83a7, 0xbc41179bd09796e6}};
inline constexpr uint64_t div_fmas_random[2][16] = {
    {0xc541e132702ea7b5, 0x4e77491831aea8a8, 0x1c22023b0bda9445, 0x1f90d3062d413b7f, 0xebdc444d802d79d0, 0xcebae882a9c75ee7,
     0x38ed35a07d010508, 0x15a41126b93019ba, 0x7d7799c6729ae40c, 0x78735351bce899a2, 0x810587a7906216fa, 0x47054733e7051b49,
     0x0ceb2da620a93078, 0x3a514143a1e51d5f, 0xda0ef3cd66be2fcf, 0xe18d8b95579cc2d2},
    {0xdd6253dd067567b6, 0x51f48836d04d9123, 0x20348cf7243cb93c, 0xd2c8288e073e3e95, 0x2166916818f8bf23, 0xfe603b8e50cfa26a,
     0x0d69da7e81f920eb, 0xf08cf5fa21dd9a6c, 0x9226c35b36ea5dbb, 0x23ce8b033259fb07, 0x10784f300ac77478, 0x3ebeb744cbdcd7dd,
     0xf3878e292105ed4d, 0x9b36a4919d0914b1, 0x2daf81d05b88c0df, 0xcf9ac1db515cec43}};

// DIV_SCALE: f32, f64; source 0 the denominator, the numerator; CLAMP; OMOD 0 to 3; that operand as it is, negated. NEG of others
// makes no difference.
inline constexpr uint64_t div_scale_pairs[2][2][2][4][2] = {{{{{0x0bf6de42e15084b1, 0xbb6fd089b9c414b1},
                                                               {0x0f111e1faaa37777, 0x82eb9f76bf70dc77},
                                                               {0x74c4ddbc8eea2937, 0x6a9bbc75c8e36437},
                                                               {0x112a04bf9e8f9106, 0xe2447415f564bc06}},
                                                              {{0x338bc475a2289a90, 0xc7ba85f09897170f},
                                                               {0x253d249b28d2dd66, 0xc7ba85f09897170f},
                                                               {0x77f9d19066a87d20, 0xc7ba85f09897170f},
                                                               {0x170cd4a6e7b8d79c, 0x5fc518efb2dbda0f}}},
                                                             {{{0xcd7dfc8a28740ccc, 0xd3f54c751b0b4acc},
                                                               {0xc30f77f0ac15bc49, 0xc66e3c8e337d6849},
                                                               {0x8db8d9fe59ba9805, 0x720359ef8c2e5605},
                                                               {0x441034520b7e37f5, 0x9e026bbf5d0a41f5}},
                                                              {{0x8a9d6cdf02779064, 0xc07cfba031900873},
                                                               {0x0af32160c01c6134, 0xc07cfba031900873},
                                                               {0x609286169f8f6a0a, 0xc07cfba031900873},
                                                               {0x380dd4d85fd445e6, 0xe987d6a49f8f51f3}}}},
                                                            {{{{0xfbfeb88b0d09fda7, 0x30823605352f8ca7},
                                                               {0xe08361f846c8705f, 0xc3ba38161052165f},
                                                               {0xbc03e19b45f50b1d, 0xd43535b6d6a10c1d},
                                                               {0xafd611e50d112f8c, 0x5caad73103ccad8c}},
                                                              {{0x599836b23bd85c0c, 0x0dc05aa3b552809f},
                                                               {0xde5b3de46e91fe3b, 0x0dc05aa3b552809f},
                                                               {0xe23c232125e5d23b, 0x0dc05aa3b552809f},
                                                               {0x8339367fe55a22e1, 0x36fed1a724e92cff}}},
                                                             {{{0x5cb5e96f219dad9b, 0xe574c03d7c0a6a9b},
                                                               {0xa490476ae6935fce, 0x53b851c0483a5bce},
                                                               {0x99db958440d7b280, 0xae9a36ee91319380},
                                                               {0x2cdc445c81344341, 0xac840f62484e0e41}},
                                                              {{0x6181a9dade615bf7, 0x3618e18202cca0e3},
                                                               {0x56a36dae323a818f, 0x3618e18202cca0e3},
                                                               {0x3fff1fe86498facf, 0x3618e18202cca0e3},
                                                               {0xe2ca87e137725d82, 0xede70299fe9614f3}}}}};

// DIV_FIXUP: f16, f32, f64; FP16_OVFL clear, set; five modifiers.
inline constexpr uint64_t div_fixup_edges[3][10] = {
    {0xb38763c18dba3595, 0x1efd5c5aae38e395, 0xfcc4b255f651f85d, 0x97fc9b7b757e47ad, 0xeff19f7014208ae5, 0x751a84a64f0a3175,
     0x060f518ad4b5fa75, 0x84c5a39f06818835, 0x0f50955c0725c1ed, 0xeff19f7014208ae5},
    {0x8f2fd19a5eb283b1, 0x9de6b4e11082acb1, 0x7519dbec75609621, 0x5a2a1c7e9c4616f1, 0x693ff367df6ff8c5, 0x8f2fd19a5eb283b1,
     0x9de6b4e11082acb1, 0x7519dbec75609621, 0x5a2a1c7e9c4616f1, 0x693ff367df6ff8c5},
    {0x266ed547042c4769, 0x6e00ab1dc302a869, 0x4b7ae2cff5842161, 0xb68d3c7010cf62c9, 0x49c775e21a5725a5, 0x266ed547042c4769,
     0x6e00ab1dc302a869, 0x4b7ae2cff5842161, 0xb68d3c7010cf62c9, 0x49c775e21a5725a5}};

// CUBEID, CUBESC, CUBETC, CUBEMA; five modifiers.
inline constexpr uint64_t cube_edges[20] = {0x1cfc5af80e29e1e5, 0x32679342c0c6cc55, 0xee25fc41d78d0365, 0xa806ae23a92543d5,
                                            0xfc956157c08121b5, 0x46fa971691d3a342, 0x1ab88bf95d3d3bc2, 0x3e0018c399083254,
                                            0xf8ef0e64c92a9b35, 0x2e1dd020b9a09d2b, 0xbe753f8a3000a27c, 0xd232890bb808b77c,
                                            0xeacf6be547b4e9aa, 0x7f684723f2d3fb95, 0x89b80be39ce5f1b2, 0x6edd44698911966f,
                                            0x47bf1a20540b79ef, 0x036c09106ddc3812, 0x353396f849d0c7ff, 0x7bbbbbffad94a7bf};

// With DPP: seven descriptors, eight execution masks, every modifier of a list.
inline constexpr uint64_t cube_dpp = 0xb1d0cbb608c5c005, div_fixup_dpp = 0x55a4cc1f56963f25, normalized_dpp = 0x711fcd0f84aa5615,
                          class_dpp = 0xb8f5447c269df6e5, compare_dpp = 0xbe15e5a37f47d025;

// V_CMP_CLASS and V_CMPX_CLASS of all lanes: f16 with 16 modifiers, f32 and f64 with four.
inline constexpr uint64_t class_f16[16] = {0xc73e6dbd60db9484, 0x254c3c933bbd77a5, 0x8f6cf7da248ede84, 0x2f7f477d3b33dd25,
                                           0x2ed2b1a704707445, 0x803b8ce1bbea4d65, 0x33fc24d62aabcf45, 0x35f7ad81b830fd25,
                                           0x2f739021faf21fd4, 0xb758d121ca53bc1d, 0xc316664485c5330f, 0x149d329acfc60bea,
                                           0x2cb123fb4bd18382, 0x01c9d79740f96485, 0x8df576358550344f, 0xc97606844ffbbdbc};
inline constexpr uint64_t class_wide[2][4] = {{0x3732b06c4b32babf, 0xd10f0a3fccf274bb, 0xe99711a2408fbbdf, 0xaf506336cf2ae49f},
                                              {0xbc9d0c9488761905, 0x74e5aa0b0b2ee194, 0x97ccb7477b2f1d3d, 0x8d7a5755e4a34494}};

// V_CMP of f64, LT to NLT, of all lanes with 16 modifiers: denormal operands flushed, kept.
inline constexpr uint64_t compare_f64[2][14] = {
    {0xd766beb76edeab45, 0xf7d491819ab36ffd, 0x511b4ac29cfa0075, 0x11f3887e752d8c1d, 0x207bf4099e6e967d, 0xc9c4c733bea0277d,
     0x46846d4f40cfc7e5, 0x4f491723254fdfe5, 0xb064b355ef818ac5, 0xe8757f862025bded, 0x3a3fb6eec3f6b585, 0x76405f5a02d63f2d,
     0xefa1667ac11b35ed, 0x5ec58b960322f2cd},
    {0x78b9584efa34a46d, 0xd8a6644f2b7f18cd, 0x62ddf3350c66d465, 0xb53541d07b5ca8bd, 0x6c353a5bef5dfd2d, 0x26bdf5e7edc9ded5,
     0x46846d4f40cfc7e5, 0x4f491723254fdfe5, 0x60b24ca39d6ad4a5, 0xe30f87754ef6d97d, 0xb32809db650f8fad, 0x86b95c4ea187d815,
     0x5222c2662deaab9d, 0xb34343b44d868b0d}};

// DS_SWIZZLE_B32: wave32, wave64; eight execution masks.
inline constexpr uint64_t swizzles[2][8] = {{0x920e53043fabb535, 0x7b42dfa5a5beab25, 0xed21e6a115ee2545, 0x6bfaea55c089d4bd,
                                             0x50c399c3a69eace4, 0xff23f43888160945, 0xad614b43fdfec3ad, 0xdc6d31d439c3a8fd},
                                            {0x4728358a698eb585, 0xbfbd0816b5a2d325, 0x4c973b7b543ae3a5, 0x0c0a452d74e7e295,
                                             0x51eabf66573a43a4, 0x534b2e767e3a36e5, 0x3c082664e6a45cb5, 0x6904cdf64e17c935}};

// V_INTERP_P10_F32 and _P2_F32 with 16 modifiers; execution masks 0, all, 0x55555555, 0xaaaaaaaa, then each lane alone.
inline constexpr uint64_t interpolations[36] = {
    0xc20e14f1fc50d325, 0xce80a8301bc1a801, 0x68b55faf373d96b1, 0x8230b59bbe919855, 0x7e17208da7175c7d, 0xca381f81bd46ffbd,
    0x8a8259c8ce997099, 0x33f43669a3136f6d, 0x6463af5a40bc3ae5, 0x71490a96af3896c1, 0x12e329f99b12d9d9, 0xdf969119d57c5515,
    0x19b94d2dcfd355ad, 0x4810309f4dc9e025, 0x4b965ef4de943625, 0x26c4fa412b89da65, 0xfcd8316fe4e94859, 0xf6078e44119f85d5,
    0xd24b513411068da1, 0xbf11af30e1466dd5, 0xa435c0afe58f65ed, 0x6a9cc2cb636b1829, 0x38838508e8d7eb65, 0x5c0a1a82f87dd41d,
    0xe31308afbac96cd1, 0xa8841f4de2ff9ad5, 0x477a8720646329d1, 0xe6c4d9a1112b01f9, 0xf2d70687238898b1, 0xc61d23ac67c10e59,
    0xa5038bd86743d1f9, 0xb24715aeddb28991, 0xc8a9eb0a42782a35, 0x6bf1ec99f30df4b5, 0x26029085b23d84f5, 0x2bce6dcb896e5b75};

// V_WMMA_I32 16x16x16 of IU8 and of IU4, 16x16x32 of IU4: of the first two sets of inputs, signed A, signed B, CLAMP as bits of the
// column.
inline constexpr uint64_t integer_wmma[3][2][8] = {
    {{0xc22a903592e90cc5, 0x6fb332320d26c020, 0xd89e94a0e6280875, 0x145c879ce436f580, 0x001149aa27ccb9a1, 0x43941e67c622bb9b,
      0xb855b9b808208ebc, 0x2aa9c2bda1bb03d4},
     {0x25af218a8ae3120b, 0x2042089bf703bbc0, 0xa67ef9c2ecbf5bb7, 0x0d8158c9b4c50c63, 0x6fcd92af942a044b, 0x90a4542ce903ee32,
      0xb55e71d2971ad5b2, 0x762fba0a509b623d}},
    {{0x45e3e9eeda0777fc, 0x54320413938478af, 0x4d161eab3be9d220, 0xf6686cde820fc091, 0x3b383539e67d9df6, 0xea725df600085d1e,
      0x1e5c4923ce624b85, 0x5320671d7182f34b},
     {0x5661761f0ea8e13a, 0x86caa5f4ff3328f1, 0xda6828f589aeda7c, 0x97c7168b74835a83, 0x683b195f98e9f1ea, 0x24a2fd02b7d34144,
      0x0e2652f6b7362dae, 0x25f24643fc897940}},
    {{0xe0b4bc60f0d3a29a, 0xb99159dbb427c4ac, 0x43e60c5ab9f28f84, 0xfea76d739d5d48ea, 0x526069de1b76cc35, 0xc37d91857e4647d0,
      0xa709643471aa8082, 0x4106be77a9c3ac78},
     {0x894329fcefb78bef, 0xb1f1acd76451d8ae, 0xc150e00c321430de, 0xc54cc0bb89e4bbfa, 0x7f53854f1efbc739, 0xc7ca0674e36cd3ac,
      0xa523b14e26d12ce2, 0x87475335217f4794}}};

}  // namespace Atoll::rdna4::test
