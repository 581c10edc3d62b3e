/* throughput BUFFER ARGV...: bytes, nanoseconds, and nanoseconds of processor time, a line each. */
#include "pty.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static int64_t processor_time(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * INT64_C(1000000000) +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * INT64_C(1000);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    return 2;
  }
  size_t size = atoi(argv[1]);
  char *buffer = malloc(size);
  int64_t total = 0;
  int64_t worked = processor_time();
  int64_t begin = now();
  struct pty pty = pty_start(argv + 2);
  ssize_t count;
  while ((count = pty_read(pty.master, buffer, size)) > 0) {
    total += count;
  }
  int64_t elapsed = now() - begin;
  printf("%" PRId64 "\n%" PRId64 "\n%" PRId64 "\n", total, elapsed, processor_time() - worked);
  pty_finish(pty);
  return 0;
}
