/* Passes over a linkage, block by block. Next: alone.c. */
#include "methods/direct/stream.h"

#include "core/assert.h"

/* Joints or bodies of a block: what a few passes read of them fits a first-level cache. */
enum { BLOCK = 64 };

static int items_of(const dry_linkage *l, const dry_stream_pass *pass)
{
    return pass->over == DRY_BODIES ? l->articulation->body_end - l->articulation->body_begin : l->joints;
}

/* Returns how far a pass may go once the one before has done `before` of its items, itself `done`. */
static int reach_of(const dry_linkage *l, const dry_stream_pass *pass, const dry_stream_pass *last,
                    int before, int done)
{
    if ((pass->over == DRY_BODIES) == (last->over == DRY_BODIES) || before == 0)
        return before;
    const int first = l->articulation->body_begin;
    if (pass->over == DRY_BODIES)
        return before == l->joints ? items_of(l, pass) : l->joint[before - 1].settled - first;
    while (done < l->joints && l->joint[done].body[0] < first + before &&
           l->joint[done].body[1] < first + before)
        done++;
    return done;
}

/* Does a pass on its items [begin, end), counted from the linkage's first one. */
static void run_pass(dry_stream *stream, const dry_stream_pass *pass, int begin, int end)
{
    const int first = pass->over == DRY_BODIES ? stream->l->articulation->body_begin : 0;
    if (begin < end)
        pass->work(stream, first + begin, first + end);
}

typedef struct shared_pass {
    dry_stream *stream;
    const dry_stream_pass *pass;
} shared_pass;

static void run_shared(void *context, dry_items items)
{
    const shared_pass *shared = context;
    run_pass(shared->stream, shared->pass, items.begin, items.end);
}

/* Does one pass after the other: workers share the items of each. */
static void run_whole(dry_stream *stream, const dry_stream_pass *passes, int count)
{
    for (int k = 0; k < count; k++) {
        shared_pass shared = {stream, &passes[k]};
        const int items = items_of(stream->l, &passes[k]);
        if (passes[k].over != DRY_JOINTS_IN_TURN)
            dry_jobs_for(stream->l->jobs, items, BLOCK, run_shared, &shared);
        else
            run_shared(&shared, (dry_items){.end = items});
    }
}

void dry_stream_run(dry_stream *stream, const dry_stream_pass *passes, int count)
{
    const dry_linkage *l = stream->l;
    stream->largest = 0.0;
    if (l->jobs) {
        run_whole(stream, passes, count);
        return;
    }
    int done[DRY_STREAM_PASSES_MAX] = {0}; /* by each pass */
    DRY_ASSERT(count > 0 && count <= DRY_STREAM_PASSES_MAX);
    for (int end = 0; end < items_of(l, &passes[0]);) {
        end = dry_min_int(end + BLOCK, items_of(l, &passes[0]));
        for (int k = 0; k < count; k++) {
            const int reach = k == 0 ? end : reach_of(l, &passes[k], &passes[k - 1], done[k - 1], done[k]);
            DRY_ASSERT(reach >= done[k]);
            run_pass(stream, &passes[k], done[k], reach);
            done[k] = reach;
        }
    }
    DRY_ASSERT(done[count - 1] == items_of(l, &passes[count - 1]));
}
