#include "app/app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *program_of(const struct app *a)
{
    return a->general->compat == COMPAT_NATIVE ? "sbench" : "sysbench";
}

/* What the command line itself is to blame for; sysbench says it the same way. */
int usage_error(const struct err *e)
{
    fprintf(stderr, "%s\n", e->text);
    return e->status ? (int)e->status : ERR_FAILED;
}

int fatal(struct app *a, const struct err *e)
{
    if (*e->text) /* a command may fail without a word, having told already */
        log_put(&a->log, LOG_FATAL, "%s", e->text);
    return e->status ? (int)e->status : ERR_FAILED;
}

static const char *word_bits(void)
{
    return sizeof(void *) == 8 ? "64-bit" : "32-bit";
}

static const char *compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

void print_version(struct app *a)
{
    if (a->general->compat == COMPAT_1_0)
        printf("sysbench 1.0.20\n");
    else if (a->general->compat == COMPAT_0_4)
        printf("sysbench 0.4.12\n");
    else
        printf("sbench %s (speaks sysbench 1.0.20; %s build by %s)\n", SBENCH_VERSION, word_bits(),
               compiler());
}

void print_banner(struct app *a)
{
    static const char *const banners[] = {
        [COMPAT_NATIVE] = "sbench " SBENCH_VERSION " (speaks sysbench 1.0.20, using LuaJIT 2.1)\n",
        [COMPAT_1_0] = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n",
        [COMPAT_0_4] = "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n"};
    log_put(&a->log, LOG_NOTICE, "%s", banners[a->general->compat]);
}

void warn_of_test(struct app *a)
{
    for (unsigned n = a->cmdline.test_by_option; n > 0 && a->general->compat == COMPAT_1_0; n--)
        fputs("WARNING: --test is deprecated, the test is named by the first word without it\n",
              stderr);
}

/* The other warnings of sysbench, once. */
static void say_warnings(struct app *a)
{
    if (a->general->compat != COMPAT_1_0)
        return;
    fputs(buf_text(&a->cmdline.warnings), stdout);
    buf_clear(&a->cmdline.warnings);
}

/* What is wrong with options: sysbench says it on standard error if the line
 * itself is not to be understood, and as FATAL where the values do not fit. */
int option_error(struct app *a, const struct err *e)
{
    bool plain = a->general->compat == COMPAT_NATIVE || a->cmdline.malformed;
    if (!plain)
        a->log.serious = STDOUT_FILENO;
    say_warnings(a);
    return plain ? usage_error(e) : fatal(a, e);
}

void say_notes(struct app *a)
{
    const char *at = buf_text(&a->cmdline.notes);
    say_warnings(a);
    for (; *at && !a->general->quiet_notes && a->general->compat != COMPAT_1_0;) {
        size_t n = strcspn(at, "\n");
        fprintf(stderr, "note: %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
    buf_clear(&a->cmdline.notes);
    fflush(stdout);
}

void warn_endless(struct app *a)
{
    if (a->general->events == 0 && a->general->time == 0)
        fprintf(a->general->compat == COMPAT_1_0 ? stdout : stderr,
                "WARNING: Both event and time limits are disabled, running an endless test\n");
    fflush(stdout);
}

int print_buf(struct buf *out)
{
    int rc = out->failed ? -1 : log_write_all(STDOUT_FILENO, buf_text(out), out->size);
    if (rc != 0)
        fprintf(stderr, "the answer cannot be written: %s\n",
                out->failed ? "out of memory" : strerror(errno));
    buf_release(out);
    return rc ? ERR_FAILED : 0;
}
