#include "primitive/fileio/cache.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define WINDOW (1 << 20)
#define WINDOWS_MAX 256 /* a sample, so that large sets do not take long */
#define PAGES_MAX (WINDOW / 4096)

uint64_t cache_fetched(void)
{
    struct rusage use;
    return getrusage(RUSAGE_SELF, &use) == 0 ? (uint64_t)use.ru_inblock * 512 : 0;
}

/* Adds the pages of one window: 0, or -1 if the kernel does not tell. */
static int look(const struct file_set *s, uint32_t file, uint64_t offset, uint64_t *resident,
                uint64_t *pages)
{
    unsigned char state[PAGES_MAX];
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), left = s->size - offset;
    size_t size = left < WINDOW ? (size_t)left : WINDOW;
    offset -= offset % page;
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, s->file[file].fd, (off_t)offset);
    if (map == MAP_FAILED)
        return -1;
    int rc = mincore(map, size, state);
    for (size_t i = 0; rc == 0 && i * page < size; i++, ++*pages)
        *resident += state[i] & 1;
    munmap(map, size);
    return rc;
}

static double resident_share(const struct file_set *s)
{
    uint64_t total = s->size * s->count, windows = total / WINDOW + 1, resident = 0, pages = 0;
    if (windows > WINDOWS_MAX)
        windows = WINDOWS_MAX;
    if (windows < s->count && s->count <= WINDOWS_MAX)
        windows = s->count;
    for (uint64_t i = 0; i < windows; i++) {
        uint64_t at = total / windows * i;
        if (look(s, (uint32_t)(at / s->size), at % s->size, &resident, &pages) != 0)
            return -1;
    }
    return pages > 0 ? (double)resident / (double)pages : -1;
}

static uint64_t allocated(const struct file_set *s)
{
    uint64_t sum = 0;
    struct stat st;
    for (uint32_t i = 0; i < s->count; i++)
        if (fstat(s->file[i].fd, &st) == 0)
            sum += (uint64_t)st.st_blocks * 512;
    return sum;
}

void cache_probe_init(struct cache_probe *c, const struct file_set *s)
{
    c->resident = resident_share(s);
    c->allocated = allocated(s);
    c->fetched = cache_fetched();
}
