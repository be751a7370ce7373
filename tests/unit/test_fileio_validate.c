/* Data that is written: checksums, and that it neither compresses nor repeats. */
#include "unit.h"

#include "primitive/fileio/data.h"
#include "primitive/fileio/validate.h"

#include <stdlib.h>

#define BLOCK 4096

static void crc_is_zlibs(void **state)
{
    (void)state;
    assert_int_equal(crc32_of("", 0), 0);
    assert_int_equal(crc32_of("123456789", 9), 0xcbf43926);
    assert_int_equal(crc32_of("The quick brown fox jumps over the lazy dog", 43), 0x414fa339);
}

static void fill(unsigned char *to, size_t size)
{
    static struct data_page page;
    struct rng r;
    data_seed(&r, 1);
    data_page_init(&page, &r);
    data_fill(&page, &r, to, size);
}

static void sealed_blocks_are_whole(void **state)
{
    unsigned char data[3 * BLOCK];
    (void)state;
    fill(data, sizeof data);
    validate_seal_all(data, sizeof data, BLOCK, 7 * BLOCK);
    assert_int_equal(validate_look(data, sizeof data, BLOCK, 7 * BLOCK).state, BLOCK_WHOLE);
    /* the places that sysbench uses */
    uint32_t crc;
    uint64_t offset;
    memcpy(&crc, data + BLOCK - 12, 4);
    memcpy(&offset, data + 2 * BLOCK - 8, 8);
    assert_int_equal(crc, crc32_of(data, BLOCK - 12));
    assert_int_equal(offset, 8 * BLOCK);
}

static void damage_is_found(void **state)
{
    static const size_t places[] = {0, 777, BLOCK - 13, BLOCK - 12};
    unsigned char data[2 * BLOCK];
    (void)state;
    for (size_t i = 0; i < LENGTH(places); i++) {
        fill(data, sizeof data);
        validate_seal_all(data, sizeof data, BLOCK, 0);
        data[BLOCK + places[i]] ^= 1;
        struct block_finding f = validate_look(data, sizeof data, BLOCK, 0);
        assert_int_equal(f.state, BLOCK_DAMAGED);
        assert_int_equal(f.offset, BLOCK);
        assert_int_not_equal(f.computed, f.stored);
    }
}

static void misplaced_blocks_are_found(void **state)
{
    unsigned char data[BLOCK];
    (void)state;
    fill(data, sizeof data);
    validate_seal_all(data, sizeof data, BLOCK, 5 * BLOCK);
    struct block_finding f = validate_look(data, sizeof data, BLOCK, 6 * BLOCK);
    assert_int_equal(f.state, BLOCK_ELSEWHERE);
    assert_int_equal(f.stored_offset, 5 * BLOCK);
}

static void other_data_is_no_damage(void **state)
{
    unsigned char data[BLOCK];
    (void)state;
    fill(data, sizeof data);
    assert_int_equal(validate_look(data, sizeof data, BLOCK, BLOCK).state, BLOCK_UNKNOWN);
    memset(data, 0, sizeof data);
    assert_int_equal(validate_look(data, sizeof data, BLOCK, BLOCK).state, BLOCK_UNKNOWN);
}

static void short_rests_stay(void **state)
{
    unsigned char data[BLOCK + 15] = {0};
    (void)state;
    validate_seal_all(data, sizeof data, BLOCK, 0);
    for (int i = 0; i < 15; i++)
        assert_int_equal(data[BLOCK + i], 0);
    assert_int_equal(validate_look(data, sizeof data, BLOCK, 0).state, BLOCK_WHOLE);
}

/* All byte values about equally often in any place, so nothing can be coded
 * shorter; every eight bytes different from all others, so nothing repeats. */
static int compare(const void *a, const void *b)
{
    return memcmp(a, b, 8);
}

static void data_does_not_compress(void **state)
{
    enum { SIZE = 1 << 20 };
    unsigned char *data = malloc(SIZE);
    unsigned count[256] = {0};
    (void)state;
    assert_non_null(data);
    for (int at = 0; at < SIZE; at += 16384)
        fill(data + at, 16384);
    for (int i = 0; i < SIZE; i++)
        count[data[i]]++;
    for (int v = 0; v < 256; v++)
        assert_between(count[v], 0.8 * SIZE / 256, 1.2 * SIZE / 256);
    qsort(data, SIZE / 8, 8, compare);
    for (int i = 8; i < SIZE; i += 8)
        assert_memory_not_equal(data + i - 8, data + i, 8);
    free(data);
}

static void any_size_and_alignment(void **state)
{
    unsigned char data[9000];
    (void)state;
    for (size_t size = 1; size < 40; size++) {
        memset(data, 0xaa, sizeof data);
        fill(data + 1, size);
        assert_int_equal(data[0], 0xaa);
        assert_int_equal(data[size + 1], 0xaa);
    }
    memset(data, 0xaa, sizeof data);
    fill(data + 3, 8191);
    assert_int_equal(data[2], 0xaa);
    assert_int_equal(data[8194], 0xaa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_is_zlibs),
        cmocka_unit_test(sealed_blocks_are_whole),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(misplaced_blocks_are_found),
        cmocka_unit_test(other_data_is_no_damage),
        cmocka_unit_test(short_rests_stay),
        cmocka_unit_test(data_does_not_compress),
        cmocka_unit_test(any_size_and_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
