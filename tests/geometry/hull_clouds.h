/* Clouds of points for the tests of hulls, drawn by a seed. */
#ifndef TESTS_GEOMETRY_HULL_CLOUDS_H
#define TESTS_GEOMETRY_HULL_CLOUDS_H

#include "tests/test_world.h"

/* A place as three doubles. */
#define AT(v) ((double[3]){(v).x, (v).y, (v).z})
#define POINT(v) ((dry_double3){(v).x, (v).y, (v).z})

enum { CLOUD_MOST = 4096 };

typedef struct cloud {
    const char *name;
    int count;
    dry_vec3 at[CLOUD_MOST];
} cloud;

static inline void cloud_add(cloud *c, d3 p)
{
    assert_true(c->count < CLOUD_MOST);
    c->at[c->count++] = v3_of(p);
}

static inline d3 cloud_direction(uint64_t *seed)
{
    for (;;) {
        const d3 p = random_d3(seed, 1);
        const double square = d3_dot(p, p);
        if (square > 0.01 && square <= 1)
            return d3_scale(p, 1 / sqrt(square));
    }
}

static inline void cloud_sphere(cloud *c, uint64_t *seed)
{
    for (int n = 4 + random_below(seed, 400); n > 0; n--)
        cloud_add(c, cloud_direction(seed));
}

static inline void cloud_ball(cloud *c, uint64_t *seed)
{
    for (int n = 8 + random_below(seed, 800); n > 0; n--) {
        const double share = random_in(seed, 0, 1);
        cloud_add(c, d3_scale(cloud_direction(seed), share));
    }
}

static inline void cloud_box(cloud *c, uint64_t *seed)
{
    const d3 half = random_d3_in(seed, 0.1, 2);
    for (int n = 8 + random_below(seed, 800); n > 0; n--) {
        const d3 p = random_d3(seed, 1);
        cloud_add(c, (d3){half.x * p.x, half.y * p.y, half.z * p.z});
    }
}

static inline void cloud_bell(cloud *c, uint64_t *seed)
{
    for (int n = 8 + random_below(seed, 800); n > 0; n--) {
        d3 p = random_d3(seed, 1);
        for (int i = 0; i < 11; i++)
            p = d3_add(p, random_d3(seed, 1));
        cloud_add(c, p);
    }
}

static inline void cloud_turn(cloud *c, uint64_t *seed)
{
    const dry_quat q = random_quat(seed);
    for (int i = 0; i < c->count; i++)
        c->at[i] = v3_of(d3_turn(q, d3_of(c->at[i])));
}

static inline void cloud_grid(cloud *c, uint64_t *seed)
{
    const int nx = 2 + random_below(seed, 12), ny = 2 + random_below(seed, 12),
              nz = 2 + random_below(seed, 12);
    const double step = random_in(seed, 0.01, 1);
    for (int i = 0; i < nx * ny * nz; i++)
        cloud_add(c, (d3){step * (i % nx), step * (i / nx % ny), step * (i / nx / ny)});
}

static inline void cloud_turned_grid(cloud *c, uint64_t *seed)
{
    cloud_grid(c, seed);
    cloud_turn(c, seed);
}

static inline void cloud_needle(cloud *c, uint64_t *seed)
{
    const double thin = random_in(seed, 5e-4, 5e-3);
    for (int n = 8 + random_below(seed, 400); n > 0; n--) {
        const d3 p = random_d3(seed, 1);
        cloud_add(c, (d3){thin * p.x, p.y, thin * p.z});
    }
    cloud_turn(c, seed);
}

static inline void cloud_pancake(cloud *c, uint64_t *seed)
{
    for (int n = 16 + random_below(seed, 400); n > 0; n--) {
        const d3 p = cloud_direction(seed);
        cloud_add(c, (d3){p.x, p.y, n % 2 ? 5e-4 : -5e-4});
    }
    if (random_below(seed, 2))
        cloud_turn(c, seed);
}

static inline void cloud_clusters(cloud *c, uint64_t *seed)
{
    const double wide = random_in(seed, 0, 1e-3);
    for (int k = 5 + random_below(seed, 20); k > 0; k--) {
        const d3 middle = random_d3(seed, 1);
        for (int i = 0; i < 20; i++)
            cloud_add(c, i % 4 ? d3_add(middle, random_d3(seed, wide * wide)) : middle);
    }
}

static inline void cloud_prism(cloud *c, uint64_t *seed)
{
    const int sides = 3 + random_below(seed, 60);
    const double half = random_in(seed, 0.01, 2);
    for (int i = 0; i < sides; i++)
        for (int k = -1; k < 2; k++)
            cloud_add(c, (d3){cos(2 * TEST_PI * i / sides), k * half, sin(2 * TEST_PI * i / sides)});
    if (random_below(seed, 2))
        cloud_turn(c, seed);
}

static inline void cloud_dodecahedron(cloud *c, uint64_t *seed)
{
    const double phi = 0.5 * (1 + sqrt(5.0));
    for (int i = 0; i < 8; i++)
        cloud_add(c, (d3){i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1});
    for (int i = 0; i < 12; i++) {
        const double one = i & 1 ? 1 / phi : -1 / phi, two = i & 2 ? phi : -phi;
        const double at[5] = {0, one, two, 0, one};
        cloud_add(c, (d3){at[i / 4], at[i / 4 + 1], at[i / 4 + 2]});
    }
    cloud_turn(c, seed);
}

/* Points on the faces and edges of a turned box, with its corners. */
static inline void cloud_faces(cloud *c, uint64_t *seed)
{
    for (int i = 0; i < 8; i++)
        cloud_add(c, (d3){i & 1 ? 1 : -1, i & 2 ? 0.7 : -0.7, i & 4 ? 0.3 : -0.3});
    for (int n = random_below(seed, 2000); n > 0; n--) {
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = random_in(seed, -1, 1);
        p[n % 3] = p[n % 3] < 0 ? -1 : 1;
        if (n % 5 == 0)
            p[(n + 1) % 3] = p[(n + 1) % 3] < 0 ? -1 : 1;
        cloud_add(c, (d3){p[0], 0.7 * p[1], 0.3 * p[2]});
    }
    cloud_turn(c, seed);
}

/* A box whose faces are bent by noise from below to above the tolerance. */
static inline void cloud_bent(cloud *c, uint64_t *seed)
{
    const double noise = exp(random_in(seed, log(1e-8), log(1e-3)));
    cloud_faces(c, seed);
    for (int i = 0; i < c->count; i++)
        c->at[i] = v3_of(d3_add(d3_of(c->at[i]), random_d3(seed, noise)));
}

/* A scan of a box: 2,400 points of its sides, drawn or in rows, with noise, m. */
static inline void cloud_scan(cloud *c, uint64_t *seed, d3 half, double noise)
{
    const bool rows = random_below(seed, 2);
    for (int i = 0; i < 2400; i++) {
        double p[3];
        p[i % 3] = i % 6 < 3 ? -1 : 1;
        p[(i + 1) % 3] = rows ? 2 * (i / 6 % 20) / 19.0 - 1 : random_in(seed, -1, 1);
        p[(i + 2) % 3] = rows ? 2 * (i / 120) / 19.0 - 1 : random_in(seed, -1, 1);
        cloud_add(c, d3_add((d3){half.x * p[0], half.y * p[1], half.z * p[2]}, random_d3(seed, noise)));
    }
}

/* A cone or a disk of many sides, with its middle and points along its rim. */
static inline void cloud_cone(cloud *c, uint64_t *seed)
{
    const int sides = 8 + random_below(seed, 500);
    const double high = random_in(seed, 0.001, 1);
    for (int i = 0; i < sides; i++)
        cloud_add(c, (d3){cos(2 * TEST_PI * i / sides), 0, sin(2 * TEST_PI * i / sides)});
    cloud_add(c, (d3){0, high, 0});
    cloud_add(c, (d3){0, 0, 0});
    cloud_turn(c, seed);
}

/* A sphere's cap, nearly flat. */
static inline void cloud_cap(cloud *c, uint64_t *seed)
{
    const double bow = exp(random_in(seed, log(1e-8), log(0.1)));
    for (int n = 20 + random_below(seed, 500); n > 0; n--) {
        const double x = random_in(seed, -1, 1), z = random_in(seed, -1, 1);
        cloud_add(c, (d3){x, -bow * (x * x + z * z), z});
    }
    cloud_add(c, (d3){0, -1, 0});
}

static inline void cloud_sized(cloud *c, uint64_t *seed)
{
    cloud_ball(c, seed);
    const double size = exp(random_in(seed, log(2e-3), log(5e5)));
    for (int i = 0; i < c->count; i++)
        c->at[i] = v3_of(d3_scale(d3_of(c->at[i]), size));
}

/* Far from the origin, where coordinates have few digits. */
static inline void cloud_far(cloud *c, uint64_t *seed)
{
    cloud_box(c, seed);
    const d3 far = random_d3(seed, 5e5);
    for (int i = 0; i < c->count; i++)
        c->at[i] = v3_of(d3_add(d3_of(c->at[i]), far));
}

/* A slab 1 km to 1000 km wide and 1 cm to 1 m thick. */
static inline void cloud_slab(cloud *c, uint64_t *seed)
{
    const double wide = exp(random_in(seed, log(1e3), log(1e6))), thick = exp(random_in(seed, log(0.01), 0));
    for (int n = 8 + random_below(seed, 300); n > 0; n--) {
        const d3 p = random_d3(seed, wide);
        cloud_add(c, (d3){p.x, n % 2 ? 0 : thick, p.z});
    }
}

static inline void cloud_few(cloud *c, uint64_t *seed)
{
    for (int n = 4 + random_below(seed, 5); n > 0; n--)
        cloud_add(c, random_d3(seed, 1));
}

static const struct cloud_kind {
    const char *name;
    void (*draw)(cloud *c, uint64_t *seed);
} cloud_kinds[] = {
    {"sphere", cloud_sphere},
    {"ball", cloud_ball},
    {"box", cloud_box},
    {"bell", cloud_bell},
    {"grid", cloud_grid},
    {"turned grid", cloud_turned_grid},
    {"needle", cloud_needle},
    {"pancake", cloud_pancake},
    {"clusters", cloud_clusters},
    {"prism", cloud_prism},
    {"dodecahedron", cloud_dodecahedron},
    {"faces", cloud_faces},
    {"bent", cloud_bent},
    {"cone", cloud_cone},
    {"cap", cloud_cap},
    {"sized", cloud_sized},
    {"far", cloud_far},
    {"slab", cloud_slab},
    {"few", cloud_few},
};

/* Draws cloud number n: the kinds by turns, each with a seed of its own. */
static inline void cloud_draw(cloud *c, int n)
{
    uint64_t seed = 0x9e3779b97f4a7c15ull * (uint64_t)(n + 1);
    const struct cloud_kind *kind = &cloud_kinds[n % COUNT_OF(cloud_kinds)];
    c->name = kind->name;
    c->count = 0;
    kind->draw(c, &seed);
}

/* The largest extent along an axis, m. */
static inline double cloud_size(const cloud *c)
{
    d3 low = d3_of(c->at[0]), high = low;
    for (int i = 0; i < c->count; i++) {
        const d3 p = d3_of(c->at[i]);
        low = (d3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (d3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    const d3 size = d3_sub(high, low);
    return fmax(size.x, fmax(size.y, size.z));
}

#endif
