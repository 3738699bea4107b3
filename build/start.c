/* What must be settled before Rust's runtime starts. Must never allocate or write. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* Keeps a closed standard output closed in effect. Rust's runtime opens /dev/null in its place before
 * `main`, so that a program cannot tell that its answer reaches nobody; this runs before that, and puts
 * a pipe there which nobody reads: writing to it fails, as writing to a closed stream does. */
__attribute__((constructor)) static void keep_stdout_closed(void) {
    int ends[2];
    if (fcntl(STDOUT_FILENO, F_GETFD) != -1 || pipe(ends) != 0)
        return;
    /* An end may have got the free number itself. */
    if (ends[0] == STDOUT_FILENO)
        ends[0] = dup(ends[0]);
    if (ends[1] != STDOUT_FILENO) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[1]);
    }
    close(ends[0]);
}

/* A limit on the size of files (ulimit -f) then makes writing fail, as a full disk does. Its signal would
 * end the hook in the middle of an answer because of a record. */
__attribute__((constructor)) static void ignore_file_limit(void) {
    signal(SIGXFSZ, SIG_IGN);
}

/* Rust's runtime asks where the first thread's stack ends, only to word its message when that overflows;
 * glibc reads and parses /proc/self/maps to answer, a tenth of the time that a hook call takes. Without
 * an answer the runtime goes on, and an overflow still ends the process by its signal. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes) {
    (void)thread;
    (void)attributes;
    return ENOSYS;
}
