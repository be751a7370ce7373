#include "script/abi.h"

#include "script/embedded.h"
#include "script/here.h"

#include <stdio.h>
#include <errno.h>
#include <string.h>

_Thread_local struct here here;

int sb_abi_version(void)
{
    return SB_ABI_VERSION;
}

const char *sb_error(void)
{
    return here.err.text;
}

/* --- events ---------------------------------------------------------------------- */

bool sb_event_turn(void)
{
    struct worker *w = here.worker;
    if (here.in_event)
        worker_done(w);
    return here.in_event = worker_next(w);
}

void sb_event_drop(void)
{
    here.in_event = false;
    if (here.worker)
        atomic_store_explicit(&here.worker->served_ns, 0, memory_order_relaxed);
}

bool sb_event_again(void)
{
    return here.worker && worker_may_go_on(here.worker);
}

bool sb_more_events(int tid)
{
    (void)tid;
    return here.in_event = here.worker && worker_next(here.worker);
}

void sb_event_start(int tid)
{
    struct worker *w = here.worker;
    (void)tid;
    /* With a rate, latency counts from the planned start, which is set. */
    if (!w || w->run->pacer)
        return;
    w->now_ns = clock_now(w->clock);
    atomic_store_explicit(&w->began_ns, w->now_ns, memory_order_relaxed);
}

void sb_event_stop(int tid)
{
    (void)tid;
    if (here.worker)
        worker_done(here.worker);
    here.in_event = false;
}

/* --- embedded files ------------------------------------------------------------------ */

const char *sb_embedded(const char *path)
{
    for (const struct embedded *f = embedded_files; f->path; f++)
        if (strcmp(f->path, path) == 0)
            return (const char *)f->text;
    return NULL;
}

const char *sb_embedded_path(int i)
{
    int n = 0;
    while (n < i && embedded_files[n].path)
        n++;
    return embedded_files[n].path;
}

int sb_result_write(const char *text, size_t size)
{
    if (log_write_all(here.script->log->result, text, size) == 0)
        return 0;
    here.script->log->failed = true;
    err_clear(&here.err);
    return err_sys(&here.err, errno, "the result cannot be written.");
}

void sb_print_test_options(void)
{
    struct buf out = {0};
    optset_help(&here.script->options, &out);
    buf_putc(&out, '\n');
    fputs(buf_text(&out), stdout);
    fflush(stdout);
    buf_release(&out);
}
