#include "env/processor.h"

#include "base/clock.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KINDS 8
#define ROUNDS 50000

/* ARM processors give numbers; these are the ones that boards are made of. */
static const struct {
    unsigned implementer, part;
    const char *name;
} arm_parts[] = {
    {0x41, 0xb76, "ARM1176"},     {0x41, 0xc05, "Cortex-A5"},   {0x41, 0xc07, "Cortex-A7"},
    {0x41, 0xc08, "Cortex-A8"},   {0x41, 0xc09, "Cortex-A9"},   {0x41, 0xc0d, "Cortex-A17"},
    {0x41, 0xc0e, "Cortex-A17"},  {0x41, 0xc0f, "Cortex-A15"},  {0x41, 0xd03, "Cortex-A53"},
    {0x41, 0xd04, "Cortex-A35"},  {0x41, 0xd05, "Cortex-A55"},  {0x41, 0xd07, "Cortex-A57"},
    {0x41, 0xd08, "Cortex-A72"},  {0x41, 0xd09, "Cortex-A73"},  {0x41, 0xd0a, "Cortex-A75"},
    {0x41, 0xd0b, "Cortex-A76"},  {0x41, 0xd0c, "Neoverse-N1"}, {0x41, 0xd0d, "Cortex-A77"},
    {0x41, 0xd40, "Neoverse-V1"}, {0x41, 0xd41, "Cortex-A78"},  {0x41, 0xd44, "Cortex-X1"},
    {0x41, 0xd46, "Cortex-A510"}, {0x41, 0xd47, "Cortex-A710"}, {0x41, 0xd48, "Cortex-X2"},
    {0x41, 0xd49, "Neoverse-N2"}, {0x41, 0xd4b, "Cortex-A78C"}, {0x41, 0xd4d, "Cortex-A715"},
    {0x41, 0xd4f, "Neoverse-V2"}, {0x41, 0xd80, "Cortex-A520"}, {0x41, 0xd81, "Cortex-A720"},
    {0x51, 0x800, "Kryo 2xx"},    {0x51, 0x801, "Kryo 2xx LP"},
};

struct kinds {
    char name[KINDS][SOURCE_NAME];
    unsigned number[KINDS], count;
};

static void add_kind(struct kinds *k, unsigned implementer, unsigned part)
{
    char name[SOURCE_NAME];
    unsigned i;
    snprintf(name, sizeof name, "ARM implementer 0x%02x part 0x%03x", implementer, part);
    for (i = 0; i < sizeof arm_parts / sizeof arm_parts[0]; i++)
        if (arm_parts[i].implementer == implementer && arm_parts[i].part == part)
            snprintf(name, sizeof name, "%s", arm_parts[i].name);
    for (i = 0; i < k->count && strcmp(k->name[i], name) != 0; i++)
        ;
    if (i == KINDS)
        return;
    if (i == k->count)
        memcpy(k->name[k->count++], name, sizeof name);
    k->number[i]++;
}

/* Each processor's paragraph has an implementer and, further down, a part. */
static void find_arm_kinds(const char *text, struct kinds *k)
{
    unsigned implementer = 0, part;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        sscanf(line, "CPU implementer : %x", &implementer);
        if (sscanf(line, "CPU part : %x", &part) == 1)
            add_kind(k, implementer, part);
    }
}

static void print_kinds(const struct kinds *k, struct buf *out)
{
    if (k->count == 1)
        buf_puts(out, k->name[0]);
    for (unsigned i = 0; k->count > 1 && i < k->count; i++)
        buf_printf(out, "%s%ux %s", i ? " + " : "", k->number[i], k->name[i]);
}

static bool print_named(const char *text, struct buf *out)
{
    static const char *const keys[] = {"model name", "uarch", "cpu model", "cpu", "Processor"};
    char name[256];
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!source_field(text, keys[i], name, sizeof name) || !name[0])
            continue;
        buf_puts(out, name);
        return true;
    }
    return false;
}

enum fact_status processor_model(const char *root, struct buf *out)
{
    struct buf text = {0};
    struct kinds kinds = {.count = 0};
    /* On x86 the first paragraph tells all, and a long list is slow to make. */
    enum fact_status status = source_add(root, "/proc/cpuinfo", &text, 65536, "vendor_id");
    if (status == FACT_OK) {
        find_arm_kinds(buf_text(&text), &kinds);
        print_kinds(&kinds, out);
        if (kinds.count == 0 && !print_named(buf_text(&text), out))
            status = FACT_MISSING;
    }
    buf_release(&text);
    return status;
}

static uint64_t cache_by_system(int level)
{
    static const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE};
    if (level < 1 || level > (int)(sizeof names / sizeof names[0]))
        return 0;
    long size = sysconf(names[level - 1]);
    return size > 0 ? (uint64_t)size : 0;
}

/* Bytes of cache number i if it is of that level and holds data, else 0. False in
 * *more when there is no such cache. */
static uint64_t cache_of(const char *root, int i, int level, bool *more)
{
    char text[32];
    int64_t its_level;
    uint64_t bytes;
    *more = source_numberf(root, &its_level, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
    if (!*more || its_level != level)
        return 0;
    if (source_readf(root, text, sizeof text, "/sys/devices/system/cpu/cpu0/cache/index%d/type",
                     i) != FACT_OK ||
        strcmp(text, "Instruction") == 0)
        return 0;
    if (source_readf(root, text, sizeof text, "/sys/devices/system/cpu/cpu0/cache/index%d/size",
                     i) != FACT_OK ||
        units_parse_size(text, &bytes) != NULL)
        return 0;
    return bytes;
}

uint64_t processor_cache(const char *root, int level)
{
    bool more = true;
    for (int i = 0; more && i < 16; i++) {
        uint64_t bytes = cache_of(root, i, level, &more);
        if (bytes > 0)
            return bytes;
    }
    return root[0] == '\0' ? cache_by_system(level) : 0;
}

/* Nanoseconds for a chain of additions. Each needs the one before and takes a
 * cycle on any processor. */
static uint64_t time_additions(void)
{
#define ADD                                                                                        \
    sum += step;                                                                                   \
    __asm__ volatile("" : "+r"(sum));
    uintptr_t sum = 1, step = 3;
    uint64_t began = clock_system_ns();
    __asm__ volatile("" : "+r"(step));
    for (int i = 0; i < ROUNDS; i++) {
        ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
    }
#undef ADD
    return clock_system_ns() - began;
}

double processor_measured_khz(void)
{
    uint64_t began = clock_system_ns(), best = UINT64_MAX;
    while (best > 0 && clock_system_ns() - began < 30 * NS_PER_MS) {
        uint64_t ns = time_additions();
        best = ns < best ? ns : best;
    }
    return best > 0 ? 16.0 * ROUNDS * 1e6 / (double)best : 0;
}
