/* The command line: one argument on each line of the input. A first line
 * "sysbench" is the program's name then, with that program's manners. */
#include "fuzz.h"

#include "option/cmdline.h"
#include "primitive/list.h"
#include "run/workload.h"

#define ARGS_MAX 40

static int split(char *text, char **argv)
{
    int argc = 0;
    while (text && argc < ARGS_MAX) {
        char *end = strchr(text, '\n');
        if (end)
            *end = '\0';
        argv[argc++] = text;
        text = end ? end + 1 : NULL;
    }
    argv[argc] = NULL;
    return argc;
}

/* An option file would be any file of the machine; they have a target of their own. */
static bool names_a_file(char *const *argv)
{
    for (; *argv; argv++)
        if (strstr(*argv, "config") && strstr(*argv, "file"))
            return true;
    return false;
}

/* What is no general option is one of the primitive that was named. */
static void rest(struct cmdline *c, struct general_options *g, struct err *e)
{
    const struct workload *w = c->test ? primitive_find(c->test) : NULL;
    struct part p;
    if (!w || part_init(&p, w, e) != 0)
        return;
    struct optset *sets[] = {&p.set};
    int rc = cmdline_rest(c, sets, 1, g, false, e);
    fuzz_claim_error(rc, e);
    part_release(&p);
}

static void general(struct cmdline *c, const char *program)
{
    struct err e = {0};
    struct general_options g;
    int compat = -1, rc = cmdline_compat(c, program, &compat, &e);
    fuzz_claim_error(rc, &e);
    if (rc != 0)
        return;
    claim(compat >= COMPAT_NATIVE && compat <= COMPAT_0_4);
    claim(general_init(&g, &e) == 0);
    g.values.compat = compat;
    rc = cmdline_general(c, &g, &e);
    if (rc == 0)
        rc = general_finish(&g, &e);
    fuzz_claim_error(rc, &e);
    if (rc == 0) {
        claim(g.values.threads >= 1);
        claim(g.values.percentile_count <= 16 && g.values.checkpoint_count <= 256);
        rest(c, &g, &e);
    }
    general_release(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *argv[ARGS_MAX + 2];
    struct err e = {0};
    struct cmdline c;
    bool is_sysbench = strncmp(text, "sysbench\n", 9) == 0;
    char native[] = "sbench";
    argv[0] = native;
    int argc = is_sysbench ? split(text, argv) : 1 + split(text, argv + 1);
    if (!names_a_file(argv)) {
        int rc = cmdline_parse(&c, argc, argv, &e);
        fuzz_claim_error(rc, &e);
        if (rc == 0)
            general(&c, argv[0]);
        cmdline_release(&c);
    }
    free(text);
    return 0;
}
