/*
 * --watch: one line of a terminal that is drawn anew at each interval: rate
 * with a small curve of the last ones, percentiles, temperature and clock where
 * the machine tells them. Only for the thread that runs the run.
 */
#ifndef REPORT_WATCH_H
#define REPORT_WATCH_H

#include "base/buf.h"
#include "report/result.h"

#include <stdbool.h>

#define WATCH_POINTS 24

struct watch_view {
    bool active;               /* wanted, and there is a terminal to draw on */
    bool drawn;                /* the cursor stands behind an unfinished line */
    int out_fd;                /* the terminal */
    double rate[WATCH_POINTS]; /* the last ones, in a ring */
    unsigned seen;
};

/* Draws if the format is text and out is a terminal; otherwise the usual lines
 * of intermediate reports take its place. */
void watch_init(struct watch_view *v, const struct general *g, int out_fd);
void watch_line(struct watch_view *v, const struct figures *f, const struct moment *m,
                struct buf *out);
/* Ends the unfinished line, so that other text can follow. */
void watch_end(struct watch_view *v, struct buf *out);

/* Head, curve and tail, in less than so many columns: the curve gives way first. */
void watch_compose(struct watch_view *v, const char *head, const char *tail, unsigned columns,
                   struct buf *out);

/* A curve of n values, oldest first: one character of U+2581 to U+2588 each,
 * the highest for the largest. */
void watch_curve(const double *value, unsigned n, struct buf *out);

#endif
