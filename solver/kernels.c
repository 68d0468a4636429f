/* All kernels for one instruction set: meson compiles this file once per level, with DRY_LANES and
 * DRY_ISA_NAME set, and each compilation yields the table dry_kernels_<level>; once more, as `fma`, for
 * bundles of one lane where AVX2 is. */
#include "solver/contacts/kernels.h"
#include "narrowphase/pairs/boxes_kernel.h"
#include "solver/contacts/prepare_kernel.h"
#include "solver/joints/kernels.h"

#include "solver/rows/body_kernels.h"

#define CONTACT(name, ...)                                                                                   \
    static void name(dry_contact_bundle *bundles, dry_contact_bundle_rare *rare, int begin, int end,         \
                     const dry_sweep *sweep)                                                                 \
    {                                                                                                        \
        contact_sweep(bundles, rare, begin, end, sweep, (contact_mode){__VA_ARGS__});                        \
    }

CONTACT(contact_solve_cone, .position = true)
CONTACT(contact_solve_cone_spook, .position = true, .spook = true)
CONTACT(contact_relax_cone, .position = false)
CONTACT(contact_solve_box, .position = true, .friction = DRY_FRICTION_SCALED_BOX)
CONTACT(contact_relax_box, .friction = DRY_FRICTION_SCALED_BOX)
CONTACT(contact_solve_two_phase, .position = true, .friction = DRY_FRICTION_TWO_PHASE)
CONTACT(contact_relax_two_phase, .friction = DRY_FRICTION_TWO_PHASE)
CONTACT(contact_solve_velocity, .position = true, .friction = DRY_FRICTION_VELOCITY)
CONTACT(contact_relax_velocity, .friction = DRY_FRICTION_VELOCITY)
CONTACT(jacobi_contact_solve, .position = true, .jacobi = true)
CONTACT(jacobi_contact_relax, .jacobi = true)

static void contact_warm(dry_contact_bundle *bundles, dry_contact_bundle_rare *rare, int begin, int end,
                         const dry_sweep *sweep)
{
    (void)rare;
    contact_warm_sweep(bundles, begin, end, sweep);
}

static void contact_impact(dry_contact_bundle *bundles, dry_contact_bundle_rare *rare, int begin, int end,
                           const dry_sweep *sweep)
{
    contact_impact_sweep(bundles, rare, begin, end, sweep);
}

static void contact_prepare(const dry_contact_source *source, dry_contact_bundle *bundle,
                            dry_contact_bundle_rare *rare, dry_contact_speeds *speeds,
                            const dry_prepare *prepare)
{
    for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES)
        prepare_lanes(source, bundle, rare, speeds, prepare, at);
    if (prepare->stream_to)
        prepare_stream(prepare->stream_to, bundle);
}

static void bodies_begin(const dry_body_begin *begin, const int32_t *row, dry_body_squares *squares)
{
    for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES)
        begin_lanes(begin, row + at, squares, at);
}

static void bodies_finish(const dry_body_finish *finish, const dry_body_block *block, dry_body_motion *motion)
{
    for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES)
        finish_lanes(finish, block, motion, at);
}

#define BALL(name, pass, jacobi)                                                                             \
    static void name(dry_ball_bundle *bundles, int begin, int end, const dry_sweep *sweep)                   \
    {                                                                                                        \
        ball_sweep(bundles, begin, end, sweep, pass, jacobi);                                                \
    }

BALL(ball_warm, JOINT_WARM, false)
BALL(ball_solve, JOINT_SOLVE, false)
BALL(ball_relax, JOINT_RELAX, false)
BALL(jacobi_ball_solve, JOINT_SOLVE, true)
BALL(jacobi_ball_relax, JOINT_RELAX, true)

#define DISTANCE(name, pass, jacobi)                                                                         \
    static void name(dry_distance_bundle *bundles, int begin, int end, const dry_sweep *sweep)               \
    {                                                                                                        \
        distance_sweep(bundles, begin, end, sweep, pass, jacobi);                                            \
    }

DISTANCE(distance_warm, JOINT_WARM, false)
DISTANCE(distance_solve, JOINT_SOLVE, false)
DISTANCE(distance_relax, JOINT_RELAX, false)
DISTANCE(jacobi_distance_solve, JOINT_SOLVE, true)
DISTANCE(jacobi_distance_relax, JOINT_RELAX, true)

#define TABLE_(level) dry_kernels_##level
#define TABLE(level) TABLE_(level)
#define ISA_scalar DRY_ISA_SCALAR
#define ISA_sse2 DRY_ISA_SSE2
#define ISA_neon DRY_ISA_NEON
#define ISA_fma DRY_ISA_AVX2
#define ISA_avx2 DRY_ISA_AVX2
#define ISA_avx512 DRY_ISA_AVX512
#define ISA_(level) ISA_##level
#define ISA(level) ISA_(level)

const dry_kernels TABLE(DRY_ISA_NAME) = {.isa = ISA(DRY_ISA_NAME),
#define X(name) .name = name,
                                         DRY_CONTACT_KERNELS(X) DRY_PREPARE_KERNELS(X) DRY_BALL_KERNELS(X)
                                             DRY_DISTANCE_KERNELS(X) DRY_COLLIDE_KERNELS(X)
#undef X
#define X(name, type) .name = name,
                                                 DRY_BODY_KERNELS(X)
#undef X
};
