/* echo COUNT ARGV...: a program that says 'R' and then gives back what it gets; nanoseconds for one byte, a line each. */
#include "pty.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 3) {
    return 2;
  }
  int count = atoi(argv[1]);
  char byte = 0;
  char buffer[4096];
  int64_t *samples = calloc(count, sizeof *samples);
  struct pty pty = pty_start(argv + 2);
  while (byte != 'R') {
    if (pty_read(pty.master, &byte, 1) != 1) {
      fail("not ready");
    }
  }
  for (int i = 0; i < count; i++) {
    int64_t begin = now();
    if (write(pty.master, "x", 1) != 1 || pty_read(pty.master, buffer, sizeof buffer) != 1) {
      fail("no answer");
    }
    samples[i] = now() - begin;
  }
  kill(-pty.pid, SIGKILL);
  pty_finish(pty);
  for (int i = 0; i < count; i++) {
    printf("%" PRId64 "\n", samples[i]);
  }
  return 0;
}
