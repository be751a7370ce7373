/*
 * Blocks that tell whether they are what was written, in the form that sysbench
 * gives them: random bytes, the CRC-32 of these (as zlib computes it) in four
 * bytes, the block's offset in its file in eight, both in the machine's order.
 */
#ifndef FILEIO_VALIDATE_H
#define FILEIO_VALIDATE_H

#include <stddef.h>
#include <stdint.h>

#define VALIDATE_TAIL 12
#define VALIDATE_LEAST 16

enum block_state {
    BLOCK_WHOLE,
    BLOCK_DAMAGED,   /* it is in its place, but its bytes have changed */
    BLOCK_ELSEWHERE, /* whole, but it belongs to another offset */
    BLOCK_UNKNOWN,   /* neither: it was never written as such a block */
};

struct block_finding {
    enum block_state state;
    uint64_t offset;           /* of the first bad block, in its file */
    uint32_t computed, stored; /* checksums */
    uint64_t stored_offset;
};

uint32_t crc32_of(const void *data, size_t size);
/* Writes checksum and offset behind size - VALIDATE_TAIL bytes of data. */
void validate_seal(void *block, size_t size, uint64_t offset);
/* Seals each block of a request that begins at offset. A rest shorter than
 * VALIDATE_LEAST stays as it is. */
void validate_seal_all(void *data, size_t size, size_t block, uint64_t offset);
/* Looks at each block of a request; stops at the first that is not whole. */
struct block_finding validate_look(const void *data, size_t size, size_t block, uint64_t offset);

#endif
