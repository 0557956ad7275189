/* Instruction words of gfx1201 without an object around them: first in memory of a device, then by run_asm() on this program's own. */
#include <atoll.h>
#include <stdio.h>
#include <string.h>

/* atoll asm --isa gfx1201 --hex writes these bytes: */
static const uint32_t square[] = {
    0xf4002080, 0xf8000000,             /* s_load_b64 s[2:3], s[0:1], 0x0       where to */
    0xd72c0001, 0x00020100,             /* v_mul_lo_u32 v1, v0, v0              the work-item's number, squared */
    0x30000082,                         /* v_lshlrev_b32_e32 v0, 2, v0 */
    0xbfc70000,                         /* s_wait_kmcnt 0x0 */
    0xee068002, 0x00800000, 0x00000000, /* global_store_b32 v0, v1, s[2:3] */
    0xbfb00000                          /* s_endpgm */
};

static int check(const char *what, const uint32_t *values) {
  uint32_t n;
  for (n = 0; n < 32; n++)
    if (values[n] != n * n) {
      fprintf(stderr, "%s: value %u is %u\n", what, (unsigned)n, (unsigned)values[n]);
      return 1;
    }
  printf("%s: 32 squares are right\n", what);
  return 0;
}

int main(void) {
  uint32_t squares[32] = {0}, user_sgprs[2];
  const uint64_t arguments[1] = {(uint64_t)(uintptr_t)squares};
  atoll_device *gpu;
  atoll_memory *memory;
  atoll_words_options words;
  uint64_t kernarg;

  /* A device has an address space of its own: a page with the arguments in front and the results behind. */
  if (atoll_device_open("gfx1201", NULL, &gpu) || atoll_memory_map(gpu, 4096, 0x10000, &memory)) {
    fprintf(stderr, "%s\n", atoll_error_message());
    return 1;
  }
  kernarg = atoll_memory_address(memory) + 256;
  memcpy(atoll_memory_pointer(memory), &kernarg, sizeof kernarg);
  memset(&words, 0, sizeof words);
  words.size = sizeof words;
  words.words = square;
  words.word_bytes = sizeof square;
  words.grid[0] = words.group[0] = 32;
  words.grid[1] = words.grid[2] = words.group[1] = words.group[2] = 1;
  user_sgprs[0] = 0x10000;
  user_sgprs[1] = 0;
  words.user_sgprs = user_sgprs;
  words.user_sgpr_count = 2;
  if (atoll_launch_words(gpu, &words, NULL)) {
    fprintf(stderr, "%s\n", atoll_error_message());
    return 1;
  }
  if (check("on a device", (const uint32_t *)((char *)atoll_memory_pointer(memory) + 256))) return 1;
  atoll_device_close(gpu);

  /* run_asm(): the program's pointers are the GPU's addresses. */
  if (run_asm((const char *)square, sizeof square, 1, 1, 1, 32, 1, 1, arguments)) {
    fprintf(stderr, "%s\n", atoll_error_message());
    return 1;
  }
  if (check("run_asm", squares)) return 1;
  /* What is mapped nowhere is an error here as well. */
  {
    const uint64_t nowhere[1] = {0x10};
    if (run_asm((const char *)square, sizeof square, 1, 1, 1, 32, 1, 1, nowhere) != ATOLL_ERROR_FAULT) return 1;
    printf("%s\n", atoll_error_message());
  }
  return 0;
}
