/* The floor: what the system needs at least to run a program on a terminal of its own. */
#ifndef SANDBOX_BENCH_PTY_H
#define SANDBOX_BENCH_PTY_H

#include <stdint.h>
#include <sys/types.h>

struct pty {
  pid_t pid;
  int master;
};

/* Nanoseconds that only go up. */
int64_t now(void);

/* Starts argv as leader of a session whose controlling terminal is a new one; ends us on failure. */
struct pty pty_start(char *const argv[]);

/* Reads some bytes; 0 at the end. */
ssize_t pty_read(int master, char *buffer, size_t size);

/* Reads to the end, waits for the process, closes the terminal. */
void pty_finish(struct pty pty);

/* Says what failed and ends us. */
_Noreturn void fail(const char *what);

#endif
