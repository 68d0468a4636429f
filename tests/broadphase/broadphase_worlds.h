/* Random worlds for the broadphase's tests: how many of their boxes move, jump, come and go, and how far. */
#ifndef TESTS_BROADPHASE_BROADPHASE_WORLDS_H
#define TESTS_BROADPHASE_BROADPHASE_WORLDS_H

#include "tests/broadphase/broadphase_model.h"

typedef struct regime {
    const char *name;
    double extent;   /* half the side of the cube they live in */
    double moving;   /* share that moves each step */
    double teleport; /* share that jumps each step */
    double churn;    /* share added or removed each step */
    double fixed;    /* share that is not movable */
    float speed;     /* meters per step, at most */
} regime;

static inline dry_bounds random_box(const regime *r)
{
    return random_bounds(center, r->extent, 0.1, 0.7);
}

static inline void add_random(model *m, int user, const regime *r)
{
    dry_bounds box = random_box(r);
    assert_true(model_add(m, user, box, random_double(0.0, 1.0) >= r->fixed));
}

static inline void run_step(model *m, const regime *r)
{
    for (int user = 0; user < m->size; user++) {
        item *it = &m->items[user];
        if (random_double(0.0, 1.0) < r->churn) {
            if (it->alive)
                model_remove(m, user);
            else
                add_random(m, user, r);
        }
        if (!it->alive)
            continue;
        if (random_double(0.0, 1.0) < r->teleport) {
            it->tight = random_box(r);
            model_update(m, user);
        } else if (random_double(0.0, 1.0) < r->moving) {
            if (random_below(4) == 0)
                it->velocity = random_vector((double)r->speed);
            shift(&it->tight, it->velocity);
            model_update(m, user);
        }
    }
}

static inline void fill_world(model *m, const regime *r)
{
    bool batch = m->size % 2 == 0;
    assert_true(dry_broadphase_reserve(m->broadphase, m->size));
    if (batch)
        dry_broadphase_begin_batch(m->broadphase);
    /* A ground under everything, as in most worlds. */
    assert_true(model_add(m, 0, box_at(0.0, -r->extent, 0.0, 2.0 * r->extent, 1.0, 2.0 * r->extent), false));
    for (int i = 1; i < m->size; i++) {
        /* Users in another order than proxies. */
        int user = (int)((int64_t)i * 7919 % m->size);
        if (user != 0) {
            add_random(m, user, r);
            m->items[user].velocity = random_vector((double)r->speed);
        }
    }
    if (batch)
        dry_broadphase_end_batch(m->broadphase);
}

static const regime regimes[] = {
    {"mostly still", 6.0, 0.03, 0.0, 0.0, 0.3, 0.05f},  {"few jump", 6.0, 0.0, 0.02, 0.02, 0.3, 0.05f},
    {"all drift", 6.0, 1.0, 0.0, 0.0, 0.1, 0.04f},      {"fast", 8.0, 1.0, 0.0, 0.05, 0.2, 0.8f},
    {"all jump", 8.0, 0.0, 1.0, 0.0, 0.2, 0.0f},        {"churn", 6.0, 0.5, 0.05, 0.4, 0.3, 0.1f},
    {"one heap", 0.4, 0.5, 0.1, 0.05, 0.1, 0.1f},       {"fixed ones jump", 5.0, 0.1, 0.3, 0.1, 0.9, 0.1f},
    {"nothing fixed", 6.0, 0.5, 0.01, 0.01, 0.0, 0.1f}, {"few movable", 4.0, 0.5, 0.3, 0.1, 0.96, 0.1f},
};

#endif
