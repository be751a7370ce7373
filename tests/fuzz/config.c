/* A file of options, as --config-file names it. */
#include "fuzz.h"

#include "option/cmdline.h"

#include <sys/mman.h>
#include <unistd.h>

static void settings(struct cmdline *c)
{
    struct err e = {0};
    struct general_options g;
    for (size_t i = 0; i < c->count; i++)
        claim(c->setting[i].name && c->setting[i].value && c->setting[i].shown);
    claim(general_init(&g, &e) == 0);
    int rc = cmdline_general(c, &g, &e);
    if (rc == 0)
        rc = general_finish(&g, &e);
    fuzz_claim_error(rc, &e);
    general_release(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[] = "sbench", option[64];
    char *argv[] = {name, option, NULL};
    struct err e = {0};
    struct cmdline c;
    int fd = memfd_create("options", MFD_CLOEXEC);
    claim(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(option, sizeof option, "--config-file=/proc/self/fd/%d", fd);
    int rc = cmdline_parse(&c, 2, argv, &e);
    fuzz_claim_error(rc, &e);
    if (rc == 0)
        settings(&c);
    cmdline_release(&c);
    close(fd);
    return 0;
}
