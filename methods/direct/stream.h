/* Passes over the joints and bodies of a linkage, block by block. A large linkage does not fit a cache: each
 * pass over all of it waits for memory. A stream does several passes on a block while it is at hand.
 *
 *      joints   [ block 1 ][ block 2 ][ ...      pass 1: sums impulses of joints
 *      bodies      [ b. 1 ][ b. 2 ]              pass 2: moves bodies that no later joint pushes
 *      joints        [ 1' ][ 2' ]                pass 3: finds errors of joints between bodies that moved
 *
 * Each pass does its items in their order, after all that they depend on: bits are those of whole passes. */
#ifndef METHODS_DIRECT_STREAM_H
#define METHODS_DIRECT_STREAM_H

#include "methods/direct/linkage.h"

/* Passes share this. */
typedef struct dry_stream {
    const dry_linkage *l;
    dry_linkage_place place; /* of the rows that are found */
    double share;            /* of the impulses that bodies take */
    double largest;          /* error or speed that a joint has */
    double open;             /* largest error of the rows whose speeds were found */
} dry_stream;

/* Works on the bodies with these indices of all bodies, or on the joints with these of the linkage. */
typedef void dry_stream_work(dry_stream *stream, int begin, int end);

/* The items of a pass. Those IN_TURN touch what others touch; workers may share the rest. */
typedef enum dry_stream_items { DRY_BODIES, DRY_JOINTS, DRY_JOINTS_IN_TURN } dry_stream_items;

typedef struct dry_stream_pass {
    dry_stream_work *work;
    dry_stream_items over;
} dry_stream_pass;

static inline dry_stream dry_stream_of(const dry_linkage *l)
{
    return (dry_stream){.l = l, .place = DRY_AT_END, .share = 1.0};
}

/* Does these passes, at most DRY_STREAM_PASSES_MAX. Begins with no error. */
enum { DRY_STREAM_PASSES_MAX = 8 };
void dry_stream_run(dry_stream *stream, const dry_stream_pass *passes, int count);

/* Passes over bodies. */
void dry_stream_place(dry_stream *stream, int begin, int end);
void dry_stream_advance(dry_stream *stream, int begin, int end);
void dry_stream_clear(dry_stream *stream, int begin, int end);
/* Over joints. */
void dry_stream_find_rows(dry_stream *stream, int begin, int end);
void dry_stream_count(dry_stream *stream, int begin, int end);
/* Over joints in turn. */
void dry_stream_find_errors(dry_stream *stream, int begin, int end);
void dry_stream_sum(dry_stream *stream, int begin, int end);

#endif
