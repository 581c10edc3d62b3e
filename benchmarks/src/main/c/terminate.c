/* terminate COUNT ARGV...: nanoseconds to start all, and to signal all and then reap and close all, a line each. */
#include "pty.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 3) {
    return 2;
  }
  int count = atoi(argv[1]);
  struct pty *ptys = calloc(count, sizeof *ptys);
  int64_t begin = now();
  for (int i = 0; i < count; i++) {
    char first;
    ptys[i] = pty_start(argv + 2);
    if (pty_read(ptys[i].master, &first, 1) != 1) {
      fail("no output");
    }
  }
  int64_t started = now();
  printf("%" PRId64 "\n", started - begin);
  started = now();
  for (int i = 0; i < count; i++) {
    kill(-ptys[i].pid, SIGKILL);
  }
  for (int i = 0; i < count; i++) {
    waitpid(ptys[i].pid, NULL, 0);
    close(ptys[i].master);
  }
  printf("%" PRId64 "\n", now() - started);
  return 0;
}
