#include "primitive/fileio/engine.h"

const struct io_engine *engine_of(int io_mode)
{
    static const struct io_engine *const engines[IO_N] = {
        [IO_SYNC] = &io_sync,
        [IO_ASYNC] = &io_async,
        [IO_MMAP] = &io_mmap,
        [IO_URING] = &io_uring_engine,
    };
    return engines[io_mode];
}
