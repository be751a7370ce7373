#include "app/app.h"

#include "base/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A signal handler finds only what is static. */
static struct run_signal caught = {.wake_fd = -1};

static void on_signal(int number)
{
    uint64_t one = 1;
    int saved = errno;
    if (number == SIGALRM) {
        interrupt_end_program(interrupt_caught());
    } else if (number == SIGUSR1) {
        caught.report = 1;
    } else if (!interrupt_heeded()) {
        interrupt_end_program(number);
    } else {
        interrupt_set(number);
        caught.caught = number;
        caught.times = caught.times + 1;
    }
    ssize_t told = write(caught.wake_fd, &one, sizeof one);
    (void)told; /* the flags are seen at the next look anyway */
    errno = saved;
}

/* Who starts a program with nohup wants it to go on. */
static bool is_ignored(int number)
{
    struct sigaction now;
    return number == SIGHUP && sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int signals_catch(struct run_signal **to, struct err *e)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGALRM};
    struct sigaction how = {.sa_handler = on_signal};
    caught.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (caught.wake_fd < 0)
        return err_sys(e, errno, "cannot make an eventfd.");
    *to = &caught;
    sigemptyset(&how.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!is_ignored(numbers[i]))
            sigaction(numbers[i], &how, NULL);
    atexit(interrupt_clean_up); /* a script may end the program itself */
    return 0;
}
