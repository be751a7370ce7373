#include "primitive/fileio/validate.h"

#include <string.h>

/* Four bits at a time: a table of 16 words needs no set-up and no lock. */
static const uint32_t crc_of_nibble[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

uint32_t crc32_of(const void *data, size_t size)
{
    const unsigned char *at = data;
    uint32_t crc = ~UINT32_C(0);
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ crc_of_nibble[crc & 15];
        crc = crc >> 4 ^ crc_of_nibble[crc & 15];
    }
    return ~crc;
}

void validate_seal(void *block, size_t size, uint64_t offset)
{
    unsigned char *at = block;
    uint32_t crc = crc32_of(block, size - VALIDATE_TAIL);
    memcpy(at + size - 12, &crc, sizeof crc);
    memcpy(at + size - 8, &offset, sizeof offset);
}

void validate_seal_all(void *data, size_t size, size_t block, uint64_t offset)
{
    for (size_t at = 0; at < size; at += block) {
        size_t n = size - at < block ? size - at : block;
        if (n >= VALIDATE_LEAST)
            validate_seal((unsigned char *)data + at, n, offset + at);
    }
}

static struct block_finding look_at(const unsigned char *block, size_t size, uint64_t offset)
{
    struct block_finding f = {.offset = offset};
    memcpy(&f.stored, block + size - 12, sizeof f.stored);
    memcpy(&f.stored_offset, block + size - 8, sizeof f.stored_offset);
    f.computed = crc32_of(block, size - VALIDATE_TAIL);
    if (f.computed == f.stored)
        f.state = f.stored_offset == offset ? BLOCK_WHOLE : BLOCK_ELSEWHERE;
    else
        f.state = f.stored_offset == offset ? BLOCK_DAMAGED : BLOCK_UNKNOWN;
    return f;
}

struct block_finding validate_look(const void *data, size_t size, size_t block, uint64_t offset)
{
    struct block_finding f = {.state = BLOCK_WHOLE};
    for (size_t at = 0; at < size && f.state == BLOCK_WHOLE; at += block) {
        size_t n = size - at < block ? size - at : block;
        if (n >= VALIDATE_LEAST)
            f = look_at((const unsigned char *)data + at, n, offset + at);
    }
    return f;
}
