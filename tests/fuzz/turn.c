/* Picks the call of a turn, and takes over what calls wrote. */
#include "tests/fuzz/turn.h"

#include "tests/fuzz/calls.h"

typedef struct fuzz_kind {
    const char *name;
    dry_result (*take)(fuzz_turn *t);
} fuzz_kind;

#define FUZZ_KIND(name) {#name, name},
static const fuzz_kind kinds[] = {FUZZ_CALLS(FUZZ_KIND) FUZZ_REPETITIONS(FUZZ_KIND)};
_Static_assert(sizeof kinds / sizeof *kinds == FUZZ_KINDS, "one repetition goes for each new kind");

dry_result fuzz_turn_take(fuzz_turn *turn, int kind)
{
    turn->answer = FUZZ_HASH_BEGIN;
    turn->change.set_type = turn->change.set_enabled = -1;
    return kinds[kind].take(turn);
}

const char *fuzz_kind_name(int kind)
{
    return kinds[kind].name;
}

void fuzz_answer(fuzz_turn *t, const void *bytes, size_t count)
{
    t->answer = fuzz_hash(t->answer, bytes, count);
}

void fuzz_answer_number(fuzz_turn *t, uint64_t bits)
{
    FUZZ_ANSWER(t, bits);
}

void fuzz_answer_events(fuzz_turn *t)
{
    const dry_events e = dry_world_events(t->world);
    const int counts[] = {e.moved_count, e.contact_begin_count, e.contact_end_count, e.hit_count,
                          e.sleep_count, e.quarantine_count,    e.joint_count,       e.conflict_count};
    FUZZ_ANSWER(t, counts);
    for (int i = 0; i < e.moved_count; ++i) {
        fuzz_answer_number(t, e.moved[i].body.bits);
        fuzz_answer_number(t, e.moved[i].user_data);
    }
    for (int i = 0; i < e.contact_begin_count; ++i)
        FUZZ_ANSWER(t, e.contact_begins[i]);
    for (int i = 0; i < e.contact_end_count; ++i)
        FUZZ_ANSWER(t, e.contact_ends[i]);
    for (int i = 0; i < e.hit_count; ++i) {
        const uint64_t who[] = {e.hits[i].shape_a.bits,      e.hits[i].shape_b.bits,
                                e.hits[i].body_a.bits,       e.hits[i].body_b.bits,
                                e.hits[i].shape_user_data_a, e.hits[i].shape_user_data_b,
                                e.hits[i].body_user_data_a,  e.hits[i].body_user_data_b};
        const int32_t where[] = {e.hits[i].child_a, e.hits[i].child_b};
        FUZZ_ANSWER(t, who);
        FUZZ_ANSWER(t, where);
        FUZZ_ANSWER(t, e.hits[i].point);
        FUZZ_ANSWER(t, e.hits[i].normal);
        FUZZ_ANSWER(t, e.hits[i].speed_m_s);
    }
    for (int i = 0; i < e.sleep_count; ++i) {
        fuzz_answer_number(t, e.sleeps[i].body.bits);
        fuzz_answer_number(t, e.sleeps[i].asleep);
    }
    for (int i = 0; i < e.quarantine_count; ++i)
        fuzz_answer_number(t, e.quarantines[i].body.bits);
    for (int i = 0; i < e.joint_count; ++i) {
        fuzz_answer_number(t, e.joints[i].joint.bits);
        fuzz_answer_number(t, e.joints[i].broken);
        FUZZ_ANSWER(t, e.joints[i].force_N);
        FUZZ_ANSWER(t, e.joints[i].torque_Nm);
    }
    for (int i = 0; i < e.conflict_count; ++i) {
        fuzz_answer_number(t, e.conflicts[i].joint.bits);
        FUZZ_ANSWER(t, e.conflicts[i].error);
    }
}
