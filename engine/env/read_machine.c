/* What board, system and build this is. */
#include "env/facts.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/personality.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define DMI "/sys/class/dmi/id"

/* --- plain files ----------------------------------------------------------- */

enum fact_status read_file(struct reader *r, const char *path)
{
    char text[1024];
    enum fact_status s = source_read(r->root, path, text, sizeof text);
    buf_puts(&r->value, text);
    return s;
}

/* The first of two files that tells, or else the one that would but must not. */
static enum fact_status read_either(struct reader *r, const char *one, const char *other)
{
    enum fact_status first = read_file(r, one);
    if (first == FACT_OK)
        return first;
    enum fact_status second = read_file(r, other);
    if (second != FACT_MISSING)
        reader_source(r, other);
    return second != FACT_MISSING ? second : first;
}

/* "always [madvise] never": the choice that is in force. */
enum fact_status read_chosen(struct reader *r, const char *path)
{
    char text[256];
    enum fact_status s = source_read(r->root, path, text, sizeof text);
    char *first = strchr(text, '['), *last = strchr(text, ']');
    if (first && last && first < last)
        buf_add(&r->value, first + 1, (size_t)(last - first - 1));
    else
        buf_puts(&r->value, text);
    return s;
}

/* --- the machine ----------------------------------------------------------- */

/* Makers leave texts like these in the fields that they did not fill. */
static bool says_something(const char *text)
{
    static const char *const empty[] = {"To Be Filled By O.E.M.", "System manufacturer",
                                        "System Product Name", "Default string", "None"};
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++)
        if (strcasecmp(text, empty[i]) == 0)
            return false;
    return text[0] != '\0';
}

/* A product's name with its maker's in front, from two files of the firmware. */
static enum fact_status read_product(struct reader *r, const char *maker, const char *product)
{
    char name[128], by[128];
    enum fact_status s = source_read(r->root, product, name, sizeof name);
    if (s != FACT_OK)
        return s;
    if (!says_something(name))
        return FACT_MISSING;
    if (source_read(r->root, maker, by, sizeof by) == FACT_OK && says_something(by))
        buf_printf(&r->value, "%s ", by);
    buf_puts(&r->value, name);
    reader_source(r, product);
    return FACT_OK;
}

enum fact_status read_board(struct reader *r, const char *tree)
{
    enum fact_status s = read_file(r, tree);
    if (s != FACT_OK)
        s = read_product(r, DMI "/sys_vendor", DMI "/product_name");
    if (s != FACT_OK)
        s = read_product(r, DMI "/board_vendor", DMI "/board_name");
    return s;
}

enum fact_status read_serial(struct reader *r, const char *tree)
{
    return read_either(r, tree, DMI "/product_serial");
}

enum fact_status read_os(struct reader *r, const char *path)
{
    char text[2048];
    enum fact_status s = source_read(r->root, path, text, sizeof text);
    const char *name = s == FACT_OK ? strstr(text, "PRETTY_NAME=") : NULL;
    if (!name)
        return s == FACT_OK ? FACT_MISSING : s;
    name += strlen("PRETTY_NAME=");
    name += strspn(name, "\"'");
    buf_add(&r->value, name, strcspn(name, "\"'\n"));
    return FACT_OK;
}

static bool personality_is_32(void)
{
    int p = personality(0xffffffff); /* asks, changes nothing */
    return p != -1 && (p & PER_MASK) == PER_LINUX32;
}

enum fact_status read_machine(struct reader *r, const char *from)
{
    struct utsname u;
    (void)from;
    if (uname(&u) != 0)
        return FACT_MISSING;
    buf_puts(&r->value, u.machine);
    if (personality_is_32())
        buf_puts(&r->value, " (as a 32-bit personality shows a 64-bit kernel)");
    return FACT_OK;
}

/* A kernel shows a 32-bit personality a 32-bit machine; only 64-bit ones have it. */
enum fact_status read_kernel_bits(struct reader *r, const char *from)
{
    struct utsname u;
    (void)from;
    if (uname(&u) != 0)
        return FACT_MISSING;
    bool wide = strstr(u.machine, "64") || strcmp(u.machine, "s390x") == 0 ||
                strncmp(u.machine, "armv8", 5) == 0 || personality_is_32();
    buf_puts(&r->value, wide ? "64" : "32");
    return FACT_OK;
}

/* The class byte of an ELF file: of the program, or of the system's shell. */
enum fact_status read_elf_bits(struct reader *r, const char *path)
{
    char head[EI_NIDENT + 1];
    enum fact_status s = source_read(r->root, path, head, sizeof head);
    if (s != FACT_OK)
        return s;
    if (memcmp(head, ELFMAG, SELFMAG) != 0 ||
        (head[EI_CLASS] != ELFCLASS32 && head[EI_CLASS] != ELFCLASS64))
        return FACT_MISSING;
    buf_puts(&r->value, head[EI_CLASS] == ELFCLASS64 ? "64" : "32");
    return FACT_OK;
}

/* --- the build ------------------------------------------------------------- */

enum fact_status read_sizes(struct reader *r, const char *from)
{
    static const struct {
        const char *name;
        size_t size;
    } sizes[] = {{"size_t", sizeof(size_t)},
                 {"void *", sizeof(void *)},
                 {"off_t", sizeof(off_t)},
                 {"time_t", sizeof(time_t)}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (strcmp(sizes[i].name, from) != 0)
            continue;
        reader_source(r, "this build");
        buf_printf(&r->value, "%zu", sizes[i].size * 8);
        return FACT_OK;
    }
    return FACT_MISSING;
}

enum fact_status read_page_size(struct reader *r, const char *from)
{
    (void)from;
    reader_source(r, "sysconf");
    buf_printf(&r->value, "%ld", sysconf(_SC_PAGESIZE));
    return FACT_OK;
}

enum fact_status read_compiler(struct reader *r, const char *from)
{
    (void)from;
    reader_source(r, "this build");
#if defined(__clang__)
    buf_puts(&r->value, "clang " __clang_version__);
    while (r->value.size && r->value.text[r->value.size - 1] == ' ')
        r->value.text[--r->value.size] = '\0';
#elif defined(__GNUC__)
    buf_puts(&r->value, "gcc " __VERSION__);
#else
    return FACT_MISSING;
#endif
    return FACT_OK;
}

enum fact_status read_flags(struct reader *r, const char *from)
{
    (void)from;
    reader_source(r, "this build");
#ifdef SBENCH_CFLAGS
    buf_puts(&r->value, SBENCH_CFLAGS);
    return FACT_OK;
#else
    return FACT_MISSING;
#endif
}

enum fact_status read_version(struct reader *r, const char *from)
{
    (void)from;
    reader_source(r, "this build");
#ifdef SBENCH_VERSION
    buf_puts(&r->value, SBENCH_VERSION);
    return FACT_OK;
#else
    return FACT_MISSING;
#endif
}
