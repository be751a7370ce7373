/* The loop of a worker whose engine has a queue: keeps it full, and counts each
 * event when it has completed, from its submission or its planned start. */
#ifndef FILEIO_QUEUE_H
#define FILEIO_QUEUE_H

#include "primitive/fileio/work.h"

struct queue;

/* NULL with e. `size`: bytes of a request at most. */
struct queue *queue_new(const struct io_engine *engine, unsigned depth, size_t size, struct err *e);
void queue_free(struct queue *q);
int queue_loop(struct worker *w, struct fileio *f, struct fileio_worker *own);

#endif
