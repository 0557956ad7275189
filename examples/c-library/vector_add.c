/* Adds two vectors on an emulated GPU: vector_add OBJECT [GPU]. OBJECT is vector_add.cl, compiled for the GPU (gfx1201). */
#include <atoll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, GROUP = 64 };

static void check(atoll_status status, const char *what) {
  if (status == ATOLL_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, atoll_status_name(status), atoll_error_message());
  exit(1);
}

static void *read_file(const char *name, uint64_t *bytes) {
  FILE *file = fopen(name, "rb");
  void *content;
  long size;
  if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0) {
    perror(name);
    exit(1);
  }
  rewind(file);
  content = malloc((size_t)size + 1);
  if (!content || fread(content, 1, (size_t)size, file) != (size_t)size) {
    perror(name);
    exit(1);
  }
  fclose(file);
  *bytes = (uint64_t)size;
  return content;
}

static atoll_argument buffer(const atoll_memory *memory) {
  atoll_argument a;
  memset(&a, 0, sizeof a);
  a.kind = ATOLL_ARGUMENT_BUFFER;
  a.address = atoll_memory_address(memory);
  return a;
}

int main(int argc, char **argv) {
  const uint32_t count = COUNT;
  atoll_device *gpu;
  atoll_object *object;
  const atoll_kernel *kernel;
  atoll_memory *a, *b, *sum;
  atoll_argument arguments[4];
  atoll_launch_options launch;
  atoll_result result;
  uint64_t bytes;
  void *content;
  int n;

  if (argc < 2) {
    fprintf(stderr, "vector_add OBJECT [GPU]\n");
    return 2;
  }
  content = read_file(argv[1], &bytes);
  check(atoll_device_open(argc > 2 ? argv[2] : "gfx1201", NULL, &gpu), "open");
  check(atoll_object_load(gpu, content, bytes, argv[1], &object), "load");
  free(content);
  check(atoll_object_find(object, "vector_add", &kernel), "find");

  check(atoll_memory_map(gpu, COUNT * sizeof(float), 0, &a), "map");
  check(atoll_memory_map(gpu, COUNT * sizeof(float), 0, &b), "map");
  check(atoll_memory_map(gpu, COUNT * sizeof(float), 0, &sum), "map");
  for (n = 0; n < COUNT; n++) {
    ((float *)atoll_memory_pointer(a))[n] = (float)n;
    ((float *)atoll_memory_pointer(b))[n] = (float)(2 * n);
  }

  arguments[0] = buffer(a);
  arguments[1] = buffer(b);
  arguments[2] = buffer(sum);
  memset(&arguments[3], 0, sizeof arguments[3]);
  arguments[3].kind = ATOLL_ARGUMENT_VALUE;
  arguments[3].value = &count;
  arguments[3].bytes = sizeof count;

  memset(&launch, 0, sizeof launch);
  launch.size = sizeof launch;
  launch.grid[0] = (COUNT + GROUP - 1) / GROUP * GROUP;
  launch.group[0] = GROUP;
  launch.grid[1] = launch.grid[2] = launch.group[1] = launch.group[2] = 1;
  launch.arguments = arguments;
  launch.argument_count = 4;
  launch.argument_size = sizeof arguments[0];
  launch.timeout_seconds = 60;
  result.size = sizeof result;
  check(atoll_launch(kernel, &launch, &result), "launch");

  for (n = 0; n < COUNT; n++)
    if (((float *)atoll_memory_pointer(sum))[n] != (float)(3 * n)) {
      fprintf(stderr, "sum[%d] is wrong\n", n);
      return 1;
    }
  printf("%d sums are right: %llu waves, %llu instructions\n", COUNT, (unsigned long long)result.waves,
         (unsigned long long)result.instructions);
  atoll_device_close(gpu);
  return 0;
}
