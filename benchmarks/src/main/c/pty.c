#define _GNU_SOURCE
#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

_Noreturn void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

struct pty pty_start(char *const argv[]) {
  char slave[64];
  struct pty pty;
  pty.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (pty.master < 0 || grantpt(pty.master) || unlockpt(pty.master) ||
      ptsname_r(pty.master, slave, sizeof slave)) {
    fail("terminal");
  }
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  ioctl(pty.master, TIOCSWINSZ, &size);

  posix_spawnattr_t attributes;
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, slave, O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&actions, 0, 1);
  posix_spawn_file_actions_adddup2(&actions, 0, 2);

  errno = posix_spawn(&pty.pid, argv[0], &actions, &attributes, argv, environ);
  if (errno) {
    fail(argv[0]);
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return pty;
}

ssize_t pty_read(int master, char *buffer, size_t size) {
  ssize_t count;
  do {
    count = read(master, buffer, size);
  } while (count < 0 && errno == EINTR);
  /* Linux tells the end of a terminal by EIO. */
  return count < 0 ? 0 : count;
}

void pty_finish(struct pty pty) {
  char buffer[4096];
  while (pty_read(pty.master, buffer, sizeof buffer) > 0) {
  }
  waitpid(pty.pid, NULL, 0);
  close(pty.master);
}
