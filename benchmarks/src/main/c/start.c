/* start COUNT ARGV...: nanoseconds from before the terminal is opened to the first byte, a line each. */
#include "pty.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc < 3) {
    return 2;
  }
  int count = atoi(argv[1]);
  for (int i = 0; i < count; i++) {
    char first;
    int64_t begin = now();
    struct pty pty = pty_start(argv + 2);
    if (pty_read(pty.master, &first, 1) != 1) {
      fail("no output");
    }
    int64_t end = now();
    pty_finish(pty);
    printf("%" PRId64 "\n", end - begin);
  }
  return 0;
}
