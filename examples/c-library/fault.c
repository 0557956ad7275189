/* A kernel that writes where nothing is mapped: the launch returns an error, and the program goes on. fault OBJECT [GPU], OBJECT as of
 * vector_add.c. */
#include <atoll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(atoll_status status, const char *what) {
  if (status == ATOLL_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, atoll_status_name(status), atoll_error_message());
  exit(1);
}

/* Fills the first `count` words of the memory. */
static atoll_status fill(const atoll_kernel *kernel, const atoll_memory *memory, uint32_t count, atoll_result *result) {
  atoll_argument arguments[2];
  atoll_launch_options launch;
  memset(arguments, 0, sizeof arguments);
  arguments[0].kind = ATOLL_ARGUMENT_BUFFER;
  arguments[0].address = atoll_memory_address(memory);
  arguments[1].kind = ATOLL_ARGUMENT_VALUE;
  arguments[1].value = &count;
  arguments[1].bytes = sizeof count;
  memset(&launch, 0, sizeof launch);
  launch.size = sizeof launch;
  launch.grid[0] = launch.group[0] = 64;
  launch.grid[1] = launch.grid[2] = launch.group[1] = launch.group[2] = 1;
  launch.arguments = arguments;
  launch.argument_count = 2;
  launch.argument_size = sizeof arguments[0];
  launch.timeout_seconds = 60;
  return atoll_launch(kernel, &launch, result);
}

int main(int argc, char **argv) {
  static unsigned char content[1 << 20];
  atoll_device *gpu;
  atoll_object *object;
  const atoll_kernel *kernel;
  atoll_memory *memory;
  atoll_result result;
  atoll_status status;
  size_t bytes;
  FILE *file;

  if (argc < 2 || !(file = fopen(argv[1], "rb"))) {
    fprintf(stderr, "fault OBJECT [GPU]\n");
    return 2;
  }
  bytes = fread(content, 1, sizeof content, file);
  fclose(file);
  check(atoll_device_open(argc > 2 ? argv[2] : "gfx1201", NULL, &gpu), "open");
  check(atoll_object_load(gpu, content, bytes, argv[1], &object), "load");
  check(atoll_object_find(object, "fill", &kernel), "find");
  check(atoll_memory_map(gpu, 4096, 0, &memory), "map");

  result.size = sizeof result;
  status = fill(kernel, memory, 1025, &result); /* one word more than there is room for */
  if (status != ATOLL_ERROR_FAULT || !result.faulted || result.fault.kind != ATOLL_FAULT_STORE ||
      result.fault.address != atoll_memory_address(memory) + 4096) {
    fprintf(stderr, "no fault: %s\n", atoll_status_name(status));
    return 1;
  }
  printf("%s\n", atoll_error_message());
  printf("lane %d of group %u, instruction at %llu: %s\n", (int)result.fault.lane, (unsigned)result.fault.group[0],
         (unsigned long long)result.fault.instruction_offset, result.fault.instruction);

  check(fill(kernel, memory, 1024, NULL), "fill"); /* the device is as good as before */
  if (((uint32_t *)atoll_memory_pointer(memory))[1023] != 1023) return 1;
  printf("and 1024 words are filled\n");
  atoll_device_close(gpu);
  return 0;
}
